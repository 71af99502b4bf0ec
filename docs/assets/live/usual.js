// The threshold that is taken for granted until the reader says otherwise.

import { span } from "./metrics.js";

// A little better than the best so far, and never beyond half of what is left to the bound.
export function usualThreshold(points, metric) {
  const { low, high, minimise } = metric;
  const values = points.map(([, value]) => value);
  const best = minimise ? Math.min(...values) : Math.max(...values);
  if (!values.length) return Number.isFinite(high - low) ? low + (minimise ? 0.25 : 0.75) * (high - low) : 1;
  const room = minimise ? best - low : high - best;
  const step = Math.max(Math.min(Number.isFinite(high - low) ? span(metric) / 20 : Math.abs(best) / 10, room / 2), 0);
  return Number((minimise ? best - step : best + step).toPrecision(3));
}
