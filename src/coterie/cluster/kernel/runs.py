"""Iterations of kernel k-means: first groups, and sums of the kernel per group, kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from coterie._support.typing import FloatArray, Indices, Init, Labels, Weights
from coterie.cluster.kernel.functions import KernelRows, Sums
from coterie.cluster.kmeans.empty_clusters import refill
from coterie.cluster.kmeans.starts import n_candidates
from coterie.errors import InvalidData

ROUNDING = 1e-13  # of the largest kernel value: a shorter way is not a move
REFRESH = 20  # iterations after which the sums are computed again, so that rounding does not pile up


@dataclass(frozen=True, eq=False)
class Centre:
    """What the distance to the centres takes besides sums: weights, and squared norms of the centres."""

    weights: FloatArray
    norms: FloatArray

    def scores(self, sums: FloatArray) -> FloatArray:
        """Return squared distances to all centres, less the kernel of each row with itself; (k, n)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            scores = self.norms[:, None] - 2 * sums / self.weights[:, None]
        scores[self.weights == 0] = np.inf
        return np.asarray(scores)


@dataclass(frozen=True, eq=False)
class KernelRun:
    """Groups and what is needed to place new rows."""

    labels: Labels  # the nearest mean of each row
    members: Labels  # the group whose mean each row is part of, -1 for none: `labels` where no row moves
    inertia: float
    n_iter: int
    centre: Centre
    has_risen: bool  # the objective rose: the kernel is not an inner product


@dataclass(frozen=True, eq=False)
class _Seen:
    """The best groups so far."""

    members: Labels
    inertia: float


class KernelLloyd:
    """Rows that go to the nearest mean in the space of the kernel, until none moves."""

    def __init__(self, rows: KernelRows, weights: Weights | None, k: int) -> None:
        self._rows, self._k = rows, k
        self._n = len(rows.diagonal)
        self._weights = np.ones(self._n) if weights is None else weights
        self._everyone, self._heavy = np.arange(self._n), self._weights > 0
        self._least_move = ROUNDING * max(float(np.abs(rows.diagonal).max()), np.finfo(np.float64).tiny)

    def run(
        self, labels: Labels, max_iter: int, tol: float, report: Callable[[], object] | None
    ) -> KernelRun:
        """Go from given labels to where no row moves, or until the objective hardly falls."""
        labels, sums, age = labels.astype(np.int32), self._fresh(labels), 0
        best: _Seen | None = None
        for iteration in range(1, max_iter + 2):
            centre = self._centre(labels, sums)
            scores = centre.scores(sums)
            inertia = self._inertia(labels, scores)
            if best is not None and not inertia < best.inertia:
                risen = bool(inertia > best.inertia + self._least_move * self._weights.sum())
                return self._settled(best.members, self._fresh(best.members), iteration - 1, risen)
            fall = np.inf if best is None else best.inertia - inertia
            best = _Seen(labels, inertia)
            if iteration > max_iter or fall <= tol * abs(inertia):
                return self._settled(labels, self._fresh(labels) if age else sums, iteration - 1)
            moved = self._moved(labels, scores)
            if not np.array_equal(moved[self._heavy], labels[self._heavy]):
                sums, age = self._updated(sums, labels, moved, age)
                labels = moved
            elif age > 0:  # sums with rounding say so: ask exact ones
                sums, age, best = self._fresh(labels), 0, None
            else:
                return self._settled(labels, sums, iteration)
            if report is not None:
                report()
        raise AssertionError("the last iteration returns")

    def _settled(self, members: Labels, sums: Sums, n_iter: int, has_risen: bool = False) -> KernelRun:
        """Give every row the nearest mean, as `predict` does: rows may still have been on the way."""
        centre = self._centre(members, sums)
        scores = centre.scores(sums)
        labels = scores.argmin(axis=0).astype(np.int32)
        is_group = np.bincount(labels, minlength=self._k) > 0
        number = np.where(is_group, np.cumsum(is_group) - 1, -1).astype(np.int32)
        kept = Centre(centre.weights[is_group], centre.norms[is_group])
        inertia = self._inertia(labels, scores)
        return KernelRun(number[labels], number[members], inertia, n_iter, kept, has_risen)

    def _fresh(self, labels: Labels) -> Sums:
        sums = np.zeros((self._k, self._n))
        heavy = np.flatnonzero(self._heavy)
        self._rows.add(sums, heavy, labels[heavy].astype(np.int32), self._weights[heavy])
        return sums

    def _updated(self, sums: Sums, old: Labels, new: Labels, age: int) -> tuple[Sums, int]:
        rows = np.flatnonzero((old != new) & self._heavy)
        if 2 * len(rows) >= self._n or age >= REFRESH:
            return self._fresh(new), 0
        ids = np.repeat(rows, 2)
        groups = np.stack([old[rows], new[rows]], axis=1).ravel().astype(np.int32)
        factors = np.stack([-self._weights[rows], self._weights[rows]], axis=1).ravel()
        self._rows.add(sums, ids, groups, factors)
        return sums, age + 1

    def _centre(self, labels: Labels, sums: FloatArray) -> Centre:
        weights = np.bincount(labels, self._weights, minlength=self._k).astype(np.float64)
        own = self._weights * sums[labels, self._everyone]
        norms = np.bincount(labels, own, minlength=self._k)
        return Centre(weights, norms / np.where(weights > 0, weights, 1.0) ** 2)

    def _inertia(self, labels: Labels, scores: FloatArray) -> float:
        squared = self._rows.diagonal + scores[labels, self._everyone]
        return float(squared[self._heavy] @ self._weights[self._heavy])

    def _moved(self, labels: Labels, scores: FloatArray) -> Labels:
        """Return the nearest centre of each row; rows stay where another one is not really nearer."""
        best = scores.argmin(axis=0).astype(np.int32)
        own = scores[labels, self._everyone]
        is_nearer = scores[best, self._everyone] < own - self._least_move
        moved = np.where(is_nearer | ~self._heavy, best, labels).astype(np.int32)
        squared = self._rows.diagonal + np.minimum(own, scores.min(axis=0))
        return refill(moved, squared, self._k, self._weights, least=self._least_move)


