// The evidence: three figures, the sentence about them, what is from before the last edit, and small charts.
import { button, h, renew } from "../dom.js";
import { figure, pValue } from "../format.js";
import { chance, columns, numbers, silhouettes, stabilities, tree } from "./charts.js";

const CHARTS = [["silhouette", "Silhouette"], ["k", "k"], ["tree", "Tree"], ["stability", "Stability"], ["chance", "Chance"], ["columns", "Columns"]];
const DRAW = { silhouette: silhouettes, k: numbers, tree, stability: stabilities, chance, columns };

/** @param {import("../store.js").Store} store */
export function makeEvidence(store) {
  let chosen = "silhouette";
  const figures = h("dl", { class: "figures" });
  const text = h("p", { class: "evidence-text" });
  const stale = h("p", { class: "stale", "data-testid": "stale", role: "status", hidden: true });
  const again = button("Test again", { "data-testid": "test-again", onclick: () => store.apply({ op: "test" }) });
  const chart = h("div", { class: "chart", tabindex: "0", role: "region", "aria-label": "Chart" });
  const tabs = CHARTS.map(([name, said]) => h("button", {
    type: "button", class: "segment", "data-chart": name, onclick: () => { chosen = name; draw(); },
  }, said));
  const element = h("section", { class: "panel evidence-panel", "data-testid": "evidence", "aria-label": "Evidence" },
    h("div", { class: "evidence-said" }, h("div", { class: "evidence-head" }, h("h2", { class: "panel-title" }, "Evidence"), again), figures, stale, text),
    h("div", { class: "evidence-chart" }, h("div", { class: "segments", role: "group", "aria-label": "Charts" }, tabs), chart));

  function draw() {
    const { state } = store;
    if (!state?.data) return;
    const evidence = state.evidence ?? {};
    const isStale = Boolean(evidence.stale ?? state.stale);
    const one = (/** @type {string} */ name, /** @type {string} */ value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));
    renew(figures, one("stability", figure(evidence.stability)), one("p value", evidence.p_text || pValue(evidence.p_value)), one("silhouette", figure(evidence.silhouette)));
    figures.classList.toggle("is-stale", isStale);
    text.textContent = evidence.text ?? "";
    stale.hidden = !isStale;
    stale.textContent = isStale ? evidence.stale_text || "These figures are from before your last edit." : "";
    again.disabled = Boolean(store.job) || store.isBusy || store.groups.length === 0;
    again.textContent = typeof evidence.stability === "number" || evidence.p_text || isStale ? "Test again" : "Test the groups";
    again.classList.toggle("primary", isStale);
    for (const tab of tabs) tab.setAttribute("aria-pressed", String(tab.dataset.chart === chosen));
    chart.setAttribute("aria-label", `Chart: ${chosen}`);
    renew(chart, DRAW[/** @type {keyof typeof DRAW} */ (chosen)](evidence, store));
  }
  store.listen((change) => { if (["state", "labels", "theme", "job", "busy"].includes(change)) draw(); });
  return element;
}
