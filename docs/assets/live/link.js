// A curve as the end of an address, and back: #curve=accuracy&to=100&line=0.75&p=1_0.31_0.42~20_0.5
//
// p holds the points; each ~ begins a new piece with its first step, and the values of the steps that follow. unit, the
// steps of an epoch, is left out where it is 1.

import { METRICS } from "./metrics.js";

const START = "#curve=";
const MOST = 1000; // points

export function holdsCurve(hash) {
  return hash.startsWith(START);
}

export function write({ metric, own, horizon, unit, threshold, points }) {
  const parts = [`${START}${metric}`, `to=${short(horizon)}`, `line=${short(threshold)}`];
  if (metric === "own") parts.push(`in=${short(own.low)}_${short(own.high)}_${own.minimise ? "less" : "more"}`);
  if (unit !== 1) parts.push(`unit=${short(unit)}`);
  parts.push(`p=${pieces(points)}`);
  return parts.join("&");
}

// The state in an address; null if it is broken, whatever is wrong with it.
export function read(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const metric = parts.get("curve");
  const own = metric === "own" ? bounds(parts.get("in") ?? "") : null;
  const horizon = number(parts.get("to"));
  const unit = number(parts.get("unit") ?? "1");
  const threshold = number(parts.get("line"));
  const points = pointsOf(parts.get("p") ?? "");
  const known = Object.hasOwn(METRICS, metric) || own;
  if (!known || !points || !(horizon > 0) || !(unit > 0) || !Number.isFinite(threshold)) return null;
  return { metric, ...(own && { own }), horizon, unit, threshold, points };
}

function pieces(points) {
  let text = "";
  points.forEach(([step, value], i) => {
    const follows = i > 0 && step === points[i - 1][0] + 1;
    text += `${follows ? "" : `${i ? "~" : ""}${short(step)}`}_${short(value)}`;
  });
  return text;
}

function pointsOf(text) {
  const points = [];
  for (const piece of text ? text.split("~") : []) {
    const [first, ...values] = piece.split("_").map(number);
    values.forEach((value, i) => points.push([first + i, value]));
  }
  const rising = points.every(([step], i) => step >= 0 && (i === 0 || step > points[i - 1][0]));
  const finite = points.every(([step, value]) => Number.isFinite(step) && Number.isFinite(value));
  return rising && finite && points.length <= MOST ? points : null;
}

function bounds(text) {
  const [low, high, better] = text.split("_");
  const own = { low: infinite(low), high: infinite(high), minimise: better === "less" };
  return own.low < own.high && ["less", "more"].includes(better) ? own : null;
}

function infinite(text) {
  return text?.endsWith("Infinity") ? Number(text) : number(text);
}

function number(text) {
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text ?? "") ? Number(text) : NaN;
}

function short(value) {
  return String(Number(value.toPrecision(7)));
}
