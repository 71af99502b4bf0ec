// A run as the network sees it.
import { check } from "./check.js";
import { toEpochs } from "./epochs.js";
import { normaliser } from "./normalise.js";

// -> { x, y: the context; xq: epochs to forecast; stepsq: the same in the user's steps; scale: to the user's units }
export function view(run) {
  check(run);
  const scale = normaliser(run, run.values[0]);
  const { x, kept, xq, stepsq } = toEpochs(run.steps, run.horizon ?? null, run.unit ?? null);
  return { x, y: kept.map(i => scale.to(run.values[i])), xq, stepsq, kept, scale };
}
