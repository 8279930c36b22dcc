// Teach: a method step by step, on points that you draw with the mouse.
import { button, h, icon, renew, s } from "../dom.js";
import { counted } from "../format.js";
import { seen } from "../map/look.js";
import { isDark } from "../theme.js";
import { dendrogram } from "./charts.js";

const METHODS = [
  ["kmeans", "k-means", ["k", "seed"]], ["kmeans++", "k-means++ (starts)", ["k", "seed"]], ["em", "EM (Gaussian mixture)", ["k", "seed"]],
  ["dbscan", "DBSCAN", ["eps", "min_samples"]], ["linkage", "Linkage and its tree", ["linkage", "k"]],
];
/** @type {Record<string, any>} */
const FIELDS = {
  k: { text: "Groups", type: "number", min: "1", max: "12", value: "3", step: "1" }, seed: { text: "Seed", type: "number", min: "0", value: "0", step: "1" },
  eps: { text: "Radius", type: "number", min: "0.01", max: "1", step: "0.01", value: "0.08" }, min_samples: { text: "Neighbours", type: "number", min: "1", max: "30", value: "4", step: "1" },
};
const LINKAGES = ["single", "complete", "average", "ward"];
const SPEEDS = [["1600", "slow"], ["800", "normal"], ["300", "fast"]];
const MOST_POINTS = 400;
const SPRAY = 0.03; // of the side of the sheet
const SHEET = 400; // units of the drawing

/** Random numbers that come again: presets look the same each time. @param {number} seed */
function randomness(seed) {
  let state = seed;
  const uniform = () => { state = (1664525 * state + 1013904223) >>> 0; return state / 2 ** 32; };
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
  return { uniform, normal };
}

/** @type {Record<string, () => number[][]>} */
const PRESETS = {
  "Three clouds": () => { const { normal } = randomness(3); return [[0.25, 0.3], [0.72, 0.32], [0.48, 0.75]].flatMap(([x, y]) => Array.from({ length: 25 }, () => [x + 0.07 * normal(), y + 0.07 * normal()])); },
  "Two moons": () => { const { normal } = randomness(5); return Array.from({ length: 80 }, (_, at) => { const t = (Math.PI * (at % 40)) / 39, up = at < 40; return [(up ? 0.36 + 0.22 * Math.cos(t) : 0.58 - 0.22 * Math.cos(t)) + 0.015 * normal(), (up ? 0.45 + 0.24 * Math.sin(t) : 0.55 - 0.24 * Math.sin(t)) + 0.015 * normal()]; }); },
  "A ring and its core": () => { const { normal } = randomness(7); return Array.from({ length: 80 }, (_, at) => { const t = (2 * Math.PI * at) / 55; return at < 55 ? [0.5 + 0.36 * Math.cos(t) + 0.012 * normal(), 0.5 + 0.36 * Math.sin(t) + 0.012 * normal()] : [0.5 + 0.05 * normal(), 0.5 + 0.05 * normal()]; }); },
};

