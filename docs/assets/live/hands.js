// Mouse, finger and keyboard on the drawing. What they mean is told to `actions`; nothing is changed here.
//
//   actions: set(step, value), move(i, value), remove(i), append(), select(i), threshold(value), rest()

const NEAR = { mouse: 9, pen: 14, touch: 22 }; // pixels around a point in which it is taken hold of
const STILL = 6; // pixels that a finger may wander in a tap
const LONG = 600; // ms after which a press removes a point
const TWICE = 350; // ms between two clicks on a point that remove it

export function hands(picture, actions) {
  pointer(picture, actions);
  keysOnPoints(picture, actions);
  keysOnThreshold(picture, actions);
}

function pointer(picture, actions) {
  const { svg } = picture;
  let held = null;
  let clicked = { i: -1, at: 0 }; // not the browser's own double click, which needs elements that stay

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || held) return;
    const place = placeOf(svg, event);
    held = { ...grasp(picture, place, event), start: place, moved: false, id: event.pointerId };
    if (held.what === "point") {
      actions.select(held.i);
      picture.layers.points.focus({ preventScroll: true });
      if (event.pointerType === "touch") held.timer = setTimeout(() => letGo(() => actions.remove(held.i)), LONG);
    }
    if (held.what === "threshold") picture.layers.threshold.focus({ preventScroll: true });
    if (held.what !== "nothing") event.preventDefault();
    svg.setPointerCapture(event.pointerId);
  });

  svg.addEventListener("pointermove", (event) => {
    if (!held || event.pointerId !== held.id) return;
    const place = placeOf(svg, event);
    if (!held.moved && Math.hypot(place.x - held.start.x, place.y - held.start.y) < STILL) return;
    held.moved = true;
    clearTimeout(held.timer);
    const value = picture.value(place.y);
    if (held.what === "point") actions.move(held.i, value);
    if (held.what === "threshold") actions.threshold(value);
  });

  svg.addEventListener("pointerup", (event) => {
    if (!held || event.pointerId !== held.id) return;
    const { what, i, start, moved, away } = held;
    const add = !moved && within(picture, start) && (what !== "point" || away > 10);
    const click = { i: what === "point" && !moved && !add ? i : -1, at: event.timeStamp };
    const twice = click.i >= 0 && click.i === clicked.i && click.at - clicked.at < TWICE;
    clicked = click;
    letGo(() => {
      if (add) actions.set(picture.step(start.x), picture.value(start.y));
      if (twice) actions.remove(i);
      actions.rest();
    });
  });

  svg.addEventListener("pointercancel", () => letGo(() => actions.rest())); // the page scrolls instead

  svg.addEventListener("contextmenu", (event) => {
    if (held) event.preventDefault(); // a long press asks for no menu
  });

  function letGo(then) {
    clearTimeout(held?.timer);
    then();
    held = null;
  }
}

// What is under the pointer: a point, the threshold, or nothing.
function grasp(picture, place, event) {
  const reach = NEAR[event.pointerType] ?? NEAR.mouse;
  const found = nearest(picture, place);
  const beside = Math.abs(place.x - found.x) > Math.max(4, gapInPixels(picture) / 2);
  if (found.away <= reach && !(event.pointerType === "mouse" && beside)) return { what: "point", ...found };
  if (event.target.closest(".cc-live-threshold")) return { what: "threshold" };
  return { what: "nothing" };
}

function nearest(picture, place) {
  let best = { i: -1, away: Infinity, x: Infinity };
  picture.view.points.forEach(([step, value], i) => {
    const x = picture.x(step);
    const away = Math.hypot(x - place.x, picture.y(value) - place.y);
    if (away < best.away) best = { i, away, x };
  });
  return best;
}

function gapInPixels(picture) {
  return picture.x(picture.view.unit) - picture.x(0);
}

function placeOf(svg, event) {
  const box = svg.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function within(picture, { x, y }) {
  const { left, right, top, bottom } = picture.inside;
  return x >= left && x <= right && y >= top && y <= bottom;
}

function keysOnPoints(picture, actions) {
  picture.layers.points.addEventListener("keydown", (event) => {
    const { points, selected, nudge } = picture.view;
    const last = points.length - 1;
    const change = nudge * (event.shiftKey ? 5 : 1);
    const keys = {
      ArrowLeft: () => actions.select(Math.max(selected - 1, 0)),
      ArrowRight: () => actions.select(Math.min(selected + 1, last)),
      Home: () => actions.select(0),
      End: () => actions.select(last),
      ArrowUp: () => actions.move(selected, points[selected][1] + change),
      ArrowDown: () => actions.move(selected, points[selected][1] - change),
      Delete: () => actions.remove(selected),
      Backspace: () => actions.remove(selected),
      Insert: () => actions.append(),
      a: () => actions.append(),
      A: () => actions.append(),
    };
    const free = ["a", "A", "Insert"].includes(event.key); // works without a point, too
    press(event, points.length || free ? keys : {}, actions);
  });
}

function keysOnThreshold(picture, actions) {
  picture.layers.threshold.addEventListener("keydown", (event) => {
    const { threshold, nudge, domain } = picture.view;
    const change = nudge * (event.shiftKey ? 5 : 1);
    const keys = {
      ArrowUp: () => actions.threshold(threshold + change),
      ArrowRight: () => actions.threshold(threshold + change),
      ArrowDown: () => actions.threshold(threshold - change),
      ArrowLeft: () => actions.threshold(threshold - change),
      PageUp: () => actions.threshold(threshold + 10 * nudge),
      PageDown: () => actions.threshold(threshold - 10 * nudge),
      Home: () => actions.threshold(domain[0]),
      End: () => actions.threshold(domain[1]),
    };
    press(event, keys, actions);
  });
}

function press(event, keys, actions) {
  if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
  event.preventDefault();
  event.stopPropagation(); // the site's search listens to letters
  keys[event.key]();
  actions.rest();
}
