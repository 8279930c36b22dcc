"""Scaling by name, as a small value that can also go back to the original units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler

from coterie._support.typing import FloatArray
from coterie._support.validation import Choice, check_parameter
from coterie.errors import InvalidData

SCALINGS = {
    "standard": "standardised columns",  # mean 0, standard deviation 1
    "minmax": "columns scaled to [0, 1]",
    "robust": "columns scaled by median and quartiles",
    "none": "columns as they are",
}


@dataclass(frozen=True)
class Scaling:
    """Each column shifted and divided: ``(X - shift) / factor``.

    Parameters
    ----------
    how : {"standard", "minmax", "robust", "none"}
        What it was fitted as.
    shift, factor : arrays of shape (n_columns,)
        A column without spread has factor 1: it becomes zero, never NaN.

    Examples
    --------
    >>> import numpy as np
    >>> scaling = fit_scaling(np.array([[1.0, 5.0], [3.0, 5.0]]), "minmax")
    >>> scaling.apply(np.array([[2.0, 5.0]]))
    array([[0.5, 0. ]])
    >>> scaling.invert(np.array([[0.5, 0.0]]))
    array([[2., 5.]])
    """

    how: str
    shift: FloatArray
    factor: FloatArray

    def apply(self, X: Any) -> Any:
        """Return the scaled data, in the type of `X`; sparse data stay sparse."""
        if self.how == "none":
            return X
        if issparse(X):
            scaled = X.copy()
            scaled.data = scaled.data / self.factor.astype(X.dtype)[scaled.indices]
            return scaled
        scaled = X - self.shift.astype(X.dtype)
        scaled /= self.factor.astype(X.dtype)
        return scaled

    def invert(self, scaled: Any) -> Any:
        """Return points, centroids for example, in the original units."""
        return scaled if self.how == "none" else scaled * self.factor + self.shift


def fit_scaling(X: Any, how: str = "standard") -> Scaling:
    """Find shift and factor of each column.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_columns)
        Data without missing values.
    how : {"standard", "minmax", "robust", "none"}, default="standard"
        Mean and standard deviation; least and greatest value; median and quartiles; nothing.
        Sparse data are never shifted, so that they stay sparse; of the three only "standard" takes them.

    Returns
    -------
    Scaling
    """
    check_parameter(how, Choice(*SCALINGS), name="scale", who="fit_scaling")
    n_columns = X.shape[1]
    nothing = np.zeros(n_columns), np.ones(n_columns)
    if how == "none":
        return Scaling(how, *nothing)
    if issparse(X):
        if how != "standard":
            raise InvalidData(f'scale="{how}" would make sparse data dense. Use "standard" or "none".')
        return Scaling(how, nothing[0], np.asarray(StandardScaler(with_mean=False).fit(X).scale_))
    if how == "minmax":
        fitted = MinMaxScaler().fit(X)
        return Scaling(how, np.asarray(fitted.data_min_, float), 1.0 / np.asarray(fitted.scale_, float))
    if how == "robust":
        robust = RobustScaler().fit(X)
        return Scaling(how, np.asarray(robust.center_, float), np.asarray(robust.scale_, float))
    standard = StandardScaler().fit(X)
    return Scaling(how, np.asarray(standard.mean_, float), np.asarray(standard.scale_, float))
