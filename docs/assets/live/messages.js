// What the page says in words: complaints and warnings, the forecast as a sentence and a table, and what a screen reader
// says of the drawing.

import { digits, metricOf } from "./metrics.js";
import { fillTable, percent, summary } from "./words.js";

// What is wrong; "": nothing.
export function complain(part, text) {
  part("alert").textContent = text;
}

export function rare(part, is) {
  part("warning").hidden = !is;
}

export function doubt(part, sentences) {
  part("doubts").textContent = sentences.join(" ");
  part("doubts").hidden = !sentences.length;
}

export function sentence(message) {
  return `${message[0].toUpperCase()}${message.slice(1)}.`;
}

export function say({ part, state, shown, axis }) {
  const told = { ...state, minimise: metricOf(state).minimise };
  part("summary").textContent = summary(told, shown, digits(axis));
  fillTable(part("table"), told, shown, digits(axis));
}

// What a screen reader says of the two things that take the keyboard, and of the slider.
export function describe({ part, picture, state, shown, axis }, kind) {
  const tell = (value) => value.toFixed(digits(axis));
  const { points, selected, threshold, example, seen } = state;
  const here = points[selected];
  slider(picture.layers.points, axis, {
    now: here ? here[1] : axis[0],
    text: here ? `${kind} ${here[0]}: ${tell(here[1])}, point ${selected + 1} of ${points.length}` : "no points, press A to add one",
  });
  const chance = shown ? `, chance to beat it ${percent(shown.beats(threshold))}` : "";
  slider(picture.layers.threshold, axis, { now: threshold, text: `${tell(threshold)}${chance}` });
  part("seen").disabled = !example;
  part("reveal").disabled = !example;
  part("seen-said").textContent = example ? `Observed: ${seen} epoch${seen === 1 ? "" : "s"}` : "Observed: your own points";
}

function slider(group, [low, high], { now, text }) {
  group.setAttribute("aria-valuemin", low);
  group.setAttribute("aria-valuemax", high);
  group.setAttribute("aria-valuenow", Math.min(Math.max(now, low), high));
  group.setAttribute("aria-valuetext", text);
}
