"""Data without clusters that look like given data: what a clustering has to beat."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, issparse

from coterie import _core
from coterie._support.linear_algebra import principal_components, settle_signs
from coterie._support.stoppable import stoppable
from coterie._support.typing import AnyArray, AnyFunction, CheckedRows, Data, MatrixLike, SparseData
from coterie._support.validation import Choice, Function, check_data, check_parameter
from coterie.data.graphs import Graph
from coterie.errors import InvalidData

EXCHANGES_PER_EDGE = 10  # what the literature asks for
STEP_ERROR = 1e-6  # of a step: values that are whole numbers of steps up to this were rounded
Sampler: TypeAlias = Callable[[np.random.Generator], CheckedRows]
Floats: TypeAlias = npt.NDArray[np.float64]


def _thin_svd(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    left, lengths, right = np.linalg.svd(matrix, full_matrices=False)
    return left, lengths, right


def fit_configuration(graph: SparseData) -> Sampler:
    """Return a sampler of graphs in which every vertex has the degree it has here.

    Edges exchange their ends at random, never making a loop or a double edge; the weights are permuted
    among the edges. The result is of the kind of the given graph: dense, sparse, or a `Graph`, whose edges
    may have a direction.

    Examples
    --------
    >>> ring = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    >>> drawn = fit_configuration(ring)(np.random.default_rng(0))
    >>> drawn.sum(axis=0)
    array([2., 2., 2., 2., 2., 2.])
    """
    is_directed = isinstance(graph, Graph) and graph.is_directed
    sparse = graph.weights if isinstance(graph, Graph) else csr_array(graph)
    n = sparse.shape[0]
    if not isinstance(graph, Graph) and (
        sparse.shape[0] != sparse.shape[1] or (abs(sparse - sparse.T) > 0).nnz or (sparse.data < 0).any()
    ):
        raise InvalidData(
            f'null="configuration" needs a graph: a symmetric square matrix of weights of at least 0, got '
            f"shape {sparse.shape}."
        )
    edges = coo_array(sparse)
    kept = ((edges.row != edges.col) if is_directed else (edges.row < edges.col)) & (edges.data != 0)
    tails, heads = edges.row[kept].astype(np.int32), edges.col[kept].astype(np.int32)
    weights, diagonal = edges.data[kept], sparse.diagonal()

    def draw(rng: np.random.Generator) -> CheckedRows:
        seed = int(rng.integers(2**63))
        first, second = _core.exchange_edges(tails, heads, is_directed, EXCHANGES_PER_EDGE, seed)
        dealt, own = rng.permutation(weights), np.arange(n, dtype=np.int32)
        ends = [first, own] if is_directed else [first, second, own]
        others = [second, own] if is_directed else [second, first, own]
        values = [dealt, diagonal] if is_directed else [dealt, dealt, diagonal]
        places = np.concatenate(ends), np.concatenate(others)
        made = csr_array((np.concatenate(values), places), shape=(n, n))
        made.eliminate_zeros()
        if isinstance(graph, Graph):
            return Graph(made, graph.nodes, is_directed)
        return made if issparse(graph) else made.toarray()

    return draw


@dataclass(frozen=True, eq=False)
class NullModel:
    """A way to draw data without clusters."""

    name: str  # what to type, or the name of the function
    words: str  # what it is, as in "against one Gaussian"
    draw: Sampler  # takes a random generator and returns data of the shape of the given ones


def fit_null(null: str | AnyFunction, X: MatrixLike, *, who: str) -> NullModel:
    """Return the null model of that name for checked data.

    Parameters
    ----------
    null : str or callable
        "gaussian", "elliptical", "uniform", "pca_box", "permuted", "configuration", or a function of the data
        and a random generator that returns data.
    X : array
        The data, checked by `check_null_data`.
    who : str
        Name to use in messages.

    Examples
    --------
    >>> model = fit_null("uniform", np.array([[0.0], [2.0]]), who="this")
    >>> model.words, model.draw(np.random.default_rng(0)).shape
    ('a uniform box', (2, 1))
    """
    check_parameter(null, Choice(*NULLS) | Function(), name="null", who=who)
    if callable(null):
        make = null
        return NullModel(
            getattr(null, "__name__", "callable"), "a given null model", lambda rng: make(X, rng)
        )
    words, fit = NULLS[null]
    return NullModel(null, words, fit(X))


def check_null_data(null: str | AnyFunction, X: MatrixLike, *, who: str) -> CheckedRows:
    """Return the data as a null model needs them: rows of features, or a graph for "configuration"."""
    if isinstance(null, str) and null == "configuration":
        return check_data(X, who=who, accept_sparse=True, squares=False, may_be_distances=True)
    return check_data(X, who=who, min_rows=2, may_be_distances=callable(null))


def fit_uniform(X: Data) -> Sampler:
    """Every column on its own, uniform between its least and its greatest value."""
    low, high = X.min(axis=0), X.max(axis=0)
    return lambda rng: (low + (high - low) * rng.random(X.shape)).astype(X.dtype, copy=False)


def fit_pca_box(X: Data) -> Sampler:
    """Uniform in the box along the principal axes."""
    center = X.mean(axis=0, dtype=np.float64)
    found = principal_components(X - center)
    axes, scores = found.axes(), found.scores()
    low, high = scores.min(axis=0), scores.max(axis=0)

    def draw(rng: np.random.Generator) -> CheckedRows:
        inside = low + (high - low) * rng.random(scores.shape)
        return (inside @ axes.T + center).astype(X.dtype, copy=False)

    return draw


def fit_permuted(X: Data) -> Sampler:
    """Every column shuffled on its own: the same values, nothing between columns."""
    return lambda rng: rng.permuted(X, axis=0)


def fit_gaussian(X: Data) -> Sampler:
    """One Gaussian: the data turned at random in the space of the samples.

    Draws have exactly the mean and the covariance of the data. Given these, the distribution of Gaussian data
    does not depend on anything unknown, so that the test is exact [langsrud-2005].
    """
    frame = Frame.of(X)
    return lambda rng: frame.dress(rng.normal(size=frame.shape))


def fit_elliptical(X: Data) -> Sampler:
    """One elliptical cloud: distances from the centre as in the data, directions at random."""
    frame = Frame.of(X)
    radii = np.sqrt(np.einsum("ij,ij->i", frame.scores, frame.scores))

    def draw(rng: np.random.Generator) -> AnyArray:
        directions = rng.normal(size=frame.shape)
        directions /= np.sqrt(np.einsum("ij,ij->i", directions, directions))[:, None]
        return frame.dress(rng.permutation(radii)[:, None] * directions)

    return draw


@dataclass(frozen=True, eq=False)
class Frame:
    """Mean and covariance of data: centred rows are ``scores @ axes`` with orthonormal columns of scores."""

    center: Floats
    scores: Floats  # (n_rows, rank)
    axes: Floats  # (rank, n_columns)
    dtype: npt.DTypeLike

    @classmethod
    def of(cls, X: Data) -> Frame:
        """Take the data apart.

        Examples
        --------
        >>> rows = np.array([[0.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
        >>> Frame.of(rows).shape
        (3, 1)
        """
        center = X.mean(axis=0, dtype=np.float64)
        scores, lengths, axes = stoppable(_thin_svd, X - center)
        least = max(X.shape) * float(np.finfo(X.dtype).eps) * lengths[0]
        kept = lengths > least
        settled = settle_signs(axes[kept].T).T
        signs = np.where((settled * axes[kept]).sum(axis=1) < 0, -1.0, 1.0)
        return cls(center, scores[:, kept] * signs, lengths[kept, None] * settled, X.dtype)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of independent columns."""
        return self.scores.shape[0], self.scores.shape[1]

    def dress(self, rows: Floats) -> AnyArray:
        """Return rows with exactly the mean and the covariance of the data, from rows of any."""
        orthonormal, triangle = stoppable(np.linalg.qr, rows - rows.mean(axis=0))
        orthonormal *= np.sign(np.diagonal(triangle))  # without it the factor would not be uniform
        return (orthonormal @ self.axes + self.center).astype(self.dtype, copy=False)


# name -> words after "against", and the function that learns it from the data
NULLS: dict[str, tuple[str, Callable[[CheckedRows], Sampler]]] = {
    "gaussian": ("one Gaussian", fit_gaussian),
    "elliptical": ("one elliptical cloud", fit_elliptical),
    "uniform": ("a uniform box", fit_uniform),
    "pca_box": ("a uniform box along the principal axes", fit_pca_box),
    "permuted": ("shuffled columns", fit_permuted),
    "configuration": ("random graphs of the same degrees", fit_configuration),
}


def step_of(column: Data) -> float:
    """Return the step that the values of a rounded column are whole numbers of; 0 where it is not rounded.

    Examples
    --------
    >>> step_of(np.array([1.0, 1.5, 3.0, 3.0])), step_of(np.array([0.1, 0.7, 1.9]))
    (0.5, 0.0)
    """
    values = np.unique(np.asarray(column, dtype=np.float64))
    if not 1 < len(values) < len(column):
        return 0.0
    step = float(np.diff(values).min())
    steps = (values - values[0]) / step
    is_whole = np.abs(steps - np.round(steps)) <= STEP_ERROR * np.maximum(steps, 1.0) + STEP_ERROR
    return step if is_whole.all() else 0.0
