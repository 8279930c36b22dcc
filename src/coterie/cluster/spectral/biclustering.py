"""Biclustering: groups of rows and of columns at once, from the singular vectors of the matrix."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Self

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.scikit_learn import BaseEstimator, BiclusterMixin
from coterie._support.typing import (
    Centers,
    CheckedRows,
    FittedAttributes,
    FloatArray,
    Init,
    Labels,
    Mask,
    MatrixLike,
    RandomState,
    Settings,
    Tags,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Flag,
    Nothing,
    Whole,
    check_data,
    check_parameters,
    check_seed,
)
from coterie._support.validation.schema import Tensor, wrong
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.kmeans.minibatch import MiniBatchKMeans
from coterie.cluster.spectral.singular import normalize, singular_vectors
from coterie.errors import InvalidParameter

SOLVERS: Mapping[str, str | None] = {"randomized": None, "arpack": "arpack"}
ALIKE = 9  # digits to which vectors are equally flat; of those the larger singular value goes first


@estimator
class SpectralBiclusterer(BiclusterMixin, BaseEstimator):
    """What both kinds of biclustering share: parameters, singular vectors, k-means of places.

    Parameters
    ----------
    svd_method : {"randomized", "arpack"}, default="randomized"
        How singular vectors are found: by our own block methods, or by Lanczos' method. Small matrices are
        decomposed whole.
    n_svd_vecs : int, default=None
        Vectors that the block methods hold beyond those asked for, or that Lanczos' method holds in all.
    init : {"k-means++", "random"} or array, default="k-means++"
        First centres of k-means.

    Attributes
    ----------
    biclusters_ : tuple of two arrays
        `rows_` and `columns_`.
    """

    n_clusters: Any
    _: KW_ONLY
    svd_method: str = parameter(Choice(*SOLVERS), default="randomized")
    n_svd_vecs: int | None = parameter(Nothing() | Whole(0), default=None)
    mini_batch: bool = parameter(Flag(), "Whether to use mini-batch k-means.", default=False)
    init: Init = parameter(Choice("k-means++", "random") | AnArray(), default="k-means++")
    n_init: int = parameter(Whole(1), "Starts of k-means.", default=10)
    random_state: RandomState = None

    rows_: Mask = fitted(Tensor("biclusters", "rows", kind="any"))
    columns_: Mask = fitted(Tensor("biclusters", "columns", kind="any"))
    row_labels_: Labels = fitted(Tensor("rows", kind="i", low=0))
    column_labels_: Labels = fitted(Tensor("columns", kind="i", low=0))
    n_features_in_: int = fitted()

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        for name in ("rows_", "columns_"):
            if state[name].dtype != np.bool_:
                raise wrong(name, cls.__name__, "be an array of bool", state[name].dtype.name)

    @fitting
    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Find groups of the rows and of the columns of `X`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            The matrix. Where a dense one has negative entries, a number is added to all.
        """
        check_parameters(self.get_params(deep=False), self._constraints, who=type(self).__name__)
        data: CheckedRows = check_data(X, estimator=self, accept_sparse=True)
        self._check_sizes(data.shape)
        self.__dict__.update(self._compute(data.astype(np.float64)))
        return self

    def _check_sizes(self, shape: tuple[int, int]) -> None:
        raise NotImplementedError

    def _compute(self, X: CheckedRows) -> FittedAttributes:
        raise NotImplementedError

    def _vectors(self, found: Any, n_wanted: int) -> tuple[FloatArray, FloatArray]:
        return singular_vectors(
            found,
            n_wanted,
            solver=SOLVERS[self.svd_method],
            seed=check_seed(self.random_state),
            n_vectors=self.n_svd_vecs,
            who=type(self).__name__,
        )

    def _k_means(self, places: FloatArray, n_clusters: int) -> tuple[Centers, Labels]:
        """Return the centres of k-means, and the nearest of each row."""
        kind = MiniBatchKMeans if self.mini_batch else KMeans
        model = kind(n_clusters, init=self.init, n_init=self.n_init, random_state=self.random_state)
        fitted = model.fit(np.ascontiguousarray(places, dtype=np.float64))
        return fitted.cluster_centers_, fitted.labels_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@estimator
