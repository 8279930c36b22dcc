"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie._support.caller import warn_caller
from coterie._support.lazy import lazy_names
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
    "coterie.cluster.agglomerative.feature_agglomeration": ["FeatureAgglomeration"],
    "coterie.cluster.agglomerative.tree_functions": ["linkage_tree", "ward_tree"],
    "coterie.cluster.birch.cf_tree": ["CFTree"],
    "coterie.cluster.density.condensed_tree": ["CondensedTree"],
    "coterie.cluster.density.dbscan": ["dbscan"],
    "coterie.cluster.density.eps": ["EpsSuggestion", "suggest_eps"],
    "coterie.cluster.density.mean_shift": ["estimate_bandwidth", "get_bin_seeds", "mean_shift"],
    "coterie.cluster.density.optics_clusters": ["XiClusters", "cluster_optics_dbscan", "cluster_optics_xi"],
    "coterie.cluster.density.optics_order": ["OpticsGraph", "compute_optics_graph"],
    "coterie.cluster.embedding.layout": ["lay_out_graph"],
    "coterie.cluster.graph.affinity_propagation": ["affinity_propagation"],
    "coterie.cluster.graph.communities": ["Communities", "leiden"],
    "coterie.cluster.kmeans.features": ["ClusteringFeatures"],
    "coterie.cluster.kmeans.functions": ["k_means", "kmeans_plusplus"],
    "coterie.cluster.kmeans.history": ["KMeansHistory", "KMeansPick", "KMeansStep"],
    "coterie.cluster.mixture.history": ["MixtureHistory", "MixtureStep"],
    "coterie.cluster.spectral.biclustering": ["SpectralBiclustering", "SpectralCoclustering"],
    "coterie.cluster.spectral.laplacian_eigenmap": ["LaplacianEigenmap"],
    "coterie.cluster.spectral.spectral": ["spectral_clustering"],
}
for _method in methods():
    _HOMES.setdefault(_method.module, []).append(_method.class_name)

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
    warn_caller("coterie.cluster.catalogue is deprecated: use methods().", DeprecationWarning)
    return methods()


if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
