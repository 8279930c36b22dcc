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

  const draws = [coterie.mapView.make(document.getElementById("map"), store)];
  const silhouette = document.getElementById("silhouette");
  if (silhouette) draws.push(coterie.silhouetteView.make(silhouette, store));
  const tree = document.getElementById("tree");
  if (tree) draws.push(coterie.treeView.make(tree, store));

  function follow(_, what) {
    if (what === "grouping") pageView.showGrouping(state);
    if (what === "grouping" || what === "selection") pageView.showSelection(state);
    toolbar.show(state);
    draws.forEach((draw) => draw());
  }

  function repaint() {
    theme.paint(facts.palette);
    draws.forEach((draw) => draw());
  }

  // paper is white, and as wide as it is: plotly does not look at the style of print
  const root = document.documentElement;
  let told;
  addEventListener("beforeprint", () => {
    told = root.dataset.theme;
    root.dataset.theme = "light";
    theme.paint(facts.palette);
    draws.forEach((draw) => draw(PAPER));
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
  document.documentElement.dataset.readyAfter = performance.now().toFixed(0);
  document.documentElement.dataset.ready = "yes";
})();
