// The drawing: axes, bands, median, points, threshold and futures, as SVG in the pixels of the page.
//
//   const picture = new Picture(svg);
//   picture.draw(view);            view: see draw()
//   picture.x(step), picture.step(pixels)
//
// Groups that take the keyboard's focus are made once; only what is inside them is drawn anew.

const NAMESPACE = "http://www.w3.org/2000/svg";
const MARGIN = { left: 46, right: 60, top: 14, bottom: 40 }; // on the right stands the chance
const LAYERS = ["grid", "bands", "futures", "truth", "median", "threshold", "points"];

export class Picture {
  constructor(svg) {
    this.svg = svg;
    this.clip = add(add(svg, "clipPath", { id: "cc-live-clip" }), "rect", {});
    this.layers = Object.fromEntries(LAYERS.map((name) => [name, this.layer(name)]));
    this.view = null;
    this.measure();
    new ResizeObserver(() => {
      this.measure();
      if (this.view) this.draw(this.view);
    }).observe(svg);
  }

  // The page has made those that take the focus already; here they get their place in the order.
  layer(name) {
    const group = this.svg.querySelector(`.cc-live-${name}`) ?? add(this.svg, "g", { class: `cc-live-${name}` });
    this.svg.append(group);
    return group;
  }

  measure() {
    const box = this.svg.getBoundingClientRect();
    this.width = Math.max(box.width, 200);
    this.height = Math.max(box.height, 160);
    this.svg.setAttribute("viewBox", `0 0 ${this.width} ${this.height}`);
    const { left, right, top, bottom } = this.inside;
    set(this.clip, { x: left, y: top, width: right - left, height: bottom - top });
  }

  get inside() {
    return { left: MARGIN.left, right: this.width - MARGIN.right, top: MARGIN.top, bottom: this.height - MARGIN.bottom };
  }

  x(step) {
    const { left, right } = this.inside;
    return left + (step / this.view.horizon) * (right - left);
  }

  y(value) {
    const { top, bottom } = this.inside;
    const [low, high] = this.view.domain;
    return bottom - ((value - low) / (high - low)) * (bottom - top);
  }

  step(x) {
    const { left, right } = this.inside;
    return ((x - left) / (right - left)) * this.view.horizon;
  }

  value(y) {
    const { top, bottom } = this.inside;
    const [low, high] = this.view.domain;
    return low + ((bottom - y) / (bottom - top)) * (high - low);
  }

  // view: {points: [[step, value]], selected, horizon, domain: [low, high], axis, digits, threshold, beat: [lines], truth, hint,
  //        forecast: {steps, levels: {5, 25, 50, 75, 95}} or null, futures: {steps, values} or null}
  draw(view) {
    this.view = view;
    this.grid(view);
    this.bands(view.forecast);
    this.futures(view.futures);
    this.truth(view.truth);
    this.threshold(view);
    this.points(view);
  }

  grid({ horizon, domain, axis, digits, hint }) {
    const { left, right, top, bottom } = this.inside;
    const layer = empty(this.layers.grid);
    for (const value of ticks(...domain, 5)) {
      const y = this.y(value);
      add(layer, "line", { x1: left, x2: right, y1: y, y2: y });
      write(layer, shortest(value, digits), { x: left - 8, y: y + 4, "text-anchor": "end" });
    }
    for (const step of ticks(0, horizon, this.width < 480 ? 4 : 8)) {
      const x = this.x(step);
      add(layer, "line", { x1: x, x2: x, y1: top, y2: bottom });
      write(layer, step.toLocaleString("en"), { x, y: bottom + 18, "text-anchor": "middle" });
    }
    add(layer, "path", { class: "cc-live-axis", d: `M${left} ${top}V${bottom}H${right}` });
    write(layer, axis, { x: (left + right) / 2, y: bottom + 35, "text-anchor": "middle" });
    if (hint) write(layer, hint, { class: "cc-live-hint", x: (left + right) / 2, y: top + (bottom - top) / 3, "text-anchor": "middle" });
  }

