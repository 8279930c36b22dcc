"""Random graphs with the degrees of a given one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array, issparse

from coterie.errors import InvalidData

ROUNDS = 20  # each proposes one exchange per pair of edges; the literature asks for some ten per edge

Vertices: TypeAlias = npt.NDArray[np.int64]


def fit_configuration(graph: Any) -> Callable[[np.random.Generator], Any]:
    """Return a sampler of graphs in which every vertex has the degree it has here.

    Edges exchange their ends at random, never making a loop or a double edge; the weights are permuted
    among the edges. The result is of the kind of the given graph, dense or sparse.

    Examples
    --------
    >>> ring = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
    >>> drawn = fit_configuration(ring)(np.random.default_rng(0))
    >>> drawn.sum(axis=0)
    array([2., 2., 2., 2., 2., 2.])
    """
    sparse = csr_array(graph)
    n = sparse.shape[0]
    if sparse.shape[0] != sparse.shape[1] or (abs(sparse - sparse.T) > 0).nnz or (sparse.data < 0).any():
        raise InvalidData(
            f'null="configuration" needs a graph: a symmetric square matrix of weights of at least 0, got '
            f"shape {sparse.shape}."
        )
    edges = coo_array(sparse)
    above = (edges.row < edges.col) & (edges.data != 0)
    tails, heads = edges.row[above].astype(np.int64), edges.col[above].astype(np.int64)
    weights, diagonal = edges.data[above], sparse.diagonal()

    def draw(rng: np.random.Generator) -> Any:
        first, second = tails.copy(), heads.copy()
        for _ in range(ROUNDS):
            _exchange(first, second, n, rng)
        dealt, own = rng.permutation(weights), np.arange(n)
        places = np.concatenate([first, second, own]), np.concatenate([second, first, own])
        rows, columns = (each.astype(np.int32) for each in places)  # scikit-learn takes no wider ones
        made = csr_array((np.concatenate([dealt, dealt, diagonal]), (rows, columns)), shape=(n, n))
        made.eliminate_zeros()
        return made if issparse(graph) else made.toarray()

    return draw


def _exchange(first: Vertices, second: Vertices, n: int, rng: np.random.Generator) -> None:
    """Let random pairs of edges exchange ends, where that leaves a simple graph; in place."""
    n_pairs = first.size // 2
    order = rng.permutation(first.size)
    one, other = order[:n_pairs], order[n_pairs : 2 * n_pairs]
    turned = rng.random(n_pairs) < 0.5  # edges have no direction: both ways to exchange are possible
    c = np.where(turned, second[other], first[other])
    d = np.where(turned, first[other], second[other])
    a, b = first[one], second[one]
    is_loop = (a == d) | (c == b)
    keys_one, keys_other = _keys(a, d, n), _keys(c, b, n)
    present = _keys(first, second, n)
    taken = np.isin(keys_one, present) | np.isin(keys_other, present)
    proposed = np.concatenate([keys_one, keys_other])
    _, place, times = np.unique(proposed, return_inverse=True, return_counts=True)
    is_double = (times[place] > 1).reshape(2, -1).any(axis=0)
    fine = ~(is_loop | taken | is_double)
    first[one[fine]], second[one[fine]] = a[fine], d[fine]
    first[other[fine]], second[other[fine]] = c[fine], b[fine]


def _keys(first: Vertices, second: Vertices, n: int) -> Vertices:
    return np.minimum(first, second) * n + np.maximum(first, second)
