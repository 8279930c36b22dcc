"""Rows in a plane: principal components, maps of near rows, and how many rows lie in each cell."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from coterie._support import linear_algebra
from coterie._support.linear_algebra import settle_signs
from coterie._support.typing import Data, FloatArray, Indices
from coterie.cluster import lay_out_graph
from coterie.distance import neighbour_graph
from coterie.pipeline.partition import dense

GOLDEN = (5**0.5 - 1) / 2  # multiples of it, without their whole part, fill an interval evenly
WIDEST_COVARIANCE = 500  # columns up to which components come from all rows
MOST_TSNE_ROWS = 1_000  # of so few t-SNE keeps more neighbours; of more it takes too long

NEAR = 15  # rows that each row is linked to on a map of near rows
TSNE_STEPS = 500
CELLS = 72  # of a density, per side
EDGE = 0.0005  # of the rows on either side, which may lie outside: one outlier must not squeeze all others


class Components(NamedTuple):
    """Places on the first two components, the share of variance of each, and the way of new rows there."""

    places: FloatArray
    shares: FloatArray
    center: FloatArray
    scale: FloatArray
    axes: FloatArray

    def project(self, rows: FloatArray) -> FloatArray:
        """Return the places of other rows of the same columns."""
        return ((rows - self.center) / self.scale) @ self.axes


def principal_components(rows: FloatArray, *, standardise: bool) -> Components:
    """Return the first two principal components; `standardise` gives every column the same weight.

    Signs are chosen so that the largest entry of each component's axis is positive.

    Examples
    --------
    >>> found = principal_components(np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]), standardise=True)
    >>> found.shares.round(6) + 0.0
    array([1., 0.])
    """
    center = rows.mean(axis=0)
    scale = rows.std(axis=0) if standardise else np.ones(rows.shape[1])
    scale = np.where(scale > 0, scale, 1.0)
    axes, places, shares = linear_algebra.principal_components((rows - center) / scale).plane()
    return Components(places, shares, center, scale, axes)


class PrincipalPlane(NamedTuple):
    """Places on two principal components, their shares of the variance, and whether all rows have one."""

    places: FloatArray
    shares: FloatArray
    is_whole: bool


def principal_plane(points: Data | sparse.csr_array, some: Indices) -> PrincipalPlane:
    """Return the places of all rows; of tables that are sparse or very wide, those of some rows only."""
    is_whole = not sparse.issparse(points) and points.shape[1] <= WIDEST_COVARIANCE
    if is_whole:
        found = principal_components(np.asarray(points, dtype=np.float64), standardise=False)
        return PrincipalPlane(found.places, found.shares, True)
    from sklearn.utils.extmath import randomized_svd

    seen = np.asarray(dense(points[some]), dtype=np.float64)
    centered = seen - seen.mean(axis=0)
    _, singular, rows = randomized_svd(centered, n_components=2, random_state=0)
    total = float(np.square(centered).sum())
    shares = np.square(singular) / total if total > 0 else np.zeros(2)
    return PrincipalPlane(centered @ settle_signs(rows.T), shares, False)


class NearPlane(NamedTuple):
    """Places at which near means alike, what the picture is called, and how it was made."""

    places: FloatArray
    name: str
    how: str


def near_plane(points: Data, seed: int) -> NearPlane:
    """Return places of the rows: by t-SNE up to 1,000 of them, beyond that from the graph of near rows."""
    if len(points) <= MOST_TSNE_ROWS:
        return tsne_plane(points, seed)
    return graph_plane(lay_out_graph(neighbour_graph(points, NEAR).weights, random_state=seed), NEAR)


def graph_plane(places: FloatArray, n_neighbors: int | None) -> NearPlane:
    """Name places that come from a graph of near rows, or (None) from a network."""
    if n_neighbors is None:
        return NearPlane(np.asarray(places, dtype=np.float64), "network", "nodes with edges pull each other")
    n_placed = int(np.isfinite(places[:, 0]).sum())
    how = f"{n_placed:,} rows, each linked to its {n_neighbors} nearest ones"
    return NearPlane(np.asarray(places, dtype=np.float64), "neighbours", how)


def tsne_plane(points: Data, seed: int) -> NearPlane:
    """Return places of few rows by t-SNE, started from the principal plane."""
    from sklearn.manifold import TSNE
    from threadpoolctl import threadpool_limits

    rows = np.asarray(points, dtype=np.float64)
    perplexity = min(30.0, (len(rows) - 1) / 3)
    start = principal_plane(rows, np.arange(len(rows))).places
    start = (start / (start[:, 0].std() or 1.0) * 1e-4).astype(np.float32)
    method = TSNE(perplexity=perplexity, init=start, max_iter=TSNE_STEPS, random_state=seed)
    with threadpool_limits(1):  # so few rows give threads nothing to do but wait for each other
        found = method.fit_transform(rows)
    how = f"t-SNE of {len(rows):,} rows (perplexity {perplexity:g})"
    return NearPlane(np.asarray(found, dtype=np.float64), "t-SNE", how)


class Density(NamedTuple):
    """The middles of the cells of a plane, and how many rows lie in each."""

    x: FloatArray
    y: FloatArray
    counts: npt.NDArray[np.int64]


def density(places: FloatArray) -> Density:
    """Return the counts of rows in 72 x 72 cells; a few outliers may lie outside."""
    low, high = np.quantile(places, [EDGE, 1 - EDGE], axis=0)
    low, high = low - 0.1 * (high - low), high + 0.1 * (high - low)
    counts, x, y = np.histogram2d(
        places[:, 0], places[:, 1], bins=CELLS, range=list(zip(low.tolist(), high.tolist(), strict=True))
    )
    return Density((x[1:] + x[:-1]) / 2, (y[1:] + y[:-1]) / 2, counts.T.astype(np.int64))
