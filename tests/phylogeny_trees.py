"""Random trees for the tests of phylogeny, and a slow neighbour joining to compare with."""

from __future__ import annotations

import numpy as np

from coterie.phylogeny import Phylogeny


def plain_neighbour_joining(distances, names):
    """Join neighbours as the paper says, looking at every pair in every step; returns nested Newick text."""
    D = {(i, j): float(distances[i][j]) for i in range(len(names)) for j in range(len(names))}
    nodes, text = list(range(len(names))), dict(enumerate(names))
    while len(nodes) > 3:
        m = len(nodes)
        total = {i: sum(D[i, j] for j in nodes if j != i) for i in nodes}
        pairs = [(i, j) for at, i in enumerate(nodes) for j in nodes[at + 1 :]]
        a, b = min(pairs, key=lambda pair: (m - 2) * D[pair] - total[pair[0]] - total[pair[1]])
        length = D[a, b] / 2 + (total[a] - total[b]) / (2 * (m - 2))
        text[a] = f"({text[a]}:{length!r},{text[b]}:{D[a, b] - length!r})"
        nodes.remove(b)
        for k in nodes:
            D[a, k] = D[k, a] = 0.0 if k == a else (D[a, k] + D[b, k] - D[a, b]) / 2
    x, y, z = nodes
    ends = [
        (D[x, y] + D[x, z] - D[y, z]) / 2,
        (D[x, y] + D[y, z] - D[x, z]) / 2,
        (D[x, z] + D[y, z] - D[x, y]) / 2,
    ]
    parts = [f"{text[node]}:{length!r}" for node, length in zip(nodes, ends, strict=True)]
    return f"({','.join(parts)});"


def bipartitions(tree):
    """Return the divisions of the leaves by name that the branches make, with the length of each."""
    below = {}
    everyone = frozenset(tree.names)
    for node in range(tree.root + 1):
        children = tree.children(node).tolist()
        below[node] = frozenset.union(*(below[c] for c in children)) if children else {tree.names[node]}
        below[node] = frozenset(below[node])
    sums = {}
    for node in range(tree.root):
        side = min(below[node], everyone - below[node], key=sorted)
        sums[side] = sums.get(side, 0.0) + float(tree.lengths[node])
    return sums


def assert_same_tree(one, other, tolerance=1e-9):
    """Law: two trees make the same divisions of the leaves, with branches of the same lengths."""
    first, second = bipartitions(one), bipartitions(other)
    assert first.keys() == second.keys()
    for side, length in first.items():
        assert abs(length - second[side]) <= tolerance, (sorted(side), length, second[side])


def parse(text):
    return Phylogeny.from_newick(text)


def random_square(n, seed):
    """Return random distances, which belong to no tree."""
    rng = np.random.default_rng(seed)
    square = np.triu(rng.random((n, n)) + 0.1, 1)
    return square + square.T
