"""Plots with matplotlib: a function per picture, which takes a value and ``ax=None`` and returns the Axes.

Pictures of several panels return the Figure. Nothing is shown or saved: ``ax.figure.savefig("groups.png")``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coterie.show.plots.belief import null_distribution, stability
    from coterie.show.plots.comparing import contingency
    from coterie.show.plots.components import clusplot, embedding, shepard
    from coterie.show.plots.condensed import condensed_tree
    from coterie.show.plots.curves import (
        criterion,
        elbow,
        gap,
        impurity_curves,
        label_savings,
        silhouette_curve,
    )
    from coterie.show.plots.decision_regions import regions
    from coterie.show.plots.density import k_distances, reachability
    from coterie.show.plots.describing import profiles
    from coterie.show.plots.evidence import evidence_heatmap
    from coterie.show.plots.flow import alluvial
    from coterie.show.plots.geography import map
    from coterie.show.plots.graphs import affinity, eigenvalues
    from coterie.show.plots.grids import method_grid
    from coterie.show.plots.heatmaps import clustermap
    from coterie.show.plots.image_views import segmentation
    from coterie.show.plots.kmeans_views import kmeans_animation, kmeans_steps, seeding_steps
    from coterie.show.plots.maps import u_matrix
    from coterie.show.plots.parallel import parallel_coordinates
    from coterie.show.plots.points import scatter
    from coterie.show.plots.schonlau import clustergram
    from coterie.show.plots.silhouettes import silhouette
    from coterie.show.plots.soft_views import mixture, responsibilities
    from coterie.show.plots.tangles import tanglegram
    from coterie.show.plots.time_series import series_groups, warping
    from coterie.show.plots.tree_views import phylogram, radial_tree, unrooted_tree
    from coterie.show.plots.trees import dendrogram, linkages

# Where each picture lives; matplotlib is not loaded before one is drawn. No module has the name of a picture:
# importing it would hide the function.
_HOMES = {
    "affinity": "graphs",
    "alluvial": "flow",
    "clusplot": "components",
    "clustergram": "schonlau",
    "clustermap": "heatmaps",
    "condensed_tree": "condensed",
    "contingency": "comparing",
    "criterion": "curves",
    "dendrogram": "trees",
    "eigenvalues": "graphs",
    "elbow": "curves",
    "embedding": "components",
    "evidence_heatmap": "evidence",
    "gap": "curves",
    "impurity_curves": "curves",
    "k_distances": "density",
    "kmeans_animation": "kmeans_views",
    "kmeans_steps": "kmeans_views",
    "label_savings": "curves",
    "linkages": "trees",
    "map": "geography",
    "method_grid": "grids",
    "mixture": "soft_views",
    "null_distribution": "belief",
    "parallel_coordinates": "parallel",
    "phylogram": "tree_views",
    "profiles": "describing",
    "radial_tree": "tree_views",
    "reachability": "density",
    "regions": "decision_regions",
    "responsibilities": "soft_views",
    "scatter": "points",
    "seeding_steps": "kmeans_views",
    "segmentation": "image_views",
    "series_groups": "time_series",
    "shepard": "components",
    "silhouette": "silhouettes",
    "silhouette_curve": "curves",
    "stability": "belief",
    "tanglegram": "tangles",
    "u_matrix": "maps",
    "unrooted_tree": "tree_views",
    "warping": "time_series",
}

__all__ = [
    "affinity",
    "alluvial",
    "clusplot",
    "clustergram",
    "clustermap",
    "condensed_tree",
    "contingency",
    "criterion",
    "dendrogram",
    "eigenvalues",
    "elbow",
    "embedding",
    "evidence_heatmap",
    "gap",
    "impurity_curves",
    "k_distances",
    "kmeans_animation",
    "kmeans_steps",
    "label_savings",
    "linkages",
    "map",
    "method_grid",
    "mixture",
    "null_distribution",
    "parallel_coordinates",
    "phylogram",
    "profiles",
    "radial_tree",
    "reachability",
    "regions",
    "responsibilities",
    "scatter",
    "seeding_steps",
    "segmentation",
    "series_groups",
    "shepard",
    "silhouette",
    "silhouette_curve",
    "stability",
    "tanglegram",
    "u_matrix",
    "unrooted_tree",
    "warping",
]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        from coterie.errors import did_you_mean

        raise AttributeError(f"module {__name__!r} has no attribute {name!r}.{did_you_mean(name, _HOMES)}")
    value = getattr(import_module(f"coterie.show.plots.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
