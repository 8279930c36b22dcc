"""Every method, measure and function under every distance, on finite rows whose distances may not be.

``python extreme_values.py PART`` prints each case before it runs, so that what crashes or does not end is
named by the last line, and "WRONG" after a case that gave no error of ours, but numbers that are not finite.
"""

import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from coterie.cluster import FeatureAgglomeration, find_method, methods, suggest_eps
from coterie.distance import (
    distances,
    geometries,
    k_nearest,
    nearest,
    neighbours_within,
    pairwise_distances,
    spanning_tree,
)
from coterie.errors import CoterieError
from coterie.evaluate import measures
from coterie.tree import METHODS, linkage

DISTANCES = {distance.name: distance for distance in distances()}

LARGEST = float(np.finfo(np.float64).max)
VALUES = {
    "largest": [LARGEST, -LARGEST],
    "huge": [1e308, -1e308],
    "large": [1e200, -1e200],
    "small": [1e-300, -1e-300],
    "smallest": [5e-324, -5e-324, 0.0],
    "largest and ordinary": [LARGEST, -LARGEST, 1.0, 2.0, -3.0],
    "large and ordinary": [1e200, 1.0, 2.0, -3.0],
    "small and ordinary": [1e-300, 5e-324, 1.0, 2.0, -3.0],
    "all": [LARGEST, -LARGEST, 1e200, 1e-300, 5e-324, 1.0, -2.0, 0.0],
    "ordinary": [1.0, 2.0, -3.0, -1.0],
}
N, D = 14, 3
LABELS = np.arange(N) % 3
INFINITE = {"reachability_", "core_distances_"}  # of OPTICS: rows that nothing reaches
Case = tuple[str, Callable[[], Any]]


def rows_of(kind: str) -> Any:
    """Return rows of numbers of a kind."""
    return np.random.default_rng(0).choice(VALUES[kind], size=(N, D))


def functions() -> Iterator[Case]:
    """Yield functions of rows and a distance."""
    for kind, metric in product(VALUES, DISTANCES):
        X, what = rows_of(kind), f"{metric}, {kind}"
        yield f"pairwise_distances: {what}", partial(pairwise_distances, X, metric=metric)
        yield (
            f"pairwise_distances, condensed: {what}",
            partial(pairwise_distances, X, metric=metric, condensed=True),
        )
        yield f"pairwise_distances, two sets: {what}", partial(pairwise_distances, X, -X[:5], metric=metric)
        for algorithm in ("tiles", "kd_tree"):
            options = {"metric": metric, "algorithm": algorithm}
            yield f"nearest {algorithm}: {what}", lambda X=X, o=options: nearest(X, -X[:5], **o).distance
            yield f"k_nearest {algorithm}: {what}", lambda X=X, o=options: k_nearest(X, None, 4, **o).distance
            yield (
                f"k_nearest {algorithm}, two sets: {what}",
                lambda X=X, o=options: k_nearest(X, -X[:5], 4, **o).distance,
            )
            yield (
                f"within {algorithm}: {what}",
                lambda X=X, o=options: neighbours_within(X, None, 1.0, **o).distance,
            )
            yield f"spanning_tree {algorithm}: {what}", lambda X=X, o=options: spanning_tree(X, **o).distance
        for method in METHODS:
            yield f"linkage {method}: {what}", partial(linkage, X, method, metric)


def fits() -> Iterator[Case]:
    """Yield methods that take a distance, a geometry, or neither."""
    for kind, method in product(VALUES, methods()):
        estimator = method.load()
        known = inspect.signature(estimator).parameters
        options = {"n_clusters": 3, "n_components": 3, "random_state": 0, "min_samples": 3}
        options = dict(method.settings) | {name: value for name, value in options.items() if name in known}
        if "metric" in known:
            metrics = [{"metric": name} for name in DISTANCES]
        elif "geometry" in known:
            metrics = [{"geometry": name} for name in geometries()]
        else:
            metrics = [{}]
        ways = [{}]
        if method.name == "kmedoids":
            ways = [{"method": way} for way in ("fasterpam", "fastermsc", "pam", "clara", "onebatch")]
        if method.name == "agglomerative":
            ways = [{"linkage": way} for way in ("average", "complete", "single")]
        if method.name == "hdbscan":
            ways = [{"algorithm": way} for way in ("auto", "brute")]
        for metric, way in product(metrics, ways):
            given = {**options, **metric, **way}
            what = f"{method.name}({', '.join(f'{k}={v!r}' for k, v in {**metric, **way}.items())})"
            yield f"{what}: {kind}", partial(fitted, partial(estimator, **given), rows_of(kind))
    for kind, metric in product(VALUES, DISTANCES):
        X = rows_of(kind)
        pooled = partial(FeatureAgglomeration, 2, metric=metric, linkage="average")
        yield f"FeatureAgglomeration: {metric}, {kind}", partial(fitted, pooled, X.T.copy())
        yield (
            f"suggest_eps: {metric}, {kind}",
            lambda X=X, metric=metric: suggest_eps(X, min_samples=3, metric=metric).eps,
        )


def fitted(make: Callable[[], Any], X: Any) -> list[Any]:
    """Fit, predict, and return the numbers of the model."""
    model = make().fit(X)
    if hasattr(model, "predict"):
        model.predict(X[:3])
    numbers = {name: value for name, value in vars(model).items() if name.endswith("_")}
    return [
        value
        for name, value in numbers.items()
        if name not in INFINITE and isinstance(value, float | np.ndarray | np.floating)
    ]


def scores() -> Iterator[Case]:
    """Yield internal measures."""
    for kind, measure in product(VALUES, measures("data")):
        takes_metric = "metric" in inspect.signature(measure.function).parameters
        for metric in DISTANCES if takes_metric else (None,):
            options = {} if metric is None else {"metric": metric}
            call = partial(scored, measure, rows_of(kind), options)
            yield f"{measure.name}: {metric}, {kind}", call


def scored(measure: Any, X: Any, options: dict[str, Any]) -> Any:
    """Return a score; infinite is a word of some measures, not a number is none."""
    value = measure.function(X, LABELS, **options)
    return 0.0 if np.isinf(value) and np.isinf([measure.low, measure.high]).any() else value


PARTS = {part.__name__: part for part in (functions, fits, scores)}


def is_finite(answer: Any) -> bool:
    """Return whether all numbers of an answer are finite."""
    parts = answer if isinstance(answer, list) else [answer]
    arrays = [np.asarray(part) for part in parts]
    return all(array.dtype.kind not in "fc" or bool(np.isfinite(array).all()) for array in arrays)


def main() -> None:
    """Run the cases of one part."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    find_method("kmeans")
    for what, case in PARTS[sys.argv[1]]():
        print(what, flush=True)
        try:
            answer = case()
        except CoterieError:
            continue
        except Exception as error:
            print(f"WRONG {type(error).__name__}: {error}", flush=True)
            continue
        if not is_finite(answer):
            print("WRONG: not finite", flush=True)


if __name__ == "__main__":
    main()
