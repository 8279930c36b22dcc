// The same page within a notebook (anywidget): messages to the kernel instead of HTTP.
import { start } from "./app.js";
import { overMessages } from "./transport.js";

/** @param {{model: any, el: HTMLElement}} given */
function render({ model, el }) {
  const root = document.createElement("div");
  root.className = "coterie-root coterie-widget";
  const isLight = document.body.dataset.jpThemeLight ?? (document.body.dataset.vscodeThemeKind?.includes("dark") ? "false" : undefined);
  if (isLight !== undefined) root.dataset.theme = isLight === "false" ? "dark" : "light";
  el.append(root);
  const { ready } = start(root, overMessages(model), { isPage: false });
  void ready;
}

export default { render };
