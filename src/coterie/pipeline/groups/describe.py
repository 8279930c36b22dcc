"""Groups described in the units of the table: sizes, means, centres, typical rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from coterie._support.typing import CheckedRows, FloatArray, Indices, Labels
from coterie.data import PreparedRows, Scaling
from coterie.data.categories import Levels
from coterie.data.geography.places import Place
from coterie.data.geography.positions import in_degrees, note_turns, with_positions
from coterie.distance import find_geometry
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.groups.groups import Groups
from coterie.pipeline.groups.numbering import number_by_size, number_labels, spread_labels
from coterie.pipeline.groups.profile import SHOWN, Profile, find_members, profile_groups
from coterie.pipeline.groups.rules import category_name
from coterie.pipeline.many_columns import exemplars, names_of_rows
from coterie.pipeline.recipe import Recipe


def describe_groups(
    prepared: PreparedRows,
    recipe: Recipe,
    estimator: object,
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
    profile = profile_prepared(prepared, found, len(numbers))
    is_plain = not prepared.levels and not prepared.places
    if profile.has_many_columns:
        profile = tell_by_rows(prepared, profile, found, estimator, numbers)
    return Groups(
        source=prepared.table.source,
        n_rows=prepared.table.n_rows,
        columns=choice.used,
        left_out=choice.left_out,
        notes=(*prepared.notes, *notes, *note_turns(profile)),
        recipe=recipe,
        scaling=scaling,
        medians=complete.medians,
        model=estimator,
        numbers=numbers,
        labels=spread_labels(found, complete.rows, complete.n_rows_in_table),
        profile=profile,
        centers=centers_of(estimator, scaling, by_size, profile.means) if is_plain else profile.means,
        explained=share_explained(profile, scaling, len(complete.rows)) if is_plain else None,
        seconds=seconds,
        levels=prepared.levels,
        readings=prepared.readings(),
        places=prepared.places,
    )


def profile_prepared(prepared: PreparedRows, labels: Labels, k: int) -> Profile:
    """Return what the groups of prepared rows look like, with the positions of the groups."""
    described = described_rows(prepared)
    profile = profile_groups(
        described.X,
        labels,
        described.columns,
        k,
        rows=prepared.complete.rows,
        category_of=described.category_of,
    )
    return with_positions(profile, prepared, labels) if prepared.places or prepared.angles else profile


def tell_by_rows(
    prepared: PreparedRows, profile: Profile, labels: Labels, estimator: object, numbers: Labels
) -> Profile:
    """Return the profile with typical rows as the method saw them, by the names that the table has."""
    k, rows = len(profile.sizes), prepared.complete.rows
    typical = exemplars(estimator, numbers, len(labels), k, SHOWN)
    if typical is None:
        means = np.array([prepared.points[labels == group].mean(axis=0) for group in range(k)])
        typical = find_members(prepared.points, labels, means, np.ones(means.shape[1]))[0]
    numbered = tuple(rows[each] for each in typical)
    named = [names_of_rows(prepared.table, each) for each in numbered]
    names = tuple(tuple(each) for each in named if each is not None)
    return replace(profile, typical=numbered, names=names if len(names) == k else ())


@dataclass(frozen=True, eq=False)
class Described:
    """Rows as groups are described by them: columns, values, and of which column a category is."""

    columns: tuple[str, ...]
    X: CheckedRows
    category_of: tuple[str, ...] = ()


def described_rows(prepared: PreparedRows) -> Described:
    """Return rows in the table's units: categories as columns of 0 and 1, positions in degrees."""
    return RowUnits(prepared.choice.used, prepared.levels, prepared.places).describe(prepared.complete.X)


@dataclass(frozen=True)
class RowUnits:
    """How rows are described in the table's units."""

    columns: tuple[str, ...]  # the columns used
    # of mixed rows, the categories of each column, None for numbers; empty: all are numbers
    levels: Levels = ()
    places: tuple[Place, ...] = ()  # columns that are positions
    # longitudes around which those of each position are told; None: around the mean of the rows
    middles: tuple[float, ...] | None = None

    def describe(self, X: CheckedRows) -> Described:
        """Return rows with categories as columns of 0 and 1, positions in degrees."""
        names, category_of = described_columns(self.columns, self.levels)
        X = mixed_columns(self.levels).indicators(X) if self.levels else X
        known = dict(zip(names, category_of, strict=False))
        names, X = in_degrees(names, X, self.places, self.middles)
        return Described(names, X, tuple(known.get(name, "") for name in names) if known else ())

    def indicators(self, X: CheckedRows) -> CheckedRows:
        """Return the rows as they are described."""
        return self.describe(X).X


def described_columns(columns: Sequence[str], levels: Levels) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that groups are described by, one per category, and the column of each category.

    Examples
    --------
    >>> described_columns(["age", "plan"], [None, ("free", "pro")])
    (('age', 'plan = free', 'plan = pro'), ('', 'plan', 'plan'))
    """
    if not levels:
        return tuple(columns), ()
    pairs = [
        (name, "") if category is None else (category_name(name, category), name)
        for name, known in zip(columns, levels, strict=True)
        for category in (known or (None,))
    ]
    return tuple(name for name, _ in pairs), tuple(of for _, of in pairs)


def mixed_columns(levels: Levels) -> MixedColumns:
    """Return which columns of prepared rows are categories.

    Examples
    --------
    >>> mixed_columns((None, ("free", "pro"))).n_levels
    (0, 2)
    """
    return MixedColumns(tuple(0 if known is None else len(known) for known in levels))


def centers_of(estimator: object, scaling: Scaling, by_size: Indices, means: FloatArray) -> FloatArray:
    """Return the estimator's centres in the table's units; means where it has none, or only directions."""
    centers = getattr(estimator, "cluster_centers_", None)
    if centers is None or np.shape(centers) != means.shape or _has_directions(estimator):
        return means
    return np.asarray(scaling.invert(np.asarray(centers, dtype=np.float64)[by_size]))


def _has_directions(estimator: object) -> bool:
    geometry = getattr(estimator, "geometry", None)
    return geometry is not None and find_geometry(geometry).distance.euclidean_form == "half square"


def share_explained(profile: Profile, scaling: Scaling, n_rows: int) -> float | None:
    """Return the share of the variance of the scaled data that lies between the groups: BSS / TSS."""
    variances = (profile.spread / scaling.factor) ** 2
    total = n_rows * float(variances.sum())
    between = float(profile.sizes @ (profile.differences**2 @ variances))
    return between / total if total > 0 else None
