"""What groups look like: numbered by size, profiled, with centres in the table's units."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import Labels
from coterie.data import PreparedRows, Scaling
from coterie.distance import get_geometry
from coterie.pipeline.groups import Groups, number_labels, spread_labels
from coterie.pipeline.profile import Profile, profile_groups
from coterie.pipeline.recipe import Recipe


def describe_groups(
    prepared: PreparedRows,
    recipe: Recipe,
    estimator: Any,
    labels: Labels,
    *,
    seconds: float,
    notes: tuple[str, ...] = (),
) -> Groups:
    """Return groups numbered by size, with what sets them apart.

    Parameters
    ----------
    prepared : PreparedRows
        The data.
    recipe : Recipe
        How the groups were found.
    estimator : estimator
        Fitted; it places new rows.
    labels : array of shape (n_complete_rows,)
        Its clusters, 0..k-1; -1 is noise.
    seconds : float
        Time the fit took.
    notes : tuple of str
        What the reader should know.
    """
    complete, choice, scaling = prepared.complete, prepared.choice, prepared.scaling
    numbers, by_size = number_by_size(np.bincount(labels[labels >= 0]))
    found = number_labels(labels, numbers)
    profile = profile_groups(complete.X, found, choice.used, len(numbers), rows=complete.rows)
    return Groups(
        source=prepared.table.source,
        n_rows=prepared.table.n_rows,
        columns=choice.used,
        left_out=choice.left_out,
        notes=(*prepared.notes, *notes),
        recipe=recipe,
        scaling=scaling,
        medians=complete.medians,
        model=estimator,
        numbers=numbers,
        labels=spread_labels(found, complete.rows, complete.n_rows_in_table),
        profile=profile,
        centers=centers_of(estimator, scaling, by_size, profile.means),
        explained=share_explained(profile, scaling, len(complete.rows)),
        seconds=seconds,
    )


def centers_of(estimator: Any, scaling: Scaling, by_size: Any, means: Any) -> Any:
    """Return the estimator's centres in the table's units; means where it has none, or only directions."""
    centers = getattr(estimator, "cluster_centers_", None)
    if centers is None or np.shape(centers) != means.shape or _has_directions(estimator):
        return means
    return scaling.invert(np.asarray(centers, dtype=np.float64)[by_size])


def _has_directions(estimator: Any) -> bool:
    geometry = getattr(estimator, "geometry", None)
    return geometry is not None and get_geometry(geometry).distance.euclidean_form == "half square"


def number_by_size(sizes: Any) -> tuple[Labels, Any]:
    """Return the group of each cluster, the largest being 0, and the clusters in that order."""
    by_size = np.argsort(-sizes, kind="stable")
    numbers = np.empty(len(sizes), dtype=np.int32)
    numbers[by_size] = np.arange(len(sizes))
    return numbers, by_size


def share_explained(profile: Profile, scaling: Scaling, n_rows: int) -> float | None:
    """Return the share of the variance of the scaled data that lies between the groups: BSS / TSS."""
    variances = (profile.spread / scaling.factor) ** 2
    total = n_rows * float(variances.sum())
    between = float(profile.sizes @ (profile.differences**2 @ variances))
    return between / total if total > 0 else None
