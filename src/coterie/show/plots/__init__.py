"""Plots with matplotlib: a function per picture, which takes a value and ``ax=None`` and returns the Axes.

Pictures of several panels return the Figure. Nothing is shown or saved: ``ax.figure.savefig("groups.png")``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

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
    "coterie.show.plots.belief": ["null_distribution", "stability"],
    "coterie.show.plots.comparing": ["contingency"],
    "coterie.show.plots.components": ["clusplot", "embedding", "shepard"],
    "coterie.show.plots.condensed": ["condensed_tree"],
    "coterie.show.plots.curves": [
        "criterion",
        "elbow",
        "gap",
        "impurity_curves",
        "label_savings",
        "silhouette_curve",
    ],
    "coterie.show.plots.decision_regions": ["regions"],
    "coterie.show.plots.density": ["k_distances", "reachability"],
    "coterie.show.plots.describing": ["profiles"],
    "coterie.show.plots.evidence": ["evidence_heatmap"],
    "coterie.show.plots.flow": ["alluvial"],
    "coterie.show.plots.geography": ["map"],
    "coterie.show.plots.graphs": ["affinity", "eigenvalues"],
    "coterie.show.plots.grids": ["method_grid"],
    "coterie.show.plots.heatmaps": ["clustermap"],
    "coterie.show.plots.image_views": ["segmentation"],
    "coterie.show.plots.kmeans_views": ["kmeans_animation", "kmeans_steps", "seeding_steps"],
    "coterie.show.plots.maps": ["u_matrix"],
    "coterie.show.plots.parallel": ["parallel_coordinates"],
    "coterie.show.plots.points": ["scatter"],
    "coterie.show.plots.schonlau": ["clustergram"],
    "coterie.show.plots.silhouettes": ["silhouette"],
    "coterie.show.plots.soft_views": ["mixture", "responsibilities"],
    "coterie.show.plots.tangles": ["tanglegram"],
    "coterie.show.plots.time_series": ["series_groups", "warping"],
    "coterie.show.plots.tree_views": ["phylogram", "radial_tree", "unrooted_tree"],
    "coterie.show.plots.trees": ["dendrogram", "linkages"],
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

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
