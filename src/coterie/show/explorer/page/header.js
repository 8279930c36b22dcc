// The head of the page: whose rows, the places, undo, save, export.
import { button, h, icon } from "./dom.js";
import { counted } from "./format.js";
import { switchTheme } from "./theme.js";

const PLACES = [["data", "Data"], ["groups", "Groups"], ["method", "Method"], ["compare", "Compare"], ["teach", "Teach"]];
const EXPORTS = [
  ["labels.csv", "Labels (CSV)", "every row with its group"], ["labels.parquet", "Labels (Parquet)", "the same for large data"],
  ["script", "Python script", "repeats every step, same labels"], ["report", "Report (HTML)", "one file, works offline"],
  ["model", "Model", "for coterie predict"], ["workbook", "Workbook", "to go on later or elsewhere"],
];

/** @param {import("./store.js").Store} store @param {{open(): void}} help @param {{open(): void}} history @param {ReturnType<import("./messages.js").makeMessages>} messages */
export function makeHeader(store, help, history, messages) {
  const title = h("h1", { class: "file-name" }, "Coterie");
  const rows = h("span", { class: "muted rows-said" });
  const tabs = PLACES.map(([name, text]) => h("button", {
    type: "button", class: "tab", "data-place": name, "data-testid": name === "compare" ? "compare" : `place-${name}`, onclick: () => store.go(name),
  }, text));
  const undo = button("Undo", { icon: "undo", class: "icon-button", "data-testid": "undo", onclick: store.undo });
  const redo = button("Redo", { icon: "redo", class: "icon-button", "data-testid": "redo", onclick: store.redo });
  const past = button("What you did", { icon: "history", class: "icon-button", "data-testid": "history", onclick: history.open });
  const save = button("Save", { class: "small", "data-testid": "save", onclick: async () => {
    if (store.state.can_save === false) { await menu.take("workbook", "Workbook"); return; }
    const answer = await store.act(() => store.api.save(undefined));
    if (answer) { await store.refresh(); messages.say(store.state.saved_as ? `Saved as ${store.state.saved_as}` : "Saved"); }
  } });
  const menu = makeExport(store, messages);
  const theme = button("Light or dark", { icon: "sun", class: "icon-button", "data-testid": "theme", onclick: () => { switchTheme(); store.tell("theme"); } });
  const about = h("button", { type: "button", class: "icon-button", "aria-label": "Help and keys", title: "Help and keys", "data-testid": "help", onclick: help.open }, "?");

  function show() {
    const { state } = store;
    const hasData = store.hasData;
    title.textContent = hasData ? state.data.name.replace(/^set:/, "") : "Coterie";
    title.title = hasData ? state.data.name : "";
    rows.textContent = hasData ? counted(state.data.rows, "row") : "";
    const place = store.shownPlace;
    for (const tab of tabs) {
      if (tab.dataset.place === place) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
      tab.disabled = !store.hasRows && !["data", "teach"].includes(tab.dataset.place);
    }
    const isFree = hasData && !store.job && !store.isBusy;
    undo.disabled = !(isFree && state.can_undo);
    redo.disabled = !(isFree && state.can_redo);
    undo.title = state?.can_undo ? `Undo: ${state.log?.[state.position - 1]?.text ?? "the last step"} (Ctrl+Z)` : "Nothing to undo";
    redo.title = state?.can_redo ? `Redo: ${state.log?.[state.position]?.text ?? "the next step"} (Ctrl+Shift+Z)` : "Nothing to redo";
    past.disabled = save.disabled = !hasData;
    save.textContent = state?.dirty === false && state?.saved_as ? "Saved" : "Save";
    save.title = state?.saved_as ? `Saved as ${state.saved_as}` : state?.can_save === false ? "Download the workbook" : "Save the workbook beside the data (Ctrl+S)";
    menu.enable(hasData && store.groups.length > 0);
  }
  store.listen((change) => { if (["state", "place", "job", "busy"].includes(change)) show(); });
  show();
  return h("header", { class: "header" },
    h("div", { class: "file" }, title, rows),
    h("nav", { class: "tabs", "aria-label": "Places" }, tabs),
    h("div", { class: "tools" }, undo, redo, past, h("span", { class: "rule-v" }), save, menu.element, h("span", { class: "rule-v" }), theme, about));
}

/** @param {import("./store.js").Store} store @param {ReturnType<import("./messages.js").makeMessages>} messages */
function makeExport(store, messages) {
  const list = h("div", { class: "menu", hidden: true }, EXPORTS.map(([what, name, about]) => h("button", {
    type: "button", class: "menu-item", "data-testid": `export-${what}`, onclick: () => take(what, name),
  }, h("span", {}, name), h("span", { class: "muted" }, about))));
  const opener = h("button", { type: "button", class: "small primary", "data-testid": "export", "aria-expanded": "false", onclick: () => open(list.hidden) }, "Export", icon("down"));
  const element = h("div", { class: "menu-holder" }, opener, list);

  /** @param {boolean} isOpen */
  function open(isOpen) {
    list.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) list.querySelector("button").focus();
  }
  element.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const items = [...list.children], at = items.indexOf(document.activeElement);
    if (event.key === "Escape" && !list.hidden) { event.stopPropagation(); open(false); opener.focus(); }
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (list.hidden) open(true);
      else items[(at + (event.key === "ArrowDown" ? 1 : items.length - 1)) % items.length].focus();
    }
  });
  element.addEventListener("focusout", (/** @type {FocusEvent} */ event) => { if (!element.contains(/** @type {Node} */ (event.relatedTarget))) open(false); });

  /** @param {string} what @param {string} name */
  async function take(what, name) {
    open(false);
    opener.focus();
    messages.say(`Making the file: ${name}`);
    try {
      const file = await store.api.download(what);
      const link = h("a", { href: URL.createObjectURL(file.blob), download: file.name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    } catch (error) { messages.say(/** @type {Error} */ (error).message, "error"); }
  }
  return { element, take, enable: (/** @type {boolean} */ is) => { opener.disabled = !is; } };
}
