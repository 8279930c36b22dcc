"""Communities at several resolutions, the tree of their merges, and the cuts that last."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.threads import map_in_order
from coterie._support.typing import CheckedRows, FloatArray, Indices, Labels, MetricLike, SparseData
from coterie._support.validation.parameters import SEED_LIMIT
from coterie.cluster.graph.communities import by_size, find_labels
from coterie.data.graphs import Graph
from coterie.evaluate import adjusted_rand_score
from coterie.tree import linkage

COARSEST_BASE = 4.0  # resolutions of the communities that trees begin with: this one ...
BASE_STEP = 16.0  # ... and so many times it, while communities have enough rows
ROWS_OF_A_COMMUNITY = 15.0  # at the finest resolution, about
CHANCE = 1.0  # the tie of two communities with as many edges as chance gives
APART = 0.05  # ties below are no looser than this: what is apart, is apart
SMALL_SHARE = 0.02  # of the rows: ties of smaller clusters are judged by the share of their edges instead
LEAST_PERSISTENCE = 0.2  # below, the rows are one cluster
LAYER_STEP = 1.5  # a coarser layer has so many times fewer clusters
WEAKEST_LAYER = 0.5  # of the best layer's persistence
THETA, ITERATIONS = 0.01, 2
FINE_RUNS = 2  # of Leiden at the finest resolution
RUNS = 12  # of Leiden at the coarsest resolution, the most typical of which is kept
SEED_STEP = 1_000_003  # between the seeds of these runs: the runs of two seeds are not the same
ROWS_COMPARED = 10_000  # to tell which run is typical
AS_GOOD = 0.97  # of the largest persistence: numbers next to it that no sample tells from it
FEWEST_ROWS_AT_ONCE = 5_000  # below, a thread takes longer to begin than the rest of the work
MOST_ROWS_AT_ONCE = 500_000  # beyond, copies of the graph would take more memory than the time is worth
MOST_PARTS = 5_000  # of the graph without links between them, whose means are compared


@dataclass(frozen=True, eq=False)
class CommunityTree:
    """Communities of the rows, and how they merge."""

    base: Indices  # (n_rows,): community of each row at the start
    merges: Indices  # (n_communities - 1, 2): the two that each merge joins: communities, then earlier merges
    # (n_communities,): how well the clusters after each number of merges hold together, from 0 to 1
    persistence: FloatArray

    @property
    def n_communities(self) -> int:
        """Communities at the start."""
        return len(self.merges) + 1

    def cut(self, n_clusters: int) -> Labels:
        """Return the labels of the rows where so many clusters are left, the largest first."""
        k = self.n_communities
        top = np.arange(2 * k - 1)
        for merge in range(k - n_clusters - 1, -1, -1):
            top[self.merges[merge]] = top[k + merge]
        return by_size(top[self.base])

    def size_with(self, n_large: int, least: float) -> int:
        """Return the fewest clusters among which so many have at least so many rows, or nearly so many."""
        k = self.n_communities
        rows = np.concatenate([np.bincount(self.base, minlength=k), np.zeros(k - 1, dtype=np.int64)])
        for merge, (left, right) in enumerate(self.merges):
            rows[k + merge] = rows[left] + rows[right]
        is_large = (rows >= least).astype(np.int64)
        steps = is_large[k:] - is_large[self.merges[:, 0]] - is_large[self.merges[:, 1]]
        counts = is_large[:k].sum() + np.concatenate([[0], np.cumsum(steps)])
        gap = np.abs(counts - n_large)
        return k - int(np.flatnonzero(gap == gap.min())[-1])

    def layers(self) -> list[int]:
        """Return the numbers of clusters that last longer than those near them, the most lasting first."""
        values = self.persistence
        is_peak = np.ones(len(values), dtype=bool)
        is_peak[1:] &= values[1:] > values[:-1]
        is_peak[:-1] &= values[:-1] >= values[1:]
        is_peak &= values >= max(WEAKEST_LAYER * values.max(), LEAST_PERSISTENCE)
        is_peak[-1] = False  # all rows in one cluster say nothing
        kept: list[int] = []
        for place in sorted(np.flatnonzero(is_peak), key=lambda at: (-values[at], at)):
            n_clusters = self.n_communities - _finest_as_good(values, int(place))
            if all(max(n_clusters, other) >= LAYER_STEP * min(n_clusters, other) for other in kept):
                kept.append(n_clusters)
        return kept

    def persistence_of(self, n_clusters: int) -> float:
        """Return how well so many clusters hold together."""
        return float(self.persistence[self.n_communities - n_clusters])


def community_trees(
    weights: SparseData, rows: CheckedRows, metric: MetricLike, seed: int, threads: int = 1, runs: int = RUNS
) -> list[CommunityTree]:
    """Return a tree of merges for every resolution to begin with, from coarse to fine communities.

    Communities depend on the order in which Leiden visits the nodes. Those of the finest resolution are small
    and hardly do: they are the nodes of a small graph, in which the coarsest communities are found
    several times. The tree that agrees best with the others is kept, and the mean of their persistence.

    Parameters
    ----------
    weights : CSR array of shape (n, n)
        The graph.
    rows : array or CSR array of shape (n, d)
        What the nodes stand for: parts of the graph without a link between them merge by their means.
    metric : str, callable or Distance
        How far means are from each other.
    seed : int
        Of Leiden.
    threads : int, default=1
        Runs of Leiden at the same time.
    runs : int, default=12
        Of Leiden at the coarsest resolution; one takes less time and depends on the seed.
    """
    n = weights.shape[0]
    if not n:
        return []
    *coarser, finest = _resolutions(n)
    at_once = threads if FEWEST_ROWS_AT_ONCE <= n <= MOST_ROWS_AT_ONCE else 1
    seeds = [(seed + run * SEED_STEP) % SEED_LIMIT for run in range(runs)]
    whole = _Atoms(Graph(weights, np.arange(n)), weights, np.arange(n), rows, metric)
    if not coarser:
        return [_most_typical([whole.tree(finest, each) for each in seeds])]
    fine = map_in_order(lambda each: whole.tree(finest, each), seeds[:FINE_RUNS], at_once)
    atoms = [whole.merged(tree.base) for tree in fine]
    coarsest, *between = coarser
    tasks = [(at % len(atoms), coarsest, each) for at, each in enumerate(seeds)]
    tasks += [(0, resolution, seed) for resolution in between]
    found = map_in_order(lambda task: atoms[task[0]].tree(*task[1:]), tasks, at_once)
    return [_most_typical(found[:runs]), *found[runs:], fine[0]]


@dataclass(frozen=True, eq=False)
class _Atoms:
    """Rows that stay together, as the nodes of a graph.

    `links` counts the weight within an atom twice, once from each end; in `graph` it is a loop.
    """

    graph: Graph
    links: SparseData
    of_row: Indices
    rows: CheckedRows
    metric: MetricLike

    def merged(self, base: Indices) -> _Atoms:
        """Return communities as atoms."""
        links = _between(self.links, base)
        loops = links.copy()
        loops.setdiag(links.diagonal() / 2)
        graph = Graph(loops, np.arange(links.shape[0]))
        return _Atoms(graph, links, base[self.of_row], self.rows, self.metric)

    def tree(self, resolution: float, seed: int) -> CommunityTree:
        """Return the communities of the atoms, and how they merge."""
        found = find_labels(
            self.graph, resolution=resolution, theta=THETA, n_iterations=ITERATIONS, seed=seed
        )
        part = np.asarray(found, dtype=np.int64)
        base, between = part[self.of_row], _between(self.links, part)
        return _tree(base, between, self.rows, self.metric, resolution)


def _between(links: SparseData, part: Indices) -> SparseData:
    """Return the weights between parts; within, each counts from both ends."""
    n = len(part)
    belongs = csr_array((np.ones(n), part, np.arange(n + 1)), shape=(n, int(part.max()) + 1))
    return csr_array(belongs.T @ links @ belongs)


def _most_typical(trees: list[CommunityTree]) -> CommunityTree:
    """Return the tree whose most persistent clusters the others find too, with the persistence of all."""
    if len(trees) == 1:
        return trees[0]
    least = min(tree.n_communities for tree in trees)
    mean = np.mean([tree.persistence[-least:] for tree in trees], axis=0)
    n_clusters = least - _finest_as_good(mean, int(mean.argmax()))
    step = -(-len(trees[0].base) // ROWS_COMPARED)
    labelings = [tree.cut(n_clusters)[::step] for tree in trees]
    agreement = np.zeros(len(trees))
    for one, other in combinations(range(len(trees)), 2):
        agreement[[one, other]] += adjusted_rand_score(labelings[one], labelings[other])
    typical = trees[int(agreement.argmax())]
    persistence = typical.persistence.copy()
    persistence[-least:] = mean
    return replace(typical, persistence=persistence)


def _finest_as_good(persistence: FloatArray, place: int) -> int:
    """Return the place, or of those of a few clusters more that are nearly as good, the one of the most.

    Examples
    --------
    >>> _finest_as_good(np.array([0.4, 0.51, 0.5, 0.52, 0.4, 0.3, 0.3, 0.2, 0.0]), 3)
    1
    """
    most = int(np.ceil(LAYER_STEP * (len(persistence) - place))) - 1  # clusters of the same layer
    first = max(0, len(persistence) - most)
    return first + int(np.argmax(persistence[first:] >= AS_GOOD * persistence[place]))


def _resolutions(n_rows: int) -> Iterator[float]:
    resolution = COARSEST_BASE
    while resolution == COARSEST_BASE or resolution <= n_rows / ROWS_OF_A_COMMUNITY:
        yield resolution
        resolution *= BASE_STEP


def _tree(
    base: Indices, between: SparseData, rows: CheckedRows, metric: MetricLike, resolution: float
) -> CommunityTree:
    n, k = len(base), between.shape[0]
    masses = np.asarray(between.sum(axis=1)).ravel()
    masses[masses == 0] = np.finfo(np.float64).tiny  # a row without neighbours
    between.setdiag(0)
    between.eliminate_zeros()
    between.sort_indices()
    edges, ties = _core.merge_by_ties(
        between.indptr.astype(np.int64),
        between.indices.astype(np.int32),
        between.data.astype(np.float64),
        masses,
    )
    n_parts = int((ties == 0).sum()) + 1
    if 2 < n_parts <= MOST_PARTS:
        edges[k - n_parts :] = _edges_of_parts(edges[: k - n_parts], base, rows, metric)
    left, right, _ = _core.merge_components(edges)
    merges = np.column_stack([left, right]).astype(np.int64).reshape(-1, 2)
    sizes = np.bincount(base, minlength=k).astype(np.float64)
    return CommunityTree(base, merges, _persistence(merges, ties, sizes / n, resolution))


def _edges_of_parts(edges: Indices, base: Indices, rows: CheckedRows, metric: MetricLike) -> Indices:
    """Return the merges of parts that have no link between them: by average linkage of their means."""
    k = int(base.max()) + 1
    linked = csr_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(k, k))
    n_parts, part = connected_components(linked, directed=False)
    of_row = part[base]
    n = len(base)
    counts = np.bincount(of_row, minlength=n_parts)
    belongs = csr_array((1.0 / counts[of_row], of_row, np.arange(n + 1)), shape=(n, n_parts))
    means = belongs.T @ rows
    means = means.toarray() if issparse(means) else np.asarray(means)
    if metric == "cosine":  # a mean of nothing has no direction
        means[~means.any(axis=1)] = np.finfo(np.float32).tiny
    merges = linkage(means, "average", metric if metric == "cosine" else "euclidean")[:, :2].astype(np.int64)
    member = np.concatenate([np.unique(part, return_index=True)[1], np.zeros(len(merges), dtype=np.int64)])
    for at, (left, _) in enumerate(merges):
        member[n_parts + at] = member[left]
    return member[merges]


def _persistence(merges: Indices, ties: FloatArray, shares: FloatArray, resolution: float) -> FloatArray:
    """Return for every number of merges how well the clusters hold together, averaged over the rows.

    A cluster is made by a tie, and ends by a looser one. It holds together as long as that takes, on a
    logarithmic scale from chance to apart. Communities that Leiden has found at a resolution would be split
    at a higher one only.
    """
    k = len(shares)
    share = np.concatenate([shares, np.zeros(len(merges))])
    for merge, (left, right) in enumerate(merges):
        share[k + merge] = share[left] + share[right]
    smaller = np.minimum(share[merges[:, 0]], share[merges[:, 1]]) if k > 1 else np.zeros(0)
    judged = ties * np.minimum(1.0, smaller / SMALL_SHARE)
    made = np.concatenate([resolution * np.minimum(1.0, shares / 2 / SMALL_SHARE), judged])
    ended = np.full(2 * k - 1, CHANCE)
    ended[merges[:, 0]] = ended[merges[:, 1]] = judged
    with np.errstate(divide="ignore"):
        lasts = np.log(np.minimum(made, CHANCE)) - np.log(np.clip(ended, APART, CHANCE))
    lasts = share * np.maximum(lasts, 0.0) / np.log(CHANCE / APART)
    steps = lasts[k:] - lasts[merges[:, 0]] - lasts[merges[:, 1]]
    return np.asarray(np.clip(lasts[:k].sum() + np.concatenate([[0.0], np.cumsum(steps)]), 0.0, 1.0))
