// Whole futures of a run. The network knows one epoch at a time: so each future draws a value, takes it for observed and
// asks again. At most 16 steps on the way to the horizon, close together first.
import { view } from "./view.js";

const STEPS = 16;

// Yields { step, values }: n values, one a future, at each of the steps. rng() is uniform on [0, 1).
export async function* futures(model, run, n, rng) {
  const { x, y, xq, stepsq, scale } = view(run);
  const xs = Array.from({ length: n }, () => [...x]);
  const ys = Array.from({ length: n }, () => [...y]);
  for (const at of spread(xq.length)) {
    const answers = await model.askMany(xs, ys, xs.map(() => [xq[at]]));
    answers.forEach(([density], i) => {
      xs[i].push(xq[at]);
      ys[i].push(density.sample(rng));
    });
    yield { step: stepsq[at], values: ys.map(path => scale.back(path.at(-1))) };
  }
}

// Places among n later epochs, evenly spread in log(distance), the last one the horizon.
export function spread(n) {
  const places = Array.from({ length: STEPS }, (_, i) => Math.round(n ** (i / (STEPS - 1))) - 1);
  return [...new Set(places)];
}
