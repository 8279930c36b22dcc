"""A tree as text: leaves down the left side, heights to the right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie.tree.arrays import Nodes, TreeArrays

if TYPE_CHECKING:
    from coterie.tree._structure import TreeStructure

LEFT, RIGHT, UP, DOWN = 1, 2, 4, 8
#       none L    R    LR   U    LU   RU   LRU  D    LD   RD   LRD  UD   LUD  RUD  all
SIGNS = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
LONGEST_NAME = 24
TOP_MERGES = 10


def draw(tree: TreeStructure, width: int) -> str:
    """Return the picture of a small tree."""
    names = [_leaf_name(tree, int(leaf)) for leaf in tree._leaf_order]
    margin = max(map(len, names)) + 1
    n_columns = max(8, width - margin)
    columns = [0] * tree.n_leaves + _columns(tree, n_columns)
    signs = draw_branches(tree._arrays, tree._first_places.tolist(), columns)
    lines = [
        f"{names[row // 2] if row % 2 == 0 else '':>{margin - 1}} " + line for row, line in enumerate(signs)
    ]
    return "\n".join([line.rstrip() for line in lines] + [_axis(tree, margin, max(columns))])


def draw_branches(arrays: TreeArrays, first_places: list[int], columns: list[int]) -> list[str]:
    r"""Return the lines of a tree, two per leaf but for the last, from the column of each node.

    Examples
    --------
    >>> pair = TreeArrays(np.array([0, 2]), np.array([0, 1]), 2)
    >>> print("\n".join(draw_branches(pair, [0, 1, 0], [4, 6, 0])))
    ┌───╴
    │
    └─────╴
    """
    n = arrays.n_leaves
    places = [2 * place for place in first_places[:n]]
    signs = np.zeros((2 * n - 1, max(columns) + 1), dtype=np.int64)
    for inner in range(arrays.n_inner):
        children = arrays.children[arrays.starts[inner] : arrays.starts[inner + 1]].tolist()
        rows = [places[child] for child in children]
        for child, row in zip(children, rows, strict=True):
            _across(signs, row, columns[child], columns[n + inner])
        _down(signs, columns[n + inner], min(rows), max(rows))
        places.append((min(rows) + max(rows)) // 2)
    return ["".join(SIGNS[sign] for sign in line).rstrip() for line in signs]


def outline(tree: TreeStructure) -> str:
    """Return the last merges of a tree, the root first."""
    shown = range(tree.n_inner - 1, max(-1, tree.n_inner - 1 - TOP_MERGES), -1)
    rows = [
        (
            f"{tree.n_leaves + i}",
            f"{tree.heights[i]:.6g}",
            f"{tree.sizes[i]:,}",
            _parts(tree, tree.n_leaves + i),
        )
        for i in shown
    ]
    table = [("node", "height", "leaves", "made of"), *rows]
    widths = [max(len(row[column]) for row in table) for column in range(3)]
    lines = [
        "  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in table
    ]
    rest = tree.n_inner - len(rows)
    return "\n".join(lines + ([f"... and {rest:,} merges below"] if rest > 0 else []))


def _columns(tree: TreeStructure, n_columns: int) -> list[int]:
    """Return the column of each inner node: leaves stand in column 0, infinite heights in the last one."""
    rising = tree._rising
    finite = rising[np.isfinite(rising)]
    low = 0.0 if tree.heights_are == "distances" or not finite.size else finite.min()
    span = finite.max(initial=low) - low
    share = np.where(np.isfinite(rising), (rising - low) / (span if span > 0 else 1.0), np.sign(rising))
    return [1 + round(float(one) * (n_columns - 2)) for one in np.clip(share, 0.0, 1.0)]


def _across(signs: Nodes, row: int, start: int, stop: int) -> None:
    first, last = min(start, stop), max(start, stop)
    if first == last:
        return
    signs[row, first] |= RIGHT
    signs[row, last] |= LEFT
    signs[row, first + 1 : last] |= LEFT | RIGHT


def _down(signs: Nodes, column: int, top: int, bottom: int) -> None:
    signs[top, column] |= DOWN
    signs[bottom, column] |= UP
    signs[top + 1 : bottom, column] |= UP | DOWN


def _axis(tree: TreeStructure, margin: int, column: int) -> str:
    if tree.n_inner == 0:
        return ""
    start = "0" if tree.heights_are == "distances" else f"{tree.heights.max():.4g}"
    end = f"{tree.heights[tree._rising.argmax()]:.4g}"
    return " " * margin + start + end.rjust(max(len(end) + 1, column + 1 - len(start)))


def _leaf_name(tree: TreeStructure, leaf: int) -> str:
    return shortened_name(str(leaf) if tree.names is None else tree.names[leaf])


def shortened_name(name: str) -> str:
    """Return a name that is not too long to stand beside a tree.

    Examples
    --------
    >>> shortened_name("a" * 30)
    'aaaaaaaaaaaaaaaaaaaaaaa…'
    """
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _parts(tree: TreeStructure, node: int) -> str:
    def one(child: int) -> str:
        if child < tree.n_leaves:
            return f"leaf {_leaf_name(tree, child)}"
        return f"node {child} ({tree._node_sizes[child]:,})"

    children = tree.children(node).tolist()
    more = f" and {len(children) - 4} more" if len(children) > 4 else ""
    return " + ".join(map(one, children[:4])) + more
