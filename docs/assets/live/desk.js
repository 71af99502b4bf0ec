// The live figure, once the model is there: what the reader changes goes into `state`, from there to the model, and from
// both to the drawing, the words and the address.

import { actions } from "./actions.js";
import { controls } from "./controls.js";
import { Picture } from "./figure.js";
import { hands } from "./hands.js";
import { latest } from "./latest.js";
import * as link from "./link.js";
import { complain, describe, doubt, rare, say, sentence } from "./messages.js";
import { digits, domain, metricOf, span } from "./metrics.js";
import { percent } from "./words.js";

const LEVELS = [5, 25, 50, 75, 95];
const FUTURES = 12;
const RARE = 0.05; // share of the prior's own curves below which a curve is called unlike them
const REST = 250; // ms without a change after which the words and the address follow

export function desk(root, part, { model, engine, examples }) {
  const desk = new Desk(part, model, engine);
  const acts = actions(desk);
  hands(desk.picture, acts);
  controls(root, desk, acts, examples);
  desk.picture.layers.points.focus({ preventScroll: true });
}

class Desk {
  constructor(part, model, engine) {
    Object.assign(this, { part, model, engine });
    this.state = {
      metric: "accuracy", own: { low: 0, high: 1, minimise: false }, horizon: 100, threshold: 0.75, points: [],
      unit: 1, // the steps of an epoch, and of the grid on which points are set
      selected: 0, example: null, seen: 10, reveal: false, futures: false, zoom: false,
    };
    this.picture = new Picture(part("svg"));
    this.ask = latest((job, outdated) => this.work(job, outdated));
    this.shown = null; // the forecast of the latest run
    this.paths = null; // sampled futures
    this.axis = [0, 1]; // of values; stands still while a point is dragged
    this.dragging = false;
    this.touched = false; // the address changes only after the reader has changed something
    this.timer = 0;
  }

  // ---- from the state to the drawing

  draw() {
    const { state, shown, axis } = this;
    const { low, high, minimise } = metricOf(state);
    const kind = state.unit === 1 ? "epoch" : "step";
    this.picture.draw({
      points: state.points, selected: state.selected, unit: state.unit, horizon: state.horizon, threshold: state.threshold,
      domain: axis, digits: digits(axis), nudge: span({ low, high }) / 100, axis: kind, forecast: shown, futures: this.paths,
      truth: state.reveal && state.example ? state.example.points.slice(state.seen) : null,
      beat: shown ? [`P(${minimise ? "below" : "beat"}) `, `= ${percent(shown.beats(state.threshold))}`] : [],
      hint: state.points.length ? "" : "Click or tap to set a point",
    });
    describe(this, kind);
  }

  settleAxis() {
    const { state, shown } = this;
    const values = state.points.map(([, value]) => value);
    if (state.reveal && state.example) values.push(...state.example.points.map(([, value]) => value));
    if (shown && state.zoom) values.push(...shown.levels[5], ...shown.levels[95]);
    this.axis = domain(metricOf(state), values, state.zoom);
  }

  // ---- from a change to the model and back

  change(patch, { dragged = false } = {}) {
    const { state } = this;
    Object.assign(state, patch);
    state.selected = Math.min(Math.max(state.selected, 0), Math.max(state.points.length - 1, 0));
    this.paths = null;
    if (!state.points.length || this.shown?.frame !== frameOf(this.run())) this.shown = null;
    this.dragging = dragged;
    if (!dragged) this.settleAxis();
    this.draw();
    this.ask({ run: this.run(), futures: state.futures });
    this.rest();
  }

  run() {
    const { points, horizon, unit } = this.state;
    const { low, high, minimise } = metricOf(this.state);
    const steps = points.map(([step]) => step);
    const values = points.map(([, value]) => value);
    return { steps, values, horizon, unit, low, high, minimise };
  }

  async work(job, outdated) {
    try {
      await this.answer(job, outdated);
    } catch (error) {
      this.shown = null; // and what was doubted of it
      rare(this.part, false);
      doubt(this.part, []);
      complain(this.part, error.name === "InputError" ? sentence(error.message) : `The model stopped: ${error.message}.`);
      this.draw();
      this.rest();
    }
  }

  async answer({ run, futures }, outdated) {
    const { engine, model, part } = this;
    complain(part, "");
    if (run.values.length) engine.check(run);
    this.shown = run.values.length ? wrapped(await engine.forecast(model, run), frameOf(run)) : null;
    await nextFrame(); // lets the page draw and the reader's next move come in
    if (outdated()) return;
    if (this.state.zoom && !this.dragging) this.settleAxis();
    this.draw();
    this.rest();
    await this.judge(run);
    if (futures && this.shown && !outdated()) await this.grow(run, outdated);
  }

  async judge(run) {
    const { engine, model, part, shown } = this;
    const share = shown ? await engine.inPrior(model, run, shown.record) : null;
    const odd = share !== null && share < RARE;
    rare(part, odd);
    doubt(part, shown ? engine.doubts(run, odd) : []);
  }

  // The futures grow step by step, or appear at once for those who asked for less motion.
  async grow(run, outdated) {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const found = { steps: [run.steps.at(-1)], values: [Array(FUTURES).fill(run.values.at(-1))] };
    for await (const { step, values } of this.engine.futures(this.model, run, FUTURES, Math.random, this.shown.densities)) {
      await nextFrame();
      if (outdated()) return;
      found.steps.push(step);
      found.values.push(values);
      if (calm) continue;
      this.paths = found;
      this.draw();
    }
    this.paths = found;
    this.draw();
  }

  // Words, table and address wait until nothing changes any more: a screen reader would read every step of a drag.
  rest() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      say(this);
      if (this.touched) this.address();
    }, REST);
  }

  address() {
    history.replaceState(history.state, "", link.write(this.state));
  }
}

function wrapped(forecast, frame) {
  const levels = Object.fromEntries(LEVELS.map((level) => [level, forecast.quantile(level / 100)]));
  const { steps, record, densities, probBeats: beats, probBetter: better } = forecast;
  return { frame, steps, record, densities, levels, beats, better };
}

// A forecast is drawn only in the frame for which it was made: same bounds, same horizon.
function frameOf({ low, high, minimise, horizon }) {
  return [low, high, minimise, horizon].join(" ");
}

function nextFrame() {
  return new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
}
