// Whole futures of a run. The network knows one epoch at a time: so each future draws a value, takes it for observed and
// asks again. At most 16 steps on the way to the horizon, close together first.
import * as track from "./track-record.js";
import { view } from "./view.js";

const STEPS = 16;

// Yields { step, values }: n values, one a future, at each of the steps. rng() is uniform on [0, 1).
// The densities of the forecast of this run, where they are known.
export async function* futures(model, run, n, rng, densities = null) {
  const { x, y, xq, stepsq, scale } = view(run);
  densities ??= (await track.ahead(model, run)).densities;
  const xs = Array.from({ length: n }, () => [...x]);
  const ys = Array.from({ length: n }, () => [...y]);
  for (const at of spread(xq)) {
    const answers = await model.askMany(xs, ys, xs.map(() => [xq[at]]));
    answers.forEach(([density], i) => {
      xs[i].push(xq[at]);
      ys[i].push(density.sample(rng));
    });
    // each moves to where the forecast of this run has its level
    const kept = densities[at];
    yield { step: stepsq[at], values: ys.map(path => scale.back(kept.quantile(kept.density.cdf(path.at(-1))))) };
  }
}

// Places among the later epochs, evenly spread in log(epoch), the last one the horizon.
export function spread(xq) {
  const [first, last] = [xq[0], xq.at(-1)];
  const wanted = Array.from({ length: STEPS }, (_, i) => first * (last / first) ** (i / (STEPS - 1)));
  const places = wanted.map(epoch => xq.findIndex(x => x >= Math.min(epoch, last) - 1e-3)); // the next one that is asked for
  return [...new Set(places)];
}
