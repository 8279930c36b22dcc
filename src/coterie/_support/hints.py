"""Well-known names of SciPy that have another name here, or none: what an AttributeError says of them."""

from __future__ import annotations

from collections.abc import Iterable

from coterie.errors import did_you_mean

_TREE = "Dendrogram.from_linkage(Z)"

# By the module that people look in: what SciPy has there, and what to write here.
EQUIVALENTS = {
    "coterie.tree": {
        "ClusterNode": f"{_TREE}.children(node) and .members(node)",
        "cophenet": f"{_TREE}.cophenetic(), or .cophenetic_correlation(distances)",
        "cut_tree": f"{_TREE}.cut(k), or .cut(height=h)",
        "fcluster": f"{_TREE}.cut(k), or .cut(height=h)",
        "fclusterdata": "Dendrogram.from_linkage(linkage(X)).cut(k), or .cut(height=h)",
        "inconsistent": "scipy.cluster.hierarchy.inconsistent(Z), which takes the Z of linkage as it is",
        "is_monotonic": f"{_TREE}.is_monotone",
        "is_valid_linkage": f"{_TREE}, which says what is wrong",
        "leaders": "scipy.cluster.hierarchy.leaders(Z, T), which takes the Z of linkage as it is",
        "leaves_list": f"{_TREE}.leaf_order()",
        "linkage_vector": "linkage(X, method), which keeps no matrix where none is needed",
        "num_obs_linkage": f"{_TREE}.n_leaves",
        "optimal_leaf_ordering": "linkage(..., optimal_ordering=True), or leaf_order(optimal=True, X=X)",
        "to_tree": _TREE,
        **{
            name: f'linkage(X, "{name}")'
            for name in ("average", "centroid", "complete", "median", "single", "ward", "weighted")
        },
    },
    "coterie.distance": {
        "cdist": "pairwise_distances(X, Y, metric)",
        "is_valid_dm": "check_distance_matrix(D), which says what is wrong",
        "pairwise_distances_argmin": "nearest(X, Y).index",
        "pairwise_distances_argmin_min": "nearest(X, Y), a value with index and distance",
        "pdist": "pairwise_distances(X, metric=metric, condensed=True)",
        "squareform": "pairwise_distances(X, condensed=True), or scipy.spatial.distance.squareform",
        **{
            name: f'pairwise_distances(X, Y, "{name}")'
            for name in (
                "braycurtis",
                "canberra",
                "chebyshev",
                "cityblock",
                "correlation",
                "cosine",
                "dice",
                "euclidean",
                "hamming",
                "jaccard",
                "mahalanobis",
                "minkowski",
                "seuclidean",
                "sqeuclidean",
            )
        },
    },
}


def no_such_name(module: str, name: str, names: Iterable[str]) -> AttributeError:
    """Return the error for a name that a module does not have, with what to write instead.

    Examples
    --------
    >>> print(no_such_name("coterie.distance", "cdist", []))
    module 'coterie.distance' has no attribute 'cdist': write pairwise_distances(X, Y, metric).
    """
    instead = EQUIVALENTS.get(module, {}).get(name)
    if instead is not None:
        return AttributeError(f"module {module!r} has no attribute {name!r}: write {instead}.")
    return AttributeError(f"module {module!r} has no attribute {name!r}.{did_you_mean(name, names)}")
