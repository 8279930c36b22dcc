// The tree: branches to click or walk with the arrow keys, a cut to drag or to slide.
"use strict";
globalThis.coterie ??= {};

coterie.treeView = (() => {
  const { ticks, places, heightOf, nodesAt, leavesOf } = coterie.treeCut;
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 1000, HEIGHT = 300, TOP = 12, SIDE = 14, FOOT = 8;

  function add(parent, name, attributes) {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    parent.append(element);
    return element;
  }

  // beside the drawing: letters in it would be stretched with it
  function addAxis(figure, svg, highest, y) {
    const labels = document.createElement("div"), title = document.createElement("p");
    labels.className = "tree-ticks";
    title.className = "tree-axis";
    title.textContent = "distance of the merge";
    for (const tick of ticks(highest)) {
      add(svg, "line", { x1: 0, x2: WIDTH, y1: y(tick), y2: y(tick), class: "tick-line" });
      const label = document.createElement("span");
      label.textContent = tick.toLocaleString("en", { maximumSignificantDigits: 6 });
      label.style.top = `${(100 * y(tick)) / HEIGHT}%`;
      labels.append(label);
    }
    labels.style.minWidth = `${1.5 + Math.max(...[...labels.children].map((label) => label.textContent.length))}ch`;
    figure.prepend(title, labels);
  }

  function make(figure, store) {
    const { state } = store;
    const { tree, palette } = state.facts;
    const nLeaves = tree.names.length, root = nLeaves + tree.children.length - 1;
    const highest = Math.max(...tree.heights, 1e-300) * 1.05;
    const x = places(tree).map((place) => SIDE + (place / Math.max(1, nLeaves - 1)) * (WIDTH - 2 * SIDE));
    const y = (height) => TOP + (1 - height / highest) * (HEIGHT - TOP - FOOT);
    const slider = document.querySelector("#cut-height");
    const said = document.querySelector("#cut-said");
    const svg = add(figure, "svg", {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "application", tabindex: "0",
      "aria-label": "Tree. Arrow keys walk along the branches, Enter selects the rows of a branch.",
    });
    addAxis(figure, svg, highest, y);
    const branches = tree.children.map((children, inner) => {
      const node = nLeaves + inner, up = y(tree.heights[inner]);
      const first = Math.min(...children.map((child) => x[child])), last = Math.max(...children.map((child) => x[child]));
      const legs = children.map((child) => `M${x[child]} ${y(heightOf(tree, child))}V${up}`).join("");
      const group = add(svg, "g", { class: "branch" });
      const line = add(group, "path", { d: `${legs}M${first} ${up}H${last}`, class: "branch-line" });
      const target = add(group, "path", { d: `${legs}M${first} ${up}H${last}`, class: "branch-target" });
      add(target, "title", {}).textContent = `${tree.sizes[node].toLocaleString("en")} rows, joined at ${tree.heights[inner].toPrecision(3)}`;
      target.addEventListener("click", () => choose(node));
      return { node, group, line };
    });
    const cutLine = add(svg, "line", { x1: 0, x2: WIDTH, class: "cut-line" });
    const handle = add(svg, "line", { x1: 0, x2: WIDTH, class: "cut-handle" });
    const parents = new Map();
    tree.children.forEach((children, inner) => children.forEach((child) => parents.set(child, nLeaves + inner)));
    let focus = root;

    function rowsOf(node) {
      const leaves = new Set(leavesOf(tree, node));
      return coterie.selection.where(tree.leaf_of_row, (leaf) => leaves.has(leaf), `a branch of ${tree.sizes[node].toLocaleString("en")} rows`);
    }

    function choose(node) {
      focus = node;
      store.select(rowsOf(node));
    }

    function walk(event) {
      const children = focus >= nLeaves ? tree.children[focus - nLeaves] : [];
      const inner = children.filter((child) => child >= nLeaves);
      const moves = {
        ArrowUp: parents.get(focus), ArrowDown: inner[0], ArrowLeft: inner[0], ArrowRight: inner.at(-1),
      };
      if (event.key === "Enter" || event.key === " ") choose(focus);
      else if (moves[event.key] !== undefined) focus = moves[event.key];
      else return;
      event.preventDefault();
      draw();
    }

    function drag(event) {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientY - box.top) / box.height) * HEIGHT;
      const height = (1 - (at - TOP) / (HEIGHT - TOP - FOOT)) * highest;
      store.setHeight(Math.min(highest, Math.max(0, height)));
    }

    function colorsOfNodes(height) {
      const of = new Array(root + 1).fill(null);
      const { labels, colors } = state.grouping;
      for (const node of nodesAt(tree, height)) {
        const leaves = new Set(leavesOf(tree, node));
        const row = tree.leaf_of_row.findIndex((leaf) => leaves.has(leaf));
        const color = row < 0 ? "var(--muted)" : coterie.theme.colorOf(palette, labels[row] < 0 ? -1 : colors[labels[row]], coterie.theme.isDark());
        const waiting = [node];
        while (waiting.length) {
          const one = waiting.pop();
          of[one] = color;
          if (one >= nLeaves) waiting.push(...tree.children[one - nLeaves]);
        }
      }
      return of;
    }

    function draw() {
      const height = state.grouping.height ?? tree.chosen_height;
      const colors = colorsOfNodes(height);
      const chosen = new Set(state.selection.rows.map((row) => tree.leaf_of_row[row]));
      for (const { node, group, line } of branches) {
        line.style.stroke = colors[node] ?? "var(--muted)";
        const isIn = !state.selection.isEmpty && leavesOf(tree, node).some((leaf) => chosen.has(leaf));
        group.classList.toggle("is-selected", isIn);
        group.classList.toggle("is-dim", !state.selection.isEmpty && !isIn);
        group.classList.toggle("is-focus", node === focus);
      }
      for (const line of [cutLine, handle]) {
        line.setAttribute("y1", y(height));
        line.setAttribute("y2", y(height));
      }
      slider.value = String(height);
      const k = state.grouping.k;
      said.textContent = `height ${height.toPrecision(3)}: ${k.toLocaleString("en")} group${k === 1 ? "" : "s"}`;
      slider.setAttribute("aria-valuetext", said.textContent);
    }

    slider.max = String(highest);
    slider.step = String(highest / 500);
    slider.addEventListener("input", () => store.setHeight(Number(slider.value)));
    svg.addEventListener("keydown", walk);
    handle.addEventListener("pointerdown", (event) => {
      handle.setPointerCapture(event.pointerId);
      handle.addEventListener("pointermove", drag);
    });
    for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => handle.removeEventListener("pointermove", drag));
    draw();
    return draw;
  }

  return { make };
})();
