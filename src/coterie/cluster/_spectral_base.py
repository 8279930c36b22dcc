"""What spectral clustering and Laplacian eigenmaps share: a graph of rows, its coordinates, new rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from coterie._typing import FloatArray, MatrixLike
from coterie._validation import (
    Choice,
    Constraint,
    Function,
    Nothing,
    Number,
    Seed,
    Whole,
    check_data,
    check_seed,
    require_memory,
)
from coterie.cluster._spectral_embedding import (
    LAPLACIANS,
    Embedding,
    SolverOptions,
    embed,
    extend,
    extendable,
)
from coterie.cluster._spectral_graphs import AFFINITIES, GIVEN, Affinity, Graph
from coterie.cluster._spectral_landmarks import LandmarkMap, embed_by_landmarks
from coterie.cluster._spectral_solver import DEFAULT_TOLERANCE
from coterie.distance import nearest
from coterie.distance.matrices import check_distance_matrix, check_similarity_matrix
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput


class _Dictionary(Constraint):
    def accepts(self, value: Any) -> bool:
        return isinstance(value, dict)

    def describe(self) -> str:
        return "a dict"


GRAPH_CONSTRAINTS: Mapping[str, Constraint] = {
    "affinity": Choice(*AFFINITIES) | Function(),
    "gamma": Number(0),
    "h": Nothing() | Number(0, open_below=True),
    "n_neighbors": Whole(1),
    "epsilon": Number(0, open_below=True),
    "degree": Number(0),
    "coef0": Number(),
    "kernel_params": Nothing() | _Dictionary(),
    "laplacian": Choice(*LAPLACIANS),
    "landmarks": Nothing() | Whole(2),
    "eigen_solver": Nothing() | Choice("arpack", "lobpcg"),
    "eigen_tol": Choice("auto") | Number(0),
    "random_state": Seed(),
    "n_jobs": Nothing() | Whole(),
}


class SpectralBase:
    """An estimator that gives rows coordinates from the graph of their affinities."""

    affinity: Any
    gamma: float
    h: float | None
    n_neighbors: int
    epsilon: float
    degree: float
    coef0: float
    kernel_params: dict[str, Any] | None
    laplacian: str
    landmarks: int | None
    eigen_solver: str | None
    eigen_tol: float | str
    random_state: Any
    n_jobs: int | None

    embedding_: FloatArray
    eigenvalues_: FloatArray
    eigengaps_: FloatArray
    n_parts_: int
    exact_: bool
    _input: Any
    _degrees: FloatArray | None
    _scales: FloatArray | None
    _landmark_rows: FloatArray | None
    _landmark_values: FloatArray | None

    @property
    def affinity_matrix_(self) -> Any:
        """The matrix of affinities; Gaussian ones are computed when it is asked for, not kept."""
        if not hasattr(self, "embedding_"):
            raise AttributeError(f"{type(self).__name__} has no affinity_matrix_ before fit")
        return self._affinity().matrix(self._input)

    def graph(self) -> Graph:
        """Return the graph of the rows of the fit: weights that are stored, or made where needed."""
        if not hasattr(self, "embedding_"):
            raise AttributeError(f"{type(self).__name__} has no graph before fit")
        return self._affinity().graph(self._input)

    @property
    def _is_given(self) -> bool:
        return isinstance(self.affinity, str) and self.affinity in GIVEN

    def _affinity(self) -> Affinity:
        return Affinity(
            self.affinity,
            gamma=self.gamma if self.h is None else 1.0 / self.h,
            n_neighbors=self.n_neighbors,
            epsilon=self.epsilon,
            degree=self.degree,
            coef0=self.coef0,
            params=self.kernel_params or {},
            n_jobs=self.n_jobs,
        )

    def _embed(self, X: Any, n_components: int, seed: int) -> tuple[Embedding, dict[str, Any]]:
        """Return the coordinates, and the attributes that place new rows among them."""
        tol = DEFAULT_TOLERANCE if isinstance(self.eigen_tol, str) else float(self.eigen_tol)
        options = SolverOptions(self.eigen_solver, tol, seed)
        affinity = self._affinity()
        state: dict[str, Any] = dict.fromkeys(("_degrees", "_scales", "_landmark_rows", "_landmark_values"))
        if self.landmarks is not None:
            found, passing = embed_by_landmarks(
                X, self.landmarks, affinity, n_components, self.laplacian, options
            )
            state |= {"_landmark_rows": passing.landmarks, "_landmark_values": passing.values}
        else:
            graph = affinity.graph(X, tol)
            found = embed(graph, n_components, self.laplacian, options)
            state |= {"_degrees": graph.degrees, "_scales": getattr(graph, "scales", None)}
        state |= {
            "_input": X,
            "embedding_": found.coordinates,
            "eigenvalues_": found.eigenvalues,
            "eigengaps_": np.diff(found.eigenvalues),
            "n_parts_": found.n_parts,
            "exact_": self.landmarks is None,
        }
        return found, state

    def _place(self, X: Any) -> FloatArray:
        """Return the coordinates of new rows; a row of the fit keeps its own."""
        affinity = self._affinity()
        if self._landmark_rows is not None:
            assert self._landmark_values is not None
            passing = LandmarkMap(self._landmark_rows, self._landmark_values)
            return passing.coordinates(X, affinity, self.laplacian)
        assert self._degrees is not None
        values = extendable(self.embedding_, self._degrees, self.laplacian)
        sums = affinity.between(X, self._input, self._scales)(np.column_stack([values, np.ones(len(values))]))
        found = Embedding(self.laplacian, self.eigenvalues_, self.embedding_, self.n_parts_, 0)
        coordinates = extend(sums[:, :-1], sums[:, -1], found)
        if not self._is_given:
            near = nearest(X, self._input, n_jobs=self.n_jobs)
            is_settled = (near.distance == 0) | (sums[:, -1] <= 0)
            coordinates[is_settled] = self.embedding_[near.index[is_settled]]
        return coordinates

    def _check_graph_input(self, X: MatrixLike) -> Any:
        """Return rows, or the matrix or graph that was given, checked."""
        who = type(self).__name__
        if isinstance(X, np.matrix):
            raise UnsupportedInput(
                "np.matrix is not supported. Please convert to a numpy array with np.asarray."
            )
        checked = check_data(
            _with_short_indices(X),
            estimator=self,
            accept_sparse=True,
            min_rows=2,
            squares=not self._is_given,
            may_be_distances=self._is_given,
        )
        if not self._is_given:
            return _dense(checked, who)
        if self.landmarks is not None:
            raise InvalidParameter(
                f"landmarks of {who} need rows of features, got affinity={self.affinity!r}."
            )
        if checked.shape[0] != checked.shape[1]:
            raise InvalidData(
                f"X of {who} must be a square matrix with affinity={self.affinity!r}, got the shape "
                f"{checked.shape}. If these are rows of features, say affinity='rbf'."
            )
        if sparse.issparse(checked):
            return _check_sparse_graph(checked, who, must_be_symmetric=self.affinity == "precomputed")
        if self.affinity == "precomputed_nearest_neighbors":
            return check_distance_matrix(checked, who=who)
        return _non_negative(check_similarity_matrix(checked, who=who), who)

    def _check_new_rows(self, X: MatrixLike) -> Any:
        checked = check_data(
            _with_short_indices(X),
            estimator=self,
            reset=False,
            accept_sparse=True,
            squares=False,
            may_be_distances=True,
        )
        if self._is_given and sparse.issparse(checked):
            return checked
        return _dense(checked, type(self).__name__).astype(self._input.dtype, copy=False)

    def _seed(self) -> int:
        return check_seed(self.random_state)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the estimator that this is mixed into
        tags.input_tags.pairwise = self._is_given
        tags.input_tags.sparse = True
        return tags


def check_n_coordinates(n_components: int, most: int, *, who: str) -> None:
    """Refuse more coordinates than the graph has eigenvectors to give."""
    if n_components > most:
        raise InvalidParameter(
            f"n_components of {who} must be at most {most}, the eigenvectors that the graph has for "
            f"coordinates, got {n_components}."
        )


def _dense(X: Any, who: str) -> Any:
    """Return sparse rows as a matrix, if it fits in memory: affinities are computed from whole rows."""
    if not sparse.issparse(X):
        return X
    require_memory(
        X.shape[0] * X.shape[1] * X.dtype.itemsize,
        f"a dense copy of {X.shape[0]:,} sparse rows, which {who} needs,",
        "Take fewer columns first, e.g. by sklearn.decomposition.TruncatedSVD, or pass a graph with "
        "affinity='precomputed'.",
    )
    return np.ascontiguousarray(X.toarray())


def _with_short_indices(X: Any) -> Any:
    """Let a sparse matrix count in 32 bits where these suffice; SciPy's own routines often return 64."""
    if not sparse.issparse(X) or max(*X.shape, X.nnz) > np.iinfo(np.int32).max:
        return X
    rows = X.tocsr()
    parts = (rows.data, rows.indices.astype(np.int32), rows.indptr.astype(np.int32))
    return type(rows)(parts, shape=rows.shape)


def _check_sparse_graph(graph: Any, who: str, *, must_be_symmetric: bool) -> Any:
    _non_negative(graph.data, who)
    if must_be_symmetric and graph.nnz:
        gap = abs(graph - graph.T).max()
        if gap > 1e-8 * abs(graph.data).max():
            raise InvalidData(
                f"X of {who} must be a symmetric matrix of weights, got X and its transpose apart by "
                f"{gap:.3g}. Pass (X + X.T) / 2."
            )
    return graph


def _non_negative(weights: Any, who: str) -> Any:
    if weights.size and weights.min() < 0:
        raise InvalidData(
            f"X of {who} must be weights of at least 0, got {weights.min():.3g}. Similarities of both signs "
            f"can be shifted, distances turned into affinities by exp(-distance**2 / h)."
        )
    return weights
