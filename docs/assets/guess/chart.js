// The drawing: axes, what is seen, the guess, and after that what happened and the forecasts. SVG in the pixels of the page.
// While a reader draws, the guess and the hand change; all else is drawn anew for a new run or another size.

const MARGIN = { left: 46, right: 12, top: 10, bottom: 40 };
const ROOM = 20; // points below the lowest value that is seen, in which one can draw

export class Chart {
  constructor(svg, hand) {
    this.area = add(svg, "rect", { class: "cc-guess-area" });
    this.layer = add(svg, "g", { "aria-hidden": true }); // its numbers are in the label
    this.width = add(svg, "path", { class: "cc-guess-width" });
    this.line = add(svg, "path", { class: "cc-guess-you" });
    svg.append(hand);
    Object.assign(this, { svg, hand, dot: hand.firstElementChild });
    new ResizeObserver(() => { if (this.run) this.draw(); }).observe(svg);
  }

  begin(run, stroke) {
    const lowest = Math.max(0, Math.floor((Math.min(...run.seen) - ROOM) / 10) * 10);
    const [seen, whole] = [run.seen.length, run.seen.length + run.later.length];
    Object.assign(this, { run, stroke, seen, whole, lowest, at: 0, shown: false }); // at: the hidden epoch of the hand
    const told = run.seen.filter((_, i) => i % 2).map((value) => value.toFixed(0));
    set(this.svg, { "aria-label": `Accuracy after every second epoch: ${told.join(", ")} %` });
    set(this.hand, { "aria-valuemin": lowest });
    this.draw();
  }

  reveal() {
    this.shown = true;
    this.draw();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.rest.animate({ clipPath: ["inset(0 100% 0 0)", "inset(0)"] }, still ? 0 : 1000); // unfolds from left to right
  }

  x(epoch) {
    return MARGIN.left + (epoch / this.whole) * this.across;
  }

  y(value) {
    return MARGIN.top + ((100 - value) / (100 - this.lowest)) * this.down;
  }

  // [hidden epoch, value] under the pointer; what lies beside the axes is on their edge
  place(event) {
    const box = this.svg.getBoundingClientRect();
    const epoch = Math.round(((event.clientX - box.left - MARGIN.left) / this.across) * this.whole);
    const value = 100 - ((event.clientY - box.top - MARGIN.top) / this.down) * (100 - this.lowest);
    return [between(0, epoch - this.seen - 1, this.run.later.length - 1), between(this.lowest, value, 100)];
  }

  draw() {
    const { width, height } = this.svg.getBoundingClientRect();
    this.across = Math.max(width, 200) - MARGIN.left - MARGIN.right;
    this.down = Math.max(height, 160) - MARGIN.top - MARGIN.bottom;
    this.layer.replaceChildren();
    this.axes();
    const { seen, later, low, median, high, exact } = this.run;
    const path = (name, d, layer = this.rest) => add(layer, "path", { class: `cc-guess-${name}`, d });
    this.rest = add(this.layer, "g");
    if (this.shown) {
      path("band", this.band(low, high));
      path("truth", this.path(this.seen, [seen.at(-1), ...later]));
      path("exact", this.path(this.seen + 1, exact));
      path("network", this.path(this.seen + 1, median));
    }
    path("seen", this.path(1, seen), this.layer);
    this.frame();
  }

  axes() {
    const [{ left, top }, { across, down }] = [MARGIN, this];
    const grid = add(this.layer, "g", { class: "cc-live-grid" });
    for (let value = 100; value >= this.lowest; value -= this.lowest < 50 ? 20 : 10) {
      add(grid, "line", { x1: left, x2: left + across, y1: this.y(value), y2: this.y(value) });
      add(grid, "text", { x: left - 6, y: this.y(value) + 4, "text-anchor": "end" }, `${value} %`);
    }
    const below = (x, y, text) => add(grid, "text", { x, y: top + down + y, "text-anchor": "middle" }, text);
    for (let k = 0; k <= 5; k++) below(this.x((this.whole * k) / 5), 18, Math.round((this.whole * k) / 5));
    below(left + across / 2, 35, "epoch");
    add(grid, "path", { class: "cc-live-axis", d: `M${left} ${top}v${down}h${across}` });
    const begin = this.x(this.seen);
    set(this.area, { x: begin, y: top, width: left + across - begin, height: down });
    this.area.classList.toggle("cc-guess-open", !this.shown);
    this.hint = below((begin + left + across) / 2, 24 - down, "");
    this.hint.classList.add("cc-live-hint");
  }

  // The guess and the hand: browsers tell of a pen's way once a frame
  frame() {
    const { stroke, at, seen, shown } = this;
    const [guess, empty] = [stroke.whole(), stroke.empty && !shown];
    this.hint.textContent = empty ? "Draw the rest here" : "";
    set(this.line, { d: empty ? "" : this.path(seen, [stroke.last, ...guess]) });
    set(this.width, { d: stroke.wide ? this.band(...stroke.interval()) : "" });
    set(this.dot, { cx: this.x(seen + 1 + at), cy: this.y(guess[at]) });
    const value = guess[at].toFixed(0);
    set(this.hand, { "aria-valuenow": value, "aria-valuetext": `${value} % at epoch ${seen + 1 + at}` });
    set(this.hand, { tabindex: shown ? -1 : 0, visibility: shown ? "hidden" : "visible" });
  }

  band(low, high) {
    const back = this.path(this.seen + 1, low).slice(1).split("L").reverse().join("L");
    return `${this.path(this.seen + 1, high)}L${back}Z`;
  }

  path(first, values) {
    const y = (value) => this.y(between(this.lowest, value, 100)).toFixed(1);
    return `M${values.map((value, i) => `${this.x(first + i).toFixed(1)} ${y(value)}`).join("L")}`;
  }
}

export function between(low, value, high) {
  return Math.min(Math.max(value, low), high);
}

function add(parent, name, attributes = {}, text = "") {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  set(node, attributes);
  node.textContent = text;
  parent.append(node);
  return node;
}

function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
}
