"""The candidates: what each method makes of the data, for each number of groups."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import TypeAlias

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.typing import Data, Indices, JsonObject, Labels, Model, Settings, ValuesByName
from coterie._support.validation.schema import (
    COUNT,
    DictOf,
    ListOf,
    Plain,
    Real,
    Sometimes,
    Tensor,
    Text,
)
from coterie.cluster import find_method
from coterie.cluster.agglomerative import cut_tree, genie_children
from coterie.distance import Distance
from coterie.distance.row_distances import RowDistances
from coterie.evaluate import adjusted_rand_score
from coterie.evaluate.belief import GOWER, MixedColumns
from coterie.pipeline.judge.density_valleys import Valleys
from coterie.pipeline.many_columns import MANY_COLUMNS
from coterie.pipeline.recipe import make_estimator, takes_k
from coterie.pipeline.request import Budget, FitRequest
from coterie.tree import Dendrogram, linkage

SAME = 0.9  # adjusted Rand index of clusterings that differ in a few rows only
MODE_SCALES = (
    5,
    8,
    12,
    18,
)  # neighbours of mode clustering; fewer follow thin shapes, more smooth broad hills
BACKGROUND_SCALES = (18, 40, 60)  # neighbours of a density by which dense rows are told from sparse ones
MIN_CLUSTER_SIZES = (5, 10, 20)  # of HDBSCAN
VALLEY_NEIGHBOURS = (5, 10, 20)  # of OPTICS
VALLEY_STEEPNESS = (0.05, 0.1)
VALLEY_SIZES = (None, 0.05)  # its own rule, or a share of the rows
LINKAGES = ("ward", "average")
GINI_THRESHOLDS = (0.1, 0.3, 0.5)
SPECTRAL_NEIGHBOURS = 10
SPECTRAL_ROWS = 3_000
MOST_SPECTRAL = 12
CRUMBS = 0.5
GAMMAS = ("auto", 1.5)  # of k-prototypes: what a category costs; the second weighs it like a number
RIDGE = 1e-6  # added to the variances of a mixture, in units of those of the data
ROWS_PER_PARAMETER = 4  # a full covariance needs some rows for each of its numbers
Proposal: TypeAlias = tuple[ValuesByName, Labels]


@saved(eq=False)
class Candidate:
    """One clustering, what was measured about it, and why it did not win or did.

    Parameters
    ----------
    labels : array
        Group of each row that methods were compared on; -1 is noise.
    scores : dict of str to float
        "separation", "weakest_valley", "crossing", "noise".
    n_levels : tuple of int, default=()
        Of mixed rows, the categories of each column, 0 for numbers; empty: all are numbers.
    """

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        find_method(state["method"])

    method: str = held(Text(), "A name of `coterie.cluster.methods()`.")
    k: int = held(COUNT, "Number of groups.")
    labels: Labels = held(Tensor("rows", kind="i", low=-1, below="rows", may_be_empty=True), repr=False)
    scores: dict[str, float] = held(DictOf(Text(), Real(nan=True)))
    reason: str = held(Text(), "What speaks against it, or for it.")
    parameters: ValuesByName = held(DictOf(Text(), Plain()), "How its estimator is made.")
    n_levels: tuple[int, ...] = held(Sometimes(ListOf(COUNT, kind=tuple)), default=())

    @property
    def title(self) -> str:
        """What to call it in a sentence."""
        return f"{find_method(self.method).title}, {self.k} groups"

    def make(self) -> Model:
        """Return its estimator, unfitted."""
        estimator = find_method(self.method).load()(**self.parameters)
        return MixedColumns(self.n_levels).tell(estimator) if self.n_levels else estimator

    def among(self, rows: Indices, n_rows: int) -> Candidate:
        """Return the candidate for some of the rows: limits of size in proportion, pairs among these."""
        restrict = getattr(self.make(), "restricted_to", None)
        if restrict is None or len(rows) == n_rows:
            return self
        told = restrict(rows, n_rows).get_params(deep=False)
        return replace(self, parameters={name: told[name] for name in self.parameters})

    def to_dict(self) -> JsonObject:
        """Return plain values, without the labels."""
        return facts_of(self, "method", "k", "scores", "reason", "parameters")


def different(candidates: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """Return the first candidates that tell something else than those before them, at most so many.

    Two of one number of groups that hardly differ are one thing found by two methods.
    """
    kept: list[Candidate] = []
    for candidate in candidates:
        alike = (other for other in kept if other.k == candidate.k)
        if not any(adjusted_rand_score(other.labels, candidate.labels) > SAME for other in alike):
            kept.append(candidate)
        if len(kept) == most:
            break
    return tuple(kept)


@dataclass(frozen=True)
class Task:
    """What is to be clustered, and how."""

    valleys: Valleys
    ks: tuple[int, ...]
    request: FitRequest
    mixed: MixedPoints | None = None

    @property
    def distance(self) -> str | None:
        """Name of the distance that was asked for; None: Euclidean."""
        return self.request.distance

    @property
    def budget(self) -> Budget:
        """What it may cost."""
        return self.request.budget

    @property
    def seed(self) -> int:
        """Of every draw."""
        return self.request.seed

    @property
    def most_share(self) -> float:
        """Clusters per row above which a labeling is crumbs, not worth judging, unless asked for."""
        return CRUMBS if self.request.ks is None else 1.0

    @property
    def rows(self) -> Data:
        """The rows, as methods take them."""
        return self.valleys.X if self.mixed is None else self.mixed.rows

    @property
    def n_levels(self) -> tuple[int, ...]:
        """Of mixed rows, the categories of each column; else empty."""
        return () if self.mixed is None else self.mixed.columns.n_levels

    @property
    def metric(self) -> str:
        """Name of the distance."""
        return self.distance or "euclidean"

    @property
    def pairs(self) -> tuple[Data, str]:
        """What distances are taken from: their matrix where it is known, else the rows; and the metric."""
        matrix = self.valleys.distances.matrix
        return (self.rows, self.metric) if matrix is None else (matrix, "precomputed")


@dataclass(frozen=True, eq=False)
class MixedPoints:
    """Rows of numbers and categories, and which is which."""

    rows: Data
    columns: MixedColumns

    @cached_property
    def _distances(self) -> RowDistances:
        return RowDistances(self.rows, self.columns.gower)

    @property
    def pairs(self) -> tuple[Data, str | Distance]:
        """What Gower's distances are taken from: their matrix, if rows are not too many; and the metric."""
        matrix = self._distances.matrix
        return (self.rows, self.columns.gower) if matrix is None else (matrix, "precomputed")


