"""Leiden as an estimator: communities of the graph of near rows, or of a graph that is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

import numpy as np
from scipy.sparse import csr_array

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.typing import (
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    MetricLike,
    RandomState,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import Choice, Constraint, Nothing, Number, Whole, check_data
from coterie._support.validation.parameters import check_seed
from coterie._support.validation.schema import Maybe, Real, Tensor
from coterie.cluster.base import Clusterer, Listener
from coterie.cluster.graph.communities import LEIDEN_CONSTRAINTS, find_communities
from coterie.data.graphs import Graph, is_graph_object, read_graph
from coterie.distance import k_nearest, neighbour_graph
from coterie.distance.catalogue import Metric
from coterie.distance.input import distance_of_rows, resolve_input
from coterie.errors import InvalidData

VOTES_AT_ONCE = 1 << 20  # neighbours of new rows that are compared in one go


@estimator
class Leiden(Clusterer):
    """Leiden communities of the nearest-neighbour graph of rows, or of a given graph.

    Rows become a graph: each has an edge to its `n_neighbors` nearest ones. The Leiden algorithm
    [traag-2019] then finds groups with more edges among them than expected: nodes move to the community that
    gains most, communities are refined, and the refined ones become the nodes of a smaller graph. Every
    community is connected.

    Parameters
    ----------
    resolution : float, default=1.0
        The higher, the more and smaller communities. For "cpm": the least density within communities, and
        the greatest between them, in units of the weights.
    objective : {"modularity", "cpm"}, default="modularity"
        Modularity compares with random graphs of the same degrees; the constant Potts model (CPM) with a
        constant density, so that communities do not depend on the size of the graph.
    metric : str, callable or Distance, default="euclidean"
        A name of `coterie.distance.distances()`, a function of two rows, or a distance; "precomputed": `X` is
        a square matrix of distances; "similarity": `X` is the graph itself, a square matrix of weights, dense
        or sparse, or anything else that `coterie.cluster.leiden` takes.
    weights : {"plain", "fuzzy", "gaussian"}, default="plain"
        Of the edges between near rows, as in `coterie.distance.neighbour_graph`: all equal, or less for rows
        further away. Those of a given graph are its own.
    recall : float in (0, 1], default=None
        Share of the true neighbours that is enough, as in `coterie.distance.k_nearest`; None: all of them.
    directed : bool, default=None
        Whether edges of a given graph have a direction. None: as a graph object says; a matrix has none.
    theta : float, default=0.01
        How random refinement is, in units of the mean weight of an edge.
    n_iterations : int or None, default=2
        Each begins with the communities of the one before; None: until nothing improves.
    random_state : int, RandomState, Generator or None, default=0
        Order of visits, and refinement. Same number, same rows, same communities.

    Attributes
    ----------
    labels_ : array of int32 of shape (n_samples,)
        Community of each row: 0 is the largest.
    levels_ : array of int32 of shape (n_samples, n_levels)
        Communities within communities, from fine to coarse: each level joins communities of the one before.
        The last is `labels_`.
    level_qualities_ : array of shape (n_levels,)
        Quality of each level; it never falls.
    quality_ : float
        What was maximised: modularity at the resolution, or the constant Potts model.

    Notes
    -----
    `predict` places a new row in the community that most of its `n_neighbors` nearest rows of the fit belong
    to, of equally many the nearest; a row of the fit keeps its community. With metric="similarity", and
    after a graph object, it takes the weights of edges from new nodes to those of the fit, dense or sparse,
    and the heaviest community wins.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.cluster import Leiden
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (40, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> model = Leiden(resolution=0.5).fit(X)
    >>> np.bincount(model.labels_).tolist()
    [40, 40, 40]
    >>> bool(model.predict([[9.0, 1.0]])[0] == model.labels_[40])
    True
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = LEIDEN_CONSTRAINTS

    resolution: float = 1.0
    _: KW_ONLY
    objective: str = "modularity"
    n_neighbors: int = parameter(Whole(1), "Neighbours of each row that it has an edge to.", default=15)
    metric: MetricLike = parameter(Metric(), default="euclidean")
    weights: Literal["plain", "fuzzy", "gaussian"] = parameter(
        Choice("plain", "fuzzy", "gaussian"), default="plain"
    )
    recall: float | None = parameter(Nothing() | Number(0.0, 1.0, open_below=True), default=None)
    directed: bool | None = None
    theta: float = 0.01
    n_iterations: int | None = 2
    random_state: RandomState = 0
    n_jobs: int | None = parameter(Nothing() | Whole(None), default=None)

    labels_: Labels = fitted(Tensor("rows", kind="i4", low=0, below="rows"))
    levels_: Labels = fitted(Tensor("rows", "levels", kind="i4", low=0, below="rows"))
    level_qualities_: FloatArray = fitted(Tensor("levels", kind="f8"))
    quality_: float = fitted(Real())
    modularity_: float = fitted(Real(), "Modularity at resolution 1, whatever was maximised.")
    n_communities_: int = fitted(Whole(1), "Number of communities.")
    n_iter_: int = fitted(Whole(1), "Iterations that were made.")
    _rows: Data | None = fitted(Maybe(Tensor("rows", "columns", of_table=True)))

    row_attributes = ("labels_", "levels_", "_rows")

    def predict(self, X: MatrixLike) -> Labels:
        """Return the community of each new row, from its neighbours among the rows of the fit."""
        scikit_learn.check_is_fitted(self)
        if self._is_given:
            return self._heaviest(X)
        new: MatrixLike = self._check_new(X)
        n_fitted = len(self.labels_)
        k = min(self.n_neighbors, n_fitted)
        if self._kind == "distances":
            index = np.argsort(new, axis=1, kind="stable")[:, :k]
            nearest = np.take_along_axis(new, index[:, :1], axis=1)[:, 0]
        else:
            near = k_nearest(new, self._rows, k, self._metric_of_fit(self._rows), n_jobs=self.n_jobs)
            index, nearest = near.index, near.distance[:, 0]
        labels = most_frequent(self.labels_[index])
        is_old = nearest == 0
        labels[is_old] = self.labels_[index[is_old, 0]]
        return labels

    @property
    def _is_given(self) -> bool:
        """Whether the graph was given, not made of rows."""
        return self._kind == "similarities" or (self._kind == "data" and self._rows is None)

    def _heaviest(self, X: MatrixLike) -> Labels:
        """Return the community with the heaviest edges; the largest where there are none."""
        options: ValuesByName = {"accept_sparse": True, "squares": False, "may_be_distances": True}
        weights = csr_array(check_data(X, estimator=self, reset=False, **options))
        if (weights.data < 0).any():
            raise InvalidData(f"weights of edges must be at least 0, got {weights.data.min():g}.")
        belongs = csr_array((np.ones(len(self.labels_)), self.labels_, np.arange(len(self.labels_) + 1)))
        return np.asarray((weights @ belongs).toarray().argmax(axis=1), dtype=np.int32)

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        if is_graph_object(X) or self._kind == "similarities":
            return self._given(read_graph(X, directed=self.directed, who=type(self).__name__, name="X"))
        distance = distance_of_rows(self.metric)
        return resolve_input(X, self._kind, estimator=self, distance=distance).values

    def _given(self, graph: Graph) -> _GraphRows:
        self.n_features_in_ = graph.n_nodes
        return _GraphRows(graph)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        given: CheckedRows = X
        graph = given.graph if isinstance(given, _GraphRows) else self._graph_of(given)
        found = find_communities(
            graph,
            resolution=float(self.resolution),
            objective=self.objective,
            theta=float(self.theta),
            n_iterations=self.n_iterations,
            seed=check_seed(self.random_state),
        )
        return {
            "labels_": found.labels,
            "levels_": found.levels,
            "level_qualities_": found.level_qualities,
            "quality_": found.quality,
            "modularity_": found.modularity,
            "n_communities_": found.n_communities,
            "n_iter_": found.n_iterations,
            "_rows": given if self._kind == "data" and not isinstance(given, _GraphRows) else None,
        }

    def _graph_of(self, X: Data) -> Graph:
        """Return the graph in which each row has an edge to its nearest ones."""
        n = len(X)
        if n == 1:
            return Graph(csr_array((1, 1)), np.arange(1))
        options: ValuesByName = {"weights": self.weights, "recall": self.recall, "n_jobs": self.n_jobs}
        near = neighbour_graph(X, min(self.n_neighbors, n - 1), self.metric, **options)
        return Graph(near.weights, np.arange(n))


class _GraphRows:
    """A graph where rows are expected: it has their number."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.shape = (graph.n_nodes, graph.n_nodes)

    def __len__(self) -> int:
        return self.graph.n_nodes


def most_frequent(labels: Labels) -> Labels:
    """Return the label that occurs most often in each row, of equally many the first.

    Examples
    --------
    >>> most_frequent(np.array([[2, 1, 1], [0, 1, 2]])).tolist()
    [1, 0]
    """
    n, k = labels.shape
    found = np.empty(n, dtype=np.int32)
    step = max(1, VOTES_AT_ONCE // (k * k))
    for first in range(0, n, step):
        some = labels[first : first + step]
        counts = (some[:, :, None] == some[:, None, :]).sum(axis=2)
        found[first : first + step] = np.take_along_axis(some, counts.argmax(axis=1)[:, None], axis=1)[:, 0]
    return found
