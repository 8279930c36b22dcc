"""The catalogue of methods: command line, tables and contract tests follow from it."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module

from coterie._support.typing import Model
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
    class_name : str
        Its estimator in `coterie.cluster`; it is imported when it is needed.
    summary : str
        What it is good for, in one line.
    needs_k : bool, default=True
        Whether the number of groups must be given.
    settings : tuple of (str, value)
        Parameters that the command line sets, because the estimator's default suits no table in particular.
    """

    name: str
    title: str
    class_name: str
    summary: str
    needs_k: bool = True
    settings: tuple[tuple[str, object], ...] = ()

    def load(self) -> type[Model]:
        """Return the estimator's class."""
        found: type[Model] = getattr(import_module("coterie.cluster"), self.class_name)
        return found

    @property
    def module(self) -> str:
        """Where the estimator's class is written."""
        return self.load().__module__


_METHODS = (
    Method(
        "kmeans",
        "k-means",
        "KMeans",
        "compact, round groups around centroids; the usual first choice, fast on any size",
    ),
    Method(
        "minibatch-kmeans",
        "mini-batch k-means",
        "MiniBatchKMeans",
        "k-means on small random batches: for streams and huge data; approximate",
    ),
    Method(
        "agglomerative",
        "agglomerative clustering",
        "AgglomerativeClustering",
        "hierarchical, bottom-up: a tree of nested groups, any distance; up to some 100,000 rows",
    ),
    Method(
        "genie",
        "Genie",
        "Genie",
        "hierarchical, on the spanning tree: groups of any shape and similar sizes; any distance",
    ),
    Method(
        "diana",
        "divisive analysis",
        "Diana",
        "hierarchical, top-down (divisive): any distance; for up to a few thousand rows",
    ),
    Method(
        "bisecting-kmeans",
        "bisecting k-means",
        "BisectingKMeans",
        "hierarchical, top-down: k-means splits one group in two at a time; fast for many groups",
    ),
    Method(
        "hierarchical-kmeans",
        "hierarchical k-means",
        "HierarchicalKMeans",
        "hierarchical, top-down: k-means splits every group, down to single rows",
    ),
    Method(
        "constrained-kmeans",
        "constrained k-means",
        "ConstrainedKMeans",
        "k-means with minimum and maximum group sizes, must-link and cannot-link pairs",
    ),
    Method(
        "fuzzy",
        "fuzzy c-means",
        "FuzzyCMeans",
        "compact, round groups around centroids, with soft memberships",
    ),
    Method(
        "birch",
        "BIRCH",
        "Birch",
        "compact subclusters in one pass, merged by Ward's method: for streams and many rows",
        settings=(("threshold", 0.1),),
    ),
    Method(
        "dbscan",
        "DBSCAN",
        "DBSCAN",
        "density-based: dense regions of any shape, the rest is noise; finds the number of groups",
        needs_k=False,
        settings=(("eps", "auto"),),
    ),
    Method(
        "hdbscan",
        "HDBSCAN",
        "HDBSCAN",
        "density-based: groups of any shape and different densities, the rest is noise; no radius to choose",
        needs_k=False,
    ),
    Method(
        "optics",
        "OPTICS",
        "OPTICS",
        "density-based: groups of different densities from a reachability plot; the rest is noise",
        needs_k=False,
        settings=(("min_samples", 10), ("min_cluster_size", 0.05), ("xi", 0.1)),
    ),
    Method(
        "modes",
        "mode clustering",
        "ModeClustering",
        "modes of the density, of any shape, no noise; finds the number of groups unless given",
        needs_k=False,
    ),
    Method(
        "mean-shift",
        "mean shift",
        "MeanShift",
        "peaks of the density at a given bandwidth; finds the number of groups",
        needs_k=False,
        settings=(("bin_seeding", True),),
    ),
    Method(
        "mixture",
        "Gaussian mixture",
        "GaussianMixture",
        "elliptical groups with soft memberships; BIC for the number of groups",
    ),
    Method(
        "bayesian-mixture",
        "Bayesian Gaussian mixture",
        "BayesianGaussianMixture",
        "elliptical groups; -k is an upper limit, superfluous components stay empty",
        settings=(("max_iter", 1000),),
    ),
    Method(
        "vmf",
        "von Mises-Fisher mixture",
        "VonMisesFisherMixture",
        "mixture of directions with soft memberships: for embeddings and word counts",
    ),
    Method(
        "latent-classes",
        "latent class analysis",
        "LatentClasses",
        "mixture model for numbers and categories; ignores missing cells",
        settings=(("n_init", 2), ("tol", 1e-5), ("max_iter", 300)),
    ),
    Method(
        "spectral",
        "spectral clustering",
        "SpectralClustering",
        "connected groups of any shape, from the eigenvectors of a similarity graph",
    ),
    Method(
        "leiden",
        "Leiden",
        "Leiden",
        "communities of a graph, or of the nearest-neighbour graph of rows; finds the number of groups",
        needs_k=False,
    ),
    Method(
        "embedding",
        "neighbour-graph communities",
        "EmbeddingClustering",
        "high-dimensional embeddings from language and image models; finds the number of groups",
        needs_k=False,
    ),
    Method(
        "kmedoids",
        "k-medoids",
        "KMedoids",
        "groups around medoids (typical rows); any distance, robust to outliers",
    ),
    Method(
        "affinity",
        "affinity propagation",
        "AffinityPropagation",
        "groups around exemplars (typical rows); finds the number of groups; up to some ten thousand rows",
        needs_k=False,
        settings=(("damping", 0.9), ("max_iter", 1000)),
    ),
    Method(
        "kmodes",
        "k-modes",
        "KModes",
        "k-means for categories: groups around modes; numbers are treated as categories",
    ),
    Method(
        "kprototypes",
        "k-prototypes",
        "KPrototypes",
        "k-means for mixed tables of numbers and categories; ignores missing cells",
    ),
    Method(
        "som",
        "self-organizing map",
        "SelfOrganizingMap",
        "a grid of nodes fitted to the rows, merged into groups: for visualisation",
    ),
    Method(
        "kernel-kmeans",
        "kernel k-means",
        "KernelKMeans",
        "k-means with a kernel: curved borders; Nystroem approximation beyond 20,000 rows",
    ),
    Method(
        "consensus",
        "consensus clustering",
        "ConsensusClustering",
        "co-clustering over many k-means runs on subsamples; for up to some ten thousand rows",
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


ALSO_CALLED = {  # what others call methods, in small letters and digits alone
    "gmm": "mixture",
    "em": "mixture",
    "ward": "agglomerative",
    "hierarchical": "agglomerative",
    "hclust": "agglomerative",
    "linkage": "agglomerative",
    "pam": "kmedoids",
    "cmeans": "fuzzy",
    "fcm": "fuzzy",
    "lca": "latent-classes",
    "louvain": "leiden",
    "ncut": "spectral",
}


def find_method(name: str) -> Method:
    """Return the method of that name, or offer the one that is meant.

    Examples
    --------
    >>> find_method("kmeans").class_name
    'KMeans'
    """
    for method in _METHODS:
        if name == method.name:
            return method
    names = [method.name for method in _METHODS]
    plain = "".join(filter(str.isalnum, str(name).lower()))
    own = (each.name for each in _METHODS if plain in (each.class_name.lower(), each.name.replace("-", "")))
    raise unknown_name(
        "method",
        name,
        names,
        listed_by="coterie.cluster.methods()",
        in_shell="coterie methods",
        meant=ALSO_CALLED.get(plain) or next(own, None),
    )
