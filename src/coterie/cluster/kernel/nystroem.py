"""Nystroem features: rows in a space of few columns whose inner products are nearly the kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.linear_algebra import settle_signs
from coterie._support.typing import Data, FloatArray, Weights
from coterie._support.validation import require_memory
from coterie.cluster.kernel.functions import KernelFunction, inner_products
from coterie.cluster.kernel.rows import BLOCK_BYTES

LEAST_SHARE = 1e-10  # of the largest eigenvalue: directions below it are noise


@dataclass(frozen=True, eq=False)
class Nystroem:
    """Landmark rows and the map from kernels with them to features."""

    kernel: KernelFunction
    landmarks: Data
    projection: FloatArray  # (n_landmarks, n_features)
    least_share: float = 0.0  # least / largest eigenvalue among the landmarks: below 0, no inner product

    def features(self, X: Data) -> FloatArray:
        """Return the features of rows, block by block."""
        n_features = self.projection.shape[1]
        require_memory(
            len(X) * n_features * X.itemsize,
            f"the Nystroem features of {len(X):,} rows",
            "Choose a smaller n_components, or float32.",
        )
        out = np.empty((len(X), n_features), dtype=X.dtype)
        axes = np.ascontiguousarray(self.projection.T, dtype=X.dtype)
        step = max(1, BLOCK_BYTES // (len(self.landmarks) * X.itemsize))
        for first in range(0, len(X), step):
            block = self.kernel.between(X[first : first + step], self.landmarks)
            # by the engine, which gives equal rows equal bits wherever they stand: a BLAS need not
            out[first : first + step] = inner_products(block, axes)
        return out


def fit_nystroem(
    kernel: KernelFunction, X: Data, weights: Weights | None, n_components: int, seed: int
) -> Nystroem:
    """Return features from random landmark rows: K(X, L) K(L, L)^(-1/2)."""
    heavy = np.arange(len(X)) if weights is None else np.flatnonzero(weights)
    size = min(n_components, len(heavy))
    landmarks = np.ascontiguousarray(
        X[np.sort(np.random.default_rng(seed).choice(heavy, size, replace=False))]
    )
    among = kernel.between(landmarks, landmarks).astype(np.float64)
    values, vectors = np.linalg.eigh((among + among.T) / 2)
    vectors = settle_signs(vectors)
    largest = max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    kept = values > LEAST_SHARE * max(values[-1], np.finfo(np.float64).tiny)
    projection = vectors[:, kept] / np.sqrt(values[kept]) if kept.any() else np.zeros((size, 1))
    return Nystroem(kernel, landmarks, projection, float(values[0]) / largest)
