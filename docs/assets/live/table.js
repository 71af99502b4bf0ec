// Delimited text into runs. What is not clear is said in one sentence, and nothing is guessed.
//
// wide    step,a,b           one row a step; an empty cell: this run has no value there
// long    run,step,value     one row a point; an empty value is a hole as well, and further columns are left out
//
// A download from TensorBoard (Wall time,Step,Value) is one run; what Weights & Biases writes beside a run, a__MIN, a__MAX and
// the steps of each run, is left out.
//
//   parse(text) -> [{ name, steps, values, unit }]      read(file) -> the same, of a File
//
// unit: the usual gap between two steps, of all rows in a wide table, of the run's own points in a long one.

import { usualGap } from "./epochs.js";

export const MOST_BYTES = 5_000_000;
export const MOST_VALUES = 500_000;
export const MOST_RUNS = 1000;
const STEPS = ["step", "steps", "epoch", "epochs", "iteration", "iterations", "iter", "global_step",
  "training_iteration", "_step"];
const SEPARATORS = [",", "\t", ";"];
const STEPS_OF_RUNS = [" - _step", " - _step__MIN", " - _step__MAX"]; // columns of Weights & Biases
const CALLED = { ",": "commas", "\t": "tabs", ";": "semicolons" };

export class TableError extends Error {
  name = "TableError";
}

export async function read(file) {
  if (file.size > MOST_BYTES) refuse(`The file has ${count(file.size)} bytes, but at most ${count(MOST_BYTES)} are read: keep every n-th row.`);
  return parse(decode(await file.arrayBuffer()), file.name.replace(/\.[^.]*$/, "") || "run");
}

export function parse(text, called = "run") {
  if (text.length > MOST_BYTES) refuse(`The text has ${count(text.length)} characters, but at most ${count(MOST_BYTES)} are read: keep every n-th row.`);
  if (text.includes("\0")) refuse("This is not text: give a CSV or TSV file.");
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/).map((line, i) => ({ line, at: i + 1 }));
  const filled = lines.filter(({ line }) => line.trim());
  if (!filled.length) refuse("There is nothing to read: give a header such as step,accuracy and a row for each step.");
  const separator = separatorOf(filled[0].line);
  const names = header(cells(filled[0].line, separator, filled[0].at));
  const long = longColumns(names);
  const step = long ? long.step : stepColumn(names);
  const wanted = long ? [long.value] : runColumns(names, step);
  const rows = filled.slice(1);
  if (wanted.length > MOST_RUNS) refuse(`There are ${count(wanted.length)} runs, but at most ${count(MOST_RUNS)} are read: keep fewer columns.`);
  const values = rows.length * wanted.length;
  if (values > MOST_VALUES) refuse(`There are ${count(values)} values, but at most ${count(MOST_VALUES)} are read: keep every n-th row.`);
  if (!rows.length) refuse("There is a header but no row below it: add a row for each step.");
  const table = rows.map(({ line, at }) => ({ row: rowOf(line, separator, names, at), at }));
  const runs = long ? readLong(table, names, long, called) : readWide(table, names, step, wanted);
  return checked(runs);
}

function decode(buffer) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(buffer);
  } catch {
    return refuse("This is not text in UTF-8: give a CSV or TSV file.");
  }
}

// The character that parts the cells, by the header. Where there are several, the one that leaves a column of steps.
function separatorOf(line) {
  const bare = line.replace(/"[^"]*"/g, "");
  const found = SEPARATORS.filter((separator) => bare.includes(separator));
  if (found.length < 2) return found[0] ?? ",";
  const fitting = found.filter((separator) => line.split(separator).some((cell) => isStep(cell.replace(/^[" ]+|[" ]+$/g, ""))));
  if (fitting.length !== 1) refuse(`The header is separated by ${found.map((s) => CALLED[s]).join(" and by ")}: use one of them in the whole file.`);
  return fitting[0];
}

function header(cells) {
  const names = cells.map((cell) => cell.trim());
  if (names.every((name) => Number.isFinite(toNumber(name)))) {
    refuse("The first line has numbers where names should be: write a header such as step,accuracy above it, and use a point in decimals.");
  }
  const blank = names.indexOf("");
  if (blank >= 0) refuse(`Column ${blank + 1} has no name: give it one.`);
  const seen = new Map();
  for (const name of names) {
    const other = seen.get(name.toLowerCase()) ?? name;
    if (seen.has(name.toLowerCase())) refuse(`Two columns are called “${shown(other)}”${other === name ? "" : ` and “${shown(name)}”`}: rename one of them.`);
    seen.set(name.toLowerCase(), name);
  }
  return names;
}

function stepColumn(names) {
  const found = names.filter(isStep);
  if (!found.length) refuse(`No column is called step, epoch or iteration; there are ${listed(names)}.`);
  if (found.length > 1) refuse(`Several columns could be the step (${listed(found)}): keep one of them.`);
  return names.indexOf(found[0]);
}

// The columns of a wide table that are runs.
function runColumns(names, step) {
  const beside = new Set(names.filter((_, i) => i !== step).flatMap((name) => [`${name}__MIN`, `${name}__MAX`]));
  const isExtra = (name) => beside.has(name) || STEPS_OF_RUNS.some((end) => name.endsWith(end));
  const found = [...names.keys()].filter((i) => i !== step && !isExtra(names[i]));
  if (!found.length) refuse("There are steps but no values: add a column for each run.");
  return found;
}

