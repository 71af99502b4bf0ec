// What is taken for granted until the reader says otherwise: horizon, grid of steps, threshold.

import { span } from "./metrics.js";

// As in the Python package: a hundred epochs, or twice as far as the run has come; where steps count from 0, one less.
export function usualHorizon(steps) {
  const unit = usualGap(steps);
  const shift = steps[0] === 0 ? unit : 0;
  return Math.max(100 * unit, 2 * (steps.at(-1) + shift)) - shift;
}

// The grid on which a reader sets points: whole epochs where the steps can be epochs, else their usual gap.
export function usualUnit(steps) {
  return steps.every(Number.isInteger) && !(steps.at(-1) > 100) ? 1 : usualGap(steps);
}

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

function usualGap(steps) {
  const gaps = steps.slice(1).map((step, i) => step - steps[i]).sort((a, b) => a - b);
  const half = (gaps.length - 1) / 2;
  return gaps.length ? (gaps[Math.floor(half)] + gaps[Math.ceil(half)]) / 2 : steps[0] || 1;
}
