"""Polar coordinates: rings become stripes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.scikit_learn import BaseEstimator, TransformerMixin
from coterie._support.typing import AnyArray, Data, FloatArray, MatrixLike, Settings, Tags, VectorLike
from coterie._support.validation import (
    AnArray,
    Choice,
    Nothing,
    Number,
    check_answer,
    check_data,
    check_parameters,
)
from coterie._support.validation.schema import Size, Tensor, check_squares
from coterie.errors import InvalidParameter


@estimator
class PolarCoordinates(TransformerMixin, BaseEstimator):
    r"""Distance from an origin and direction: :math:`\rho = s \lVert x \rVert, \theta = atan2(x_2, x_1)`.

    In d dimensions the direction has d - 1 angles: each but the last lies in [0, pi], the last in (-pi, pi].

    Parameters
    ----------
    radius_scale : float, default=1.0
        Factor s of the radius: a large one makes clustering follow rings more than directions.
    origin : None, "mean" or array of shape (n_features,), default=None
        Where the radius is 0: the zero point, the mean of the data, or a given point.

    Examples
    --------
    >>> PolarCoordinates(radius_scale=10).fit_transform([[0.0, 2.0], [3.0, 0.0]]).round(3)
    array([[20.   ,  1.571],
           [30.   ,  0.   ]])
    """

    _: KW_ONLY
    radius_scale: float = parameter(Number(0, open_below=True), default=1.0)
    origin: str | VectorLike | None = parameter(Nothing() | Choice("mean") | AnArray(), default=None)

    origin_: FloatArray = fitted(Tensor("columns"), "The origin used.")
    _n_features_out: int = fitted(Size("columns", 2))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        check_squares(state["origin_"], who=cls.__name__, name="origin_")

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Learn the origin."""
        check_parameters(self.get_params(deep=False), self._constraints, who=type(self).__name__)
        X = check_data(X, estimator=self, min_columns=2)
        self.origin_ = self._find_origin(X)
        self._n_features_out = X.shape[1]
        return self

    def transform(self, X: MatrixLike) -> Data:
        """Return radius and angles of each row."""
        scikit_learn.check_is_fitted(self)
        offsets = check_data(X, estimator=self, reset=False, may_be_distances=True) - self.origin_
        polar = np.empty_like(offsets)
        # norm of what is left from column j on: the last one keeps its sign for atan2
        rest = np.sqrt(np.cumsum(offsets[:, ::-1] ** 2, axis=1))[:, ::-1]
        with np.errstate(over="ignore"):
            polar[:, 0] = self.radius_scale * rest[:, 0]
        check_answer(polar[:, 0], what="radii of the rows", way_out="Choose a smaller radius_scale.")
        polar[:, 1:-1] = np.arctan2(rest[:, 1:-1], offsets[:, :-2])
        polar[:, -1] = np.arctan2(offsets[:, -1], offsets[:, -2])
        return polar

    def inverse_transform(self, X: MatrixLike) -> Data:
        """Return the rows whose radius and angles these are."""
        scikit_learn.check_is_fitted(self)
        polar = check_data(X, who=type(self).__name__, may_be_distances=True)
        if polar.shape[1] != self.n_features_in_:
            raise InvalidParameter(
                f"X has {polar.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        with np.errstate(over="ignore"):
            reach = polar[:, 0] / self.radius_scale
        check_answer(reach, what="radii without their scale", way_out="Choose a larger radius_scale.")
        offsets = np.empty_like(polar)
        for column in range(1, polar.shape[1]):
            offsets[:, column - 1] = reach * np.cos(polar[:, column])
            reach = reach * np.sin(polar[:, column])
        offsets[:, -1] = reach
        return offsets + self.origin_

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> AnyArray:
        """Return ``radius`` and ``angle1`` ...; one angle alone is called ``angle``."""
        scikit_learn.check_is_fitted(self)
        n_angles = self.n_features_in_ - 1
        angles = ["angle"] if n_angles == 1 else [f"angle{i + 1}" for i in range(n_angles)]
        return np.asarray(["radius", *angles], dtype=object)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _find_origin(self, X: Data) -> FloatArray:
        if self.origin is None:
            return np.zeros(X.shape[1], dtype=X.dtype)
        if isinstance(self.origin, str):
            return np.asarray(X.mean(axis=0), dtype=X.dtype)
        if np.shape(self.origin) != (X.shape[1],):
            raise InvalidParameter(
                f"origin of {type(self).__name__} must have shape ({X.shape[1]},), one value per column, "
                f"got {np.shape(self.origin)}."
            )
        point = check_data(np.asarray(self.origin)[None, :], who=type(self).__name__, name="origin")
        with np.errstate(over="ignore"):
            origin = point[0].astype(X.dtype)
        check_answer(origin, what="origin and the rows together", way_out="Give the rows as float64.")
        return np.asarray(origin)
