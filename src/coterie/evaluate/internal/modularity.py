"""Modularity: how many more edges lie within clusters of a graph than its degrees would let expect."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from coterie._support.typing import AnyArray, SparseData, VectorLike
from coterie._support.validation import Flag, Nothing, Number, check_parameter
from coterie.data.graphs import Graph, read_graph
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.labelings import Noise


@measure(
    symbol="Q", group="graphs", needs="graph", low=-0.5, high=1, is_scale_free=True, reference="newman-2004"
)
def modularity(
    graph: SparseData,
    labels: VectorLike,
    *,
    resolution: float = 1.0,
    noise: Noise = "cluster",
    directed: bool | None = None,
) -> float:
    """Share of the edge weight within clusters, minus what the degrees alone let expect.

        Q = sum over clusters c of  W_c / W - resolution (D_c / 2W)^2,

    W the weight of all edges, W_c of those within c, D_c the degrees of c, in which loops count twice. Of a
    directed graph the square is (out_c / W) (in_c / W).

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n_samples, n_samples), edge list or graph object
        Weights of at least 0, symmetric unless directed; or as in `coterie.cluster.leiden`.
    labels : array-like of shape (n_samples,)
        Clusters of the vertices, of any kind of label.
    resolution : float, default=1.0
        Weight of the expectation: more favours smaller clusters.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with vertices labelled -1.
    directed : bool, default=None
        Whether edges have a direction. None: as a graph object says; matrices and edge lists have none.

    Returns
    -------
    modularity : float
        0 when the clusters hold no more than expected; at most 1, and at least -1/2 at resolution 1 without
        directions.

    Examples
    --------
    >>> two_pairs = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> modularity(two_pairs, [0, 0, 1, 1])
    0.5
    """
    who = "modularity"
    check_parameter(resolution, Number(0), name="resolution", who=who)
    check_parameter(directed, Nothing() | Flag(), name="directed", who=who)
    read = read_graph(graph, directed=directed, who=who)
    partition = read_partition(labels, noise)
    n_labels = partition.n_samples + partition.n_left_out
    if read.n_nodes != n_labels:
        raise InvalidData(
            f"graph of {who} must be a square matrix, or another graph, with a node for each of the "
            f"{n_labels} labels, got {read.n_nodes}."
        )
    if partition.rows is not None:
        kept = partition.rows
        read = Graph(read.weights[kept][:, kept], read.nodes[kept], read.is_directed)
    return _modularity(read, partition.codes, float(resolution))


def _modularity(graph: Graph, codes: AnyArray, resolution: float) -> float:
    """Return the modularity of a checked graph, whose nodes have codes 0..k-1."""
    weights = csr_array(graph.weights, dtype=np.float64)
    power = -int(np.frexp(weights.data.max(initial=0.0))[1])  # of about 1, so that no sum overflows
    values = np.ldexp(weights.data, power)
    rows = np.repeat(np.arange(graph.n_nodes), np.diff(weights.indptr))
    out = np.bincount(rows, values, graph.n_nodes)
    into = np.bincount(weights.indices, values, graph.n_nodes)
    within = float(values[codes[rows] == codes[weights.indices]].sum())
    if not graph.is_directed:
        loops = np.ldexp(weights.diagonal(), power)
        out, within = out + loops, within + float(loops.sum())
        into = out
    total = float(out.sum())
    if total == 0:
        return 0.0
    shares = np.bincount(codes, out) / total @ (np.bincount(codes, into) / total)
    return within / total - resolution * float(shares)
