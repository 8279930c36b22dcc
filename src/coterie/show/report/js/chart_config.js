// What every chart is told: buttons that stay on the page, and no address to send anything to.
"use strict";
globalThis.coterie ??= {};

coterie.chartConfig = (() => {
  // a list of what is there, not of what is left out: the next release of plotly may bring buttons we do not know
  const BUTTONS = [
    ["toImage"], ["zoom2d", "pan2d", "select2d", "lasso2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"],
  ];

  const CONFIG = Object.freeze({
    responsive: true, scrollZoom: false, displaylogo: false, modeBarButtons: BUTTONS,
    plotlyServerURL: "", showSendToCloud: false, showEditInChartStudio: false, showLink: false,
  });

  // a policy cannot forbid a new window, and nothing here needs one
  globalThis.open = () => null;

  // one stop of the Tab key for the whole bar; the arrow keys go on from there
  function stopOnce(chart) {
    const buttons = [...chart.querySelectorAll(".modebar-btn")];
    const first = buttons.find((button) => button === document.activeElement) ?? buttons[0];
    for (const button of buttons) button.tabIndex = button === first ? 0 : -1;
    const bar = buttons[0]?.closest(".modebar");
    bar?.setAttribute("role", "toolbar");
    bar?.setAttribute("aria-label", "Chart");
  }

  function walk(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step || !event.target.matches?.(".modebar-btn")) return;
    const buttons = [...event.currentTarget.querySelectorAll(".modebar-btn")];
    const next = buttons.at((buttons.indexOf(event.target) + step) % buttons.length);
    for (const button of buttons) button.tabIndex = button === next ? 0 : -1;
    next.focus();
    event.preventDefault();
  }

  const withoutButtons = Object.freeze({ ...CONFIG, displayModeBar: false });
  return { withButtons: CONFIG, withoutButtons, stopOnce, walk };
})();
