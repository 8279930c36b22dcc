"""Out-of-core single linkage: spanning trees of pairs of blocks, merged into one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import dask.array
import numpy as np

from coterie import _core
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import FittedAttributes, FloatArray, Indices, ValuesByName
from coterie._support.validation import Anything, Nothing, Number, check_n_clusters
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import Instance
from coterie.distance import Distance, find_distance
from coterie.distance.catalogue import DistanceLike
from coterie.distance.engines import choose_engine
from coterie.distance.rows import RowSets, prepare_rows
from coterie.distance.spanning import tree_of_rows
from coterie.errors import InvalidParameter
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.base import KnownLabels
from coterie.scale.runtime.passes import compute, fold, pair_tasks
from coterie.tree import Dendrogram


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges between rows, sorted by (distance, lower row, higher row)."""

    ends: Indices
    distance: FloatArray


@estimator
class SingleLinkage(KnownLabels):
    """Out-of-core single linkage: exactly the local dendrogram.

    The edges of the minimum spanning tree of all rows are among those of the spanning trees of all pairs of
    blocks: a task per pair finds them, and they are merged. Edges are ordered by distance and rows, so that
    there is one tree, whatever the blocks. The tree itself, of n - 1 edges, must fit in memory where `fit`
    was called: about 250 bytes per row while edges are merged, 40 afterwards. Each pair of blocks is looked
    at once: no checkpoint.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Where to cut the tree for `labels_`.
    distance_threshold : float or None, default=None
        At which height to cut it instead.
    metric : str or Distance, default="euclidean"
        A distance that learns nothing from the rows.

    Attributes
    ----------
    labels_ : Dask array of shape (n_samples,)
        The groups, when `n_clusters` or `distance_threshold` says where to cut.
    cluster_sizes_ : array
        Rows per group, likewise.
    exact_ : bool
        True.

    Examples
    --------
    >>> from coterie.scale import SingleLinkage
    >>> model = SingleLinkage(2).fit(np.array([[0.0], [1.0], [5.0], [6.5]]))
    >>> model.dendrogram_.heights
    array([1. , 1.5, 4. ])
    >>> model.labels_.compute()
    array([0, 0, 1, 1])
    """

    n_clusters: int | None = parameter(Nothing() | WholeNumber(1), default=None)
    _: KW_ONLY
    distance_threshold: float | None = parameter(Nothing() | Number(0), default=None)
    metric: DistanceLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    progress: ProgressOption = None

    dendrogram_: Dendrogram = fitted(Instance(Dendrogram), "The tree of merges.")

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        self._check(blocks, weights)
        distance = find_distance(self.metric)
        engine = _engine_of_all(blocks, distance, who)
        with track(self.progress, "single linkage: pairs of blocks"):
            moments.measure(blocks, None, who=who)
            made = pair_tasks(blocks, _tree_of_pair, distance, engine)
            edges: Edges = compute(fold(made, partial(_merge, n_rows=blocks.n_rows)))
        tree = Dendrogram.from_linkage(_core.link_edges(edges.ends, edges.distance.astype(np.float64)))
        return {"dendrogram_": tree, "exact_": True, **self._cut(tree, blocks)}

    def _check(self, blocks: Blocks, weights: Blocks | None) -> None:
        who = type(self).__name__
        if weights is not None:
            raise InvalidParameter(f"{who} takes no sample_weight: weights do not change nearest rows.")
        if self.n_clusters is not None and self.distance_threshold is not None:
            raise InvalidParameter(f"{who} takes n_clusters or distance_threshold, got both.")
        check_n_clusters(self.n_clusters or 1, blocks.n_rows, who=who)
        if find_distance(self.metric).learn is not None:
            raise InvalidParameter(
                f'metric="{self.metric}" of {who} learns from all rows, which are in blocks. Scale the '
                f"columns before, and use euclidean."
            )

    def _cut(self, tree: Dendrogram, blocks: Blocks) -> ValuesByName:
        self.__dict__.pop("labels_", None)
        if self.n_clusters is None and self.distance_threshold is None:
            return {}
        labels = tree.cut(self.n_clusters, height=self.distance_threshold)
        lazy = dask.array.from_array(labels, chunks=blocks.block_rows)
        return {"labels_": lazy, "cluster_sizes_": np.bincount(labels)}


def _engine_of_all(blocks: Blocks, distance: Distance, who: str) -> str:
    """Return the engine that would find the tree of all rows in one matrix: distances then round alike."""
    like = np.broadcast_to(np.zeros(1, blocks.dtype), (blocks.n_rows, blocks.n_columns))
    return choose_engine(RowSets(like, None, distance), "auto", who=who)


def _tree_of_pair(block: Block, later: Block | None, distance: Distance, engine: Any) -> Edges:
    """Return the spanning tree of the rows of two blocks, with the rows counted in the whole."""
    X = block.read()
    rows = np.arange(block.first_row, block.first_row + block.n_rows)
    if later is not None:
        X = np.concatenate([X, later.read()])
        rows = np.append(rows, np.arange(later.first_row, later.first_row + later.n_rows))
    prepared = prepare_rows(X, None, distance, {}, who="SingleLinkage")
    tree = tree_of_rows(prepared, algorithm=engine, threads=1)
    return Edges(rows[tree.edges], tree.distance)


def _merge(total: Edges | None, found: list[Edges], n_rows: int) -> Edges:
    """Return the spanning forest of all edges so far."""
    parts = found if total is None else [total, *found]
    ends = np.concatenate([part.ends for part in parts])
    distance = np.concatenate([part.distance for part in parts])
    order = np.lexsort((ends[:, 1], ends[:, 0], distance))
    ends, distance = np.ascontiguousarray(ends[order]), distance[order]
    joins = _core.joining_edges(ends, n_rows).astype(bool)
    return Edges(ends[joins], distance[joins])
