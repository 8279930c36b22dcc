"""Where new rows go: the cluster that each linkage's own distance says is nearest."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from scipy.sparse import csr_array

from coterie._support.typing import (
    AnyArray,
    Data,
    Distances,
    Indices,
    Labels,
    MetricLike,
    Settings,
    ValuesByName,
    Weights,
)
from coterie._support.validation.schema import VALUES, Record, Sometimes, Tensor, wrong
from coterie.cluster.agglomerative.tree_labels import cluster_tops, leaf_weights
from coterie.cluster.base import move_rows
from coterie.cluster.state_checks import check_distance, is_matrix
from coterie.distance import Distance, find_distance, pairwise_distances
from coterie.tree import METHODS

# what `KnownClusters.learn` returns
KNOWN = Record(
    distance=VALUES,
    centres=Sometimes(Tensor("clusters", "columns", kind="f8")),
    rows=Sometimes(Tensor("rows", "columns", of_table=True)),
    within=Sometimes(Tensor("clusters", kind="f8")),
    radii=Sometimes(Tensor("rows", kind="f8")),
)
LEAST = float(np.finfo(np.float64).min)  # radius of a row alone in its cluster: below all others
BLOCK_CELLS = 1 << 23  # distances in memory at a time
BLOCK_NUMBERS = 1 << 20  # of rows that are compared with centres: they stay in the cache


def move_tree(children: AnyArray, known: Settings, places: Indices) -> ValuesByName:
    """Return merges, and what `learn` kept, of rows that stand at other places."""
    n_rows = len(places)
    leaves = places[np.minimum(children, n_rows - 1)]
    per_row = {name: move_rows(known[name], places) for name in ("rows", "radii") if name in known}
    return {"children_": np.where(children < n_rows, leaves, children), "_known": {**known, **per_row}}


class KnownClusters:
    """Clusters as one linkage sees them, from what `learn` kept of the rows.

    Parameters
    ----------
    method : str
        The linkage.
    labels, children : arrays
        Of the rows, and of the tree.
    distance : Distance or None
        None: new rows come as distances to the rows.
    known : dict
        From `learn`.
    """

    def __init__(
        self, method: str, labels: Labels, children: AnyArray, distance: Distance | None, known: ValuesByName
    ) -> None:
        self.method, self.distance, self.known = method, distance, known
        self.order = np.argsort(labels, kind="stable")
        self.sizes = np.bincount(labels).astype(np.float64)
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.intp)
        self.shares = _shares(method, labels, children)[self.order]

    @staticmethod
    def learn(
        method: str, labels: Labels, children: AnyArray, distance: Distance | None, X: Data, sign: float
    ) -> ValuesByName:
        """Return what new rows will need: centres, or the rows, or sums over pairs of them."""
        known: ValuesByName = {"distance": {} if distance is None else distance.told}
        if METHODS[method].needs_euclidean and distance is not None:
            shares = _shares(method, labels, children)
            each = (shares, (labels, np.arange(len(labels))))
            known["centres"] = csr_array(each, shape=(int(labels.max()) + 1, len(labels))) @ X
        else:
            if distance is not None:
                known["rows"] = X.copy()
            known |= _sums_within(method, labels, children, distance, sign * X)
        return known

    @staticmethod
    def check(method: str, metric: MetricLike, known: Settings, n_columns: int, *, who: str) -> None:
        """Refuse what a file says was learned, if the rule needs something else."""
        is_given, has_centres = is_matrix(metric), METHODS[method].needs_euclidean
        needs = {"distance"} | (set() if is_given else {"centres" if has_centres else "rows"})
        if RULES[method] in _SUMMING and (is_given or not has_centres):
            needs |= {"within", "radii"}
        if needs != set(known):
            raise wrong("_known", who, f"hold {', '.join(sorted(needs))} for this linkage", ", ".join(known))
        if not is_given:
            find_distance(metric)
            check_distance(metric, known["distance"], n_columns)

    def nearest(self, X: Data, sign: float) -> Labels:
        """Return the nearest cluster of each new row; `sign` turns similarities round."""
        if "centres" in self.known and self.distance is not None:
            return self._nearest_centre(X, self.distance)
        step = max(1, BLOCK_CELLS // len(self.order))
        found = np.empty(len(X), dtype=np.intp)
        for start in range(0, len(X), step):
            block = X[start : start + step]
            D = sign * block
            if self.distance is not None:
                D = pairwise_distances(block, self.known["rows"], metric=self.distance)
            found[start : start + step] = RULES[self.method](self, D[:, self.order]).argmin(axis=1)
        return found

    def _nearest_centre(self, X: Data, distance: Distance) -> Labels:
        found = np.empty(len(X), dtype=np.intp)
        step = max(1, BLOCK_NUMBERS // X.shape[1])
        for start in range(0, len(X), step):
            rows = X[start : start + step].astype(np.float64)
            D = pairwise_distances(rows, self.known["centres"], metric=distance) ** 2
            found[start : start + step] = self._by_centre(D).argmin(axis=1)
        return found

    def least(self, D: Distances) -> Distances:
        """Return the nearest member of each cluster; columns are sorted by cluster."""
        return np.asarray(np.minimum.reduceat(D, self.starts, axis=1))

    def greatest(self, D: Distances) -> Distances:
        """Return the farthest member."""
        return np.asarray(np.maximum.reduceat(D, self.starts, axis=1))

    def mean(self, D: Distances) -> Distances:
        """Return the mean over the members, with their shares."""
        return np.asarray(np.add.reduceat(D * self.shares, self.starts, axis=1))

    def merged(self, D: Distances) -> Distances:
        """Return the mean over all pairs of the cluster and the new row together."""
        pairs = (self.sizes + 1) * self.sizes / 2
        return np.asarray((self.mean(D) * self.sizes + self.known["within"]) / pairs)

    def ball(self, D: Distances) -> Distances:
        """Return the radius of the smallest ball about a member, old or new, that holds all."""
        about_old = np.maximum(D, self.known["radii"][self.order])
        return np.minimum(self.least(about_old), self.greatest(D))

    def centre(self, D: Distances) -> Distances:
        """Return the squared distance to the centre, from those to the members."""
        return self._by_centre(self.mean(D**2) - self.known["within"])

    def _by_centre(self, squared: Distances) -> Distances:
        return squared * (self.sizes / (self.sizes + 1)) if self.method == "ward" else squared


RULES: Mapping[str, Callable[[KnownClusters, Distances], Distances]] = {
    "single": KnownClusters.least,
    "complete": KnownClusters.greatest,
    "average": KnownClusters.mean,
    "weighted": KnownClusters.mean,
    "average_merged": KnownClusters.merged,
    "minimax": KnownClusters.ball,
    "ward": KnownClusters.centre,
    "centroid": KnownClusters.centre,
    "median": KnownClusters.centre,
}


_SUMMING = (KnownClusters.merged, KnownClusters.ball, KnownClusters.centre)


def _shares(method: str, labels: Labels, children: AnyArray) -> Weights:
    """Return the share of each row in its cluster: equal, or halved at every merge."""
    if method in ("weighted", "median"):
        return leaf_weights(children, len(labels), cluster_tops(children, len(labels), labels))
    return 1.0 / np.bincount(labels)[labels]


def _sums_within(
    method: str, labels: Labels, children: AnyArray, distance: Distance | None, X: Data
) -> ValuesByName:
    """Return what the rule needs to know about the pairs within each cluster."""
    if RULES[method] not in _SUMMING:
        return {}
    shares = _shares(method, labels, children)
    within, radii = np.zeros(int(labels.max()) + 1), np.zeros(len(labels))
    for cluster in range(len(within)):
        rows = np.flatnonzero(labels == cluster)
        D = X[np.ix_(rows, rows)] if distance is None else pairwise_distances(X[rows], metric=distance)
        np.fill_diagonal(D, -np.inf)  # similarities of a row with itself say nothing
        radii[rows] = np.maximum(D.max(axis=1).astype(np.float64), LEAST)
        np.fill_diagonal(D, 0.0)
        if METHODS[method].needs_euclidean:
            within[cluster] = shares[rows] @ D**2 @ shares[rows] / 2
        else:
            within[cluster] = D.sum() / 2
    return {"within": within, "radii": radii}
