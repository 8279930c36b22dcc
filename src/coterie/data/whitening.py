"""Whitening: uncorrelated columns of unit variance."""

from __future__ import annotations

from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.scikit_learn import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from coterie._support.typing import Data, Doubles, MatrixLike, Tags
from coterie._support.validation import Choice, check_answer, check_data, check_parameters
from coterie._support.validation.schema import COUNT, Tensor
from coterie.errors import InvalidParameter

FAR = "They are much farther away than the rows of the fit: fit again to rows like these."
FLAT = 1e-12  # directions with less than this share of the largest variance count as constant


@estimator
class Whitening(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    r"""Turn and stretch the data so that its covariance is the identity: :math:`z = W (x - \bar x)`.

    Euclidean distance after whitening is Mahalanobis distance before. Directions without spread become zero.

    Parameters
    ----------
    method : {"zca", "pca"}, default="zca"
        "zca" stays as close to the original columns as possible; "pca" gives principal components.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(50, 2)) @ [[2.0, 1.0], [0.0, 0.5]]
    >>> np.cov(Whitening().fit_transform(X), rowvar=False).round(6) + 0.0
    array([[1., 0.],
           [0., 1.]])
    """

    _: KW_ONLY
    method: str = parameter(Choice("zca", "pca"), default="zca")

    mean_: Doubles = fitted(Tensor("columns", kind="f8"), "Mean of each column.")
    whitening_: Doubles = fitted(Tensor("columns", "columns", kind="f8"), "The matrix W.")
    _coloring: Doubles = fitted(Tensor("columns", "columns", kind="f8"))
    rank_: int = fitted(COUNT, "Number of directions with spread.")

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Learn mean and covariance."""
        check_parameters(self.get_params(deep=False), self._constraints, who=type(self).__name__)
        X = check_data(X, estimator=self, min_rows=2)
        self.mean_ = X.mean(axis=0, dtype=np.float64)
        covariance = np.atleast_2d(np.cov(X - self.mean_, rowvar=False, dtype=np.float64))
        variances, directions = (found[..., ::-1] for found in symmetric_axes(covariance))
        has_spread = variances > FLAT * max(float(variances[0]), np.finfo(float).tiny)
        spread = np.sqrt(np.where(has_spread, variances, 1.0))
        shrink = np.where(has_spread, 1.0 / spread, 0.0)
        stretch = np.where(has_spread, spread, 0.0)
        turn_back = directions if self.method == "zca" else np.eye(len(variances))
        self.whitening_ = (turn_back * shrink) @ directions.T
        self._coloring = (directions * stretch) @ turn_back.T
        self.rank_ = int(has_spread.sum())
        return self

    def transform(self, X: MatrixLike) -> Data:
        """Return the whitened rows."""
        scikit_learn.check_is_fitted(self)
        X = check_data(X, estimator=self, reset=False, may_be_distances=True)
        with np.errstate(over="ignore", invalid="ignore"):
            whitened = np.asarray((X - self.mean_) @ self.whitening_.T, dtype=X.dtype)
        return check_answer(whitened, what="whitened rows", way_out=FAR)  # type: ignore[no-any-return]

    def inverse_transform(self, X: MatrixLike) -> Data:
        """Return the rows before whitening; what was lost in directions without spread is their mean."""
        scikit_learn.check_is_fitted(self)
        X = check_data(X, who=type(self).__name__, may_be_distances=True)
        if X.shape[1] != self.n_features_in_:
            raise InvalidParameter(
                f"X has {X.shape[1]} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            rows = np.asarray(X @ self._coloring.T + self.mean_, dtype=X.dtype)
        return check_answer(rows, what="the rows before whitening", way_out=FAR)  # type: ignore[no-any-return]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