def propose(method: str, task: Task) -> Iterator[Proposal]:
    """Yield what a method finds: parameters of its estimator, and labels."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a candidate that did not converge is judged like any other
        yield from propose_aloud(method, task)


def propose_aloud(method: str, task: Task) -> Iterator[Proposal]:
    """Yield what a method finds, warnings included: threads cannot silence them each for itself."""
    is_plain = not (task.request.is_settled or task.request.has_options)
    family = (FAMILIES if task.mixed is None else MIXED_FAMILIES).get(method) if is_plain else None
    yield from _as_asked(task, method) if family is None else family(task)


def _modes(task: Task) -> Iterator[Proposal]:
    trees = {tree.n_neighbors: tree for tree in task.valleys.trees}
    scales = [scale for scale in MODE_SCALES if scale in trees] or [task.valleys.scales[0]]
    for scale in scales:
        for k in task.ks:
            parameters = {"n_clusters": k, "n_neighbors": scale, "metric": task.metric}
            yield parameters, trees[scale].cut(k)
    for scale in (scale for scale in BACKGROUND_SCALES if scale in trees and 2 in task.ks):
        parameters = {"n_clusters": 2, "n_neighbors": scale, "background": True, "metric": task.metric}
        yield parameters, trees[scale].cut(2, background=True)


def _kmeans(task: Task) -> Iterator[Proposal]:
    options = {} if task.distance is None else {"geometry": task.distance}
    for k in task.ks:
        parameters = {"n_clusters": k, "n_init": task.budget.starts, "random_state": task.seed, **options}
        yield parameters, find_method("kmeans").load()(**parameters).fit(task.rows).labels_


def _mixture(task: Task) -> Iterator[Proposal]:
    n_rows, n_columns = task.rows.shape
    ridge = RIDGE * float(np.mean(task.rows.var(axis=0, dtype=np.float64))) or RIDGE
    of_covariance = n_columns * (n_columns + 1) / 2
    for k in task.ks:
        full = n_rows > ROWS_PER_PARAMETER * k * of_covariance
        families = {"full" if full else "diag": k * (of_covariance if full else n_columns)}
        if n_columns > 1:  # groups long in one direction are long in it together, however far
            families["tied"] = of_covariance
        for family, n_numbers in families.items():
            parameters = {
                "n_components": k,
                "covariance_type": family,
                "init_params": "whitened" if family == "tied" else "kmeans",
                "reg_covar": ridge,
                "random_state": task.seed,
            }
            if n_rows > ROWS_PER_PARAMETER * n_numbers:
                model = find_method("mixture").load()(**parameters)
                with suppress(ValueError):  # a component on equal rows has no covariance
                    yield parameters, model.fit(task.rows).labels_


def _agglomerative(task: Task) -> Iterator[Proposal]:
    for rule in LINKAGES if task.distance is None else LINKAGES[1:]:
        rows, metric = task.pairs
        tree = Dendrogram.from_linkage(linkage(rows, rule, metric))
        for k in task.ks:
            options = {} if task.distance is None else {"metric": task.distance}
            yield {"n_clusters": k, "linkage": rule, **options}, tree.cut(n_clusters=k)


def _genie(task: Task) -> Iterator[Proposal]:
    shortest = task.valleys.distances.spanning_tree()
    for threshold in GINI_THRESHOLDS:
        children = genie_children(shortest, threshold)
        for k in task.ks:
            parameters = {"n_clusters": k, "gini_threshold": threshold, "metric": task.metric}
            yield parameters, cut_tree(children, len(task.rows), k)


def _hdbscan(task: Task) -> Iterator[Proposal]:
    for size in MIN_CLUSTER_SIZES:
        if 2 * size <= len(task.rows):
            parameters = {"min_cluster_size": size, "metric": task.metric}
            rows, metric = task.pairs
            found = find_method("hdbscan").load()(**{**parameters, "metric": metric}).fit(rows)
            yield parameters, found.labels_


def _optics(task: Task) -> Iterator[Proposal]:
    for n_neighbours, xi, size in product(VALLEY_NEIGHBOURS, VALLEY_STEEPNESS, VALLEY_SIZES):
        if 2 * n_neighbours <= len(task.rows):
            options = {} if task.distance is None else {"metric": task.distance}
            parameters = {"min_samples": n_neighbours, "xi": xi, "min_cluster_size": size, **options}
            yield parameters, find_method("optics").load()(**parameters).fit(task.rows).labels_


def _spectral(task: Task) -> Iterator[Proposal]:
    if len(task.rows) > SPECTRAL_ROWS:
        return
    for k in (k for k in task.ks if k <= MOST_SPECTRAL and k < len(task.rows)):
        parameters = {
            "n_clusters": k,
            "affinity": "nearest_neighbors",
            "n_neighbors": min(SPECTRAL_NEIGHBOURS, len(task.rows) - 1),
            "random_state": task.seed,
        }
        yield parameters, find_method("spectral").load()(**parameters).fit(task.rows).labels_


def _embedding(task: Task) -> Iterator[Proposal]:
    if task.rows.shape[1] < MANY_COLUMNS:
        return
    n_rows, n_columns = task.rows.shape
    is_turned = task.distance is None and n_columns >= n_rows - 1  # then directions mean nothing
    for metric in (task.metric,) if is_turned or task.distance else (task.metric, "cosine"):
        parameters = {"metric": metric, "random_state": task.seed}
        model = find_method("embedding").load()(**parameters)
        for k, labels in model.cuts(task.rows, task.ks):
            yield {"granularity": k, **parameters}, labels


def _as_asked(task: Task, name: str) -> Iterator[Proposal]:
    """Yield what the method's own class finds, with the options that were given."""
    method = find_method(name)
    ks: Sequence[int | None] = task.ks if takes_k(name) else (None,)
    for k in ks:
        estimator = make_estimator(method, task.request.recipe(name, k))
        parameters = dict(estimator.get_params(deep=False))
        found = (estimator if task.mixed is None else task.mixed.columns.tell(estimator)).fit(task.rows)
        labels = getattr(found, "labels_", None)
        yield parameters, np.asarray(found.predict(task.rows) if labels is None else labels)


