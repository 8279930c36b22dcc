// Light and dark: colours of the page for the pictures, and colours of groups that can be seen on either.
"use strict";
globalThis.coterie ??= {};

coterie.theme = (() => {
  const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x"];
  const LEAST_LUMINANCE = 0.16; // below this a colour sinks into a dark page

  /** @param {string} name */
  function variable(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }

  function isDark() {
    const told = document.documentElement.dataset.theme;
    if (told === "dark" || told === "light") return told === "dark";
    return matchMedia("(prefers-color-scheme: dark)").matches;
  }

  /** @param {number[]} parts */
  function luminance([red, green, blue]) {
    const linear = (/** @type {number} */ part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  /** Towards white until it stands out from a dark page; the hue stays. @param {string} hex */
  function lighter(hex) {
    let parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    while (luminance(parts) < LEAST_LUMINANCE) parts = parts.map((part) => part + 0.06 * (1 - part));
    return "#" + parts.map((part) => Math.round(part * 255).toString(16).padStart(2, "0")).join("");
  }

  /** @param {string[]} palette @param {number} index @param {boolean} dark */
  function colorOf(palette, index, dark) {
    if (index < 0) return dark ? "#7d8590" : "#a9afb6";
    const hex = palette[index % palette.length];
    return dark ? lighter(hex) : hex;
  }

  /** @param {number} index */
  function symbolOf(index) {
    return index < 0 ? "circle-open" : SYMBOLS[Math.floor(index / 10) % SYMBOLS.length];
  }

  /** The colours of groups as CSS variables, for everything that the templates drew. @param {string[]} palette */
  function paint(palette) {
    const dark = isDark();
    palette.forEach((_, index) =>
      document.documentElement.style.setProperty(`--group-${index}`, colorOf(palette, index, dark)));
  }

  function layout() {
    const font = { family: variable("--font"), size: 12, color: variable("--muted") };
    return { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font };
  }

  /** @param {string} title */
  function axis(title) {
    const line = variable("--line");
    return { title: { text: title, standoff: 8 }, gridcolor: line, zerolinecolor: line, linecolor: line };
  }

  function cycle() {
    const next = isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    return next;
  }

  /** Names come from data: what plotly would read as a tag or an entity must stay text. @param {string} name */
  function asText(name) {
    return String(name).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  }

  return { variable, isDark, lighter, colorOf, symbolOf, paint, layout, axis, cycle, asText };
})();