def check_first_labels(init: Init, n_clusters: int, n_rows: int, *, who: str) -> Labels:
    """Return given first labels, or say what is wrong with them."""
    labels = np.asarray(init)
    if labels.dtype.kind not in "iu" or labels.shape != (n_rows,):
        raise InvalidData(
            f"init of {who} must be the first label of each of the {n_rows} rows, got an array of "
            f"{labels.dtype} of shape {labels.shape}."
        )
    if labels.min() < 0 or labels.max() >= n_clusters:
        wrong = int(np.argmax((labels < 0) | (labels >= n_clusters)))
        raise InvalidData(
            f"init of {who} must be labels from 0 to {n_clusters - 1}, got {labels[wrong]} in row {wrong}."
        )
    return labels.astype(np.int32)


def first_labels(rows: KernelRows, weights: Weights | None, init: Init, k: int, seed: int) -> Labels:
    """Return a first label for each row."""
    if not isinstance(init, str):
        return np.asarray(init)
    random = np.random.default_rng(seed)
    n = len(rows.diagonal)
    heavy = np.arange(n) if weights is None else np.flatnonzero(weights)
    if init == "random partition":
        labels: Labels = random.integers(k, size=n)
        labels[random.permutation(heavy)[:k]] = np.arange(min(k, len(heavy)))
        return np.asarray(labels, dtype=np.int32)
    if init == "random":
        picks = random.choice(heavy, min(k, len(heavy)), replace=False)
    else:
        picks = _plus_plus(rows, np.ones(n) if weights is None else weights, k, random)
    scores = rows.diagonal[picks][:, None] - 2 * rows.rows(picks)
    return np.asarray(scores.argmin(axis=0), dtype=np.int32)


def _plus_plus(rows: KernelRows, weights: FloatArray, k: int, random: np.random.Generator) -> Indices:
    """Greedy k-means++ with the distances of the kernel's space."""
    n = len(rows.diagonal)
    picks = [int(random.choice(n, p=weights / weights.sum()))]
    near = _squared(rows, np.array(picks))[0]
    while len(picks) < k:
        chances = weights * near
        if not chances.any():  # every row lies on a pick
            break
        draws = random.choice(n, n_candidates(k), p=chances / chances.sum())
        nearer = np.minimum(_squared(rows, draws), near)
        best = int(np.argmin(nearer @ weights))
        picks.append(int(draws[best]))
        near = nearer[best]
    return np.array(picks)


def _squared(rows: KernelRows, ids: Indices) -> FloatArray:
    """Return squared distances in the kernel's space, at least 0 and 0 for the row itself."""
    squared = rows.diagonal + rows.diagonal[ids][:, None] - 2 * rows.rows(ids)
    squared[np.arange(len(ids)), ids] = 0.0
    return np.maximum(squared, 0.0)