def _mixed_kprototypes(task: Task) -> Iterator[Proposal]:
    for gamma in GAMMAS:
        for k in task.ks:
            yield _fitted(task, "kprototypes", {"n_clusters": k, "gamma": gamma, "random_state": task.seed})


def _latent_classes(task: Task) -> Iterator[Proposal]:
    for k in task.ks:
        parameters = {**dict(find_method("latent-classes").settings), "random_state": task.seed}
        yield _fitted(task, "latent-classes", {"n_components": k, **parameters})


def _gower_medoids(task: Task) -> Iterator[Proposal]:
    for k in task.ks:
        yield _by_gower(task, "kmedoids", {"n_clusters": k, "random_state": task.seed})


def _gower_average(task: Task) -> Iterator[Proposal]:
    assert task.mixed is not None
    rows, metric = task.mixed.pairs
    tree = Dendrogram.from_linkage(linkage(rows, "average", metric))
    for k in task.ks:
        yield {"n_clusters": k, "linkage": "average", "metric": GOWER}, tree.cut(n_clusters=k)


def _gower_hdbscan(task: Task) -> Iterator[Proposal]:
    for size in MIN_CLUSTER_SIZES:
        if 2 * size <= len(task.rows):
            yield _by_gower(task, "hdbscan", {"min_cluster_size": size})


