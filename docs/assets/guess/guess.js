// Draw the rest: a reader draws how a run goes on, then sees what a network, the exact posterior and the run itself say.
//
// Nothing leaves the machine and no model is loaded: forecasts come from one file, made of published rows. The score stays
// in the browser, where that is allowed.

import { Chart } from "./chart.js";
import { hands } from "./hands.js";
import { recall, remember } from "./memory.js";
import { Stroke } from "./stroke.js";
import { HELP, afterAll, afterOne, mean, meanError, share } from "./words.js";

const SET = 6; // runs of a visit
const WHO = ["you", "network", "exact"];

const root = document.querySelector(".cc-guess[data-runs]");
if (root) fetch(root.dataset.runs).then((answer) => answer.json()).then((runs) => new Game(runs))
  .catch(() => { root.dataset.state = "still"; }); // the picture stays

function part(name) {
  return root.querySelector(`[data-guess="${name}"]`);
}

function write(texts) {
  for (const [name, text] of Object.entries(texts)) part(name).textContent = text;
}

class Game {
  constructor(runs) {
    this.runs = runs;
    this.chart = new Chart(part("chart"), part("hand"));
    Object.assign(this, recall(runs.length, SET)); // first run of the visit, scores so far
    hands(this.chart, this);
    part("next").addEventListener("click", () => (this.chart.shown ? this.next() : this.show()));
    part("wide").addEventListener("input", () => this.widen());
    this.begin();
  }

  begin() {
    this.many = Math.min(SET, this.runs.length - this.first);
    this.last = this.first + this.many >= this.runs.length;
    this.run = this.runs[this.first + this.scores.length];
    const { seen, later } = this.run;
    this.stroke = new Stroke(seen.at(-1), later.length);
    this.chart.begin(this.run, this.stroke);
    part("wide").disabled = false;
    this.widen();
    const head = `Run ${this.scores.length + 1} of ${this.many}: a network’s accuracy on unseen data is ` +
      `${seen.at(-1).toFixed(0)} % after ${seen.length} of ${seen.length + later.length} epochs.`;
    write({ head, next: "Show what happened", said: this.scores.length ? "" : HELP, sum: "" });
    this.score(["–", "–", "–"]);
  }

  next() {
    if (this.scores.length === this.many) {
      this.first = this.last ? 0 : this.first + this.many;
      this.scores = [];
    }
    this.begin();
    this.chart.hand.focus({ preventScroll: true });
  }

  // ---- what hands do

  // The pen went from one place to another: [hidden epoch, value]
  draw(from, to) {
    this.stroke.line(from, to);
    this.move(to[0]);
  }

  move(at) {
    this.chart.at = at;
    this.chart.frame();
  }

  widen() {
    const wide = (this.stroke.wide = part("wide").valueAsNumber);
    write({ sure: wide ? `Your 90 % interval: ± ${wide}` : "Your 90 % interval?" });
    this.chart.frame();
  }

  show() {
    const { later, median, exact, low, high } = this.run;
    const errors = [this.stroke.whole(), median, exact].map((guess) => meanError(guess, later));
    const [below, above] = this.stroke.interval();
    this.scores.push([...errors, share(low, later, high), ...(this.stroke.wide ? [share(below, later, above)] : [])]);
    part("wide").disabled = true;
    this.chart.reveal();
    this.score(errors.map((error) => error.toFixed(1)));
    const done = this.scores.length === this.many;
    const next = !done ? "Next run" : this.last ? "Start again" : "Next six";
    write({ next, said: afterOne(this.scores.at(-1), this.run, this.stroke), sum: done ? afterAll(this.scores) : "" });
    part("next").focus({ preventScroll: true });
    remember(this.first, this.scores);
  }

  score(errors) {
    const n = this.scores.length;
    write({ runs: n > 1 ? `mean of ${n} runs` : "mean of runs" });
    WHO.forEach((who, i) => write({ [who]: errors[i], [`${who}-mean`]: n ? mean(this.scores, i).toFixed(1) : "–" }));
  }
}
