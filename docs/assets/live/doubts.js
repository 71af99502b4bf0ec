// What does not forbid a forecast and still speaks against what was given: a sentence each.
import { view } from "./view.js";

// rare: the run is unlike the curves of the prior, which is told apart
export function doubts(run, rare = false) {
  const { y, kept } = view(run);
  return [turned(run), collapsed(run, kept.length), rare ? null : fractions(run) ?? still(y)].filter(sentence => sentence);
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
  const gaps = steps.slice(1).map((step, i) => step - steps[i]);
  const only = `Only ${left} of the ${steps.length} points could be used: `;
  if (gaps.at(-1) === Math.max(...gaps) && gaps.at(-1) > 10 * Math.min(...gaps)) {
    return `${only}the steps lie ever further apart. The command “curvecast forecast --log-steps” forecasts such curves.`;
  }
  return (
    `${only}steps start at ${steps[0]}, and the other points fall into the same epochs. ` +
    "Subtract the start, or set another horizon."
  );
}

function fractions({ values, low, high }) {
  if (values.length < 3 || low !== 0 || high !== 100 || Math.max(...values) > 1) return null;
  return "No value is above 1, of 100: if these are fractions, choose accuracy.";
}

const STILL = 0.01; // of the way between the bounds: what has moved less has not begun
const WITHIN = 2; // sizes of the noise

// A run that has not moved yet, or only as noise moves; values as the network sees them, as in the Python package.
function still(y) {
  const n = y.length;
  if (n < 3) return null;
  const noise = Math.sqrt(mean(y.slice(1).map((value, i) => (value - y[i]) ** 2)) / 2);
  const gain = mean(y.slice(-Math.max(1, Math.floor(n / 5)))) - y[0];
  const t = centred(y.map((_, i) => Math.log(i + 1))); // a run that learns moves most at its beginning
  const squares = t.reduce((sum, value) => sum + value * value, 0);
  const slope = t.reduce((sum, value, i) => sum + value * y[i], 0) / squares;
  const rest = centred(y).reduce((sum, value, i) => sum + (value - slope * t[i]) ** 2, 0);
  const error = Math.sqrt(rest / (n - 2) / squares);
  const flat = Math.max(...y) - Math.min(...y) < STILL;
  if (!flat && !(n >= 5 && Math.abs(gain) < WITHIN * noise && Math.abs(slope) < 2 * error)) return null;
  return "This run has hardly moved yet: if it begins to learn later, the interval may miss it.";
}

// NaN where one of them stands still.
function correlation(a, b) {
  const [x, y] = [a, b].map(centred);
  const dot = (one, other) => one.reduce((sum, value, i) => sum + value * other[i], 0);
  return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
}

function centred(list) {
  const middle = mean(list);
  return list.map(value => value - middle);
}

function mean(list) {
  return list.reduce((sum, value) => sum + value, 0) / list.length;
}
