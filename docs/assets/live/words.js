// The forecast in words, and as a table: for those who cannot see the drawing, and for those who want numbers.

export function percent(share) {
  if (share > 0 && share < 0.005) return "< 1 %";
  if (share < 1 && share > 0.995) return "> 99 %";
  return `${Math.round(100 * share)} %`;
}

export function summary({ points, unit, threshold, minimise }, forecast, digits) {
  if (!points.length) return "No points yet.";
  const tell = (value) => value.toFixed(digits);
  const kind = unit === 1 ? "epoch" : "step";
  const seen = `${points.length} ${unit === 1 ? kind : "point"}${points.length === 1 ? "" : "s"} observed, last value ${tell(points.at(-1)[1])}.`;
  if (!forecast) return seen;
  const end = forecast.steps.length - 1;
  const at = (level) => tell(forecast.levels[level][end]);
  return (
    `${seen} At ${kind} ${number(forecast.steps[end])} the median is ${at(50)}, the 90 % interval ${at(5)} to ${at(95)}. ` +
    `Chance to ${minimise ? "get below" : "beat"} ${tell(threshold)}: ${percent(forecast.beats(threshold))}.`
  );
}

export function fillTable(table, { unit, threshold, minimise }, forecast, digits) {
  const body = table.tBodies[0];
  body.replaceChildren();
  const heads = table.tHead.rows[0].cells;
  heads[0].textContent = unit === 1 ? "epoch" : "step";
  heads[4].textContent = `${minimise ? "below" : "above"} ${threshold.toFixed(digits)}`;
  if (!forecast) return;
  const better = forecast.better(threshold);
  for (const i of some(forecast.steps.length)) {
    const tell = (level) => forecast.levels[level][i].toFixed(digits);
    const row = body.insertRow();
    const head = document.createElement("th");
    head.scope = "row";
    head.textContent = number(forecast.steps[i]);
    row.append(head);
    for (const text of [tell(50), `${tell(25)} to ${tell(75)}`, `${tell(5)} to ${tell(95)}`, percent(better[i])]) {
      row.insertCell().textContent = text;
    }
  }
}

// At most eight places out of n, the last among them.
function some(n) {
  const count = Math.min(n, 8);
  return Array.from({ length: count }, (_, k) => Math.round(((k + 1) * n) / count) - 1);
}

export function number(value) {
  return Number(value.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 3 });
}
