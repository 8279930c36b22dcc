"""Toy sets in the plane, and several methods run on each: what `coterie.show.plots.method_grid` draws."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from coterie._support.typing import Data, FloatArray, Labels, Model
from coterie._support.validation import Seed, Whole, check_parameter

ToyMethod = Callable[[Data, int], Model]  # rows and how many groups -> an estimator


@dataclass(frozen=True, eq=False)
class ToySet:
    """Rows in the plane, and how many groups a person sees in them."""

    name: str
    X: Data
    k: int


@dataclass(frozen=True, eq=False)
class GridCell:
    """What one method found on one set, and the seconds that it took."""

    labels: Labels
    seconds: float


@dataclass(frozen=True, eq=False)
class MethodGrid:
    """Methods run on toy sets.

    Examples
    --------
    >>> grid = run_grid(toy_sets(60), methods=("kmeans", "single"))
    >>> grid
    MethodGrid: 6 sets, kmeans and single
    """

    sets: tuple[ToySet, ...]  # the data
    methods: tuple[str, ...]  # names of the methods
    cells: dict[tuple[str, str], GridCell]  # labels and seconds

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the seconds of each method on each set."""
        return {
            one.name: {name: self.cells[one.name, name].seconds for name in self.methods} for one in self.sets
        }

    def __repr__(self) -> str:
        *first, last = self.methods
        names = f"{', '.join(first)} and {last}" if first else last
        return f"MethodGrid: {len(self.sets)} sets, {names}"


def toy_sets(n: int = 500, *, random_state: int = 0) -> tuple[ToySet, ...]:
    """Return six sets of n rows: rings, moons, varied blobs, stretched blobs, blobs, and no groups at all.

    Examples
    --------
    >>> [one.name for one in toy_sets(20)]
    ['rings', 'moons', 'varied', 'stretched', 'blobs', 'no groups']
    """
    check_parameter(n, Whole(6), name="n", who="toy_sets")
    check_parameter(random_state, Seed(), name="random_state", who="toy_sets")
    from sklearn.datasets import make_blobs, make_circles, make_moons

    rings, _ = make_circles(n, factor=0.5, noise=0.05, random_state=random_state)
    moons, _ = make_moons(n, noise=0.05, random_state=random_state)
    varied, _ = make_blobs(n, cluster_std=[1.0, 2.5, 0.5], random_state=170 + random_state)
    blobs, _ = make_blobs(n, random_state=8 + random_state)
    stretched, _ = make_blobs(n, random_state=170 + random_state)
    stretched = stretched @ np.array([[0.6, -0.6], [-0.4, 0.8]])
    uniform = np.random.default_rng(random_state).uniform(size=(n, 2))
    named = {"rings": (rings, 2), "moons": (moons, 2), "varied": (varied, 3), "stretched": (stretched, 3)}
    named |= {"blobs": (blobs, 3), "no groups": (uniform, 3)}
    return tuple(ToySet(name, _standard(X), k) for name, (X, k) in named.items())


def _standard(X: FloatArray) -> FloatArray:
    scaled: FloatArray = (X - X.mean(axis=0)) / X.std(axis=0)
    return scaled


def _agglomerative(linkage: str) -> ToyMethod:
    from coterie.cluster import AgglomerativeClustering

    return lambda X, k: AgglomerativeClustering(n_clusters=k, linkage=linkage)


def toy_methods() -> dict[str, ToyMethod]:
    """Return the methods of the grid of toy sets by name: functions of rows and number of groups.

    Examples
    --------
    >>> list(toy_methods())
    ['single', 'average', 'complete', 'ward', 'kmeans', 'mixture', 'spectral', 'dbscan', 'hdbscan']
    """
    from coterie.cluster import DBSCAN, HDBSCAN, GaussianMixture, KMeans, SpectralClustering

    return {
        **{name: _agglomerative(name) for name in ("single", "average", "complete", "ward")},
        "kmeans": lambda X, k: KMeans(k, random_state=0),
        "mixture": lambda X, k: GaussianMixture(k, random_state=0),
        "spectral": lambda X, k: SpectralClustering(k, affinity="nearest_neighbors", random_state=0),
        "dbscan": lambda X, k: DBSCAN(eps=0.3),
        "hdbscan": lambda X, k: HDBSCAN(min_cluster_size=max(5, len(X) // 30)),
    }


def run_grid(
    sets: tuple[ToySet, ...], *, methods: tuple[str, ...] | Mapping[str, ToyMethod] | None = None
) -> MethodGrid:
    """Run methods on sets, each told how many groups there are where it can be told.

    `methods` are names of `toy_methods`, or functions of rows and number of groups that return an estimator.

    Examples
    --------
    >>> run_grid(toy_sets(40)[:2], methods=("ward",)).cells["moons", "ward"].labels.shape
    (40,)
    """
    known = toy_methods()
    if not isinstance(methods, Mapping):
        names = tuple(known) if methods is None else tuple(methods)
        unknown = [name for name in names if name not in known]
        if unknown:
            from coterie._support.validation import unknown_name

            raise unknown_name("toy method", unknown[0], known, listed_by="toy_methods()")
        methods = {name: known[name] for name in names}
    cells = {}
    for one in sets:
        for name, make in methods.items():
            model = make(one.X, one.k)
            began = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # where a method fails is what the grid shows
                labels = model.fit_predict(one.X)
            cells[one.name, name] = GridCell(np.asarray(labels), time.perf_counter() - began)
    return MethodGrid(tuple(sets), tuple(methods), cells)
