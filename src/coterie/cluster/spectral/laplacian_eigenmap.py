"""Laplacian eigenmaps: coordinates in which rows that are alike lie together."""

from __future__ import annotations

from typing import Self

from coterie._support import scikit_learn
from coterie._support.declarations import estimator, fitting, parameter
from coterie._support.progress import track
from coterie._support.scikit_learn import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from coterie._support.typing import FloatArray, MatrixLike, VectorLike
from coterie._support.validation import Whole, check_parameters, check_sample_weight
from coterie.cluster.spectral.base import (
    SpectralBase,
    check_n_coordinates,
    count_rows_of_weight,
)


@estimator
class LaplacianEigenmap(
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    SpectralBase,
    BaseEstimator,
):
    """Laplacian eigenmap (spectral embedding): coordinates from an affinity graph.

    The coordinates Y minimise ``sum over i, j of W_ij |y_i - y_j|^2`` among those of unit scale that are
    no constants: they are the eigenvectors of the smallest eigenvalues of the graph's Laplacian but for
    the first, which is constant. Kernel PCA with the pseudo-inverse of the unnormalised Laplacian as its
    kernel gives the same ones, each divided by the root of its eigenvalue.

    Parameters
    ----------
    affinity, gamma, h, n_neighbors, neighbors, epsilon, degree, coef0, kernel_params, laplacian, landmarks
        The graph and its Laplacian, as in `SpectralClustering`; "nearest_neighbors" is the default here.
    eigen_solver, eigen_tol, random_state, n_jobs, progress
        As in `SpectralClustering`.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components + 1,)
        Of the Laplacian, without that of the constant; one more than there are coordinates.
    eigengaps_ : array of shape (n_components,)
        Differences of the eigenvalues.

    Examples
    --------
    >>> from coterie.cluster import LaplacianEigenmap
    >>> X = [[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0], [13.0]]
    >>> model = LaplacianEigenmap(1, affinity="rbf", h=30.0, random_state=0).fit(X)
    >>> (model.embedding_[:4] * model.embedding_[4:] < 0).ravel()
    array([ True,  True,  True,  True])
    >>> model.transform([[1.5]]).shape
    (1, 1)
    """

    n_components: int = parameter(Whole(1), "How many coordinates.", default=2)

    @fitting
    def fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Find the coordinates of the rows of `X`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows; with affinity "precomputed", the matrix of affinities or the weights of a graph.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, as in `SpectralClustering`.
        """
        who = type(self).__name__
        check_parameters(self.get_params(deep=False), self._constraints, who=who)
        data = self._check_graph_input(X)
        weights = check_sample_weight(sample_weight, data.shape[0], who=who)
        weights = None if weights is None or bool((weights == 1.0).all()) else weights
        check_n_coordinates(self.n_components, count_rows_of_weight(data.shape[0], weights) - 1, who=who)
        with track(self.progress, "eigenmap: eigenvectors", total=1) as tracker:
            _, state = self._embed(data, weights, self.n_components + 1, self._seed())
            tracker.report(1)
        for name in ("embedding_", "_landmark_values"):  # the first coordinate is a constant
            state[name] = None if state[name] is None else state[name][:, 1:].copy()
        for name in ("eigenvalues_", "eigengaps_"):
            state[name] = state[name][1:]
        self.__dict__.update(state)
        return self

    def fit_transform(
        self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None
    ) -> FloatArray:
        """Find the coordinates of the rows of `X` and return them."""
        return self.fit(X, sample_weight=sample_weight).embedding_

    def transform(self, X: MatrixLike) -> FloatArray:
        """Return coordinates of new rows, by the equation of the eigenvectors; rows of the fit keep theirs.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            New rows; with affinity "precomputed", their affinities to the rows of the fit.
        """
        scikit_learn.check_is_fitted(self)
        return self._place(self._check_new_rows(X))

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])
