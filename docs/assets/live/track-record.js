// A run's own record: where its values fell in what was forecast of them. What runs smoothly is forecast more sharply.
// As curvecast/forecasting/track_record.py, which says why.
import { normalQuantile, phi } from "./special.js";
import { view } from "./view.js";

const LOOKS = 16;
const [USUAL, WORTH, QUIET, LEAST, BROKEN] = [0.49, 4, 0.42, 0.6, 3];
const [EDGE, FARTHEST] = [1e-7, 6];

// -> the scores of the observed points, and a density for each later epoch
export async function ahead(model, run) {
  const record = await scores(model, run);
  const spread = spreadOf(record);
  const { x, y, xq } = view(run);
  return { record, densities: (await model.ask(x, y, xq)).map(density => new Kept(density, spread)) };
}

// The normal score of each point but the first, in order, forecast from the last of at most 16 looks before it.
export async function scores(model, run) {
  const { x, y } = view(run);
  const z = [];
  const ks = looks(x.length);
  for (const [i, k] of ks.entries()) {
    const next = ks[i + 1] ?? x.length;
    const ahead = await model.ask(x.slice(0, k), y.slice(0, k), x.slice(k, next));
    ahead.forEach((density, j) => z.push(normalQuantile(level(density.cdf(y[k + j])))));
  }
  return z;
}

// At most 16 lengths, evenly spread over 1 to T - 1.
export function looks(T) {
  const n = Math.min(LOOKS, T - 1);
  const spread = Array.from({ length: n }, (_, i) => Math.round(1 + (n > 1 ? i * (T - 2) / (n - 1) : 0)));
  return [...new Set(spread)];
}

// Of the scores to come.
export function spreadOf(z) {
  const squares = z.reduce((sum, one) => sum + Math.min(Math.abs(one), BROKEN) ** 2, 0);
  return Math.min(1, Math.max(LEAST, (WORTH * USUAL + squares) / (WORTH + z.length) / QUIET));
}

// A density of the network, and what is made of it: it answers the same questions.
export class Kept {
  constructor(density, spread) {
    this.density = density;
    this.spread = spread;
  }

  quantile(p) {
    return this.density.quantile(level(phi(this.spread * normalQuantile(level(p)))));
  }

  cdf(y) {
    return phi(this.score(y));
  }

  exceeds(y) {
    return phi(-this.score(y));
  }

  // the small one of both sides has the digits
  score(y) {
    const [low, high] = [this.density.cdf(y), this.density.exceeds(y)].map(normalQuantile);
    const z = low < high ? low : -high;
    return Math.min(Math.max(z, -FARTHEST), FARTHEST) / this.spread;
  }
}

const level = p => Math.min(Math.max(p, EDGE), 1 - EDGE);
