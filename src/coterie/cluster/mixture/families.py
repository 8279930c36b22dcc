"""Families of covariances: which matrices a mixture may have, and the likeliest of them for given scatter.

Every covariance is ``volume * axes @ diag(shape) @ axes.T``, with the product of `shape` being 1. The
three letters of a name say of volume, shape and axes, in this order, whether they are equal for all
components (E), vary (V), or are those of the identity (I).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from coterie._support.linear_algebra import is_positive_definite
from coterie._support.stoppable import stoppable
from coterie._support.typing import FloatArray

MOST_ROUNDS = 500  # of the alternation between volumes and what they share; it gains a digit every few rounds
ROUND_TOLERANCE = 1e-13
MOST_SWEEPS = 200  # of all pairs of axes
FEWEST_SWEEPS, MOST_TURNS = 10, 20_000  # of many axes: matrices next to singular turn without end
LEAST_GAIN = 1e-13  # of a turn, per row: below is rounding


@dataclass(frozen=True)
class Family:
    """One kind of covariances."""

    name: str  # its name, of scikit-learn's or of mclust's kind
    storage: str  # how covariances are kept: (k, d, d), (d, d), (k, d) or (k,)
    # ``(weights, scatter) -> covariances``: the maximum of the likelihood, given the weights of the
    # components and their own covariances, (k, d, d), or variances (k, d) where `storage` is "diag" or
    # "spherical". Numbers that are not finite where it has none
    likeliest: Callable[[FloatArray, FloatArray], FloatArray]
    n_covariance_parameters: Callable[[int, int], int]  # ``(k, d) -> int``

    @property
    def kernel_shape(self) -> str:
        """What native code calls it: "full", "tied" or "diag"."""
        return "diag" if self.storage == "spherical" else self.storage


def _average(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    return np.asarray(np.tensordot(weights, scatter, axes=1) / weights.sum())


def _own(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    return scatter


def _own_variance(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    return np.asarray(scatter.mean(axis=1))


def _one_variance(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    return np.full(len(scatter), _average(weights, scatter).mean())


def _one_diagonal(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    return np.repeat(_average(weights, scatter)[None], len(scatter), axis=0)


def _unit_volume(diagonals: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Split variances into volumes, their geometric means, and shapes."""
    volumes = np.exp(np.log(diagonals).mean(axis=-1))
    return volumes, diagonals / volumes[..., None]


def _one_volume_of_diagonals(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    volumes, shapes = _unit_volume(scatter)
    return np.asarray(_average(weights, volumes) * shapes)


def _one_shape_of_diagonals(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    """Alternate between volumes for a shape and the shape for volumes until neither moves."""
    volumes = scatter.mean(axis=1)
    for _ in range(MOST_ROUNDS):
        shape = _unit_volume(_average(weights, scatter / volumes[:, None]))[1]
        before, volumes = volumes, (scatter / shape).mean(axis=1)
        if np.abs(volumes / before - 1).max() < ROUND_TOLERANCE:
            break
    return np.asarray(volumes[:, None] * shape)


def _unit_determinant(matrices: FloatArray) -> tuple[FloatArray, FloatArray]:
    logarithms = stoppable(np.linalg.slogdet, matrices)[1]
    volumes = np.exp(logarithms / matrices.shape[-1])
    return volumes, matrices / volumes[..., None, None]


def _one_matrix_up_to_volume(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    volumes = np.trace(scatter, axis1=1, axis2=2)
    for _ in range(MOST_ROUNDS):
        average = _average(weights, scatter / volumes[:, None, None])
        if not is_positive_definite(average):
            return np.full_like(scatter, np.nan)
        common = _unit_determinant(average)[1]
        traces = np.trace(stoppable(np.linalg.solve, common[None], scatter), axis1=1, axis2=2)
        before, volumes = volumes, traces / scatter.shape[-1]
        if np.abs(volumes / before - 1).max() < ROUND_TOLERANCE:
            break
    return np.asarray(volumes[:, None, None] * common)


def _one_volume(weights: FloatArray, scatter: FloatArray) -> FloatArray:
    volumes, shapes = _unit_determinant(scatter)
    return np.asarray(_average(weights, volumes) * shapes)


def _with_own_axes(
    of_diagonals: Callable[[FloatArray, FloatArray], FloatArray],
) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Let every component keep its axes, and settle the variances along them, the largest first, together."""

    def likeliest(weights: FloatArray, scatter: FloatArray) -> FloatArray:
        variances, axes = stoppable(np.linalg.eigh, scatter)
        settled = of_diagonals(weights, variances)
        return np.asarray((axes * settled[:, None, :]) @ axes.transpose(0, 2, 1))

    return likeliest


def _n_axes(d: int) -> int:
    return d * (d - 1) // 2


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
            _turned(weights, scatter, stoppable(np.linalg.eigh, start)[1], of_diagonals)
            for start in (pooled, heaviest)
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
    n_sweeps = min(MOST_SWEEPS, max(FEWEST_SWEEPS, MOST_TURNS // max(1, len(pairs))))
    for _ in range(n_sweeps):
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


FAMILIES = {
    family.name: family
    for family in (
        Family("full", "full", _own, lambda k, d: k * (d + _n_axes(d))),
        Family("tied", "tied", _average, lambda k, d: d + _n_axes(d)),
        Family("diag", "diag", _own, lambda k, d: k * d),
        Family("spherical", "spherical", _own_variance, lambda k, d: k),
        Family("EII", "spherical", _one_variance, lambda k, d: 1),
        Family("VII", "spherical", _own_variance, lambda k, d: k),
        Family("EEI", "diag", _one_diagonal, lambda k, d: d),
        Family("VEI", "diag", _one_shape_of_diagonals, lambda k, d: k + d - 1),
        Family("EVI", "diag", _one_volume_of_diagonals, lambda k, d: 1 + k * (d - 1)),
        Family("VVI", "diag", _own, lambda k, d: k * d),
        Family("EEE", "tied", _average, lambda k, d: d + _n_axes(d)),
        Family("VEE", "full", _one_matrix_up_to_volume, lambda k, d: k + d - 1 + _n_axes(d)),
        Family(
            "EVE",
            "full",
            with_common_axes(_one_volume_of_diagonals),
            lambda k, d: 1 + k * (d - 1) + _n_axes(d),
        ),
        Family("VVE", "full", with_common_axes(_own), lambda k, d: k * d + _n_axes(d)),
        Family("EEV", "full", _with_own_axes(_one_diagonal), lambda k, d: d + k * _n_axes(d)),
        Family(
            "VEV", "full", _with_own_axes(_one_shape_of_diagonals), lambda k, d: k + d - 1 + k * _n_axes(d)
        ),
        Family("EVV", "full", _one_volume, lambda k, d: 1 + k * (d - 1) + k * _n_axes(d)),
        Family("VVV", "full", _own, lambda k, d: k * (d + _n_axes(d))),
    )
}
