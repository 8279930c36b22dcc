// Puts the page together once its text is there.
"use strict";

(() => {
  const PAPER = { width: 600, height: 420, autosize: false };
  const facts = JSON.parse(document.getElementById("facts").textContent);
  const { theme, pageView, toolbar } = coterie;
  theme.paint(facts.palette);
  const store = coterie.state.make(facts);
  coterie.store = store;
  const { state } = store;
  pageView.bind(store);
  coterie.scrollCue.bind();

  const pictures = coterie.pictures.make([
    coterie.mapView.make(document.getElementById("map"), store),
    coterie.silhouetteView.make(document.getElementById("silhouette"), store),
  ]);
  const tree = document.getElementById("tree");
  const drawTree = tree ? coterie.treeView.make(tree, store) : () => {};

  function follow(_, what) {
    if (what === "grouping") pageView.showGrouping(state);
    if (what === "grouping" || what === "selection") pageView.showSelection(state);
    toolbar.show(state);
    drawTree();
    pictures.follow();
  }

  function repaint() {
    theme.paint(facts.palette);
    drawTree();
    pictures.follow();
  }

  // paper is white, and as wide as it is: plotly does not look at the style of print
  const root = document.documentElement;
  let told;
  addEventListener("beforeprint", () => {
    told = root.dataset.theme;
    root.dataset.theme = "light";
    theme.paint(facts.palette);
    drawTree();
    pictures.drawAll(PAPER);
  });
  addEventListener("afterprint", () => {
    if (told === undefined) delete root.dataset.theme;
    else root.dataset.theme = told;
    repaint();
  });

  store.listen(follow);
  toolbar.bind(store, repaint);
  document.getElementById("back")?.addEventListener("click", () => store.setStop(facts.chosen));
  pageView.showGrouping(state);
  pageView.showSelection(state);
  toolbar.show(state);
  pictures.follow();
  root.dataset.readableAfter = performance.now().toFixed(0); // words, and a sketch of the map

  function open() {
    pictures.open(
      () => {
        root.dataset.readyAfter = performance.now().toFixed(0);
        root.dataset.ready = "yes"; // what is in view has been drawn
      },
      () => { root.dataset.drawn = "all"; },
    );
  }
  if (document.readyState === "loading") addEventListener("DOMContentLoaded", open);
  else open();
})();
