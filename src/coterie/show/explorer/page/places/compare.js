// Two answers side by side: who moved where, matched names, one brush for both maps.
import { button, h, renew } from "../dom.js";
import { counted, figure, whole } from "../format.js";
import { byGroup } from "../map/look.js";
import { makeMap } from "../map/view.js";
import { asRows } from "../rows.js";
import { isDark } from "../theme.js";
import { sign } from "./groups.js";

/** @param {import("../store.js").Store} store */
export function makeCompare(store) {
  const side = (/** @type {string} */ name) => {
    const view = makeMap({ label: `Map of answer ${name}`, onselect: (rows, how) => store.select(rows, how) });
    const select = h("select", { "aria-label": `Answer ${name}`, "data-testid": `compare-${name}`, onchange: () => load() });
    return { view, select, element: h("section", { class: "panel compare-side", "aria-label": `Answer ${name}` }, h("div", { class: "compare-head" }, h("span", { class: "letter" }, name.toUpperCase()), select), h("div", { class: "map-holder" }, view.element)) };
  };
  const a = side("a"), b = side("b");
  const said = h("h2", { class: "headline" });
  const text = h("p", { class: "muted" });
  const table = h("div", { class: "scroll contingency-scroll", tabindex: "0", role: "region", "aria-label": "Contingency table" });
  const moved = button("Select the rows that moved", { "data-testid": "moved", onclick: selectMoved });
  const selected = h("span", { class: "muted" });
  const element = h("section", { class: "place compare-place", "aria-label": "Compare" },
    h("div", { class: "compare-said" }, said, text), h("div", { class: "compare-maps" }, a.element, b.element),
    h("section", { class: "panel", "aria-label": "Which rows moved" }, h("div", { class: "compare-tools" }, moved, selected), table));
  /** @type {any[]} */
  let methods = [];
  /** @type {any} */
  let found = null;
  let shown = { a: "", b: "" };
  /** @type {Int32Array[]} */
  let labels = [];

  const which = () => ({ a: a.select.value, b: b.select.value });
  const labelsOf = (/** @type {string} */ value) => store.api.labels(/^\d+$/.test(value) ? { position: value } : { method: value });

  function fill() {
    const { log = [], position = 0 } = store.state;
    const steps = log.slice(0, position).map((/** @type {any} */ one, /** @type {number} */ at) => [String(at + 1), `${at + 1}. ${one.text ?? one.op}${at + 1 === position ? " (now)" : ""}`]).reverse();
    const first = log.findIndex((/** @type {any} */ one) => one.op === "fit" || one.op === "given") + 1;
    const others = methods.map((/** @type {any} */ one) => [one.name, one.title ?? one.name]);
    for (const [one, usual] of /** @type {any[]} */ ([[a, String(Math.max(first, Math.min(1, position)))], [b, String(position)]])) {
      const before = one.select.value;
      renew(one.select, steps.map((/** @type {string[]} */ [value, name]) => h("option", { value }, name)), others.map((/** @type {string[]} */ [value, name]) => h("option", { value }, `against ${name}`)));
      const isKnown = [...steps, ...others].some((/** @type {string[]} */ [value]) => value === before);
      one.select.value = before && before !== one.last && isKnown ? before : usual;
      one.last = usual;
    }
  }

  let asked = 0;
  async function load() {
    if (!store.state?.position) { said.textContent = "Nothing to compare yet"; text.textContent = "Run a method or edit the groups first."; return; }
    asked += 1;
    const mine = asked;
    if (!found) { said.textContent = "Comparing…"; moved.disabled = true; }
    try {
      const pair = which();
      const [answer, one, other] = await Promise.all([store.api.compare(pair), labelsOf(pair.a), labelsOf(pair.b)]);
      if (mine !== asked) return;
      if (answer.job || !one || !other) { said.textContent = "Computing the other answer…"; text.textContent = ""; return; }
      found = answer;
      shown = pair;
      labels = [one.labels, other.labels];
      show();
    } catch (error) {
      if (mine !== asked) return;
      said.textContent = "These two cannot be compared"; text.textContent = /** @type {Error} */ (error).message;
      renew(table);
    }
  }

  /** Back to the two that are shown: the answer that was wanted does not come, and asking again would begin it again. */
  function keep() { [a.select.value, b.select.value] = [shown.a, shown.b]; }

  /**
   * A group that another method found looks as the one that it corresponds to.
   * @param {any[]} groups @param {any[]} others @param {(pair: number[]) => number[]} turned own place first
   */
  const alike = (groups, others, turned) => groups.map((group) => {
    const pair = found.matched.map(turned).find((/** @type {number[]} */ [own]) => own === group.label);
    return pair ? { ...group, id: others[pair[1]].id, colour: others[pair[1]].colour } : group;
  });

  /** Groups as the map wants them; the last is noise. @param {any[]} given */
  const groupsOf = (given) => [...given.map((group, at) => ({ ...group, label: at })), { label: -1, name: "noise" }];

  function show() {
    if (!found) return;
    const total = found.rows ?? store.state.data.rows_used ?? store.n;
    const isOne = a.select.value === b.select.value;
    said.textContent = isOne ? "A and B are the same answer" : found.moved ? `${counted(found.moved, "row")} of ${whole(total)} moved` : "Both answers put every row into the same group";
    text.textContent = isOne ? "Choose an earlier step or another method on either side." : typeof found.ari === "number" ? `Adjusted Rand index ${figure(found.ari)}` : "";
    moved.disabled = !found.moved;
    const sides = [groupsOf(found.groups_a), groupsOf(found.groups_b)]; // of two steps, colours stay with the ids
    const isStep = (/** @type {string} */ value) => /^\d+$/.test(value);
    if (!isStep(b.select.value)) sides[1] = alike(sides[1], sides[0], ([one, other]) => [other, one]);
    else if (!isStep(a.select.value)) sides[0] = alike(sides[0], sides[1], (pair) => pair);
    paint(a.view, labels[0], sides[0].filter((group) => group.label >= 0));
    paint(b.view, labels[1], sides[1].filter((group) => group.label >= 0));
    drawTable(sides);
    brush();
  }

  /** @param {any} view @param {Int32Array} own @param {any[]} groups */
  function paint(view, own, groups) {
    if (!store.points.length) return;
    if (view.shown !== store.points) { view.shown = store.points; view.setPoints(store.points, null); }
    view.setLook(byGroup(own, groups, isDark()));
  }

  /** @param {any[][]} sides */
  function drawTable(sides) {
    const hasNoise = labels.map((own) => own.includes(-1));
    const counts = found.contingency.slice(0, hasNoise[0] ? undefined : -1).map((/** @type {number[]} */ line) => line.slice(0, hasNoise[1] ? undefined : -1));
    const most = Math.max(1, ...counts.flat());
    const mark = (/** @type {any} */ group) => group?.label >= 0 && sign(group);
    const nameOf = (/** @type {any} */ group) => group?.name || (group?.label === -1 ? "noise" : `group ${(group?.label ?? 0) + 1}`);
    renew(table, h("table", { class: "contingency" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "A \\ B"), sides[1].slice(0, counts[0]?.length ?? 0).map((group) => h("th", { scope: "col" }, mark(group), nameOf(group))))),
      h("tbody", {}, counts.map((/** @type {number[]} */ line, /** @type {number} */ r) => h("tr", {}, h("th", { scope: "row" }, mark(sides[0][r]), nameOf(sides[0][r])), line.map((count, c) => h("td", { style: { "--share": `${Math.round((45 * count) / most)}%` } },
        count > 0 ? h("button", { type: "button", "aria-label": `${count} rows from ${nameOf(sides[0][r])} to ${nameOf(sides[1][c])}`, onclick: () => selectCell(sides[0][r], sides[1][c]) }, whole(count)) : h("span", { class: "muted" }, "·"))))))));
  }

  /** @param {any} one @param {any} other */
  function selectCell(one, other) {
    const rows = [];
    for (let row = 0; row < labels[0].length; row += 1) if (labels[0][row] === one.label && labels[1][row] === other.label) rows.push(row);
    store.select(rows);
  }

  async function selectMoved() {
    try { store.select(asRows(await store.api.moved(which()), store.n)); } catch (error) { text.textContent = /** @type {Error} */ (error).message; }
  }

  function brush() {
    a.view.setSelection(store.selection);
    b.view.setSelection(store.selection);
    selected.textContent = store.selection.length ? `${counted(store.selection.length, "row")} selected` : "Draw on either map: both show the same rows.";
  }
  store.listen((change) => {
    if (change === "uncompared") keep();
    if (store.place !== "compare" || !store.hasData) return;
    if (change === "place" && !methods.length) void store.api.methods().then((/** @type {any[]} */ known) => { methods = known; fill(); }, () => {});
    if (change === "place" || change === "state" || change === "compared" || change === "uncompared") { fill(); void load(); }
    if (change === "selection") brush();
    if (change === "theme" || change === "map") show();
  });
  return element;
}
