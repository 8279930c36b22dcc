"""Data from a seed: every contestant makes its own copy, the same to the last bit."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

ROOT = Path(__file__).resolve().parent.parent
BLOCK_ROWS = 65536  # data are made and judged in blocks, so that neither doubles the memory


def overlapping_mixture(
    n: int, d: int, *, components: int, seed: int, separation: float = 4.0, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    """Round normal components of equal size with centres uniform in a box.

    The spread is chosen such that a centre is ``separation`` standard deviations away from the nearest
    other centre (on average), whatever the dimension: at 4, neighbours share a few per cent of their rows.
    """
    rng = np.random.default_rng(seed)
    centres = rng.uniform(-10.0, 10.0, size=(components, d))
    gaps = np.linalg.norm(centres[:, None, :] - centres[None, :, :], axis=2)
    np.fill_diagonal(gaps, np.inf)
    spread = gaps.min(axis=1).mean() / separation
    X = np.empty((n, d), dtype=dtype)
    for first in range(0, n, BLOCK_ROWS):
        block = X[first : first + BLOCK_ROWS]
        component = rng.integers(components, size=len(block))
        block[...] = centres[component] + spread * rng.standard_normal(block.shape)
    return X


def uniform(n: int, d: int, *, seed: int, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Rows without any structure: uniform in the unit box, the worst case of pruning."""
    rng = np.random.default_rng(seed)
    X = np.empty((n, d), dtype=dtype)
    for first in range(0, n, BLOCK_ROWS):
        block = X[first : first + BLOCK_ROWS]
        block[...] = rng.random(block.shape)
    return X


def sum_of_squared_errors(X: NDArray[Any], centres: NDArray[Any]) -> float:
    """Sum over the rows of the squared distance to the nearest centre, in float64, for any contestant."""
    shift = X[:BLOCK_ROWS].mean(axis=0, dtype=np.float64)
    C = centres.astype(np.float64) - shift
    half_norms = (C**2).sum(axis=1) / 2
    total = 0.0
    for first in range(0, len(X), BLOCK_ROWS // 8):
        rows = X[first : first + BLOCK_ROWS // 8].astype(np.float64) - shift
        nearest = (half_norms - rows @ C.T).argmin(axis=1)
        total += float(((rows - C[nearest]) ** 2).sum())
    return total


def benchmark_set(name: str) -> NDArray[np.float64]:
    """Read one of the public SIPU sets, from ``COTERIE_DATA`` or ``../shared/data/sipu``."""
    folder = Path(os.environ.get("COTERIE_DATA", ROOT.parent / "shared" / "data" / "sipu"))
    path = folder / f"{name}.data.gz"
    if not path.exists():
        raise DataMissingError(f"no {path}; set COTERIE_DATA to the folder that has {path.name}")
    with gzip.open(path, "rt") as file:
        return np.loadtxt(file, dtype=np.float64)


class DataMissingError(Exception):
    """The problem needs a file that this machine does not have: the row is skipped."""
