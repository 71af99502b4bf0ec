// Scores, and what is said of them. A score is [your error, the network's, the exact posterior's, share inside its interval].

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

export function afterOne([you, network, exact, inside], hidden, about) {
  return `You are off by ${you.toFixed(1)} points on average, Release by ${network.toFixed(1)}, the exact posterior by ` +
    `${exact.toFixed(1)}. The 90 % interval of Release contains ${Math.round(inside * hidden)} of the ${hidden} hidden points. ` +
    `The run was ${about}.`;
}

export function afterAll(scores) {
  const [you, network, exact, inside] = [0, 1, 2, 3].map((i) => mean(scores, i));
  const closer = scores.filter(([mine, its]) => mine < its).length;
  return `All ${scores.length} runs: you are off by ${you.toFixed(1)} points on average, Release by ${network.toFixed(1)}, the ` +
    `exact posterior by ${exact.toFixed(1)}. You were closer than Release ${closer} of ${scores.length} times. ` +
    `The 90 % interval of Release contained ${Math.round(100 * inside)} % of the hidden points.`;
}
