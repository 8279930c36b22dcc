"""Two trees of the same leaves: how alike they are.

Leaves are matched by name when both trees have names, otherwise by number.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.typing import AnyArray, VectorLike
from coterie._support.validation import Flag, Number, check_parameter, require_memory
from coterie._support.validation.schema import Tensor
from coterie.errors import InvalidData, InvalidParameter
from coterie.tree.arrays import TreeArrays
from coterie.tree.dendrogram import Dendrogram

Values = npt.NDArray[np.float64]


@saved(eq=False)
class BkCurve:
    """Fowlkes and Mallows' B_k of two trees over the numbers of clusters.

    Parameters
    ----------
    n_clusters : ndarray of shape (n_cuts,)
        The k, ascending.
    values : ndarray of shape (n_cuts,)
        B_k of the two cuts into k clusters: 1 when they are the same.
    expected : ndarray of shape (n_cuts,)
        What cuts with these cluster sizes give when the leaves are matched at random.

    Examples
    --------
    >>> tree = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 3.0])
    >>> fowlkes_mallows_curve(tree, tree).values
    array([1., 1.])
    """

    n_clusters: npt.NDArray[np.int64] = held(Tensor("cuts", kind="i8", low=1, may_be_empty=True))
    values: Values = held(Tensor("cuts", kind="f8", allow="nan", may_be_empty=True))
    expected: Values = held(Tensor("cuts", kind="f8", allow="nan", may_be_empty=True))


def cophenetic_agreement(first: Dendrogram, second: Dendrogram) -> float:
    """Pearson correlation of the heights at which two trees join each pair of leaves.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves.

    Returns
    -------
    correlation : float
        In [-1, 1]; 0 when the heights of either tree do not vary.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 4.0])
    >>> round(cophenetic_agreement(one, Dendrogram([[1, 2], [3, 0]], [1.0, 4.0])), 4)
    -0.5
    """
    first, second = _matched(first, second, "cophenetic_agreement")
    return _correlation(first, second, first._rising, second._rising)


def bakers_gamma(first: Dendrogram, second: Dendrogram) -> float:
    """Rank correlation (Spearman) of how soon two trees join each pair of leaves.

    A pair counts by the largest number of clusters at which it is together: only the order of the merges
    matters, not their heights.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves.

    Returns
    -------
    correlation : float
        In [-1, 1]; near 0 for unrelated trees.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 4.0])
    >>> bakers_gamma(one, Dendrogram([[0, 1], [3, 2]], [1.0, 400.0]))
    1.0
    """
    first, second = _matched(first, second, "bakers_gamma")
    return _correlation(first, second, _pair_ranks(first), _pair_ranks(second))


def robinson_foulds(first: Dendrogram, second: Dendrogram, *, normalized: bool = False) -> float:
    """Count the nodes of either tree whose set of leaves is not a node of the other (rooted trees).

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves.
    normalized : bool, default=False
        Divide by the number of nodes that could differ: inner nodes but for the roots.

    Returns
    -------
    distance : float
        0 when the trees have the same shape.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 3.0])
    >>> robinson_foulds(one, Dendrogram([[0, 1], [4, 2], [5, 3]], [1.0, 2.0, 3.0]))
    2.0
    """
    check_parameter(normalized, Flag(), name="normalized", who="robinson_foulds")
    first, second = _matched(first, second, "robinson_foulds")
    n_shared = int(shared_nodes(first.arrays, second.arrays).sum())
    possible = first.n_inner + second.n_inner - 2
    differing = first.n_inner + second.n_inner - 2 * n_shared
    if not normalized:
        return float(differing)
    return differing / possible if possible > 0 else 0.0


def shared_nodes(first: TreeArrays, second: TreeArrays) -> npt.NDArray[np.bool_]:
    """Return for each inner node of the second tree whether a node of the first has the same leaves.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 3.0])
    >>> shared_nodes(one.arrays, Dendrogram([[0, 1], [4, 2], [5, 3]], [1.0, 2.0, 3.0]).arrays)
    array([ True, False,  True])
    """
    sizes = _core.tree_sizes(*first)
    order, _ = _core.tree_leaf_order(*first, sizes)
    place = np.empty(first.n_leaves, dtype=np.int64)
    place[order] = np.arange(first.n_leaves)
    (low, high), (other_low, other_high) = (
        map(np.asarray, _core.tree_leaf_ranges(*tree, place)) for tree in (first, second)
    )
    # a set of leaves is a node of the first tree only if it is a span of its order (Day's method)
    is_span = other_high - other_low + 1 == np.asarray(_core.tree_sizes(*second))[second.n_leaves :]
    n = first.n_leaves
    return np.asarray(is_span & np.isin(other_low * n + other_high, low * n + high))


def fowlkes_mallows_curve(
    first: Dendrogram, second: Dendrogram, *, n_clusters: VectorLike | None = None
) -> BkCurve:
    """Compare the cuts of two trees into k clusters, for many k: Fowlkes and Mallows' B_k.

    With n_ij leaves in cluster i of one cut and j of the other, B_k = T / √(P Q), where T = Σ n_ij² - n and
    P and Q are the same sums over the sizes of the clusters. One pass over the merges of both trees serves
    all k.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves.
    n_clusters : array-like of int, default=None
        The k; None: all from 2 to n_leaves - 1 that both trees have.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [2, 3], [4, 5]], [1.0, 2.0, 3.0])
    >>> fowlkes_mallows_curve(one, Dendrogram([[0, 1], [4, 2], [5, 3]], [1.0, 2.0, 3.0])).values.round(4)
    array([0.4082, 1.    ])
    """
    who = "fowlkes_mallows_curve"
    first, second = _matched(first, second, who)
    n = first.n_leaves
    possible = np.intersect1d(first.cut_sizes(), second.cut_sizes())
    possible = possible[(possible > 1) & (possible < n)]
    numbers = possible if n_clusters is None else np.unique(np.asarray(n_clusters))
    if not np.isin(numbers, possible).all():
        odd = numbers[~np.isin(numbers, possible)][0]
        raise InvalidParameter(
            f"n_clusters of {who} must be cuts of both trees, 2 to n_leaves - 1 = {n - 1}, got {odd}."
        )
    falling = np.ascontiguousarray(numbers[::-1], dtype=np.int64)
    raw = _core.tree_overlap_curve(*first.arrays[:2], *second.arrays[:2], n, falling)
    t, p, q = (np.asarray(one)[::-1].astype(np.float64) - n for one in raw)
    scale = np.sqrt(p * q)
    return BkCurve(numbers.astype(np.int64), t / scale, scale / (n * (n - 1)))


def entanglement(first: Dendrogram, second: Dendrogram, *, power: float = 1.5) -> float:
    """Measure how far the leaves of two trees, drawn face to face, are from lying straight across.

    The sum of |place in one - place in the other|^power, divided by that of opposite orders. It depends on
    how the children are turned: `reordered` makes it smaller.

    Parameters
    ----------
    first, second : Dendrogram
        Trees of the same leaves.
    power : float, default=1.5
        Above 0; the larger, the more long crossings count.

    Returns
    -------
    entanglement : float
        In [0, 1]: 0 for the same order of leaves, 1 for opposite orders.

    Examples
    --------
    >>> one = Dendrogram([[0, 1], [3, 2]], [1.0, 2.0])
    >>> entanglement(one, one), entanglement(one, one.reordered([2, 1, 0]))
    (0.0, 1.0)
    """
    check_parameter(power, Number(0.0, open_below=True), name="power", who="entanglement")
    first, second = _matched(first, second, "entanglement")
    places = np.arange(first.n_leaves)
    place = [np.argsort(tree.leaf_order()) for tree in (first, second)]
    worst = np.sum(np.abs(2.0 * places - (first.n_leaves - 1)) ** power)
    return (
        float(np.sum(np.abs(place[0] - place[1]).astype(np.float64) ** power) / worst) if worst > 0 else 0.0
    )


def _matched(first: Dendrogram, second: Dendrogram, who: str) -> tuple[Dendrogram, Dendrogram]:
    """Return both trees with the same numbers for the same leaves."""
    for tree in (first, second):
        if not isinstance(tree, Dendrogram):
            raise InvalidParameter(f"{who} compares two Dendrograms, got a {type(tree).__name__}.")
    if first.n_leaves != second.n_leaves:
        raise InvalidData(
            f"{who} needs two trees of the same leaves, got {first.n_leaves} and {second.n_leaves} leaves."
        )
    if first.names is None or second.names is None or first.names == second.names:
        return first, second
    number = {name: leaf for leaf, name in enumerate(first.names)}
    if len(number) != first.n_leaves or set(second.names) != set(number):
        odd = sorted(set(first.names) ^ set(second.names))[:3] or "names that come twice"
        raise InvalidData(f"{who} needs two trees of the same leaves, each named once; they differ in {odd}.")
    return first, second._renumbered(np.array([number[name] for name in second.names]), first.names)


def _correlation(first: Dendrogram, second: Dendrogram, heights: AnyArray, other_heights: AnyArray) -> float:
    n = first.n_leaves
    require_memory(16 * n * n, f"the joins of all pairs of {n:,} leaves", "Compare parts of the trees.")
    x = np.asarray(_core.tree_cophenetic(*first.arrays, np.ascontiguousarray(heights)))
    y = np.asarray(_core.tree_cophenetic(*second.arrays, np.ascontiguousarray(other_heights)))
    if x.size < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return 0.0
    return float(np.clip(np.corrcoef(x, y)[0, 1], -1.0, 1.0))


def _pair_ranks(tree: Dendrogram) -> Values:
    """Return the mean rank of the pairs that each node joins, among all pairs in the order of the merges."""
    starts, children, n_leaves = tree.arrays
    sizes = np.concatenate([np.ones(n_leaves), tree.sizes])
    squares = np.add.reduceat(sizes[children] ** 2, starts[:-1]) if tree.n_inner else np.empty(0)
    joined = (tree.sizes.astype(np.float64) ** 2 - squares) / 2
    return np.cumsum(joined) - joined / 2
