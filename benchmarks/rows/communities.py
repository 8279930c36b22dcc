"""Communities of graphs: Leiden against igraph and leidenalg; quality is compared, time is measured."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict

Matrix = NDArray[Any]
LESS = 0.002  # modularity that ours may lack


class Problem(NamedTuple):
    """Edges of an undirected graph, each once."""

    n_nodes: int
    edges: Matrix


def near_vectors(n: int, n_neighbors: int = 15) -> Problem:
    """Make the graph of near neighbours of vectors like those of words: many groups, a falling spectrum."""
    from coterie.distance import k_nearest

    random = np.random.default_rng(21)
    spectrum = np.arange(1, 65) ** -0.5
    centres = random.normal(size=(400, 64)) * spectrum
    X = centres[random.integers(0, 400, n)] + 0.9 * random.normal(size=(n, 64)) * spectrum
    near = k_nearest(X.astype(np.float32), None, n_neighbors, "cosine").index
    return Problem(n, once(np.repeat(np.arange(n), n_neighbors), near.ravel(), n))


def planted(n: int, n_edges: int) -> Problem:
    """Make groups of about a hundred nodes; four of five edges lie within them."""
    random = np.random.default_rng(22)
    group = np.sort(random.integers(0, n // 100, n))
    sizes = np.bincount(group, minlength=n // 100)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    tails, heads = random.integers(0, n, n_edges), random.integers(0, n, n_edges)
    is_inner = random.random(n_edges) < 0.8
    own = group[tails[is_inner]]
    heads[is_inner] = starts[own] + (random.random(is_inner.sum()) * sizes[own]).astype(np.int64)
    return Problem(n, once(tails, heads, n))


def once(tails: Matrix, heads: Matrix, n: int) -> Matrix:
    """Return the different edges, without loops."""
    low, high = np.minimum(tails, heads).astype(np.int64), np.maximum(tails, heads).astype(np.int64)
    keys = np.unique(low[low != high] * n + high[low != high])
    return np.column_stack([keys // n, keys % n])


def by_coterie(p: Problem) -> Callable[[], Matrix]:
    from scipy.sparse import csr_array

    from coterie.cluster import leiden

    ends = np.concatenate([p.edges, p.edges[:, ::-1]])
    graph = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(p.n_nodes, p.n_nodes))
    return lambda: leiden(graph).labels


def worst_of_seeds(p: Problem) -> Callable[[], Matrix]:
    """Take the labels of the least modularity of four seeds: the bar is for every one."""
    from scipy.sparse import csr_array

    from coterie.cluster import leiden

    ends = np.concatenate([p.edges, p.edges[:, ::-1]])
    graph = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(p.n_nodes, p.n_nodes))

    def find() -> Matrix:
        found = [leiden(graph, random_state=seed) for seed in range(4)]
        return min(found, key=lambda each: each.modularity).labels

    return find


def by_igraph(p: Problem) -> Callable[[], Matrix]:
    import igraph

    graph = igraph.Graph(n=p.n_nodes, edges=p.edges)
    return lambda: np.array(graph.community_leiden("modularity", n_iterations=2).membership)


def by_leidenalg(p: Problem) -> Callable[[], Matrix]:
    import igraph
    import leidenalg

    graph = igraph.Graph(n=p.n_nodes, edges=p.edges)
    kind = leidenalg.ModularityVertexPartition
    return lambda: np.array(leidenalg.find_partition(graph, kind, seed=0).membership)


def digest(p: Problem, labels: Matrix) -> Answer:
    """Compare the modularity, by its definition."""
    degrees = np.bincount(p.edges.ravel(), minlength=p.n_nodes)
    shares = np.bincount(labels, degrees) / degrees.sum()
    inside = float((labels[p.edges[:, 0]] == labels[p.edges[:, 1]]).mean())
    return {"modularity": np.array(inside - float(shares @ shares))}


def as_good(ours: Answer, theirs: Answer) -> Verdict:
    """Require a modularity that is not below the peer's by more than a seed makes."""
    mine, other = float(ours["modularity"]), float(theirs["modularity"])
    return Verdict(mine >= other - LESS, f"modularity {mine:.4f}, theirs {other:.4f}")


PEERS = (Contestant("igraph", by_igraph), Contestant("leidenalg", by_leidenalg))
ROWS = [
    Row(
        name="vectors",
        work="Leiden, 1e5 nodes, 15 near neighbours of vectors",
        make=lambda: near_vectors(100_000),
        contestants=(Contestant(OURS, by_coterie), *PEERS),
        digest=digest,
        agree=as_good,
        bar=1.5,
        aim=3.0,
    ),
    Row(
        name="seeds",
        work="Leiden, 1e5 nodes, the worst of four seeds (four times the work)",
        make=lambda: near_vectors(100_000),
        contestants=(Contestant(OURS, worst_of_seeds), Contestant("igraph", by_igraph)),
        digest=digest,
        agree=as_good,
        most_rounds=1,
    ),
    Row(
        name="edges",
        work="Leiden, 1e6 nodes, 1e7 edges, planted groups",
        make=lambda: planted(1_000_000, 10_000_000),
        contestants=(Contestant(OURS, by_coterie), Contestant("igraph", by_igraph)),
        digest=digest,
        agree=as_good,
        bar=1.5,
        aim=3.0,
        limit=20.0,
        most_rounds=2,
    ),
]
