// The method: the catalogue as a form made from the declared parameters, auto first.
import { button, h, renew } from "../dom.js";

/** @param {import("../store.js").Store} store */
export function makeMethod(store) {
  const method = h("select", { "data-testid": "method", id: "coterie-method", onchange: () => showForm() });
  const about = h("p", { class: "muted" });
  const basics = h("div", { class: "fields" }), more = h("div", { class: "fields" });
  const rest = h("details", { class: "limits" }, h("summary", {}, "All parameters"), more);
  const seed = h("input", { type: "number", min: "0", class: "number", value: "0", id: "coterie-seed" });
  const run = button("Find groups", { class: "primary wide", "data-testid": "run", onclick: start });
  const element = h("section", { class: "panel method-panel", "aria-label": "Method" }, h("h2", { class: "headline" }, "Find groups"),
    h("div", { class: "field" }, h("label", { for: "coterie-method" }, "Method"), method, about), basics, rest,
    h("div", { class: "field is-short" }, h("label", { for: "coterie-seed" }, "Seed"), seed),
    h("p", { class: "muted small-text" }, "The new groups replace the current ones; undo brings them back. Locked groups stay only with “Cluster the rest again”."),
    h("div", { class: "panel-foot" }, run));
  /** @type {any[]} */
  let methods = [];
  const FIRST = ["n_clusters", "k", "distance", "metric", "linkage", "eps", "min_samples", "min_cluster_size", "n_components", "budget"];

  function showForm() {
    const chosen = methods.find((one) => one.name === method.value) ?? methods[0];
    if (!chosen) return;
    about.textContent = sentence(chosen.text ?? "");
    const fields = (chosen.parameters ?? []).map(field);
    const first = (chosen.parameters ?? []).map((/** @type {any} */ one) => FIRST.includes(one.name) || chosen.parameters.length <= 4);
    renew(basics, fields.filter((/** @type {any} */ _, /** @type {number} */ at) => first[at]));
    renew(more, fields.filter((/** @type {any} */ _, /** @type {number} */ at) => !first[at]));
    rest.hidden = first.every(Boolean);
  }

  /** @param {any} one */
  function field(one) {
    const id = `coterie-parameter-${one.name}`;
    const shared = { id, "data-parameter": one.name, "data-kind": one.kind, "aria-describedby": one.text ? `${id}-text` : null };
    const usual = one.default === null || one.default === undefined ? "auto" : String(one.default);
    let input;
    if (one.kind === "choice") input = h("select", shared, !one.choices.some((/** @type {any} */ value) => value === one.default) && h("option", { value: "" }, "auto"), one.choices.map((/** @type {any} */ value) => h("option", { value: String(value), selected: value === one.default }, value === null ? "none" : String(value))));
    else if (one.kind === "boolean") input = h("input", { type: "checkbox", checked: Boolean(one.default), ...shared });
    else if (one.kind === "integer" || one.kind === "number") input = h("input", { type: "number", class: "number", placeholder: usual, min: one.least ?? null, max: one.greatest ?? null, step: one.kind === "integer" ? "1" : "any", ...shared });
    else input = h("input", { type: "text", placeholder: usual, ...shared });
    input.dataset.default = one.default === null || one.default === undefined ? "" : String(one.default);
    return h("div", { class: `field${one.kind === "boolean" ? " is-check" : ""}` }, h("label", { for: id }, one.title ?? fieldTitle(one.name)), input, one.text && h("p", { class: "muted small-text", id: `${id}-text` }, one.text));
  }

  /** What was set otherwise than usual. */
  function given() {
    /** @type {Record<string, any>} */
    const found = {};
    for (const input of element.querySelectorAll("[data-parameter]")) {
      const { parameter, kind } = input.dataset;
      const value = kind === "boolean" ? String(input.checked) : input.value.trim();
      if (value === "" || value === input.dataset.default || value.toLowerCase() === input.dataset.default.toLowerCase()) continue;
      // a field of text takes a number or a word such as "auto"
      const isNumber = kind === "integer" || kind === "number" || (kind === "text" && Number.isFinite(Number(value)));
      found[parameter] = kind === "boolean" ? input.checked : isNumber ? Number(value) : value;
    }
    return found;
  }

  async function start() {
    const bad = element.querySelector("input:invalid");
    if (bad) { bad.reportValidity(); return; }
    const chosen = methods.find((one) => one.name === method.value);
    /** @type {any} */
    const operation = { op: "fit", seed: Number(seed.value) || 0 };
    if (method.value !== "auto") operation.method = method.value;
    for (const [name, value] of Object.entries(given())) {
      const isSet = chosen?.parameters.find((/** @type {any} */ one) => one.name === name)?.in_set;
      if (isSet) (operation.set ??= {})[name] = value;
      else operation[name] = value;
    }
    await store.apply(operation);
  }

  let isLoaded = false;
  async function load() {
    if (isLoaded || !store.hasRows) return;
    isLoaded = true;
    try {
      methods = await store.api.methods();
      renew(method, methods.map((one) => h("option", { value: one.name }, one.title ?? one.name)));
      showForm();
    } catch { isLoaded = false; }
  }
  store.listen((change) => {
    if (["state", "place"].includes(change) && store.place === "method") void load();
    if (["state", "job", "busy"].includes(change)) run.disabled = Boolean(store.job) || store.isBusy || !store.hasData;
  });
  return element;
}

/** @param {string} text */
const sentence = (text) => (text ? `${text[0].toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}` : "");

/** @param {string} name */
function fieldTitle(name) {
  if (name === "k") return "Number of groups (k)";
  const text = name.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}
