"""Where a tree is rooted: midpoint, outgroup, no root at all."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie.errors import InvalidData, did_you_mean
from coterie.tree.arrays import Nodes, TreeArrays

Values = npt.NDArray[np.float64]
SHOWN = 3


class Branches(NamedTuple):
    """A tree, and what belongs to the branch above each node (support) or to the node itself (its name)."""

    arrays: TreeArrays
    lengths: Values
    support: Values
    names: tuple[str, ...]


def children_lists(arrays: TreeArrays) -> list[list[int]]:
    """Return the children of every node as lists, empty ones for leaves."""
    flat, starts = arrays.children.tolist(), arrays.starts.tolist()
    inner = [flat[starts[i] : starts[i + 1]] for i in range(arrays.n_inner)]
    return [[] for _ in range(arrays.n_leaves)] + inner


def diameters(arrays: TreeArrays, lengths: Values) -> tuple[Values, list[tuple[float, int, int]]]:
    """Return the longest way between two leaves below each inner node, and the longest of all with its ends.

    Of equal ways the one whose leaves come first wins.
    """
    n = arrays.n_leaves
    deepest: list[tuple[float, int]] = [(0.0, leaf) for leaf in range(n)]  # way down to the deepest leaf
    ways: list[tuple[float, int, int]] = [(0.0, leaf, leaf) for leaf in range(n)]
    up = lengths.tolist()
    for children in children_lists(arrays)[n:]:
        reach = sorted(((deepest[child][0] + up[child], deepest[child][1]) for child in children),
                       key=lambda one: (-one[0], one[1]))  # fmt: skip
        across = (reach[0][0] + reach[1][0], *sorted((reach[0][1], reach[1][1])))
        ways.append(min([across, *(ways[child] for child in children)], key=lambda way: (-way[0], way[1:])))
        deepest.append(reach[0])
    return np.array([way[0] for way in ways[n:]]), ways


def find_midpoint(arrays: TreeArrays, lengths: Values, parents: Nodes) -> tuple[int, float]:
    """Return the node above which the middle of the longest way lies, and how far above; -1 for one leaf."""
    if arrays.n_inner == 0:
        return -1, 0.0
    ways = diameters(arrays, lengths)[1]
    total, first, second = ways[-1]
    start = max((first, second), key=lambda leaf: (_way_up(leaf, lengths, parents), -leaf))
    node, gone = start, 0.0
    root = arrays.n_leaves + arrays.n_inner - 1
    while parents[node] != root and gone + lengths[node] < total / 2:
        gone += float(lengths[node])
        node = int(parents[node])
    length = float(lengths[node])
    if arrays.starts[-1] - arrays.starts[-2] == 2 and parents[node] == root:
        length += float(sum(lengths[child] for child in arrays.children[-2:] if child != node))
    return node, min(max(total / 2 - gone, 0.0), length) if length > 0 else length / 2


def _way_up(node: int, lengths: Values, parents: Nodes) -> float:
    way = 0.0
    while parents[node] >= 0:
        way += float(lengths[node])
        node = int(parents[node])
    return way


def find_branch(arrays: TreeArrays, names: tuple[str, ...], outgroup: list[str]) -> int:
    """Return the node below whose branch exactly the outgroup lies, or exactly all others."""
    number = {name: leaf for leaf, name in enumerate(names)}
    for name in outgroup:
        if name not in number:
            near = did_you_mean(name, names)
            raise InvalidData(f'outgroup of rooted_at must be names of leaves, got "{name}".{near}')
    chosen = {number[name] for name in outgroup}
    if not 0 < len(chosen) < len(names):
        raise InvalidData(
            f"outgroup of rooted_at must be some of the {len(names)} leaves and not all, got {len(chosen)}."
        )
    sizes = np.asarray(_core.tree_sizes(*arrays))
    inside = np.zeros(sizes.size, dtype=np.int64)
    inside[list(chosen)] = 1
    for node, children in enumerate(children_lists(arrays)):
        if children:
            inside[node] = inside[children].sum()
    is_outgroup = (inside == sizes) & (sizes == len(chosen))
    is_rest = (inside == 0) & (sizes == len(names) - len(chosen))
    found = np.flatnonzero(is_outgroup | is_rest)
    if found.size == 0:
        raise InvalidData(_not_a_clade(names, outgroup, chosen, inside, sizes, arrays))
    return int(found[0])


def _not_a_clade(
    names: tuple[str, ...],
    outgroup: list[str],
    chosen: set[int],
    inside: Nodes,
    sizes: Nodes,
    arrays: TreeArrays,
) -> str:
    """Say which leaves lie between those of an outgroup."""
    node = int(np.argmax(inside == len(chosen)))  # the lowest node with all of them
    order, first = _core.tree_leaf_order(*arrays, sizes)
    members = np.asarray(order)[first[node] : first[node] + sizes[node]].tolist()
    others = [names[leaf] for leaf in sorted(members) if leaf not in chosen]
    more = f" and {len(others) - SHOWN:,} more" if len(others) > SHOWN else ""
    between = f"{', '.join(others[:SHOWN])}{more}"
    named = f"{', '.join(outgroup[:SHOWN])}{' ...' if len(outgroup) > SHOWN else ''}"
    return (
        f"outgroup of rooted_at must be a group of its own in the tree: {between} lie among {named}. Name "
        f"these too, or fewer."
    )


def reroot(branches: Branches, node: int, below: float | None = None) -> Branches:
    """Return the tree rooted on the branch above a node, so far above it; None: in the middle."""
    arrays, lengths, support, names = branches
    kids, up, held = children_lists(arrays), lengths.tolist(), support.tolist()
    parents = arrays.parents().tolist()
    path = [node]
    while parents[path[-1]] >= 0:
        path.append(parents[path[-1]])
    old_root = path[-1]
    old_kids = [child for child in kids[old_root] if child != path[-2]]
    lengths_up, held_up = [up[one] for one in path[:-1]], [held[one] for one in path[:-1]]
    if len(old_kids) == 1:  # a root of two children is not a node of the unrooted tree
        far = old_kids[0]
        lengths_up[-1] += up[far]
        held_up[-1] = _known(held_up[-1], held[far])
        path[-1] = far
    else:
        kids[old_root] = old_kids
    for at in range(1, len(path) - 1):
        kids[path[at]] = [child for child in kids[path[at]] if child != path[at - 1]] + [path[at + 1]]
    for at in range(2, len(path)):  # the branch above path[at - 1] is now above path[at]
        up[path[at]], held[path[at]] = lengths_up[at - 1], held_up[at - 1]
    up[node] = lengths_up[0] / 2 if below is None else below
    up[path[1]] = lengths_up[0] - up[node]
    held[node] = held[path[1]] = held_up[0]
    kids.append([node, path[1]])
    return _numbered(kids, len(kids) - 1, arrays.n_leaves, [*up, np.nan], [*held, np.nan], [*names, ""])


def without_root(branches: Branches) -> Branches:
    """Return the tree in which one child of the root takes the place of the root."""
    arrays, lengths, support, names = branches
    kids, up, held = children_lists(arrays), lengths.tolist(), support.tolist()
    root = len(kids) - 1
    left, right = kids[root]
    gone, kept = (left, right) if kids[left] else (right, left)
    up[kept] += up[gone]
    held[kept] = _known(held[kept], held[gone])
    kids[root] = [kept, *kids[gone]] if gone == right else [*kids[gone], kept]
    labels = list(names)
    labels[root] = labels[root] or labels[gone]
    return _numbered(kids, root, arrays.n_leaves, up, held, labels)


def _known(one: float, other: float) -> float:
    """Return the support of a branch that was split in two by a root: of either half."""
    return other if np.isnan(one) else one


def _numbered(
    kids: list[list[int]], root: int, n_leaves: int, up: list[float], held: list[float], names: list[str]
) -> Branches:
    """Return the nodes that are reached from a root, numbered with children before parents."""
    order: list[int] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node >= n_leaves:
            order.append(node)
            waiting.extend(kids[node])
    order.reverse()
    number = {node: n_leaves + at for at, node in enumerate(order)}
    number.update((leaf, leaf) for leaf in range(n_leaves))
    flat = [number[child] for node in order for child in kids[node]]
    starts = np.concatenate([[0], np.cumsum([len(kids[node]) for node in order])]).astype(np.int64)
    kept = [*range(n_leaves), *order]
    lengths = np.array([up[node] for node in kept], dtype=np.float64)
    lengths[-1] = np.nan
    shares = np.array([held[node] for node in kept], dtype=np.float64)
    shares[:n_leaves] = shares[-1] = np.nan
    arrays = TreeArrays(starts, np.array(flat, dtype=np.int64), n_leaves)
    return Branches(arrays, lengths, shares, tuple(names[node] for node in kept))
