// Colours and shapes of points: one code per row, and what each code looks like.
import "../../../report/js/theme.js";

export const HIDDEN = 1;
export const SELECTED = 0x8000;
export const SHAPES = 5; // circle, square, triangle, diamond, triangle downwards: another one every ten groups
const FIRST = 2;
const LEVELS = 256;
// cividis at nine places: amounts that people with colour blindness read the same way
const AMOUNTS = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#fee838"];

/** @param {string} hex */
export const parts = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

/** @param {string} hex @param {boolean} isDark */
export const seen = (hex, isDark) => (isDark ? coterie.theme.lighter(hex) : hex);

/** @param {any} group @returns {string} */
export const colourOf = (group) => (/^#[0-9a-f]{6}$/i.test(group.colour ?? "") ? group.colour.toLowerCase() : PALETTE[(group.label ?? 0) % PALETTE.length]);

/** The shape stays with a group, as its colour does. @param {any} group */
export const shapeOf = (group) => Math.floor((/^g\d+$/.test(group.id ?? "") ? Number(group.id.slice(1)) - 1 : group.label) / 10) % SHAPES;

/** @param {number} share 0 to 1 */
export function amountColour(share) {
  const at = Math.min(1, Math.max(0, share)) * (AMOUNTS.length - 1);
  const low = Math.min(AMOUNTS.length - 2, Math.floor(at));
  const one = parts(AMOUNTS[low]), other = parts(AMOUNTS[low + 1]);
  return one.map((part, i) => Math.round(part + (at - low) * (other[i] - part)));
}

const noiseColour = (/** @type {boolean} */ isDark) => parts(coterie.theme.colorOf(PALETTE, -1, isDark));

/**
 * @typedef {{codes: Uint16Array, colours: Uint8Array, shapes: Uint8Array, legend: any}} Look
 */

/** By group. @param {Int32Array} labels @param {any[]} groups @param {boolean} isDark @returns {Look} */
export function byGroup(labels, groups, isDark) {
  const most = groups.reduce((top, group) => Math.max(top, group.label), -1) + 1;
  const { colours, shapes } = table(FIRST + most, isDark);
  for (const group of groups) {
    colours.set(parts(seen(colourOf(group), isDark)), 3 * (FIRST + group.label));
    shapes[FIRST + group.label] = shapeOf(group);
  }
  const codes = new Uint16Array(labels.length);
  for (let row = 0; row < labels.length; row += 1) {
    const label = labels[row];
    codes[row] = label >= 0 ? FIRST + label : label === -1 ? 0 : HIDDEN;
  }
  return { codes, colours, shapes, legend: null };
}

/** By a column: amounts by lightness, categories by colour. @param {Int32Array} labels @param {{values: Float32Array, about: any}} column @param {boolean} isDark @returns {Look} */
export function byColumn(labels, column, isDark) {
  const { values, about } = column;
  const names = about.names ?? about.categories ?? null;
  const codes = new Uint16Array(values.length);
  if (names) {
    const { colours, shapes } = table(FIRST + names.length, isDark);
    names.forEach((/** @type {any} */ _, /** @type {number} */ code) => {
      colours.set(parts(seen(PALETTE[code % PALETTE.length], isDark)), 3 * (FIRST + code));
      shapes[FIRST + code] = Math.floor(code / 10) % SHAPES;
    });
    for (let row = 0; row < values.length; row += 1) {
      codes[row] = labels[row] < -1 ? HIDDEN : values[row] >= 0 ? FIRST + values[row] : 0;
    }
    return { codes, colours, shapes, legend: { names, colours: (/** @type {number} */ code) => seen(PALETTE[code % PALETTE.length], isDark) } };
  }
  let low = Infinity, high = -Infinity;
  for (const value of values) { if (value < low) low = value; if (value > high) high = value; }
  const { colours, shapes } = table(FIRST + LEVELS, isDark);
  for (let level = 0; level < LEVELS; level += 1) {
    const share = level / (LEVELS - 1);
    colours.set(amountColour(isDark ? 0.18 + 0.82 * share : 0.94 * share), 3 * (FIRST + level));
  }
  const spread = high - low || 1;
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row];
    codes[row] = labels[row] < -1 ? HIDDEN : Number.isFinite(value) ? FIRST + Math.round(((value - low) / spread) * (LEVELS - 1)) : 0;
  }
  return { codes, colours, shapes, legend: { low, high } };
}

/** @param {number} size @param {boolean} isDark */
function table(size, isDark) {
  const colours = new Uint8Array(3 * Math.max(size, FIRST));
  colours.set(noiseColour(isDark), 0);
  return { colours, shapes: new Uint8Array(Math.max(size, FIRST)) };
}
