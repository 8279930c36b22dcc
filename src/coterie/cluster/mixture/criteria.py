"""What every mixture tells of rows: likelihood, and criteria that charge for parameters."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from coterie._support.typing import Doubles, FloatArray, MatrixLike, VectorLike
from coterie._support.validation import check_sample_weight
from coterie.cluster.base import WeightedClusterer


class DensityClusterer(WeightedClusterer):
    """An estimator whose groups are the components of a mixture of densities."""

    _objective_words: ClassVar[str] = "mean log-likelihood"

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each component, of shape (n_samples, n_components)."""
        raise NotImplementedError

    def score_samples(self, X: MatrixLike) -> FloatArray:
        """Return the log-likelihood of each row."""
        raise NotImplementedError

    def membership(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each group: `predict_proba`."""
        return self.predict_proba(X)

    def score(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> float:
        """Return the (weighted) mean log-likelihood of the rows."""
        logs = self.score_samples(X)
        total, log_likelihood = self._evidence(logs, sample_weight)
        if not np.isfinite(log_likelihood):  # of rows far beyond all groups the sum overflows
            weights = 1.0 if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
            return float((logs.astype(np.float64) * (weights / total)).sum())
        return float(logs.mean()) if sample_weight is None else log_likelihood / total

    def _evidence(self, logs: FloatArray, sample_weight: VectorLike | None) -> tuple[float, float]:
        """Return the total weight of the rows, and the weighted sum of their logarithms."""
        weights = check_sample_weight(sample_weight, len(logs), who=type(self).__name__)
        with np.errstate(over="ignore"):
            if weights is None:
                return float(len(logs)), float(logs.sum(dtype=np.float64))
            return float(weights.sum()), float((logs.astype(np.float64) * weights).sum())


class LikelihoodClusterer(DensityClusterer):
    """An estimator whose parameters make the rows likeliest: criteria charge for their number."""

    def _n_free(self) -> int:
        """Return the number of free parameters."""
        raise NotImplementedError

    def bic(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> float:
        """Return the Bayesian information criterion ``p ln n - 2 ln L``: the lower the better.

        R's mclust calls minus this number BIC. p is the number of free parameters, L the likelihood, n the
        number of rows, or their total weight.
        """
        total, log_likelihood = self._evidence(self.score_samples(X), sample_weight)
        return float(self._n_free() * np.log(total) - 2 * log_likelihood)

    def aic(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> float:
        """Return Akaike's information criterion ``2 p - 2 ln L``: the lower the better."""
        return 2 * self._n_free() - 2 * self._evidence(self.score_samples(X), sample_weight)[1]

    def icl(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> float:
        """Return the integrated completed likelihood criterion: the lower the better.

        It is ``bic - 2 sum over rows of ln(largest share)``: groups that overlap are charged for their doubt.
        """
        _, certainty = self._evidence(np.log(self.predict_proba(X).max(axis=1)), sample_weight)
        return self.bic(X, sample_weight) - 2 * certainty


def shares_of(log_joint: Doubles) -> tuple[Doubles, Doubles]:
    """Return the share of every row in every component, and the log-likelihood of every row.

    Examples
    --------
    >>> shares, logs = shares_of(np.log([[0.1, 0.3]]))
    >>> shares.round(2), logs.round(4)
    (array([[0.25, 0.75]]), array([-0.9163]))
    """
    peak = log_joint.max(axis=1, keepdims=True)
    parts = np.exp(log_joint - peak)
    total = parts.sum(axis=1, keepdims=True)
    return parts / total, (peak + np.log(total))[:, 0]
