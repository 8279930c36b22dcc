// Small charts of the evidence: each has a title that says what it shows, and says what to do where there is nothing.
import { h, s } from "../dom.js";
import { figure, short } from "../format.js";
import { colourOf, seen } from "../map/look.js";
import { isDark } from "../theme.js";
import { sign } from "./groups.js";

/** @typedef {import("../store.js").Store} Store */

const NAMED_LEAVES = 12; // of a tree: more have a dot instead of a name

const nothing = (/** @type {string} */ text) => h("p", { class: "empty" }, text);
const untested = (/** @type {Store} */ store, /** @type {string} */ what) => (store.groups.length < 2 ? `${what} needs two groups or more.` : `${what}: not measured. Use the button on the left.`);
const titled = (/** @type {string} */ title, /** @type {any[]} */ ...inner) => h("figure", { class: "small-chart" }, h("figcaption", {}, title), inner);
const fillOf = (/** @type {any} */ group) => seen(colourOf(group), isDark());

/** Bars of rows, one block per group. @param {any} evidence @param {Store} store */
export function silhouettes(evidence, store) {
  const known = (evidence.silhouettes ?? []).map((/** @type {any} */ one, /** @type {number} */ at) => ({
    group: store.groupById(one?.id ?? evidence.silhouette_ids?.[at]), mean: one?.mean ?? one, values: one?.values ?? null,
  })).filter((/** @type {any} */ one) => one.group && typeof one.mean === "number");
  if (!known.length) return nothing(untested(store, "A silhouette"));
  const low = Math.min(0, ...known.flatMap((/** @type {any} */ one) => one.values ?? [one.mean]));
  const least = known.reduce((/** @type {any} */ low, /** @type {any} */ one) => (one.mean < low.mean ? one : low));
  const title = known.length > 1 ? `${store.nameOf(least.group.label)} is the least well separated (${figure(least.mean)})` : "How well rows fit their group";
  return titled(title, h("ul", { class: `meters${known.length > 8 ? " is-many" : ""}` }, known.map((/** @type {any} */ one) => h("li", {},
    h("button", { type: "button", class: "link meter-name", onclick: () => store.select(store.rowsOf(one.group)) }, store.nameOf(one.group.label)),
    one.values?.length ? profile(one.values, low, fillOf(one.group)) : bar(one.mean, fillOf(one.group)), h("span", { class: "meter-value" }, figure(one.mean))))));
}

