// Sets of rows: sorted Int32Arrays, and how they travel. Works for a million rows.

export const NOTHING = new Int32Array(0);
export const NOISE = -1;
export const LEFT_OUT = -2147483648;

/** Sorted, each row once, within 0..n-1. @param {ArrayLike<number>} given @param {number} n */
export function asRows(given, n) {
  const mask = new Uint8Array(n);
  let count = 0;
  for (let at = 0; at < given.length; at += 1) {
    const row = given[at];
    if (row >= 0 && row < n && Number.isInteger(row) && !mask[row]) { mask[row] = 1; count += 1; }
  }
  return fromMask(mask, count);
}

/** @param {Uint8Array} mask @param {number} [count] */
export function fromMask(mask, count) {
  if (count === undefined) { count = 0; for (let row = 0; row < mask.length; row += 1) count += mask[row]; }
  const rows = new Int32Array(count);
  for (let row = 0, at = 0; row < mask.length; row += 1) if (mask[row]) rows[at++] = row;
  return rows;
}

/** @param {Int32Array} rows @param {number} n */
export function toMask(rows, n) {
  const mask = new Uint8Array(n);
  for (let at = 0; at < rows.length; at += 1) mask[rows[at]] = 1;
  return mask;
}

/** @param {Int32Array} labels @param {(label: number) => boolean} test */
export function rowsWhere(labels, test) {
  const known = new Map();
  const mask = new Uint8Array(labels.length);
  for (let row = 0; row < labels.length; row += 1) {
    const label = labels[row];
    let is = known.get(label);
    if (is === undefined) known.set(label, (is = test(label) ? 1 : 0));
    mask[row] = is;
  }
  return fromMask(mask);
}

/** @param {Int32Array} one @param {Int32Array} other @param {number} n @param {"add" | "remove" | "replace"} how */
export function combine(one, other, n, how) {
  if (how === "replace") return other;
  const mask = toMask(one, n);
  for (let at = 0; at < other.length; at += 1) mask[other[at]] = how === "add" ? 1 : 0;
  return fromMask(mask);
}

/** How many rows of each label. @param {Int32Array} rows @param {Int32Array} labels @returns {Map<number, number>} */
export function countByLabel(rows, labels) {
  let most = -1;
  for (let at = 0; at < rows.length; at += 1) if (labels[rows[at]] > most) most = labels[rows[at]];
  const sizes = new Int32Array(most + 3); // left out, noise, then the groups
  for (let at = 0; at < rows.length; at += 1) {
    const label = labels[rows[at]];
    sizes[label >= NOISE ? label + 2 : 0] += 1;
  }
  const counts = new Map();
  sizes.forEach((size, at) => { if (size) counts.set(at === 0 ? LEFT_OUT : at - 2, size); });
  return counts;
}

/** The part of an operation that names rows: runs where they are shorter. @param {Int32Array} rows */
export function asPayload(rows) {
  const ranges = [];
  for (let at = 0; at < rows.length;) {
    let end = at;
    while (end + 1 < rows.length && rows[end + 1] === rows[end] + 1) end += 1;
    ranges.push([rows[at], rows[end] + 1]);
    at = end + 1;
  }
  return 2 * ranges.length < rows.length ? { ranges } : { rows: Array.from(rows) };
}
