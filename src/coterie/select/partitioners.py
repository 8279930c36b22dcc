"""How each kind of method comes by its clusterings: once and cut, from k to k, or again for each k."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from coterie._support import scikit_learn
from coterie._support.typing import Centers, Data, Labels, MetricLike, Model
from coterie.cluster import find_method, methods
from coterie.cluster.agglomerative import cut_tree
from coterie.cluster.kmeans import Stopping
from coterie.errors import InvalidParameter
from coterie.select.catalogue import Need
from coterie.select.partitions import (
    CenterPartitions,
    FittedPartitions,
    LabelsByK,
    NestedPartitions,
    SpectralPartitions,
    dense_labels,
    run_all,
    without_warnings,
)

RERUN_TOLERANCE = 1e-4  # share of the inertia: runs that are only compared on average may stop so early
STARTS = 10  # of k-means on the data, beside the one that goes on from the k before


@dataclass(frozen=True, eq=False)
class Partitioner:
    """A method, ready to be run on any rows for several k: one fit per k."""

    name: str  # of the method, or of the estimator's class
    title: str  # what to call it in a sentence
    estimator: Model  # unfitted
    has_categories: bool = False  # rows have columns of categories

    is_fast = False  # whether dozens of runs on other rows take little time
    has_likelihood = False
    has_tree = False
    has_eigenvalues = False

    @property
    def takes_rows(self) -> bool:
        """Whether the input is rows of numbers, not a matrix of distances or affinities."""
        return not self.estimator.__sklearn_tags__().input_tags.pairwise

    @property
    def gives(self) -> frozenset[Need]:
        """Which needs of criteria are met."""
        is_number = self.takes_rows and not self.has_categories
        facts: dict[Need, bool] = {
            "rows": is_number,
            "distances": self.takes_rows or getattr(self.estimator, "metric", None) == "precomputed",
            "rerun": self.takes_rows,
            "numbers": is_number,
            "categories": self.has_categories,
            "placing": self.takes_rows and self.can_place,
            "means": is_number and self.can_place,
            "likelihood": self.has_likelihood,
            "tree": self.has_tree,
            "eigenvalues": self.has_eigenvalues,
        }
        return frozenset(need for need, is_met in facts.items() if is_met)

    @property
    def can_place(self) -> bool:
        """Whether new rows can be given to the clusters."""
        return hasattr(self.estimator, "predict")

    @property
    def metric(self) -> MetricLike:
        """The distance that the method looks at; Euclidean where it has no such parameter."""
        geometry = getattr(self.estimator, "geometry", None)
        if geometry is not None:
            from coterie.distance import find_geometry

            return find_geometry(geometry).distance
        return getattr(self.estimator, "metric", "euclidean")

    def run(self, X: Data, ks: Sequence[int], seed: int, *, n_starts: int = STARTS) -> LabelsByK:
        """Return the clusterings of the rows."""
        extra = self._fewer_starts(n_starts)
        models = {k: self._fitted(X, k, seed, **extra) for k in ks}
        labels = {k: dense_labels(model.labels_, k) for k, model in models.items()}
        return FittedPartitions(labels, _inertias(models), models=models)

    def _fewer_starts(self, n_starts: int) -> dict[str, int]:
        """Return the number of starts where fewer than the estimator's own will do."""
        own = getattr(self.estimator, "n_init", None)
        if n_starts >= STARTS or own is None:
            return {}
        return {"n_init": n_starts if own == "auto" else min(n_starts, own)}

    def _fitted(self, X: Data, k: int, seed: int, **extra: object) -> Model:
        model = scikit_learn.clone(self.estimator)
        known = model.get_params(deep=False)
        wanted = {parameter_of_k(known): k, **extra}
        if "random_state" in known:
            wanted["random_state"] = seed % 2**32
        with without_warnings():
            return model.set_params(**wanted).fit(X)


class CenterPartitioner(Partitioner):
    """K-means: starts for one k serve the next."""

    is_fast = True

    def run(self, X: Data, ks: Sequence[int], seed: int, *, n_starts: int = STARTS) -> LabelsByK:
        how = self.estimator
        enough = how.tol_inertia if n_starts >= STARTS else max(how.tol_inertia or 0.0, RERUN_TOLERANCE)
        stopping = Stopping(how.max_iter, how.tol, enough)
        starts = n_starts if how.n_init == "auto" else min(n_starts, how.n_init)
        found = run_all(X, ks, how.geometry, stopping, n_starts=starts, seed=seed)
        labels = {k: dense_labels(run.labels, k) for k, run in found.runs.items()}
        return CenterPartitions(labels, {k: run.inertia for k, run in found.runs.items()}, runs=found)