  bands(forecast) {
    const layer = empty(this.layers.bands);
    const line = empty(this.layers.median);
    if (!forecast) return;
    const { steps, levels } = forecast;
    for (const [low, high] of [[5, 95], [25, 75]]) {
      const up = this.path(steps, levels[high]);
      const back = this.path([...steps].reverse(), [...levels[low]].reverse()).replace("M", "L");
      add(layer, "path", { class: `cc-live-band-${high - low}`, d: `${up}${back}Z` });
    }
    add(line, "path", { d: this.path(steps, levels[50]) });
  }

  futures(futures) {
    const layer = empty(this.layers.futures);
    if (!futures) return;
    futures.values[0]?.forEach((_, i) => {
      add(layer, "path", { d: this.path(futures.steps, futures.values.map((values) => values[i])) });
    });
  }

  truth(truth) {
    const layer = empty(this.layers.truth);
    for (const [step, value] of truth ?? []) {
      add(layer, "circle", { cx: this.x(step), cy: this.y(value), r: 1.6 });
    }
  }

  threshold({ threshold, beat, digits }) {
    const { left, right, top, bottom } = this.inside;
    const layer = empty(this.layers.threshold);
    const y = Math.min(Math.max(this.y(threshold), top), bottom);
    const text = threshold.toFixed(digits);
    const width = Math.max(34, 8 * text.length + 8);
    add(layer, "line", { class: "cc-live-reach", x1: 0, x2: right, y1: y, y2: y });
    add(layer, "line", { class: "cc-live-rule", x1: left, x2: right, y1: y, y2: y });
    add(layer, "rect", { class: "cc-live-grip", x: left - 4 - width, y: y - 11, width, height: 22, rx: 4 });
    write(layer, text, { class: "cc-live-grip-text", x: left - 4 - width / 2, y: y + 4, "text-anchor": "middle" });
    const label = write(layer, "", { class: "cc-live-beat", x: right + 6, y: y - 2 });
    beat.forEach((line, i) => write(label, line, { x: right + 6, dy: `${15 * i}px` }, "tspan"));
  }

  points({ points, selected }) {
    const layer = empty(this.layers.points);
    if (!points.length) return;
    const steps = points.map(([step]) => step);
    const values = points.map(([, value]) => value);
    add(layer, "path", { class: "cc-live-reach", d: `${this.path(steps, values)}h.01` }); // .01: one point alone has a reach too
    points.forEach(([step, value], i) => {
      add(layer, "circle", { class: i === selected ? "cc-live-selected" : "", cx: this.x(step), cy: this.y(value), r: 3.5 });
    });
    const [step, value] = points[selected] ?? points[0];
    add(layer, "circle", { class: "cc-live-ring", cx: this.x(step), cy: this.y(value), r: 9 });
  }

  path(steps, values) {
    const places = steps.map((step, i) => `${this.x(step).toFixed(1)} ${this.y(values[i]).toFixed(1)}`);
    return `M${places.join("L")}`;
  }
}

// Round numbers from low to high, about n of them.
export function ticks(low, high, n) {
  const rough = (high - low) / n;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const gap = [1, 2, 5, 10].map((k) => k * ten).find((k) => k >= rough * 0.999);
  const first = Math.ceil(low / gap - 1e-9);
  const count = Math.floor(high / gap + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * gap).toPrecision(12)));
}

function shortest(value, digits) {
  return String(Number(value.toFixed(digits + 1)));
}

function add(parent, name, attributes) {
  const node = document.createElementNS(NAMESPACE, name);
  set(node, attributes);
  parent.append(node);
  return node;
}

function set(node, attributes) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
}

function write(parent, text, attributes, kind = "text") {
  const node = add(parent, kind, attributes);
  node.textContent = text;
  return node;
}

function empty(layer) {
  layer.replaceChildren();
  return layer;
}
