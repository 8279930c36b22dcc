// The one state of the page: which grouping, which rows, which colours. Views listen, none talks to another.
"use strict";
globalThis.coterie ??= {};

coterie.state = (() => {
  function make(facts) {
    const listeners = [];
    const state = { facts, selection: coterie.selection.nothing, colorBy: "group", map: 0, grouping: null, last: 0 };
    const tell = (what) => listeners.forEach((listener) => listener(state, what));

    function stopAsGrouping(at) {
      const stop = facts.stops[at];
      const height = facts.tree ? coterie.treeCut.heightFor(facts.tree, stop.k) : null;
      return { ...stop, stop: at, isChosen: at === facts.chosen, height };
    }

    // a cut into as many groups as a stop has is that stop: it knows more
    function cutAsGrouping(height) {
      const found = coterie.treeCut.cut(facts.tree, height);
      const at = facts.stops.findIndex((stop) => stop.k === found.k);
      if (at >= 0) return { ...stopAsGrouping(at), height };
      const before = facts.stops[state.last];
      const colors = coterie.treeCut.inherit(found.labels, found.k, before.labels, before.colors, 60);
      const words = `${found.k} groups, by a cut at height ${height.toPrecision(3)}`;
      return {
        k: found.k, labels: found.labels, sizes: found.sizes, colors, height, stop: null, isChosen: false,
        silhouettes: null, map_finding: words, silhouette_finding: `No silhouette was kept for ${found.k} groups`,
      };
    }

    // selected rows stay selected when the groups change; only the words about them must not mislead
    function keepSelection() {
      const { selection, grouping } = state;
      if (!/^group \d+$/.test(selection.about)) return;
      state.selection = coterie.selection.make(selection.rows, `${selection.about} when there were ${grouping.k}`);
    }

    function setStop(at) {
      if (state.grouping && state.grouping.stop === at) return;
      keepSelection();
      state.grouping = stopAsGrouping(at);
      state.last = at;
      tell("grouping");
    }

    function setHeight(height) {
      keepSelection();
      state.grouping = cutAsGrouping(height);
      if (state.grouping.stop !== null) state.last = state.grouping.stop;
      tell("grouping");
    }

    function select(selection) {
      state.selection = selection;
      tell("selection");
    }

    // the same group again takes the selection away
    function toggleGroup(group) {
      const wanted = coterie.selection.ofGroup(state.grouping.labels, group);
      const isSame = !wanted.isEmpty && wanted.about === state.selection.about;
      select(isSame ? coterie.selection.nothing : wanted);
    }

    function set(what, value) {
      state[what] = value;
      tell(what);
    }

    state.grouping = stopAsGrouping(facts.chosen);
    state.last = facts.chosen;
    return { state, setStop, setHeight, select, toggleGroup, set, listen: (listener) => listeners.push(listener) };
  }

  return { make };
})();
