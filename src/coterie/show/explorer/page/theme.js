// Light and dark, as the reader chose or as the system says; the colours are the report's.
import "../../report/js/theme.js";

const KEY = "coterie-theme";

/** The element that carries the colours: the page, or the widget within a notebook. @type {HTMLElement} */
let carrier = document.documentElement;

/** @param {HTMLElement} root */
export function setCarrier(root) {
  carrier = /** @type {HTMLElement} */ (root.closest(".coterie-root") ?? document.documentElement);
  const told = carrier.dataset.theme ?? read();
  if (told) carrier.dataset.theme = told;
}

export function isDark() {
  const told = carrier.dataset.theme;
  if (told === "dark" || told === "light") return told === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {string} name */
export const variable = (name) => getComputedStyle(carrier).getPropertyValue(name).trim();

export function switchTheme() {
  carrier.dataset.theme = isDark() ? "light" : "dark";
  try { localStorage.setItem(KEY, carrier.dataset.theme); } catch { /* private windows keep nothing */ }
}

function read() {
  try {
    const told = localStorage.getItem(KEY);
    return told === "dark" || told === "light" ? told : null;
  } catch { return null; }
}
