// What values mean: their bounds, and whether less is better. The same as in the Python package.

export const METRICS = {
  accuracy: { low: 0, high: 1, minimise: false },
  percent: { low: 0, high: 100, minimise: false },
  error: { low: 0, high: 1, minimise: true },
  loss: { low: 0, high: Infinity, minimise: true },
};

export function metricOf({ metric, own }) {
  return METRICS[metric] ?? own;
}

// The width between the bounds; where there is no upper one, 1.
export function span({ low, high }) {
  return Number.isFinite(high - low) ? high - low : 1;
}

// The values that the drawing shows: between the bounds, or as far as the values go; or close round them (zoom).
export function domain({ low, high }, values, zoom) {
  const least = Math.min(...values);
  const most = Math.max(...values);
  if (zoom && values.length) {
    const air = Math.max((most - least) * 0.08, span({ low, high }) * 0.01);
    return [Math.max(least - air, Math.min(low, least)), Math.min(most + air, Math.max(high, most))];
  }
  const air = Math.max(Math.abs(least), Math.abs(most)) * 0.08;
  const empty = !values.length;
  const bottom = Number.isFinite(low) ? low : empty ? Math.min(high, 3) - 3 : least - air;
  const top = Number.isFinite(high) ? high : empty ? bottom + 3 : most + air;
  return [Math.min(bottom, ...values), Math.max(top, ...values, bottom + 1e-9)];
}

// Decimals that tell values of such a domain apart.
export function digits([low, high]) {
  const width = high - low;
  if (width > 500) return 0;
  if (width > 5) return 1;
  return width > 0.3 ? 2 : 3;
}
