// What does not forbid a forecast and still speaks against what was given: a sentence each.
import { view } from "./view.js";

export function doubts(run) {
  return [turned(run), collapsed(run, view(run).kept.length)].filter(sentence => sentence);
}

// A run that gets worse has perhaps the wrong metric.
function turned({ steps, values, minimise }) {
  const worse = minimise ? 1 : -1;
  const away = (values.at(-1) - values[0]) * worse;
  if (values.length < 3 || !(away > 0) || !(worse * correlation(steps, values) > 0.5)) return null;
  return minimise
    ? "This run rises, although lower is better for this metric: should it be one where higher is better?"
    : "This run falls, although higher is better for this metric: should it be one where lower is better?";
}

// Steps that begin far from 0, or a far horizon: hardly any observed point is left.
function collapsed({ steps }, left) {
  if (steps.length < 4 || left >= 5 || left >= steps.length / 2) return null;
  return (
    `Only ${left} of the ${steps.length} points could be used: steps start at ${steps[0]}, and the other points fall into the same epochs. ` +
    "Subtract the start, or set another horizon."
  );
}

// NaN where one of them stands still.
function correlation(a, b) {
  const [x, y] = [a, b].map(centred);
  const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

function centred(list) {
  const mean = list.reduce((sum, value) => sum + value, 0) / list.length;
  return list.map(value => value - mean);
}