/** The sorted values of a group's rows, negative ones to the left of the line. @param {number[]} values @param {number} low the same for all groups @param {string} fill */
function profile(values, low, fill) {
  const sorted = [...values].sort((a, b) => b - a), n = sorted.length;
  const x = (/** @type {number} */ value) => (100 * (value - low)) / (1 - low);
  const edge = sorted.map((value, at) => `${x(value).toFixed(1)},${((24 * (at + 0.5)) / n).toFixed(1)}`);
  return s("svg", { class: "profile", viewBox: "0 0 100 24", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("polygon", { points: `${x(0)},0 ${x(sorted[0])},0 ${edge.join(" ")} ${x(sorted[n - 1])},24 ${x(0)},24`, fill }),
    s("line", { x1: x(0), x2: x(0), y1: 0, y2: 24, class: "axis-line" }));
}

/** @param {number} share @param {string} fill */
const bar = (share, fill) => h("span", { class: "meter", "aria-hidden": "true" }, h("i", { style: { width: `${100 * Math.max(0, Math.min(1, share))}%`, background: fill } }));

/** How much each number of groups has for it. @param {any} evidence @param {Store} store */
export function numbers(evidence, store) {
  const ks = (evidence.ks ?? []).filter((/** @type {any} */ one) => typeof one.score === "number").map((/** @type {any} */ one) => ({ ...one }));
  if (!ks.length) return nothing("Only one number of groups was tried. Run auto in Method to compare several.");
  const scores = ks.map((/** @type {any} */ one) => one.score), low = Math.min(0, ...scores), high = Math.max(0, ...scores), spread = high - low || 1;
  const best = ks.reduce((/** @type {any} */ top, /** @type {any} */ one) => (one.score > top.score ? one : top));
  const chosen = ks.find((/** @type {any} */ one) => one.chosen) ?? ks.find((/** @type {any} */ one) => one.k === store.groups.length) ?? best;
  return titled(evidence.ks_text ?? `Separation is best with ${best.k === 1 ? "one group" : `${best.k} groups`}`, h("ol", { class: "columns-chart" }, ks.map((/** @type {any} */ one) => h("li", { class: one === chosen ? "is-chosen" : "", title: `${one.k} groups: ${short(one.score)}` },
    h("span", { class: "column-value" }, ks.length <= 12 ? short(one.score) : ""),
    h("span", { class: "column-space" }, h("i", { style: { height: `${Math.max(1, (100 * Math.abs(one.score)) / spread)}%`, bottom: `${(100 * (Math.min(0, one.score) - low)) / spread}%` } }),
      low < 0 && h("b", { style: { bottom: `${(-100 * low) / spread}%` } })),
    h("span", { class: "column-name" }, one.k, one.method ? h("small", {}, one.method) : null)))));
}

/** The dendrogram of the groups, with their names below. @param {any} evidence @param {Store} store */
export function tree(evidence, store) {
  const given = evidence.tree;
  if (!given?.merges?.length) return nothing("No tree: this answer does not come from a hierarchy.");
  const leaves = given.leaves ?? [], n = leaves.length || given.merges.length + 1;
  const groupAt = (/** @type {number} */ leaf) => {
    const one = leaves[leaf] ?? {};
    return one.id ? store.groupById(one.id) : typeof one.label === "number" ? store.groupOf(one.label) : null;
  };
  const drawn = dendrogram(given.merges, n, (leaf) => { const group = groupAt(leaf); return group ? fillOf(group) : null; });
  const names = leafOrder(given.merges, n).map((leaf) => {
    const group = groupAt(leaf), name = group ? store.nameOf(group.label) : "";
    return h("li", {}, group && h("button", { type: "button", class: "link leaf-name", title: name, "aria-label": name, onclick: () => store.select(store.rowsOf(group)) },
      n > NAMED_LEAVES ? h("i", { class: "dot", style: { background: fillOf(group) } }) : name));
  });
  return titled(given.text ?? "Which groups are closest: the lower two branches join, the more alike they are", drawn, h("ol", { class: "leaf-names" }, names));
}

/** Leaves from left to right, such that no branches cross. @param {number[][]} merges @param {number} n */
function leafOrder(merges, n) {
  const isChild = new Set(merges.flatMap(([left, right]) => [left, right]));
  /** @type {number[]} */
  const order = [], stack = [];
  for (let node = n + merges.length - 1; node >= 0; node -= 1) if (!isChild.has(node)) stack.push(node);
  while (stack.length) {
    const node = /** @type {number} */ (stack.pop());
    if (node < n) order.push(node);
    else stack.push(merges[node - n][1], merges[node - n][0]);
  }
  return order;
}

/**
 * Draw merges [left, right, height] over n leaves (a merge m is node n + m), for here and for Teach.
 * @param {number[][]} merges @param {number} n @param {(leaf: number) => string | null} colour @param {number} [shown] merges drawn
 */
export function dendrogram(merges, n, colour, shown = merges.length) {
  const x = new Float64Array(n + merges.length), y = new Float64Array(n + merges.length);
  leafOrder(merges, n).forEach((leaf, at) => { x[leaf] = (at + 0.5) / n; });
  const top = merges.reduce((most, [, , height]) => Math.max(most, height), 1e-12);
  const tint = Array.from({ length: n }, (_, leaf) => colour(leaf));
  const lines = merges.flatMap(([left, right, height], m) => {
    const node = n + m;
    x[node] = (x[left] + x[right]) / 2;
    y[node] = height / top;
    tint[node] = tint[left] === tint[right] ? tint[left] : null;
    if (m >= shown) return [];
    const at = (/** @type {number} */ value) => (4 + 112 * (1 - value)).toFixed(2);
    const across = (/** @type {number} */ value) => (400 * value).toFixed(2);
    const line = (/** @type {string} */ d, /** @type {string | null} */ stroke) =>
      s("path", { d, class: "branch", "vector-effect": "non-scaling-stroke", style: stroke ? { stroke } : {} });
    return [...[left, right].map((child) => line(`M${across(x[child])},${at(y[child])}V${at(y[node])}`, tint[child])),
      line(`M${across(x[left])},${at(y[node])}H${across(x[right])}`, tint[node])];
  });
  return s("svg", { class: "dendrogram", viewBox: "0 0 400 120", preserveAspectRatio: "none", role: "img", "aria-label": `Dendrogram of ${n} leaves` }, lines);
}

/** @param {any} evidence @param {Store} store */
export function stabilities(evidence, store) {
  const known = store.groups.filter((/** @type {any} */ group) => typeof group.stability === "number");
  if (!known.length) return nothing(untested(store, "Stability"));
  const weakest = known.reduce((/** @type {any} */ low, /** @type {any} */ one) => (one.stability < low.stability ? one : low));
  return titled(`Mean Jaccard over resamples; ${store.nameOf(weakest.label)} is the weakest (${figure(weakest.stability)})`,
    h("ul", { class: `meters${known.length > 8 ? " is-many" : ""}` }, known.map((/** @type {any} */ group) => h("li", {},
      h("button", { type: "button", class: "link meter-name", onclick: () => store.select(store.rowsOf(group)) }, store.nameOf(group.label)),
      bar(group.stability, fillOf(group)), h("span", { class: "meter-value" }, figure(group.stability))))));
}

/** Null draws as dots, the observed value as a line. @param {any} evidence @param {Store} store */
export function chance(evidence, store) {
  const { draws = [], observed, text } = evidence.chance ?? {};
  if (!draws.length || typeof observed !== "number") return nothing(untested(store, "A test against null data"));
  const low = Math.min(observed, ...draws), high = Math.max(observed, ...draws), spread = high - low || 1;
  const x = (/** @type {number} */ value) => 4 + (92 * (value - low)) / spread;
  const bins = 40, counts = new Array(bins).fill(0);
  for (const draw of draws) counts[Math.min(bins - 1, Math.floor((bins * (draw - low)) / spread))] += 1;
  const most = Math.max(...counts);
  const title = text ?? (draws.some((/** @type {number} */ draw) => draw >= observed) ? "Null data reach what was observed" : "No null data reach what was observed");
  return titled(title,
    h("div", { class: "chance-chart" },
      s("svg", { viewBox: "0 0 100 40", preserveAspectRatio: "none", role: "img", "aria-label": `${draws.length} null draws from ${short(Math.min(...draws))} to ${short(Math.max(...draws))}, observed ${short(observed)}` },
        counts.map((size, at) => size > 0 && s("rect", { x: 4 + (92 * at) / bins, width: 92 / bins - 0.3, y: 40 - (36 * size) / most, height: (36 * size) / most, class: "null-bar" })),
        s("line", { x1: x(observed), x2: x(observed), y1: 0, y2: 40, class: "observed", "vector-effect": "non-scaling-stroke" })),
      h("div", { class: "chance-said muted" }, h("span", {}, `${draws.length} draws of null data`), h("span", { class: "observed-said" }, `observed ${short(observed)}`))));
}

/** @param {any} evidence @param {Store} store */
export function columns(evidence, store) {
  const rows = (evidence.columns ?? []).map((/** @type {any} */ one) => ({ column: one.column, effects: one.effects ?? one.effect ?? [] })).slice(0, 40);
  if (!rows.length || !store.groups.length) return nothing("No columns to compare.");
  const cell = (/** @type {number | null} */ effect, /** @type {any} */ group) => {
    if (typeof effect !== "number") return h("td", { class: "muted" }, "–");
    const share = `${Math.round(Math.min(60, 30 * Math.abs(effect)))}%`;
    return h("td", { class: effect >= 0 ? "high" : "low", style: { "--share": share }, title: `${store.nameOf(group.label)}: ${figure(effect, 1)} sd` }, `${effect >= 0.05 ? "+" : ""}${figure(effect, 1)}`);
  };
  return titled("Mean of each group against all rows, in standard deviations", h("table", { class: "effects" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "column"), store.groups.map((/** @type {any} */ group) => h("th", { scope: "col", title: store.nameOf(group.label) }, sign(group), h("span", { class: "effect-name" }, store.nameOf(group.label)))))),
    h("tbody", {}, rows.map((/** @type {any} */ one) => h("tr", {}, h("th", { scope: "row", title: one.column }, one.column), store.groups.map((/** @type {any} */ group, /** @type {number} */ at) => cell(one.effects[at] ?? one.effects[group.id], group)))))));
}
