// One predictive density: curvecast/networks/bars.py, with the masses of the buckets taken from a mixture of Gaussians.
//
// K buckets with borders b_0 < ... < b_K. Inside, the density is flat; the two outer buckets are half-normals that start
// at b_1 and b_{K-1} and have half of their mass inside the bucket. A mass is worked out when it is asked for: a quantile
// looks at a dozen borders and not at a thousand.
import { erfc, normalQuantile, phi, roughPhi } from "./special.js";

const HALF = 0.6744897501960817; // a half-normal of scale s has half of its mass below HALF * s
const ROOT2 = Math.sqrt(2);
const FLOOR = 1e-30; // least mass of a bucket in a log density, as in Python

export class Mixture {
  constructor(logW, mean, scale, borders) {
    this.w = Array.from(logW, Math.exp);
    this.m = Array.from(mean);
    this.s = Array.from(scale);
    const total = this.w.reduce((a, b) => a + b);
    this.w = this.w.map(w => w / total);
    this.b = borders;
    this.K = borders.length - 1;
    this.first = borders[1]; // where the tails start
    this.last = borders[this.K - 1];
    this.low = (this.first - borders[0]) / HALF; // scales of the half-normals
    this.high = (borders[this.K] - this.last) / HALF;
  }

  // P(Y <= y)
  cdf(y) {
    const k = this.bucket(y);
    if (k === 0) return this.below(0) * erfc((this.first - y) / this.low / ROOT2);
    if (k === this.K - 1) return 1 - this.exceeds(y);
    const left = this.below(k - 1);
    return left + (this.below(k) - left) * this.share(y, k);
  }

  // P(Y > y), from the right so that small chances keep their digits
  exceeds(y) {
    const k = this.bucket(y);
    if (k === 0) return 1 - this.cdf(y);
    if (k === this.K - 1) return this.above(k - 1) * erfc((y - this.last) / this.high / ROOT2);
    const right = this.above(k);
    return right + (this.above(k - 1) - right) * (1 - this.share(y, k));
  }

  // The logarithm of the density at y: of the mass of its bucket, and of the density inside
  logDensity(y) {
    const k = this.bucket(y);
    const from = k === 0 ? -Infinity : this.b[k], to = k === this.K - 1 ? Infinity : this.b[k + 1];
    let mass = 0;
    for (let i = 0; i < this.w.length; i++) {
      const low = (from - this.m[i]) / this.s[i], high = (to - this.m[i]) / this.s[i];
      mass += this.w[i] * (low > 0 ? phi(-low) - phi(-high) : phi(high) - phi(low)); // mirrored, so that digits stay
    }
    const tail = k ? logHalfNormal(y - this.last, this.high) : logHalfNormal(this.first - y, this.low);
    const inside = k === 0 || k === this.K - 1 ? tail : -Math.log(this.b[k + 1] - this.b[k]);
    return Math.log(Math.max(mass, FLOOR)) + inside;
  }

  // The y with cdf(y) = p
  quantile(p) {
    let k = 0; // the first bucket whose right end has at least p below it
    for (let end = this.K - 1; k < end; ) {
      const middle = (k + end) >> 1;
      if (this.roughlyBelow(this.b[middle + 1]) < p) k = middle + 1;
      else end = middle;
    }
    let left = k ? this.below(k - 1) : 0, right = this.below(k);
    while (right < p && k < this.K - 1) [left, right] = [right, this.below(++k)]; // where the table missed by one
    while (k && left >= p) [left, right] = [--k ? this.below(k - 1) : 0, left];
    if (k === 0) return this.first + this.low * normalQuantile(part(p, right) / 2);
    if (k === this.K - 1) return this.last - this.high * normalQuantile(part(1 - p, this.above(k - 1)) / 2);
    return this.b[k] + (p - left) / (right - left) * (this.b[k + 1] - this.b[k]);
  }

  // One draw; rng() is uniform on [0, 1). A level of 0 would be minus infinity.
  sample(rng) {
    return this.quantile(Math.max(rng(), 2 ** -25));
  }

  // Mass of the mixture up to the right end of bucket k, and beyond it; the last bucket reaches to infinity.
  below(k) {
    return k === this.K - 1 ? 1 : this.mass(this.b[k + 1], 1);
  }

  above(k) {
    return k === this.K - 1 ? 0 : this.mass(this.b[k + 1], -1);
  }

  mass(y, side) {
    let sum = 0;
    for (let i = 0; i < this.w.length; i++) sum += this.w[i] * phi(side * (y - this.m[i]) / this.s[i]);
    return sum;
  }

  roughlyBelow(y) {
    let sum = 0;
    for (let i = 0; i < this.w.length; i++) sum += this.w[i] * roughPhi((y - this.m[i]) / this.s[i]);
    return sum;
  }

  bucket(y) {
    let k = 0; // the number of inner borders that lie below y
    for (let end = this.K - 1; k < end; ) {
      const middle = (k + end) >> 1;
      if (this.b[middle + 1] < y) k = middle + 1;
      else end = middle;
    }
    return k;
  }

  share(y, k) {
    return (y - this.b[k]) / (this.b[k + 1] - this.b[k]);
  }
}

const part = (p, mass) => Math.min(p / Math.max(mass, 1e-300), 1);
const logHalfNormal = (distance, scale) => Math.log(2 / Math.PI) / 2 - Math.log(scale) - (distance / scale) ** 2 / 2;