class SpectralCoclustering(SpectralBiclusterer):
    """Spectral co-clustering: each row and each column belongs to one block along a diagonal.

    Rows and columns are the two sides of a graph whose edges weigh what the entries say. Dividing it with the
    least normalised cut leads to the singular vectors of the matrix scaled by its sums (see `dhillon-2001` of
    the references); k-means groups rows and columns by their places along them. A drop-in for scikit-learn's
    class, with vectors that are settled, so that labels do not depend on the processor.

    Attributes
    ----------
    rows_ : array of bool of shape (n_clusters, n_samples)
        Which rows are in each bicluster.
    columns_ : array of bool of shape (n_clusters, n_features)
        Which columns are in each bicluster.
    row_labels_, column_labels_ : arrays of int32
        The bicluster of each row and of each column.

    Examples
    --------
    >>> from coterie.cluster import SpectralCoclustering
    >>> X = [[5, 4, 0, 0], [4, 5, 0, 1], [0, 0, 6, 5], [1, 0, 5, 6]]
    >>> model = SpectralCoclustering(2, random_state=0).fit(X)
    >>> bool((model.row_labels_[:2] != model.row_labels_[2:]).all())
    True
    >>> model.get_shape(0), model.get_submatrix(model.row_labels_[0], X).tolist()
    ((2, 2), [[5, 4], [4, 5]])
    """

    n_clusters: int = parameter(Whole(1), "How many biclusters.", default=3)

    def _check_sizes(self, shape: tuple[int, int]) -> None:
        if self.n_clusters > shape[0]:
            raise InvalidParameter(
                f"n_clusters should be <= n_samples={shape[0]}. Got {self.n_clusters} instead."
            )

    def _compute(self, X: CheckedRows) -> FittedAttributes:
        found, k = normalize(X, "scale", who=type(self).__name__), int(self.n_clusters)
        left, right = self._vectors(found, int(np.ceil(np.log2(k))))
        places = np.vstack([found.row_factors[:, None] * left, found.column_factors[:, None] * right])
        _, labels = self._k_means(_with_a_column(places), k)
        row_labels, column_labels = labels[: X.shape[0]].copy(), labels[X.shape[0] :].copy()
        groups = np.arange(k)[:, None]
        return {
            "row_labels_": row_labels,
            "column_labels_": column_labels,
            "rows_": groups == row_labels,
            "columns_": groups == column_labels,
        }


