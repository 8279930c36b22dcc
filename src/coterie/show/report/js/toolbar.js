// The controls: slider over k, colours, search, maps, theme, and what is selected.
"use strict";
globalThis.coterie ??= {};

coterie.toolbar = (() => {
  const one = (selector) => document.querySelector(selector);

  function bind(store, repaint) {
    const { state } = store;
    const { facts } = state;
    const slider = one("#stop");
    slider?.addEventListener("input", () => store.setStop(Number(slider.value)));
    one("#color-by").addEventListener("change", (event) => store.set("colorBy", event.target.value));
    document.querySelectorAll("[data-map]").forEach((button) =>
      button.addEventListener("click", () => store.set("map", Number(button.dataset.map))));
    one("#search").addEventListener("input", (event) =>
      store.select(coterie.selection.search(event.target.value, state.grouping.labels, facts.sample)));
    one("#clear").addEventListener("click", () => store.select(coterie.selection.nothing));
    one("#download").addEventListener("click", () => {
      const rows = state.selection.isEmpty ? facts.sample.rows.map((_, row) => row) : state.selection.rows;
      coterie.csv.download(fileName(facts.title), coterie.csv.ofRows(facts, state.grouping.labels, rows));
    });
    one("#theme").addEventListener("click", () => { coterie.theme.cycle(); repaint(); });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
    addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !state.selection.isEmpty) store.select(coterie.selection.nothing);
    });
  }

  function fileName(title) {
    const stem = title.replace(/\.[A-Za-z0-9]{1,8}$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 40);
    return `${stem || "rows"}-selected.csv`;
  }

  function show({ facts, grouping, selection, map }) {
    const slider = one("#stop");
    if (slider) {
      if (grouping.stop !== null) slider.value = String(grouping.stop);
      const words = grouping.k === 1 ? "no groups" : `${grouping.k.toLocaleString("en")} groups`;
      one("#stop-said").textContent = words;
      slider.setAttribute("aria-valuetext", words + (grouping.isChosen ? `, ${grouping.role}` : ""));
      one("#stop-is").textContent = grouping.role ?? "what if";
      one("#stop-is").classList.toggle("is-chosen", grouping.isChosen);
      const back = one("#back");
      back.hidden = grouping.isChosen;
    }
    document.querySelectorAll("[data-map]").forEach((button) =>
      button.setAttribute("aria-pressed", String(Number(button.dataset.map) === map)));
    const all = facts.sample.rows.length;
    const isSample = all < facts.sample.n_grouped;
    one("#clear").hidden = selection.isEmpty;
    const rows = selection.isEmpty ? all : selection.rows.length;
    one("#download").textContent = `Download ${rows.toLocaleString("en")} ${facts.units[rows === 1 ? 0 : 1]}${isSample ? " of the sample" : ""} as CSV`;
    const said = one("#selected");
    if (selection.isEmpty) {
      said.textContent = `Click a group${facts.tree ? ", a bar or a branch" : " or a bar"}, or draw on the map: every view follows.`;
      return;
    }
    const words = coterie.selection.inWords(selection, grouping.labels, facts.sample);
    said.textContent = [`${words.whole} selected${isSample ? " of the sample" : ""}: ${selection.about}`, words.groups, words.differs]
      .filter(Boolean).join(" · ");
  }

  return { bind, show };
})();
