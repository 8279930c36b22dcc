"""What spectral clustering and Laplacian eigenmaps share: input, the graph of rows, coordinates, new rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    FloatArray,
    MatrixLike,
    RandomState,
    Settings,
    Tags,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    Choice,
    Dictionary,
    Function,
    Nothing,
    Number,
    Whole,
    check_seed,
)
from coterie._support.validation.schema import COUNT, FLAG, Maybe, Sometimes, Tensor, wrong
from coterie.cluster.spectral.eigen import DEFAULT_TOLERANCE, require_amg
from coterie.cluster.spectral.embedding import (
    LAPLACIANS,
    Embedding,
    SolverOptions,
    WeightedGraph,
    embed,
    extend,
    extendable,
)
from coterie.cluster.spectral.graphs import AFFINITIES, GIVEN, Affinity, AffinityGraph, scales_of
from coterie.cluster.spectral.landmarks import LandmarkMap, embed_by_landmarks
from coterie.cluster.state_checks import check_given, check_square
from coterie.distance import Distance
from coterie.distance.input import (
    GraphInput,
    InputKind,
    InputRules,
    RowsInput,
    check_new_input,
    dense_rows,
    resolve_input,
)
from coterie.distance.near_graph import RECALL
from coterie.errors import InvalidData, InvalidParameter, UnsupportedInput


@dataclass(frozen=True, eq=False)
class Places:
    """The rows of a fit that have any weight, with their coordinates and what places others among them."""

    rows: CheckedRows  # rows of features, or those of a matrix that was given
    weights: Weights | None  # of these rows
    coordinates: FloatArray  # of these rows
    eigenvalues: FloatArray  # of the Laplacian
    degrees: FloatArray | None  # of the graph
    scales: FloatArray | None
    landmarks: LandmarkMap | None  # where rows are placed by landmarks

    def of(self, X: CheckedRows, affinity: Affinity, laplacian: str) -> FloatArray:
        """Return the coordinates of other rows, or of their affinities; one of these rows keeps its own."""
        if self.landmarks is not None:
            return self.landmarks.coordinates(X, affinity, laplacian)
        assert self.degrees is not None
        values = extendable(self.coordinates, self.degrees, laplacian)
        sums = self._sums(X, affinity, np.column_stack([values, np.ones(len(values))]))
        placed = extend(sums[:, :-1], sums[:, -1], self.eigenvalues, laplacian)
        if affinity.kind not in GIVEN:
            near = affinity.to_nearest(X, self.rows)
            is_settled = (near.distance == 0) | (sums[:, -1] <= 0)
            placed[is_settled] = self.coordinates[near.index[is_settled]]
        return placed

    def _sums(self, X: CheckedRows, affinity: Affinity, values: FloatArray) -> FloatArray:
        add = affinity.between(X, self.rows, self.scales)
        if self.weights is None:
            return add(values)
        most = float(self.weights.max())  # sums may be in float32
        return np.asarray(most * add(values * (self.weights / most)[:, None]))


_KINDS: dict[str, InputKind] = dict(zip(GIVEN, ("similarities", "distances"), strict=True))
RULES = InputRules(
    takes_sparse=True,
    min_rows=2,
    symmetry="averaged",
    not_square="X of {who} must be a square matrix of {kind} with this affinity, got the shape {shape}. If "
    "these are rows of features, say affinity='rbf'.",
)


def check_non_negative(weights: AnyArray, who: str) -> AnyArray:
    """Return weights of at least 0."""
    if weights.size and weights.min() < 0:
        raise InvalidData(
            f"X of {who} must be weights of at least 0, got {weights.min():.3g}. Similarities of both signs "
            f"can be shifted, distances turned into affinities by exp(-distance**2 / h)."
        )
    return weights


@estimator
class SpectralBase:
    """An estimator that gives rows coordinates from the graph of their affinities.

    Attributes
    ----------
    affinity_matrix_ : array or sparse array of shape (n_samples, n_samples)
        W; computed when asked for.
    n_parts_ : int
        Connected components of the graph, isolated points not counted; 1 with Gaussian affinities, which are
        all positive: there, eigenvalues of nearly 0 tell.
    """

    _: KW_ONLY
    affinity: str | Callable[..., float] = parameter(
        Choice(*AFFINITIES) | Function(), default="nearest_neighbors"
    )
    gamma: float = parameter(Number(0), default=1.0)
    h: float | None = parameter(Nothing() | Number(0, open_below=True), default=None)
    n_neighbors: int = parameter(Whole(1), default=10)
    neighbors: str = parameter(Choice("exact", "approximate"), default="exact")
    epsilon: float = parameter(Number(0, open_below=True), default=1.0)
    degree: float = parameter(Number(0), default=3)
    coef0: float = parameter(Number(), default=1)
    kernel_params: ValuesByName | None = parameter(Nothing() | Dictionary(), default=None)
    laplacian: str = parameter(Choice(*LAPLACIANS), default="random_walk")
    landmarks: int | None = parameter(Nothing() | Whole(2), default=None)
    eigen_solver: str | None = parameter(Nothing() | Choice("arpack", "lobpcg", "amg"), default=None)
    eigen_tol: float | str = parameter(Choice("auto") | Number(0), default="auto")
    random_state: RandomState = None
    n_jobs: int | None = parameter(Nothing() | Whole(), default=None)
    progress: ProgressOption = None

    embedding_: FloatArray = fitted(Tensor("rows", "components"), "Coordinates of each row.")
    eigenvalues_: FloatArray = fitted(Tensor("eigenvalues", kind="f8", may_be_empty=True))
    eigengaps_: FloatArray = fitted(Tensor("eigengaps", kind="f8", may_be_empty=True))
    n_parts_: int = fitted(COUNT)
    exact_: bool = fitted(FLAG, "False with landmarks.")
    _input: CheckedRows = fitted(Tensor("rows", "columns", sparse=True, of_table=True))
    _degrees: FloatArray | None = fitted(Maybe(Tensor("points", low=0)))
    _scales: FloatArray | None = fitted(Maybe(Tensor("points", low=0)))
    _weights: Weights | None = fitted(Sometimes(Maybe(Tensor("rows", kind="f8", low=0))))
    _landmark_rows: FloatArray | None = fitted(Maybe(Tensor("landmarks", "columns")))
    _landmark_values: FloatArray | None = fitted(Maybe(Tensor("landmarks", "components")))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, affinity, weights = cls.__name__, state["affinity"], state.get("_weights")
        if affinity in GIVEN:
            check_square(sizes, who=who)
        elif sparse.issparse(state["_input"]):
            raise wrong("_input", who, "be an array with this affinity", "a sparse matrix")
        has_landmarks = state["landmarks"] is not None
        for name, is_needed in (
            ("_landmark_rows", has_landmarks),
            ("_landmark_values", has_landmarks),
            ("_degrees", not has_landmarks),
            ("_scales", not has_landmarks and affinity == "self_tuning"),
        ):
            check_given(state[name], is_needed, who=who, name=name, why="these parameters")
        is_near = state["neighbors"] == "approximate"
        if state["exact_"] == (has_landmarks or is_near):
            why = "be False with landmarks or approximate neighbours, and only then"
            raise wrong("exact_", who, why, state["exact_"])
        points = count_rows_of_weight(sizes["rows"], weights)
        if points == 0 or sizes.get("points", points) != points:
            raise wrong(
                "_degrees", who, f"have {points:,} numbers, one per row of any weight", sizes.get("points")
            )

    @property
    def affinity_matrix_(self) -> CheckedRows:
        """The matrix of affinities; Gaussian ones are computed when it is asked for, not kept."""
        if not hasattr(self, "embedding_"):
            raise AttributeError(f"{type(self).__name__} has no affinity_matrix_ before fit")
        return self._affinity(self._learned).matrix(self._input)

    def graph(self) -> AffinityGraph:
        """Return the graph of the rows of the fit: weights that are stored, or made where needed."""
        if not hasattr(self, "embedding_"):
            raise AttributeError(f"{type(self).__name__} has no graph before fit")
        return self._affinity(self._learned).graph(self._input)

    @property
    def _is_given(self) -> bool:
        return self._kind != "data"

    @property
    def _kind(self) -> InputKind:
        return _KINDS.get(self.affinity, "data") if isinstance(self.affinity, str) else "data"

    @property
    def _learned(self) -> Settings:
        """What the distance learned in the fit."""
        learned: Settings = vars(self).get("_distance_values", {})
        return learned

    def _affinity(self, learned: Settings) -> Affinity:
        is_near = self.neighbors == "approximate"
        if is_near and (self.affinity not in ("nearest_neighbors", "mutual_neighbors") or self.landmarks):
            raise InvalidParameter(
                f'neighbors="approximate" of {type(self).__name__} is for affinity "nearest_neighbors" or '
                f'"mutual_neighbors" without landmarks: choose one of these, or neighbors="exact".'
            )
        return Affinity(
            self.affinity,
            gamma=float(self.gamma) if self.h is None else 1.0 / float(self.h),
            n_neighbors=int(self.n_neighbors),  # of NumPy it may be of 8 bits
            epsilon=float(self.epsilon),
            degree=self.degree,
            coef0=self.coef0,
            params=self.kernel_params or {},
            n_jobs=self.n_jobs,
            recall=RECALL if is_near else None,
            distance=self._distance(learned),
        )

    def _distance(self, learned: Settings) -> Distance | None:
        """Return the distance of rows with what it has learned, if anything; None for the Euclidean one."""
        return None

    def _embed(
        self, X: CheckedRows, weights: Weights | None, n_components: int, seed: int
    ) -> tuple[Embedding, ValuesByName]:
        """Return the coordinates, and the attributes that place new rows among them."""
        if self.eigen_solver == "amg":
            require_amg()
        tol = DEFAULT_TOLERANCE if isinstance(self.eigen_tol, str) else float(self.eigen_tol)
        options = SolverOptions(self.eigen_solver, tol, seed)
        affinity = self._affinity({})
        state: ValuesByName = dict.fromkeys(("_degrees", "_scales", "_landmark_rows", "_landmark_values"))
        rows, masses = _of_weight(X, weights, is_given=self._is_given)
        if affinity.distance is not None:
            state["_distance_values"] = affinity.distance.fit(rows).told
            affinity = self._affinity(state["_distance_values"])
        if self.landmarks is not None:
            found, passing = embed_by_landmarks(
                rows, masses, self.landmarks, affinity, n_components, self.laplacian, options
            )
            state |= {"_landmark_rows": passing.landmarks, "_landmark_values": passing.values}
        else:
            graph = affinity.graph(rows, tol)
            state["_scales"] = scales_of(graph)
            graph = graph if masses is None else WeightedGraph(graph, masses)
            found = embed(graph, n_components, self.laplacian, options)
            state["_degrees"] = graph.degrees
        state |= {"_input": X, "_weights": weights, "eigenvalues_": found.eigenvalues}
        if len(found.coordinates) < X.shape[0]:
            found = replace(found, coordinates=self._with_rows_of_no_weight(found.coordinates, state))
        state |= {
            "embedding_": found.coordinates,
            "eigengaps_": np.diff(found.eigenvalues),
            "n_parts_": found.n_parts,
            "exact_": self.landmarks is None and self.neighbors == "exact",
        }
        return found, state

    def _with_rows_of_no_weight(self, coordinates: FloatArray, state: Settings) -> FloatArray:
        """Place the rows that weigh nothing like new ones."""
        X, has_weight = state["_input"], state["_weights"] > 0
        completed = np.empty((len(has_weight), coordinates.shape[1]))
        completed[has_weight] = coordinates
        others = X[~has_weight]
        if self._is_given:
            others = others[:, has_weight]
        places = _places({**state, "embedding_": completed}, is_given=self._is_given)
        completed[~has_weight] = places.of(
            others, self._affinity(state.get("_distance_values", {})), self.laplacian
        )
        return completed

    def _place(self, X: CheckedRows) -> FloatArray:
        """Return the coordinates of new rows; a row of the fit keeps its own."""
        weights = vars(self).get("_weights")  # models that were saved before there were any have none
        if self._is_given and weights is not None:
            X = X[:, weights > 0]
        return _places(vars(self), is_given=self._is_given).of(
            X, self._affinity(self._learned), self.laplacian
        )

    def _check_graph_input(self, X: MatrixLike) -> CheckedRows:
        """Return rows, or the matrix or graph that was given, checked."""
        who = type(self).__name__
        if isinstance(X, np.matrix):
            raise UnsupportedInput(
                "np.matrix is not supported. Please convert to a numpy array with np.asarray."
            )
        distance = self._distance({})
        given = resolve_input(X, self._kind, estimator=self, rules=RULES, distance=distance)
        if isinstance(given, RowsInput):
            return self._dense(given.values)
        if self.landmarks is not None:
            raise InvalidParameter(
                f"landmarks of {who} need rows of features, got affinity={self.affinity!r}."
            )
        check_non_negative(given.values.data if isinstance(given, GraphInput) else given.values, who)
        return given.values

    def _check_new_rows(self, X: MatrixLike) -> CheckedRows:
        checked = check_new_input(X, self._kind, estimator=self, takes_sparse=True, squares=False)
        if self._is_given:
            check_non_negative(checked.data if sparse.issparse(checked) else checked, type(self).__name__)
            if sparse.issparse(checked):
                return checked
        return self._dense(checked).astype(self._input.dtype, copy=False)

    def _dense(self, rows: CheckedRows) -> FloatArray:
        return dense_rows(
            rows,
            who=type(self).__name__,
            needs="",
            way_out="Take fewer columns first, e.g. by sklearn.decomposition.TruncatedSVD, or pass a graph "
            "with affinity='precomputed'.",
        )

    def _seed(self) -> int:
        return check_seed(self.random_state)

    def __sklearn_tags__(self) -> Tags:
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


def count_rows_of_weight(n_rows: int, weights: Weights | None) -> int:
    """Return how many rows count at all."""
    return n_rows if weights is None else int(np.count_nonzero(weights))


def _of_weight(
    X: CheckedRows, weights: Weights | None, *, is_given: bool
) -> tuple[CheckedRows, Weights | None]:
    """Return the rows that weigh anything, and their weights: others must not influence the graph."""
    if weights is None or weights.all():
        return X, weights
    points, kept = weights > 0, weights[weights > 0]
    return X[points][:, points] if is_given else X[points], None if (kept == 1.0).all() else kept


def _places(state: Settings, *, is_given: bool) -> Places:
    """Return what places new rows, from the attributes of a fit."""
    X, weights, coordinates = state["_input"], state.get("_weights"), state["embedding_"]
    if weights is not None:
        coordinates = coordinates[weights > 0]
    landmarks, passed = state["_landmark_rows"], state["_landmark_values"]
    rows, masses = _of_weight(X, weights, is_given=is_given)
    return Places(
        rows,
        masses,
        coordinates,
        state["eigenvalues_"],
        state["_degrees"],
        state["_scales"],
        None if landmarks is None else LandmarkMap(landmarks, passed),
    )
