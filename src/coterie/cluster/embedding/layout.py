"""Places for the nodes of a weighted graph in few columns: a map of neighbours."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array, issparse

from coterie import _core
from coterie._support.linear_algebra import symmetric_axes
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    Indices,
    MatrixLike,
    RandomState,
    SparseData,
)
from coterie._support.validation import Nothing, Seed, Whole, check_data, check_parameter, check_sparse
from coterie._support.validation.parameters import check_seed
from coterie.cluster.embedding.community_layers import THETA
from coterie.cluster.graph.communities import find_communities
from coterie.data.graphs import Graph
from coterie.errors import InvalidData

NARROW, WIDE = 4, 8  # columns that the engine moves at once
EPOCHS, EPOCHS_OF_FEW, FEW_NODES = 200, 500, 10_000
NEW_EPOCHS = 30  # for new nodes among placed ones
RATE, NEW_RATE = 1.0, 0.25
EXTENT = 10.0  # of the start, in each direction
WEIGHT_STEPS = 4096.0  # weights are rounded, so that the last bits of an exponential do not matter
START_STEPS = 1 << 16  # and so are starts
START_RESOLUTION, START_NODES = 64.0, 50.0  # of the communities that the start places, and nodes of one
FAINT_LINKS = 0.01  # between all communities, as a share of what chance gives
JITTER = 0.01  # of nodes about their community, as a share of the extent


def lay_out_graph(
    graph: SparseData,
    n_components: int = 2,
    *,
    start: MatrixLike | None = None,
    n_epochs: int | None = None,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return places for the nodes of a graph, such that linked nodes are near each other and others are not.

    The objective is UMAP's, with the kernel ``1 / (1 + d^2)``: links pull, other nodes push [mcinnes-2018].

    Parameters
    ----------
    graph : sparse matrix of shape (n, n)
        Symmetric weights from 0 to 1, those of `neighbour_graph` for example.
    n_components : int, default=2
        Columns of the places, 1 to 8.
    start : array-like of shape (n, n_components), default=None
        Where each node begins, in any unit; None: at the place of its community, and
        those by the slowest modes of diffusion along the links.
    n_epochs : int, default=None
        How often every node moves; None: 200, or 500 for fewer than 10,000 nodes.
    random_state : int, RandomState, Generator or None, default=0
        Which nodes push.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.

    Returns
    -------
    array of float32 of shape (n, n_components)

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.cluster import lay_out_graph
    >>> from coterie.distance import neighbour_graph
    >>> X = np.concatenate([np.zeros((30, 2)), np.full((30, 2), 9.0)])
    >>> X += np.random.default_rng(0).normal(size=X.shape)
    >>> places = lay_out_graph(neighbour_graph(X, 8).weights)
    >>> places.shape
    (60, 2)
    """
    who = "lay_out_graph"
    check_parameter(n_components, Whole(1, WIDE), name="n_components", who=who)
    check_parameter(n_epochs, Nothing() | Whole(0), name="n_epochs", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    links = _checked(graph)
    n = links.shape[0]
    n_components, seed = int(n_components), check_seed(random_state)
    if start is None:
        begin = community_start(links, n_components, seed)
    else:
        begin = check_data(start, who=who, name="start").astype(np.float64)
        if begin.shape != (n, n_components):
            raise InvalidData(f"start of {who} must have the shape {(n, n_components)}, got {begin.shape}.")
    epochs = (EPOCHS if n >= FEW_NODES else EPOCHS_OF_FEW) if n_epochs is None else int(n_epochs)
    places = _core.lay_out(
        links.indptr.astype(np.int64),
        links.indices.astype(np.int32),
        rounded_weights(links.data),
        _spread(begin),
        n_epochs=epochs,
        rate=RATE,
        seed=seed,
        n_threads=resolve_threads(n_jobs),
    )
    return np.ascontiguousarray(places[:, :n_components])


def place_new(
    index: Indices,
    weights: FloatArray,
    places: FloatArray,
    *,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
) -> FloatArray:
    """Return places for new nodes, from their links to placed ones, which stay where they are.

    Parameters
    ----------
    index : array of int of shape (m, k)
        The placed nodes that each new node is linked to.
    weights : array of shape (m, k)
        Weights of the links, from 0 to 1.
    places : array of shape (n, d)
        Where the placed nodes are: what `lay_out_graph` returned.
    random_state : int, RandomState, Generator or None, default=0
        Which nodes push.
    n_jobs : int, default=None
        Threads; the answer does not depend on it.
    """
    m, k = index.shape
    shares = weights / np.maximum(weights.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    begin = np.einsum("mk,mkd->md", shares, places[index].astype(np.float64))
    found = _core.lay_out_new(
        np.arange(m + 1, dtype=np.int64) * k,
        np.ascontiguousarray(index.ravel(), dtype=np.int32),
        rounded_weights(weights.ravel()),
        _padded(places),
        _padded(begin),
        n_epochs=NEW_EPOCHS,
        rate=NEW_RATE,
        seed=check_seed(random_state),
        n_threads=resolve_threads(n_jobs),
    )
    return np.ascontiguousarray(found[:, : places.shape[1]])


def community_start(links: AnyArray, n_components: int, seed: int) -> FloatArray:
    """Return each node at the place of its community, by the slowest modes of diffusion between those."""
    n = links.shape[0]
    graph = Graph(links, np.arange(n))
    found = find_communities(
        graph,
        resolution=min(START_RESOLUTION, max(1.0, n / START_NODES)),
        objective="modularity",
        theta=THETA,
        n_iterations=1,
        seed=seed,
    )
    label, k = found.labels, found.n_communities
    belongs = csr_array((np.ones(n), label, np.arange(n + 1)), shape=(n, k))
    between = (belongs.T @ links @ belongs).toarray()
    mass = between.sum(axis=1)
    mass[mass == 0] = 1.0  # a node without a link
    between += FAINT_LINKS * np.outer(mass, mass) / mass.sum()  # parts without a link
    root = np.sqrt(between.sum(axis=1))
    _, modes = symmetric_axes(between / np.outer(root, root))
    places = (modes / root[:, None])[:, ::-1][:, 1 : n_components + 1]
    places = np.pad(places, ((0, 0), (0, n_components - places.shape[1])))
    places /= np.maximum(np.abs(places).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
    return places[label] + np.random.default_rng(seed).normal(0.0, JITTER, (n, n_components))


def rounded_weights(weights: FloatArray) -> FloatArray:
    """Return weights in steps, as the engine takes them."""
    return (np.round(np.asarray(weights, dtype=np.float64) * WEIGHT_STEPS) / WEIGHT_STEPS).astype(np.float32)


def _checked(graph: SparseData) -> SparseData:
    if issparse(graph):
        graph = check_sparse(graph, who="lay_out_graph", name="graph")
    else:
        graph = check_data(graph, who="lay_out_graph", name="graph")
    links = csr_array(graph, copy=True)
    if links.shape[0] != links.shape[1]:
        raise InvalidData(f"graph of lay_out_graph must be square, got {links.shape}.")
    links.sum_duplicates()
    if links.nnz and not (links.data.min() >= 0 and links.data.max() <= 1):  # NaN too
        raise InvalidData("The weights of a graph that is laid out must be from 0 to 1.")
    gap = abs(links - links.T)
    if gap.nnz and gap.max() > 1e-6:
        raise InvalidData("The graph must be symmetric: the weight of (i, j) that of (j, i).")
    links.setdiag(0)
    links.eliminate_zeros()
    links.sort_indices()
    return links


def _spread(begin: FloatArray) -> FloatArray:
    centred = begin - begin.mean(axis=0) if len(begin) else begin
    most = float(np.abs(centred).max(initial=0.0))
    scaled = centred / most if most > 0 else centred
    return _padded(np.round(scaled * START_STEPS) / START_STEPS * EXTENT)


def _padded(places: FloatArray) -> FloatArray:
    width = NARROW if places.shape[1] <= NARROW else WIDE
    return np.pad(places, ((0, 0), (0, width - places.shape[1]))).astype(np.float32)