class TreePartitioner(Partitioner):
    """A tree, built once and cut into each k."""

    has_tree = True

    def run(self, X: Data, ks: Sequence[int], seed: int, *, n_starts: int = STARTS) -> LabelsByK:
        extra = {"compute_full_tree": True} if hasattr(self.estimator, "compute_full_tree") else {}
        finest = self._fitted(X, max(ks), seed, **extra)
        labels = {k: self._cut(finest, k, len(X)) for k in ks}
        return NestedPartitions(labels, finest=finest)

    def _cut(self, finest: Model, k: int, n_rows: int) -> Labels | None:
        if np.isinf(finest.dendrogram_.heights[n_rows - k :]).any():
            return None  # constraints keep more clusters apart
        return dense_labels(cut_tree(finest.children_, n_rows, k), k)


class SplitPartitioner(TreePartitioner):
    """Splits in two, one after the other: fewer clusters are the splits so far."""

    def _cut(self, finest: Model, k: int, n_rows: int) -> Labels | None:
        n_groups = len(finest.children_) + 1
        if k > n_groups:
            return None
        return dense_labels(cut_tree(finest.children_, n_groups, k)[finest.labels_], k)


class FamilyPartitioner(TreePartitioner):
    """A tree whose nodes may have many children: some k have no cut."""

    def _cut(self, finest: Model, k: int, n_rows: int) -> Labels | None:
        try:
            return dense_labels(finest.dendrogram_.cut(k), k)
        except InvalidParameter:
            return None


class MixturePartitioner(Partitioner):
    """A method with a likelihood."""

    has_likelihood = True


class SpectralPartitioner(Partitioner):
    """A graph, embedded once; each k takes its leading coordinates."""

    has_eigenvalues = True

    def run(self, X: Data, ks: Sequence[int], seed: int, *, n_starts: int = STARTS) -> LabelsByK:
        from coterie.cluster import KMeans

        graph = self._fitted(X, min(max(ks), len(X) - 1), seed)
        labels: dict[int, Labels | None] = {}
        centers: dict[int, Centers] = {}
        for k in ks:
            coordinates = np.ascontiguousarray(graph.embedding_[:, :k])
            model = KMeans(k, n_init=min(n_starts, self.estimator.n_init), random_state=seed)
            with without_warnings():
                labels[k] = dense_labels(model.fit(coordinates).labels_, k)
            centers[k] = model.cluster_centers_
        return SpectralPartitions(labels, graph=graph, centers=centers)


def parameter_of_k(parameters: Collection[str]) -> str:
    """Return what an estimator calls the number of clusters."""
    return "n_clusters" if "n_clusters" in parameters else "n_components"


def find_partitioner(method: str | Model) -> Partitioner:
    """Return the partitioner of a method's name, or of an estimator.

    Examples
    --------
    >>> type(find_partitioner("agglomerative")).__name__
    'TreePartitioner'
    """
    if isinstance(method, str):
        named = find_method(method)
        if not named.needs_k:
            raise InvalidParameter(
                f"method of choose_k must take a number of clusters, got {method!r}: {named.title} finds it "
                f"by itself."
            ).in_shell(f"{named.title} finds the number of groups by itself: coterie fit --method {method}.")
        return _kind(named.load()(**dict(named.settings)), named.name, named.title)
    if not hasattr(method, "get_params") or not hasattr(method, "fit") or inspect.isclass(method):
        raise InvalidParameter(
            f"method of choose_k must be a name of coterie.cluster.methods() or an estimator, got {method!r}."
        )
    class_name = type(method).__name__
    if not {"n_clusters", "n_components"} & set(method.get_params(deep=False)):
        raise InvalidParameter(f"method of choose_k must take a number of clusters, got {class_name}.")
    known = next((entry for entry in methods() if entry.class_name == class_name), None)
    name, title = (class_name, class_name) if known is None else (known.name, known.title)
    return _kind(method, name, title)


def _kind(estimator: Model, name: str, title: str) -> Partitioner:
    from coterie import cluster

    is_whole = getattr(estimator, "branching", 2) == 2 and getattr(estimator, "split", "all") == "all"
    is_plain = isinstance(getattr(estimator, "init", None), str) and estimator.init == "k-means++"
    kinds: list[tuple[type, bool, type[Partitioner]]] = [
        (cluster.KMeans, is_plain and getattr(estimator, "improve", None) is None, CenterPartitioner),
        (cluster.BisectingKMeans, True, SplitPartitioner),
        (cluster.HierarchicalKMeans, is_whole, FamilyPartitioner),
        (cluster.AgglomerativeClustering, True, TreePartitioner),
        (cluster.Diana, True, TreePartitioner),
        (cluster.Genie, not getattr(estimator, "noise", False), TreePartitioner),
        (cluster.GaussianMixture, True, MixturePartitioner),
        (cluster.LatentClasses, True, MixturePartitioner),
        (
            cluster.SpectralClustering,
            getattr(estimator, "assign_labels", "") == "kmeans" and estimator.n_components is None,
            SpectralPartitioner,
        ),
    ]
    for kind, is_usual, partitioner in kinds:
        if isinstance(estimator, kind) and is_usual:
            return partitioner(name, title, estimator)
    return Partitioner(name, title, estimator)


def _inertias(models: dict[int, Model]) -> dict[int, float]:
    if not all(hasattr(model, "inertia_") for model in models.values()):
        return {}
    return {k: float(model.inertia_) for k, model in models.items()}
