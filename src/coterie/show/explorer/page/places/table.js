// A table of rows, a page at a time, as the server cuts it.
import { button, h, renew } from "../dom.js";
import { whole } from "../format.js";
import { NOTHING, asPayload } from "../rows.js";

const PAGE = 25;

/** @param {import("../store.js").Store} store @param {() => {rows?: Int32Array, all?: boolean}} wanted @param {number} [page] */
export function makeTable(store, wanted, page = PAGE) {
  let offset = 0;
  /** @type {null | {column: string, descending: boolean}} */
  let sort = null;
  /** @type {Int32Array | undefined} */
  let last;
  const head = h("thead"), body = h("tbody");
  const said = h("span", { class: "muted" });
  const back = button("Previous rows", { icon: "back", class: "icon-button", onclick: () => turn(-page) });
  const next = button("Next rows", { icon: "next", class: "icon-button", onclick: () => turn(page) });
  const element = h("div", { class: "rows" }, h("div", { class: "rows-head" }, said, back, next),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Rows" }, h("table", {}, head, body)));

  /** @param {number} by */
  function turn(by) { offset = Math.max(0, offset + by); void load(); }

  async function load() {
    const { rows, all } = wanted();
    if (rows !== last) { offset = 0; last = rows; }
    try {
      if (all || sort) show(await store.api.rows({ ...(all ? {} : asPayload(rows ?? NOTHING)), offset, limit: page, ...(sort ? { sort } : {}) }));
      else if (rows?.length) { // a page of a million rows needs no list of a million rows
        const found = await store.api.rows({ rows: Array.from(rows.subarray(offset, offset + page)), offset: 0, limit: page });
        if (rows === wanted().rows) show({ ...found, total: rows.length });
      }
    } catch { renew(body); }
  }

  /** @param {any} found */
  function show(found) {
    said.textContent = found.total ? `${whole(offset + 1)} to ${whole(Math.min(found.total, offset + page))} of ${whole(found.total)}` : "no rows";
    back.disabled = offset === 0;
    next.disabled = offset + page >= found.total;
    const isText = found.columns.map((/** @type {any} */ _, /** @type {number} */ at) => found.cells.some((/** @type {any[]} */ cells) => /[^-+\d.,:/eE%\s−]/.test(String(cells[at] ?? ""))));
    const side = (/** @type {number} */ at) => (isText[at] ? "is-text" : null);
    renew(head, h("tr", {}, h("th", { scope: "col" }, "row"), found.columns.map((/** @type {string} */ name, /** @type {number} */ at) => {
      const isBy = sort?.column === name;
      return h("th", { scope: "col", class: side(at), "aria-sort": isBy ? (sort?.descending ? "descending" : "ascending") : null },
        h("button", { type: "button", class: "sort", "data-key": `sort ${name}`, onclick: () => { sort = isBy && sort?.descending ? null : { column: name, descending: isBy }; offset = 0; void load(); } }, name, isBy ? (sort?.descending ? " ↓" : " ↑") : ""));
    })));
    renew(body, found.rows.map((/** @type {number} */ row, /** @type {number} */ at) => h("tr", {},
      h("th", { scope: "row" }, h("button", { type: "button", class: "link", "aria-label": `Select row ${row + 1}`, onclick: () => store.select([row]) }, whole(row + 1))),
      found.cells[at].map((/** @type {any} */ cell, /** @type {number} */ place) => h("td", { class: side(place), title: String(cell ?? "").length > 30 ? String(cell) : null }, cell ?? "")))));
  }
  return { element, load };
}
