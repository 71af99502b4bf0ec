// Between a metric in the user's units and the network's scale, on which curves live in [0, 1] and up is better.
//
// Bounds [low, high]; null means that there is none. Both finite: a line. One of them infinite, as of a loss: a logistic
// curve through the bound, whose middle part reaches from the bound to the run's first value. minimise: upside down.
import { InputError } from "./errors.js";

const EDGE = 1e-9; // the logistic curve never arrives at 1: nearer than this is taken for this

export function normaliser({ low, high, minimise }, first) {
  low ??= -Infinity;
  high ??= Infinity;
  if (!(low < high)) throw new InputError(`the lower bound ${low} is not below the upper bound ${high}`);
  const rising = Number.isFinite(low)
    ? Number.isFinite(high) ? line(low, high) : logistic(low, first)
    : Number.isFinite(high) ? mirrored(logistic(-high, -first, high)) : none();
  return minimise ? flipped(rising) : rising;
}

function line(low, high) {
  return { to: v => (v - low) / (high - low), back: u => low + Math.min(Math.max(u, 0), 1) * (high - low) }; // no value lies outside
}

// g(v) = (S(L(v)) - S(-1)) / (1 - S(-1)), where L takes the bound to -1 and the first value to 1.
function logistic(bound, first, shown = bound) {
  if (!(first > bound)) {
    throw new InputError(`the first value equals the bound ${shown}: leave that value out, or move the bound`);
  }
  const S = z => 1 / (1 + Math.exp(-z));
  const half = (first - bound) / 2;
  const start = S(-1);
  return {
    to: v => (S((v - bound) / half - 1) - start) / (1 - start),
    back: u => {
      const s = Math.min(Math.max(start + (1 - start) * u, start), 1 - EDGE);
      return bound + half * (Math.log(s / (1 - s)) + 1);
    },
  };
}

const mirrored = g => ({ to: v => 1 - g.to(-v), back: u => -g.back(1 - u) });
const flipped = g => ({ to: v => 1 - g.to(v), back: u => g.back(1 - u) });

function none() {
  throw new InputError("the metric has no bound: set its lowest or its highest possible value");
}
