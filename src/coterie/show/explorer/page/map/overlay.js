// What is drawn on top of the points: names where there is room, axes, the lasso, the point under the pointer.
import { short } from "../format.js";
import { variable } from "../theme.js";

const NAMES_OF_ROWS = 40; // rows in view at which they get their numbers
const SMALL = 48; // half the height of a group, in pixels, below which its name stands above it: on it, it would hide most of it
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

/**
 * A name of a group: its place, and where the upper end of the group is.
 * @typedef {{text: string, x: number, y: number, top: number, size: number}} Name
 */

/**
 * Names of groups, the largest first; a name that would cover another waits until the reader zooms in.
 * @param {CanvasRenderingContext2D} brush @param {import("./camera.js").Camera} camera @param {import("./grid.js").Grid} grid
 * @param {Name[]} names @param {number} inView @param {number[][]} covered what lies on top of the map: [left, upper, right, lower]
 */
export function drawNames(brush, camera, grid, names, inView, covered) {
  const taken = [...covered];
  const isFree = (/** @type {number[]} */ box) => !taken.some((one) => box[0] < one[2] && box[2] > one[0] && box[1] < one[3] && box[3] > one[1]);
  brush.textAlign = "center";
  brush.textBaseline = "middle";
  brush.lineJoin = "round";
  brush.strokeStyle = variable("--surface");
  brush.fillStyle = variable("--ink");
  brush.font = `600 13px ${FONT}`;
  brush.lineWidth = 4;
  for (const name of names) {
    const [x, centre] = camera.toScreen(name.x, name.y), [, top] = camera.toScreen(name.x, name.top);
    if (x < 0 || centre < 0 || x > camera.width || centre > camera.height) continue;
    const y = centre - top < SMALL ? Math.max(12, top - 12) : centre;
    const text = name.text.length > 28 ? `${name.text.slice(0, 27)}…` : name.text;
    const half = brush.measureText(text).width / 2 + 4;
    const middle = Math.min(Math.max(x, half + 2), camera.width - half - 2);
    const box = [middle - half, y - 10, middle + half, y + 10];
    if (!isFree(box)) continue;
    taken.push(box);
    brush.strokeText(text, middle, y);
    brush.fillText(text, middle, y);
  }
  if (inView > NAMES_OF_ROWS || camera.zoom < 1.5) return;
  brush.font = `11px ${FONT}`;
  brush.lineWidth = 3;
  brush.fillStyle = variable("--muted");
  for (const [from, to] of grid.runs(camera.box())) {
    for (let at = from; at < to; at += 1) {
      const [x, y] = camera.toScreen(grid.places[2 * at], grid.places[2 * at + 1]);
      const text = `row ${grid.order[at] + 1}`, half = brush.measureText(text).width / 2 + 2;
      const box = [x - half, y - 21, x + half, y - 7];
      if (x < 0 || y < 0 || x > camera.width || y > camera.height || !isFree(box)) continue;
      taken.push(box);
      brush.strokeText(text, x, y - 14);
      brush.fillText(text, x, y - 14);
    }
  }
}

/** Round places for ticks. @param {number} low @param {number} high */
function ticks(low, high) {
  const rough = (high - low) / 5, power = 10 ** Math.floor(Math.log10(rough || 1));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high && found.length < 20; at += step) found.push(Number(at.toPrecision(12)));
  return found;
}

/**
 * @param {CanvasRenderingContext2D} brush @param {import("./camera.js").Camera} camera @param {import("./grid.js").Grid} grid
 * @param {{x: string, y: string}} titles
 */
export function drawAxes(brush, camera, grid, titles) {
  const box = camera.box();
  const [x0, y0] = grid.toData(box.x0, box.y0), [x1, y1] = grid.toData(box.x1, box.y1);
  brush.font = `11px ${FONT}`;
  brush.fillStyle = variable("--muted");
  brush.strokeStyle = variable("--surface"); // points may lie beneath
  brush.lineWidth = 4;
  brush.lineJoin = "round";
  const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => { brush.strokeText(text, x, y); brush.fillText(text, x, y); };
  brush.textBaseline = "bottom";
  brush.textAlign = "center";
  for (const tick of ticks(x0, x1)) {
    const [px] = camera.toScreen(grid.toWorld(tick, 0)[0], 0);
    if (px < 50 || px > camera.width - 20) continue;
    write(short(tick), px, camera.height - 4);
  }
  brush.textAlign = "left";
  brush.textBaseline = "middle";
  for (const tick of ticks(y0, y1)) {
    const [, py] = camera.toScreen(0, grid.toWorld(0, tick)[1]);
    if (py < 30 || py > camera.height - 30) continue;
    write(short(tick), 6, py);
  }
  brush.font = `600 12px ${FONT}`;
  brush.fillStyle = variable("--ink");
  brush.textAlign = "right";
  brush.textBaseline = "bottom";
  write(titles.x, camera.width - 10, camera.height - 20);
  brush.textAlign = "left";
  brush.textBaseline = "top";
  write(titles.y, 6, 8);
}

/** @param {CanvasRenderingContext2D} brush @param {import("./camera.js").Camera} camera @param {number[][]} line */
export function drawLasso(brush, camera, line) {
  if (line.length < 2) return;
  brush.beginPath();
  line.forEach(([x, y], at) => {
    const [px, py] = camera.toScreen(x, y);
    if (at) brush.lineTo(px, py);
    else brush.moveTo(px, py);
  });
  brush.closePath();
  brush.globalAlpha = 0.1;
  brush.fillStyle = variable("--accent");
  brush.fill();
  brush.globalAlpha = 1;
  brush.setLineDash([5, 4]);
  brush.lineWidth = 1.5;
  brush.strokeStyle = variable("--accent");
  brush.stroke();
  brush.setLineDash([]);
}

/** @param {CanvasRenderingContext2D} brush @param {import("./camera.js").Camera} camera @param {import("./grid.js").Grid} grid @param {number} at */
export function drawHover(brush, camera, grid, at) {
  const [x, y] = camera.toScreen(grid.places[2 * at], grid.places[2 * at + 1]);
  brush.beginPath();
  brush.arc(x, y, 8, 0, 2 * Math.PI);
  brush.lineWidth = 2;
  brush.strokeStyle = variable("--ink");
  brush.stroke();
}
