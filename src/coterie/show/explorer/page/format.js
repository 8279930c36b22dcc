// Numbers as people read them.
const WHOLE = new Intl.NumberFormat("en");

/** @param {number} n */
export const whole = (n) => WHOLE.format(n);

/** @param {number} n @param {string} one @param {string} [many] */
export const counted = (n, one, many = `${one}s`) => `${whole(n)} ${n === 1 ? one : many}`;

/** @param {number | null | undefined} x @param {number} [digits] */
export function figure(x, digits = 2) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  const text = x.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** Three significant digits, without exponents where people do not expect them. @param {number} x */
export function short(x) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) return x.toExponential(1).replace("-", "−");
  return (size >= 100 ? WHOLE.format(Math.round(x)) : String(Number(x.toPrecision(3)))).replace("-", "−");
}

/** @param {number} share */
export function percent(share) {
  const value = 100 * share;
  return `${value > 0 && value < 1 ? "< 1" : value.toFixed(value < 10 && value % 1 > 0.05 ? 1 : 0)} %`;
}

/** @param {number | null | undefined} p @param {string} [fallback] */
export const pValue = (p, fallback = "–") => (p === null || p === undefined ? fallback : p < 0.001 ? "p < 0.001" : `p = ${p.toPrecision(2)}`);

/** @param {number | null | undefined} seconds */
export function duration(seconds) {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return "";
  if (seconds < 1.5) return "about a second left";
  if (seconds < 90) return `${Math.round(seconds)} s left`;
  return `${Math.round(seconds / 60)} min left`;
}
