"""Weights of any size: only their ratios count, so that they are brought near 1 first."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Weights


def about_one(weights: Weights) -> tuple[Weights, int]:
    """Return weights whose mean is near 1, and the power of two by which the given ones are larger.

    Examples
    --------
    >>> about_one(np.array([4.0, 12.0]))
    (array([0.5, 1.5]), 3)
    """
    power = int(np.frexp(weights.max())[1])
    scaled = np.ldexp(weights, -power)
    rest = int(np.frexp(scaled.mean())[1]) - 1
    return np.ldexp(scaled, -rest), power + rest
