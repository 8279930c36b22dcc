"""Array types by the role they play."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import PIL.Image

AnyArray: TypeAlias = npt.NDArray[Any]  # of whatever kind the caller gave
FloatArray: TypeAlias = npt.NDArray[np.floating[Any]]
Data: TypeAlias = npt.NDArray[np.floating[Any]]  # (n_samples, n_features), C-ordered float32 or float64
SparseData: TypeAlias = Any  # a SciPy CSR matrix or array: SciPy ships no types
CheckedRows: TypeAlias = Any  # checked rows: Data or SparseData
FloatType: TypeAlias = np.dtype[np.floating[Any]]  # float32 or float64
Centers: TypeAlias = npt.NDArray[np.floating[Any]]  # (n_clusters, n_features)
Weights: TypeAlias = npt.NDArray[np.float64]  # (n_samples,)
Doubles: TypeAlias = npt.NDArray[np.float64]
Distances: TypeAlias = npt.NDArray[np.floating[Any]]
Labels: TypeAlias = npt.NDArray[np.integer[Any]]  # 0..k-1, noise is -1
Indices: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]  # which rows, columns or cells

MatrixLike: TypeAlias = npt.ArrayLike | Any  # also DataFrames and sparse matrices
VectorLike: TypeAlias = npt.ArrayLike
MetricLike: TypeAlias = Any  # a name, a Distance, or a function of two rows
Init: TypeAlias = Any  # a name, centres, or a function that returns them
AnyFunction: TypeAlias = Callable[..., Any]
LinearOperator: TypeAlias = Any  # an array, a sparse matrix or an operator of SciPy, which ships no types
Place: TypeAlias = str | os.PathLike[str]  # a path or an address
Places: TypeAlias = Place | Sequence[Place]
RandomState: TypeAlias = int | np.random.RandomState | np.random.Generator | None

# Types of packages that are optional, by name: nothing is imported.
PillowImage: TypeAlias = "PIL.Image.Image"

# What has no one type, each for a reason that holds wherever it is used.
PolarsFrame: TypeAlias = Any  # of polars, which is optional and types every cell as any value of Python
PolarsSeries: TypeAlias = Any  # a column of one
PolarsType: TypeAlias = Any  # what its cells are
PandasFrame: TypeAlias = Any  # a pandas data frame: pandas is optional, and ships no types
PandasSeries: TypeAlias = Any  # a column of one
Model: TypeAlias = Any  # a fitted model, ours or of scikit-learn, which ships no types
Tags: TypeAlias = Any  # scikit-learn's tags of an estimator
JsonObject: TypeAlias = dict[str, Any]  # facts by name, as --json prints them
ValuesByName: TypeAlias = dict[str, Any]  # parameters or attributes by name, each of its own type
Settings: TypeAlias = Mapping[str, Any]  # the same, to be read only
FittedAttributes: TypeAlias = Mapping[str, Any]  # what a fit sets, by name