@estimator
class SpectralBiclustering(SpectralBiclusterer):
    """Spectral biclustering: a checkerboard of row groups and column groups.

    The matrix is scaled so that rows and columns weigh alike. Of its leading singular vectors, those that are
    nearest to having few different values are kept (see `kluger-2003` of the references); rows and columns
    are grouped by where the matrix leads them along these. A drop-in for scikit-learn's class, with vectors
    that are settled, so that labels do not depend on the processor.

    Parameters
    ----------
    n_clusters : int or (int, int), default=3
        Groups of rows and of columns.
    method : {"bistochastic", "scale", "log"}, default="bistochastic"
        How the matrix is scaled: until all rows have one sum and all columns another, once, or by logarithms
        without what rows and columns add by themselves (not for sparse matrices).

    Attributes
    ----------
    rows_ : array of bool of shape (n_row_clusters * n_column_clusters, n_samples)
        Which rows are in each block.
    columns_ : array of bool of shape (n_row_clusters * n_column_clusters, n_features)
        Which columns are in each block.
    row_labels_, column_labels_ : arrays of int32
        The group of each row and of each column.

    Examples
    --------
    >>> from coterie.cluster import SpectralBiclustering
    >>> X = [[1, 1, 8], [2, 1, 9], [1, 2, 8], [9, 8, 1], [8, 9, 2], [9, 9, 1]]
    >>> model = SpectralBiclustering(2, random_state=0).fit(X)
    >>> bool((model.row_labels_[:3] != model.row_labels_[3:]).all())
    True
    >>> model.rows_.shape
    (4, 6)
    """

    n_clusters: int | tuple[int, int] = parameter(Whole(1) | AnArray(), default=3)
    _: KW_ONLY
    method: str = parameter(Choice("bistochastic", "scale", "log"), default="bistochastic")
    n_components: int = parameter(Whole(1), "How many singular vectors are looked at.", default=6)
    n_best: int = parameter(Whole(1), "How many of them are kept.", default=3)

    def _numbers(self) -> tuple[int, int]:
        """Return how many groups of rows and of columns."""
        wanted: Any = self.n_clusters
        n_rows, n_columns = (wanted, wanted) if isinstance(wanted, Integral) else wanted
        return int(n_rows), int(n_columns)

    def _check_sizes(self, shape: tuple[int, int]) -> None:
        n_rows = shape[0]
        wanted: Any = self.n_clusters
        if isinstance(wanted, Integral):
            if int(wanted) > n_rows:
                raise InvalidParameter(f"n_clusters should be <= n_samples={n_rows}. Got {wanted} instead.")
        elif len(wanted) != 2 or not all(Whole(1, n_rows).accepts(n) for n in wanted):
            raise InvalidParameter(
                f"Incorrect parameter n_clusters has value: {wanted}. It must be a whole number, or "
                f"two of them for rows and columns, each between 1 and n_samples={n_rows}."
            )
        if self._numbers()[1] > shape[1]:
            raise InvalidParameter(
                f"n_clusters of SpectralBiclustering asks for {self._numbers()[1]} groups of columns, X has "
                f"{shape[1]}. Use n_clusters=(rows, columns)."
            )
        if self.n_best > self.n_components:
            raise InvalidParameter(f"n_best={self.n_best} must be <= n_components={self.n_components}.")

    def _compute(self, X: CheckedRows) -> FittedAttributes:
        found = normalize(X, self.method, who=type(self).__name__)
        left, right = self._vectors(found, int(self.n_components))
        n_rows, n_columns = self._numbers()
        best_left = self._fit_best_piecewise(left.T, int(self.n_best), n_rows)
        best_right = self._fit_best_piecewise(right.T, int(self.n_best), n_columns)
        row_labels = self._project_and_cluster(X, best_right.T, n_rows)
        column_labels = self._project_and_cluster(X.T, best_left.T, n_columns)
        groups, others = (each.ravel()[:, None] for each in np.mgrid[:n_rows, :n_columns])
        return {
            "row_labels_": row_labels,
            "column_labels_": column_labels,
            "rows_": groups == row_labels,
            "columns_": others == column_labels,
        }

    def _fit_best_piecewise(self, vectors: FloatArray, n_best: int, n_clusters: int) -> FloatArray:
        """Return the rows that are nearest to having only `n_clusters` different values."""
        rests = np.zeros(len(vectors))
        for number, vector in enumerate(vectors):
            centers, labels = self._k_means(vector.reshape(-1, 1), n_clusters)
            rests[number] = np.linalg.norm(vector - centers[labels, 0])
        return np.asarray(vectors[np.argsort(rests.round(ALIKE), kind="stable")[:n_best]])

    def _project_and_cluster(self, data: CheckedRows, vectors: FloatArray, n_clusters: int) -> Labels:
        """Return the groups of rows by their products with the vectors."""
        return self._k_means(_with_a_column(np.asarray(data @ vectors)), n_clusters)[1]


def _with_a_column(places: FloatArray) -> FloatArray:
    """Return places along no vector as one column of zeros: there is nothing to tell rows apart."""
    return places if places.shape[1] else np.zeros((len(places), 1))
