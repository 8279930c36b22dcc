"""The catalogue of methods: command line, tables and contract tests follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any

from coterie._support.validation import unknown_name


@dataclass(frozen=True)
class Method:
    """One way to find groups.

    Parameters
    ----------
    name : str
        What to type.
    title : str
        What to call it in a sentence.
    module, class_name : str
        Where its estimator lives; it is imported when it is needed.
    summary : str
        What it is good for, in one line.
    needs_k : bool
        Whether the number of groups must be given.
    settings : tuple of (str, value)
        Parameters that the command line sets, because the estimator's default suits no table in particular.
    """

    name: str
    title: str
    module: str
    class_name: str
    summary: str
    needs_k: bool
    settings: tuple[tuple[str, Any], ...] = ()

    def load(self) -> type[Any]:
        """Return the estimator's class."""
        found: type[Any] = getattr(import_module(self.module), self.class_name)
        return found


_METHODS = (
    Method(
        "kmeans",
        "k-means",
        "coterie.cluster.kmeans.kmeans",
        "KMeans",
        "round groups about a centre; the usual first choice, fast on any size",
        needs_k=True,
    ),
    Method(
        "minibatch-kmeans",
        "mini-batch k-means",
        "coterie.cluster.kmeans.minibatch",
        "MiniBatchKMeans",
        "k-means that sees a few rows at a time: for streams; approximate",
        needs_k=True,
    ),
    Method(
        "agglomerative",
        "agglomerative clustering",
        "coterie.cluster.agglomerative.agglomerative",
        "AgglomerativeClustering",
        "a tree of merges, nearest first: groups within groups, any distance; up to some 100,000 rows",
        needs_k=True,
    ),
    Method(
        "genie",
        "Genie",
        "coterie.cluster.agglomerative.genie",
        "Genie",
        "groups of any shape whose sizes are not too unequal, from the spanning tree; any distance",
        needs_k=True,
    ),
    Method(
        "diana",
        "divisive analysis",
        "coterie.cluster.agglomerative.diana",
        "Diana",
        "a tree of splits, the widest group first; for up to a few thousand rows",
        needs_k=True,
    ),
    Method(
        "bisecting-kmeans",
        "bisecting k-means",
        "coterie.cluster.kmeans.bisecting",
        "BisectingKMeans",
        "k-means that splits one group in two at a time: a tree of groups, even with many of them",
        needs_k=True,
    ),
    Method(
        "hierarchical-kmeans",
        "hierarchical k-means",
        "coterie.cluster.kmeans.hierarchical",
        "HierarchicalKMeans",
        "a tree from the top: k-means splits every group, down to single rows",
        needs_k=True,
    ),
    Method(
        "constrained-kmeans",
        "constrained k-means",
        "coterie.cluster.kmeans.constrained",
        "ConstrainedKMeans",
        "k-means with limits for the sizes of groups, and with rows that go together or stay apart",
        needs_k=True,
    ),
    Method(
        "fuzzy",
        "fuzzy c-means",
        "coterie.cluster.kmeans.fuzzy",
        "FuzzyCMeans",
        "round groups about a centre, with a share of every row in every group",
        needs_k=True,
    ),
    Method(
        "birch",
        "BIRCH",
        "coterie.cluster.birch.birch",
        "Birch",
        "small round subclusters in one pass, merged by Ward's method: for streams and many rows",
        needs_k=True,
        settings=(("threshold", 0.1),),
    ),
    Method(
        "dbscan",
        "DBSCAN",
        "coterie.cluster.density.dbscan",
        "DBSCAN",
        "dense regions of any shape, the rest is noise; finds the number of groups",
        needs_k=False,
        settings=(("eps", "auto"),),
    ),
    Method(
        "hdbscan",
        "HDBSCAN",
        "coterie.cluster.density.hdbscan",
        "HDBSCAN",
        "dense regions of different densities, the rest is noise; no radius to choose",
        needs_k=False,
    ),
    Method(
        "optics",
        "OPTICS",
        "coterie.cluster.density.optics",
        "OPTICS",
        "an order of the rows in which dense regions of any density are valleys; the rest is noise",
        needs_k=False,
        settings=(("min_samples", 10), ("min_cluster_size", 0.05), ("xi", 0.1)),
    ),
    Method(
        "modes",
        "mode clustering",
        "coterie.cluster.modes.modes",
        "ModeClustering",
        "hills of the density, of any shape, with every row in one; finds the number of groups, or is told",
        needs_k=False,
    ),
    Method(
        "mean-shift",
        "mean shift",
        "coterie.cluster.density.mean_shift",
        "MeanShift",
        "peaks of the density, with every row at the nearest; finds the number of groups from a radius",
        needs_k=False,
        settings=(("bin_seeding", True),),
    ),
    Method(
        "mixture",
        "Gaussian mixture",
        "coterie.cluster.mixture.gaussian_mixture",
        "GaussianMixture",
        "clouds of any ellipse, with a share of every row in every group",
        needs_k=True,
    ),
    Method(
        "bayesian-mixture",
        "Bayesian Gaussian mixture",
        "coterie.cluster.mixture.bayesian_mixture",
        "BayesianGaussianMixture",
        "clouds of any ellipse; k is the most groups, those that the rows do not need stay empty",
        needs_k=True,
        settings=(("max_iter", 1000),),
    ),
    Method(
        "vmf",
        "von Mises-Fisher mixture",
        "coterie.cluster.mixture.von_mises_fisher",
        "VonMisesFisherMixture",
        "groups of directions, with a share of every row in every group: for embeddings and counts of words",
        needs_k=True,
    ),
    Method(
        "latent-classes",
        "latent class analysis",
        "coterie.cluster.mixture.latent_classes",
        "LatentClasses",
        "a mixture over tables of numbers and categories, from the cells that are there",
        needs_k=True,
        settings=(("n_init", 2), ("tol", 1e-5), ("max_iter", 300)),
    ),
    Method(
        "spectral",
        "spectral clustering",
        "coterie.cluster.spectral.spectral",
        "SpectralClustering",
        "groups of any shape that hang together; also communities of a graph",
        needs_k=True,
    ),
    Method(
        "leiden",
        "Leiden",
        "coterie.cluster.graph.leiden",
        "Leiden",
        "communities of a graph, or of the nearest neighbours of rows; finds the number of groups",
        needs_k=False,
    ),
    Method(
        "embedding",
        "communities of near rows",
        "coterie.cluster.embedding.embedding_clustering",
        "EmbeddingClustering",
        "vectors of many columns, as language and image models make them; finds the number of groups",
        needs_k=False,
    ),
    Method(
        "kmedoids",
        "k-medoids",
        "coterie.cluster.medoids.kmedoids",
        "KMedoids",
        "groups about one of their own rows; any distance, less moved by outliers",
        needs_k=True,
    ),
    Method(
        "affinity",
        "affinity propagation",
        "coterie.cluster.graph.affinity_propagation",
        "AffinityPropagation",
        "groups about rows that stand for others; finds their number; for up to some ten thousand rows",
        needs_k=False,
        settings=(("damping", 0.9), ("max_iter", 1000)),
    ),
    Method(
        "kmodes",
        "k-modes",
        "coterie.cluster.categorical.kprototypes",
        "KModes",
        "groups of rows of categories, about the most frequent ones; numbers count as names",
        needs_k=True,
    ),
    Method(
        "kprototypes",
        "k-prototypes",
        "coterie.cluster.categorical.kprototypes",
        "KPrototypes",
        "k-means for tables of numbers and categories, with missing cells",
        needs_k=True,
    ),
    Method(
        "som",
        "self-organizing map",
        "coterie.cluster.som.self_organizing_map",
        "SelfOrganizingMap",
        "a grid of vectors laid through the rows, its nodes merged to groups: a map to look at",
        needs_k=True,
    ),
    Method(
        "kernel-kmeans",
        "kernel k-means",
        "coterie.cluster.kernel.kernel_kmeans",
        "KernelKMeans",
        "groups with curved borders, through a kernel; beyond 20,000 rows by way of landmark rows",
        needs_k=True,
    ),
    Method(
        "consensus",
        "consensus clustering",
        "coterie.cluster.consensus",
        "ConsensusClustering",
        "what many k-means runs on subsamples agree on; for up to some ten thousand rows",
        needs_k=True,
    ),
)


def methods() -> tuple[Method, ...]:
    """Return every method, in the order in which lists show them.

    Examples
    --------
    >>> [method.name for method in methods()][0]
    'kmeans'
    """
    return _METHODS


def find_method(name: str) -> Method:
    """Return the method of that name, or offer the nearest.

    Examples
    --------
    >>> find_method("kmeans").class_name
    'KMeans'
    """
    for method in _METHODS:
        if name == method.name:
            return method
    names = [method.name for method in _METHODS]
    raise unknown_name(
        "method", name, names, listed_by="coterie.cluster.methods()", in_shell="coterie methods"
    )
