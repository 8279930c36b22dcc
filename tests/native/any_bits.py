"""Every entry of the engine, called with rows and matrices of any bits.

``python any_bits.py NAME`` makes the calls of one group and prints each before it is made, so that what
crashes or does not end is named by the last line.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from coterie import _core

Finish, Kernel = _core.Finish, _core.Kernel
METRICS = {
    "euclidean": _core.Metric(Kernel.dot, Finish.norm),
    "squared": _core.Metric(Kernel.dot, Finish.squared_norm),
    "cosine": _core.Metric(Kernel.dot, Finish.cosine),
    "jaccard": _core.Metric(Kernel.dot, Finish.jaccard),
    "dice": _core.Metric(Kernel.dot, Finish.dice),
    "matching": _core.Metric(Kernel.dot, Finish.matching),
    "by difference": _core.Metric(Kernel.squared_difference, Finish.root),
    "manhattan": _core.Metric(Kernel.manhattan, Finish.identity),
    "chebyshev": _core.Metric(Kernel.chebyshev, Finish.identity),
    "minkowski": _core.Metric(Kernel.minkowski, Finish.power_root, 3.0),
    "canberra": _core.Metric(Kernel.canberra, Finish.identity),
    "braycurtis": _core.Metric(Kernel.braycurtis, Finish.identity),
    "hamming": _core.Metric(Kernel.hamming, Finish.mean),
}
TREE_METRICS = ("euclidean", "sqeuclidean", "manhattan", "chebyshev", "minkowski")
HUGE = float(np.finfo(np.float64).max)
VALUES = {
    "NaN": [np.nan],
    "infinite": [np.inf, -np.inf],
    "huge": [HUGE, -HUGE],
    "all": [np.nan, np.inf, -np.inf, HUGE, -HUGE, 1e200, -1e200, 5e-324, -0.0],
    "some NaN": [np.nan, *range(1, 12)],
    "some infinite": [np.inf, *range(1, 12)],
    "some huge": [HUGE, -HUGE, *range(1, 12)],
    "mixed": [np.nan, np.inf, -np.inf, HUGE, -HUGE, 1e200, 5e-324, *np.arange(-8.0, 9.0)],
}
N, SMALL, MANY = 70, 20, 3000
K = 4
Call = tuple[str, Callable[[], Any]]


def rows_of(kind: str, n: int, d: int, dtype: Any = np.float64, seed: int = 0) -> Any:
    """Return rows of numbers of a kind."""
    with np.errstate(over="ignore"):
        return np.random.default_rng(seed).choice(VALUES[kind], size=(n, d)).astype(dtype)


def matrix_of(kind: str, n: int, dtype: Any = np.float64) -> Any:
    """Return a symmetric matrix with zeros on the diagonal."""
    upper = np.triu(np.abs(rows_of(kind, n, n, dtype)), 1)
    return np.ascontiguousarray(upper + upper.T)


def weights_of(kind: str, n: int, dtype: Any = np.float64) -> Any:
    """Return weights of any bits."""
    return np.ascontiguousarray(rows_of(kind, n, 1, dtype, seed=1)[:, 0])


def row_sets() -> Iterator[tuple[str, Any]]:
    """Return rows of both types and of few and many columns."""
    for kind, d, dtype in product(VALUES, (2, 20), (np.float64, np.float32)):
        yield f"{kind}, {d} columns, {np.dtype(dtype).name}", rows_of(kind, N, d, dtype)


def groups_of(n: int) -> Any:
    """Return a group for each row."""
    return (np.arange(n) % K).astype(np.int32)


def tiles() -> Iterator[Call]:
    """All pairs of rows."""
    for (rows, X), (name, metric) in product(row_sets(), METRICS.items()):
        what, Y, groups = f"{name}, {rows}", X[:SMALL].copy(), groups_of(N)
        yield f"nearest: {what}", partial(_core.nearest, X, Y, metric)
        yield f"nearest_exact: {what}", partial(_core.nearest_exact, X, Y, metric)
        yield f"nearest_two: {what}", partial(_core.nearest_two, X, Y, metric)
        yield f"smallest: {what}", partial(_core.smallest, X, Y, metric, 5)
        for radius in (0.0, 1.0, np.inf, np.nan):
            yield f"below {radius}: {what}", partial(listed, X, Y, metric, radius)
        yield f"group_sums: {what}", partial(_core.group_sums, X, X, groups, K, metric)
        yield f"group_extremes: {what}", partial(_core.group_extremes, X, groups, X, groups, K, metric)
        yield f"pairwise: {what}", partial(_core.pairwise, X, Y, metric)
        yield f"pairwise_self: {what}", partial(_core.pairwise_self, X, metric)
        yield f"pairwise_condensed: {what}", partial(_core.pairwise_condensed, X, metric)
        yield f"silhouette: {what}", partial(_core.silhouette, X, groups, K, metric, True)
        weights = weights_of("mixed", N, X.dtype)
        yield f"silhouette by weight: {what}", partial(_core.silhouette, X, groups, K, metric, False, weights)


def listed(X: Any, Y: Any, metric: Any, radius: float) -> Any:
    """Count and list the pairs within a radius."""
    counts = _core.count_below(X, Y, metric, radius)
    return _core.list_below(X, Y, metric, radius, np.concatenate([[0], np.cumsum(counts)]))


def spanning() -> Iterator[Call]:
    """Spanning trees."""
    for (rows, X), (name, metric) in product(row_sets(), METRICS.items()):
        core = weights_of("mixed", N, X.dtype)
        for cores, alpha in ((None, 1.0), (core, 1.0), (None, np.inf)):
            given = "no cores" if cores is None else "cores"
            call = partial(_core.spanning_tree, X, metric, cores, alpha)
            yield f"spanning_tree: {name}, {rows}, {given}, alpha {alpha}", call
    for kind, dtype, n in product(VALUES, (np.float64, np.float32), (2, N)):
        D, core = matrix_of(kind, n, dtype), weights_of("mixed", n, dtype)
        yield f"spanning_tree_of_matrix: {kind}", partial(_core.spanning_tree_of_matrix, D)
        yield f"spanning_tree_of_matrix: {kind}, cores", partial(_core.spanning_tree_of_matrix, D, core, 0.5)
        if dtype is np.float64:
            yield f"grow_of_matrix: {kind}", partial(_core.grow_of_matrix, D, core, 1.0)
            yield f"optics_of_rows: {kind}", partial(_core.optics_of_rows, D.__getitem__, core, np.inf)
        edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
        lengths = weights_of(kind, n - 1)
        yield f"link_edges: {kind}", partial(_core.link_edges, edges, lengths)


def trees() -> Iterator[Call]:
    """Yield the kd-tree, which refuses rows that are not finite, and what walks it."""
    for kind, d, metric, dtype in product(VALUES, (2, 5), TREE_METRICS, (np.float64, np.float32)):
        what = f"{metric}, {kind}, {d} columns, {np.dtype(dtype).name}"
        yield f"KDTree: {what}", partial(_core.KDTree, rows_of(kind, N, d, dtype), metric, 3.0)
        for held in ("huge", "some huge"):
            with np.errstate(over="ignore"):
                X = np.clip(rows_of(held, N, d), np.finfo(dtype).min, np.finfo(dtype).max).astype(dtype)
            tree = _core.KDTree(X, metric, 3.0)
            asked, core = rows_of(kind, SMALL, d, dtype), weights_of(kind, N, dtype)
            yield f"query: {held}, {what}", partial(tree.query, asked, 5)
            yield f"query of many: {held}, {what}", partial(tree.query, asked, 69)
            bounds = weights_of(kind, SMALL, dtype)
            yield f"query within: {held}, {what}", partial(tree.query, asked, 5, upper_bound=bounds)
            yield f"query_self: {held}, {what}", partial(tree.query_self, 5)
            for radius in (0.0, 1.0, 1e308, np.inf, np.nan):
                yield f"radius {radius}: {held}, {what}", partial(tree.radius, asked, radius, "distance")
                yield f"radius_count {radius}: {held}, {what}", partial(tree.radius_count, asked, radius)
                weights = weights_of(kind, N)
                yield f"dbscan {radius}: {held}, {what}", partial(_core.dbscan, tree, radius, 3.0, weights)
                yield f"share_within {radius}: {held}, {what}", partial(_core.share_within, tree, radius)
            for cores in (None, core):
                given = "no cores" if cores is None else "cores"
                call = partial(_core.spanning_tree_of_tree, tree, cores)
                yield f"spanning_tree_of_tree: {held}, {what}, {given}", call
            if dtype is np.float64:
                yield (
                    f"optics_of_tree: {held}, {what}",
                    partial(_core.optics_of_tree, tree, 1.0, core, np.inf),
                )
                yield f"regrow: {held}, {what}", partial(regrown, tree, core)


def regrown(tree: Any, core: Any) -> None:
    """Grow a tree with core distances of its own, then with given ones, and decide its ties."""
    for cores in (None, core):
        (edges, distance), own, _ = _core.regrow_of_tree(tree, 3, 1.0, 1.0, core=cores)
        _core.grow_of_tree(tree, own, 1.0, edges, distance)


def linkage() -> Iterator[Call]:
    """Hierarchies."""
    rules = list(_core.LinkageRule)
    for kind, dtype, rule, n in product(VALUES, (np.float64, np.float32), rules, (2, N)):
        D = matrix_of(kind, n, dtype)
        yield f"link_matrix: {rule.name}, {kind}, {n} rows", partial(_core.link_matrix, D, rule)
        uneven = np.abs(rows_of(kind, n, n, dtype))
        yield f"link_matrix, not symmetric: {rule.name}, {kind}", partial(_core.link_matrix, uneven, rule)
        if dtype is np.float64:
            starts, columns = np.arange(n + 1, dtype=np.int64) * n, np.tile(np.arange(n, dtype=np.int32), n)
            graph = (D.ravel().copy(), columns, starts, rule, True, rows_of(kind, n, 3), n - 1)
            yield f"link_graph: {rule.name}, {kind}", partial(_core.link_graph, *graph)
    for (rows, X), rule in product(row_sets(), rules):
        yield f"link_rows: {rule.name}, {rows}", partial(_core.link_rows, X, rule)
        yield f"first_rounds: {rule.name}, {rows}", partial(_rounds, X, rule)


def _rounds(X: Any, rule: Any) -> Any:
    return _core.first_rounds(X, METRICS["by difference"], rule).link()


def medoids() -> Iterator[Call]:
    """K-medoids."""
    everything, starts = np.arange(N), np.arange(2 * K).reshape(2, K)
    options = [
        _core.SwapOptions(objective, rule, 50)
        for objective, rule in product(_core.MedoidObjective, _core.SwapRule)
    ]
    for kind, dtype, weighed in product(VALUES, (np.float64, np.float32), (None, *VALUES)):
        D, weights = matrix_of(kind, N, dtype), None if weighed is None else weights_of(weighed, N)
        yield f"build: {kind}, weights {weighed}", partial(_core.build_medoids, D, everything, weights, K)
        for option in options:
            call = partial(_core.swap_medoids, D, everything, weights, starts, option)
            yield f"swap: {kind}, weights {weighed}", call
    for (rows, X), (name, metric) in product(row_sets(), METRICS.items()):
        given = (X, X, metric, everything, None)
        yield f"build: {name}, {rows}", partial(_core.build_medoids, *given, K)
        for option in options:
            yield f"swap: {name}, {rows}", partial(_core.swap_medoids, *given, starts, option)


def kmeans() -> Iterator[Call]:
    """K-means: seeds, fits, labels, barycentres."""
    for kind, d, dtype, n in product(VALUES, (1, 2, 20), (np.float64, np.float32), (N, MANY)):
        X = rows_of(kind, n, d, dtype)
        what = f"{kind}, {n} x {d}, {np.dtype(dtype).name}"
        for weighed in (None, "mixed") if n == N else (None,):
            weights = None if weighed is None else np.abs(weights_of(weighed, n))
            for algorithm in _core.KMeansAlgorithm:
                options = _core.KMeansOptions(max_iter=10, algorithm=algorithm)
                call = partial(_core.kmeans_fit, X, X[:40].copy(), weights, options)
                yield f"fit {algorithm.name}: {what}, weights {weighed}", call
            yield f"seed: {what}, weights {weighed}", partial(_core.kmeans_seed, X, 30, weights, 4, 0)
            yield f"moments: {what}, weights {weighed}", partial(_core.column_moments, X, weights)
        if n != N:
            continue
        centres, labels = X[:K].copy(), groups_of(n)
        yield f"labels: {what}", partial(_core.kmeans_labels, X, centres, X[0].copy())
        yield f"step: {what}", partial(_core.kmeans_step, X, centres, np.ones(K))
        for center in _core.Barycentre:
            call = partial(_core.barycentres, X, labels, K, weights_of(kind, n), center, 3.0)
            yield f"barycentres {center.name}: {what}", call
            yield f"barycentres {center.name}: {what}", partial(_core.barycentres, X, labels, K, None, center)
        starts, columns = np.arange(n + 1, dtype=np.int64) * d, np.tile(np.arange(d, dtype=np.int32), n)
        sparse = (X.ravel().copy(), columns, starts, d)
        yield f"sparse seed: {what}", partial(_core.kmeans_seed_sparse, *sparse, 30, None, 4, 0)
        options = _core.KMeansOptions(max_iter=10)
        yield f"sparse fit: {what}", partial(_core.kmeans_fit_sparse, *sparse, centres, None, options)
        yield f"sparse nearest: {what}", partial(_core.sparse_nearest, *sparse[:3], centres)
        yield f"row_ranks: {what}", partial(_core.row_ranks, X)


def others() -> Iterator[Call]:
    """Mixtures, affinities, trees of features, dendrograms."""
    for kind, d, dtype in product(VALUES, (2, 20), (np.float64, np.float32)):
        X, what = rows_of(kind, N, d, dtype), f"{kind}, {d} columns, {np.dtype(dtype).name}"
        for held, branching in product((None, "mixed"), (2, 50)):
            weights = None if held is None else weights_of(held, N)
            yield f"CFTree: {what}, weights {held}", partial(_grow_features, X, weights, branching)
        for shape, size in (("spherical", K), ("diag", K * d), ("full", K * d * d), ("tied", d * d)):
            for parameters in ("some NaN", kind):
                yield f"mixture {shape}: {what}", partial(_mix, X, shape, size, parameters)
        for m, held in product((1.0 + 1e-12, 2.0, 3.3), (None, "mixed")):
            yield f"fuzzy: {what}, m = {m}, weights {held}", partial(_share, X, kind, m, held)
        yield f"affinity: {what}", partial(_core.affinity_product, X, X, X, 1.0)
        yield f"matrix_facts: {kind}", partial(_core.matrix_facts, matrix_of(kind, N, dtype))
        starts = np.arange(0, 2 * N - 1, 2)

        children = np.ascontiguousarray(_chain(N))
        tree = (starts, children, N)
        if dtype is np.float64:
            call = partial(_core.tree_optimal_order, *tree, matrix_of(kind, N))
            yield f"optimal order: {kind}", call
            heights = weights_of(kind, N - 1)
            yield f"cut_below: {kind}", partial(_cut, heights)
        yield f"scatter curve: {what}", partial(_core.tree_scatter_curve, *tree, X)
        yield f"silhouette curve: {what}", partial(_core.tree_silhouette_curve, *tree, X, 10**6)
        clusters = (np.arange(N) % K).astype(np.int64)
        sums = np.ascontiguousarray(rows_of(kind, N, K))
        joins = np.array([[0, 1, 1], [2, 3, 1], [0, 2, 1]], dtype=np.int64)
        yield f"cut_silhouettes: {kind}", partial(_core.cut_silhouettes, sums, clusters, joins)


def _grow_features(X: Any, weights: Any, branching: int) -> None:
    tree = _core.CFTree(X.shape[1])
    tree.add(X, weights, 0.5, branching)
    tree.arrays()


def _mix(X: Any, shape: str, size: int, kind: str) -> None:
    d = X.shape[1]
    vectors = (weights_of(kind, K), rows_of(kind, K, d), weights_of(kind, size))
    mixture = _core.Mixture(shape, np.zeros(d), *vectors)
    for ask in (_core.mixture_sums, _core.mixture_labels, _core.mixture_shares):
        ask(X, mixture)


def _share(X: Any, kind: str, m: float, held: str | None) -> None:
    d = X.shape[1]
    model = (rows_of(kind, K, d), np.zeros(d), m)
    _core.fuzzy_sums(X, *model, None if held is None else weights_of(held, N))
    _core.fuzzy_rows(X, *model)


def _chain(n: int) -> Any:
    """Return the children of a tree that takes one row after the other."""
    pairs = np.array([[0, 1], *([merge + 1, n + merge - 1] for merge in range(1, n - 1))], dtype=np.int64)
    return pairs.ravel()


def _cut(heights: Any) -> None:
    n = len(heights) + 1
    edges = np.stack([np.arange(n - 1), np.arange(1, n)], axis=1)
    left, right, size = _core.merge_components(edges)
    _core.condense(left, right, heights, size, 3)
    _core.cut_below(left, right, heights, 1.0, 3)
    weights = np.abs(heights[:1].repeat(n))
    left, right, weight = _core.merge_components(edges, weights)
    _core.condense(left, right, heights, weight, 3, weights, weights)


GROUPS = {group.__name__: group for group in (tiles, spanning, trees, linkage, medoids, kmeans, others)}


def main() -> None:
    """Make the calls of one group; errors of the engine are answers."""
    for what, call in GROUPS[sys.argv[1]]():
        print(what, flush=True)
        try:
            call()
        except (ValueError, RuntimeError) as refusal:
            print("  refused:", refusal)


if __name__ == "__main__":
    main()
