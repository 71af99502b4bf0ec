// What cannot be forecast is said in one sentence, before anything is worked out.
import { InputError } from "./errors.js";
import { normaliser } from "./normalise.js";

// run: { steps, values, horizon, unit, low, high, minimise }; a horizon, unit or bound that is null is not there.
export function check({ steps, values, horizon = null, unit = null, low, high, minimise }) {
  if (!values.length) throw new InputError("there are no values: give at least one");
  if (steps.length !== values.length) {
    throw new InputError(`there are ${steps.length} steps and ${values.length} values: each value needs a step`);
  }
  const wrong = (kind, list) => {
    const i = list.findIndex(number => !Number.isFinite(number));
    if (i >= 0) throw new InputError(`${kind} ${i + 1} is not a finite number`);
  };
  wrong("value", values);
  wrong("step", steps);
  if (steps[0] < 0) throw new InputError(`step 1 is ${steps[0]}: steps start at 0 or above`);
  const back = steps.findIndex((step, i) => i > 0 && step <= steps[i - 1]);
  if (back > 0) {
    throw new InputError(`step ${back + 1} is ${steps[back]}, not after ${steps[back - 1]}: steps must rise`);
  }
  bounded(values, low ?? -Infinity, high ?? Infinity);
  if (horizon !== null && !(Number.isFinite(horizon) && horizon > steps.at(-1))) {
    throw new InputError(`the horizon ${horizon} is not after the last step, ${steps.at(-1)}`);
  }
  if (unit !== null && !(Number.isFinite(unit) && unit > 0)) {
    throw new InputError(`the unit is ${unit}: the number of steps per epoch must be above 0`);
  }
  normaliser({ low, high, minimise }, values[0]); // complains about bounds
}

function bounded(values, low, high) {
  const i = values.findIndex(value => value < low || value > high);
  if (i < 0 || low >= high) return;
  const one = high === Infinity ? `below ${low}` : `above ${high}`;
  const where = Number.isFinite(high - low) ? `outside ${low} to ${high}` : one;
  const large = low === 0 && high === 1 && values[i] > 1;
  throw new InputError(`value ${i + 1} is ${values[i]}, ${where}: ${large ? readings(values) : "set other bounds, or leave it out"}`);
}

// What values above 1 may be.
function readings(values) {
  const percent = values.every(value => value <= 100) ? "percent if these are percent, " : "";
  return `choose ${percent}loss if lower is better and there is no upper bound, or set the bounds`;
}
