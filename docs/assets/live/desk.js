// The live figure, once the model is there: what the reader changes goes into `state`, from there to the model, and from
// both to the drawing, the words and the address.

import { Picture } from "./figure.js";
import { hands } from "./hands.js";
import { intake } from "./intake.js";
import { latest } from "./latest.js";
import * as link from "./link.js";
import { digits, domain, metricOf, span } from "./metrics.js";
import { usualHorizon, usualThreshold, usualUnit } from "./usual.js";
import { fillTable, percent, summary } from "./words.js";

const LEVELS = [5, 25, 50, 75, 95];
const FUTURES = 12;
const RARE = 0.01; // share of the prior's own curves below which a curve is called unlike them
const MOST_POINTS = 1000;
const REST = 250; // ms without a change after which the words and the address follow

export function desk(root, part, { model, engine, examples }) {
  const state = {
    metric: "accuracy", own: { low: 0, high: 1, minimise: false }, horizon: 100, threshold: 0.75, points: [], unit: 1,
    selected: 0, example: null, seen: 10, reveal: false, futures: false, zoom: false,
  };
  const picture = new Picture(part("svg"));
  const asked = latest(work);
  let shown = null; // the forecast of the latest run
  let paths = null; // sampled futures
  let axis = [0, 1]; // of values; stands still while a point is dragged
  let dragging = false;
  let touched = false; // the address changes only after the reader has changed something
  let timer = 0;

  // ---- from the state to the drawing

  function draw() {
    const { low, high } = metricOf(state);
    const kind = state.unit === 1 ? "epoch" : "step";
    picture.draw({
      points: state.points, selected: state.selected, unit: state.unit, horizon: state.horizon, threshold: state.threshold,
      domain: axis, digits: digits(axis), nudge: span({ low, high }) / 100, axis: kind, forecast: shown, futures: paths,
      truth: state.reveal && state.example ? state.example.points.slice(state.seen) : null,
      beat: shown ? [`P(${metricOf(state).minimise ? "below" : "beat"}) `, `= ${percent(shown.beats(state.threshold))}`] : [],
      hint: state.points.length ? "" : "Click or tap to set a point",
    });
    describe(kind);
  }

  // What a screen reader says of the two things that take the keyboard.
  function describe(kind) {
    const tell = (value) => value.toFixed(digits(axis));
    const { points, selected, threshold } = state;
    const here = points[selected];
    slider(picture.layers.points, {
      now: here ? here[1] : axis[0],
      text: here ? `${kind} ${here[0]}: ${tell(here[1])}, point ${selected + 1} of ${points.length}` : "no points, press A to add one",
    });
    const chance = shown ? `, chance ${percent(shown.beats(threshold))}` : "";
    slider(picture.layers.threshold, { now: threshold, text: `${tell(threshold)}${chance}` });
    part("seen").disabled = !state.example;
    part("reveal").disabled = !state.example;
    part("seen-said").textContent = state.example ? `Seen: ${state.seen} epoch${state.seen === 1 ? "" : "s"}` : "Seen: your own points";
  }

  function slider(group, { now, text }) {
    group.setAttribute("aria-valuemin", axis[0]);
    group.setAttribute("aria-valuemax", axis[1]);
    group.setAttribute("aria-valuenow", Math.min(Math.max(now, axis[0]), axis[1]));
    group.setAttribute("aria-valuetext", text);
  }

  function settleAxis() {
    const values = state.points.map(([, value]) => value);
    if (state.reveal && state.example) values.push(...state.example.points.map(([, value]) => value));
    const bounds = metricOf(state);
    if (shown && state.zoom) values.push(...shown.levels[5], ...shown.levels[95]);
    axis = domain(bounds, values, state.zoom);
  }

  // ---- from a change to the model and back

  function change(patch, { dragged = false } = {}) {
    Object.assign(state, patch);
    state.selected = Math.min(Math.max(state.selected, 0), Math.max(state.points.length - 1, 0));
    paths = null;
    if (!state.points.length || shown?.frame !== frameOf(run())) shown = null;
    dragging = dragged;
    if (!dragging) settleAxis();
    draw();
    asked({ run: run(), futures: state.futures });
    rest();
  }

  function run() {
    const { low, high, minimise } = metricOf(state);
    const steps = state.points.map(([step]) => step);
    const values = state.points.map(([, value]) => value);
    return { steps, values, horizon: state.horizon, low, high, minimise };
  }

  async function work(job, outdated) {
    try {
      await answer(job, outdated);
    } catch (error) {
      shown = null;
      complain(error.name === "InputError" ? sentence(error.message) : `The model stopped: ${error.message}.`);
      draw();
      rest();
    }
  }

  async function answer({ run: now, futures }, outdated) {
    complain("");
    if (now.values.length) engine.check(now);
    shown = now.values.length ? wrapped(await engine.forecast(model, now), frameOf(now)) : null;
    await nextFrame(); // lets the page draw and the reader's next move come in
    if (outdated()) return;
    if (state.zoom && !dragging) settleAxis();
    draw();
    rest();
    await judge(now);
    if (futures && shown && !outdated()) await grow(now, outdated);
  }

  async function judge(now) {
    const share = shown ? await engine.inPrior(model, now) : null;
    part("warning").hidden = share === null || share >= RARE;
  }

  // The futures grow step by step, or appear at once for those who asked for less motion.
  async function grow(now, outdated) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const found = { steps: [now.steps.at(-1)], values: [Array(FUTURES).fill(now.values.at(-1))] };
    for await (const { step, values } of engine.futures(model, now, FUTURES, Math.random)) {
      await nextFrame();
      if (outdated()) return;
      found.steps.push(step);
      found.values.push(values);
      if (calm) continue;
      paths = found;
      draw();
    }
    paths = found;
    draw();
  }

  function complain(text) {
    part("alert").textContent = text;
    if (text) part("warning").hidden = true;
  }

  // Words, table and address wait until nothing changes any more: a screen reader would read every step of a drag.
  function rest() {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const told = { ...state, minimise: metricOf(state).minimise };
      part("summary").textContent = summary(told, shown, digits(axis));
      fillTable(part("table"), told, shown, digits(axis));
      if (touched) history.replaceState(history.state, "", link.write(state));
    }, REST);
  }

  // ---- what the reader does

  function rounded(value) {
    const { low, high } = metricOf(state);
    return Number(Math.min(Math.max(value, low), high).toFixed(digits(axis) + 1));
  }

  function edit(points, more, options) {
    touched = true;
    if (points.length > MOST_POINTS) return;
    if (state.example) part("curve").value = ""; // from here on it is the reader's own
    if (state.example || !points.length) part("about").textContent = "";
    change({ points, example: null, ...more }, options);
  }

  const actions = {
    set(step, value) {
      const at = Math.max(Math.round(step / state.unit), 1) * state.unit;
      const others = state.points.filter(([other]) => other !== at);
      const points = [...others, [at, rounded(value)]].sort((a, b) => a[0] - b[0]);
      edit(points, { selected: points.findIndex(([other]) => other === at) });
    },
    move(i, value) {
      edit(state.points.map((point, k) => (k === i ? [point[0], rounded(value)] : point)), {}, { dragged: true });
    },
    remove(i) {
      edit(state.points.filter((_, k) => k !== i), { selected: i && i - 1 });
    },
    append() {
      const [step, value] = state.points.at(-1) ?? [0, (axis[0] + axis[1]) / 4];
      actions.set(step + state.unit, value);
    },
    select(i) {
      state.selected = i;
      draw();
    },
    threshold(value) {
      touched = true;
      const within = Math.min(Math.max(value, axis[0]), axis[1]);
      state.threshold = Number(within.toFixed(digits(axis)));
      draw();
      rest();
    },
    rest() {
      dragging = false;
      settleAxis();
      draw();
      rest();
    },
  };

  function showExample(example, seen) {
    const points = example.points.slice(0, seen);
    part("seen").max = example.points.length - 1;
    part("seen").value = seen;
    part("about").textContent = example.about;
    const known = { ...state, metric: example.metric };
    const threshold = usualThreshold(points, metricOf(known));
    part("metric").value = example.metric;
    setHorizon(example.points.at(-1)[0]);
    showBounds(example.metric);
    change({ example, seen, points, unit: 1, metric: example.metric, threshold, selected: seen - 1 });
  }

  function setHorizon(horizon) {
    state.horizon = horizon;
    part("horizon").value = horizon;
  }

  function showBounds(metric) {
    part("bounds").hidden = metric !== "own";
  }

  function takeRun({ name, steps, values }) {
    if (steps.length > MOST_POINTS) {
      return complain(`This run has ${steps.length.toLocaleString("en")} points and at most ${MOST_POINTS.toLocaleString("en")} are drawn: keep every n-th row.`);
    }
    const points = steps.map((step, i) => [step, values[i]]);
    touched = true;
    part("curve").value = "";
    part("about").textContent = `Your run: ${name}`;
    setHorizon(usualHorizon(steps));
    return change({ points, unit: usualUnit(steps), example: null, selected: points.length - 1, threshold: usualThreshold(points, metricOf(state)) });
  }

  function connect() {
    hands(picture, actions);
    intake(root, part, takeRun, complain);
    on("curve", "change", ({ value }) => {
      touched = true;
      part("about").textContent = "";
      if (value) showExample(examples[value], 10);
      else change({ example: null, points: [], unit: 1, threshold: usualThreshold([], metricOf(state)) });
    });
    on("metric", "change", ({ value }) => {
      touched = true;
      showBounds(value);
      change({ metric: value, threshold: usualThreshold(state.points, metricOf({ ...state, metric: value })) });
    });
    for (const name of ["low", "high", "minimise"]) {
      on(name, "change", () => {
        touched = true;
        change({ own: { low: bound("low", -Infinity), high: bound("high", Infinity), minimise: part("minimise").checked } });
      });
    }
    on("horizon", "change", ({ valueAsNumber }) => {
      touched = true;
      if (valueAsNumber > 0) change({ horizon: valueAsNumber });
      else complain("The horizon must be a number above 0.");
    });
    on("seen", "input", ({ valueAsNumber }) => {
      touched = true;
      change({ seen: valueAsNumber, points: state.example.points.slice(0, valueAsNumber), selected: valueAsNumber - 1 });
    });
    for (const name of ["reveal", "futures", "zoom"]) on(name, "change", ({ checked }) => change({ [name]: checked }));
    on("add", "click", () => (actions.append(), actions.rest()));
    on("remove", "click", () => state.points.length && (actions.remove(state.selected), actions.rest()));
    on("clear", "click", () => edit([], { selected: 0 }));
    on("copy", "click", copy);
    addEventListener("hashchange", () => link.holdsCurve(location.hash) && showShared());
  }

  function on(name, kind, act) {
    part(name).addEventListener(kind, ({ currentTarget }) => act(currentTarget));
  }

  function bound(name, otherwise) {
    const value = part(name).valueAsNumber;
    return Number.isNaN(value) ? otherwise : value;
  }

  async function copy() {
    touched = true;
    history.replaceState(history.state, "", link.write(state));
    try {
      await navigator.clipboard.writeText(location.href);
      part("copied").textContent = "The link is copied.";
    } catch {
      part("copied").textContent = "The browser does not let the page copy; the link is in the address bar.";
    }
  }

  // A curve in the address; true if there was a sound one.
  function showShared() {
    const shared = link.read(location.hash);
    part("copied").textContent = shared ? "" : "The curve in the address could not be read and is left out.";
    if (!shared) return false;
    part("curve").value = "";
    part("about").textContent = "";
    part("metric").value = shared.metric;
    for (const name of ["low", "high"]) if (shared.own) part(name).value = Number.isFinite(shared.own[name]) ? shared.own[name] : "";
    part("minimise").checked = Boolean(shared.own?.minimise);
    showBounds(shared.metric);
    setHorizon(shared.horizon);
    const steps = shared.points.map(([step]) => step);
    change({ ...shared, unit: usualUnit(steps), example: null, selected: steps.length - 1 });
    return true;
  }

  offerExamples(part("curve"), examples);
  connect();
  if (!(link.holdsCurve(location.hash) && showShared())) {
    part("curve").value = examples.length ? 0 : "";
    if (examples.length) showExample(examples[0], 10);
    else change({});
  }
  picture.layers.points.focus({ preventScroll: true });
}

function offerExamples(select, examples) {
  const groups = { prior: "Sampled from the prior", real: "Real training curves" };
  for (const [kind, label] of Object.entries(groups)) {
    const group = document.createElement("optgroup");
    group.label = label;
    examples.forEach((example, i) => example.kind === kind && group.append(new Option(example.name, i)));
    if (group.children.length) select.append(group);
  }
}

function wrapped(forecast, frame) {
  const levels = Object.fromEntries(LEVELS.map((level) => [level, forecast.quantile(level / 100)]));
  return { frame, steps: forecast.steps, levels, beats: forecast.probBeats, above: forecast.probAbove };
}

function sentence(message) {
  return `${message[0].toUpperCase()}${message.slice(1)}.`;
}

// A forecast is drawn only in the frame for which it was made: same bounds, same horizon.
function frameOf({ low, high, minimise, horizon }) {
  return [low, high, minimise, horizon].join(" ");
}

function nextFrame() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
