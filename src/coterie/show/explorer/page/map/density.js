// Density: where more points are in view than pixels can show, the colour of a place is the mean of its points, its
// strength the logarithm of how many there are.
import { HIDDEN, SELECTED } from "./look.js";

const FAINT = 0.55; // of rows that are not selected
const CELL = 2; // pixels of the page per cell

/** @type {Float32Array[]} */
let kept = [];

/** Five empty arrays, the same ones for every frame. @param {number} size */
function sums(size) {
  if (kept[0]?.length === size) for (const one of kept) one.fill(0);
  else kept = Array.from({ length: 5 }, () => new Float32Array(size));
  return kept;
}

/**
 * @param {CanvasRenderingContext2D} brush of a canvas of one pixel per cell
 * @param {import("./grid.js").Grid} grid @param {Uint16Array} codes in drawing order @param {import("./look.js").Look} look
 * @param {import("./camera.js").Camera} camera @param {number[][]} runs @param {boolean} hasSelection @param {number[]} faint
 */
export function drawDensity(brush, grid, codes, look, camera, runs, hasSelection, faint) {
  const wide = Math.ceil(camera.width / CELL), high = Math.ceil(camera.height / CELL);
  const { canvas } = brush;
  if (canvas.width !== wide || canvas.height !== high) { canvas.width = wide; canvas.height = high; }
  const [counts, chosen, red, green, blue] = sums(wide * high);
  const { places } = grid, { colours } = look;
  const scale = camera.scale / CELL, x0 = camera.width / 2 / CELL - camera.x * scale, y0 = camera.height / 2 / CELL + camera.y * scale;
  for (const [from, to] of runs) {
    for (let at = from; at < to; at += 1) {
      const x = Math.floor(places[2 * at] * scale + x0), y = Math.floor(y0 - places[2 * at + 1] * scale);
      const code = codes[at], kind = code & (SELECTED - 1);
      if (x < 0 || x >= wide || y < 0 || y >= high || kind === HIDDEN) continue;
      const cell = y * wide + x;
      counts[cell] += 1;
      if (hasSelection && !(code & SELECTED)) continue;
      chosen[cell] += 1;
      red[cell] += colours[3 * kind];
      green[cell] += colours[3 * kind + 1];
      blue[cell] += colours[3 * kind + 2];
    }
  }
  let most = 1;
  for (let cell = 0; cell < counts.length; cell += 1) if (counts[cell] > most) most = counts[cell];
  const image = brush.createImageData(wide, high);
  const { data } = image, log = Math.log1p(most);
  for (let cell = 0; cell < counts.length; cell += 1) {
    if (!counts[cell]) continue;
    const strength = 0.3 + 0.7 * (Math.log1p(counts[cell]) / log);
    const own = chosen[cell];
    data[4 * cell] = own ? red[cell] / own : faint[0];
    data[4 * cell + 1] = own ? green[cell] / own : faint[1];
    data[4 * cell + 2] = own ? blue[cell] / own : faint[2];
    data[4 * cell + 3] = 255 * strength * (own ? 1 : FAINT);
  }
  brush.putImageData(image, 0, 0);
}
