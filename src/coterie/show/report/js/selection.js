// A selection is a set of held rows and a word about where it came from. Nothing here touches the page.
"use strict";
globalThis.coterie ??= {};

coterie.selection = (() => {
  const NOTABLE = 0.3; // standard deviations worth a word
  const NUMBER = new Intl.NumberFormat("en"); // toLocaleString makes one for every number

  const nothing = Object.freeze({ rows: [], about: "", isEmpty: true });

  function make(rows, about) {
    const sorted = [...new Set(rows)].sort((a, b) => a - b);
    return sorted.length ? Object.freeze({ rows: sorted, about, isEmpty: false }) : nothing;
  }

  function where(labels, test, about) {
    const rows = [];
    for (let row = 0; row < labels.length; row += 1) if (test(labels[row], row)) rows.push(row);
    return make(rows, about);
  }

  function ofGroup(labels, group) {
    const about = group < 0 ? "noise" : `group ${group + 1}`;
    return where(labels, (label) => label === group, about);
  }

  // how many selected rows each group has, the most first
  function byGroup(selection, labels) {
    const counts = new Map();
    for (const row of selection.rows) counts.set(labels[row], (counts.get(labels[row]) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  }

  // the columns in which the selected rows differ most from all rows, in standard deviations
  function apart(selection, sample) {
    const found = sample.columns.map((column, at) => {
      const known = selection.rows.map((row) => sample.values[at][row]).filter((value) => value !== null);
      const mean = known.reduce((sum, value) => sum + value, 0) / (known.length || 1);
      const spread = sample.spreads[at] || 1;
      return { column, difference: known.length ? (mean - sample.means[at]) / spread : 0, mean };
    });
    found.sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
    return found.filter((one) => Math.abs(one.difference) >= NOTABLE).slice(0, 3);
  }

  function inWords(selection, labels, sample) {
    const n = selection.rows.length;
    const parts = byGroup(selection, labels).slice(0, 4).map(([label, count]) =>
      `${count.toLocaleString("en")} in ${label < 0 ? "noise" : `group ${label + 1}`}`);
    const differs = apart(selection, sample).map(({ column, difference }) =>
      `${column} ${difference > 0 ? "high" : "low"} (${difference > 0 ? "+" : "−"}${Math.abs(difference).toFixed(1)} sd)`);
    const whole = `${n.toLocaleString("en")} row${n === 1 ? "" : "s"}`;
    const name = n === 1 ? ` (${nameOf(sample, selection.rows[0])})` : "";
    return { whole: `${whole}${name}`, groups: parts.join(", "), differs: differs.join(", ") };
  }

  function nameOf(sample, row) {
    return sample.names ? sample.names[row] : `row ${NUMBER.format(sample.rows[row])}`;
  }

  // rows whose name or number fits what was typed; "group 3" means the group
  function search(text, labels, sample) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return nothing;
    const group = /^group\s*(\d+)$/.exec(wanted);
    if (group) return ofGroup(labels, Number(group[1]) - 1);
    const number = /^(?:row\s*)?([\d,]+)$/.exec(wanted);
    const about = `search for “${text.trim()}”`;
    if (number) {
      const row = sample.rows.indexOf(Number(number[1].replaceAll(",", "")));
      if (row >= 0) return make([row], about);
    }
    if (!sample.names) return nothing;
    return where(labels, (_, row) => sample.names[row].toLowerCase().includes(wanted), about);
  }

  return { nothing, make, where, ofGroup, byGroup, apart, inWords, nameOf, search };
})();
