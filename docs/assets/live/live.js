// The live figure, until the model is there: the button, the loading, and what goes wrong with it.
//
// Nothing but these small files is loaded before the reader asks for it.

import { desk } from "./desk.js";
import { holdsCurve } from "./link.js";

const root = document.querySelector(".cc-live[data-base]");
if (root) prepare();

function part(name) {
  return root.querySelector(`[data-live="${name}"]`);
}

function prepare() {
  if (holdsCurve(location.hash)) part("shared").textContent = "Someone shared a curve with you: start the model to see it.";
  part("start").addEventListener("click", start);
}

async function start() {
  const base = new URL(root.dataset.base, document.baseURI).href;
  part("start").disabled = true;
  show("loading");
  progress(0);
  try {
    const [{ load }, engine] = await Promise.all([import("./model.js"), import("./forecast.js")]);
    const [model, examples] = await Promise.all([load(base, progress), fetchExamples()]);
    show("live");
    desk(root, part, { model, engine, examples });
  } catch (error) {
    part("start").disabled = false;
    show("still");
    part("progress").textContent = `The model could not be loaded (${error.message}); you can try again.`;
  }
}

// Of picture and live figure, which lie in one place, one is shown and can be reached.
function show(state) {
  root.dataset.state = state;
  part("still").inert = state === "live";
  part("ui").inert = state !== "live";
}

function progress(share) {
  part("progress").textContent = share < 1 ? `Loading the model: ${Math.round(100 * share)} %` : "";
}

async function fetchExamples() {
  if (!root.dataset.examples) return [];
  const answer = await fetch(root.dataset.examples);
  if (!answer.ok) throw new Error(`the examples cannot be fetched: ${answer.status}`);
  return answer.json();
}
