"""First medoids: BUILD, LAB, k-medoids++, random rows, or given ones."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Distances, Indices, Weights
from coterie.cluster.kmeans.starts import n_candidates
from coterie.cluster.medoids.sources import Source
from coterie.errors import InvalidData

NAMED_MEDOIDS = ("build", "lab", "k-medoids++", "random")
LAB_EXTRA = 10  # LAB looks at 10 + sqrt(n) rows per pick [schubert-2021]


def check_first_medoids(init: Any, n_clusters: int, n_rows: int, *, who: str) -> Indices:
    """Return given first medoids as row numbers, or say what is wrong with them."""
    rows = np.asarray(init)
    if rows.dtype.kind not in "iu" or rows.shape != (n_clusters,):
        raise InvalidData(
            f"init of {who} must be {n_clusters} row numbers, one per cluster, got an array of "
            f"{rows.dtype} of shape {rows.shape}."
        )
    if rows.min() < 0 or rows.max() >= n_rows:
        wrong = rows[(rows < 0) | (rows >= n_rows)][0]
        raise InvalidData(f"init of {who} must be row numbers from 0 to {n_rows - 1}, got {wrong}.")
    if len(np.unique(rows)) != n_clusters:
        raise InvalidData(f"init of {who} must be different rows, got {np.array2string(rows, threshold=8)}.")
    return rows.astype(np.int64)


def first_medoids(
    init: Any, source: Source, candidates: Indices, weights: Weights | None, k: int, seed: int, threads: int
) -> Indices:
    """Return k different candidates to start from; `weights` are those of the points of the source."""
    if not isinstance(init, str):
        return np.asarray(init)
    if init == "build":
        return np.asarray(source.build(candidates, weights, k, threads), dtype=np.int64)
    random = np.random.default_rng(seed)
    if init == "random":
        return random.choice(candidates, k, replace=False).astype(np.int64)
    heavy = np.arange(len(source.points)) if weights is None else np.flatnonzero(weights)
    picker = _Picker(source, weights, random)
    for _ in range(min(k, len(heavy))):
        if init == "lab":
            picker.pick_by_sample(heavy)
        else:
            picker.pick_by_chance(heavy, n_candidates(k))
    return _filled(picker.medoids(), candidates, k, random)


class _Picker:
    """Points that become medoids one by one; keeps how far each point is from them."""

    def __init__(self, source: Source, weights: Weights | None, random: np.random.Generator) -> None:
        self._source, self._weights, self._random = source, weights, random
        self._near: Distances = np.full(len(source.points), np.inf)
        self._picked: list[int] = []

    def medoids(self) -> Indices:
        return self._source.points[self._picked]

    def pick_by_sample(self, heavy: Indices) -> None:
        """Take the point of a sample that lowers the sample's own sum most."""
        left = np.setdiff1d(heavy, self._picked, assume_unique=True)
        size = min(len(left), LAB_EXTRA + int(np.ceil(np.sqrt(len(heavy)))))
        sample = np.sort(self._random.choice(left, size, replace=False))
        among = self._source.rows(self._source.points[sample])[:, sample]
        sums = self._total(np.minimum(among, self._near[sample]), sample)
        self._add(int(sample[np.argmin(sums)]))

    def pick_by_chance(self, heavy: Indices, n_draws: int) -> None:
        """Draw points in proportion to their distance, take the one that lowers the sum most."""
        chances = np.ones(len(heavy)) if not self._picked else self._near[heavy].astype(np.float64)
        chances = chances if self._weights is None else chances * self._weights[heavy]
        if not chances.any():  # every point lies on a medoid
            left = np.setdiff1d(heavy, self._picked, assume_unique=True)
            self._add(int(left[0]))
            return
        draws = heavy[
            self._random.choice(len(heavy), n_draws if self._picked else 1, p=chances / chances.sum())
        ]
        rows = np.minimum(self._source.rows(self._source.points[draws]), self._near)
        self._add(int(draws[np.argmin(self._total(rows, slice(None)))]))

    def _total(self, rows: Distances, columns: Any) -> Distances:
        if self._weights is None:
            return np.asarray(rows.sum(axis=1, dtype=np.float64))
        return np.asarray((rows * self._weights[columns]).sum(axis=1))

    def _add(self, point: int) -> None:
        self._picked.append(point)
        self._near = np.minimum(self._near, self._source.rows(self._source.points[[point]])[0])


def _filled(medoids: Indices, candidates: Indices, k: int, random: np.random.Generator) -> Indices:
    """Add random candidates where there were fewer points than medoids."""
    left = np.setdiff1d(candidates, medoids)
    more = random.choice(left, k - len(medoids), replace=False)
    return np.concatenate([medoids, more]).astype(np.int64)
