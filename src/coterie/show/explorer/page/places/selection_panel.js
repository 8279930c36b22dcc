// The selection: how many rows, what sets them apart, the rows themselves, and what can be done with them.
import { button, debounce, h, renew } from "../dom.js";
import { counted, whole } from "../format.js";
import { sign } from "./groups.js";
import { makeTable } from "./table.js";

/** @param {import("../store.js").Store} store @param {ReturnType<import("./map_panel.js").makeMapPanel>} mapPanel */
export function makeSelection(store, mapPanel) {
  const count = h("span", { "data-testid": "selection-count" }, "0 rows");
  const all = button("Select all", { class: "link", "data-testid": "select-all", onclick: () => store.select(store.rowsUsed()) });
  const invert = button("Invert", { class: "link", onclick: () => { const now = store.selection; store.select(store.rowsUsed()); store.select(now, "remove"); } });
  const clear = button("Clear", { class: "link", "data-testid": "clear", onclick: () => store.select([]) });
  const show = button("Show on map", { class: "link", onclick: () => mapPanel.view.showRows(store.selection) });
  const empty = h("div", { class: "empty" }, h("p", {}, "Nothing selected."), h("p", {}, "Draw around points on the map, click a group, or press Ctrl+A."));
  const shares = h("ul", { class: "shares" });
  const apart = h("div", { class: "apart" });
  const table = makeTable(store, () => ({ rows: store.selection }));
  const actions = makeActions(store);
  const body = h("div", { class: "selection-body" }, shares, apart, actions, table.element);
  const element = h("section", { class: "panel selection-panel", "aria-label": "Selection" },
    h("h2", { class: "panel-title" }, "Selection ", count), h("div", { class: "links" }, all, invert, show, clear), empty, body);

  const describe = debounce(async () => {
    const rows = store.selection;
    if (!rows.length) return;
    try {
      const said = await store.api.selection(rows);
      if (rows !== store.selection) return;
      const features = said.features ?? [];
      renew(apart, h("h3", {}, "What sets it apart"),
        features.length ? h("div", {}, h("ul", { class: "features" }, features.slice(0, 6).map(feature)), features.some((/** @type {any} */ one) => / sd$/.test(one.text ?? "")) && h("p", { class: "muted small-text" }, "sd: standard deviations from the mean of all rows")) : h("p", { class: "muted" }, rows.length >= store.n ? "These are all rows." : "Nothing notable in the columns used."));
    } catch { renew(apart); }
    table.load();
  }, 120);

  function draw() {
    const n = store.selection.length;
    count.textContent = counted(n, "row");
    empty.hidden = n > 0;
    body.hidden = n === 0;
    for (const one of [invert, clear, show]) one.disabled = n === 0;
    all.disabled = !store.hasData;
    if (!n) return;
    const counts = [...store.byLabel()].sort((a, b) => b[1] - a[1]);
    renew(shares, counts.slice(0, 5).map(([label, size]) => {
      const group = store.groupOf(label);
      const whole_ = group?.size ?? store.state.noise?.size ?? size;
      return h("li", {}, group ? sign(group) : h("i", { class: "dot noise-dot" }), h("span", { class: "share-name" }, store.nameOf(label)),
        h("span", { class: "muted" }, size === whole_ ? `all ${whole(size)}` : `${whole(size)} of ${whole(whole_)}`));
    }), counts.length > 5 && h("li", { class: "muted" }, `and ${counted(counts.length - 5, "other group")}`));
    actions.show();
  }
  store.listen((change) => {
    if (["state", "labels", "selection", "theme", "job", "busy"].includes(change)) draw();
    if (change === "selection" || change === "labels") describe();
  });
  draw();
  return element;
}

/** @param {any} one */
function feature(one) {
  const effect = typeof one.effect === "number" ? one.effect : 0;
  const share = Math.min(1, Math.abs(effect) / 2);
  return h("li", { class: "feature" }, h("span", { class: "feature-text" }, one.text ?? one.column),
    h("span", { class: "feature-bar", "aria-hidden": "true" }, h("i", { class: effect >= 0 ? "is-high" : "is-low", style: { width: `${50 * share}%`, [effect >= 0 ? "left" : "right"]: "50%" } })));
}

