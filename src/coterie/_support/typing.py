"""Array types by the role they play."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

AnyArray: TypeAlias = npt.NDArray[Any]  # of whatever kind the caller gave
FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
Data: TypeAlias = npt.NDArray[np.floating[Any]]  # (n_samples, n_features), C-ordered float32 or float64
SparseData: TypeAlias = Any  # a SciPy CSR matrix or array: SciPy ships no types
Centers: TypeAlias = npt.NDArray[np.floating[Any]]  # (n_clusters, n_features)
Weights: TypeAlias = npt.NDArray[np.float64]  # (n_samples,)
Distances: TypeAlias = npt.NDArray[np.floating[Any]]
Labels: TypeAlias = npt.NDArray[np.integer[Any]]  # 0..k-1, noise is -1
Indices: TypeAlias = npt.NDArray[np.intp]

MatrixLike: TypeAlias = npt.ArrayLike | Any  # also DataFrames and sparse matrices
VectorLike: TypeAlias = npt.ArrayLike
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None
