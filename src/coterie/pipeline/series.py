"""Time series as rows: read from a table, compared by a distance that lets time stretch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie._support.threads import resolve_threads
from coterie._support.typing import AnyArray, Labels
from coterie.data import Table, as_table
from coterie.data.columns import check_names
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.many_columns import row_namer
from coterie.pipeline.request import FitRequest
from coterie.pipeline.rows.matrix import MatrixRows, rows_of_distances
from coterie.pipeline.rows.tables import check_rows
from coterie.series import SeriesCollection, normalise, read_series, series_from_table
from coterie.series.distances import matrix_of
from coterie.series.fit_plan import SeriesPlan

SCALED = {
    "z": "each series is z-normalised: shapes are compared, not levels",
    "range": "each series is scaled to [0, 1]: shapes are compared, not levels",
    "none": "series are compared as they are: levels count",
}


@dataclass(frozen=True, eq=False)
class SeriesRows(MatrixRows):
    """Rows that are time series: judged and fitted as a matrix of distances, drawn as series."""

    series: SeriesCollection = field(kw_only=True)  # as they are compared
    told: str = field(kw_only=True)  # how they are compared

    def medoid(self, labels: Labels, group: int) -> int:
        """Return the member of a group with the least sum of distances to the others."""
        members = np.flatnonzero(np.asarray(labels) == group)
        apart = np.asarray(self.distances)[np.ix_(members, members)]
        return int(members[int(apart.sum(axis=1).argmin())])


def series_rows(data: object, request: FitRequest) -> SeriesRows:
    """Return the series of a table as rows, with their distances."""
    plan = request.series
    assert plan is not None
    _refuse_options(request)
    series, source, classes, notes = _read(data, request, plan)
    check_rows(request, len(series), source)
    distance = plan.settled(int(series.lengths.max()))
    scaled = normalise(series, how=plan.normalisation)
    distances = matrix_of(distance, scaled, None, threads=resolve_threads())
    ids = [str(one) for one in series.ids] if series.ids is not None else None
    name = plan.columns[0] if plan.columns else "series"
    window = distance.told.get("window")
    within = "" if window is None else f", matched points at most {window} steps apart"
    told = f"{distance.name} distances{within}"
    found = rows_of_distances(
        np.maximum(distances, 0.0),
        source=source,
        names=ids,
        key=name if ids is not None else None,
        notes=(*notes, SCALED[plan.normalisation]),
    )
    return SeriesRows(found.prepared, classes, found.distances, series=scaled, told=told)


def _refuse_options(request: FitRequest) -> None:
    """Refuse what is about columns of a table of rows."""
    given = {"keep": request.keep, "dates": request.reading.get("dates"), "checkpoint": request.checkpoint}
    if request.series is not None and request.series.columns:
        given |= {"columns": request.columns, "drop": request.drop}
    for name, value in given.items():
        if value:
            raise InvalidParameter(f"{name} of coterie.fit is not for series. Leave it out.").in_shell(
                f"--{name} is not for --series. Leave it out."
            )
    if request.missing not in ("auto", "refuse"):
        raise InvalidParameter(
            f"missing of coterie.fit must be 'auto' for series, got {request.missing!r}: a series may be "
            f"shorter, but has no gaps."
        ).in_shell("--missing is not for --series: a series may be shorter, but has no gaps. Leave it out.")


def _read(
    data: Any, request: FitRequest, plan: SeriesPlan
) -> tuple[SeriesCollection, str, Any, tuple[str, ...]]:
    """Return the series, what the data are called, the classes of the series and notes."""
    is_list = isinstance(data, list) and not all(isinstance(one, str) for one in data)
    if not plan.columns and (is_list or isinstance(data, SeriesCollection) or np.ndim(data) == 3):
        series = read_series(data, who="coterie.fit")
        return series, "the series", _array_of(request.truth, len(series)), ()
    table = as_table(data, may_be_distances=True, **request.reading)
    if plan.columns:
        identity, time, *values = plan.columns
        series = series_from_table(table, id=identity, time=time, value=values, who="coterie.fit")
        return series, table.source, _classes(table, request.truth, identity, series), _of_lengths(series)
    return _of_wide(table, request)


def _of_wide(table: Table, request: FitRequest) -> tuple[SeriesCollection, str, Any, tuple[str, ...]]:
    """Return the rows of a wide table as series, in the order of its columns of numbers."""
    truth = request.truth if isinstance(request.truth, str) else None
    check_names(table.source, table.columns, [*request.columns, *request.drop, *([truth] if truth else [])])
    left = [name for name in request.columns or table.columns if name not in request.drop and name != truth]
    names, ids = left, None
    if not table.is_matrix:
        names = [name for name in left if table.looks[name].numbers is not None]
        if not request.columns:  # a number that counts the rows is a name, not a point
            names = [name for name in names if not table.looks[name].names_rows] or names
        namer = row_namer(table)
        ids = None if namer is None else tuple(str(one) for one in namer.to_list())
    if not names:
        raise InvalidData(f"{table.source}: no column holds numbers, so that no row is a series.")
    series = read_series(
        np.asarray(table.matrix(names, keep=names), dtype=np.float64), who=table.source, name="series"
    )
    others = [name for name in left if name not in names]
    notes = (f"not part of the series: {', '.join(others[:5])}",) if others else ()
    classes = _array_of(request.truth, len(series))
    if truth is not None:
        column = table.columns.index(truth)
        cells = np.asarray(table.content)[:, column] if table.is_matrix else table.content[truth]
        classes = np.array([str(one) for one in cells])
    named = SeriesCollection(series.values, series.starts, ids)
    return named, table.source, classes, (*notes, *_of_lengths(named))


def _of_lengths(series: SeriesCollection) -> tuple[str, ...]:
    shortest, longest = int(series.lengths.min()), int(series.lengths.max())
    return () if shortest == longest else (f"series have {shortest:,} to {longest:,} points",)


def _array_of(truth: object, n_series: int) -> AnyArray | None:
    if truth is None or isinstance(truth, str):
        return None
    classes = np.asarray(truth)
    if classes.shape != (n_series,):
        raise InvalidData(f"truth must have one class per series, {n_series}, got shape {classes.shape}.")
    return classes


def _classes(table: Table, truth: object, identity: str, series: SeriesCollection) -> AnyArray | None:
    """Return the class of each series of a long table; the points of one must agree."""
    if not isinstance(truth, str):
        return _array_of(truth, len(series))
    check_names(table.source, table.columns, [truth])
    found: dict[object, str] = {}
    assert series.ids is not None
    which, classes = (_cells(table, name) for name in (identity, truth))
    for one, label in zip(which, classes, strict=True):
        if found.setdefault(one, str(label)) != str(label):
            raise InvalidData(
                f'{table.source}: series "{one}" has several values of "{truth}": the truth must be one per '
                f"series."
            )
    return np.array([found[one] for one in series.ids])


def _cells(table: Table, name: str) -> list[object]:
    if table.is_matrix:
        cells = np.asarray(table.content)[:, table.columns.index(name)].tolist()
        return [int(one) if float(one).is_integer() else one for one in cells]
    return list(table.content[name].to_list())
