// Does this run look like a curve of the prior? Each point is forecast from what came before it; where the network knows
// such curves the results are standard normal and independent. Four questions ask for signs that they are not, and a
// table says which share of the prior's own curves scores as low.
import { chiSquaredTail, erfc } from "./special.js";
import { scores } from "./track-record.js";

// -> the share of the prior's own curves that look as strange as this run, or null where one point says nothing. Its
// scores, where they are known.
export async function inPrior(model, run, z = null) {
  z ??= await scores(model, run);
  const table = model.meta.in_prior;
  return z.length && table ? calibrated(score(z), z.length + 1, table) : null;
}

// Too far off, off to one side, off together with their neighbours, or one of them far off: the least chance of the four.
export function score(z) {
  const n = z.length;
  const sum = terms => terms.reduce((a, b) => a + b, 0);
  const twoSided = value => erfc(Math.abs(value) / Math.SQRT2);
  const far = chiSquaredTail(sum(z.map(v => v * v)), n);
  const aside = twoSided(sum(z) / Math.sqrt(n));
  const together = n < 2 ? 1 : twoSided(sum(z.slice(1).map((v, i) => v * z[i])) / Math.sqrt(n - 1));
  const one = -Math.expm1(n * Math.log1p(-twoSided(Math.max(...z.map(Math.abs)))));
  return Math.min(1, 4 * Math.min(far, aside, together, one));
}

// The share that belongs to a score of T points: between the rows of the table for fewer and for more points linear in
// log(T), beyond the last row as that row says.
export function calibrated(score, T, { seen, levels, scores }) {
  const a = seen.findLastIndex(n => n <= T);
  const here = share(score, scores[a], levels);
  if (seen[a] === T || a + 1 === seen.length) return here;
  const there = share(score, scores[a + 1], levels);
  return here + (there - here) * Math.log(T / seen[a]) / Math.log(seen[a + 1] / seen[a]);
}

// By one row, linear in log(score).
function share(score, row, levels) {
  if (score >= row.at(-1)) return 1; // the largest score is that of many
  if (score <= row[0]) return levels[0];
  const i = row.findIndex(other => other >= score);
  const [low, at, high] = [row[i - 1], score, row[i]].map(s => Math.log(Math.max(s, 1e-300)));
  return levels[i - 1] + (levels[i] - levels[i - 1]) * (at - low) / (high - low);
}
