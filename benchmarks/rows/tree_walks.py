"""What is done with a tree once it is there: its order, its heights, its cuts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import anything, close, mean_at_most
from benchmarks.data import overlapping_mixture
from benchmarks.problem import OURS, Answer, Contestant, Row


class Hierarchy(NamedTuple):
    """SciPy's matrix of a tree, the distances it was made of, a class for each leaf, and the rows."""

    Z: NDArray[Any]
    distances: NDArray[Any]
    classes: NDArray[Any]
    X: NDArray[Any] | None = None


def make_tree(n: int, method: str) -> Hierarchy:
    """Make the tree of a mixture of normal clusters."""
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    X = overlapping_mixture(n, 10, components=20, seed=62, dtype=np.float64)
    distances = pdist(X)
    return Hierarchy(linkage(distances, method), distances, np.arange(n) % 20)


def make_long_tree(n: int, n_classes: int) -> Hierarchy:
    """Make the single linkage of points on a line, whose classes are stretches of it a tenth noise."""
    rng = np.random.default_rng(63)
    gaps = rng.random(n - 1)
    by_first, by_last = np.arange(n), np.arange(n)  # the cluster that begins, or ends, at a place
    first, last = (
        np.arange(n),
        np.arange(n),
    )  # where the cluster that ends, or begins, at a place does otherwise
    Z = np.empty((n - 1, 4))
    for i, gap in enumerate(np.argsort(gaps).tolist()):
        begin, end = first[gap], last[gap + 1]
        Z[i] = by_last[gap], by_first[gap + 1], gaps[gap], end - begin + 1
        by_first[begin] = by_last[end] = n + i
        last[begin], first[end] = end, begin
    classes = np.arange(n) * n_classes // n
    return Hierarchy(Z, np.empty(0), np.where(rng.random(n) < 0.1, rng.integers(0, n_classes, n), classes))


def make_tree_of_rows(n: int, d: int, n_classes: int) -> Hierarchy:
    """Make the Ward tree of a mixture, ours: no peer takes part."""
    from coterie.tree import linkage

    X = overlapping_mixture(n, d, components=n_classes, seed=64, dtype=np.float64)
    return Hierarchy(linkage(X, "ward"), np.empty(0), np.arange(n) % n_classes, X)


def order_with_coterie(p: Hierarchy) -> Callable[[], Any]:
    from coterie.tree import Dendrogram

    return lambda: Dendrogram.from_linkage(p.Z).leaf_order(optimal=True, distances=p.distances)


def order_with_scipy(p: Hierarchy) -> Callable[[], Any]:
    from scipy.cluster.hierarchy import leaves_list, optimal_leaf_ordering

    return lambda: leaves_list(optimal_leaf_ordering(p.Z, p.distances))


def digest_order(p: Hierarchy, order: NDArray[Any]) -> Answer:
    """Keep the sum of the distances of adjacent leaves."""
    n = len(order)
    low, high = np.minimum(order[:-1], order[1:]).astype(np.int64), np.maximum(order[:-1], order[1:])
    return {"length": np.array([p.distances[low * (2 * n - low - 1) // 2 + high - low - 1].sum()])}


def heights_with_coterie(p: Hierarchy) -> Callable[[], Any]:
    from coterie.tree import Dendrogram

    return lambda: Dendrogram.from_linkage(p.Z).cophenetic()


def heights_with_scipy(p: Hierarchy) -> Callable[[], Any]:
    from scipy.cluster.hierarchy import cophenet

    return lambda: cophenet(p.Z)


def curve_with_coterie(p: Hierarchy) -> Callable[[], Any]:
    from coterie.evaluate import cut_curve
    from coterie.tree import Dendrogram

    return lambda: cut_curve(Dendrogram.from_linkage(p.Z), p.classes)["adjusted_rand_score"]


def curve_of_rows_with_coterie(p: Hierarchy) -> Callable[[], Any]:
    from coterie.evaluate import cut_curve
    from coterie.tree import Dendrogram

    return lambda: cut_curve(Dendrogram.from_linkage(p.Z), p.classes, p.X)["simplified_silhouette_score"][
        1:-1
    ]


def curve_with_scipy(p: Hierarchy) -> Callable[[], Any]:
    from scipy.cluster.hierarchy import cut_tree
    from sklearn.metrics import adjusted_rand_score

    def scores() -> NDArray[Any]:
        cuts = cut_tree(p.Z)
        return np.array([adjusted_rand_score(p.classes, cuts[:, -k]) for k in range(1, cuts.shape[1] + 1)])

    return scores


def digest_values(p: Hierarchy, values: NDArray[Any]) -> Answer:
    """Keep the values."""
    return {"value": np.asarray(values)}


ROWS = (
    Row(
        name="order",
        work="optimal leaf order of 2,000 leaves, Ward",
        make=partial(make_tree, 2000, "ward"),
        contestants=(Contestant(OURS, order_with_coterie), Contestant("scipy", order_with_scipy)),
        digest=digest_order,
        agree=mean_at_most("length", tolerance=1e-9),
        bar=20,
        aim=50,
    ),
    Row(
        name="cophenetic",
        work="cophenetic heights of 4,000 leaves, average",
        make=partial(make_tree, 4000, "average"),
        contestants=(Contestant(OURS, heights_with_coterie), Contestant("scipy", heights_with_scipy)),
        digest=digest_values,
        agree=close("value", tolerance=1e-12),
        bar=1,
        aim=3,
    ),
    Row(
        name="cut-curve",
        work="ARI of every cut (ours: ten measures) of 1,000 leaves, 20 classes",
        make=partial(make_tree, 1000, "average"),
        contestants=(Contestant(OURS, curve_with_coterie), Contestant("scipy, sklearn", curve_with_scipy)),
        digest=digest_values,
        agree=close("value", tolerance=1e-9),
        bar=100,
        aim=1000,
    ),
    Row(
        name="cut-curve-large",
        work="ten measures of every cut of 1e5 leaves, 100 classes",
        make=partial(make_long_tree, 100_000, 100),
        contestants=(Contestant(OURS, curve_with_coterie),),
        digest=digest_values,
        agree=anything,
        limit=2.0,
    ),
    Row(
        name="cut-curve-of-rows",
        work="twelve measures of every cut of 1e5 leaves, 100 classes, with the rows (x 3)",
        make=partial(make_tree_of_rows, 100_000, 3, 100),
        contestants=(Contestant(OURS, curve_of_rows_with_coterie),),
        digest=digest_values,
        agree=anything,
        limit=10.0,
        most_rounds=2,
    ),
)
