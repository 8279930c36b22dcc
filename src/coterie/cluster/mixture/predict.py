"""What a fitted mixture tells of rows: shares, likelihoods, criteria, and new rows like them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import estimator, fitted, fitting
from coterie._support.typing import (
    CheckedRows,
    Data,
    FloatArray,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    VectorLike,
)
from coterie._support.validation import Whole, check_data
from coterie._support.validation.schema import Either, Sometimes, Tensor, check_squares, wrong
from coterie.cluster.mixture.criteria import DensityClusterer
from coterie.cluster.mixture.families import FAMILIES
from coterie.cluster.mixture.parameters import Placing, label_rows, share_rows
from coterie.cluster.mixture.starts import Draws
from coterie.errors import InvalidParameter

FACTOR_SHARE = 1e-3  # by which rounding, float32's too, may make factors and precisions differ
LEAST_TOTAL = 1e-3  # weights may be in float32, and of many components

_COVARIANCES = Either(
    Tensor("components", "columns", "columns"),
    Tensor("components", "columns"),
    Tensor("columns", "columns"),
    Tensor("components"),
)


def _are_factors(factors: FloatArray, precisions: FloatArray, is_diagonal: bool) -> bool:
    """Return whether squares of the factors have the sums that are the diagonals of the precisions."""
    with np.errstate(over="ignore", under="ignore"):
        squares = np.square(factors, dtype=np.float64)
    sums = squares if is_diagonal else squares.sum(axis=-1)
    own = precisions if is_diagonal else np.diagonal(precisions, axis1=-2, axis2=-1)
    least = float(np.finfo(precisions.dtype).tiny)
    return bool((np.abs(sums - own) <= FACTOR_SHARE * own + least).all())


@estimator
class MixtureClusterer(DensityClusterer):
    """An estimator whose groups are the components of a Gaussian mixture.

    Attributes
    ----------
    labels_ : array of int32 of shape (n_samples,)
        The likeliest component of each row.
    converged_ : bool
        Whether the best run stopped by itself.
    n_iter_ : int
        Its iterations.
    """

    means_: FloatArray = fitted(Tensor("components", "columns"))
    weights_: FloatArray = fitted(Tensor("components", low=0, high=1 + LEAST_TOTAL))
    covariances_: FloatArray = fitted(_COVARIANCES)
    precisions_: FloatArray = fitted(_COVARIANCES)
    precisions_cholesky_: FloatArray = fitted(_COVARIANCES)
    labels_: Labels = fitted(Sometimes(Tensor("rows", kind="i", low=0, below="components")))
    _shift: FloatArray = fitted(Tensor("columns", kind="f8"))
    covariance_type: str
    random_state: RandomState

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, family = cls.__name__, FAMILIES[state["covariance_type"]]
        k, d = sizes["components"], sizes["columns"]
        shape = {"full": (k, d, d), "tied": (d, d), "diag": (k, d), "spherical": (k,)}[family.storage]
        for name in ("covariances_", "precisions_", "precisions_cholesky_"):
            if state[name].shape != shape:
                raise wrong(name, who, f"have the shape {shape}", state[name].shape)
            own = (
                np.diagonal(state[name], axis1=-2, axis2=-1) if family.kernel_shape != "diag" else state[name]
            )
            if not (own > 0).all():
                raise wrong(name, who, "hold variances above 0", own.min())
        if not _are_factors(
            state["precisions_cholesky_"], state["precisions_"], family.kernel_shape == "diag"
        ):
            raise wrong("precisions_cholesky_", who, "be the factors of precisions_", "others")
        for name in ("means_", "_shift"):
            check_squares(state[name], who=who, name=name)
        if abs(float(state["weights_"].sum(dtype=np.float64)) - 1) > LEAST_TOTAL:
            raise wrong("weights_", who, "have the sum 1", float(state["weights_"].sum(dtype=np.float64)))

    @fitting
    def fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Find the parameters that make the rows likeliest.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            At least two rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; a row of weight 2 counts as two equal rows.
        """
        return super().fit(X, sample_weight=sample_weight)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the likeliest component of each row."""
        return label_rows(self._check_new(X), self._parameters(), self._shift)[0]

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each component, of shape (n_samples, n_components)."""
        return share_rows(self._check_new(X), self._parameters(), self._shift)

    def score_samples(self, X: MatrixLike) -> FloatArray:
        """Return the log-likelihood of each row."""
        return label_rows(self._check_new(X), self._parameters(), self._shift)[1]

    def sample(self, n_samples: int = 1) -> tuple[FloatArray, Labels]:
        """Draw rows from the mixture, component after component; return them, and the component of each."""
        scikit_learn.check_is_fitted(self)
        if not Whole(1).accepts(n_samples):
            raise InvalidParameter(
                f"Invalid value for 'n_samples': {n_samples!r}. The sampling requires at least one sample."
            )
        draws = Draws(self.random_state).numpy
        weights = self.weights_.astype(np.float64)
        counts = draws.multinomial(n_samples, weights / weights.sum())
        rows = [self._draw(draws, component, int(count)) for component, count in enumerate(counts)]
        return np.vstack(rows), np.repeat(np.arange(len(counts)), counts)

    def _draw(self, draws: np.random.RandomState, component: int, count: int) -> FloatArray:
        mean, storage = self.means_[component], FAMILIES[self.covariance_type].storage
        covariance = self.covariances_ if storage == "tied" else self.covariances_[component]
        if storage in ("full", "tied"):
            return draws.multivariate_normal(mean, covariance, count)
        return np.asarray(mean + draws.standard_normal((count, len(mean))) * np.sqrt(covariance))

    def _parameters(self) -> Placing:
        """Return what places rows."""
        raise NotImplementedError

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        return check_data(X, estimator=self, min_rows=2)

    def _check_new(self, X: MatrixLike) -> Data:
        data: Data = super()._check_new(X)
        # a float64 model places float32 rows in its own precision
        return data.astype(np.float64) if self.means_.dtype == np.float64 else data
