// Scores, and what is said of them. A score: [your error, Release's, the exact posterior's, share in its interval, in yours].

export const HELP = "Draw with the mouse or a finger, or press Tab and use the arrow keys and Enter. Drawing again overwrites.";

export function meanError(guess, truth) {
  return truth.reduce((sum, value, i) => sum + Math.abs(value - guess[i]), 0) / truth.length;
}

export function share(low, truth, high) {
  return truth.filter((value, i) => low[i] <= value && value <= high[i]).length / truth.length;
}

export function mean(scores, i) {
  return scores.reduce((sum, score) => sum + score[i], 0) / scores.length;
}

const percent = (value) => `${value.toFixed(0)}\u00a0%`; // never apart at the end of a line

function happened({ seen, later }) {
  const [begin, end] = [seen, later].map((values) => values.at(-1));
  const way = Math.abs(end - begin) < 2 ? "stayed near" : `${end > begin ? "rose" : "fell"} from ${percent(begin)} to`;
  const range = [Math.min(...later), Math.max(...later)].map(percent).join(" and ");
  const swings = meanError(later, later.slice(1)) > 3 ? `, swinging between ${range}` : ""; // points from epoch to epoch
  return `The accuracy ${way} ${percent(end)}${swings}.`;
}

export function afterOne([you, network, , inside, own], run, { empty, wide }) {
  const of = (share) => Math.round(share * run.later.length);
  return `${happened(run)} ${run.about} ${empty ? "You drew nothing, so we scored a flat line. " : ""}` +
    `${you < network ? "You" : "Release"} came closer on average. The 90\u00a0% interval of Release holds ${of(inside)} of the ` +
    `${run.later.length} epochs${wide ? `, your ± ${wide} points ${of(own)}` : ""}.`;
}

export function afterAll(scores) {
  const closer = scores.filter(([mine, its]) => mine < its).length;
  const sure = scores.filter((score) => score.length > 4);
  const own = sure.length ? `; yours, on ${sure.length} runs, ${percent(100 * mean(sure, 4))}` : "";
  return `All ${scores.length} runs: you came closer than Release ${closer} of ${scores.length} times. The 90\u00a0% interval of ` +
    `Release held ${percent(100 * mean(scores, 3))} of the epochs${own}.`;
}
