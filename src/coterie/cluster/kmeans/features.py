"""Clustering features: rows of any number as a few hundred weighted points with exact sums."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import held, saved
from coterie._support.typing import Centers, Data, FloatArray, Indices, Labels, Weights
from coterie._support.validation.schema import Tensor
from coterie.cluster.kmeans.points import Stopping

PASSES = Stopping(max_iter=3)  # estimate: features need to be small, not best
SEEDS_PER_FEATURE = 8  # rows that first centres are picked from
KEPT_BYTES = 1 << 20  # of the features that a model keeps, but at least FEWEST of them
FEWEST, MOST, PER_CLUSTER = 64, 1024, 64


@saved(eq=False)
class ClusteringFeatures:
    """Small groups of near rows in BETULA's form: weight, mean, sum of squared deviations (lang-2020).

    Sums of squared distances to any points follow exactly as long as the rows of a feature stay together: the
    sum over a feature is ``squares + weight * |mean - c|^2``.

    Parameters
    ----------
    weights : array of shape (n,)
        Weight of the rows of each feature.
    means : array of shape (n, n_columns)
        Their mean.
    squares : array of shape (n,)
        Sum of their squared distances to it.

    Examples
    --------
    >>> features = ClusteringFeatures.of_rows(np.array([[0.0], [2.0], [9.0]]), None, n=2, seed=0)
    >>> sorted(features.weights.tolist()), features.bound(np.array([[1.0], [9.0]]))
    ([1.0, 2.0], 2.0)
    """

    weights: Weights = held(Tensor("features", kind="f8", above=0))
    means: FloatArray = held(Tensor("features", "columns", kind="f8"))
    squares: Weights = held(Tensor("features", kind="f8", low=0))

    @classmethod
    def of_rows(cls, X: Data, weights: Weights | None, *, n: int, seed: int) -> ClusteringFeatures:
        """Return at most `n` features of rows; rows without weight are in none."""
        weight = np.ones(len(X)) if weights is None else np.asarray(weights, dtype=np.float64)
        rows = cls(weight, X.astype(np.float64, copy=False), np.zeros(len(X)))
        return rows.merged(small_groups(X, weight, n, seed), n)

    @classmethod
    def joined(cls, parts: Sequence[ClusteringFeatures], *, n: int, seed: int) -> ClusteringFeatures:
        """Return at most `n` features that stand for the rows of all parts."""
        every = cls(
            np.concatenate([part.weights for part in parts]),
            np.concatenate([part.means for part in parts]),
            np.concatenate([part.squares for part in parts]),
        )
        if len(every.weights) <= n:
            return every
        return every.merged(small_groups(every.means, every.weights, n, seed), n)

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows."""
        return int(self.means.shape[1])

    @property
    def total_weight(self) -> float:
        """Weight of all rows."""
        return float(self.weights.sum())

    def merged(self, labels: Labels, n: int, *, keeps_empty: bool = False) -> ClusteringFeatures:
        """Return the features of groups of features; nothing is lost but who was where.

        Parameters
        ----------
        labels : array of shape (n_features,)
            The group of each feature.
        n : int
            How many groups there are.
        keeps_empty : bool, default=False
            Whether a group without weight has a feature of weight 0.
        """
        weights = np.bincount(labels, self.weights, minlength=n)
        sums = np.stack(
            [np.bincount(labels, self.weights * column, minlength=n) for column in self.means.T], 1
        )
        means = sums / np.where(weights > 0, weights, 1.0)[:, None]
        away = ((self.means - means[labels]) ** 2).sum(axis=1)
        squares = np.bincount(labels, self.squares + self.weights * away, minlength=n)
        kept = (weights > 0) | keeps_empty
        return ClusteringFeatures(
            np.asarray(weights[kept], float), means[kept], np.asarray(squares[kept], float)
        )

    def nearest(self, centers: Centers) -> Labels:
        """Return the nearest centre of each mean."""
        found: Any = np.ascontiguousarray(centers, dtype=np.float64)
        means: Any = self.means
        labels: Labels = _core.kmeans_labels(means, found, found.mean(axis=0), None, 1)[0]
        return labels

    def bound(self, centers: Centers) -> float:
        """Return an upper bound of the sum of squared distances of all rows to their nearest centres."""
        away = self.means - np.asarray(centers, dtype=np.float64)[self.nearest(centers)]
        return float(self.squares.sum() + self.weights @ (away**2).sum(axis=1))

    def calibrated(self, exact: ClusteringFeatures, centers: Centers) -> ClusteringFeatures:
        """Return features of a sample that are moved and weighed to agree with exact sums per cluster.

        Parameters
        ----------
        exact : ClusteringFeatures
            Of all rows, one per centre, in their order; weight 0 where a centre has none.
        centers : array of shape (n_clusters, n_columns)
            What both are divided by. A cluster that the sample misses is its exact feature.
        """
        labels, parts = self.nearest(centers), []
        for cluster in range(len(exact.weights)):
            mine = np.flatnonzero(labels == cluster)
            at = [cluster]
            whole = ClusteringFeatures(exact.weights[at], exact.means[at], exact.squares[at])
            if whole.weights[0] > 0:
                parts.append(self._stretched(mine, whole) if len(mine) else whole)
        return ClusteringFeatures.joined(parts, n=sum(len(part.weights) for part in parts), seed=0)

    def _stretched(self, mine: Indices, whole: ClusteringFeatures) -> ClusteringFeatures:
        """Return some features with the weight, the mean and the sum of squares of their whole cluster."""
        weights = self.weights[mine] * (whole.weights[0] / self.weights[mine].sum())
        means = self.means[mine]
        away = means - weights @ means / whole.weights[0]
        squares = self.squares[mine] * (weights / self.weights[mine])
        between, total = float(weights @ (away**2).sum(axis=1)), float(squares.sum())
        factor = np.sqrt(whole.squares[0] / (between + total)) if between + total > 0 else 1.0
        return ClusteringFeatures(weights, whole.means[0] + factor * away, factor**2 * squares)


def n_features_kept(n_clusters: int, n_columns: int) -> int:
    """Return how many features a model keeps, so that it can take in more rows later.

    Examples
    --------
    >>> n_features_kept(8, 10), n_features_kept(8, 768)
    (512, 170)
    """
    room = KEPT_BYTES // (8 * (n_columns + 2))
    return int(max(FEWEST, n_clusters, min(room, MOST, max(PER_CLUSTER * n_clusters, FEWEST))))


def small_groups(X: Data, weights: Weights, n: int, seed: int) -> Labels:
    """Return groups of near rows: k-means from k-means++ on some of them, a few passes."""
    from coterie.cluster.kmeans.spaces import points_of
    from coterie.cluster.kmeans.starts import make_start

    if len(X) <= n:
        return np.arange(len(X), dtype=np.int32)
    picked = np.random.default_rng(seed).choice(len(X), min(len(X), SEEDS_PER_FEATURE * n), replace=False)
    X = np.ascontiguousarray(X)
    start = make_start(
        points_of(np.ascontiguousarray(X[picked]), np.ascontiguousarray(weights[picked])),
        "k-means++",
        n,
        seed,
        who="Summaries",
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", scikit_learn.ConvergenceWarning)
        return points_of(X, weights).run(start.centers, PASSES, "auto").labels
