"""Trees of the same leaves: how far apart, which branches they share, and their consensus.

A branch divides the leaves in two. Two trees share a branch if some branch of each makes the same division;
where the trees are rooted does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.validation import Flag, Number, check_parameter
from coterie.errors import InvalidData, InvalidParameter
from coterie.phylogeny import rooting
from coterie.phylogeny.tree import Phylogeny
from coterie.tree.arrays import Nodes, TreeArrays
from coterie.tree.comparing import shared_nodes


def robinson_foulds(first: Phylogeny, second: Phylogeny, *, normalized: bool = False) -> float:
    """Count the branches of either tree that the other does not have (Robinson and Foulds).

    Parameters
    ----------
    first, second : Phylogeny
        Trees of the same leaves, matched by name.
    normalized : bool, default=False
        Divide by the number of branches that could differ: those between inner nodes.

    Examples
    --------
    >>> one = Phylogeny.from_newick("((a,b),c,(d,e));")
    >>> robinson_foulds(one, Phylogeny.from_newick("((a,c),b,(d,e));"))
    2.0
    """
    check_parameter(normalized, Flag(), name="normalized", who="robinson_foulds")
    _check_trees([first, second], "robinson_foulds")
    one, other = _seen_from_first(first, first.names), _seen_from_first(second, first.names)
    n_shared = int(shared_nodes(one.arrays, other.arrays).sum())
    differing = one.arrays.n_inner + other.arrays.n_inner - 2 * n_shared
    if not normalized:
        return float(differing)
    possible = _inner_branches(one.arrays) + _inner_branches(other.arrays)
    return differing / possible if possible > 0 else 0.0


def with_support(tree: Phylogeny, others: Sequence[Phylogeny]) -> Phylogeny:
    """Return a tree with the percentage of other trees that have each of its branches.

    Parameters
    ----------
    tree : Phylogeny
        The tree.
    others : sequence of Phylogeny
        Trees of the same leaves, from a bootstrap, say.

    Examples
    --------
    >>> tree = Phylogeny.from_newick("((a,b),c,d);")
    >>> with_support(tree, [tree, Phylogeny.from_newick("((a,c),b,d);")]).support
    array([50., nan])
    """
    trees = list(others)
    if not trees:
        raise InvalidParameter("others of with_support must be at least one tree.")
    _check_trees([tree, *trees], "with_support")
    seen = _seen_from_first(tree, tree.names)
    counts = np.zeros(seen.arrays.n_inner)
    for other in trees:
        counts += shared_nodes(_seen_from_first(other, tree.names).arrays, seen.arrays)
    share = np.concatenate([np.full(tree.n_leaves, np.nan), 100.0 * counts / len(trees)])
    share[np.asarray(_core.tree_sizes(*seen.arrays)) >= tree.n_leaves - 1] = np.nan  # every tree has these
    support = share[_branch_numbers(tree, seen)][tree.n_leaves :]
    support[-1] = np.nan
    lengths = tree.lengths if tree.has_lengths else None
    return Phylogeny.from_arrays(tree.arrays, lengths, tree.names, support, tree.inner_names)


def consensus_tree(trees: Sequence[Phylogeny], *, min_support: float = 50.0) -> Phylogeny:
    """Return the tree of the branches that more than half of the trees have (majority rule).

    Parameters
    ----------
    trees : sequence of Phylogeny
        Trees of the same leaves.
    min_support : float, default=50.0
        A branch is kept if more than this percentage of the trees have it; 50 to 100, where 100 means all.

    Returns
    -------
    tree : Phylogeny
        Unrooted, with support; lengths are means over the trees that have a branch.

    Examples
    --------
    >>> trees = [Phylogeny.from_newick(text) for text in ("((a,b),c,d);", "((a,b),c,d);", "((a,c),b,d);")]
    >>> consensus_tree(trees).to_newick()
    '(a,b,(c,d)66.6666666667);'
    """
    check_parameter(min_support, Number(50.0, 100.0), name="min_support", who="consensus_tree")
    given = list(trees)
    if not given:
        raise InvalidParameter("trees of consensus_tree must be at least one tree.")
    _check_trees(given, "consensus_tree")
    names, n = given[0].names, given[0].n_leaves
    if n < 3:
        return given[0]
    counts: dict[bytes, list[float]] = {}
    for tree in given:
        for members, length in _clades(_seen_from_first(tree, names)):
            counts.setdefault(members, []).append(length)
    least = min_support / 100 * len(given)
    kept = {key: lengths for key, lengths in counts.items()
            if len(lengths) > least or len(lengths) == len(given)}  # fmt: skip
    has_lengths = all(tree.has_lengths for tree in given)
    return _built(kept, names, len(given), has_lengths=has_lengths)


def _built(
    kept: dict[bytes, list[float]], names: tuple[str, ...], n_trees: int, *, has_lengths: bool
) -> Phylogeny:
    """Return the tree of clades that fit together, each without the first leaf."""
    n = len(names)
    sets = {key: np.unpackbits(np.frombuffer(key, dtype=np.uint8), count=n).astype(bool) for key in kept}
    order = sorted(kept, key=lambda key: (int(sets[key].sum()), key))
    top = np.arange(n)  # the node that holds each leaf so far
    lengths, support, children = np.ones(n).tolist(), [], []
    for key in order:
        members = np.flatnonzero(sets[key])
        mean = float(np.mean(kept[key]))
        if members.size == 1:
            lengths[members[0]] = mean
        elif members.size == n - 1:
            lengths[0] = mean  # the branch of the first leaf, from the other side
        else:
            children.append(list(dict.fromkeys(top[members].tolist())))
            top[members] = n + len(children) - 1
            support.append(100.0 * len(kept[key]) / n_trees)
            lengths.append(mean)
    children.append(list(dict.fromkeys(top.tolist())))
    return Phylogeny(
        children, [*lengths, np.nan] if has_lengths else None, names=names, support=[*support, np.nan]
    )


def _clades(seen: rooting.Branches) -> list[tuple[bytes, float]]:
    """Return the leaves below each node but the root, as bits, with the length of the branch above."""
    n = seen.arrays.n_leaves
    members = list(np.eye(n, dtype=bool))
    clades = []
    lists = rooting.children_lists(seen.arrays)
    for node, children in enumerate(lists):
        if children:
            members.append(np.logical_or.reduce([members[child] for child in children]))
        if node not in (0, len(lists) - 1):
            clades.append((np.packbits(members[node]).tobytes(), float(seen.lengths[node])))
    return clades


def _check_trees(trees: Sequence[Any], who: str) -> None:
    for tree in trees:
        if not isinstance(tree, Phylogeny):
            raise InvalidParameter(f"{who} takes Phylogenies, got a {type(tree).__name__}.")
    names = set(trees[0].names)
    for tree in trees[1:]:
        if set(tree.names) != names:
            odd = sorted(names ^ set(tree.names))[:3]
            raise InvalidData(f"{who} needs trees of the same leaves; they differ in {', '.join(odd)}.")


def _seen_from_first(tree: Phylogeny, names: tuple[str, ...]) -> rooting.Branches:
    """Return the tree with leaves numbered as `names` are, rooted at the first: no other node holds that."""
    numbers = np.arange(tree.n_leaves)
    if tree.names != names:
        number = {name: leaf for leaf, name in enumerate(names)}
        numbers = np.array([number[name] for name in tree.names])
    nodes = np.concatenate([numbers, np.arange(tree.n_leaves, tree.root + 1)])
    arrays = tree.arrays._replace(children=nodes[tree.arrays.children])
    lengths = tree.lengths.copy()
    lengths[numbers] = tree.lengths[: tree.n_leaves]
    empty = np.full(lengths.size, np.nan)
    branches = rooting.Branches(arrays, lengths, empty, tuple(map(str, range(lengths.size))))
    return branches if tree.n_inner == 0 else rooting.reroot(branches, 0, 0.0)


def _branch_numbers(tree: Phylogeny, seen: rooting.Branches) -> Nodes:
    """Return for each node of a tree the node of `seen` whose branch divides the leaves as its own does."""
    own = {int(name): node for node, name in enumerate(seen.names) if name}
    found = np.empty(tree.root + 1, dtype=np.int64)
    parents = tree.parents
    path = [0]
    while parents[path[-1]] >= 0:
        path.append(int(parents[path[-1]]))
    for node in range(tree.root):
        found[node] = own[node]
    for node, above in pairwise(path[1:]):  # turned round: the branch is now above its other end
        found[node] = own.get(above, -1)
    if tree.is_rooted and len(path) > 1:  # the root is gone: what was beyond it
        beyond = next(int(child) for child in tree.children(tree.root) if child != path[-2])
        found[path[-2]] = own[beyond]
    found[tree.root] = seen.arrays.n_leaves + seen.arrays.n_inner - 1
    return found


def _inner_branches(arrays: TreeArrays) -> int:
    """Return the branches between two inner nodes of the unrooted tree."""
    return max(arrays.n_inner - 2, 0)
