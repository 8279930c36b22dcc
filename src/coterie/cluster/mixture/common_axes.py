"""Covariances that differ but share their axes: those along which several scatter matrices are likeliest."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np

from coterie._support.typing import FloatArray

MOST_SWEEPS = 200
LEAST_GAIN = 1e-13  # of a turn, per row: below is rounding


def with_common_axes(
    of_diagonals: Callable[[FloatArray, FloatArray], FloatArray],
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return the family that has the variances of another along axes that all components share.

    Examples
    --------
    >>> own = with_common_axes(lambda weights, variances: variances)
    >>> own(np.ones(2), np.array([[[2.0, 1.0], [1.0, 2.0]], [[5.0, 4.0], [4.0, 5.0]]])).round(6)
    array([[[2., 1.],
            [1., 2.]],
    <BLANKLINE>
           [[5., 4.],
            [4., 5.]]])
    """

    def likeliest(weights: FloatArray, scatter: FloatArray) -> FloatArray:
        pooled = np.tensordot(weights, scatter, axes=1)
        heaviest = scatter[int(np.argmax(weights))]
        found = (
            _turned(weights, scatter, np.linalg.eigh(start)[1], of_diagonals) for start in (pooled, heaviest)
        )
        axes, variances = min(found, key=lambda each: _loss(weights, each[1]))
        return np.asarray((axes * variances[:, None, :]) @ axes.T)

    return likeliest


def _loss(weights: FloatArray, variances: FloatArray) -> float:
    """Return minus twice the log-likelihood up to constants: at its maximum only determinants differ."""
    loss = float(weights @ np.log(variances).sum(axis=1))
    return loss if np.isfinite(loss) else np.inf


def _turned(
    weights: FloatArray,
    scatter: FloatArray,
    axes: FloatArray,
    of_diagonals: Callable[[FloatArray, FloatArray], FloatArray],
) -> tuple[FloatArray, FloatArray]:
    """Turn two axes at a time to where the likelihood is largest, until none moves; no turn lowers it."""
    seen = axes.T @ scatter @ axes
    variances = of_diagonals(weights, np.diagonal(seen, axis1=1, axis2=2))
    least = LEAST_GAIN * weights.sum()
    pairs = list(combinations(range(len(axes)), 2))
    for _ in range(MOST_SWEEPS):
        has_turned = False
        for pair in pairs:
            angle, gain = _best_turn(weights, seen, variances, *pair)
            if not gain > least:
                continue
            turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
            axes[:, pair] = axes[:, pair] @ turn
            seen[:, :, pair] = seen[:, :, pair] @ turn
            seen[:, pair, :] = turn.T @ seen[:, pair, :]
            variances = of_diagonals(weights, np.diagonal(seen, axis1=1, axis2=2))
            has_turned = True
        if not has_turned:
            break
    return axes, variances


def _best_turn(
    weights: FloatArray, seen: FloatArray, variances: FloatArray, i: int, j: int
) -> tuple[float, float]:
    """Return the angle between two axes that is best for given variances, and what it gains.

    The rows lose the sum of ``weight * s_jj / variance_j`` over components and axes, with s the scatter as
    seen along the axes. Of the angle t, that is ``P cos 2t + R sin 2t`` and a constant.
    """
    lead = weights * (1 / variances[:, i] - 1 / variances[:, j])
    cosine = float(lead @ (seen[:, i, i] - seen[:, j, j])) / 2
    sine = float(lead @ seen[:, i, j])
    return float(np.arctan2(-sine, -cosine)) / 2, float(np.hypot(cosine, sine)) + cosine
