// Everything that the templates wrote: cards, chips, tables and small pictures follow the state by classes.
"use strict";
globalThis.coterie ??= {};

coterie.pageView = (() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  function bind(store) {
    const { state } = store;
    const { truth } = state.facts;
    document.addEventListener("click", (event) => {
      const at = event.target.closest?.("[data-select-group], [data-select-row], [data-select-cell], [data-stop-k], [data-copy]");
      if (!at) return;
      const { selectGroup, selectRow, selectCell, stopK, copy } = at.dataset;
      if (selectGroup !== undefined) store.toggleGroup(Number(selectGroup));
      if (selectRow !== undefined) store.select(coterie.selection.make([Number(selectRow)], "a named row"));
      if (selectCell !== undefined) {
        const [ofClass, group] = selectCell.split(" ").map(Number);
        const about = `class ${truth.classes[ofClass]} in group ${group + 1}`;
        store.select(coterie.selection.where(state.grouping.labels, (label, row) => label === group && truth.of_row[row] === ofClass, about));
      }
      if (stopK !== undefined) {
        const stop = state.facts.stops.findIndex((one) => one.k === Number(stopK));
        if (stop >= 0) store.setStop(stop);
      }
      if (copy !== undefined) copyText(at);
    });
  }

  async function copyText(button) {
    const text = document.getElementById(button.dataset.copy).textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy));
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  }

  function showGrouping({ grouping }) {
    all("[data-stop]").forEach((part) => { part.hidden = Number(part.dataset.stop) !== grouping.stop; });
    all("[data-needs-groups]").forEach((part) => { part.hidden = grouping.k < 2; });
    all("[data-wide-beyond]").forEach((part) => part.classList.toggle("is-wide", grouping.k > Number(part.dataset.wideBeyond)));
    all("[data-only-chosen]").forEach((part) => part.classList.toggle("is-about-other", !grouping.isChosen));
    all("[data-stop-k]").forEach((part) => {
      const isCurrent = Number(part.dataset.stopK) === grouping.k;
      part.classList.toggle("is-current", isCurrent);
      if (part.hasAttribute("aria-pressed")) part.setAttribute("aria-pressed", String(isCurrent));
    });
    const none = document.querySelector("#no-cards");
    if (none) none.hidden = grouping.stop !== null;
  }

  function showSelection({ grouping, selection, facts }) {
    const counts = new Map(coterie.selection.byGroup(selection, grouping.labels));
    document.body.classList.toggle("has-selection", !selection.isEmpty);
    all("[data-group]").forEach((part) => {
      const n = counts.get(Number(part.dataset.group)) ?? 0;
      part.classList.toggle("is-dim", !selection.isEmpty && n === 0);
      part.classList.toggle("is-selected", n > 0);
      const said = part.querySelector(".selected-count");
      if (said) said.textContent = n ? `${n.toLocaleString("en")} selected` : "";
    });
    all("button[data-select-group]").forEach((button) =>
      button.setAttribute("aria-pressed", String((counts.get(Number(button.dataset.selectGroup)) ?? 0) > 0)));
    const chosen = new Set(selection.rows);
    all("[data-select-row]").forEach((part) => part.classList.toggle("is-selected", chosen.has(Number(part.dataset.selectRow))));
    if (facts.truth) {
      const cells = new Set(selection.rows.map((row) => `${facts.truth.of_row[row]} ${grouping.labels[row]}`));
      all("[data-select-cell]").forEach((cell) => cell.classList.toggle("is-selected", cells.has(cell.dataset.selectCell)));
    }
  }

  return { bind, showGrouping, showSelection };
})();