// Columns called run, step and value: one row a point. Further ones are left out if there is no doubt about these three.
function longColumns(names) {
  const at = (name) => names.findIndex((other) => other.toLowerCase() === name);
  const [run, value] = [at("run"), at("value")];
  const download = names.length === 3 && ["wall time", "step", "value"].every((name) => at(name) >= 0);
  if (download) return { run, value, step: at("step") };
  if (run < 0) return null;
  const step = names.includes("step") ? names.indexOf("step") : at("step") < 0 ? stepColumn(names) : at("step");
  if (value < 0) refuse("There is a column “run” but none called “value”: give run, step and value, or one column for each run.");
  const rest = names.filter((_, i) => ![run, value, step].includes(i));
  if (rest.length && at("step") < 0) {
    refuse(`Besides “run”, “${shown(names[step])}” and “value” there are ${listed(rest)}: leave these out, or rename “${shown(names[step])}” to step.`);
  }
  return { run, step, value };
}

function rowOf(line, separator, names, at) {
  const row = cells(line, separator, at);
  if (row.length === names.length) return row;
  const other = SEPARATORS.find((s) => s !== separator && line.split(s).length === names.length);
  if (row.length === 1 && other) refuse(`Line ${at} is separated by ${CALLED[other]} and the header by ${CALLED[separator]}: use one of them in the whole file.`);
  const comma = separator === "," && row.length > names.length ? "; decimals need a point, not a comma" : "";
  return refuse(`Line ${at} has ${row.length} cell${row.length === 1 ? "" : "s"} but the header has ${names.length}: each row needs one per column, empty or not${comma}.`);
}

function readWide(table, names, step, wanted) {
  const runs = wanted.map((i) => ({ name: names[i], steps: [], values: [] }));
  const all = new Set(); // of all rows: a hole does not make an epoch longer
  for (const { row, at } of table) {
    const now = numberIn(row[step], at, names[step]);
    all.add(now);
    wanted.forEach((i, run) => {
      if (row[i].trim()) push(runs[run], now, numberIn(row[i], at, names[i]), at);
    });
  }
  const unit = usualGap([...all].sort((a, b) => a - b));
  return runs.map((run) => ({ ...run, unit }));
}

function readLong(table, names, { run, step, value }, called) {
  const runs = new Map();
  for (const { row, at } of table) {
    const name = run < 0 ? called : row[run].trim();
    if (!name) refuse(`Line ${at}: the run has no name.`);
    if (!runs.has(name)) runs.set(name, { name, steps: [], values: [] });
    if (runs.size > MOST_RUNS) refuse(`There are more than ${count(MOST_RUNS)} runs: keep fewer.`);
    if (row[value].trim()) push(runs.get(name), numberIn(row[step], at, names[step]), numberIn(row[value], at, names[value]), at);
  }
  return [...runs.values()].map((run) => ({ ...run, unit: usualGap(run.steps) }));
}

function push(run, step, value, at) {
  const last = run.steps.at(-1);
  if (step <= last) {
    const how = step === last ? "appears twice" : `comes after ${last}`;
    refuse(`Line ${at}: in run “${shown(run.name)}” step ${step} ${how}: steps must rise.`);
  }
  run.steps.push(step);
  run.values.push(value);
}

function checked(runs) {
  const empty = runs.find(({ values }) => !values.length);
  if (runs.every(({ values }) => !values.length)) refuse("No run has a value: all value cells are empty.");
  if (empty) refuse(`Run “${shown(empty.name)}” has no values: fill it, or remove it.`);
  return runs;
}

function numberIn(cell, at, column) {
  const value = toNumber(cell.trim());
  if (Number.isFinite(value)) return value;
  return refuse(`Line ${at}, column “${shown(column)}”: “${shown(cell.trim())}” is not a number: ${advice(cell.trim())}.`);
}

// Plain digits only: Number() alone would also take "", "0x1f" and " 1 ".
function toNumber(text) {
  return /^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
}

function advice(cell) {
  if (cell.endsWith("%")) return "remove the % signs from the whole column and choose percent as the metric";
  if (/^[-+]?\d*,\d+$/.test(cell)) return `write ${cell.replace(",", ".")}, with a point`;
  if (/^[-+]?(nan|inf|infinity|-?1e\d{3,})$/i.test(cell)) return "leave the cell empty where there is no value";
  return "write a number, or leave the cell empty";
}

// The cells of one line; "a, b" in quotes is one cell, and "" in it a quote.
function cells(line, separator, at) {
  if (!line.includes('"')) return line.split(separator);
  const found = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const letter = line[i];
    if (letter === '"' && quoted && line[i + 1] === '"') cell += line[++i];
    else if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) cell = (found.push(cell), "");
    else cell += letter;
  }
  if (quoted) refuse(`Line ${at}: a quote is not closed.`);
  return [...found, cell];
}

function isStep(name) {
  return STEPS.includes(name.toLowerCase());
}

function listed(names) {
  const more = names.length > 8 ? ` and ${count(names.length - 8)} more` : "";
  return names.slice(0, 8).map((name) => `“${shown(name)}”`).join(", ") + more;
}

// A name as it may stand in a sentence: short, and without control characters.
function shown(text) {
  const plain = text.replace(/\p{C}/gu, "�");
  return plain.length > 40 ? `${plain.slice(0, 39)}…` : plain;
}

function count(n) {
  return n.toLocaleString("en");
}

function refuse(sentence) {
  throw new TableError(sentence);
}
