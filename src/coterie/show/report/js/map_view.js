// The map: every held row a point, lasso and click to select, density of all rows behind a sample.
"use strict";
globalThis.coterie ??= {};

coterie.mapView = (() => {
  const { asText, axis, colorOf, layout, symbolOf, variable, isDark } = coterie.theme;
  const MOST_HOVER_COLUMNS = 6;
  const MARGIN = { l: 48, r: 8, t: 8, b: 44 };
  const FEWEST_FOR_WEBGL = 1000; // points: below, SVG is there sooner than WebGL has started

  // asked when the first map is drawn: a browser takes a while to start WebGL
  let hasWebgl = null;
  function canUseWebgl() {
    if (hasWebgl === null) {
      const canvas = document.createElement("canvas");
      hasWebgl = Boolean(canvas.getContext("webgl2") || canvas.getContext("webgl"));
    }
    return hasWebgl;
  }

  function size(n) {
    return n > 2000 ? 4.5 : n > 600 ? 6 : 8;
  }

  // thousands of texts, which change with the groups alone
  let texts = { of: null };
  function hoverTexts({ facts, grouping }) {
    if (texts.of !== grouping) texts = { of: grouping, all: writeTexts(facts, grouping) };
    return texts.all;
  }

  function writeTexts({ sample, truth }, grouping) {
    return sample.rows.map((_, row) => {
      const label = grouping.labels[row];
      const lines = [`<b>${asText(coterie.selection.nameOf(sample, row))}</b>`];
      lines.push(label < 0 ? "noise" : `group ${label + 1}`);
      if (truth && truth.of_row[row] >= 0) lines.push(`class ${asText(truth.classes[truth.of_row[row]])}`);
      sample.columns.slice(0, MOST_HOVER_COLUMNS).forEach((column, at) =>
        lines.push(`${asText(column)} ${sample.values[at][row] ?? "missing"}`));
      return lines.join("<br>");
    });
  }

  // colours and symbols of the points, by what the reader asked for
  function look({ facts, grouping, colorBy }) {
    const dark = isDark();
    const { sample, truth, palette } = facts;
    if (colorBy === "class" && truth) {
      const of = truth.of_row;
      return { color: of.map((one) => colorOf(palette.length >= 8 ? palette : FALLBACK, one, dark)), symbol: of.map(symbolOf), showscale: false };
    }
    const symbols = grouping.labels.map((label) => symbolOf(label < 0 ? -1 : grouping.colors[label]));
    const values = colorBy === "silhouette" ? grouping.silhouettes : sample.values[Number(colorBy.replace("column ", ""))];
    if (colorBy !== "group" && values) {
      const scale = colorBy === "silhouette" ? { cmin: -1, cmax: 1, colorscale: DIVERGING } : { colorscale: "Cividis" };
      return { color: values, symbol: symbols, showscale: true, ...scale };
    }
    const color = grouping.labels.map((label) => colorOf(palette, label < 0 ? -1 : grouping.colors[label], dark));
    return { color, symbol: symbols, showscale: false };
  }

  const FALLBACK = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#882255", "#332288"];
  const DIVERGING = [[0, "#c1121f"], [0.5, "#d9d9d9"], [1, "#0072b2"]];

  function traces(state, asSvg) {
    const map = state.facts.maps[state.map];
    const { selection } = state;
    const found = [];
    if (map.density) {
      const shade = isDark() ? "255,255,255" : "40,50,60";
      found.push({
        type: "heatmap", x: map.density.x, y: map.density.y, z: map.density.counts.map((row) => row.map(Math.log1p)),
        showscale: false, hoverinfo: "skip", colorscale: [[0, `rgba(${shade},0)`], [1, `rgba(${shade},0.26)`]], zsmooth: "best",
      });
    }
    if (map.links?.length) found.push(lines(map));
    found.push({
      type: !asSvg && map.x.length >= FEWEST_FOR_WEBGL && canUseWebgl() ? "scattergl" : "scatter", mode: "markers", x: map.x, y: map.y,
      marker: {
        size: size(map.x.length), opacity: 0.85, colorbar: { thickness: 10, outlinewidth: 0, len: 0.8 },
        line: { width: 0 }, ...look(state),
      },
      text: hoverTexts(state), hovertemplate: "%{text}<extra></extra>", showlegend: false,
      selectedpoints: selection.isEmpty ? null : selection.rows,
      selected: { marker: { opacity: 1 } }, unselected: { marker: { opacity: 0.09 } },
    });
    return found;
  }

  // what joins linked rows, below the points
  function lines({ x, y, links }) {
    return {
      type: "scatter", mode: "lines", hoverinfo: "skip", showlegend: false, line: { width: 0.7, color: variable("--muted") },
      opacity: links.length > 1000 ? 0.25 : 0.5,
      x: links.flatMap(([one, other]) => [x[one], x[other], null]), y: links.flatMap(([one, other]) => [y[one], y[other], null]),
    };
  }

  function frame(state) {
    const map = state.facts.maps[state.map];
    const bare = { showticklabels: false, ticks: "" };
    const hover = { bgcolor: variable("--surface"), bordercolor: variable("--line"), font: { color: variable("--ink") }, align: "left" };
    return {
      ...layout(), dragmode: "lasso", hovermode: "closest", hoverlabel: hover, margin: MARGIN,
      xaxis: { ...axis(asText(map.x_title)), zeroline: false, ...(map.x_title ? {} : bare) },
      yaxis: { ...axis(asText(map.y_title)), automargin: true, zeroline: false, ...(map.y_title ? {} : bare) },
      modebar: { color: variable("--muted"), activecolor: variable("--accent"), bgcolor: "rgba(0,0,0,0)" },
      uirevision: `map ${state.map}`, selectionrevision: state.selection.about || "none", selections: [],
    };
  }

  // The points on a canvas, about where plotly will put them: there with the words, seconds before plotly is.
  function sketch(element, state) {
    const { width, height } = element.getBoundingClientRect();
    const map = state.facts.maps[state.map];
    const { l, r, t, b } = MARGIN;
    if (width <= l + r || height <= t + b) return null;
    const canvas = document.createElement("canvas");
    const dots = devicePixelRatio || 1;
    canvas.width = width * dots;
    canvas.height = height * dots;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.setAttribute("aria-hidden", "true");
    const pen = canvas.getContext("2d");
    pen.scale(dots, dots);
    pen.globalAlpha = 0.85;
    const x = placeOf(map.x, map.density?.x, l, width - r);
    const y = placeOf(map.y, map.density?.y, height - b, t);
    const { color } = look({ ...state, colorBy: "group" });
    const side = size(map.x.length);
    for (let row = 0; row < map.x.length; row += 1) {
      pen.fillStyle = color[row];
      pen.beginPath();
      pen.arc(x(map.x[row]), y(map.y[row]), side / 2, 0, 2 * Math.PI);
      pen.fill();
    }
    return canvas;
  }

  // as plotly does: the shade takes the whole picture, points alone leave a twentieth at either end
  function placeOf(values, shade, from, to) {
    let low = Infinity;
    let high = -Infinity;
    for (const value of shade ?? values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    const free = shade ? 0 : 0.05;
    const span = high - low || 1;
    return (value) => from + (to - from) * (free + ((1 - 2 * free) * (value - low)) / span);
  }

  function make(element, store) {
    const { state } = store;
    let isDrawn = false;
    const title = document.querySelector("#map-finding");
    const caption = document.querySelector("#map-caption");
    const points = () => element.data.length - 1;
    let isListening = false;

    function tell() {
      title.textContent = state.grouping.map_finding;
      caption.textContent = state.facts.maps[state.map].caption;
      if (!isDrawn) element.replaceChildren(...[sketch(element, state)].filter(Boolean));
    }

    function draw(paper) { // a WebGL canvas prints as an empty box
      if (!isDrawn) element.replaceChildren();
      isDrawn = true;
      Plotly.react(element, traces(state, paper !== null), { ...frame(state), ...paper }, coterie.chartConfig.withButtons);
      coterie.chartConfig.stopOnce(element);
      if (!isListening) listen();
      isListening = true;
    }

    function listen() {
      element.addEventListener("keydown", coterie.chartConfig.walk);
      element.on("plotly_selected", (event) => {
        if (!event?.lassoPoints && !event?.range) return; // plotly also tells of selections that we set ourselves
        const rows = event.points.filter((point) => point.curveNumber === points()).map((point) => point.pointIndex);
        store.select(coterie.selection.make(rows, "drawn on the map"));
      });
      element.on("plotly_deselect", () => store.select(coterie.selection.nothing));
      element.on("plotly_click", (event) => {
        const point = event.points.find((one) => one.curveNumber === points());
        if (point) store.toggleGroup(state.grouping.labels[point.pointIndex]);
      });
    }

    return { element, tell, draw };
  }

  return { make };
})();
