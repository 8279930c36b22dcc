// Rows to CSV (RFC 4180): quotes where a cell needs them, CRLF between lines.
"use strict";
globalThis.coterie ??= {};

coterie.csv = (() => {
  function cell(value) {
    if (value === null || value === undefined) return "";
    const text = String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function toCsv(header, rows) {
    return [header, ...rows].map((row) => row.map(cell).join(",") + "\r\n").join("");
  }

  // what is written of each row: its number, its name, its group, its class, its values
  function ofRows(facts, labels, chosen) {
    const { sample, truth } = facts;
    const header = ["row"];
    if (sample.names) header.push("name");
    header.push("group");
    if (truth) header.push("class");
    header.push(...sample.columns);
    const rows = chosen.map((row) => {
      const cells = [sample.rows[row]];
      if (sample.names) cells.push(sample.names[row]);
      cells.push(labels[row] < 0 ? "noise" : labels[row] + 1);
      if (truth) cells.push(truth.classes[truth.of_row[row]] ?? null);
      for (const column of sample.values) cells.push(column[row]);
      return cells;
    });
    return toCsv(header, rows);
  }

  function download(name, text) {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  }

  return { toCsv, ofRows, download };
})();
