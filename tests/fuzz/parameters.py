"""Random parameters of an estimator, within and outside of what it declares."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.validation import parameters as declared
from coterie.distance import distances, geometries
from tests.fuzz.case import Draw
from tests.fuzz.values import draw_wild

DISTANCES = [distance.name for distance in distances()]

# counts of work: large ones are slow by right
COUNTS_OF_WORK = frozenset(
    {
        "n_init",
        "max_iter",
        "n_epochs",
        "n_resamples",
        "n_subsamples",
        "n_draws",
        "n_jobs",
        "verbose",
        "n_probes",
        "n_rows",
        "n_columns",
    }
)
MOST_WORK = 100
HUGE = (2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**30)
LEFT_ALONE = frozenset({"progress", "memory", "checkpoint", "verbose"})


def draw_parameters(draw: Draw, kind: type, n: int, d: int, *, wild: float = 0.12) -> dict[str, Any]:
    """Return values for some of a class's parameters."""
    names = [name for name in inspect.signature(kind).parameters if name not in LEFT_ALONE]
    chosen = draw.some(names, 5)
    for usual in ("n_clusters", "n_components", "metric"):
        if usual in names and usual not in chosen and draw.chance(0.6):
            chosen.append(usual)
    constraints = getattr(kind, "_constraints", {})
    values = {
        name: draw_wild(draw)
        if draw.chance(wild)
        else draw_parameter(draw, name, constraints.get(name), n, d)
        for name in chosen
    }
    values = {name: value for name, value in values.items() if value is not NOT_SET}
    for name in COUNTS_OF_WORK & values.keys():
        if isinstance(values[name], int | float) and values[name] > MOST_WORK:
            values[name] = -1
    if "random_state" in names:
        values["random_state"] = draw.seed()
    return values


NOT_SET = object()


def draw_parameter(draw: Draw, name: str, constraint: Any, n: int, d: int) -> Any:
    """Return a value that the parameter may well take."""
    if name in BY_NAME:
        return BY_NAME[name](draw, n, d)
    if isinstance(constraint, declared.AnyOf):
        return draw_parameter(draw, name, draw.choice(constraint.options), n, d)
    if isinstance(constraint, declared.Whole):
        return _whole(draw, name, constraint, n)
    if isinstance(constraint, declared.Number):
        return _number(draw, constraint)
    if isinstance(constraint, declared.Choice):
        return draw.choice(constraint.names())
    if isinstance(constraint, declared.Flag):
        return draw.chance(0.5)
    if isinstance(constraint, declared.Nothing):
        return None
    if isinstance(constraint, declared.AnArray):
        return draw_array(draw, n, d)
    if isinstance(constraint, declared.Function):
        return NOT_SET
    return NOT_SET


def draw_array(draw: Draw, n: int, d: int) -> Any:
    """Return an array that may fit as start, as pairs or as a matrix."""
    k = draw.whole(1, 4)
    shape = (k, d) if draw.chance(0.7) else draw.choice([(n, n), (d, d), (k,), (n,), (0, d), (k, d + 1)])
    array = draw.random.normal(size=shape)
    if draw.chance(0.2) and array.size:
        array.flat[0] = draw.choice([np.nan, np.inf, 1e300])
    if draw.chance(0.15):
        return array.tolist()
    return array.astype(draw.choice([np.float64, np.float32, np.int64]))


def _whole(draw: Draw, name: str, constraint: Any, n: int) -> Any:
    least = 0 if constraint.least is None else constraint.least
    if name not in COUNTS_OF_WORK and draw.chance(0.08):
        value = draw.choice([*HUGE, n + 1, n, 1000])
    else:
        value = least + draw.choice([0, 0, 1, 1, 2, 2, 3, 4, 7, 12])
    if constraint.greatest is not None:
        value = min(value, constraint.greatest)
    return draw.choice([int, int, int, np.int64, np.int32])(value) if value < 2**31 else value


def _number(draw: Draw, constraint: Any) -> Any:
    low = 0.0 if constraint.least is None else float(constraint.least)
    value = low + draw.choice(
        [0.0, 1e-300, 1e-8, 1e-3, 0.05, 0.3, 0.5, 1.0, 2.0, 3.0, 10.0, 1e6, 1e150, 1e308]
    )
    if constraint.greatest is not None:
        value = min(value, float(constraint.greatest))
    return draw.choice([float, float, np.float64, np.float32])(value) if abs(value) < 1e30 else value


def _metric(draw: Draw, n: int, d: int) -> Any:
    usual = ["euclidean", "euclidean", "precomputed", "similarity", "l1", "l2", "cityblock", row_distance]
    others = ["euclidian", bad_distance, "mahalanobis"]
    return draw.choice([*DISTANCES, *DISTANCES, *usual, draw.choice(others)])


def row_distance(a: Any, b: Any) -> float:
    """Return the distance of two rows, as a user might write it."""
    with np.errstate(over="ignore"):  # the warning would be the user's own
        return float(np.abs(np.asarray(a) - np.asarray(b)).sum())