def _by_gower(task: Task, method: str, parameters: ValuesByName) -> Proposal:
    """Return what a method finds under Gower's distance, which is the same for all of them."""
    assert task.mixed is not None
    rows, metric = task.mixed.pairs
    found = find_method(method).load()(**parameters, metric=metric).fit(rows)
    return {**parameters, "metric": GOWER}, found.labels_


def _fitted(task: Task, method: str, parameters: ValuesByName) -> Proposal:
    """Return what a method finds in mixed rows."""
    assert task.mixed is not None
    estimator = task.mixed.columns.tell(find_method(method).load()(**parameters))
    return parameters, estimator.fit(task.rows).labels_


FAMILIES: dict[str, Callable[..., Iterator[Proposal]]] = {
    "modes": _modes,
    "kmeans": _kmeans,
    "mixture": _mixture,
    "agglomerative": _agglomerative,
    "genie": _genie,
    "hdbscan": _hdbscan,
    "optics": _optics,
    "spectral": _spectral,
    "embedding": _embedding,
}
MIXED_FAMILIES: dict[str, Callable[..., Iterator[Proposal]]] = {
    "kprototypes": _mixed_kprototypes,
    "latent-classes": _latent_classes,
    "kmedoids": _gower_medoids,
    "agglomerative": _gower_average,
    "hdbscan": _gower_hdbscan,
}
