// Pictures that plotly draws: those in view first, the others when the browser has time. To start plotly takes
// longer than all the rest of the page, so it waits until the answer has been painted.
"use strict";
globalThis.coterie ??= {};

coterie.pictures = (() => {
  const LONGEST_WAIT = 1000; // ms for a browser that never has time

  function startPlotly() {
    const held = document.getElementById("plotly");
    if (!held) return;
    const script = document.createElement("script");
    script.textContent = held.textContent;
    held.remove();
    document.head.append(script); // runs before append returns
  }

  function isInView(element) {
    const { top, bottom } = element.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  }

  // a page in a hidden tab is never painted
  const painted = () => new Promise((resolve) => {
    if (document.hidden) setTimeout(resolve);
    else requestAnimationFrame(() => setTimeout(resolve));
  });

  const idle = () => new Promise((resolve) => {
    if (globalThis.requestIdleCallback) requestIdleCallback(resolve, { timeout: LONGEST_WAIT });
    else setTimeout(resolve, 100);
  });

  // views: {element, tell, draw}; tell writes words and may be called at any time, draw needs plotly
  function make(views) {
    const drawn = new Set();

    function draw(view, paper = null) {
      startPlotly();
      drawn.add(view);
      view.draw(paper);
    }

    function follow() {
      for (const view of views) {
        view.tell();
        if (drawn.has(view)) view.draw(null);
      }
    }

    async function open(isReady, isDrawn) {
      await painted();
      views.filter((view) => isInView(view.element)).forEach((view) => draw(view));
      isReady();
      for (const view of views) {
        await idle();
        if (!drawn.has(view)) draw(view);
      }
      isDrawn();
    }

    const drawAll = (paper) => views.forEach((view) => draw(view, paper));
    return { follow, open, drawAll };
  }

  return { make };
})();
