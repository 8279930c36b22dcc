// The tree as numbers: where nodes stand, which nodes a cut leaves, who is in them.
"use strict";
globalThis.coterie ??= {};

coterie.treeCut = (() => {
  // x of every node: leaves at 0, 1, 2 ..., inner nodes in the middle of their outer children
  function places(tree) {
    const nLeaves = tree.names.length;
    const x = Array.from({ length: nLeaves }, (_, leaf) => leaf);
    for (const children of tree.children) {
      const at = children.map((child) => x[child]);
      x.push((Math.min(...at) + Math.max(...at)) / 2);
    }
    return x;
  }

  function heightOf(tree, node) {
    const inner = node - tree.names.length;
    return inner < 0 ? 0 : tree.heights[inner];
  }

  // the largest nodes in which no merge is above the height, from left to right
  function nodesAt(tree, height) {
    const nLeaves = tree.names.length;
    const found = [];
    const waiting = [nLeaves + tree.children.length - 1];
    while (waiting.length) {
      const node = waiting.pop();
      if (node < nLeaves || tree.reaches[node - nLeaves] <= height) found.push(node);
      else waiting.push(...[...tree.children[node - nLeaves]].reverse());
    }
    return found;
  }

  function leavesOf(tree, node) {
    const nLeaves = tree.names.length;
    const found = [];
    const waiting = [node];
    while (waiting.length) {
      const one = waiting.pop();
      if (one < nLeaves) found.push(one);
      else waiting.push(...tree.children[one - nLeaves]);
    }
    return found;
  }

  // groups of the held rows at a height, numbered by size as everywhere
  function cut(tree, height) {
    const nodes = nodesAt(tree, height).map((node) => ({ node, size: tree.sizes[node] }));
    nodes.sort((a, b) => b.size - a.size);
    const groupOfLeaf = new Array(tree.names.length);
    nodes.forEach(({ node }, group) => {
      for (const leaf of leavesOf(tree, node)) groupOfLeaf[leaf] = group;
    });
    return {
      k: nodes.length,
      nodes: nodes.map(({ node }) => node),
      sizes: nodes.map(({ size }) => size),
      labels: tree.leaf_of_row.map((leaf) => groupOfLeaf[leaf]),
    };
  }

  // a height that leaves k groups, halfway between two merges; null where no cut does
  function heightFor(tree, k) {
    const ordered = [...tree.reaches].sort((a, b) => b - a);
    for (let i = 0; i <= ordered.length; i += 1) {
      const above = i === 0 ? (ordered[0] ?? 1) * 1.1 : ordered[i - 1];
      const height = i === ordered.length ? ordered[i - 1] / 2 : (above + ordered[i]) / 2;
      if (nodesAt(tree, height).length === k) return height;
    }
    return null;
  }

  // colours for groups: each takes the one that most of its rows had before, the rest the next unused
  function inherit(labels, k, before, colorsBefore, nColors) {
    const counts = Array.from({ length: k }, () => new Map());
    labels.forEach((label, row) => {
      if (before[row] >= 0) counts[label].set(before[row], (counts[label].get(before[row]) ?? 0) + 1);
    });
    const wishes = counts.flatMap((map, group) => [...map].map(([old, n]) => ({ group, old, n })));
    wishes.sort((a, b) => b.n - a.n || a.group - b.group);
    const colors = new Array(k).fill(null);
    const used = new Set();
    for (const { group, old } of wishes) {
      if (colors[group] === null && !used.has(colorsBefore[old])) {
        colors[group] = colorsBefore[old];
        used.add(colors[group]);
      }
    }
    let next = 0;
    return colors.map((color) => {
      if (color !== null) return color;
      while (used.has(next)) next += 1;
      used.add(next);
      return next % Math.max(nColors, 1);
    });
  }

  // round heights from 0 up, at most seven
  function ticks(highest) {
    const rough = highest / 6, power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * power).find((one) => one >= rough);
    return Array.from({ length: Math.floor(highest / step) + 1 }, (_, at) => Number((at * step).toPrecision(12)));
  }

  return { ticks, places, heightOf, nodesAt, leavesOf, cut, heightFor, inherit };
})();
