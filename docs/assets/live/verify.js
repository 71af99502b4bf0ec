// A printed score, made again: the released model scores the curves that the published run scored, when a reader asks for it.

const EPOCHS = Array.from({ length: 100 }, (_, i) => i + 1); // of each test curve
const AT_ONCE = 20; // curves
const SAME = 1e-3; // nats per point on one curve: what other processors and roundings change is far less

const root = document.querySelector(".cc-verify[data-home]");
const say = text => root.querySelector('[data-verify="said"]').replaceChildren(text);
const mean = values => values.reduce((a, b) => a + b, 0) / values.length;
const plusMinus = scores => interval(scores).map(number => number.toFixed(3)).join(" ± ");
let loaded; // the model, the curves, and the published scores
let running = false;
if (root) prepare();

function prepare() {
  const able = typeof WebAssembly === "object";
  if (!able) say("Scoring in the page needs WebAssembly, which this browser does not have.");
  for (const button of root.querySelectorAll("button")) {
    button.disabled = !able;
    button.addEventListener("click", () => check(button.closest("tr")));
  }
}

async function check(row) {
  if (running) return;
  running = true;
  try {
    const { model, curves, published } = await (loaded ??= load());
    const { cutoff } = row.dataset, printed = row.cells[1].textContent.split(" ")[0];
    const scores = await score(model, curves.slice(0, published[cutoff].length), Number(cutoff), (scores, n) => {
      if (scores.length > 1) row.cells[2].textContent = plusMinus(scores);
      if (scores.length % 100 === 0) say(`After ${cutoff} epochs: ${scores.length} of ${n} curves scored.`);
    });
    say(`After ${cutoff} epochs, ${scores.length} test curves: ${verdict(scores, published[cutoff], printed)}`);
  } catch (error) {
    loaded = undefined;
    say(`The score could not be computed (${error.message}); you can try again.`);
  }
  running = false;
}

async function load() {
  const { load } = await import("./model.js");
  const progress = share => running && say(`Loading the model: ${Math.round(100 * share)} %`); // not after a failure
  const home = new URL(root.dataset.home, document.baseURI).href;
  const [model, curves, published] = await Promise.all([
    load(home, progress),
    get(`${home}test_curves.f32`, "arrayBuffer"),
    get(root.dataset.published, "json"),
  ]);
  const all = new Float32Array(curves); // the values as Python has them
  const T = EPOCHS.length, n = all.length / T;
  return { model, published, curves: Array.from({ length: n }, (_, i) => Array.from(all.subarray(i * T, (i + 1) * T))) };
}

async function get(url, kind) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be fetched: ${answer.status}`);
  return answer[kind]();
}

// Per curve the mean log density of all points after the cutoff, as curvecast/scores/evaluate.py has it.
async function score(model, curves, cutoff, onProgress) {
  const scores = [];
  const [x, later] = [EPOCHS.slice(0, cutoff), EPOCHS.slice(cutoff)];
  for (let i = 0; i < curves.length; i += AT_ONCE) {
    const some = curves.slice(i, i + AT_ONCE);
    const ahead = await model.askMany(some.map(() => x), some.map(y => y.slice(0, cutoff)), some.map(() => later));
    for (const [b, y] of some.entries()) scores.push(mean(ahead[b].map((density, q) => density.logDensity(y[cutoff + q]))));
    onProgress(scores, curves.length);
    await new Promise(done => setTimeout(done)); // the page stays alive
  }
  return scores;
}

function verdict(scores, published, printed) {
  const [middle, half] = interval(scores);
  const inside = Math.abs(Number(printed) - middle) <= half ? "inside" : "outside";
  const differences = scores.map((score, i) => Math.abs(score - published[i]));
  const worst = Math.max(...differences);
  const largest = (Math.ceil(1e5 * worst) / 1e5).toFixed(5);
  const byCurve = worst <= SAME
    ? `Curve by curve the page agrees with the published run: no score differs by more than ${largest}.`
    : `Curve ${differences.indexOf(worst) + 1} differs from the published run by ${largest}, more than rounding explains.`;
  const found = `the mean is ${plusMinus(scores)} nats per point`;
  return `${found}, and the printed ${printed} lies ${inside} its 95 % interval. ${byCurve}`;
}

// The mean and half of its 95 % interval, by Student's t; to a few thousandths of itself from twenty curves on.
function interval(scores) {
  const n = scores.length, middle = mean(scores);
  const variance = n * mean(scores.map(score => (score - middle) ** 2)) / (n - 1);
  return [middle, (1.96 + 2.372 / (n - 1)) * Math.sqrt(variance / n)];
}
