// Elements from plain calls. Text goes in as text nodes only: a name from data can never become markup.

/** @typedef {Node | string | number | null | undefined | false} Child */

/**
 * Make an element: `h("button", {class: "quiet", onclick: run}, "Run")`.
 * @param {string} tag
 * @param {Record<string, any>} [given] attributes; `on...` are listeners, `style` is a map of properties
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function h(tag, given = {}, ...children) {
  return fill(document.createElement(tag), given, children);
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * The same for SVG.
 * @param {string} tag
 * @param {Record<string, any>} [given]
 * @param {...(Child | Child[])} children
 * @returns {any}
 */
export function s(tag, given = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), given, children);
}

/** @param {any} element @param {Record<string, any>} given @param {any[]} children */
function fill(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, one);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") element[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  add(element, children);
  return element;
}

/** @param {Element} element @param {any[]} children */
function add(element, children) {
  for (const child of children.flat(3)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : String(child));
  }
}

/**
 * Put new children into an element; what has the focus and a `data-key` keeps it, and what is being typed there.
 * @param {Element} element @param {...any} children
 */
export function renew(element, ...children) {
  const active = /** @type {any} */ (element.getRootNode());
  const focused = active.activeElement;
  const key = focused && element.contains(focused) ? focused.dataset?.key : null;
  const typed = key && (focused.type === "text" || focused.type === "textarea") ? [focused.value, focused.selectionStart, focused.selectionEnd] : null;
  const top = element.scrollTop;
  const quietly = (/** @type {Event} */ event) => event.stopImmediatePropagation(); // nobody has left the field
  for (const name of ["blur", "change"]) active.addEventListener(name, quietly, true);
  element.replaceChildren();
  for (const name of ["blur", "change"]) active.removeEventListener(name, quietly, true);
  add(element, children);
  element.scrollTop = top;
  if (key) {
    const again = [...element.querySelectorAll("[data-key]")].find((one) => /** @type {any} */ (one).dataset.key === key);
    if (again && typed) /** @type {any} */ (again).value = typed[0];
    if (again) /** @type {any} */ (again).focus({ preventScroll: true });
    if (again && typed) /** @type {any} */ (again).setSelectionRange(typed[1], typed[2]);
  }
}

const ICONS = {
  undo: "M9 14 4 9l5-5M4 9h10a6 6 0 0 1 0 12h-3",
  redo: "M15 14l5-5-5-5M20 9H10a6 6 0 0 0 0 12h3",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M5 11h14v10H5z",
  unlock: "M7 11V8a5 5 0 0 1 9.6-2M5 11h14v10H5z",
  more: "M5 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M12 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2M19 11a1 1 0 1 0 0 2 1 1 0 0 0 0-2",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  lasso: "M12 4c5 0 9 2.5 9 6s-4 6-9 6-9-2.5-9-6 4-6 9-6zM7 16c-1 2-.5 4 1.5 4.5",
  hand: "M12 3v18M3 12h18M12 3l-3 3M12 3l3 3M12 21l-3-3M12 21l3-3M3 12l3-3M3 12l3 3M21 12l-3-3M21 12l-3 3",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.5 1.5M17.5 17.5 19 19M5 19l1.5-1.5M17.5 6.5 19 5",
  play: "M7 4v16l13-8z", pause: "M8 4v16M16 4v16", next: "M6 4v16l10-8zM19 4v16", back: "M18 4v16L8 12zM5 4v16",
  view: "M3 12s3.5-6 9-6 9 6 9 6-3.5 6-9 6-9-6-9-6M12 9.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  history: "M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4M12 8v4l3 2", close: "M6 6l12 12M18 6 6 18", down: "M6 9l6 6 6-6",
};

/** @param {keyof typeof ICONS} name */
export function icon(name) {
  return s("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));
}

/**
 * A button with a name for everybody.
 * @param {string} text @param {Record<string, any>} given
 */
export function button(text, given = {}) {
  const { icon: picture, ...rest } = given;
  if (!picture) return h("button", { type: "button", ...rest }, text);
  return h("button", { type: "button", "aria-label": text, title: text, ...rest }, icon(picture));
}

/** @param {(...given: any[]) => void} run @param {number} wait */
export function debounce(run, wait) {
  let timer = 0;
  return (/** @type {any[]} */ ...given) => {
    clearTimeout(timer);
    timer = window.setTimeout(() => run(...given), wait);
  };
}
