// Everything that was done, in order; a click goes back to any of it.
import { button, h, renew } from "./dom.js";

/** @param {import("./store.js").Store} store */
export function makeHistory(store) {
  const list = h("ol", { class: "history-list" });
  const element = h("dialog", { class: "sheet", "aria-labelledby": "history-title" },
    h("div", { class: "sheet-head" }, h("h2", { id: "history-title" }, "What you did"), button("Close", { icon: "close", class: "icon-button", onclick: () => element.close() })),
    h("p", { class: "muted" }, "Choose a step to go back to it. Later steps stay until you change something."), list);

  function draw() {
    const { log = [], position = 0 } = store.state ?? {};
    const step = (/** @type {number} */ at, /** @type {string} */ text, /** @type {string} */ when) => h("li", {},
      h("button", {
        type: "button", class: `history-step${at > position ? " is-undone" : ""}`, "aria-current": at === position ? "step" : null, "data-key": `step ${at}`,
        onclick: () => store.act(() => store.api.jump(at)),
      }, h("span", {}, text), h("span", { class: "muted" }, when)));
    renew(list, step(0, "The data as opened", ""), log.map((/** @type {any} */ one, /** @type {number} */ at) => step(at + 1, one.text ?? one.op, time(one.at))));
  }
  store.listen((change) => { if (change === "state" && element.open) draw(); });
  return {
    element,
    open() { draw(); element.showModal(); list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" }); },
  };
}

/** @param {string | undefined} at */
function time(at) {
  const when = at ? new Date(at) : null;
  return when && !Number.isNaN(when.getTime()) ? when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
}
