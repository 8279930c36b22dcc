// The silhouette plot: rows sorted within their group; of many rows, a bar is the mean of a few neighbours.
"use strict";
globalThis.coterie ??= {};

coterie.silhouetteView = (() => {
  const { axis, colorOf, isDark, layout, variable } = coterie.theme;
  const MOST_BARS = 420;

  // bars from top to bottom: the rows of each, their mean, their group
  function bars(labels, values, k) {
    const byGroup = Array.from({ length: k }, () => []);
    labels.forEach((label, row) => { if (label >= 0 && values[row] !== null) byGroup[label].push(row); });
    const total = byGroup.reduce((sum, rows) => sum + rows.length, 0);
    const perBar = Math.max(1, Math.ceil(total / MOST_BARS));
    const found = [];
    let at = 0;
    byGroup.forEach((rows, group) => {
      rows.sort((a, b) => values[b] - values[a] || a - b);
      for (let start = 0; start < rows.length; start += perBar) {
        const part = rows.slice(start, start + perBar);
        const mean = part.reduce((sum, row) => sum + values[row], 0) / part.length;
        found.push({ group, rows: part, mean, at });
        at += 1;
      }
      at += Math.max(1, Math.round(0.012 * MOST_BARS)); // a gap between groups
    });
    return found;
  }

  function marks(found, grouping) {
    const ends = new Map();
    for (const bar of found) {
      const known = ends.get(bar.group) ?? { first: bar.at, last: bar.at, sum: 0, n: 0 };
      known.last = bar.at;
      known.sum += bar.mean * bar.rows.length;
      known.n += bar.rows.length;
      ends.set(bar.group, known);
    }
    const few = ends.size <= 24;
    return [...ends].map(([group, { first, last, sum, n }]) => ({
      xref: "x", yref: "y", x: 1.02, y: (first + last) / 2, xanchor: "left", showarrow: false,
      text: few ? `${group + 1}: ${(sum / n).toFixed(2)}` : `${group + 1}`,
      font: { size: few ? 12 : 9, color: variable("--ink") },
    })).filter((_, at) => few || at % Math.ceil(ends.size / 30) === 0);
  }

  function make(element, store) {
    const { state } = store;
    const title = document.querySelector("#silhouette-finding");
    const misplaced = document.querySelector("#select-misplaced");
    let found = [];
    let isListening = false;

    function tell() {
      const { grouping } = state;
      title.textContent = grouping.silhouette_finding;
      const has = Boolean(grouping.silhouettes);
      element.hidden = !has;
      document.querySelector("#silhouette-hint").hidden = has;
      const negative = has ? grouping.silhouettes.filter((value) => value !== null && value < 0).length : 0;
      misplaced.hidden = negative === 0;
      misplaced.textContent = `Select the ${negative === 1 ? "row" : `${negative.toLocaleString("en")} rows`} below zero`;
    }

    function draw(paper) {
      const { grouping, selection, facts } = state;
      if (!grouping.silhouettes) return;
      found = bars(grouping.labels, grouping.silhouettes, grouping.k);
      const chosen = new Set(selection.rows);
      const share = (bar) => bar.rows.filter((row) => chosen.has(row)).length / bar.rows.length;
      const known = grouping.silhouettes.filter((value) => value !== null);
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
      const trace = {
        type: "bar", orientation: "h", x: found.map((bar) => bar.mean), y: found.map((bar) => bar.at), width: 1,
        marker: {
          color: found.map((bar) => colorOf(facts.palette, grouping.colors[bar.group], isDark())), line: { width: 0 },
          opacity: selection.isEmpty ? 1 : found.map((bar) => 0.13 + 0.87 * share(bar)),
        },
        text: found.map((bar) => `group ${bar.group + 1}, ${bar.rows.length === 1
          ? coterie.theme.asText(coterie.selection.nameOf(facts.sample, bar.rows[0])) : `${bar.rows.length} rows`}`),
        hovertemplate: "%{text}: %{x:.2f}<extra></extra>", textposition: "none",
      };
      const meanLine = {
        type: "line", xref: "x", yref: "paper", x0: mean, x1: mean, y0: 0, y1: 1,
        line: { color: variable("--ink"), width: 1, dash: "dot" },
      };
      Plotly.react(element, [trace], {
        ...layout(), bargap: 0, margin: { l: 12, r: 56, t: 8, b: 40 }, dragmode: "select", hovermode: "closest",
        shapes: [meanLine], annotations: marks(found, grouping), selectdirection: "v", selections: [],
        xaxis: { ...axis("silhouette"), range: [Math.min(-0.1, ...found.map((bar) => bar.mean)) - 0.02, 1.02], zeroline: true },
        yaxis: { autorange: "reversed", visible: false }, ...paper,
      }, coterie.chartConfig.withoutButtons);
      listen();
    }

    function listen() {
      if (isListening || !element.on) return; // plotly has not drawn here yet
      isListening = true;
      element.on("plotly_click", (event) => {
        const bar = found[event.points[0].pointIndex];
        const about = bar.rows.length === 1 ? "a bar of the silhouette" : `${bar.rows.length} rows of a bar`;
        store.select(coterie.selection.make(bar.rows, about));
      });
      element.on("plotly_selected", (event) => {
        if (!event?.points.length) return;
        store.select(coterie.selection.make(event.points.flatMap((point) => found[point.pointIndex].rows), "drawn on the silhouette"));
      });
    }

    misplaced.addEventListener("click", () => store.select(coterie.selection.where(
      state.grouping.labels, (_, row) => (state.grouping.silhouettes[row] ?? 0) < 0, "nearer to another group")));
    return { element, tell, draw };
  }

  return { make, bars };
})();
