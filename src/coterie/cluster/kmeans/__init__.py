"""K-means and its relatives: mini-batch, bisecting, hierarchical."""

from typing import TYPE_CHECKING

from coterie._support.lazy import lazy_names

if TYPE_CHECKING:
    from coterie.cluster.kmeans.empty_clusters import (
        MOST_REPAIRS,
        refill,
        rows_for_empty,
        run_without_holes,
        warn_if_fewer,
    )
    from coterie.cluster.kmeans.features import ClusteringFeatures, n_features_kept
    from coterie.cluster.kmeans.growth import Growth, grow_centers
    from coterie.cluster.kmeans.minibatch_fit import BatchState, StepRules, step
    from coterie.cluster.kmeans.points import KMeansRun, Points, Stopping, with_team
    from coterie.cluster.kmeans.spaces import FittedGeometry, fit_space, points_of
    from coterie.cluster.kmeans.starts import check_centers, make_start, n_candidates, seed_of_restart

__all__ = [
    "MOST_REPAIRS",
    "BatchState",
    "ClusteringFeatures",
    "FittedGeometry",
    "Growth",
    "KMeansRun",
    "Points",
    "StepRules",
    "Stopping",
    "check_centers",
    "fit_space",
    "grow_centers",
    "make_start",
    "n_candidates",
    "n_features_kept",
    "points_of",
    "refill",
    "rows_for_empty",
    "run_without_holes",
    "seed_of_restart",
    "step",
    "warn_if_fewer",
    "with_team",
]

if not TYPE_CHECKING:  # to a type checker a module with __getattr__ has every name
    __getattr__ = lazy_names(
        __name__,
        {
            "coterie.cluster.kmeans.empty_clusters": [
                "MOST_REPAIRS",
                "refill",
                "rows_for_empty",
                "run_without_holes",
                "warn_if_fewer",
            ],
            "coterie.cluster.kmeans.features": ["ClusteringFeatures", "n_features_kept"],
            "coterie.cluster.kmeans.growth": ["Growth", "grow_centers"],
            "coterie.cluster.kmeans.minibatch_fit": ["BatchState", "StepRules", "step"],
            "coterie.cluster.kmeans.points": ["Points", "KMeansRun", "Stopping", "with_team"],
            "coterie.cluster.kmeans.spaces": ["FittedGeometry", "fit_space", "points_of"],
            "coterie.cluster.kmeans.starts": [
                "check_centers",
                "make_start",
                "n_candidates",
                "seed_of_restart",
            ],
        },
    )
