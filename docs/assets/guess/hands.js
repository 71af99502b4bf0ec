// Mouse, finger and keyboard. What they mean is told to the game: draw(from, to), move(epoch), show().

import { between } from "./chart.js";

export function hands(chart, game) {
  const { area } = chart;
  let pen = null; // its place, in epochs and values: the window may change its size amid a stroke

  area.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || pen || chart.shown) return;
    event.preventDefault();
    area.setPointerCapture(event.pointerId);
    pen = chart.place(event);
    game.draw(pen, pen);
  });

  area.addEventListener("pointermove", (event) => {
    if (!pen || !area.hasPointerCapture(event.pointerId)) return;
    if (!event.movementX && !event.movementY) return; // the page moved below a pen that rests
    const place = chart.place(event);
    game.draw(pen, place);
    pen = place;
  });

  area.addEventListener("lostpointercapture", () => { pen = null; }); // lifted, or taken away
  area.addEventListener("touchstart", (event) => chart.shown || event.preventDefault()); // a steep stroke scrolls no page

  chart.hand.addEventListener("keydown", (event) => {
    const far = event.shiftKey ? 10 : 1;
    const to = (at) => game.move(between(0, at, game.stroke.values.length - 1));
    const by = (points) => {
      const place = [chart.at, between(chart.lowest, game.stroke.whole()[chart.at] + points, 100)];
      game.draw(place, place);
    };
    const keys = {
      ArrowLeft: () => to(chart.at - far),
      ArrowRight: () => to(chart.at + far),
      Home: () => to(0),
      End: () => to(Infinity),
      ArrowUp: () => by(far),
      ArrowDown: () => by(-far),
      PageUp: () => by(10),
      PageDown: () => by(-10),
      Enter: () => event.repeat || game.show(), // a key that is held shows one run, and not all
    };
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in keys)) return;
    event.preventDefault();
    event.stopPropagation(); // the site listens to keys as well
    keys[event.key]();
  });
}
