// Short messages at the foot of the page: what was done, what was refused and how to fix it.
import { button, h } from "./dom.js";

const SHOWN_MS = 4000;

export function makeMessages() {
  const element = h("div", { class: "messages", role: "status", "aria-live": "polite" });

  /** @param {string} text @param {string} [kind] "error" stays until it is closed, or until something else is done */
  function say(text, kind = "done") {
    const old = [...element.children].find((one) => /** @type {any} */ (one).dataset.text === text);
    old?.remove();
    const note = h("div", { class: `message message-${kind}`, "data-text": text, "data-testid": "message" }, h("span", {}, text),
      button("Close this message", { icon: "close", class: "icon-button", onclick: () => note.remove() }));
    element.append(note);
    while (element.children.length > 3) element.firstElementChild?.remove();
    if (kind !== "error") setTimeout(() => note.remove(), SHOWN_MS);
  }

  /** Take away what was refused: the next thing was not. */
  function forgive() { for (const note of element.querySelectorAll(".message-error")) note.remove(); }

  return { element, say, forgive };
}
