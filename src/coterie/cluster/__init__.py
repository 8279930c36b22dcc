"""Methods that find groups: one file per method, one entry in the catalogue."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coterie.cluster.catalogue import CATALOGUE, Method, find_method

if TYPE_CHECKING:
    from coterie.cluster._kmeans_history import KMeansHistory, KMeansPick, KMeansStep
    from coterie.cluster.functions import k_means, kmeans_plusplus
    from coterie.cluster.kernel_kmeans import KernelKMeans
    from coterie.cluster.kmeans import KMeans
    from coterie.cluster.kmedoids import KMedoids
    from coterie.cluster.minibatch import MiniBatchKMeans

# Where the names live that are no methods themselves.
_HOMES = {
    "KMeansHistory": "coterie.cluster._kmeans_history",
    "KMeansPick": "coterie.cluster._kmeans_history",
    "KMeansStep": "coterie.cluster._kmeans_history",
    "k_means": "coterie.cluster.functions",
    "kmeans_plusplus": "coterie.cluster.functions",
}

__all__ = [
    "KMeans",
    "KMeansHistory",
    "KMeansPick",
    "KMeansStep",
    "KMedoids",
    "KernelKMeans",
    "Method",
    "MiniBatchKMeans",
    "catalogue",
    "find_method",
    "k_means",
    "kmeans_plusplus",
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
