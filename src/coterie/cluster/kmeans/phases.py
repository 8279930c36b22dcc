"""The way to a result: stretches of iterations, each with a reason to begin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.typing import Centers, FloatArray, Labels
from coterie.cluster.kmeans.points import Points, Run


@dataclass(frozen=True)
class Phase:
    """A stretch of iterations: why it began, where, and how long it was."""

    kind: str  # "start", "grow", "shrink", "exchange" or "return"
    centers: Centers
    n_iter: int


@dataclass(frozen=True)
class Way:
    """The best run so far, and all stretches of iterations up to it."""

    run: Run
    phases: tuple[Phase, ...]


def totals(points: Points, labels: Labels, values: FloatArray | None, k: int) -> FloatArray:
    """Return the weighted sum of values (of ones) over the rows of each centre."""
    weights: FloatArray | None = points.weights
    if values is not None:
        weights = values if weights is None else values * weights
    return np.bincount(labels, weights, minlength=k).astype(np.float64)
