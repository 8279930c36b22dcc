// The map with its controls: which map, which colours, which tool; names, legend and what is under the pointer.
import { button, debounce, h, renew } from "../dom.js";
import { short, whole } from "../format.js";
import { byColumn, byGroup } from "../map/look.js";
import { makeMap } from "../map/view.js";
import { isDark } from "../theme.js";

const KINDS = [["pca", "PCA", "principal components"], ["tsne", "t-SNE", "neighbours stay neighbours"], ["graph", "Graph", "layout of the neighbour graph"], ["xy", "x, y", "two columns"]];
const SAMPLED = 1500; // rows per group that say where its name goes
const SHOWN_IN_TIP = 5; // columns

/** @param {import("../store.js").Store} store */
export function makeMapPanel(store) {
  const tip = h("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  /** @type {() => void} */
  let drawn = () => {};
  let isLookDue = false; // several changes of a moment make one look
  const view = makeMap({
    label: "Map of the rows. Arrow keys pan, plus and minus zoom, 0 shows everything, Enter selects the rows in view.",
    onselect: (rows, how) => store.select(rows, how),
    ongroup: (row) => store.select(store.rowsOf(store.labels[row] === -1 ? "noise" : { label: store.labels[row] })),
    onhover: (row, x, y) => hover(row, x, y),
    onbefore: () => { if (isLookDue) { isLookDue = false; look(); } },
    onframe: () => drawn(),
  });
  view.camera.pad = 48; // the tools stand beside the points
  view.element.dataset.testid = "map";
  view.element.append(tip);
  const caption = h("p", { class: "map-caption muted" });
  const legend = h("div", { class: "legend" });
  const waiting = h("p", { class: "map-waiting", role: "status", hidden: true }, "This map is being computed…");
  const kinds = KINDS.map(([kind, text, about]) => h("button", { type: "button", class: "segment", "data-kind": kind, title: about, onclick: () => choose(kind) }, text));
  const axis = (/** @type {string} */ name) => h("select", { "aria-label": `Column for ${name}`, class: "axis", onchange: () => choose("xy") });
  const xs = axis("x"), ys = axis("y");
  const axes = h("span", { class: "axes", hidden: true }, xs, ys);
  const colour = h("select", { "aria-label": "Colour by", onchange: () => store.setColour(colour.value) });
  const lasso = button("Lasso", { icon: "lasso", class: "icon-button", "aria-pressed": "true", onclick: () => use("lasso") });
  const pan = button("Pan", { icon: "hand", class: "icon-button", "aria-pressed": "false", onclick: () => use("pan") });
  const inView = button("Select rows in view", { icon: "view", class: "icon-button", "data-testid": "select-in-view", onclick: () => store.select(view.rowsInView()) });
  const tools = h("div", { class: "map-tools", role: "toolbar", "aria-label": "Map tools" }, lasso, pan, inView,
    button("Zoom in", { icon: "plus", class: "icon-button", onclick: () => view.zoomBy(1.5) }),
    button("Zoom out", { icon: "minus", class: "icon-button", onclick: () => view.zoomBy(1 / 1.5) }),
    button("Show everything", { icon: "fit", class: "icon-button", onclick: () => view.fit() }));
  const slow = !view.hasGl && h("p", { class: "map-note", "data-testid": "no-webgl" }, "This browser has no WebGL: the map is drawn without it, and large data are slower.");
  const element = h("section", { class: "panel map-panel", "aria-label": "Map" },
    h("div", { class: "map-head" },
      h("div", { class: "segments", role: "group", "aria-label": "Kind of map" }, kinds), axes,
      h("label", { class: "colour-by" }, h("span", { class: "muted" }, "Colour"), colour)),
    h("div", { class: "map-holder" }, view.element, tools, legend, waiting, slow), caption);

  /** @param {string} tool */
  function use(tool) {
    view.setTool(tool);
    lasso.setAttribute("aria-pressed", String(tool === "lasso"));
    pan.setAttribute("aria-pressed", String(tool === "pan"));
  }

  /** @param {string} kind */
  function choose(kind) {
    void store.setMap(kind === "xy" ? { kind, x: xs.value, y: ys.value } : { kind });
  }

  /** @type {Map<number, any>} */
  const texts = new Map();
  let hovered = /** @type {number | null} */ (null);
  const fetchTip = debounce(async (/** @type {number} */ row) => {
    if (hovered !== row || texts.has(row)) return;
    try {
      texts.set(row, await store.api.rows({ rows: [row], offset: 0, limit: 1 }));
      if (hovered === row) fillTip(row);
    } catch { /* a failing tip needs no message */ }
  }, 120);

  /** @param {number | null} row @param {number} x @param {number} y */
  function hover(row, x, y) {
    tip.hidden = row === null;
    if (row === null) { hovered = null; return; }
    if (hovered !== row) { hovered = row; fillTip(row); fetchTip(row); }
    const isRight = x > view.camera.width - 220, isLow = y > view.camera.height - 150;
    tip.style.setProperty("left", `${isRight ? x - 14 : x + 14}px`);
    tip.style.setProperty("top", `${isLow ? y - 12 : y + 12}px`);
    tip.style.setProperty("transform", `translate(${isRight ? "-100%" : "0"}, ${isLow ? "-100%" : "0"})`);
  }

  /** @param {number} row */
  function fillTip(row) {
    const found = texts.get(row);
    renew(tip, h("strong", {}, `row ${whole(row + 1)}`), h("span", {}, store.nameOf(store.labels[row])),
      found && h("dl", {}, found.columns.slice(0, SHOWN_IN_TIP).map((/** @type {string} */ name, /** @type {number} */ at) => h("div", {}, h("dt", {}, name), h("dd", {}, found.cells[0]?.[at] ?? "")))));
  }

  function look() {
    if (!store.labels.length) return;
    const wanted = store.column ? byColumn(store.labels, store.column, isDark()) : byGroup(store.labels, store.groups, isDark());
    view.setLook(wanted);
    showLegend(wanted.legend);
    names();
  }

  /** @param {any} said */
  function showLegend(said) {
    legend.hidden = !said;
    if (!said) return;
    if (said.names) {
      renew(legend, said.names.slice(0, 8).map((/** @type {any} */ name, /** @type {number} */ code) => h("span", { class: "legend-item" }, h("i", { class: "dot", style: { background: said.colours(code) } }), String(name))),
        said.names.length > 8 && h("span", { class: "muted" }, `and ${said.names.length - 8} more`));
    } else renew(legend, h("span", {}, short(said.low)), h("i", { class: `ramp${isDark() ? " is-dark" : ""}` }), h("span", {}, short(said.high)));
  }

  // the median of a sample of its rows is where a group has its name
  function names() {
    const grid = view.grid();
    if (!grid || !store.points.length) return;
    /** @type {Map<number, {xs: number[], ys: number[], seen: number, every: number}>} */
    const found = new Map(store.groups.map((/** @type {any} */ group) => [group.label, { xs: [], ys: [], seen: 0, every: Math.max(1, Math.floor(group.size / SAMPLED)) }]));
    for (let row = 0; row < store.labels.length; row += 1) {
      const one = found.get(store.labels[row]);
      if (!one || one.seen++ % one.every) continue;
      const x = store.points[2 * row], y = store.points[2 * row + 1];
      if (Number.isFinite(x) && Number.isFinite(y)) { one.xs.push(x); one.ys.push(y); }
    }
    const middle = (/** @type {number[]} */ values) => values.sort((a, b) => a - b)[values.length >> 1];
    const shown = store.groups.length < 2 ? [] : store.groups.filter((/** @type {any} */ group) => found.get(group.label)?.xs.length).map((/** @type {any} */ group) => {
      const one = /** @type {any} */ (found.get(group.label));
      const [x, y] = grid.toWorld(middle(one.xs), middle(one.ys));
      const [, top] = grid.toWorld(0, one.ys[Math.floor(0.95 * (one.ys.length - 1))]); // sorted by now
      return { text: store.nameOf(group.label), x, y, top, size: group.size };
    });
    view.setNames(shown.sort((/** @type {any} */ a, /** @type {any} */ b) => b.size - a.size), [tools]);
  }

  function fillColumns() {
    const columns = store.state.data?.columns ?? [];
    const shown = columns.filter((/** @type {any} */ column) => column.kind !== "text");
    const numeric = columns.filter((/** @type {any} */ column) => column.numeric);
    const isUsed = (/** @type {any} */ column) => column.role === "used";
    const numbers = [...numeric.filter(isUsed), ...numeric.filter((/** @type {any} */ column) => !isUsed(column))];
    const option = (/** @type {string} */ value, /** @type {string} */ text) => h("option", { value }, text);
    renew(colour, option("group", "group"), shown.map((/** @type {any} */ column) => option(`column ${column.name}`, column.name)));
    colour.value = store.colourBy;
    const [x, y] = [xs.value, ys.value];
    const known = numbers.map((/** @type {any} */ column) => column.name);
    for (const [select, wanted, at] of /** @type {any[]} */ ([[xs, x, 0], [ys, y, 1]])) {
      renew(select, known.map((/** @type {string} */ name) => option(name, name)));
      select.value = known.includes(wanted) ? wanted : known[Math.min(at, known.length - 1)] ?? "";
    }
  }

  function showKind() {
    const { kind } = store.mapKind;
    for (const one of kinds) one.setAttribute("aria-pressed", String(one.dataset.kind === kind));
    axes.hidden = kind !== "xy";
    caption.textContent = store.mapText;
    waiting.hidden = !store.isMapComing;
  }

  let shown = /** @type {Float32Array | null} */ (null);
  store.listen((change) => {
    if (change === "state") { fillColumns(); texts.clear(); }
    if (change === "map") {
      showKind();
      if (shown !== store.points && store.points.length) {
        shown = store.points;
        view.setPoints(store.points, store.mapKind.kind === "xy" ? { x: store.mapKind.x ?? "", y: store.mapKind.y ?? "" } : null);
      }
    }
    if (["state", "labels", "colour", "theme", "map"].includes(change)) { isLookDue = true; view.draw(); }
    if (change === "selection") view.setSelection(store.selection);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => store.tell("theme"));

  /** Kept when the first frame with points has been painted, or when there is nothing to paint. @param {Promise<any>} opened */
  async function ready(opened) {
    const painted = new Promise((resolve) => { drawn = () => { if (store.points.length) resolve(undefined); }; });
    await opened;
    if (store.hasRows && ["groups", "method"].includes(store.shownPlace)) await painted;
    drawn = () => {};
    await new Promise((resolve) => requestAnimationFrame(() => resolve(undefined)));
  }

  return { element, view, ready };
}
