"""The CF tree of BIRCH as a value: summaries of rows, in nodes of a few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse

from coterie import _core
from coterie._support.declarations import held, saved
from coterie._support.progress import Tracker
from coterie._support.typing import Data, SparseData, Weights
from coterie._support.validation.schema import Tensor
from coterie.cluster.kmeans.points import csr_parts
from coterie.errors import InvalidData

Ids = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]

ROWS_PER_REPORT = 8192
LARGEST_COUNT = 2**62  # of entries in a node: more than there can be


@saved(eq=False)
class CFTree:
    """Summaries of rows, and of summaries: each entry stands for all rows below it.

    Nodes are numbered leaves first, in the order in which they follow each other; an inner node comes after
    its children, the root last. Entries lie node by node, so that the first `n_subclusters` are those of the
    leaves: the subclusters.

    Parameters
    ----------
    node_starts : array of int of shape (n_nodes + 1,)
        Node i has the entries from ``node_starts[i]`` up to ``node_starts[i + 1]``.
    children : array of int of shape (n_entries,)
        The node that an entry summarises; -1 for subclusters, which summarise rows.
    weights : array of shape (n_entries,)
        The number of rows, or their sum of weights.
    deviations : array of shape (n_entries,)
        Their sum of squared distances to their mean.
    """

    node_starts: Ids = held(Tensor("nodes+1", kind="i8", low=0))
    children: Ids = held(Tensor("entries", kind="i8", low=-1, below="nodes"))
    weights: Numbers = held(Tensor("entries", kind="f8", above=0))
    deviations: Numbers = held(Tensor("entries", kind="f8", low=0))
    centers: Numbers = held(Tensor("entries", "columns", kind="f8"), "Their mean.")

    def __post_init__(self) -> None:
        for name, kind in _KINDS.items():
            array = np.ascontiguousarray(getattr(self, name), dtype=kind).view()
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        if not (_has_shapes(self) and _has_nodes(self) and _has_summaries(self)):
            raise InvalidData(
                "a CFTree must have nodes of at least one entry, leaves first, every node but the last below "
                "one entry of a later one, positive weights and finite numbers; these arrays have not."
            )

    def __repr__(self) -> str:
        return (
            f"CFTree of {self.n_subclusters:,} subclusters, weight {self.subcluster_weights.sum():,g} "
            f"(leaves: {self.n_leaves:,}, levels: {self.n_levels:,})"
        )

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.node_starts) - 1

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows."""
        return int(self.centers.shape[1])

    @property
    def n_subclusters(self) -> int:
        """Number of entries of leaves."""
        return int(np.count_nonzero(self.children < 0))

    @property
    def n_leaves(self) -> int:
        """Number of nodes without nodes below them."""
        return int(np.count_nonzero(self.children[self.node_starts[:-1]] < 0))

    @property
    def n_levels(self) -> int:
        """Number of nodes on the way from the root to a leaf."""
        levels, node = 1, self.n_nodes - 1
        while (node := int(self.children[self.node_starts[node]])) >= 0:
            levels += 1
        return levels

    @property
    def subcluster_centers(self) -> Numbers:
        """Mean of the rows of each subcluster."""
        return self.centers[: self.n_subclusters]

    @property
    def subcluster_weights(self) -> Numbers:
        """Number of rows of each subcluster, or their sum of weights."""
        return self.weights[: self.n_subclusters]

    @property
    def radii(self) -> Numbers:
        """Root mean square distance of the rows of each subcluster to their mean."""
        radii: Numbers = np.sqrt(self.deviations[: self.n_subclusters] / self.subcluster_weights)
        return radii

    @property
    def linear_sums(self) -> Numbers:
        """Sum of the rows of each subcluster."""
        return self.subcluster_weights[:, None] * self.subcluster_centers

    @property
    def squared_sums(self) -> Numbers:
        """Sum of the squared norms of the rows of each subcluster."""
        norms = (self.subcluster_centers**2).sum(axis=1)
        sums: Numbers = self.deviations[: self.n_subclusters] + self.subcluster_weights * norms
        return sums


_KINDS = {
    "node_starts": np.int64,
    "children": np.int64,
    "weights": np.float64,
    "deviations": np.float64,
    "centers": np.float64,
}


class GrowthRules(NamedTuple):
    """How a tree grows."""

    threshold: float
    branching_factor: int


def grow(
    tree: CFTree | None, X: Data | SparseData, weights: Weights | None, rules: GrowthRules, tracker: Tracker
) -> CFTree:
    """Return the tree with the rows of `X` added in their order; None is the empty tree."""
    n_rows, n_columns = X.shape
    growing = _core.CFTree(n_columns) if tree is None else _core.CFTree(*_arrays(tree))
    told = float(rules.threshold), min(int(rules.branching_factor), LARGEST_COUNT)
    for first in range(0, n_rows, ROWS_PER_REPORT):
        rows = slice(first, min(first + ROWS_PER_REPORT, n_rows))
        own = None if weights is None else weights[rows]
        if issparse(X):
            growing.add_sparse(*csr_parts(X[rows]), n_columns, own, *told)
        else:
            growing.add(X[rows], own, *told)
        tracker.report(rows.stop)
    return CFTree(*growing.arrays())


def _arrays(tree: CFTree) -> tuple[Ids, Ids, Numbers, Numbers, Numbers]:
    return tree.node_starts, tree.children, tree.weights, tree.deviations, tree.centers


def _has_shapes(tree: CFTree) -> bool:
    n, starts = len(tree.children), tree.node_starts
    shapes = [array.shape for array in (tree.children, tree.weights, tree.deviations)]
    is_table = tree.centers.ndim == 2 and len(tree.centers) == n and tree.centers.shape[1] > 0
    if shapes != [(n,)] * 3 or not is_table or starts.ndim != 1 or len(starts) < 2:
        return False
    return bool(starts[0] == 0 and starts[-1] == n and (np.diff(starts) > 0).all())


def _has_nodes(tree: CFTree) -> bool:
    sizes = np.diff(tree.node_starts)
    owners = np.repeat(np.arange(tree.n_nodes), sizes)
    is_leaf = tree.children[tree.node_starts[:-1]] < 0
    is_below = tree.children >= 0
    if (np.repeat(is_leaf, sizes) == is_below).any() or (np.diff(is_leaf.astype(int)) > 0).any():
        return False
    is_later = bool((tree.children < owners).all())
    return is_later and np.array_equal(np.sort(tree.children[is_below]), np.arange(tree.n_nodes - 1))


def _has_summaries(tree: CFTree) -> bool:
    is_finite = all(np.isfinite(array).all() for array in (tree.weights, tree.deviations, tree.centers))
    return bool(is_finite and (tree.weights > 0).all() and (tree.deviations >= 0).all())
