"""Where new rows lie among the coordinates of a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Weights
from coterie.cluster.spectral.embedding import extend, extendable
from coterie.cluster.spectral.graphs import GIVEN, Affinity
from coterie.cluster.spectral.landmarks import LandmarkMap
from coterie.distance import nearest


@dataclass(frozen=True, eq=False)
class Places:
    """The rows of a fit that have any weight, with their coordinates and what places others among them.

    Parameters
    ----------
    rows : array or sparse array
        Rows of features, or those of a matrix that was given.
    weights : array of shape (n,) or None
        Of these rows.
    coordinates : array of shape (n, n_components)
        Of these rows.
    eigenvalues : array
        Of the Laplacian.
    degrees, scales : array of shape (n,) or None
        Of the graph.
    landmarks : LandmarkMap or None
        Where rows are placed by landmarks.
    """

    rows: Any
    weights: Weights | None
    coordinates: FloatArray
    eigenvalues: FloatArray
    degrees: FloatArray | None
    scales: FloatArray | None
    landmarks: LandmarkMap | None

    def of(self, X: Any, affinity: Affinity, laplacian: str) -> FloatArray:
        """Return the coordinates of other rows, or of their affinities; one of these rows keeps its own."""
        if self.landmarks is not None:
            return self.landmarks.coordinates(X, affinity, laplacian)
        assert self.degrees is not None
        values = extendable(self.coordinates, self.degrees, laplacian)
        sums = self._sums(X, affinity, np.column_stack([values, np.ones(len(values))]))
        placed = extend(sums[:, :-1], sums[:, -1], self.eigenvalues, laplacian)
        if affinity.kind not in GIVEN:
            near = nearest(X, self.rows, n_jobs=affinity.n_jobs)
            is_settled = (near.distance == 0) | (sums[:, -1] <= 0)
            placed[is_settled] = self.coordinates[near.index[is_settled]]
        return placed

    def _sums(self, X: Any, affinity: Affinity, values: FloatArray) -> FloatArray:
        add = affinity.between(X, self.rows, self.scales)
        if self.weights is None:
            return add(values)
        most = float(self.weights.max())  # sums may be in float32
        return np.asarray(most * add(values * (self.weights / most)[:, None]))


def rows_among(X: Any, points: Any, *, is_given: bool) -> Any:
    """Return some of the rows; of a given matrix, their columns too."""
    return X[points][:, points] if is_given else X[points]
