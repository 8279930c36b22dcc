// Keys for everything that is done often, and the sheet that lists them.
import { button, h } from "./dom.js";

const KEYS = [
  ["Ctrl Z", "undo"], ["Ctrl Shift Z", "redo"], ["Ctrl S", "save"], ["Ctrl A", "select all rows (outside of text fields)"], ["Esc", "clear the selection, close what is open"],
  ["on the map: arrows, + −, 0", "pan, zoom, show everything"], ["on the map: Enter", "select the rows in view"],
  ["Shift + lasso or click", "add to the selection"], ["Alt + lasso", "remove from the selection"], ["Space + drag", "pan"], ["double click", "select the whole group"], ["?", "this list"],
];

export function makeHelp() {
  const element = h("dialog", { class: "sheet", "aria-labelledby": "help-title" },
    h("div", { class: "sheet-head" }, h("h2", { id: "help-title" }, "How to use it"), button("Close", { icon: "close", class: "icon-button", onclick: () => element.close() })),
    h("p", {}, "See, edit, test and export groups. Draw around points on the map or pick groups in the list; then merge, split, move or cluster again. Every step can be undone."),
    h("p", {}, "Export gives the labels, the model, the report, or a Python script that repeats what you did to the bit. Nothing leaves this computer."),
    h("dl", { class: "keys" }, KEYS.map(([key, what]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)))));
  return { element, open: () => element.showModal() };
}

const isTyping = (/** @type {EventTarget | null} */ target) => target instanceof Element && Boolean(target.closest("input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]"));

/** @param {HTMLElement} root @param {import("./store.js").Store} store @param {{open(): void}} help @param {boolean} isPage */
export function bindKeys(root, store, help, isPage) {
  const area = isPage ? document : root;
  area.addEventListener("keydown", (given) => {
    const event = /** @type {KeyboardEvent} */ (given);
    const withCtrl = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
    if (withCtrl && key === "s") { event.preventDefault(); void store.act(() => store.api.save(undefined)); return; }
    if (isTyping(event.target)) return;
    if (withCtrl && key === "z") { event.preventDefault(); void (event.shiftKey ? store.redo() : store.undo()); }
    else if (withCtrl && key === "y") { event.preventDefault(); void store.redo(); }
    else if (withCtrl && key === "a" && store.hasData) { event.preventDefault(); store.select(store.rowsUsed()); }
    else if (event.key === "Escape" && !root.querySelector("dialog[open]")) store.select([]);
    else if (event.key === "?") help.open();
  });
}
