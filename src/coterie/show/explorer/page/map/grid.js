// Points in a grid: which are in view, which is under the pointer, which are within a lasso. Rows stay indices throughout.

const POINTS_PER_CELL = 60;
const MOST_CELLS = 256; // per side
const BANDS = 512; // of a lasso: a point is held against the edges of its band only
const MARGIN = 0.04;

/**
 * @typedef {{x0: number, y0: number, x1: number, y1: number}} Box
 * @typedef {ReturnType<typeof makeGrid>} Grid
 */

/** Where finite points lie. @param {Float32Array} points @returns {Box} */
export function extent(points) {
  let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
  for (let at = 0; at < points.length; at += 2) {
    const x = points[at], y = points[at + 1];
    if (!(Number.isFinite(x) && Number.isFinite(y))) continue;
    if (x < x0) x0 = x;
    if (x > x1) x1 = x;
    if (y < y0) y0 = y;
    if (y > y1) y1 = y;
  }
  return x0 <= x1 ? { x0, y0, x1, y1 } : { x0: 0, y0: 0, x1: 1, y1: 1 };
}

/**
 * @param {Float32Array} points two numbers per row; rows without a place are NaN
 * @param {number | null} aspect width over height to stretch to (axes with units of their own), or null for equal units
 */
export function makeGrid(points, aspect) {
  const n = points.length / 2;
  const data = extent(points);
  const wide = data.x1 - data.x0 || 1, high = data.y1 - data.y0 || 1;
  const unit = 2 * (1 - MARGIN);
  const kx = aspect === null ? unit / Math.max(wide, high) : (unit * aspect) / wide;
  const ky = aspect === null ? kx : unit / high;
  const mx = (data.x0 + data.x1) / 2, my = (data.y0 + data.y1) / 2;
  const world = { x0: (data.x0 - mx) * kx, x1: (data.x1 - mx) * kx, y0: (data.y0 - my) * ky, y1: (data.y1 - my) * ky };
  const side = Math.max(1, Math.min(MOST_CELLS, Math.round(Math.sqrt(n / POINTS_PER_CELL))));
  const cw = (world.x1 - world.x0) / side || 1, ch = (world.y1 - world.y0) / side || 1;

  const cellOf = new Int32Array(n);
  const starts = new Int32Array(side * side + 1);
  for (let row = 0; row < n; row += 1) {
    const x = (points[2 * row] - mx) * kx, y = (points[2 * row + 1] - my) * ky;
    if (!(Number.isFinite(x) && Number.isFinite(y))) { cellOf[row] = -1; continue; }
    const cx = Math.min(side - 1, Math.max(0, Math.floor((x - world.x0) / cw)));
    const cy = Math.min(side - 1, Math.max(0, Math.floor((y - world.y0) / ch)));
    cellOf[row] = cy * side + cx;
    starts[cellOf[row] + 1] += 1;
  }
  for (let cell = 0; cell < side * side; cell += 1) starts[cell + 1] += starts[cell];
  const count = starts[side * side];
  const order = new Int32Array(count); // the row of each place in drawing order
  const places = new Float32Array(2 * count);
  const next = starts.slice(0, side * side);
  for (let row = 0; row < n; row += 1) {
    const cell = cellOf[row];
    if (cell < 0) continue;
    const at = next[cell]++;
    order[at] = row;
    places[2 * at] = (points[2 * row] - mx) * kx;
    places[2 * at + 1] = (points[2 * row + 1] - my) * ky;
  }

  /** Runs of drawing order that cover a box: one per row of cells. @param {Box} box */
  function runs(box) {
    const clamp = (/** @type {number} */ cell) => Math.min(side - 1, Math.max(0, cell));
    const c0 = clamp(Math.floor((box.x0 - world.x0) / cw)), c1 = clamp(Math.floor((box.x1 - world.x0) / cw));
    const r0 = clamp(Math.floor((box.y0 - world.y0) / ch)), r1 = clamp(Math.floor((box.y1 - world.y0) / ch));
    if (c0 === 0 && c1 === side - 1) return [[starts[r0 * side], starts[(r1 + 1) * side]]];
    const found = [];
    for (let r = r0; r <= r1; r += 1) {
      const from = starts[r * side + c0], to = starts[r * side + c1 + 1];
      if (to > from) found.push([from, to]);
    }
    return found;
  }

  /** @param {number} x @param {number} y @param {number} reach */
  function nearest(x, y, reach) {
    let best = -1, least = reach * reach;
    for (const [from, to] of runs({ x0: x - reach, x1: x + reach, y0: y - reach, y1: y + reach })) {
      for (let at = from; at < to; at += 1) {
        const dx = places[2 * at] - x, dy = places[2 * at + 1] - y;
        const far = dx * dx + dy * dy;
        if (far < least || (far === least && best >= 0 && order[at] < order[best])) { least = far; best = at; }
      }
    }
    return best;
  }

  /** @param {Box} box */
  function inBox(box) {
    /** @type {number[]} */
    const rows = [];
    for (const [from, to] of runs(box)) {
      for (let at = from; at < to; at += 1) {
        const x = places[2 * at], y = places[2 * at + 1];
        if (x >= box.x0 && x <= box.x1 && y >= box.y0 && y <= box.y1) rows.push(order[at]);
      }
    }
    return rows;
  }

  /** Rows inside a closed line (even-odd rule). @param {number[][]} line */
  function inside(line) {
    const xs = line.map(([x]) => x), ys = line.map(([, y]) => y);
    const box = { x0: Math.min(...xs), x1: Math.max(...xs), y0: Math.min(...ys), y1: Math.max(...ys) };
    const high = (box.y1 - box.y0) / BANDS || 1;
    const band = (/** @type {number} */ y) => Math.min(BANDS - 1, Math.max(0, Math.floor((y - box.y0) / high)));
    /** @type {number[][]} */
    const edges = Array.from({ length: BANDS }, () => []); // four numbers per edge
    for (let at = 0; at < line.length; at += 1) {
      const [ax, ay] = line[at], [bx, by] = line[(at + 1) % line.length];
      if (ay === by) continue;
      for (let b = band(Math.min(ay, by)); b <= band(Math.max(ay, by)); b += 1) edges[b].push(ax, ay, bx, by);
    }
    const found = new Int32Array(count);
    let size = 0;
    for (const [from, to] of runs(box)) {
      for (let at = from; at < to; at += 1) {
        const x = places[2 * at], y = places[2 * at + 1];
        if (x < box.x0 || x > box.x1 || y < box.y0 || y > box.y1) continue;
        let isIn = false;
        const near = edges[band(y)];
        for (let e = 0; e < near.length; e += 4) {
          const ay = near[e + 1], by = near[e + 3];
          if (ay > y !== by > y && x < ((near[e + 2] - near[e]) * (y - ay)) / (by - ay) + near[e]) isIn = !isIn;
        }
        if (isIn) found[size++] = order[at];
      }
    }
    return found.slice(0, size);
  }

  return {
    n, count, order, places, world, runs, nearest, inBox, inside,
    toData: (/** @type {number} */ x, /** @type {number} */ y) => [x / kx + mx, y / ky + my],
    toWorld: (/** @type {number} */ x, /** @type {number} */ y) => [(x - mx) * kx, (y - my) * ky],
  };
}
