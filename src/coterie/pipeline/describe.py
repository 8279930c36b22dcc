"""Table in, groups out: choose columns, settle missing values, scale, cluster, describe."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.progress import ProgressOption
from coterie._support.typing import Labels
from coterie.cluster import find_method
from coterie.data import ColumnChoice, Complete, Scaling, Table, fit_scaling, settle_missing
from coterie.distance import get_geometry
from coterie.errors import InvalidData
from coterie.pipeline.groups import NOT_GROUPED, Groups, number_labels
from coterie.pipeline.profile import Profile, profile_groups
from coterie.pipeline.recipe import Recipe, check_k, make_estimator


def fit_groups(
    table: Table,
    recipe: Recipe,
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
    progress: ProgressOption = None,
) -> Groups:
    """Find groups in the rows of a table.

    Parameters
    ----------
    table : Table
        From `coterie.data.read_table`.
    recipe : Recipe
        Method, number of groups, scaling and so on.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values.
    progress : None, bool or callable
        See `coterie._support.progress.track`.

    Returns
    -------
    Groups
    """
    method = find_method(recipe.method)
    estimator = make_estimator(method, recipe, progress)
    prepared = prepare_table(table, scale=recipe.scale, drop=drop, keep=keep, missing=missing)
    check_k(method, recipe, len(prepared.complete.rows), table.source)
    began = time.perf_counter()
    warned = _fit(estimator, prepared.points)
    seconds = time.perf_counter() - began
    return describe_groups(
        prepared, recipe, estimator, estimator.labels_, seconds=seconds, notes=tuple(warned)
    )


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table ready to be clustered.

    Parameters
    ----------
    table : Table
        Where the rows come from.
    choice : ColumnChoice
        The columns used, and those left out.
    complete : Complete
        Their values without holes.
    scaling : Scaling
        How they were scaled.
    points : array or CSR matrix
        The scaled values.
    """

    table: Table
    choice: ColumnChoice
    complete: Complete
    scaling: Scaling
    points: Any


def prepare_table(
    table: Table,
    *,
    scale: str = "standard",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
) -> Prepared:
    """Choose columns, settle missing values and scale; parameters as in `fit_groups` and `Recipe`."""
    choice = _choose(table, drop, keep)
    complete = settle_missing(table.matrix(choice.used), choice.used, policy=missing, source=table.source)
    scaling = fit_scaling(complete.X, scale)
    return Prepared(table, choice, complete, scaling, scaling.apply(complete.X))


def describe_groups(
    prepared: Prepared,
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
    prepared : Prepared
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
    members = np.where(found > 0, found - 1, -1)
    profile = profile_groups(complete.X, members, choice.used, len(numbers), rows=complete.rows)
    return Groups(
        source=prepared.table.source,
        n_rows=prepared.table.n_rows,
        columns=choice.used,
        left_out=choice.left_out,
        notes=(*prepared.table.notes, *_missing_note(complete), *notes),
        recipe=recipe,
        scaling=scaling,
        medians=complete.medians,
        model=estimator,
        numbers=numbers,
        labels=_spread(found, complete),
        profile=profile,
        centers=centers_of(estimator, scaling, by_size, profile.means),
        explained=share_explained(profile, scaling, len(complete.rows)),
        seconds=seconds,
    )


def _choose(table: Table, drop: Sequence[str], keep: Sequence[str]) -> ColumnChoice:
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; groups need at least two.")
    return table.choose(drop=drop, keep=keep)


def _spread(found: Labels, complete: Complete) -> Labels:
    """Put the labels of the complete rows back in their places in the table."""
    labels = np.full(complete.n_rows_in_table, NOT_GROUPED, dtype=np.int32)
    labels[complete.rows] = found
    return labels


def _fit(estimator: Any, X: Any) -> list[str]:
    """Fit, and return what was warned about as notes."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(X)
    return list(dict.fromkeys(str(warning.message).splitlines()[0] for warning in caught))


def _missing_note(complete: Complete) -> list[str]:
    if complete.n_dropped:
        return [f"rows with missing values left out: {complete.n_dropped:,}"]
    return ["missing values filled with the column's median"] if complete.medians is not None else []


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
    """Return the number of each cluster, the largest being 1, and the clusters in that order."""
    by_size = np.argsort(-sizes, kind="stable")
    numbers = np.empty(len(sizes), dtype=np.int32)
    numbers[by_size] = np.arange(1, len(sizes) + 1)
    return numbers, by_size


def share_explained(profile: Profile, scaling: Scaling, n_rows: int) -> float | None:
    """Return the share of the variance of the scaled data that lies between the groups: BSS / TSS."""
    variances = (profile.spread / scaling.factor) ** 2
    total = n_rows * float(variances.sum())
    between = float(profile.sizes @ (profile.differences**2 @ variances))
    return between / total if total > 0 else None
