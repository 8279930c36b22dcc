// A map of rows: density or points, names on top, lasso, click, zoom. It knows points, looks and rows, nothing of a server.
import { h } from "../dom.js";
import { isDark } from "../theme.js";
import { makeCamera } from "./camera.js";
import { drawDensity } from "./density.js";
import { makeGrid } from "./grid.js";
import { HIDDEN, SELECTED, parts } from "./look.js";
import { drawAxes, drawHover, drawLasso, drawNames } from "./overlay.js";
import { makeCanvasPainter } from "./points_2d.js";
import { makeGlPainter } from "./points_gl.js";
import { bindPointer } from "./pointer.js";

/**
 * @typedef {{
 *   kind: string,
 *   setPlaces(grid: import("./grid.js").Grid): void,
 *   setLook(ordered: Uint16Array, look: import("./look.js").Look): void,
 *   clear(): void,
 *   draw(camera: import("./camera.js").Camera, runs: number[][], size: number, hasSelection: boolean, ratio: number): void,
 *   isLost(): boolean,
 * }} Painter
 * @typedef {{
 *   label: string,
 *   onselect(rows: ArrayLike<number>, how: "add" | "remove" | "replace", isClick: boolean): void,
 *   ongroup?(row: number): void,
 *   onhover?(row: number | null, x: number, y: number): void,
 *   onbefore?(): void,
 *   onframe?(): void,
 * }} Hooks
 * @typedef {ReturnType<typeof makeMap>} MapView
 */

const DENSE = 60_000; // points in view: above, density says more than points on top of each other
const PICK = 10; // pixels around the pointer

/** @param {number} n @param {number} zoom */
function pointSize(n, zoom) {
  const base = n <= 300 ? 9 : n <= 2000 ? 7 : n <= 20_000 ? 4.5 : 3;
  return Math.min(12, base * Math.max(1, zoom ** 0.3));
}

