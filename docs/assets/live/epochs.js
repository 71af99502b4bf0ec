// From a user's steps (iterations, epochs, hours) to the network's epochs, which run from 1 to 100.
//
// A unit is the usual gap between two steps. Where 100 units reach the horizon an epoch is a unit; else an epoch is a
// hundredth of the way to the horizon, and of the points that fall into one epoch only the last stays.
//
// Who knows more than the steps of the points says what a unit is: a hole in a run does not make its epochs longer.
//
// -> { x: epochs of the points that stay, kept: their places in steps, xq: epochs to forecast, stepsq: the same in steps }
export function toEpochs(steps, horizon = null, unit = null) {
  unit ??= usualGap(steps);
  const shift = steps[0] === 0 ? unit : 0; // what was measured before the first step is epoch 1
  const end = (horizon ?? usualHorizon(steps, unit)) + shift;
  const squeezed = end > 100 * unit;
  const epoch = squeezed ? end / 100 : unit; // in the user's steps

  const points = new Map(); // by the epoch that they fall into; a later point replaces an earlier one
  steps.forEach((step, i) => {
    const x = Math.max(1, tidy((step + shift) / epoch)); // all before epoch 1 count as epoch 1
    points.set(squeezed ? Math.ceil(x) : x, { x, i });
  });
  const x = Array.from(points.values(), point => point.x);

  const xq = []; // every epoch after the last point, and the horizon itself
  const last = tidy(end / epoch);
  for (let k = Math.floor(x.at(-1)) + 1; k < last - 1e-3; k++) xq.push(k);
  xq.push(last);
  const stepsq = xq.map(k => k * epoch - shift);
  stepsq[stepsq.length - 1] = end - shift;
  return { x, kept: Array.from(points.values(), point => point.i), xq, stepsq };
}

// The gap that is there most often, the smallest of several; if none is there twice, the middle one. Of one point its step.
export function usualGap(steps) {
  if (steps.length < 2) return steps[0] > 0 ? steps[0] : 1;
  const gaps = steps.slice(1).map((step, i) => step - steps[i]).sort((a, b) => a - b);
  let gap = gaps[(gaps.length - 1) >> 1];
  let most = 1;
  for (let i = 0, end = 0; i < gaps.length; i++) {
    while (gaps[end] <= gaps[i] * (1 + 1e-6)) end++;
    if (end - i > most) [gap, most] = [gaps[i], end - i]; // so many from here on are alike
  }
  return gap;
}

// A hundred epochs, or twice as far as the run has come; where steps count from 0, one less.
export function usualHorizon(steps, unit = usualGap(steps)) {
  const shift = steps[0] === 0 ? unit : 0;
  return Math.max(100 * unit, 2 * (steps.at(-1) + shift)) - shift;
}

// 3.0000000000000004 is 3: else a point would fall into the next epoch.
function tidy(x) {
  return Math.abs(x - Math.round(x)) < 1e-6 ? Math.round(x) : x;
}
