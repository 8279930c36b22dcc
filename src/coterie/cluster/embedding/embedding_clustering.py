"""Groups of embeddings: vectors of hundreds of columns, from models of texts, images or anything else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    RandomState,
    SparseData,
    Tags,
    Weights,
)
from coterie._support.validation import (
    Anything,
    Choice,
    Nothing,
    Number,
    Seed,
    Whole,
    check_data,
)
from coterie._support.validation.parameters import check_seed
from coterie._support.validation.schema import Several, Sometimes, Tensor
from coterie.cluster.base import Clusterer, Listener
from coterie.cluster.embedding.community_layers import (
    CommunityTree,
    community_trees,
)
from coterie.cluster.embedding.layout import lay_out_graph, place_new
from coterie.cluster.embedding.linked_labels import (
    hand_on,
    nested_within,
    numbered_by_size,
    share_within,
    with_most_links,
)
from coterie.distance import Neighbours, find_distance, k_nearest, neighbour_graph
from coterie.distance.approximate import is_codable, sparse_nearest, sparse_unit_rows
from coterie.distance.catalogue import Metric
from coterie.distance.neighbour_graphs import fuzzy_weights, graph_weights
from coterie.distance.row_distances import RowDistances
from coterie.errors import InvalidData, InvalidParameter

CRUMBS = 0.1  # of the rows per cluster: smaller ones do not count where so many are asked for
CLEARLY_BETTER = 1.1  # the persistence that a tree of finer communities must reach, times the coarser one's
MAP_COLUMNS = 2


@estimator
class EmbeddingClustering(Clusterer):
    """Cluster high-dimensional embeddings of language and image models, without a number of groups.

    Every row is linked to its nearest ones, weighted as in UMAP. Communities of that graph (`Leiden`, at a
    resolution that finds too many) are merged pair by pair, the most tightly linked first. The cut of that
    tree is taken whose clusters last longest: made by ties of chance strength, ended only by far looser
    ones. Other lasting cuts are the layers, coarser or finer.

    Parameters
    ----------
    n_neighbors : int, default=15
        Near rows that each row is linked to; more blur small groups.
    metric : str, callable or Distance, default="cosine"
        What near means, a name of `coterie.distance.distances()` for example.
    granularity : {"auto", "finest", "coarsest"} or int, default="auto"
        Which layer `labels_` is: the one that lasts longest, the one with the most or the fewest clusters;
        or about how many clusters.
    noise : {"assign", "keep"}, default="assign"
        "keep": rows that have most of their links in other clusters get -1, and so do clusters of fewer rows
        than `min_cluster_size`. "assign": every row gets a cluster.
    recall : float in (0, 1] or None, default=0.95
        Share of the true neighbours that is enough; None: all of them, which takes longer for many rows.

    Attributes
    ----------
    labels_ : array of int of shape (n_samples,)
        Cluster of each row, 0 the largest; -1 is noise, and with the cosine every row of zeros.
    layers_ : array of int of shape (n_samples, n_layers)
        The clusters of each layer, from fine to coarse; clusters of one lie within those of the next.
    layer_persistence_ : array of shape (n_layers,)
        How well the clusters of each layer hold together, from 0 to 1.
    strengths_ : array of shape (n_samples,)
        Share of each row's links that stay in its cluster.
    embedding_ : array of shape (n_samples, 2)
        The rows as points of a map (`map`), computed when it is first read.

    Notes
    -----
    All rows are one cluster where no cut lasts, as in a single cloud. `predict` takes the cluster that most
    links of a new row lead to; a row of the fit keeps its label.

    References
    ----------
    traag-2019, mcinnes-2018, bonald-2018

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.cluster import EmbeddingClustering
    >>> rng = np.random.default_rng(0)
    >>> X = np.repeat(rng.normal(size=(3, 64)), 50, axis=0) + rng.normal(0, 0.8, (150, 64))
    >>> model = EmbeddingClustering().fit(X)
    >>> np.bincount(model.labels_).tolist()
    [50, 50, 50]
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _takes_sparse = True
    _sometimes = ("_embedding",)

    n_neighbors: int = parameter(Whole(2), default=15)
    _: KW_ONLY
    metric: MetricLike = parameter(Metric(), default="cosine")
    granularity: str | int = parameter(Choice("auto", "finest", "coarsest") | Whole(1), default="auto")
    noise: str = parameter(Choice("assign", "keep"), default="assign")
    min_cluster_size: int = parameter(Whole(1), "Least rows of a cluster.", default=5)
    recall: float | None = parameter(Nothing() | Number(0.0, 1.0, open_below=True), default=0.95)
    random_state: RandomState = parameter(Seed(), "Order in which Leiden visits the rows.", default=0)
    n_jobs: int | None = parameter(Nothing() | Whole(None), default=None)
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i8", low=-1, below="rows"))
    layers_: Labels = fitted(Tensor("rows", "layers", kind="i8", low=-1, below="rows", may_be_empty=True))
    layer_persistence_: FloatArray = fitted(Tensor("layers", kind="f8", low=0, high=1, may_be_empty=True))
    persistence_: float = fitted(Anything(), "The same of `labels_`; 0 where all rows are one cluster.")
    strengths_: FloatArray = fitted(Tensor("rows", kind="f8", low=0, high=1))
    _rows: Data | SparseData = fitted(
        Tensor("linked rows", "columns", sparse=True, of_table=True, may_be_empty=True)
    )
    # rows that have a direction
    _linked: Indices = fitted(Tensor("linked rows", kind="i8", low=0, below="rows", may_be_empty=True))
    # once `embedding_` was read
    _embedding: FloatArray = fitted(
        Sometimes(Tensor("rows", "map columns", kind="f", allow="nan", may_be_empty=True))
    )
    _graph: list[AnyArray] = fitted(
        Several(
            Tensor("linked rows+1", kind="i8", low=0),
            Tensor("links", kind="i4", low=0, below="linked rows", may_be_empty=True),
            Tensor("links", kind="f", low=0, high=1, may_be_empty=True),
        )
    )

    @property
    def _compares_sparse(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "cosine"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._compares_sparse
        return tags

    def predict(self, X: MatrixLike) -> Labels:
        """Return the cluster that most links of each new row lead to; a row of the fit keeps its label."""
        found = self._hang(X)
        labels = np.full(found.n, -1, dtype=np.int64)
        labels[found.linked] = np.asarray(found.shares.argmax(axis=1)) - 1
        is_old = found.near.distance[:, 0] == 0 if found.near is not None else np.zeros(0, dtype=bool)
        if found.near is not None:
            labels[found.linked[is_old]] = self.labels_[self._linked[found.near.index[is_old, 0]]]
        return labels

    def membership(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row's links that leads to each cluster; what is missing to 1 is noise.

        Returns
        -------
        array of shape (n_queries, n_clusters)
        """
        found = self._hang(X)
        shares = np.zeros((found.n, found.shares.shape[1] - 1))
        shares[found.linked] = found.shares[:, 1:]
        return shares

    def exemplars(self, n_rows: int = 5) -> list[Indices]:
        """Return the most typical rows of each cluster: those with the heaviest links within it.

        Parameters
        ----------
        n_rows : int, default=5
            How many of each cluster, the most typical first.
        """
        graph, own = self._links(), self.labels_[self._linked]
        row = np.repeat(np.arange(len(own)), np.diff(graph.indptr))
        weight = np.bincount(row, graph.data * (own[row] == own[graph.indices]), minlength=len(own)).round(6)
        order = np.lexsort((np.arange(len(own)), -weight, own))
        ends = np.searchsorted(own[order], np.arange(int(self.labels_.max()) + 2))
        return [self._linked[order[first:last][:n_rows]] for first, last in pairwise(ends)]

    def map(self, n_components: int = MAP_COLUMNS) -> FloatArray:
        """Return places of the rows of the fit in few columns, from the same graph; NaN for rows of zeros.

        Parameters
        ----------
        n_components : int, default=2
            Columns: 1 to 8.
        """
        places = lay_out_graph(
            self._links(), n_components, random_state=self.random_state, n_jobs=self.n_jobs
        )
        found = np.full((len(self.labels_), places.shape[1]), np.nan, dtype=places.dtype)
        found[self._linked] = places
        return found

    @property
    def embedding_(self) -> FloatArray:
        """The rows of the fit as points of a map in two columns, computed when it is first read."""
        scikit_learn.check_is_fitted(self)
        if "_embedding" not in vars(self):
            self._embedding = self.map()
        return self._embedding

    def map_new(self, X: MatrixLike, places: FloatArray) -> FloatArray:
        """Return places of new rows among those that `map` gave to the rows of the fit, which stay.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
            Rows.
        places : array of shape (n_samples, n_components)
            What `map` returned.
        """
        found = self._hang(X)
        if places.shape[0] != len(self.labels_):
            raise InvalidData(
                f"places of {type(self).__name__}.map_new must have a row for each of the "
                f"{len(self.labels_):,} rows of the fit, got {places.shape[0]:,}."
            )
        new = np.full((found.n, places.shape[1]), np.nan, dtype=np.float32)
        if found.near is not None:
            new[found.linked] = place_new(
                found.near.index,
                fuzzy_weights(found.near.distance),
                places[self._linked],
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            )
        return new

    def _links(self) -> SparseData:
        scikit_learn.check_is_fitted(self)
        starts, ends, weights = self._graph
        n = len(self._linked)
        return csr_array((weights, ends, starts), shape=(n, n))

    def _hang(self, X: MatrixLike) -> _Hung:
        """Return the links of new rows to those of the fit."""
        new = self._check_new(X)
        linked = rows_with_direction(new, self.metric)
        shares = np.zeros((len(linked), int(self.labels_.max()) + 2))
        if not len(linked) or not len(self._linked):
            shares[:, 0] = 1.0
            return _Hung(new.shape[0], linked, shares, None)
        k = min(self.n_neighbors, len(self._linked))
        near = self._nearest(new[linked], k)
        weights = fuzzy_weights(near.distance)
        label = self.labels_[self._linked[near.index]]
        np.add.at(shares, (np.arange(len(weights))[:, None], label + 1), weights)
        return _Hung(new.shape[0], linked, shares / shares.sum(axis=1, keepdims=True), near)

    def _nearest(self, new: CheckedRows, k: int) -> Neighbours:
        if not issparse(self._rows):
            new = new.toarray() if issparse(new) else new
            return k_nearest(new, self._rows, k, self._metric_of_fit(self._rows), n_jobs=self.n_jobs)
        distance, who = find_distance(self.metric), type(self).__name__
        ours = sparse_unit_rows(csr_array(self._rows), distance, who=who)
        found = sparse_nearest(sparse_unit_rows(csr_array(new), distance, who=who), ours, k)
        return Neighbours(*found, "sparse")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._kind != "data":
            raise InvalidParameter(
                f"metric of EmbeddingClustering must be a distance between rows, got {self.metric!r}. "
                f"Leiden takes matrices: Leiden(metric={self.metric!r})."
            )

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        return check_data(X, estimator=self, accept_sparse=self._compares_sparse, min_rows=2)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        linked = rows_with_direction(X, self.metric)
        rows: CheckedRows = X if len(linked) == X.shape[0] else X[linked]
        with track(self.progress, "embeddings: near rows", total=3).also(listener) as tracker:
            links = self._link(rows)
            tracker.report(1, stage="embeddings: communities")
            trees = self._trees(links, rows)
            tracker.report(2, stage="embeddings: layers")
            cut = self._cut(trees, links)
            tracker.report(3)
        n = X.shape[0]
        layers = np.full((n, len(cut.layers)), -1, dtype=np.int64)
        for place, layer in enumerate(cut.layers):
            layers[linked, place] = layer
        labels, strengths = np.full(n, -1, dtype=np.int64), np.zeros(n)
        labels[linked], strengths[linked] = cut.labels, share_within(links, cut.labels)
        graph = [
            links.indptr.astype(np.int64),
            links.indices.astype(np.int32),
            np.minimum(links.data, 1).astype(np.float32),
        ]
        return {
            "labels_": labels,
            "layers_": layers,
            "layer_persistence_": np.array(cut.layer_persistence),
            "persistence_": cut.persistence,
            "strengths_": strengths,
            "_rows": rows,
            "_linked": linked,
            "_graph": graph,
        }

    def quick_persistence(self, X: MatrixLike, distances: RowDistances | None = None) -> float:
        """Return about the `persistence_` of a fit, from one run of Leiden: sooner, less settled.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        distances : RowDistances, default=None
            Their distances, by the same metric, where somebody has asked for all of them before.
        """
        data = self._check_rows(X)
        linked = rows_with_direction(data, self.metric)
        if len(linked) < 2:
            return 0.0
        rows: CheckedRows = data[linked]
        if distances is None or distances.matrix is None or len(linked) < data.shape[0]:
            links = self._link(rows)
        else:
            near = distances.k_nearest(min(self.n_neighbors, len(linked) - 1))
            links = graph_weights(near, "fuzzy", resolve_threads(self.n_jobs))
        tree = _clearest(community_trees(links, rows, self.metric, check_seed(self.random_state), runs=1))
        sizes = tree.layers()
        return tree.persistence_of(sizes[0]) if sizes else 0.0

    def cuts(self, X: MatrixLike, n_clusters: Iterable[int]) -> Iterator[tuple[int, Labels]]:
        """Yield the labels for several values of `granularity` from one graph, as a fit with each would.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.
        n_clusters : iterable of int
            About how many clusters.
        """
        data = self._check_rows(X)
        linked = rows_with_direction(data, self.metric)
        rows: CheckedRows = data if len(linked) == data.shape[0] else data[linked]
        links = self._link(rows)
        trees = self._trees(links, rows)
        for wanted in n_clusters:
            told = copy(self)
            told.granularity = int(wanted)
            labels = np.full(data.shape[0], -1, dtype=np.int64)
            labels[linked] = told._cut(trees, links, with_layers=False).labels
            yield int(wanted), labels

    def _link(self, rows: CheckedRows) -> SparseData:
        n = rows.shape[0]
        if n < 2:
            return csr_array((n, n))
        k, recall = min(self.n_neighbors, n - 1), self.recall
        if issparse(rows):
            recall = 1.0 if recall is None else recall
        elif not is_codable(find_distance(self.metric)):
            recall = None
        return neighbour_graph(
            rows, k, self.metric, weights="fuzzy", recall=recall, n_jobs=self.n_jobs
        ).weights

    def _trees(self, links: SparseData, rows: CheckedRows) -> list[CommunityTree]:
        seed, threads = check_seed(self.random_state), resolve_threads(self.n_jobs)
        return community_trees(links, rows, self.metric, seed, threads)

    def _cut(self, trees: list[CommunityTree], links: SparseData, *, with_layers: bool = True) -> _Cut:
        if not trees:
            return _Cut(np.zeros(0, dtype=np.int64), [], [], 0.0)
        tree = _clearest(trees)
        found, least = tree.layers(), self.min_cluster_size
        sizes = sorted(found, reverse=True)
        if isinstance(self.granularity, str):
            chosen, source = self._chosen_size(found), tree
        else:  # so many clusters that are worth the name: crumbs go to their neighbours
            wanted = min(int(self.granularity), links.shape[0])
            source = tree if wanted <= tree.n_communities else trees[-1]
            least = max(least, int(CRUMBS * links.shape[0] / wanted))
            chosen = source.size_with(wanted, least)
        is_layer = source is tree and chosen in sizes and least == self.min_cluster_size
        layers = self._layers([tree.cut(size) for size in sizes], links) if with_layers or is_layer else []
        return _Cut(
            layers[sizes.index(chosen)] if is_layer else self._settle(source.cut(chosen), links, least),
            layers,
            [tree.persistence_of(size) for size in sizes],
            source.persistence_of(chosen) if chosen > 1 else 0.0,
        )

    def _chosen_size(self, sizes: list[int]) -> int:
        """Return how many clusters the layer that was asked for has; 1 where there is none."""
        if not sizes:
            return 1
        if self.granularity == "auto":
            return sizes[0]
        return max(sizes) if self.granularity == "finest" else min(sizes)

    def _layers(self, layers: list[Labels], links: SparseData) -> list[Labels]:
        """Return the layers settled, from fine to coarse; each lies within the next."""
        settled: list[Labels] = []
        for layer in reversed(layers):
            own = self._settle(layer, links, self.min_cluster_size)
            settled.append(nested_within(own, settled[-1], links) if settled else own)
        return settled[::-1]

    def _settle(self, labels: Labels, links: SparseData, least: int) -> Labels:
        """Return the labels with noise, or without any, numbered by size."""
        is_small = np.bincount(labels) < least
        labels = np.where(is_small[labels] & ~is_small.all(), -1, labels)
        labels = with_most_links(hand_on(labels, links), links)
        if self.noise == "keep":
            is_small = np.bincount(labels) < least
            labels[(share_within(links, labels) < 0.5) | (is_small[labels] & ~is_small.all())] = -1
        return numbered_by_size(labels)


def _clearest(trees: list[CommunityTree]) -> CommunityTree:
    """Return the tree of the coarsest communities, or of finer ones that last clearly longer."""
    tree = trees[0]
    for finer in trees[1:]:
        if finer.persistence.max() > CLEARLY_BETTER * tree.persistence.max():
            tree = finer
    return tree


class _Cut(NamedTuple):
    labels: Labels
    layers: list[Labels]
    layer_persistence: list[float]
    persistence: float


class _Hung(NamedTuple):
    """New rows, which of them have a direction, and of these the shares of links to noise and clusters."""

    n: int
    linked: Indices
    shares: FloatArray
    near: Neighbours | None


def rows_with_direction(X: CheckedRows, metric: MetricLike) -> Indices:
    """Return the rows that can be compared: with the cosine, those that are not all zeros.

    Examples
    --------
    >>> rows_with_direction(np.array([[1.0, 2.0], [0.0, 0.0]]), "cosine").tolist()
    [0]
    """
    if metric != "cosine":
        return np.arange(X.shape[0])
    if issparse(X):
        return np.flatnonzero(abs(X).max(axis=1).toarray().ravel() > 0)
    return np.flatnonzero(X.any(axis=1))
