// The special functions that a forecast needs: the normal distribution and the upper tail of chi squared.

const ROOT2 = Math.sqrt(2);
const ROOT2PI = Math.sqrt(2 * Math.PI);

// log(erfc(x) / t) + x^2 as a Chebyshev series in 2t - 1, with t = 2 / (2 + x): relative error below 1e-12.
const SERIES = [
  -0.65132685989085, 0.64196979235649, 0.019476473204186, -0.0095615147868086, -0.00094659534448204,
  0.00036683949785276, 4.2523324806908e-5, -2.0278578112534e-5, -1.624290004647e-6, 1.3036558355805e-6,
  1.5626441722066e-8, -8.5238095914927e-8, 6.5290544390989e-9, 5.0593434955515e-9, -9.9136415649303e-10,
  -2.2736512229318e-10, 9.6467911020155e-11, 2.3940380830391e-12, -6.8860275264976e-12, 8.9448792730907e-13,
  3.130921399343e-13, -1.1270822361367e-13,
];

export function erfc(x) {
  if (x < 0) return 2 - erfc(-x);
  const t = 2 / (2 + x);
  const y = 2 * t - 1;
  let one = 0, two = 0; // Clenshaw's sum
  for (let j = SERIES.length - 1; j > 0; j--) {
    const before = one;
    one = 2 * y * one - two + SERIES[j];
    two = before;
  }
  return t * Math.exp(-x * x + y * one - two + SERIES[0]);
}

// P(Z <= z); P(Z > z) is phi(-z), which keeps its digits.
export const phi = z => erfc(-z / ROOT2) / 2;

// P(Z <= z) from a table, to 1e-7, and much sooner: enough to look for a place, not to say a chance.
const EDGE = 6, STEPS = 1024; // steps a unit
let table;
export function roughPhi(z) {
  table ??= Float64Array.from({ length: 2 * EDGE * STEPS + 2 }, (_, i) => phi(i / STEPS - EDGE));
  if (!(z > -EDGE)) return 0;
  if (z >= EDGE) return 1;
  const place = (z + EDGE) * STEPS, i = Math.floor(place);
  return table[i] + (place - i) * (table[i + 1] - table[i]);
}

// The z with phi(z) = p: a rational first guess for the tail, then Halley's steps, each of which triples the digits.
export function normalQuantile(p) {
  if (p <= 0 || p >= 1) return p <= 0 ? -Infinity : Infinity;
  if (p > 0.5) return -normalQuantile(1 - p);
  const t = Math.sqrt(-2 * Math.log(p));
  let z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (let i = 0; i < 2; i++) {
    const step = (phi(z) - p) * ROOT2PI * Math.exp(z * z / 2);
    z -= step / (1 + z * step / 2);
  }
  return z;
}

// P(X > x) for chi squared with n degrees of freedom.
export const chiSquaredTail = (x, n) => gammaQ(n / 2, x / 2);

// The regularised upper incomplete gamma function: a series below a + 1, a continued fraction (Lentz) above.
export function gammaQ(a, x) {
  if (x <= 0) return 1;
  const front = Math.exp(a * Math.log(x) - x - logGamma(a));
  return x < a + 1 ? 1 - front * series(a, x) : front * fraction(a, x);
}

function series(a, x) {
  let term = 1 / a, sum = term;
  for (let k = 1; k < 1000 && term > 1e-16 * sum; k++) sum += term *= x / (a + k);
  return sum;
}

function fraction(a, x) {
  let b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (let k = 1; k < 1000; k++) {
    const an = k * (a - k);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return h;
}

// ln Gamma(a) for a > 0: Stirling's series, after the recurrence has brought a above 10.
function logGamma(a) {
  let shift = 0;
  for (; a < 10; a++) shift += Math.log(a);
  const s = 1 / (a * a);
  const rest = (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s / 1188)))) / a;
  return (a - 0.5) * Math.log(a) - a + Math.log(2 * Math.PI) / 2 + rest - shift;
}
