"""First groups for kernel k-means."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Indices, Labels, Weights
from coterie.cluster.kernel.rows import KernelRows
from coterie.cluster.kmeans.starts import NAMED_STARTS, n_candidates
from coterie.errors import InvalidData

__all__ = ["NAMED_STARTS", "check_first_labels", "first_labels"]


def check_first_labels(init: Any, n_clusters: int, n_rows: int, *, who: str) -> Labels:
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


def first_labels(rows: KernelRows, weights: Weights | None, init: Any, k: int, seed: int) -> Labels:
    """Return a first label for each row."""
    if not isinstance(init, str):
        return np.asarray(init)
    random = np.random.default_rng(seed)
    n = len(rows.diagonal)
    heavy = np.arange(n) if weights is None else np.flatnonzero(weights)
    if init == "random partition":
        labels: Any = random.integers(k, size=n)
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
