"""K-means of rows with missing cells: only cells that were observed count (k-POD)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from coterie import _core
from coterie._support.typing import AnyArray, Centers, Data, Distances, FloatArray, Indices, Labels, Model
from coterie.cluster.kmeans.looped_points import LoopedPoints
from coterie.cluster.kmeans.points import TwoNearest, row_blocks
from coterie.errors import InvalidData, InvalidParameter

OBSERVED = _core.Metric(_core.Kernel.observed, _core.Finish.identity)


@dataclass(frozen=True, eq=False)
class ObservedPoints(LoopedPoints):
    """Rows with missing cells (NaN), and the squared Euclidean distance over the cells that a row has.

    A row goes to the centre that is nearest in its own cells; a centre has in each column the weighted mean
    of the cells of its rows. Both steps minimise the sum of squares over all observed cells, so it never
    increases. Filling every missing cell with its row's centre leads to the same objective.
    """

    @cached_property
    def is_there(self) -> AnyArray:
        """Which cells were observed."""
        return ~np.isnan(self.X)

    @cached_property
    def origin(self) -> FloatArray:
        """The weighted mean of the cells of each column."""
        cells = np.where(self.is_there, self.X.astype(np.float64), 0.0)
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        totals = weights @ self.is_there
        plain = cells.sum(axis=0) / np.maximum(self.is_there.sum(axis=0), 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.where(totals > 0, weights @ cells / totals, plain)
        return np.asarray(means, dtype=self.X.dtype)

    @cached_property
    def _offsets(self) -> FloatArray:
        """Cells relative to the origin, where sums lose no digits; 0 where they are missing."""
        return np.where(self.is_there, self.X.astype(np.float64) - self.origin, 0.0)

    @cached_property
    def mean_variance(self) -> float:
        """The mean over the columns of the variance of their cells."""
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        totals = np.maximum(weights @ self.is_there, np.finfo(np.float64).tiny)
        return float(np.mean(weights @ self._offsets**2 / totals))

    def rows(self, indices: Indices) -> Centers:
        """Return rows as centres: missing cells get the mean of their column."""
        return np.where(self.is_there[indices], self.X[indices], self.origin)

    def means(self, labels: Labels, k: int) -> Centers:
        """Return the centre of each label; labels without weight are left out."""
        weights = np.ones(len(labels)) if self.weights is None else self.weights
        has_weight = np.bincount(labels, weights, minlength=k) > 0
        return self.move(np.tile(self.origin, (k, 1)), labels)[has_weight]

    def place(self, centers: Centers) -> Centers:
        """Return the centres as they are: they may be anywhere."""
        return centers

    def label(self, centers: Centers) -> Labels:
        """Return the nearest centre of each row."""
        labels: Labels = _core.nearest(self.X, centers, OBSERVED, self.n_threads)[0]
        return labels

    def two_nearest(self, centers: Centers) -> TwoNearest:
        """Return the two nearest centres of each row."""
        index, value = _core.nearest_two(self.X, centers, OBSERVED, self.n_threads)
        return TwoNearest(*index, *(np.asarray(one * self._shares) for one in value))

    def distances(self, centers: Centers) -> Distances:
        """Return the squared distance of each row to each centre, over the cells of the row."""
        scaled: Distances = _core.pairwise(self.X, centers, OBSERVED, self.n_threads)
        return np.asarray(scaled * self._shares[:, None])

    def inertia(self, centers: Centers, labels: Labels) -> float:
        """Return the weighted sum of squares over all observed cells."""
        return self.weighted_sum(self.own_distances(centers, labels))

    def own_distances(self, centers: Centers, labels: Labels) -> FloatArray:
        """Return the squared distance of each row to the centre of its label, over the cells of the row."""
        found = np.empty(len(labels))
        for rows in row_blocks(len(labels)):
            away = np.where(self.is_there[rows], self.X[rows].astype(np.float64) - centers[labels[rows]], 0.0)
            found[rows] = np.einsum("ij,ij->i", away, away)
        return found

    def terms_to(self, row: int) -> FloatArray:
        """Return the squared distances of all rows to one, over the cells of each."""
        return self.distances(self.rows(np.array([row]))).ravel().astype(np.float64)

    def assign(self, centers: Centers) -> tuple[Labels, FloatArray, float]:
        """Return the nearest centre of each row, the squared distance to it, and their weighted sum."""
        labels = self.label(centers)
        apart = self.own_distances(centers, labels)
        return labels, apart, self.weighted_sum(apart)

    def check_descent(self, before: float, inertia: float, n_iter: int) -> None:
        """Let everything pass: both steps minimise the same sum."""

    @cached_property
    def _shares(self) -> FloatArray:
        """The share of cells that each row has: the engine scales distances up to all columns."""
        return np.asarray(self.is_there.sum(axis=1) / self.X.shape[1], dtype=self.X.dtype)

    def move(self, centers: Centers, labels: Labels) -> Centers:
        """Return the means of the observed cells of each label; a column without any keeps its value."""
        n_rows, k = len(labels), len(centers)
        weights = np.ones(n_rows) if self.weights is None else self.weights
        belongs = csr_array((weights, (labels, np.arange(n_rows))), shape=(k, n_rows))
        totals = belongs @ self.is_there.astype(np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = belongs @ self._offsets / totals + self.origin
        return np.where(totals > 0, means, centers).astype(centers.dtype)


def refuse_empty_rows(X: Data, *, who: str) -> None:
    """Refuse rows without any value: every centre would be as near.

    Examples
    --------
    >>> refuse_empty_rows(np.array([[1.0, np.nan], [np.nan, np.nan]]), who="KMeans")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: row 1 of X of KMeans has no values: no centre is nearer than another. Leave
    such rows out.
    """
    is_empty = np.isnan(X).all(axis=1)
    if is_empty.any():
        raise InvalidData(
            f"row {int(np.argmax(is_empty))} of X of {who} has no values: no centre is nearer than another. "
            f"Leave such rows out."
        )


def refuse_empty_columns(X: Data, *, who: str) -> None:
    """Refuse columns without any value: centres have no place there.

    Examples
    --------
    >>> refuse_empty_columns(np.array([[1.0, np.nan]]), who="KMeans")
    Traceback (most recent call last):
    ...
    coterie.errors.InvalidData: column 1 of X of KMeans has no values at all. Leave it out.
    """
    is_empty = np.isnan(X).all(axis=0)
    if is_empty.any():
        raise InvalidData(
            f"column {int(np.argmax(is_empty))} of X of {who} has no values at all. Leave it out."
        )


def refuse_options(model: Model, *, who: str) -> None:
    """Refuse options of k-means that need complete rows."""
    needs = {
        "geometry": model.geometry not in ("euclidean", "l2", "euclid"),
        "improve": model.improve is not None,
        "history": bool(model.history),
    }
    for name, is_set in needs.items():
        if is_set:
            default = '"euclidean"' if name == "geometry" else "None" if name == "improve" else "False"
            raise InvalidParameter(
                f'{name} of {who} must be {default} with missing="observed", got {getattr(model, name)!r}: '
                f"it needs every cell. Fill in values first, or leave it out."
            )
