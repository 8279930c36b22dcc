// The groups: names, sizes, strength; rename, note, colour, lock; noise, sizes, pairs, cluster the rest again.
import { button, h, icon, renew, s } from "../dom.js";
import { counted, figure, percent, whole } from "../format.js";
import { colourOf, seen, shapeOf } from "../map/look.js";
import { isDark } from "../theme.js";

const SWATCHES = 12;
const SEARCH_FROM = 13; // groups
const SHAPES = [
  (/** @type {any} */ given) => s("circle", { cx: 8, cy: 8, r: 6.5, ...given }), (/** @type {any} */ given) => s("rect", { x: 2, y: 2, width: 12, height: 12, ...given }),
  (/** @type {any} */ given) => s("path", { d: "M8 1.5 15 14H1z", ...given }), (/** @type {any} */ given) => s("path", { d: "M8 1l7 7-7 7-7-7z", ...given }),
  (/** @type {any} */ given) => s("path", { d: "M8 14.5 1 2h14z", ...given }),
];

/** The sign of a group: its colour and shape on the map. @param {any} group */
export function sign(group) {
  const fill = seen(colourOf(group), isDark());
  return s("svg", { viewBox: "0 0 16 16", class: "sign", "aria-hidden": "true" }, SHAPES[shapeOf(group)]({ fill }));
}