def bad_distance(a: Any, b: Any) -> float:
    """Return what is not a distance."""
    return float("nan")


def _metric_params(draw: Draw, n: int, d: int) -> Any:
    if draw.chance(0.7):
        return draw.choice([None, {}])
    told = ({"p": 3}, {"p": 0.5}, {"p": np.inf}, {"p": 1e300}, {"p": "x"}, {"q": 3}, {3: 4})
    arrays = (
        {"V": np.ones(d)},
        {"V": np.zeros(d)},
        {"VI": np.eye(d)},
        {"VI": np.zeros((d, d))},
        {"w": np.ones(d)},
    )
    places = ({"units": "degrees"}, {"distances": "km"}, {"distances": draw.choice([0.5, 0, -1, "parsec"])})
    return draw.choice([*told, *arrays, *places])


def _geometry(draw: Draw, n: int, d: int) -> Any:
    return draw.choice([*geometries(), *DISTANCES, "euclidian"])


def _pairs(draw: Draw, n: int, d: int) -> Any:
    pairs = draw.random.integers(0, max(1, n), size=(draw.whole(0, 4), 2))
    wrong = [pairs - 1, pairs + n, pairs.astype(float), pairs.reshape(-1), np.array([[0, 2**62]])]
    return draw.choice([None, None, pairs, pairs, pairs.tolist(), draw.choice(wrong)])


def _connectivity(draw: Draw, n: int, d: int) -> Any:
    graph = sparse.random(n, n, 0.3, random_state=draw.seed()).tocsr()
    dense = graph.toarray()
    return draw.choice(
        [None, graph, graph.tocoo(), graph + graph.T, dense, np.eye(n), np.ones((n, n)), dense[:-1]]
    )


def _estimator(draw: Draw, n: int, d: int) -> Any:
    from coterie.cluster import DBSCAN, AgglomerativeClustering, KMeans

    return draw.choice(
        [None, KMeans(2, random_state=0), AgglomerativeClustering(2), DBSCAN(1.0), KMeans, "kmeans"]
    )


def _cluster_count(draw: Draw, n: int, d: int) -> Any:
    return min(draw.choice([1, 2, 2, 2, 3, 3, 4, 5, 8, n - 1, n]), max(1, n))


def _threads(draw: Draw, n: int, d: int) -> Any:
    return draw.choice([None, 1, 2, 3, -1, -2, 16])


def _share_or_count(draw: Draw, n: int, d: int) -> Any:
    return draw.choice(
        [2, 2, 3, 3, 5, 10, max(2, n), n + 1] + ([0.1, 0.5, 1.0, 1, 0.0, 1e-9] if draw.chance(0.3) else [])
    )


def _kernel_params(draw: Draw, n: int, d: int) -> Any:
    return draw.choice([None, {}, {"gamma": 2.0}, {"nothing": 1}])


def _pooling(draw: Draw, n: int, d: int) -> Any:
    return draw.choice([np.mean, np.median, np.max])


def _radius(draw: Draw, n: int, d: int) -> Any:
    return draw.choice(["auto", 0.1, 0.5, 1.0, 2.0, 10.0, 1e-300, 1e308, np.float32(0.7), None])


def _start(draw: Draw, n: int, d: int) -> Any:
    names = ["k-means++", "random", "random partition", "build", "lab", "k-medoids++"]
    return draw.choice([*names[:3], *names[:3], *names, draw_array(draw, n, d)])


BY_NAME = {
    "init": _start,
    "metric": _metric,
    "metric_params": _metric_params,
    "geometry": _geometry,
    "must_link": _pairs,
    "cannot_link": _pairs,
    "connectivity": _connectivity,
    "estimator": _estimator,
    "n_clusters": _cluster_count,
    "n_components": _cluster_count,
    "n_jobs": _threads,
    "min_samples": _share_or_count,
    "min_cluster_size": _share_or_count,
    "kernel_params": _kernel_params,
    "pooling_func": _pooling,
    "eps": _radius,
    "max_eps": lambda draw, n, d: draw.choice([np.inf, 0.5, 1.0, 5.0, 1e-300]),
    "linkage": lambda draw, n, d: draw.choice(
        ["ward", "ward", "single", "complete", "average", "weighted", "centroid", "median", "minimax"]
    ),
    "method": lambda draw, n, d: draw.choice(
        [
            "auto",
            "auto",
            "fasterpam",
            "pam",
            "fastermsc",
            "clara",
            "onebatch",
            "exact",
            "nystroem",
            "zca",
            "pca",
        ]
    ),
    "p": lambda draw, n, d: draw.choice([None, 0.5, 1, 2, 3, 1e300, 0]),
    "radius_scale": lambda draw, n, d: draw.choice([1.0, 2.0, 0.0, -1.0, 1e308]),
    "origin": lambda draw, n, d: draw.choice([None, np.zeros(d), np.ones(d + 1), [0.0] * d]),
}
