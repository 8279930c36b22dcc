// The data: drop a file or take an embedded set; what each column holds, why it is left out, and switches.
import { button, h, renew, s } from "../dom.js";
import { counted, percent, whole } from "../format.js";
import { makeTable } from "./table.js";

const ROLES = [["auto", "auto"], ["use", "use"], ["leave", "leave out"]];
const SCALES = ["auto", "standard", "minmax", "robust", "none"];
const MISSING = ["auto", "observed", "drop", "median", "refuse"];
const RARE = 0.02; // of the rows: where the commonest value is rarer, values say less than their number
const MOST_COLUMNS = 200; // shown at once

/** @param {import("../store.js").Store} store @param {ReturnType<import("../messages.js").makeMessages>} messages */
export function makeData(store, messages) {
  const picker = h("input", { type: "file", class: "file-input", id: "coterie-file", "aria-label": "Open a file", onchange: () => { if (picker.files?.[0]) void open(picker.files[0]); picker.value = ""; } });
  const chooser = h("label", { class: "button", for: "coterie-file" }, "Choose a file");
  const drop = h("div", { class: "drop", "data-testid": "data-drop" },
    h("p", { class: "drop-title" }, "Drop a table here"), h("p", { class: "muted" }, "CSV, Parquet, Excel, JSON … or a workbook. The file stays on this computer."),
    chooser, picker);
  const sets = h("ul", { class: "sets" });
  const about = h("div", { class: "data-about" });
  const columns = h("tbody");
  const choice = (/** @type {string} */ name, /** @type {string[]} */ values) => h("select", { "aria-label": name }, values.map((value) => h("option", { value }, value)));
  const scale = choice("Scaling", SCALES), missing = choice("Missing values", MISSING);
  const apply = button("Apply and cluster again", { class: "primary", "data-testid": "apply-roles", onclick: applyRoles });
  const table = makeTable(store, () => ({ all: true }), 12);
  const known = h("div", { class: "data-known" },
    h("section", { class: "panel", "aria-label": "Columns" }, about,
      h("div", { class: "scroll columns-scroll", tabindex: "0", role: "region", "aria-label": "Columns" }, h("table", { class: "columns-table" },
        h("thead", {}, h("tr", {}, ["column", "kind", "values", "missing", "use", "weight", "why"].map((name) => h("th", { scope: "col" }, name)))), columns)),
      h("div", { class: "data-switches" }, h("label", {}, h("span", { class: "muted" }, "Scaling"), scale), h("label", {}, h("span", { class: "muted" }, "Missing values"), missing), apply)),
    h("section", { class: "panel", "aria-label": "First rows" }, h("h2", { class: "panel-title" }, "Rows"), table.element));
  const welcome = h("div", { class: "welcome" }, h("h2", { class: "headline" }, "Which data?"), h("p", { class: "muted" }, "Open a table, and Coterie looks for groups in it. Then check them, edit them, test them again and export them."));
  const element = h("section", { class: "place data-place", "aria-label": "Data" }, welcome,
    h("div", { class: "data-sources" }, drop, h("div", { class: "sets-holder" }, h("h3", {}, "Or try an example"), sets)), known);

  /** @param {File} file */
  async function open(file) {
    drop.classList.add("is-busy");
    const answer = await store.act(() => store.api.upload(file));
    drop.classList.remove("is-busy");
    if (!answer) return;
    messages.say(`Opened ${file.name}`);
    store.go("groups");
  }

  for (const name of ["dragover", "dragenter"]) element.addEventListener(name, (/** @type {DragEvent} */ event) => { event.preventDefault(); drop.classList.add("is-over"); });
  element.addEventListener("dragleave", () => drop.classList.remove("is-over"));
  element.addEventListener("drop", (/** @type {DragEvent} */ event) => {
    event.preventDefault();
    drop.classList.remove("is-over");
    const file = event.dataTransfer?.files?.[0];
    if (file) void open(file);
  });

  async function applyRoles() {
    /** @type {any} */
    const operation = { op: "roles", columns: {}, weights: {}, scale: scale.value, missing: missing.value };
    for (const row of columns.querySelectorAll("tr[data-column]")) {
      const role = row.querySelector("select"), weight = row.querySelector("input");
      if (role && role.value !== role.dataset.was) operation.columns[row.dataset.column] = role.value;
      if (weight && weight.value !== "" && Number(weight.value) !== Number(weight.dataset.was)) operation.weights[row.dataset.column] = Number(weight.value);
    }
    if (!await store.apply(operation)) return;
    store.go("groups");
    await store.apply({ op: "fit" });
  }

  let isListed = false;
  async function listSets() {
    if (isListed) return;
    isListed = true;
    try {
      const found = await store.api.sets();
      renew(sets, found.map((/** @type {any} */ one) => h("li", {}, h("button", { type: "button", class: "set", "data-set": one.name, onclick: async () => { if (await store.act(() => store.api.open(one.name))) store.go("groups"); } },
        h("strong", {}, one.title ?? one.name), h("span", { class: "muted" }, one.text ?? counted(one.rows, "row"))))));
    } catch { isListed = false; }
  }

  let drawn = "";
  function show() {
    const { state } = store;
    if (!state) return;
    if (store.shownPlace === "data") void listSets();
    welcome.hidden = store.hasData;
    chooser.classList.toggle("primary", !store.hasData);
    known.hidden = !store.hasData;
    element.classList.toggle("has-data", store.hasData);
    if (!store.hasData) return;
    const { data } = state;
    const used = data.columns.filter((/** @type {any} */ column) => isUsed(column)).length;
    renew(about, h("h2", { class: "headline" }, data.name.replace(/^set:/, "")), h("p", { class: "muted" }, data.text || `${counted(data.rows, "row")}, ${whole(used)} of ${counted(data.columns.length, "column")} used`),
      data.problem && h("p", { class: "problem", role: "alert", "data-testid": "problem" }, data.problem));
    const facts = JSON.stringify([state.session, state.opened, data.columns, data.scale, data.missing]);
    if (facts !== drawn) { // else what was chosen here and is not applied yet stays
      drawn = facts;
      renew(columns, data.columns.slice(0, MOST_COLUMNS).map(column), data.columns.length > MOST_COLUMNS && h("tr", {}, h("td", { colspan: "7", class: "muted" }, `and ${whole(data.columns.length - MOST_COLUMNS)} more columns`)));
      scale.value = data.scale ?? "auto";
      missing.value = data.missing ?? "auto";
    }
    apply.disabled = Boolean(store.job);
    if (store.shownPlace === "data") void table.load();
  }
  store.listen((change) => { if (["state", "place", "job"].includes(change)) show(); });
  return element;
}