/** @param {import("../store.js").Store} store */
export function makeGroups(store) {
  const headline = h("h2", { class: "headline" });
  const verdict = h("p", { class: "verdict muted" });
  const notes = h("ul", { class: "notes" });
  const noted = h("details", { class: "noted", hidden: true }, h("summary", {}, "Notes"), notes);
  const search = h("input", { type: "search", class: "filter", placeholder: "Find a group", "aria-label": "Find a group", oninput: () => draw() });
  const list = h("ul", { class: "group-list" });
  const fresh = h("button", { type: "button", class: "row-button", "data-testid": "new-group", onclick: makeNew }, icon("plus"), h("span", {}, "New group from the selection"));
  const noise = h("div", { class: "noise-row" });
  const limits = makeLimits(store);
  const element = h("section", { class: "panel groups-panel", "aria-label": "Groups" },
    h("div", { class: "answer" }, headline, verdict, noted), search, list, h("div", { class: "after-list" }, fresh, noise), limits);
  /** @type {string | null} */
  let opened = null;
  let wantsFocus = "";

  async function makeNew() {
    const before = new Set(store.groups.map((/** @type {any} */ group) => group.id));
    const done = await store.applyToRows({ op: "new" });
    if (!done) return;
    const made = store.groups.find((/** @type {any} */ group) => !before.has(group.id));
    if (made) /** @type {any} */ ([...list.querySelectorAll("[data-testid=rename]")].find((one) => /** @type {any} */ (one).dataset.key === `rename ${made.id}`))?.focus();
  }

  /** @param {any} group @param {"add" | "remove" | "replace"} how */
  const pick = (group, how) => store.select(store.rowsOf(group), how);

  /** @param {any} group @param {Map<number, number>} counts */
  function row(group, counts) {
    const name = store.nameOf(group.label);
    const isPicked = counts.get(group.label) === group.size && group.size > 0;
    const isOpen = opened === group.id;
    const strength = group.strength || "", isOld = Boolean(store.state.stale && strength);
    return h("li", { class: `group-row${isPicked ? " is-picked" : ""}` },
      h("div", { class: "group-line", "data-testid": "group-row", "data-group": group.id },
        h("input", {
          type: "checkbox", class: "pick", checked: isPicked, "aria-label": `Select ${name}`, "data-key": `pick ${group.id}`,
          onchange: (/** @type {any} */ event) => pick(group, event.target.checked ? "add" : "remove"),
        }),
        h("button", {
          type: "button", class: "group-main", "data-key": `group ${group.id}`, "aria-pressed": String(isPicked),
          onclick: (/** @type {MouseEvent} */ event) => pick(group, event.shiftKey || event.ctrlKey || event.metaKey ? (isPicked ? "remove" : "add") : "replace"),
          ondblclick: () => element.querySelector(`[data-key="rename ${group.id}"]`)?.focus(),
        },
        sign(group), h("span", { class: `group-name${group.name ? "" : " is-untitled"}`, "data-testid": "group-name", title: name }, name),
        group.locked && h("span", { class: "locked", title: "Locked" }, icon("lock"), h("span", { class: "sr" }, "locked")),
        h("span", { class: "group-size" }, whole(group.size)),
        h("span", { class: `strength${isOld ? "" : ` is-${strength.split(" ")[0]}`}`, title: isOld ? "From before your last edits" : null }, isOld ? `was ${strength}` : strength)),
        h("span", { class: "group-tools" }, h("input", {
          type: "text", class: "rename", "data-testid": "rename", "data-key": `rename ${group.id}`, value: group.name ?? "", placeholder: name, "aria-label": `Rename ${name}`, title: "Rename", maxlength: "200",
          onfocus: (/** @type {any} */ event) => event.target.select(),
          onkeydown: (/** @type {any} */ event) => renameKey(event, group),
          onblur: (/** @type {any} */ event) => rename(event.target, group),
        }),
        button(`More about ${name}`, { icon: "more", class: "icon-button", "aria-expanded": String(isOpen), "data-key": `more ${group.id}`, onclick: () => { opened = isOpen ? null : group.id; draw(); } }))),
      isOpen && details(group, name));
  }

  /** @param {KeyboardEvent & {target: any}} event @param {any} group */
  function renameKey(event, group) {
    event.stopPropagation();
    if (event.key === "Escape") event.target.value = group.name ?? "";
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    wantsFocus = `group ${group.id}`;
    const main = [...list.querySelectorAll("[data-key]")].find((one) => /** @type {any} */ (one).dataset.key === wantsFocus);
    /** @type {any} */ (main)?.focus();
  }

  /** @param {HTMLInputElement} input @param {any} group */
  function rename(input, group) {
    const name = input.value.trim();
    if (name !== (group.name ?? "")) void store.apply({ op: "rename", group: group.id, name });
  }

  /** @param {any} group @param {string} name */
  function details(group, name) {
    const note = h("textarea", { rows: "2", "aria-label": `Note about ${name}`, placeholder: "A note, kept with the group", "data-key": `note ${group.id}`,
      onblur: () => { if (note.value !== (group.note ?? "")) void store.apply({ op: "note", group: group.id, text: note.value }); } });
    note.value = group.note ?? "";
    const now = colourOf(group);
    const swatches = PALETTE.slice(0, SWATCHES).map((hex, at) => h("button", {
      type: "button", class: "swatch", style: { background: seen(hex, isDark()) }, "aria-label": `Colour ${at + 1}`, "aria-pressed": String(hex === now), "data-key": `swatch ${group.id} ${at}`,
      onclick: () => store.apply({ op: "colour", group: group.id, colour: hex }),
    }));
    return h("div", { class: "group-details" },
      group.features?.length > 0 && h("ul", { class: "features" }, group.features.slice(0, 4).map((/** @type {any} */ one) => h("li", {}, one.text ?? one.column))),
      group.rule && h("p", { class: "rule" }, h("code", {}, typeof group.rule === "string" ? group.rule : group.rule.text)),
      h("p", { class: "muted small-text" }, `${percent(group.share ?? 0)} of the rows${typeof group.stability === "number" ? `, stability ${figure(group.stability)}` : ""}`),
      note, h("div", { class: "swatches", role: "group", "aria-label": `Colour of ${name}` }, swatches),
      h("div", { class: "buttons" },
        button(group.locked ? "Unlock" : "Lock", { class: "small", "data-testid": "lock", "data-key": `lock ${group.id}`, title: "A locked group stays as it is when the rest is clustered again", onclick: () => store.apply({ op: "lock", group: group.id, locked: !group.locked }) }),
        button("Make it noise", { class: "small", "data-key": `noise ${group.id}`, onclick: () => store.applyToRows({ op: "noise" }, store.rowsOf(group)) })));
  }

  function draw() {
    const { state } = store;
    if (!state?.data) return;
    const isFirst = !store.groups.length && store.job;
    const [answer, ...rest] = (state.answer?.headline ?? "").split(/; |\. /);
    const isEdited = Boolean(state.stale);
    const wasTested = typeof state.evidence?.stability === "number" || Boolean(state.evidence?.chance);
    const edited = wasTested ? "edited since it was tested" : "edited, not tested";
    headline.textContent = isFirst ? "Looking for groups…" : isEdited ? counted(store.groups.length, "group") : answer;
    verdict.textContent = isFirst ? "" : [state.answer?.method, ...(isEdited ? [edited] : rest)].filter(Boolean).join(" · ");
    noted.hidden = !state.answer?.notes?.length;
    noted.firstElementChild.textContent = counted(state.answer?.notes?.length ?? 0, "note");
    renew(notes, (state.answer?.notes ?? []).map((/** @type {string} */ note) => h("li", {}, note)));
    const wanted = search.value.trim().toLowerCase();
    search.hidden = store.groups.length < SEARCH_FROM;
    const counts = store.byLabel();
    const shown = store.groups.filter((/** @type {any} */ group) => search.hidden || store.nameOf(group.label).toLowerCase().includes(wanted));
    renew(list, shown.map((/** @type {any} */ group) => row(group, counts)),
      !store.groups.length && !store.job && h("li", { class: "empty" }, "No groups yet. Choose rows on the map and make a group of them, or run a method."),
      store.groups.length > 0 && !shown.length && h("li", { class: "empty" }, "No group has this name."));
    fresh.disabled = !store.selection.length || Boolean(store.job);
    fresh.title = store.selection.length ? "" : "Select rows first";
    const size = state.noise?.size ?? 0;
    renew(noise, h("button", { type: "button", class: "group-main", "data-testid": "noise-row", disabled: !size, "data-key": "noise", onclick: () => store.select(store.rowsOf("noise")) },
      h("i", { class: "dot noise-dot" }), h("span", { class: "group-name" }, "noise"), h("span", { class: "group-size" }, whole(size))));
    limits.show();
  }
  store.listen((change) => { if (["state", "labels", "selection", "theme", "job"].includes(change)) draw(); });
  return element;
}

