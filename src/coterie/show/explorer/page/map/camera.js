// What part of the map is seen: a centre and how many pixels a unit has.

/**
 * @typedef {{
 *   x: number, y: number, zoom: number, width: number, height: number, half: {x: number, y: number}, pad: number, readonly scale: number,
 *   toScreen(x: number, y: number): number[], toWorld(px: number, py: number): number[], box(): import("./grid.js").Box,
 *   zoomBy(by: number, px?: number, py?: number): void, pan(dx: number, dy: number): void, fit(): void,
 *   show(box: import("./grid.js").Box): void,
 * }} Camera
 */

const DEEPEST = 20000;

/** @returns {Camera} */
export function makeCamera() {
  /** @type {Camera} */
  const camera = {
    x: 0, y: 0, zoom: 1, width: 1, height: 1, half: { x: 1, y: 1 }, pad: 8,
    /** Pixels per unit. */
    get scale() { return camera.zoom * Math.min(Math.max(20, camera.width - 2 * camera.pad) / (2 * camera.half.x), camera.height / (2 * camera.half.y)); },
    /** @param {number} x @param {number} y */
    toScreen: (x, y) => [camera.width / 2 + (x - camera.x) * camera.scale, camera.height / 2 - (y - camera.y) * camera.scale],
    /** @param {number} px @param {number} py */
    toWorld: (px, py) => [camera.x + (px - camera.width / 2) / camera.scale, camera.y - (py - camera.height / 2) / camera.scale],
    box() {
      const [x0, y1] = camera.toWorld(0, 0), [x1, y0] = camera.toWorld(camera.width, camera.height);
      return { x0, y0, x1, y1 };
    },
    /** @param {number} by @param {number} [px] @param {number} [py] */
    zoomBy(by, px = camera.width / 2, py = camera.height / 2) {
      const [wx, wy] = camera.toWorld(px, py);
      camera.zoom = Math.min(DEEPEST, Math.max(0.5, camera.zoom * by));
      const [nx, ny] = camera.toWorld(px, py);
      camera.x += wx - nx;
      camera.y += wy - ny;
    },
    /** @param {number} dx @param {number} dy */
    pan(dx, dy) { camera.x -= dx / camera.scale; camera.y += dy / camera.scale; },
    fit() { camera.x = 0; camera.y = 0; camera.zoom = 1; },
    /** Show a box, with air around it. @param {import("./grid.js").Box} box */
    show(box) {
      camera.x = (box.x0 + box.x1) / 2;
      camera.y = (box.y0 + box.y1) / 2;
      camera.zoom = 1;
      const scale = Math.min(camera.width / ((box.x1 - box.x0) * 1.25 || 0.1), camera.height / ((box.y1 - box.y0) * 1.25 || 0.1));
      camera.zoom = Math.min(DEEPEST, Math.max(0.5, scale / camera.scale));
    },
  };
  return camera;
}