const isUsed = (/** @type {any} */ column) => column.role === "used";

/** @param {any} one */
function column(one) {
  const asked = one.asked ?? "auto";
  const role = h("select", { "aria-label": `Use ${one.name}`, "data-was": asked, "data-key": `role ${one.name}` }, ROLES.map(([value, text]) => h("option", { value, selected: value === asked }, text)));
  const weight = h("input", { type: "number", class: "number", min: "0.01", max: "1000", step: "any", value: one.weight ?? 1, "data-was": one.weight ?? 1, "aria-label": `Weight of ${one.name}` });
  return h("tr", { "data-column": one.name, class: isUsed(one) ? "" : "is-out" }, h("th", { scope: "row", title: one.name }, one.name), h("td", {}, one.kind),
    h("td", {}, spread(one)), h("td", { class: one.missing > 0 ? "has-gaps" : "has-none" }, one.missing > 0 ? percent(one.missing) : "–"), h("td", {}, role), h("td", {}, weight), h("td", { class: "why" }, one.why ?? ""));
}

/** A histogram, or the commonest values. @param {any} one */
function spread(one) {
  const counts = Array.isArray(one.histogram) ? one.histogram : one.histogram?.counts;
  if (counts?.length && !one.values?.length) {
    const most = Math.max(...counts, 1);
    return s("svg", { class: "histogram", viewBox: `0 0 ${counts.length} 20`, preserveAspectRatio: "none", role: "img", "aria-label": `Histogram of ${one.name}` },
      counts.map((/** @type {number} */ count, /** @type {number} */ at) => s("rect", { x: at + 0.08, width: 0.84, y: 20 - (20 * count) / most, height: (20 * count) / most })));
  }
  if (one.values?.length && one.values[0].share < RARE) return h("span", { class: "values muted" }, `${whole(one.different)} different`);
  if (one.values?.length) return h("span", { class: "values muted", title: one.values.map((/** @type {any} */ value) => `${value.value} ${percent(value.share)}`).join(", ") }, one.values.slice(0, 3).map((/** @type {any} */ value) => `${value.value} ${percent(value.share)}`).join(", "));
  return h("span", { class: "muted" }, "–");
}
