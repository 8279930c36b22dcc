// Points on a 2D canvas, for browsers without WebGL 2: the same look, slower.
import { HIDDEN, SELECTED } from "./look.js";

/** @param {HTMLCanvasElement} canvas @returns {import("./view.js").Painter} */
export function makeCanvasPainter(canvas) {
  const brush = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @type {import("./grid.js").Grid} */
  let grid;
  /** @type {Uint16Array} */
  let codes;
  /** @type {import("./look.js").Look} */
  let look;

  /** @param {number} x @param {number} y @param {number} r @param {number} shape */
  function trace(x, y, r, shape) {
    brush.beginPath();
    if (shape === 0) brush.arc(x, y, r, 0, 2 * Math.PI);
    else if (shape === 1) brush.rect(x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r);
    else if (shape === 3) { brush.moveTo(x, y - r); brush.lineTo(x + r, y); brush.lineTo(x, y + r); brush.lineTo(x - r, y); }
    else {
      const up = shape === 2 ? 1 : -1;
      brush.moveTo(x, y - up * r);
      brush.lineTo(x + r, y + up * 0.85 * r);
      brush.lineTo(x - r, y + up * 0.85 * r);
    }
    brush.fill();
  }

  return {
    kind: "canvas",
    setPlaces(given) { grid = given; },
    setLook(ordered, given) { codes = ordered; look = given; },
    clear() { brush.clearRect(0, 0, canvas.width, canvas.height); },
    draw(camera, runs, size, hasSelection, ratio) {
      brush.clearRect(0, 0, canvas.width, canvas.height);
      brush.save();
      brush.scale(ratio, ratio);
      for (const wanted of hasSelection ? [0, SELECTED] : [0]) {
        brush.globalAlpha = hasSelection && !wanted ? 0.28 : 0.9;
        for (const [from, to] of runs) {
          for (let at = from; at < to; at += 1) {
            const kind = codes[at] & (SELECTED - 1);
            if (kind === HIDDEN || (hasSelection && (codes[at] & SELECTED) !== wanted)) continue;
            const [x, y] = camera.toScreen(grid.places[2 * at], grid.places[2 * at + 1]);
            const [red, green, blue] = look.colours.subarray(3 * kind, 3 * kind + 3);
            brush.fillStyle = `rgb(${red},${green},${blue})`;
            trace(x, y, (kind === 0 ? 0.7 : 1) * 0.5 * size, look.shapes[kind]);
          }
        }
      }
      brush.restore();
    },
    isLost: () => false,
  };
}
