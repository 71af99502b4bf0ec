// The score, in this browser alone. Where storage is forbidden, or holds something else, every visit is the first.

const KEY = "curvecast/draw-the-rest";

// -> { first: the first run of this visit's, scores: of those that were drawn }; who has drawn all of a set gets the next
export function recall(runs, set) {
  try {
    const { first, scores } = JSON.parse(localStorage.getItem(KEY));
    const fits = first % set === 0 && first >= 0 && first < runs && scores.flat().every(Number.isFinite);
    if (fits && scores.length < Math.min(set, runs - first)) return { first, scores };
    if (fits && first + set < runs) return { first: first + set, scores: [] };
  } catch {} // forbidden, or something else
  return { first: 0, scores: [] };
}

export function remember(first, scores) {
  try {
    localStorage.setItem(KEY, JSON.stringify({ first, scores }));
  } catch {} // forbidden: the score lasts as long as the page
}