/** @param {import("../store.js").Store} store */
function makeActions(store) {
  const how = () => {
    const wanted = { .../** @type {any} */ ({}) };
    if (method.value) wanted.method = method.value;
    if (k.value) wanted.k = Number(k.value);
    return wanted;
  };
  const merge = button("Merge", { "data-testid": "merge", onclick: () => store.apply({ op: "merge", groups: store.touched().map((/** @type {any} */ group) => group.id) }) });
  const split = button("Split", { "data-testid": "split", onclick: () => store.apply({ op: "split", group: store.touched()[0].id, ...how() }) });
  const move = h("select", { "data-testid": "move-to", "aria-label": "Move the selected rows to", onchange: moveTo,
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
      event.preventDefault(); // a closed list would move rows at every press
      try { move.showPicker(); } catch { /* the list opens with Alt and the arrow too */ }
    } });
  const again = button("Cluster these again", { "data-testid": "cluster-rows", onclick: () => store.applyToRows({ op: "cluster_rows", ...how() }) });
  const noise = button("Mark as noise", { "data-testid": "noise", onclick: () => store.applyToRows({ op: "noise" }) });
  const together = button("Keep together", { "data-testid": "together", class: "small", onclick: () => store.applyToRows({ op: "together" }) });
  const apart = button("Keep apart", { "data-testid": "apart", class: "small", onclick: () => store.applyToRows({ op: "apart" }) });
  const method = h("select", { "aria-label": "Method for split and cluster again" });
  const k = h("input", { type: "number", min: "2", class: "number", "aria-label": "Number of groups for split and cluster again", placeholder: "auto" });
  const options = h("details", { class: "limits" }, h("summary", {}, "More"),
    h("div", { class: "limit-line" }, h("span", {}, "Split by"), method, h("span", {}, "into"), k),
    h("div", { class: "limit-line" }, together, apart, h("span", { class: "muted small-text" }, "when clustering again")));
  const hint = h("p", { class: "muted small-text hint" });
  const element = h("div", { class: "actions" }, h("div", { class: "action-grid" }, merge, split, move, noise, again), hint, options);

  function moveTo() {
    const id = move.value;
    if (id) void store.applyToRows(id === "noise" ? { op: "noise" } : { op: "move", group: id });
    move.value = "";
  }
  let hasMethods = false;
  async function fillMethods() {
    if (hasMethods || !store.hasData) return;
    hasMethods = true;
    try {
      const methods = await store.api.methods();
      renew(method, h("option", { value: "" }, "its best split"), methods.filter((/** @type {any} */ one) => one.name !== "auto").map((/** @type {any} */ one) => h("option", { value: one.name }, one.title ?? one.name)));
    } catch { hasMethods = false; }
  }

  element.show = () => {
    void fillMethods();
    const isFree = !store.job && !store.isBusy;
    const touched = store.touched(), n = store.selection.length;
    merge.disabled = !isFree || touched.length < 2;
    merge.textContent = touched.length >= 2 ? `Merge ${touched.length} groups` : "Merge";
    split.disabled = !isFree || touched.length !== 1 || touched[0].size < 2;
    split.textContent = touched.length === 1 ? "Split this group" : "Split";
    again.disabled = !isFree || n < 3;
    for (const one of [move, noise]) one.disabled = !isFree;
    together.disabled = apart.disabled = !isFree || n < 2;
    const names = touched.slice(0, 3).map((/** @type {any} */ group) => store.nameOf(group.label));
    hint.textContent = touched.length > 1 ? `Merge joins all of ${names.join(", ")}${touched.length > 3 ? " and others" : ""}. To split, select within one group.` : "";
    const root = element.getRootNode();
    if (root.activeElement === move) return;
    renew(move, h("option", { value: "" }, "Move to…"), store.groups.map((/** @type {any} */ group) => h("option", { value: group.id }, store.nameOf(group.label))), h("option", { value: "noise" }, "noise"));
    move.value = "";
  };
  return element;
}

