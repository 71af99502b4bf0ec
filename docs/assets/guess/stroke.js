// What a reader has drawn: a value at each hidden epoch, or none yet.

export class Stroke {
  constructor(last, length) {
    this.last = last; // observed value, at which the guess begins
    this.values = new Array(length).fill(null);
    this.empty = true;
    this.wide = 0; // half the width of the reader's own interval, in points
  }

  // All epochs between two places [epoch, value] of the pen, whichever way it runs: what was there is overwritten.
  line([a, from], [b, to]) {
    this.empty = false;
    const steps = Math.max(1, Math.abs(b - a));
    for (let k = 0; k <= steps; k++) this.values[Math.round(a + ((b - a) * k) / steps)] = from + ((to - from) * k) / steps;
  }

  // The guess at every hidden epoch: gaps are bridged, from the last observed value on, and the end is flat.
  whole() {
    const full = [];
    let value = this.last;
    this.values.forEach((next, i) => {
      if (next === null) return;
      const [begin, gap] = [value, i + 1 - full.length];
      for (let k = 1; k <= gap; k++) full.push((value = begin + ((next - begin) * k) / gap));
    });
    while (full.length < this.values.length) full.push(value);
    return full;
  }

  interval() {
    return [-1, 1].map((side) => this.whole().map((value) => value + side * this.wide));
  }
}
