"""Table in, groups out: choose columns, settle missing values, scale, cluster, describe."""

from __future__ import annotations

import inspect
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._progress import ProgressOption
from coterie._typing import Labels
from coterie.cluster import Method, find_method
from coterie.distance import get_geometry
from coterie.errors import InvalidData, InvalidParameter, did_you_mean
from coterie.groups.groups import NOT_GROUPED, Groups, number_labels
from coterie.groups.profile import Profile, profile_groups
from coterie.prepare import SCALINGS, Scaling, fit_scaling
from coterie.read import ColumnChoice, Complete, Table, settle_missing

# How the command line calls what estimators call otherwise; None in a recipe means the estimator's default.
OPTIONS = {"distance": ("geometry", "metric"), "n_init": ("n_init",), "improve": ("improve",)}


@dataclass(frozen=True)
class Recipe:
    """How to find groups.

    Parameters
    ----------
    method : str, default="kmeans"
        A name of `coterie.cluster.catalogue`.
    n_clusters : int or None
        How many groups, for methods that must be told.
    scale : {"standard", "minmax", "robust", "none"}, default="standard"
        What to do with the columns first.
    distance : str or None
        A name of `coterie.distance.catalogue`; None is the method's own.
    n_init : int or None
        How many starts.
    improve : str or None
        How to look for a better optimum.
    seed : int, default=0
        Same seed, same table, same groups.
    """

    method: str = "kmeans"
    n_clusters: int | None = None
    scale: str = "standard"
    distance: str | None = None
    n_init: int | None = None
    improve: str | None = None
    seed: int = 0


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
        From `coterie.read.read_table`.
    recipe : Recipe
        Method, number of groups, scaling and so on.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values.
    progress : None, bool or callable
        See `coterie._progress.track`.

    Returns
    -------
    Groups
    """
    method = find_method(recipe.method)
    estimator = make_estimator(method, recipe, progress)
    prepared = prepare_table(table, scale=recipe.scale, drop=drop, keep=keep, missing=missing)
    _check_k(method, recipe, prepared.complete, table)
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


def check_recipe(recipe: Recipe) -> None:
    """Refuse names and options that do not exist, before any data are read."""
    method = find_method(recipe.method)
    if recipe.scale not in SCALINGS:
        raise InvalidParameter(
            f'no such scale "{recipe.scale}".{did_you_mean(recipe.scale, SCALINGS)} ({", ".join(SCALINGS)})'
        )
    for option, least in (("n_init", 1), ("seed", 0)):
        value = getattr(recipe, option)
        if value is not None and value < least:
            raise InvalidParameter(f"{option} must be at least {least}, got {value}.").in_shell(
                f"--{option.replace('_', '-')} must be at least {least}, got {value}."
            )
    if method.needs_k:
        _check_k_given(method, recipe)
    make_estimator(method, recipe)._check_parameters()  # the base class is ours


def takes_option(method: str, option: str) -> bool:
    """Return whether a method has an option of `OPTIONS`.

    Examples
    --------
    >>> takes_option("kmeans", "n_init"), takes_option("dbscan", "n_init")
    (True, False)
    """
    parameters = inspect.signature(find_method(method).load()).parameters
    return any(name in parameters for name in OPTIONS[option])


def make_estimator(method: Method, recipe: Recipe, progress: ProgressOption = None) -> Any:
    """Return the unfitted estimator of a recipe, refusing options that its method does not have."""
    kind = method.load()
    parameters = inspect.signature(kind).parameters
    chosen: dict[str, Any] = dict(method.settings)
    for option, names in OPTIONS.items():
        value = getattr(recipe, option)
        if value is None:
            continue
        name = next((name for name in names if name in parameters), None)
        if name is None:
            raise InvalidParameter(f"{method.title} has no {option}, got {value!r}.").in_shell(
                f"{method.title} has no --{option.replace('_', '-')}, got {value!r}."
            )
        chosen[name] = get_geometry(value).name if name == "geometry" else value
    for name, value in (
        ("n_clusters" if "n_clusters" in parameters else "n_components", recipe.n_clusters),
        ("random_state", recipe.seed),
        ("progress", progress),
    ):
        if name in parameters and value is not None:
            chosen[name] = value
    return kind(**chosen)


def _check_k(method: Method, recipe: Recipe, complete: Complete, table: Table) -> None:
    if not method.needs_k:
        return
    k, n_rows = _check_k_given(method, recipe), len(complete.rows)
    if k > n_rows:
        raise InvalidParameter(
            f"{table.source}: n_clusters must be at most {n_rows}, its rows, got {k}."
        ).in_shell(f"{table.source}: -k must be at most {n_rows}, its rows, got {k}.")


def _check_k_given(method: Method, recipe: Recipe) -> int:
    k = recipe.n_clusters
    if k is None:
        raise InvalidParameter(f"{method.title} needs to know the number of groups: n_clusters.").in_shell(
            f"{method.title} needs to know the number of groups: -k N, for example -k 5."
        )
    if k < 1:
        raise InvalidParameter(f"n_clusters must be at least 1, got {k}.").in_shell(
            f"-k must be at least 1, got {k}."
        )
    return k


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
