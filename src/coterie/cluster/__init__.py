"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coterie.cluster.catalogue import CATALOGUE, Method, find_method

if TYPE_CHECKING:
    from coterie.cluster._birch_tree import CFTree
    from coterie.cluster._condensed import CondensedTree
    from coterie.cluster._dbscan import DBSCAN, dbscan
    from coterie.cluster._eps import EpsSuggestion, suggest_eps
    from coterie.cluster._kmeans_history import KMeansHistory, KMeansPick, KMeansStep
    from coterie.cluster._mixture_history import MixtureHistory, MixtureStep
    from coterie.cluster._optics_clusters import XiClusters, cluster_optics_dbscan, cluster_optics_xi
    from coterie.cluster._optics_order import OpticsGraph, compute_optics_graph
    from coterie.cluster._spectral_function import spectral_clustering
    from coterie.cluster.agglomerative import AgglomerativeClustering
    from coterie.cluster.birch import Birch
    from coterie.cluster.bisecting import BisectingKMeans
    from coterie.cluster.consensus import ConsensusClustering
    from coterie.cluster.diana import Diana
    from coterie.cluster.feature_agglomeration import FeatureAgglomeration
    from coterie.cluster.functions import k_means, kmeans_plusplus
    from coterie.cluster.gaussian_mixture import GaussianMixture
    from coterie.cluster.hdbscan import HDBSCAN
    from coterie.cluster.hierarchical_kmeans import HierarchicalKMeans
    from coterie.cluster.kernel_kmeans import KernelKMeans
    from coterie.cluster.kmeans import KMeans
    from coterie.cluster.kmedoids import KMedoids
    from coterie.cluster.laplacian_eigenmap import LaplacianEigenmap
    from coterie.cluster.minibatch import MiniBatchKMeans
    from coterie.cluster.modes import ModeClustering
    from coterie.cluster.optics import OPTICS
    from coterie.cluster.spectral import SpectralClustering

# Where the names live that are no methods themselves.
_HOMES = {
    "CFTree": "coterie.cluster._birch_tree",
    "CondensedTree": "coterie.cluster._condensed",
    "EpsSuggestion": "coterie.cluster._eps",
    "FeatureAgglomeration": "coterie.cluster.feature_agglomeration",
    "KMeansHistory": "coterie.cluster._kmeans_history",
    "KMeansPick": "coterie.cluster._kmeans_history",
    "KMeansStep": "coterie.cluster._kmeans_history",
    "LaplacianEigenmap": "coterie.cluster.laplacian_eigenmap",
    "MixtureHistory": "coterie.cluster._mixture_history",
    "MixtureStep": "coterie.cluster._mixture_history",
    "OpticsGraph": "coterie.cluster._optics_order",
    "XiClusters": "coterie.cluster._optics_clusters",
    "cluster_optics_dbscan": "coterie.cluster._optics_clusters",
    "cluster_optics_xi": "coterie.cluster._optics_clusters",
    "compute_optics_graph": "coterie.cluster._optics_order",
    "dbscan": "coterie.cluster._dbscan",
    "k_means": "coterie.cluster.functions",
    "kmeans_plusplus": "coterie.cluster.functions",
    "spectral_clustering": "coterie.cluster._spectral_function",
    "suggest_eps": "coterie.cluster._eps",
}

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "OPTICS",
    "AgglomerativeClustering",
    "Birch",
    "BisectingKMeans",
    "CFTree",
    "CondensedTree",
    "ConsensusClustering",
    "Diana",
    "EpsSuggestion",
    "FeatureAgglomeration",
    "GaussianMixture",
    "HierarchicalKMeans",
    "KMeans",
    "KMeansHistory",
    "KMeansPick",
    "KMeansStep",
    "KMedoids",
    "KernelKMeans",
    "LaplacianEigenmap",
    "Method",
    "MiniBatchKMeans",
    "MixtureHistory",
    "MixtureStep",
    "ModeClustering",
    "OpticsGraph",
    "SpectralClustering",
    "XiClusters",
    "catalogue",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "find_method",
    "k_means",
    "kmeans_plusplus",
    "spectral_clustering",
    "suggest_eps",
]


def catalogue() -> tuple[Method, ...]:
    """Return every method, in the order in which lists show them.

    Examples
    --------
    >>> [method.name for method in catalogue()][0]
    'kmeans'
    """
    return CATALOGUE


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value: Any = getattr(import_module(_HOMES[name]), name)
    else:
        found = [method for method in CATALOGUE if name == method.class_name]
        if not found:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = found[0].load()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
