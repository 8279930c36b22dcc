"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from coterie.cluster.catalogue import Method, find_method, methods

if TYPE_CHECKING:
    from coterie.cluster.agglomerative.agglomerative import AgglomerativeClustering
    from coterie.cluster.agglomerative.diana import Diana
    from coterie.cluster.agglomerative.feature_agglomeration import FeatureAgglomeration
    from coterie.cluster.agglomerative.genie import Genie
    from coterie.cluster.agglomerative.tree_functions import linkage_tree, ward_tree
    from coterie.cluster.birch.birch import Birch
    from coterie.cluster.birch.cf_tree import CFTree
    from coterie.cluster.categorical.kprototypes import KModes, KPrototypes
    from coterie.cluster.consensus import ConsensusClustering
    from coterie.cluster.density.condensed_tree import CondensedTree
    from coterie.cluster.density.dbscan import DBSCAN, dbscan
    from coterie.cluster.density.eps import EpsSuggestion, suggest_eps
    from coterie.cluster.density.hdbscan import HDBSCAN
    from coterie.cluster.density.mean_shift import MeanShift, estimate_bandwidth, get_bin_seeds, mean_shift
    from coterie.cluster.density.optics import OPTICS
    from coterie.cluster.density.optics_clusters import XiClusters, cluster_optics_dbscan, cluster_optics_xi
    from coterie.cluster.density.optics_order import OpticsGraph, compute_optics_graph
    from coterie.cluster.embedding.embedding_clustering import EmbeddingClustering
    from coterie.cluster.embedding.layout import lay_out_graph
    from coterie.cluster.graph.affinity_propagation import AffinityPropagation, affinity_propagation
    from coterie.cluster.graph.communities import Communities, leiden
    from coterie.cluster.graph.leiden import Leiden
    from coterie.cluster.kernel.kernel_kmeans import KernelKMeans
    from coterie.cluster.kmeans.bisecting import BisectingKMeans
    from coterie.cluster.kmeans.constrained import ConstrainedKMeans
    from coterie.cluster.kmeans.features import ClusteringFeatures
    from coterie.cluster.kmeans.functions import k_means, kmeans_plusplus
    from coterie.cluster.kmeans.fuzzy import FuzzyCMeans
    from coterie.cluster.kmeans.hierarchical import HierarchicalKMeans
    from coterie.cluster.kmeans.history import KMeansHistory, KMeansPick, KMeansStep
    from coterie.cluster.kmeans.kmeans import KMeans
    from coterie.cluster.kmeans.minibatch import MiniBatchKMeans
    from coterie.cluster.medoids.kmedoids import KMedoids
    from coterie.cluster.mixture.bayesian_mixture import BayesianGaussianMixture
    from coterie.cluster.mixture.gaussian_mixture import GaussianMixture
    from coterie.cluster.mixture.history import MixtureHistory, MixtureStep
    from coterie.cluster.mixture.latent_classes import LatentClasses
    from coterie.cluster.mixture.von_mises_fisher import VonMisesFisherMixture
    from coterie.cluster.modes.modes import ModeClustering
    from coterie.cluster.som.self_organizing_map import SelfOrganizingMap
    from coterie.cluster.spectral.biclustering import SpectralBiclustering, SpectralCoclustering
    from coterie.cluster.spectral.laplacian_eigenmap import LaplacianEigenmap
    from coterie.cluster.spectral.spectral import SpectralClustering, spectral_clustering

