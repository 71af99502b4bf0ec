// What mouse, finger, keyboard and buttons do to the points and to the threshold.

import { digits, metricOf } from "./metrics.js";

export const MOST_POINTS = 1000;

export function actions(desk) {
  const { state, part } = desk;

  function rounded(value) {
    const { low, high } = metricOf(state);
    return Number(Math.min(Math.max(value, low), high).toFixed(digits(desk.axis) + 1));
  }

  function edit(points, more, options) {
    desk.touched = true;
    if (points.length > MOST_POINTS) return;
    if (state.example) part("curve").value = ""; // from here on it is the reader's own
    if (state.example || !points.length) part("about").textContent = "";
    desk.change({ points, example: null, ...more }, options);
  }

  const acts = {
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
      const [step, value] = state.points.at(-1) ?? [0, (desk.axis[0] + desk.axis[1]) / 4];
      acts.set(step + state.unit, value);
    },
    clear() {
      edit([], { selected: 0 });
    },
    select(i) {
      state.selected = i;
      desk.draw();
    },
    threshold(value) {
      desk.touched = true;
      const within = Math.min(Math.max(value, desk.axis[0]), desk.axis[1]);
      state.threshold = Number(within.toFixed(digits(desk.axis)));
      desk.draw();
      desk.rest();
    },
    rest() {
      desk.dragging = false;
      desk.settleAxis();
      desk.draw();
      desk.rest();
    },
  };
  return acts;
}