/** @param {Hooks} hooks */
export function makeMap(hooks) {
  const dense = h("canvas", { class: "map-layer map-density", "aria-hidden": "true" });
  let face = h("canvas", { class: "map-layer", "aria-hidden": "true" });
  const over = h("canvas", { class: "map-layer", "aria-hidden": "true" });
  const element = h("div", { class: "map", tabindex: "0", role: "application", "aria-label": hooks.label }, dense, face, over);
  const camera = makeCamera();
  /** @type {Painter | null} */
  let painter = makeGlPainter(face);
  const hasGl = Boolean(painter);
  if (!painter) painter = makeCanvasPainter(face);
  const denseBrush = /** @type {CanvasRenderingContext2D} */ (dense.getContext("2d"));
  const overBrush = /** @type {CanvasRenderingContext2D} */ (over.getContext("2d"));
  /** @type {import("./grid.js").Grid | null} */
  let grid = null;
  /** @type {import("./look.js").Look | null} */
  let look = null;
  /** @type {Uint16Array} */
  let ordered = new Uint16Array(0);
  /** Codes in drawing order without a selection, of which look and grid. */
  let plain = { of: /** @type {any} */ (null), grid: /** @type {any} */ (null), codes: new Uint16Array(0) };
  let selection = new Int32Array(0);
  /** @type {import("./overlay.js").Name[]} */
  let names = [];
  /** @type {HTMLElement[]} */
  let covers = [];
  /** @type {null | {x: string, y: string}} */
  let axes = null;
  let tool = "lasso";
  let lasso = /** @type {number[][] | null} */ (null);
  let hovered = /** @type {number | null} */ (null);
  let isWaiting = false;
  let isCoded = false; // whether the codes in drawing order are those of look and selection
  const faint = () => parts(isDark() ? "#596068" : "#b9bec4");

  function resize() {
    const box = element.getBoundingClientRect();
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    if (camera.width === Math.max(1, box.width) && camera.height === Math.max(1, box.height) && face.width > 1) { draw(); return; }
    camera.width = Math.max(1, box.width);
    camera.height = Math.max(1, box.height);
    for (const canvas of [face, over]) {
      canvas.width = Math.round(camera.width * ratio);
      canvas.height = Math.round(camera.height * ratio);
    }
    overBrush.setTransform(ratio, 0, 0, ratio, 0, 0);
    paint(); // at once: a canvas of another size is empty
  }

  function codeInOrder() {
    if (!grid || !look || isCoded) return;
    isCoded = true;
    if (plain.of !== look || plain.grid !== grid) {
      const codes = new Uint16Array(grid.count);
      for (let at = 0; at < grid.count; at += 1) {
        const row = grid.order[at];
        codes[at] = row < look.codes.length ? look.codes[row] : HIDDEN;
      }
      plain = { of: look, grid, codes };
    }
    ordered = plain.codes.slice();
    if (selection.length) {
      const mask = new Uint8Array(grid.n);
      for (let at = 0; at < selection.length; at += 1) mask[selection[at]] = 1;
      for (let at = 0; at < grid.count; at += 1) if (mask[grid.order[at]]) ordered[at] |= SELECTED;
    }
    painter?.setLook(ordered, look);
  }

  function draw() {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(() => { isWaiting = false; paint(); });
  }

  function paint() {
    hooks.onbefore?.();
    codeInOrder();
    if (!painter || !grid || !look || camera.width < 2) return;
    if (painter.isLost()) replacePainter();
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const runs = grid.runs(camera.box());
    const inView = runs.reduce((sum, [from, to]) => sum + to - from, 0);
    const isDense = inView > DENSE;
    dense.hidden = !isDense;
    if (isDense) {
      drawDensity(denseBrush, grid, ordered, look, camera, runs, selection.length > 0, faint());
      painter.clear();
    } else {
      painter.draw(camera, runs, pointSize(grid.n, camera.zoom), selection.length > 0, ratio);
    }
    element.dataset.drawn = isDense ? "density" : "points";
    paintOver(inView);
    hooks.onframe?.();
  }

  /** @param {number} inView */
  function paintOver(inView) {
    overBrush.clearRect(0, 0, camera.width, camera.height);
    if (!grid) return;
    if (axes) drawAxes(overBrush, camera, grid, axes);
    drawNames(overBrush, camera, grid, names, inView, covers.map(({ offsetLeft, offsetTop, offsetWidth, offsetHeight }) =>
      [offsetLeft, offsetTop, offsetLeft + offsetWidth, offsetTop + offsetHeight]));
    if (hovered !== null && ordered.length) drawHover(overBrush, camera, grid, hovered);
    if (lasso) drawLasso(overBrush, camera, lasso);
  }

  // a lost context (driver restarted, laptop asleep) must not leave an empty map
  function replacePainter() {
    const fresh = h("canvas", { class: "map-layer", "aria-hidden": "true", width: face.width, height: face.height });
    face.replaceWith(fresh);
    face = fresh;
    painter = makeGlPainter(face) ?? makeCanvasPainter(face);
    if (grid) painter.setPlaces(grid);
    if (look) painter.setLook(ordered, look);
  }

  const view = {
    element, camera, hasGl,
    get tool() { return tool; },
    /** @param {string} wanted "lasso" or "pan" */
    setTool(wanted) { tool = wanted; element.dataset.tool = wanted; },
    /** @param {Float32Array} points @param {null | {x: string, y: string}} titles of axes with units of their own */
    setPoints(points, titles) {
      axes = titles;
      grid = makeGrid(points, titles ? Math.max(0.5, camera.width / Math.max(1, camera.height)) : null);
      camera.half = { x: Math.max(0.02, grid.world.x1) + 0.06, y: Math.max(0.02, grid.world.y1) + 0.06 };
      painter?.setPlaces(grid);
      camera.fit();
      isCoded = false;
      draw();
    },
    /** @param {import("./look.js").Look} wanted */
    setLook(wanted) { look = wanted; isCoded = false; draw(); },
    /** @param {Int32Array} rows */
    setSelection(rows) { selection = rows; isCoded = false; draw(); },
    /** @param {typeof names} wanted in world coordinates @param {HTMLElement[]} above what lies on top of the map, where names would be hidden */
    setNames(wanted, above) { names = wanted; covers = above; draw(); },
    /** @param {number[][] | null} line in world coordinates */
    setLasso(line) { lasso = line; draw(); },
    grid: () => grid,
    draw, resize,
    paintNow: paint,
    /** @param {number} by */
    zoomBy(by) { camera.zoomBy(by); draw(); },
    fit() { camera.fit(); draw(); },
    /** Show these rows. @param {Int32Array} rows */
    showRows(rows) {
      if (!grid || !rows.length) return;
      const mask = new Uint8Array(grid.n);
      for (const row of rows) mask[row] = 1;
      const box = { x0: Infinity, y0: Infinity, x1: -Infinity, y1: -Infinity };
      for (let at = 0; at < grid.count; at += 1) {
        if (!mask[grid.order[at]]) continue;
        box.x0 = Math.min(box.x0, grid.places[2 * at]);
        box.x1 = Math.max(box.x1, grid.places[2 * at]);
        box.y0 = Math.min(box.y0, grid.places[2 * at + 1]);
        box.y1 = Math.max(box.y1, grid.places[2 * at + 1]);
      }
      if (box.x0 <= box.x1) camera.show(box);
      draw();
    },
    rowsInView: () => (grid ? grid.inBox(camera.box()) : []),
    /** @param {number} px @param {number} py */
    pick(px, py) {
      if (!grid) return -1;
      const [x, y] = camera.toWorld(px, py);
      return grid.nearest(x, y, PICK / camera.scale);
    },
    /** @param {number | null} at place in drawing order */
    hover(at) {
      if (hovered === at) return;
      hovered = at;
      draw();
    },
    hooks,
  };
  bindPointer(view);
  new ResizeObserver(resize).observe(element);
  return view;
}