# Where the names live that are no methods themselves.
_HOMES = {
    "CFTree": "coterie.cluster.birch.cf_tree",
    "ClusteringFeatures": "coterie.cluster.kmeans.features",
    "Communities": "coterie.cluster.graph.communities",
    "CondensedTree": "coterie.cluster.density.condensed_tree",
    "EpsSuggestion": "coterie.cluster.density.eps",
    "FeatureAgglomeration": "coterie.cluster.agglomerative.feature_agglomeration",
    "KMeansHistory": "coterie.cluster.kmeans.history",
    "KMeansPick": "coterie.cluster.kmeans.history",
    "KMeansStep": "coterie.cluster.kmeans.history",
    "LaplacianEigenmap": "coterie.cluster.spectral.laplacian_eigenmap",
    "MixtureHistory": "coterie.cluster.mixture.history",
    "MixtureStep": "coterie.cluster.mixture.history",
    "OpticsGraph": "coterie.cluster.density.optics_order",
    "SpectralBiclustering": "coterie.cluster.spectral.biclustering",
    "SpectralCoclustering": "coterie.cluster.spectral.biclustering",
    "XiClusters": "coterie.cluster.density.optics_clusters",
    "affinity_propagation": "coterie.cluster.graph.affinity_propagation",
    "cluster_optics_dbscan": "coterie.cluster.density.optics_clusters",
    "cluster_optics_xi": "coterie.cluster.density.optics_clusters",
    "compute_optics_graph": "coterie.cluster.density.optics_order",
    "dbscan": "coterie.cluster.density.dbscan",
    "estimate_bandwidth": "coterie.cluster.density.mean_shift",
    "get_bin_seeds": "coterie.cluster.density.mean_shift",
    "k_means": "coterie.cluster.kmeans.functions",
    "kmeans_plusplus": "coterie.cluster.kmeans.functions",
    "lay_out_graph": "coterie.cluster.embedding.layout",
    "leiden": "coterie.cluster.graph.communities",
    "linkage_tree": "coterie.cluster.agglomerative.tree_functions",
    "mean_shift": "coterie.cluster.density.mean_shift",
    "spectral_clustering": "coterie.cluster.spectral.spectral",
    "suggest_eps": "coterie.cluster.density.eps",
    "ward_tree": "coterie.cluster.agglomerative.tree_functions",
}

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "OPTICS",
    "AffinityPropagation",
    "AgglomerativeClustering",
    "BayesianGaussianMixture",
    "Birch",
    "BisectingKMeans",
    "CFTree",
    "ClusteringFeatures",
    "Communities",
    "CondensedTree",
    "ConsensusClustering",
    "ConstrainedKMeans",
    "Diana",
    "EmbeddingClustering",
    "EpsSuggestion",
    "FeatureAgglomeration",
    "FuzzyCMeans",
    "GaussianMixture",
    "Genie",
    "HierarchicalKMeans",
    "KMeans",
    "KMeansHistory",
    "KMeansPick",
    "KMeansStep",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "KernelKMeans",
    "LaplacianEigenmap",
    "LatentClasses",
    "Leiden",
    "MeanShift",
    "Method",
    "MiniBatchKMeans",
    "MixtureHistory",
    "MixtureStep",
    "ModeClustering",
    "OpticsGraph",
    "SelfOrganizingMap",
    "SpectralBiclustering",
    "SpectralClustering",
    "SpectralCoclustering",
    "VonMisesFisherMixture",
    "XiClusters",
    "affinity_propagation",
    "cluster_optics_dbscan",
    "cluster_optics_xi",
    "compute_optics_graph",
    "dbscan",
    "estimate_bandwidth",
    "find_method",
    "get_bin_seeds",
    "k_means",
    "kmeans_plusplus",
    "lay_out_graph",
    "leiden",
    "linkage_tree",
    "mean_shift",
    "methods",
    "spectral_clustering",
    "suggest_eps",
    "ward_tree",
]


def catalogue() -> tuple[Method, ...]:
    """Return every method. Deprecated: use `methods`."""
    warnings.warn("coterie.cluster.catalogue is deprecated: use methods().", DeprecationWarning, stacklevel=2)
    return methods()


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value: object = getattr(import_module(_HOMES[name]), name)
    else:
        found = [method for method in methods() if name == method.class_name]
        if not found:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = found[0].load()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