/** Sizes, pairs, and clustering the rest again. @param {import("../store.js").Store} store */
function makeLimits(store) {
  const field = (/** @type {string} */ name) => h("input", { type: "number", min: "1", class: "number", "aria-label": name, placeholder: "any" });
  const least = field("Smallest size"), most = field("Largest size");
  const value = (/** @type {HTMLInputElement} */ input) => (input.value === "" ? null : Number(input.value));
  const k = h("input", { type: "number", min: "1", class: "number", "aria-label": "Number of groups for the rest", placeholder: "auto" });
  const pairs = h("ul", { class: "pairs" });
  const again = button("Cluster the rest again", { "data-testid": "cluster-rest", class: "wide", onclick: () => store.apply({ op: "cluster_rest", ...(value(k) ? { k: value(k) } : {}) }) });
  const said = h("p", { class: "muted small-text" });
  const summary = h("summary", {}, "Size limits and clustering again");
  const element = h("details", { class: "limits" }, summary,
    h("div", { class: "limit-line" }, h("span", {}, "Sizes from"), least, h("span", {}, "to"), most,
      button("Set", { class: "small", "data-testid": "sizes", onclick: () => store.apply({ op: "sizes", min: value(least), max: value(most) }) })),
    pairs, h("div", { class: "limit-line" }, h("span", {}, "Groups in the rest"), k), again, said);

  let drawn = "";
  element.show = () => {
    const { state } = store;
    const { min = null, max = null } = state.sizes ?? {};
    const limits = `${min} ${max}`;
    if (limits !== drawn) { // else what was typed and is not set yet stays
      drawn = limits;
      least.value = min ?? "";
      most.value = max ?? "";
    }
    const { together = [], apart = [] } = state.pairs ?? {};
    const line = (/** @type {any} */ rows, /** @type {string} */ text) => {
      const list = Array.isArray(rows) ? rows : rows.rows ?? [];
      const shown = list.slice(0, 3).map((/** @type {number} */ row) => whole(row + 1)).join(", ");
      const about = `rows ${shown}${list.length > 3 ? ` and ${list.length - 3} more` : ""} ${text}`;
      return h("li", {}, h("button", { type: "button", class: "link", onclick: () => store.select(list) }, about),
        button(`Forget: ${about}`, { icon: "close", class: "icon-button", onclick: () => store.apply({ op: "free", rows: list }) }));
    };
    renew(pairs, together.map((/** @type {any} */ rows) => line(rows, "stay together")), apart.map((/** @type {any} */ rows) => line(rows, "stay apart")));
    const locked = store.groups.filter((/** @type {any} */ group) => group.locked).length;
    again.disabled = Boolean(store.job) || !store.hasData;
    said.textContent = locked ? `${counted(locked, "locked group")} will stay as ${locked === 1 ? "it is" : "they are"}.` : "Lock the groups to keep: all others are clustered again.";
  };
  return element;
}
