"""A table made ready for clustering: columns chosen, categories coded, gaps treated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import Indices
from coterie.data.categories import NOT_ASSOCIATED, Levels, not_associated
from coterie.data.columns import (
    ColumnChoice,
    LeftOut,
    check_names,
)
from coterie.data.geography.places import (
    OFF,
    Place,
    angle_scaling,
    cells_of,
    check_angles,
    columns_in_table,
    counts_by_place,
    find_places,
    no_position,
    note_angles,
    scale_places,
    what_is_wrong,
    with_places,
)
from coterie.data.missing import (
    Complete,
    check_policy,
    mostly_empty,
    note_missing,
    settle_missing,
    settle_mixed,
)
from coterie.data.notes import reading_notes
from coterie.data.readings import ColumnReading, reading_of
from coterie.data.scaling import AUTO, Scaling, fit_scaling, scale_numbers
from coterie.data.table import Table
from coterie.errors import InvalidData

NOT_NAMED = "not named"  # why a column is left out where the columns to use are named


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """A table ready to be clustered.

    Parameters
    ----------
    table : Table
        Where the rows come from.
    choice : ColumnChoice
        The columns used, and those left out.
    complete : Complete
        Their values without missing ones.
    scaling : Scaling
        How they were scaled.
    points : array or CSR matrix
        The scaled values.
    said : tuple of str
        How cells were read: missing marks, numbers in disguise, columns in doubt.
    kept : tuple of str
        Columns whose numbers are all taken as they are.
    levels : tuple of tuples or None
        Of mixed rows, what the codes of each column stand for, None for numbers; empty: all are numbers.
    places : tuple of Place
        Columns of latitude and longitude that are used as positions: three columns stand for each.
    angles : Place or None
        The two columns used, where they are latitude and longitude, for the haversine.
    """

    table: Table
    choice: ColumnChoice
    complete: Complete
    scaling: Scaling
    points: Any
    said: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    levels: Levels = ()
    places: tuple[Place, ...] = ()
    angles: Place | None = None

    @property
    def rows(self) -> Indices:
        """Rows of the table that are left, counted from 0."""
        return self.complete.rows

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that are used: two for a position."""
        return columns_in_table(self.choice.used, self.places)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the table."""
        missing = note_missing(self.complete, self.missing_counts())
        return (*self.table.notes, *self.said, *missing)

    def gaps(self) -> Any:
        """Return which values of `points` were missing, and filled; None: none."""
        if self.complete.medians is None:
            return None
        return np.isnan(self._cells()[self.rows])

    def _cells(self) -> Any:
        if self.levels:
            return self._seen.coded(self.choice.used, self.levels, keep=self.kept)[0]
        return self._seen.matrix(self.choice.used, keep=self.kept)

    @cached_property
    def _seen(self) -> Table:
        """The table with the axes of its positions."""
        return with_places(self.table, self.places)

    def readings(self) -> tuple[ColumnReading, ...]:
        """Return how the cells of each column used were read; nothing where all rows are one matrix."""
        if self.table.is_matrix:
            return ()
        levels = self.levels or (None,) * len(self.choice.used)
        return tuple(
            reading_of(self._seen.looks[name], is_kept=name in self.kept, is_category=known is not None)
            for name, known in zip(self.choice.used, levels, strict=True)
        )

    def missing_counts(self) -> list[tuple[str, int]]:
        """Return the columns used that lack values, and in how many rows of the table, the most first."""
        X = self._cells()
        if issparse(X):
            return []
        counts = np.isnan(X).sum(axis=0)
        order = np.argsort(-counts, kind="stable")
        found = [(self.choice.used[at], int(counts[at])) for at in order.tolist() if counts[at]]
        return counts_by_place(found, self.places)


def prepare_rows(
    table: Table,
    *,
    scale: str = AUTO,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "auto",
    categories: bool = False,
    associated: bool = False,
    places: str = OFF,
    as_angles: bool = False,
) -> PreparedRows:
    """Choose columns, settle missing values and scale.

    Parameters
    ----------
    table : Table
        From `read_table` or `as_table`.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        See `fit_scaling`.
    columns : sequence of str
        The only columns to use; none: all that can be used.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"auto", "observed", "drop", "median", "refuse"}, default="auto"
        What to do about missing values, see `settle_missing`. "auto" also leaves out columns in which more
        than half of the values are missing, unless they are named.
    categories : bool, default=False
        Whether text of few values is used: then codes stand for it, and missing cells stay missing.
    associated : bool, default=False
        Whether categories that are not associated with any other column are left out, unless they are named.
    places : str, default="off"
        "auto": columns of latitude and longitude are used as positions; "LAT,LON": these two are.
    as_angles : bool, default=False
        Whether a position alone is used, as latitude and longitude in radians: what the haversine takes.
    """
    check_policy(missing)
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; groups need at least two.")
    found, notes = find_places(table, places, columns=columns, others=(*drop, *keep))
    if as_angles:
        return _prepare_angles(table, found[:1], columns, drop, missing)
    if found:
        used = [name for place in found for name in place.columns]
        prepared = prepare_rows(
            with_places(table, found),
            scale="none",
            columns=[*(name for name in columns if name not in used), *_axes(found)] if columns else (),
            drop=[*drop, *used],
            keep=[*keep, *_axes(found)],
            missing=missing,
            categories=categories,
            associated=associated,
        )
        return _of_places(table, prepared, found, notes, scale, keep)
    choice = choose_named(table, columns, drop, keep, categories=categories)
    levels = table.levels(choice.used) if categories else ()
    if levels and associated:
        choice = without_unassociated(table, choice, levels, named=(*columns, *keep))
        levels = table.levels(choice.used)
    if levels:
        return _prepare_mixed(
            table, choice, levels, scale, named=(*columns, *keep), keep=keep, missing=missing
        )
    X = table.matrix(choice.used, keep=keep)
    if missing == "auto":
        choice, X = _without_mostly_empty(choice, X, named=(*columns, *keep))
    complete = settle_missing(X, choice.used, policy=missing, source=table.source)
    scaling = fit_scaling(complete.X, scale)
    said = () if table.is_matrix else reading_notes(table.looks, choice, table.marks, keep)
    said = (*said, *notes)
    return PreparedRows(table, choice, complete, scaling, scaling.apply(complete.X), said, tuple(keep))


def _axes(places: Sequence[Place]) -> list[str]:
    return [name for place in places for name in place.axes]


def _of_places(
    table: Table,
    prepared: PreparedRows,
    places: tuple[Place, ...],
    notes: tuple[str, ...],
    scale: str,
    keep: Sequence[str],
) -> PreparedRows:
    """Return rows of which some columns are axes of positions, scaled, as rows of the table as it is."""
    used = [name for place in places for name in place.columns]
    left_out = tuple(one for one in prepared.choice.left_out if one.name not in used)
    columns, X, levels = prepared.choice.used, prepared.complete.X, prepared.levels
    own = scale_numbers(X, levels, scale) if levels else fit_scaling(X, scale)
    varies = np.fmax.reduce(X, axis=0) > np.fmin.reduce(X, axis=0)
    scaling = scale_places(
        lambda how: fit_scaling(np.nan_to_num(X), how), varies, columns, places, scale, own
    )
    return replace(
        prepared,
        table=table,
        choice=ColumnChoice(columns, left_out),
        scaling=scaling,
        points=scaling.apply(X),
        said=(*prepared.said, *notes),
        kept=tuple(keep),
        places=places,
    )


def _prepare_angles(
    table: Table, places: Sequence[Place], columns: Sequence[str], drop: Sequence[str], missing: str
) -> PreparedRows:
    """Return rows of latitude and longitude in radians: of the position, else of the only two columns."""
    pair = [name for place in places for name in place.columns] or list(columns)
    prepared = prepare_rows(table, scale="none", columns=pair, drop=drop, missing=missing)
    choice, complete = prepared.choice, prepared.complete
    check_angles(choice.used, table.source)
    if pair and tuple(pair) != choice.used:  # a table may have the longitude first
        complete = replace(complete, X=np.ascontiguousarray(complete.X[:, ::-1]))
        medians = None if complete.medians is None else complete.medians[::-1].copy()
        choice, complete = ColumnChoice(tuple(pair), choice.left_out), replace(complete, medians=medians)
    scaling, angles = angle_scaling(np.abs(complete.X).max(axis=0)), Place(*choice.used)
    problem = None if scaling.is_identity else what_is_wrong(cells_of(table, angles), angles)
    if problem is not None:
        raise no_position(angles, table.source, problem)
    said = note_angles(angles, scaling)
    return replace(
        prepared,
        choice=choice,
        complete=complete,
        scaling=scaling,
        points=scaling.apply(complete.X),
        said=(*prepared.said, said),
        angles=angles,
    )


def without_unassociated(
    table: Table, choice: ColumnChoice, levels: Levels, named: Sequence[str] = ()
) -> ColumnChoice:
    """Return the choice without categories that are not associated with any other column; not without all."""
    X, _ = table.coded(choice.used, levels)
    found = not_associated(X, levels)
    gone = [choice.used[at] for at in found if choice.used[at] not in named]
    used = tuple(name for name in choice.used if name not in gone)
    if not used:
        return choice
    reasons = [*choice.left_out, *(LeftOut(name, NOT_ASSOCIATED) for name in gone)]
    return ColumnChoice(used, tuple(sorted(reasons, key=lambda one: table.columns.index(one.name))))


def _prepare_mixed(
    table: Table,
    choice: ColumnChoice,
    levels: Levels,
    scale: str,
    *,
    named: Sequence[str],
    keep: Sequence[str],
    missing: str,
) -> PreparedRows:
    """Return rows of scaled numbers and codes of categories."""
    X, _ = table.coded(choice.used, levels, keep=keep)
    if missing == "auto":
        level_of = dict(zip(choice.used, levels, strict=True))
        choice, X = _without_mostly_empty(choice, X, named=named)
        levels = tuple(level_of[name] for name in choice.used)
    complete = settle_mixed(X, choice.used, levels, policy=missing, source=table.source)
    scaling = scale_numbers(complete.X, levels, scale)
    said = reading_notes(table.looks, choice, table.marks, keep, levels=levels)
    points = scaling.apply(complete.X)
    return PreparedRows(table, choice, complete, scaling, points, said, tuple(keep), levels)


def _without_mostly_empty(choice: ColumnChoice, X: Any, named: Sequence[str]) -> tuple[ColumnChoice, Any]:
    """Leave out columns in which more than half of the values are missing, unless they are named."""
    found = mostly_empty(X, choice.used)
    gone = {name: share for name, share in found.items() if name not in named}
    if not gone:
        return choice, X
    left = [at for at, name in enumerate(choice.used) if name not in gone]
    reasons = tuple(LeftOut(name, f"{share:.0%} missing") for name, share in gone.items())
    used = tuple(choice.used[at] for at in left)
    return ColumnChoice(used, (*choice.left_out, *reasons)), np.ascontiguousarray(X[:, left])


def choose_named(
    table: Table,
    columns: Sequence[str],
    drop: Sequence[str],
    keep: Sequence[str],
    *,
    categories: bool = False,
) -> ColumnChoice:
    """Choose columns; where some are named, those alone, and they are kept although constant or a key."""
    check_names(table.source, table.columns, columns)
    others = [name for name in table.columns if columns and name not in columns and name not in drop]
    kept = [*keep, *(name for name in columns if name not in drop)]
    choice = table.choose(drop=[*drop, *others], keep=kept, categories=categories)
    for name in others:
        choice = choice.renamed_reason(name, NOT_NAMED)
    return choice
