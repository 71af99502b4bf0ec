// The idea in one picture, which changes while its steps pass. All that it shows is a function of one number, `at`: 0 is the
// empty axes, and step k is over at k. Forecasts are published rows; between two of them the picture only moves.
(() => {
  const root = document.querySelector(".cc-idea");
  const svg = root.querySelector("svg");
  const { epochs, curves, one, frames, loss } = JSON.parse(root.querySelector("script").textContent);
  const SECONDS = [1.8, 1.8, 4, 4]; // of a step; what lies between is passed in half a second each
  const TICKS = [1, 50, 100];
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  const learning = frames.filter((frame) => frame.cutoff === frames[0].cutoff);
  const observing = frames.slice(learning.length - 1);
  let at = 0, goal = 0, before = 0, width, height, down;

  const add = (parent, name, attributes = {}) => parent.appendChild(set(document.createElementNS("http://www.w3.org/2000/svg", name), attributes));
  const set = (node, attributes) => {
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    return node;
  };
  const text = (parent, x, y, words, anchor = "middle") => { add(parent, "text", { x, y, "text-anchor": anchor }).textContent = words; };
  const part = (begin, end) => { // how far `at` is between two places, gently
    const share = Math.min(1, Math.max(0, (at - begin) / (end - begin)));
    return share * share * (3 - 2 * share);
  };
  const between = (a, b, share) => a + (b - a) * share;
  const x = (epoch) => 42 + ((epoch - 1) / 99) * (width - 50);
  const y = (thousandths) => 34 + (1 - thousandths / 1000) * down;
  const line = (points) => points.length ? `M${points.map(([a, b]) => `${a.toFixed(1)} ${b.toFixed(1)}`).join("L")}` : "";

  // From first to last: axes, curves of the prior, what is hidden, the forecast, points, loss, title.
  const grid = add(svg, "g", { class: "cc-live-grid" });
  const prior = curves.map(() => add(svg, "path", { class: "cc-idea-prior" }));
  const shade = add(svg, "rect", { class: "cc-idea-shade" });
  const question = add(svg, "text", { class: "cc-idea-question", "text-anchor": "middle" });
  question.textContent = "?";
  const band = add(svg, "path", { class: "cc-idea-band" });
  const median = add(svg, "path", { class: "cc-live-median" });
  const hidden = add(svg, "path", { class: "cc-idea-dots cc-idea-hidden" });
  const seen = add(svg, "path", { class: "cc-idea-dots cc-idea-seen" });
  const training = add(svg, "g", { class: "cc-live-grid" });
  const falling = add(svg, "path", { class: "cc-idea-loss" });
  const now = add(svg, "circle", { r: 4 });
  const title = add(svg, "text", { class: "cc-idea-title", x: 0, y: 14 });

  function frame() {
    const trains = part(2, 2.15) * (1 - part(3, 3.15)); // room for the loss
    down = height - 64 - trains * 0.3 * height;
    grid.replaceChildren();
    for (const score of [0, 0.5, 1]) {
      add(grid, "line", { x1: x(1), x2: x(100), y1: y(1000 * score), y2: y(1000 * score) });
      text(grid, x(1) - 6, y(1000 * score) + 4, score, "end");
    }
    text(set(add(grid, "g"), { transform: `translate(10 ${y(500)}) rotate(-90)` }), 0, 0, "score");
    for (const epoch of TICKS) text(grid, x(epoch), y(0) + 17, epoch === 50 ? "epoch 50" : epoch, epoch === 100 ? "end" : "middle");

    const others = 1 - 0.8 * part(1, 1.3) - 0.2 * part(2, 2.2);
    curves.forEach((curve, i) => {
      const fallen = part((0.65 * i) / curves.length, (0.65 * i) / curves.length + 0.35);
      const d = others ? line(curve.map((value, j) => [x(epochs[j]), y(value)])) : "";
      set(prior[i], { d, opacity: 0.45 * fallen * others, transform: `translate(0 ${(fallen - 1) * 70})` });
    });

    const forecast = at < 3 ? along(learning, (at - 2.15) / 0.85) : along(observing, (at - 3.15) / 0.85);
    const edge = at < 3 ? between(101, learning[0].cutoff, part(1.35, 2)) : forecast.cutoff;
    set(shade, { x: x(edge + 0.5), y: y(1000), width: Math.max(0, x(100.5) - x(edge + 0.5)), height: down, opacity: part(1.3, 1.4) });
    const asked = part(1.8, 2) * (1 - part(2, 2.1));
    set(question, { x: x(55), y: y(500) + 16, opacity: asked });
    const dots = (first, last) => one.slice(first, last).map((value, i) => `M${x(first + i + 1).toFixed(1)} ${y(value).toFixed(1)}h0`).join("");
    const whole = Math.floor(edge);
    set(seen, { d: dots(0, whole), opacity: part(1, 1.3) });
    set(hidden, { d: dots(whole, 100), opacity: 0.55 * part(2, 2.15) });
    const ahead = (values) => values.map((value, i) => [x(epochs[epochs.length - values.length + i]), y(value)]).filter(([a]) => a > x(edge));
    set(band, { d: line([...ahead(forecast.high), ...ahead(forecast.low).reverse()]), opacity: 0.24 * part(2, 2.15) });
    set(median, { d: line(ahead(forecast.median)), opacity: part(2, 2.15) });

    drawLoss(trains, Math.log(Math.max(forecast.trainedOn, loss[0][0] / 2)));
    const told = [`${curves.length} curves from the prior`, `One curve, its tail hidden`,
      `Forecast after ${forecast.passed.trainedOn.toLocaleString("en")} training curves`,
      `Forecast after ${forecast.passed.cutoff} observed epochs`];
    title.textContent = told[Math.max(0, Math.ceil(at) - 1)];
    root.dataset.shown = at;
  }

  // The forecast at this share of the way along frames, in even steps, and the last frame that was passed
  function along(several, share) {
    const place = Math.min(1, Math.max(0, share)) * (several.length - 1);
    const i = Math.min(Math.floor(place), several.length - 2);
    const [a, b, rest] = [several[i], several[i + 1], place - i];
    const gone = a.median.length - b.median.length; // points that the later one has observed
    const mixed = (name) => a[name].map((value, j) => between(value, b[name][Math.max(0, j - gone)], rest));
    const trainedOn = a.trainedOn ? a.trainedOn * (b.trainedOn / a.trainedOn) ** rest : (b.trainedOn / 2) * 2 ** rest;
    return { low: mixed("low"), median: mixed("median"), high: mixed("high"), cutoff: between(a.cutoff, b.cutoff, rest), trainedOn,
      passed: rest < 1 ? a : b };
  }

  function drawLoss(opacity, until) {
    const [first, last] = [Math.log(loss[0][0] / 2), Math.log(loss.at(-1)[0])];
    const values = loss.map(([, value]) => value);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const [top, tall] = [0.74 * height, 0.26 * height - 22];
    const place = ([count, value]) => [between(x(1), x(100), (Math.log(count) - first) / (last - first)), top + tall * (most - value) / (most - least)];
    training.replaceChildren();
    for (const count of [1000, 10000, 100000]) text(training, place([count, 0])[0], height - 4, count.toLocaleString("en"));
    text(training, x(100), top + 8, "loss, by number of training curves", "end");
    add(training, "path", { class: "cc-live-axis", d: `M${x(1)} ${top}V${top + tall + 4}H${x(100)}` });
    const points = loss.filter(([count]) => Math.log(count) <= until + 1e-9).map(place);
    set(falling, { d: line(points), opacity });
    const [cx, cy] = points.at(-1) ?? place(loss[0]);
    set(now, { cx, cy, opacity: points.length ? opacity : 0 });
    set(training, { opacity });
  }

  function move(time) {
    const near = goal > at && goal - at <= 1;
    const step = Math.min(100, time - before) / 1000 / (near ? SECONDS[Math.ceil(goal) - 1] : 0.5);
    at = still.matches ? goal : goal > at ? Math.min(goal, at + step) : Math.max(goal, at - step);
    before = time;
    frame();
    if (at !== goal) requestAnimationFrame(move);
  }

  const steps = [...root.querySelectorAll(":scope > ol > li")];
  const passing = new IntersectionObserver((entries) => {
    const last = entries.filter((entry) => entry.isIntersecting).at(-1);
    if (!last) return;
    const resting = at === goal;
    goal = steps.indexOf(last.target) + 1;
    root.dataset.step = goal;
    steps.forEach((step) => step.toggleAttribute("data-now", step === last.target));
    if (resting) requestAnimationFrame((time) => { before = time; move(time); });
  }, { rootMargin: "-60% 0px -39% 0px" });
  steps.forEach((step) => passing.observe(step));
  new ResizeObserver(() => {
    ({ width, height } = svg.getBoundingClientRect());
    if (width) frame();
  }).observe(svg);
})();
