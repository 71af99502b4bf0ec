// The idea in one picture, which changes while its steps pass. It is a function of one number, `at`: 0 is the empty axes, and
// step k is over at k. Forecasts are published rows; between two of them the picture only moves. Values are thousandths.
(() => {
  const root = document.querySelector(".cc-idea"), svg = root.querySelector("svg");
  const { epochs, curves, one, frames, loss } = JSON.parse(root.querySelector("script").textContent);
  const learning = frames.filter((frame) => frame.cutoff === frames[0].cutoff);
  const observing = frames.slice(learning.length - 1);
  const losses = loss.map(([, value]) => value), least = Math.min(...losses), most = Math.max(...losses);
  const half = loss[0][0] / 2; // where the axis of training curves begins: it is logarithmic
  const DOTS = "h0M"; // between points that no line connects
  const SECONDS = [1.8, 1.8, 4, 4]; // of a step; what lies between is passed in half a second each
  const still = matchMedia("(prefers-reduced-motion: reduce)");
  let at = 0, goal = 0, before = 0, width, height;

  const between = (a, b, share) => a + (b - a) * share;
  const clipped = (share) => Math.min(1, Math.max(0, share));
  const part = (begin, end) => { // how far `at` is between two places, gently
    const share = clipped((at - begin) / (end - begin));
    return share * share * (3 - 2 * share);
  };
  const text = (x, y, words, more = "") => `<text x="${x}" y="${y}" ${more}>${words}</text>`;
  const path = (name, points, opacity, join = "L", down = 0) => {
    if (!opacity || !points.length) return "";
    const d = points.map(([x, y]) => `${x.toFixed(1)} ${(y + down).toFixed(1)}`).join(join);
    return `<path class="cc-idea-${name}" opacity="${opacity}" d="M${d}h0"/>`; // h0: also a single point is drawn
  };

  // The forecast at this share of the way along frames, and the last frame that was passed
  function along(several, share) {
    const place = clipped(share) * (several.length - 1), i = Math.min(Math.floor(place), several.length - 2);
    const [a, b, rest] = [several[i], several[i + 1], place - i];
    const gone = a.median.length - b.median.length; // epochs that are observed in the later one alone
    const mixed = (name) => a[name].map((value, j) => between(value, b[name][Math.max(0, j - gone)], rest));
    return { low: mixed("low"), median: mixed("median"), high: mixed("high"), cutoff: between(a.cutoff, b.cutoff, rest),
      count: (a.trainedOn || half) ** (1 - rest) * b.trainedOn ** rest + 0.5, passed: rest < 1 ? a : b };
  }

  function draw() {
    const trains = part(2, 2.15) * (1 - part(3, 3.15)); // then there is room for the loss
    const down = height * (1 - 0.3 * trains) - 64;
    const x = (epoch) => 42 + ((epoch - 1) / 99) * (width - 50), y = (value) => 34 + (1 - value / 1000) * down;
    const axes = [0, 0.5, 1].map((score) => `<path d="M${x(1)} ${y(1000 * score)}H${x(100)}"/>` +
      text(x(1) - 6, y(1000 * score) + 4, score, 'class="cc-idea-end"')).join("") +
      text(0, 0, "score", `transform="translate(10 ${y(500)}) rotate(-90)"`) +
      text(x(1), y(0) + 17, 1) + text(x(50), y(0) + 17, "epoch 50") + text(x(100), y(0) + 17, 100, 'class="cc-idea-end"');

    const others = 0.45 * (1 - 0.8 * part(1, 1.3)) * (1 - part(2, 2.2));
    const prior = curves.map((curve, i) => {
      const begin = (0.65 * i) / curves.length, fallen = part(begin, begin + 0.35);
      return path("prior", curve.map((value, j) => [x(epochs[j]), y(value)]), others * fallen, "L", 70 * fallen - 70);
    }).join("");

    const forecast = at < 3 ? along(learning, (at - 2.15) / 0.85) : along(observing, (at - 3.15) / 0.85);
    const edge = at < 3 ? between(100, forecast.cutoff, part(1.35, 2)) : forecast.cutoff, last = Math.floor(edge);
    const box = `x="${x(edge + 0.5)}" y="34" width="${x(100) - x(edge)}" height="${down}"`;
    const shade = `<rect ${box} opacity="${part(1.3, 1.4)}"/>` +
      text(x(55), y(500) + 16, "?", `class="cc-idea-question" opacity="${part(1.8, 2) - part(2, 2.1)}"`);
    const shown = part(2, 2.15), first = epochs.length - forecast.median.length;
    const ahead = (values) => values.map((value, i) => [x(Math.max(edge + 1, epochs[first + i])), y(value)])
      .filter((_, i) => (epochs[first + i + 1] ?? Infinity) > edge + 1); // the last of those observed by now
    const dots = one.map((value, i) => [x(i + 1), y(value)]);
    const future = path("band", [...ahead(forecast.high), ...ahead(forecast.low).reverse()], 0.24 * shown) +
      path("median", ahead(forecast.median), shown) + path("hidden", dots.slice(last), 0.55 * shown, DOTS);

    const log = (count) => Math.log(count / half) / Math.log(loss.at(-1)[0] / half), top = 0.74 * height;
    const place = ([count, value]) =>
      [between(x(1), x(100), log(count)), between(top, height - 22, (most - value) / (most - least))];
    const done = loss.filter(([count]) => count <= forecast.count).map(place);
    const training = `<g opacity="${trains}"><path class="cc-live-axis" d="M${x(1)} ${top}V${height - 18}H${x(100)}"/>` +
      [1000, 10000, 100000].map((count) => text(place([count, 0])[0], height - 4, count.toLocaleString("en"))).join("") +
      text(x(100), top + 8, "loss, by number of training curves", 'class="cc-idea-end"') +
      `${path("loss", done, 1)}${path("now", done.slice(-1), 1)}</g>`;

    const told = [`${curves.length} curves from the prior`, "One curve, its tail hidden",
      `Forecast after ${forecast.passed.trainedOn.toLocaleString("en")} training curves`,
      `Forecast after ${forecast.passed.cutoff} observed epochs`][Math.max(0, Math.ceil(at) - 1)];
    svg.innerHTML = axes + prior + shade + future + path("seen", dots.slice(0, last), part(1, 1.3), DOTS) + training +
      text(0, 14, told, 'class="cc-idea-title"');
    root.dataset.shown = at;
  }

  function move(time) {
    const step = Math.min(100, time - before) / 1000 / (goal > at && goal - at <= 1 ? SECONDS[Math.ceil(goal) - 1] : 0.5);
    at = still.matches ? goal : goal > at ? Math.min(goal, at + step) : Math.max(goal, at - step);
    before = time;
    draw();
    if (at !== goal) requestAnimationFrame(move);
  }

  const steps = [...root.querySelectorAll(":scope > ol > li")];
  const passing = new IntersectionObserver((entries) => {
    const resting = at === goal, now = entries.findLast((entry) => entry.isIntersecting)?.target;
    if (!now) return;
    root.dataset.step = goal = steps.indexOf(now) + 1;
    steps.forEach((step) => step.toggleAttribute("data-now", step === now));
    if (resting) requestAnimationFrame((time) => { before = time; move(time); });
  }, { rootMargin: innerWidth < 720 ? "-80% 0px -19%" : "-60% 0px -39%" }); // on a phone below the picture
  steps.forEach((step) => passing.observe(step));
  new ResizeObserver(() => {
    ({ width, height } = svg.getBoundingClientRect());
    if (width) draw();
  }).observe(svg);
})();
