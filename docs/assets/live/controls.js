// The controls around the drawing, the curves on offer, the reader's own runs, and a curve in the address.

import { MOST_POINTS } from "./actions.js";
import { usualHorizon } from "./epochs.js";
import { intake } from "./intake.js";
import * as link from "./link.js";
import { complain } from "./messages.js";
import { metricOf } from "./metrics.js";
import { usualThreshold } from "./usual.js";

export function controls(root, desk, acts, examples) {
  const { part } = desk;
  offer(part("curve"), examples);
  connect(desk, acts, examples);
  intake(root, part, (run) => showRun(desk, run), (text) => complain(part, text));
  if (link.holdsCurve(location.hash) && showShared(desk)) return;
  part("curve").value = examples.length ? 0 : "";
  if (examples.length) showExample(desk, examples[0], 10);
  else desk.change({});
}

function offer(select, examples) {
  const groups = { prior: "Sampled from the prior", real: "Real training curves" };
  for (const [kind, label] of Object.entries(groups)) {
    const group = document.createElement("optgroup");
    group.label = label;
    examples.forEach((example, i) => example.kind === kind && group.append(new Option(example.name, i)));
    if (group.children.length) select.append(group);
  }
}

function connect(desk, acts, examples) {
  const { part, state } = desk;
  const on = (name, kind, act) => part(name).addEventListener(kind, ({ currentTarget }) => act(currentTarget));
  const touch = (patch) => {
    desk.touched = true;
    desk.change(patch);
  };
  on("curve", "change", ({ value }) => {
    desk.touched = true;
    part("about").textContent = "";
    if (value) showExample(desk, examples[value], 10);
    else desk.change({ example: null, points: [], unit: 1, threshold: usualThreshold([], metricOf(state)) });
  });
  on("metric", "change", ({ value }) => {
    showBounds(part, value);
    touch({ metric: value, threshold: usualThreshold(state.points, metricOf({ ...state, metric: value })) });
  });
  for (const name of ["low", "high", "minimise"]) on(name, "change", () => touch({ own: bounds(part) }));
  on("horizon", "change", ({ valueAsNumber }) => {
    desk.touched = true;
    if (valueAsNumber > 0) desk.change({ horizon: valueAsNumber });
    else complain(part, "The horizon must be a number above 0.");
  });
  on("seen", "input", ({ valueAsNumber: seen }) => {
    touch({ seen, points: state.example.points.slice(0, seen), selected: seen - 1 });
  });
  for (const name of ["reveal", "futures", "zoom"]) on(name, "change", ({ checked }) => desk.change({ [name]: checked }));
  on("add", "click", () => (acts.append(), acts.rest()));
  on("remove", "click", () => state.points.length && (acts.remove(state.selected), acts.rest()));
  on("clear", "click", acts.clear);
  on("copy", "click", () => copy(desk));
  addEventListener("hashchange", () => link.holdsCurve(location.hash) && showShared(desk));
}

function bounds(part) {
  const bound = (name, otherwise) => {
    const value = part(name).valueAsNumber;
    return Number.isNaN(value) ? otherwise : value; // an empty field: no bound
  };
  return { low: bound("low", -Infinity), high: bound("high", Infinity), minimise: part("minimise").checked };
}

function showBounds(part, metric) {
  part("bounds").hidden = metric !== "own";
}

function setHorizon({ state, part }, horizon) {
  state.horizon = horizon;
  part("horizon").value = horizon;
}

function showExample(desk, example, seen) {
  const { part, state } = desk;
  const { metric } = example;
  const points = example.points.slice(0, seen);
  part("seen").max = example.points.length - 1;
  part("seen").value = seen;
  part("about").textContent = example.about;
  part("metric").value = metric;
  setHorizon(desk, example.points.at(-1)[0]);
  showBounds(part, metric);
  const threshold = usualThreshold(points, metricOf({ ...state, metric }));
  desk.change({ example, seen, points, unit: 1, metric, threshold, selected: seen - 1 });
}

// A run of the reader's table. Its unit comes from the table: the points alone do not tell holes from long epochs.
function showRun(desk, { name, steps, values, unit }) {
  const { part, state } = desk;
  if (steps.length > MOST_POINTS) {
    const [have, most] = [steps.length, MOST_POINTS].map((n) => n.toLocaleString("en"));
    return complain(part, `This run has ${have} points, but at most ${most} are drawn: keep every n-th row. The curve shown is still the earlier one.`);
  }
  const points = steps.map((step, i) => [step, values[i]]);
  desk.touched = true;
  part("curve").value = "";
  part("about").textContent = `Your run: ${name}`;
  setHorizon(desk, usualHorizon(steps, unit));
  const threshold = usualThreshold(points, metricOf(state));
  return desk.change({ points, unit, example: null, selected: points.length - 1, threshold });
}

// A curve in the address; true if there was a sound one.
function showShared(desk) {
  const { part } = desk;
  const shared = link.read(location.hash);
  part("copied").textContent = shared ? "" : "The curve in the address could not be read and was ignored.";
  if (!shared) return false;
  part("curve").value = "";
  part("about").textContent = "";
  part("metric").value = shared.metric;
  for (const name of ["low", "high"]) if (shared.own) part(name).value = Number.isFinite(shared.own[name]) ? shared.own[name] : "";
  part("minimise").checked = Boolean(shared.own?.minimise);
  showBounds(part, shared.metric);
  setHorizon(desk, shared.horizon);
  desk.change({ ...shared, example: null, selected: shared.points.length - 1 });
  return true;
}

async function copy(desk) {
  const { part } = desk;
  desk.touched = true;
  desk.address();
  try {
    await navigator.clipboard.writeText(location.href);
    part("copied").textContent = "The link is copied.";
  } catch {
    part("copied").textContent = "The browser does not let the page copy; the link is in the address bar.";
  }
}
