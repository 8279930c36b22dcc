"""Points in any geometry: assign by its distance, move to its barycentres, check that this descends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import Centers, Data, Distances, FloatArray, Indices, Labels, Weights
from coterie.cluster.kmeans.empty_clusters import refill
from coterie.cluster.kmeans.points import Report, Run, Stopping, TwoNearest, row_blocks
from coterie.distance import Clusters, Geometry
from coterie.errors import InvalidParameter

ROUNDING = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4}  # relative rise that is none


@dataclass(frozen=True, eq=False)
class Picks:
    """Rows picked as a start, in order, and the chances of all rows at each pick (columns)."""

    indices: Indices
    probabilities: FloatArray | None


@dataclass(frozen=True, eq=False)
class GeometryPoints:
    """Prepared rows of a geometry; "squared" distances are distances to the power of its objective."""

    X: Data
    weights: Weights | None
    n_threads: int
    geometry: Geometry

    @property
    def mean_variance(self) -> float:
        return float(np.mean(_core.column_moments(self.X, self.weights, self.n_threads).variance))

    @property
    def origin(self) -> FloatArray:
        """Zero: differences need no shift."""
        return np.zeros(self.X.shape[1], dtype=self.X.dtype)

    def rows(self, indices: Indices) -> Centers:
        return self.X[indices]

    def means(self, labels: Labels, k: int) -> Centers:
        centers = self._barycentres(labels, k)
        return centers[~np.isnan(centers).any(axis=1)]

    def place(self, centers: Centers) -> Centers:
        return centers

    def label(self, centers: Centers) -> Labels:
        return self._nearest(centers)[0]

    def two_nearest(self, centers: Centers) -> TwoNearest:
        index, distances = _core.nearest_two(self.X, centers, self.geometry.distance.metric, self.n_threads)
        return TwoNearest(*index, *self._raised(distances))

    def inertia(self, centers: Centers, labels: Labels) -> float:
        total = 0.0
        for rows in row_blocks(len(labels)):
            distances = _core.pairwise(self.X[rows], centers, self.geometry.distance.metric, self.n_threads)
            own = np.take_along_axis(distances, labels[rows, None].astype(np.intp), axis=1).ravel()
            total += self._weighted_sum(self._raised(own), rows)
        return total

    def seed(self, n_clusters: int, n_candidates: int, seed: int, *, record: bool) -> Picks:
        """Pick rows by greedy k-means++ with the terms of the objective in place of squared distances."""
        random = np.random.default_rng(seed)
        weights = np.ones(len(self.X)) if self.weights is None else self.weights
        terms = np.ones(len(self.X))
        picks: list[int] = []
        recorded: list[FloatArray] = []
        while len(picks) < n_clusters and (weights * terms).sum() > 0:
            chances = weights * terms / (weights * terms).sum()
            recorded.append(chances)
            candidates = random.choice(len(self.X), n_candidates if picks else 1, p=chances)
            after = [np.minimum(terms if picks else np.inf, self._terms_to(row)) for row in candidates]
            best = int(np.argmin([float(weights @ left) for left in after]))
            picks.append(int(candidates[best]))
            terms = after[best]
        return Picks(np.array(picks, dtype=np.intp), np.array(recorded).T if record else None)

    def run(self, start: Centers, stopping: Stopping, algorithm: str, report: Report | None = None) -> Run:
        tolerance = stopping.tol * self.mean_variance if stopping.tol > 0 else stopping.tol
        centers, before = start, np.inf
        labels: Labels = np.full(len(self.X), -1, dtype=np.int32)
        n_iter, shift, is_strict = 0, np.inf, False
        while n_iter < stopping.max_iter and not is_strict and shift > tolerance:
            found, distances = self._nearest(centers)
            inertia = self._weighted_sum(self._raised(distances))
            self._check_descent(before, inertia, n_iter)
            refilled = refill(found, distances, len(centers), self.weights)
            is_strict = np.array_equal(refilled, found) and np.array_equal(found, labels)
            labels, moved = refilled, self._moved(centers, refilled)
            shift = float(((moved - centers).astype(np.float64) ** 2).sum())
            centers, n_iter = moved, n_iter + 1
            if report is not None:
                report(n_iter, inertia)
            if (
                stopping.tol_inertia is not None
                and before - inertia <= stopping.tol_inertia * before < np.inf
            ):
                break
            before = inertia
        found, distances = self._nearest(centers)
        inertia = self._weighted_sum(self._raised(distances))
        return Run(centers, found, inertia, n_iter, "lloyd", is_strict, shift)

    def _nearest(self, centers: Centers) -> tuple[Labels, Distances]:
        labels, distances = _core.nearest(self.X, centers, self.geometry.distance.metric, self.n_threads)
        return labels, distances

    def _raised(self, distances: Any) -> FloatArray:
        return np.asarray(distances, dtype=np.float64) ** self.geometry.barycentre.power

    def _terms_to(self, row: int) -> FloatArray:
        distances = _core.pairwise(self.X, self.X[[row]], self.geometry.distance.metric, self.n_threads)
        return self._raised(distances.ravel())

    def _weighted_sum(self, terms: FloatArray, rows: slice = slice(None)) -> float:
        return float(terms.sum() if self.weights is None else terms @ self.weights[rows])

    def _barycentres(self, labels: Labels, k: int) -> Centers:
        return self.geometry.barycentres(Clusters(self.X, labels, k, self.weights), n_threads=self.n_threads)

    def _moved(self, centers: Centers, labels: Labels) -> Centers:
        moved = self._barycentres(labels, len(centers))
        return np.where(np.isnan(moved).any(axis=1, keepdims=True), centers, moved)

    def _check_descent(self, before: float, inertia: float, n_iter: int) -> None:
        if inertia > before * (1 + ROUNDING[self.X.dtype]):
            raise InvalidParameter(
                f"the geometry {self.geometry.name} does not descend: iteration {n_iter} raised its "
                f"objective from {before:.6g} to {inertia:.6g}, its barycentre is not the best centre. "
                f"Use KMedoids, which takes every distance."
            )
