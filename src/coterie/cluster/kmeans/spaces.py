"""Where k-means runs: a fitted geometry, and which kind of points its prepared rows are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Centers,
    CheckedRows,
    Data,
    Distances,
    FloatArray,
    Labels,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie.cluster.kmeans.looped_points import GeometryPoints
from coterie.cluster.kmeans.points import (
    DensePoints,
    Points,
    SparsePoints,
    SpherePoints,
    csr_parts,
)
from coterie.distance import Geometry, find_geometry
from coterie.distance.catalogue import Distance
from coterie.errors import UnsupportedInput

HALF_SQUARE = 0.5  # one minus the cosine of unit vectors is half their squared distance


@dataclass(frozen=True, eq=False)
class FittedGeometry:
    """A geometry that knows its data."""

    geometry: Geometry  # fitted
    # the point that the engine takes prepared rows relative to; with the origin of a fit, its rows get their
    # labels back to the bit
    origin: FloatArray

    @property
    def has_means(self) -> bool:
        """Whether prepared rows have the Euclidean distance and centres are means: the engine's own case."""
        is_mean = self.geometry.barycentre.kind == "mean"
        return is_mean and self.geometry.distance.euclidean_form in ("distance", "square")

    @property
    def has_unit_means(self) -> bool:
        """Whether prepared rows and centres have length one: the engine's other case."""
        is_unit_mean = self.geometry.barycentre.kind == "unit mean"
        return is_unit_mean and self.geometry.distance.euclidean_form == "half square"

    def points(self, X: Data | SparseData, weights: Weights | None) -> Points:
        """Return prepared rows as points."""
        n_threads = resolve_threads()
        if issparse(X):
            return SparsePoints(X, weights, n_threads)
        if self.has_means:
            return DensePoints.of(X, weights, n_threads)
        if self.has_unit_means:
            return SpherePoints.of(X, weights, n_threads)
        return GeometryPoints(X, weights, n_threads, self.geometry)

    def prepare(self, X: CheckedRows, *, name: str = "X") -> CheckedRows:
        """Return rows, or given centres, as the geometry wants them."""
        return X if issparse(X) else self.geometry.prepare(X, name=name)

    def label(self, X: CheckedRows, centers: Centers, weights: Weights | None) -> tuple[Labels, float]:
        """Return the nearest centre of each prepared row, and the value of the objective."""
        if not (self.has_means or self.has_unit_means):
            points = GeometryPoints(X, weights, resolve_threads(), self.geometry)
            labels = points.label(centers)
            return labels, points.inertia(centers, labels)
        labels, inertia = label_rows(X, centers, self.origin.astype(X.dtype, copy=False), weights)
        return labels, inertia * (HALF_SQUARE if self.has_unit_means else 1.0)

    def distances(self, X: CheckedRows, centers: Centers) -> Distances:
        """Return the distance of each prepared row to each centre."""
        metric, n_threads = self.geometry.distance.metric, resolve_threads()
        if not issparse(X):
            found: Distances = _core.pairwise(X, centers, metric, n_threads)
            return found
        squared: Distances = _core.sparse_pairwise_squared(*csr_parts(X), centers, n_threads)
        is_square = self.geometry.distance.euclidean_form == "square"
        return squared if is_square else np.asarray(np.sqrt(squared, out=squared))


def points_of(X: Data | SparseData, weights: Weights | None) -> Points:
    """Return the rows of a checked matrix as points with the Euclidean distance."""
    return FittedGeometry(find_geometry("euclidean"), np.zeros(0)).points(X, weights)


def fit_space(geometry: str | Distance | Geometry, X: Data | SparseData, *, who: str) -> FittedGeometry:
    """Return the space that a parameter `geometry` names, with what its distance learns from the rows."""
    named = find_geometry(geometry)
    nowhere = np.zeros(X.shape[1], dtype=X.dtype)
    if not issparse(X):
        return FittedGeometry(named.fit(X), nowhere)
    space = FittedGeometry(named, nowhere)
    if not space.has_means or named.distance.transform is not None or named.distance.learn is not None:
        raise UnsupportedInput(
            f"Sparse data was passed to {who}, but dense data is required for geometry {named.name}. Use "
            f"X.toarray(), or the geometry euclidean, which takes sparse rows."
        )
    return space


def refit_space(
    geometry: str | Distance | Geometry, values: ValuesByName, offset: FloatArray | None, origin: FloatArray
) -> FittedGeometry:
    """Return the space of an earlier fit from what its distance had learned."""
    named = find_geometry(geometry)
    distance = replace(named.distance, values=values)
    if offset is not None:
        distance = distance.fit(offset[None, :])
    return FittedGeometry(replace(named, distance=distance), origin)


def learned(space: FittedGeometry) -> ValuesByName:
    """Return what `refit_space` needs, as plain values that can be saved."""
    distance = space.geometry.distance
    offset = getattr(distance.transform, "offset", None)
    return {"_geometry_values": dict(distance.values), "_geometry_offset": offset}


def label_rows(
    X: Data | SparseData, centers: Centers, origin: FloatArray, weights: Weights | None
) -> tuple[Labels, float]:
    """Return the nearest centre of each row and the weighted sum of squared distances to them."""
    n_threads = resolve_threads()
    if not issparse(X):
        labels, inertia = _core.kmeans_labels(X, centers, origin, weights, n_threads)
        return labels, inertia
    labels, squared = _core.sparse_nearest(*csr_parts(X), centers, n_threads)
    return labels, float(squared.sum(dtype=np.float64) if weights is None else squared @ weights)
