// From a run to its forecast, in the user's units. All that a page needs to import, besides `load` of model.js.
import * as track from "./track-record.js";
import { view } from "./view.js";

export { check } from "./check.js";
export { doubts } from "./doubts.js";
export { InputError } from "./errors.js";
export { futures } from "./futures.js";
export { inPrior } from "./in-prior.js";

// run: { steps, values, horizon, unit, low, high, minimise }
export async function forecast(model, run) {
  const { x, xq, stepsq, kept, scale } = view(run);
  const { record, densities: ahead } = await track.ahead(model, run);
  const minimise = Boolean(run.minimise);
  const [low, high] = [run.low ?? -Infinity, run.high ?? Infinity];
  // No value lies beyond a bound, whatever the density puts there: at a bound and beyond it a chance is 0 or 1.
  const above = (density, t) => {
    if (t >= high || t < low) return t < low ? 1 : 0;
    return minimise ? density.cdf(scale.to(t)) : density.exceeds(scale.to(t)); // up is better on the network's scale
  };
  const below = (density, t) => {
    if (t <= low || t > high) return t > high ? 1 : 0;
    return minimise ? density.exceeds(scale.to(t)) : density.cdf(scale.to(t));
  };
  const better = t => ahead.map(density => (minimise ? below : above)(density, t));
  return {
    steps: stepsq, // the later steps, the last one the horizon
    // the value with a chance of p to end below it, at each later step
    quantile: p => ahead.map(density => scale.back(density.quantile(minimise ? 1 - p : p))),
    // P(value > t), at each later step
    probAbove: t => ahead.map(density => above(density, t)),
    // the chance to be better than t, at each later step
    probBetter: better,
    // and the largest of these
    probBeats: t => Math.max(...better(t)),
    last: run.values.at(-1),
    x, // the network's epochs of the points that it saw,
    kept, // their places in run.steps,
    xq, // and the epochs that it was asked for
    record, // the scores of its points: of what was forecast of each before
    densities: ahead, // on the network's scale
  };
}
