"""K-means and its relatives: mini-batch, bisecting, hierarchical."""

from coterie.cluster.kmeans.empty_clusters import (
    MOST_REPAIRS,
    refill,
    rows_for_empty,
    run_without_holes,
    warn_if_fewer,
)
from coterie.cluster.kmeans.minibatch_fit import BatchState, StepRules, step
from coterie.cluster.kmeans.points import Points, Run, Stopping, with_team
from coterie.cluster.kmeans.spaces import Space, fit_space, points_of
from coterie.cluster.kmeans.starts import check_centers, make_start, n_candidates, seed_of_restart

__all__ = [
    "MOST_REPAIRS",
    "BatchState",
    "Points",
    "Run",
    "Space",
    "StepRules",
    "Stopping",
    "check_centers",
    "fit_space",
    "make_start",
    "n_candidates",
    "points_of",
    "refill",
    "rows_for_empty",
    "run_without_holes",
    "seed_of_restart",
    "step",
    "warn_if_fewer",
    "with_team",
]
