"""Modularity: how many more edges lie within clusters of a graph than its degrees would let expect."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from coterie._support.typing import MatrixLike, VectorLike
from coterie._support.validation import Number, check_data, check_parameter
from coterie.errors import InvalidData
from coterie.evaluate.catalogue import measure
from coterie.evaluate.internal.partitions import read_partition
from coterie.evaluate.labelings import Noise


@measure(
    symbol="Q", group="graphs", needs="graph", low=-0.5, high=1, is_scale_free=True, reference="newman-2004"
)
def modularity(
    graph: MatrixLike, labels: VectorLike, *, resolution: float = 1.0, noise: Noise = "cluster"
) -> float:
    """Share of the edge weight within clusters, minus what the degrees alone let expect.

        Q = sum over clusters c of  W_c / W - resolution (D_c / W)^2,

    W the sum of the matrix, W_c its part within c, D_c the sum of the rows of c.

    Parameters
    ----------
    graph : array-like or sparse matrix of shape (n_samples, n_samples)
        Symmetric weights of at least 0.
    labels : array-like of shape (n_samples,)
        Clusters of the vertices, of any kind of label.
    resolution : float, default=1.0
        Weight of the expectation: more favours smaller clusters.
    noise : {"cluster", "exclude", "singletons"}, default="cluster"
        What to do with vertices labelled -1.

    Returns
    -------
    modularity : float
        0 when the clusters hold no more than expected; at most 1, and at least -1/2 at resolution 1.

    Examples
    --------
    >>> two_pairs = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> modularity(two_pairs, [0, 0, 1, 1])
    0.5
    """
    who = "modularity"
    check_parameter(resolution, Number(0), name="resolution", who=who)
    weights = csr_array(
        check_data(graph, who=who, name="graph", accept_sparse=True, squares=False, may_be_distances=True)
    )
    partition = read_partition(labels, noise)
    n_labels = partition.n_samples + partition.n_left_out
    if weights.shape != (n_labels, n_labels):
        raise InvalidData(
            f"graph of {who} must be a square matrix with a row for each of the {n_labels} labels, got shape "
            f"{weights.shape}."
        )
    if (weights.data < 0).any() or (abs(weights - weights.T) > 0).nnz:
        raise InvalidData(f"graph of {who} must be symmetric with weights of at least 0.")
    if partition.rows is not None:
        weights = weights[partition.rows][:, partition.rows]
    largest = weights.data.max(initial=0.0)
    weights.data = np.ldexp(weights.data, -np.frexp(largest)[1])  # of about 1, so that no sum overflows
    total = float(weights.sum())
    if total == 0:
        return 0.0
    belongs = partition.indicator()
    within = float((belongs.T @ weights @ belongs).diagonal().sum())
    degrees = np.asarray(belongs.T @ weights.sum(axis=1)) / total
    return within / total - resolution * float(degrees @ degrees)
