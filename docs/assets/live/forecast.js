// From a run to its forecast, in the user's units. All that a page needs to import, besides `load` of model.js.
import { view } from "./view.js";

export { check } from "./check.js";
export { InputError } from "./errors.js";
export { futures } from "./futures.js";
export { inPrior } from "./in-prior.js";

// run: { steps, values, horizon, low, high, minimise }
export async function forecast(model, run) {
  const { x, y, xq, stepsq, kept, scale } = view(run);
  const ahead = await model.ask(x, y, xq);
  const minimise = Boolean(run.minimise);
  const better = (density, t) => density.exceeds(scale.to(t)); // up is better on the network's scale
  return {
    steps: stepsq, // the later steps, the last one the horizon
    // the value with a chance of p to end below it, at each later step
    quantile: p => ahead.map(density => scale.back(density.quantile(minimise ? 1 - p : p))),
    // P(value > t), at each later step
    probAbove: t => ahead.map(density => (minimise ? density.cdf(scale.to(t)) : better(density, t))),
    // the largest chance of a single later step to be better than t
    probBeats: t => Math.max(...ahead.map(density => better(density, t))),
    last: run.values.at(-1),
    x, // the network's epochs of the points that it saw,
    kept, // their places in run.steps,
    xq, // and the epochs that it was asked for
    densities: ahead, // on the network's scale
  };
}