/** @param {import("../store.js").Store} store */
export function makeTeach(store) {
  /** @type {number[][]} */
  let points = PRESETS["Three clouds"]();
  /** @type {any[]} */
  let steps = [];
  let at = 0, timer = 0, isDrawing = false;
  let cursor = [0.5, 0.5];
  const method = h("select", { id: "coterie-lesson", onchange: () => { showFields(); void run(); } }, METHODS.map(([name, text]) => h("option", { value: name }, text)));
  const fields = h("div", { class: "teach-fields" });
  const paper = s("svg", { class: "paper", viewBox: `0 0 ${SHEET} ${SHEET}`, tabindex: "0", role: "application", "aria-label": "Sheet for points: click or drag to add points. With keys: arrows move the cross, Enter adds a point, Backspace removes the last.", "data-testid": "paper" });
  const tree = h("div", { class: "teach-tree", hidden: true });
  const said = h("p", { class: "teach-said", "aria-live": "polite", "data-testid": "teach-text" });
  const count = h("span", { class: "muted" });
  const slider = h("input", { type: "range", min: "0", value: "0", "aria-label": "Step", oninput: () => go(Number(slider.value)) });
  const back = button("Step back", { icon: "back", class: "icon-button", "data-testid": "teach-back", onclick: () => { pause(); go(at - 1); } });
  const play = button("Play", { icon: "play", class: "icon-button primary", "data-testid": "teach-play", onclick: () => (timer ? pause() : start()) });
  const next = button("Step", { icon: "next", class: "icon-button", "data-testid": "teach-step", onclick: () => { pause(); go(at + 1); } });
  const speed = h("select", { "aria-label": "Speed" }, SPEEDS.map(([value, text]) => h("option", { value, selected: text === "normal" }, text)));
  const element = h("section", { class: "place teach-place", "aria-label": "Teach" },
    h("div", { class: "panel teach-controls" }, h("h2", { class: "headline" }, "Watch it work"),
      h("p", { class: "muted" }, "Draw points, choose a method, and see every step it takes."),
      h("div", { class: "field" }, h("label", { for: "coterie-lesson" }, "Method"), method), fields,
      h("div", { class: "field" }, h("span", { class: "label" }, "Points"), h("div", { class: "buttons" }, Object.keys(PRESETS).map((name) => button(name, { class: "small", onclick: () => { points = PRESETS[name](); void run(); } })),
        button("Clear", { class: "small", "data-testid": "teach-clear", onclick: () => { points = []; void run(); } }))), count),
    h("div", { class: "panel teach-stage" }, said, h("div", { class: "stage" }, paper, tree), h("div", { class: "player" }, back, play, next, slider, speed)));

  const colour = (/** @type {number} */ label) => (label < 0 ? "var(--noise)" : seen(PALETTE[label % PALETTE.length], isDark()));
  const X = (/** @type {number} */ x) => SHEET * x, Y = (/** @type {number} */ y) => SHEET * (1 - y);

  function showFields() {
    const wanted = METHODS.find(([name]) => name === method.value)?.[2] ?? [];
    renew(fields, /** @type {string[]} */ (wanted).map((name) => {
      const id = `coterie-teach-${name}`;
      if (name === "linkage") return h("div", { class: "field is-short" }, h("label", { for: id }, "Linkage"), h("select", { id, "data-name": name, onchange: () => run() }, LINKAGES.map((one) => h("option", { value: one, selected: one === "average" }, one))));
      const { text, ...rest } = FIELDS[name];
      return h("div", { class: "field is-short" }, h("label", { for: id }, text), h("input", { id, "data-name": name, class: "number", ...rest, onchange: () => run() }));
    }));
  }

  let asked = 0;
  async function run() {
    pause();
    count.textContent = counted(points.length, "point");
    asked += 1;
    const mine = asked;
    steps = [];
    at = 0;
    draw();
    if (points.length < 2) { said.textContent = "Click or drag on the sheet to draw points."; draw(); return; }
    /** @type {Record<string, any>} */
    const parameters = {};
    for (const input of fields.querySelectorAll("[data-name]")) parameters[input.dataset.name] = input.type === "number" ? Number(input.value) : input.value;
    if (parameters.k > points.length) parameters.k = points.length;
    try {
      const answer = await store.api.teach({ method: method.value, points, parameters });
      if (mine !== asked) return;
      steps = answer.steps;
      go(0);
    } catch (error) { said.textContent = /** @type {Error} */ (error).message; draw(); }
  }

  /** @param {number} wanted */
  function go(wanted) {
    at = Math.min(Math.max(0, wanted), Math.max(0, steps.length - 1));
    if (at === steps.length - 1) pause();
    draw();
  }

  function start() {
    if (!steps.length) return;
    if (at === steps.length - 1) go(0);
    const tick = () => { go(at + 1); if (at < steps.length - 1) timer = window.setTimeout(tick, Number(speed.value)); };
    timer = window.setTimeout(tick, Number(speed.value));
    showPlay();
  }

  function pause() { clearTimeout(timer); timer = 0; showPlay(); }

  function showPlay() {
    play.replaceChildren(icon(timer ? "pause" : "play"));
    play.setAttribute("aria-label", timer ? "Pause" : "Play");
    play.title = timer ? "Pause" : "Play";
  }

  function draw() {
    const step = steps[at] ?? {};
    if (steps.length) said.textContent = step.text ?? "";
    slider.max = String(Math.max(0, steps.length - 1));
    slider.value = String(at);
    slider.setAttribute("aria-valuetext", steps.length ? `step ${at + 1} of ${steps.length}` : "no steps");
    for (const one of [slider, play]) one.disabled = steps.length < 2;
    back.disabled = at === 0;
    next.disabled = at >= steps.length - 1;
    const labels = step.labels ?? [];
    const soft = step.responsibilities;
    const likeliest = step.chances ? Math.max(...step.chances, 1e-12) : 1;
    const radius = (/** @type {number} */ row) => (step.core ? (step.core[row] ? 6 : 4) : 5);
    const front = new Set(step.front ?? []);
    const isActive = (/** @type {number} */ row) => front.has(row) || (step.picked ?? step.active ?? -1) === row;
    renew(paper,
      (step.circles ?? []).map((/** @type {number[]} */ [x, y, r]) => s("circle", { cx: X(x), cy: Y(y), r: SHEET * r, class: "reach" })),
      (step.lines ?? step.edges ?? []).map((/** @type {any} */ line) => segment(line)),
      (step.ellipses ?? []).map((/** @type {any} */ one, /** @type {number} */ k) => ellipse(one, colour(k))),
      points.map(([x, y], row) => s("circle", { cx: X(x), cy: Y(y), r: radius(row), class: `point${isActive(row) ? " is-active" : ""}`, style: { fill: soft ? mixed(soft[row]) : step.chances ? `color-mix(in srgb, var(--accent) ${Math.round((85 * step.chances[row]) / likeliest)}%, var(--surface))` : labels[row] === undefined || labels[row] === null || labels[row] < -1 ? "var(--surface)" : colour(labels[row]), stroke: labels[row] === undefined || labels[row] === null || labels[row] < -1 ? "var(--muted)" : "none" } })),
      (step.centres ?? []).map((/** @type {number[]} */ [x, y], /** @type {number} */ k) => ["centre-edge", "centre"].map((kind) => s("path", { d: "M-9,0H9M0,-9V9", transform: `translate(${X(x)},${Y(y)}) rotate(45)`, class: kind, style: kind === "centre" ? { stroke: colour(k) } : {} }))),
      document.activeElement === paper && s("path", { d: "M-8,0H8M0,-8V8", transform: `translate(${X(cursor[0])},${Y(cursor[1])})`, class: "cursor" }));
    showTree(step, labels);
  }

  /** @param {any} step @param {number[]} labels */
  function showTree(step, labels) {
    const last = steps[steps.length - 1];
    const merges = last?.merges;
    tree.hidden = !merges?.length;
    if (tree.hidden) return;
    const shown = step.merges?.length ?? 0;
    renew(tree, dendrogram(merges, points.length, (leaf) => (labels[leaf] >= 0 ? colour(labels[leaf]) : null), shown));
  }

  /** @param {any} line [x1, y1, x2, y2] or a pair of rows */
  function segment(line) {
    const [x1, y1, x2, y2] = line.length === 4 ? line : [...points[line[0]], ...points[line[1]]];
    return s("line", { x1: X(x1), y1: Y(y1), x2: X(x2), y2: Y(y2), class: "join" });
  }

  /** @param {any} one @param {string} stroke */
  function ellipse(one, stroke) {
    const { x, y, rx, ry, angle = 0 } = Array.isArray(one) ? { x: one[0], y: one[1], rx: one[2], ry: one[3], angle: one[4] } : one;
    return s("ellipse", { rx: SHEET * rx, ry: SHEET * ry, transform: `translate(${X(x)},${Y(y)}) rotate(${(-180 * angle) / Math.PI})`, class: "spread", style: { stroke, fill: stroke } });
  }

  /** Colours mixed by how much of a row each group has. @param {number[]} shares */
  function mixed(shares) {
    const sum = [0, 0, 0];
    shares.forEach((share, k) => { const hex = colour(k); [1, 3, 5].forEach((from, part) => { sum[part] += share * parseInt(hex.slice(from, from + 2), 16); }); });
    return `rgb(${sum.map(Math.round).join(",")})`;
  }

  /** @param {number} x @param {number} y */
  function add(x, y) {
    if (points.length >= MOST_POINTS || x < 0 || x > 1 || y < 0 || y > 1) return;
    points = [...points, [x, y]];
    steps = [];
    at = 0;
    count.textContent = counted(points.length, "point");
    draw();
  }
  const place = (/** @type {PointerEvent} */ event) => {
    const box = paper.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, 1 - (event.clientY - box.top) / box.height];
  };
  let from = [0, 0];
  paper.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
    isDrawing = true;
    paper.setPointerCapture(event.pointerId);
    from = place(event);
    add(from[0], from[1]);
  });
  paper.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
    if (!isDrawing) return;
    const [x, y] = place(event);
    if (Math.hypot(x - from[0], y - from[1]) < SPRAY) return;
    from = [x, y];
    add(x + SPRAY * (Math.random() - 0.5), y + SPRAY * (Math.random() - 0.5));
  });
  const done = () => { if (isDrawing) { isDrawing = false; void run(); } };
  paper.addEventListener("pointerup", done);
  paper.addEventListener("pointercancel", done);
  paper.addEventListener("focus", () => draw());
  paper.addEventListener("blur", () => draw());
  paper.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const by = { ArrowLeft: [-0.02, 0], ArrowRight: [0.02, 0], ArrowUp: [0, 0.02], ArrowDown: [0, -0.02] }[event.key];
    if (by) cursor = [Math.min(1, Math.max(0, cursor[0] + by[0])), Math.min(1, Math.max(0, cursor[1] + by[1]))];
    else if (event.key === "Enter") { add(cursor[0], cursor[1]); void run(); }
    else if (event.key === "Backspace") { points = points.slice(0, -1); void run(); }
    else return;
    event.preventDefault();
    event.stopPropagation();
    draw();
  });

  showFields();
  let isStarted = false;
  store.listen((change) => {
    if (change === "theme") draw();
    if (store.place !== "teach") { if (timer) pause(); return; }
    if (!isStarted && store.state) { isStarted = true; void run(); }
  });
  return element;
}
