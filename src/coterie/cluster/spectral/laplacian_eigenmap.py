"""Laplacian eigenmaps: coordinates in which rows that are alike lie together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

from coterie._support import scikit_learn
from coterie._support.progress import ProgressOption, track
from coterie._support.scikit_learn import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from coterie._support.typing import FloatArray, MatrixLike, RandomState, SparseData, ValuesByName, VectorLike
from coterie._support.validation import PROGRESS, Constraint, Whole, check_parameters, check_sample_weight
from coterie.cluster.spectral.base import (
    GRAPH_CONSTRAINTS,
    SpectralBase,
    check_n_coordinates,
    count_rows_of_weight,
)


class LaplacianEigenmap(
    ClassNamePrefixFeaturesOutMixin,  # type: ignore[misc]  # scikit-learn ships no types
    TransformerMixin,  # type: ignore[misc]  # scikit-learn ships no types
    SpectralBase,
    BaseEstimator,  # type: ignore[misc]  # scikit-learn ships no types
):
    """Laplacian eigenmap (spectral embedding): coordinates from an affinity graph.

    The coordinates Y minimise ``sum over i, j of W_ij |y_i - y_j|^2`` among those of unit scale that are
    no constants: they are the eigenvectors of the smallest eigenvalues of the graph's Laplacian but for
    the first, which is constant. Kernel PCA with the pseudo-inverse of the unnormalised Laplacian as its
    kernel gives the same ones, each divided by the root of its eigenvalue.

    Parameters
    ----------
    n_components : int, default=2
        How many coordinates.
    affinity, gamma, h, n_neighbors, neighbors, epsilon, degree, coef0, kernel_params, laplacian, landmarks
        The graph and its Laplacian, as in `SpectralClustering`; "nearest_neighbors" is the default here.
    eigen_solver, eigen_tol, random_state, n_jobs, progress
        As in `SpectralClustering`.

    Attributes
    ----------
    embedding_ : array of shape (n_samples, n_components)
        Coordinates of each row.
    eigenvalues_ : array of shape (n_components + 1,)
        Of the Laplacian, without that of the constant; one more than there are coordinates.
    eigengaps_ : array of shape (n_components,)
        Differences of the eigenvalues.
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        W; computed when asked for.
    n_parts_ : int
        Connected components of the graph, isolated points not counted; 1 with Gaussian affinities, which are
        all positive: there, eigenvalues of nearly 0 tell.
    exact_ : bool
        False with landmarks.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Names of the columns, when `X` had any.

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

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_components": Whole(1),
        **GRAPH_CONSTRAINTS,
        "progress": PROGRESS,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        affinity: SparseData = "nearest_neighbors",
        gamma: float = 1.0,
        h: float | None = None,
        n_neighbors: int = 10,
        neighbors: str = "exact",
        epsilon: float = 1.0,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: ValuesByName | None = None,
        laplacian: str = "random_walk",
        landmarks: int | None = None,
        eigen_solver: str | None = None,
        eigen_tol: float | str = "auto",
        random_state: RandomState = None,
        n_jobs: int | None = None,
        progress: ProgressOption = None,
    ) -> None:
        self.n_components = n_components
        self.affinity = affinity
        self.gamma = gamma
        self.h = h
        self.n_neighbors = n_neighbors
        self.neighbors = neighbors
        self.epsilon = epsilon
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.laplacian = laplacian
        self.landmarks = landmarks
        self.eigen_solver = eigen_solver
        self.eigen_tol = eigen_tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Find the coordinates of the rows of `X`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Rows; with affinity "precomputed", the matrix of affinities or the weights of a graph.
        y : ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, as in `SpectralClustering`.

        Returns
        -------
        self : object
            The fitted estimator.
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
