"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coterie.cluster.catalogue import CATALOGUE, Method, find_method

if TYPE_CHECKING:
    from coterie.cluster._condensed import CondensedTree
    from coterie.cluster._dbscan import DBSCAN, dbscan
    from coterie.cluster._eps import EpsSuggestion, suggest_eps
    from coterie.cluster._kmeans_history import KMeansHistory, KMeansPick, KMeansStep
    from coterie.cluster.agglomerative import AgglomerativeClustering
    from coterie.cluster.bisecting import BisectingKMeans
    from coterie.cluster.diana import Diana
    from coterie.cluster.feature_agglomeration import FeatureAgglomeration
    from coterie.cluster.functions import k_means, kmeans_plusplus
    from coterie.cluster.hdbscan import HDBSCAN
    from coterie.cluster.kmeans import KMeans
    from coterie.cluster.minibatch import MiniBatchKMeans

# Where the names live that are no methods themselves.
_HOMES = {
    "FeatureAgglomeration": "coterie.cluster.feature_agglomeration",
    "CondensedTree": "coterie.cluster._condensed",
    "EpsSuggestion": "coterie.cluster._eps",
    "KMeansHistory": "coterie.cluster._kmeans_history",
    "KMeansPick": "coterie.cluster._kmeans_history",
    "KMeansStep": "coterie.cluster._kmeans_history",
    "dbscan": "coterie.cluster._dbscan",
    "k_means": "coterie.cluster.functions",
    "kmeans_plusplus": "coterie.cluster.functions",
    "suggest_eps": "coterie.cluster._eps",
}

__all__ = [
    "DBSCAN",
    "HDBSCAN",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "CondensedTree",
    "Diana",
    "EpsSuggestion",
    "FeatureAgglomeration",
    "KMeans",
    "KMeansHistory",
    "KMeansPick",
    "KMeansStep",
    "Method",
    "MiniBatchKMeans",
    "catalogue",
    "dbscan",
    "find_method",
    "k_means",
    "kmeans_plusplus",
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
