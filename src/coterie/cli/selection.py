"""From a table to the evidence: what ``coterie select`` is told, and what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass

from coterie._support.notes import render_notes
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import JsonObject, MatrixLike, Model
from coterie.cluster import find_method
from coterie.data import AUTO, LeftOut, Table, check_scale, prepare_rows
from coterie.data.geography.places import check_places
from coterie.data.square import refuse_distances
from coterie.errors import InvalidParameter
from coterie.pipeline import Recipe, make_estimator, make_request
from coterie.pipeline.fit import open_rows
from coterie.pipeline.request import HAVERSINE, PRECOMPUTED, places_for, scale_for
from coterie.select import Evidence, choose_k, find_criterion
from coterie.select.partitioners import find_partitioner

RANGE = re.compile(r"(\d+)(?:\.\.(\d+))?")


@dataclass(frozen=True)
class Wish:
    """What the command line asks for."""

    data: str
    method: str
    k: str | None
    criteria: tuple[str, ...]
    distance: str | None
    scale: str
    columns: tuple[str, ...]
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    missing: str
    seed: int
    places: str = AUTO

    @property
    def is_square(self) -> bool:
        """Whether the table holds distances."""
        return self.distance == PRECOMPUTED


@dataclass(frozen=True)
class Selection:
    """The evidence, the data that it is about, and the columns used."""

    wish: Wish
    source: str
    n_rows: int
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    scale: str
    notes: tuple[str, ...]
    evidence: Evidence

    def facts(self) -> JsonObject:
        """Return everything that ``--json`` prints."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": list(self.columns),
            "left_out": [{"column": column.name, "reason": column.reason} for column in self.left_out],
            "distance": self.wish.distance,
            "scale": self.scale,
            "seed": self.wish.seed,
            **self.evidence.to_dict(),
            "notes": list(render_notes([*self.notes, *self.evidence.notes], shell=True)),
        }


def check(wish: Wish) -> None:
    """Refuse names and ranges that cannot be, before any data are read."""
    find_partitioner(wish.method)
    read_range(wish.k)
    for name in wish.criteria:
        find_criterion(name)
    check_scale(wish.scale)
    check_places(wish.places)
    if wish.seed < 0:
        raise InvalidParameter(f"--seed must be at least 0, got {wish.seed}.")
    _estimator(wish)._check_parameters()  # the base class is ours


def read_range(text: str | None) -> range | None:
    """Return a range of numbers of groups.

    Examples
    --------
    >>> read_range("2..5")
    range(2, 6)
    """
    if text is None:
        return None
    found = RANGE.fullmatch(text.strip())
    if found is None:
        raise InvalidParameter(f'-k must be a range such as 2..15, got "{text}".')
    low = int(found[1])
    high = int(found[2]) if found[2] else low
    if not 1 <= low <= high:
        raise InvalidParameter(f"-k must be a range from at least 1 up, such as 2..15, got {text}.")
    return range(low, high + 1)


def find(table: Table, wish: Wish, *, progress: ProgressOption = None) -> Selection:
    """Return the evidence for the rows of a table."""
    refuse_distances(table)
    prepared = prepare_rows(
        table,
        scale=scale_for(wish.scale, wish.distance),
        columns=wish.columns,
        drop=wish.drop,
        keep=wish.keep,
        missing=wish.missing,
        places=places_for(wish.places, wish.distance),
        as_angles=wish.distance == HAVERSINE,
    )
    evidence = _evidence(prepared.points, wish, progress)
    choice, how = prepared.choice, prepared.scaling.how
    return Selection(
        wish,
        table.source,
        table.n_rows,
        prepared.table_columns,
        choice.left_out,
        how,
        prepared.notes,
        evidence,
    )


def find_as_fit_does(data: MatrixLike, wish: Wish, *, progress: ProgressOption = None) -> Selection:
    """Return the evidence from the rows that ``coterie fit`` compares methods on.

    A sample of data in blocks; principal coordinates of distances.
    """
    request = make_request(
        wish.method, read_range(wish.k), distance=wish.distance or AUTO, scale=wish.scale,
        columns=wish.columns, drop=wish.drop, keep=wish.keep, missing=wish.missing, random_state=wish.seed,
        places=wish.places,
    )  # fmt: skip
    with track(progress, f"reading {wish.data}", total=None) as tracker:
        rows = open_rows(data, request, tracker)
        compared = rows.compare_on(request)
    evidence = _evidence(compared.points, wish, progress)
    notes = (*rows.notes, *((compared.note,) if compared.note and not compared.is_whole else ()))
    return Selection(
        wish, rows.source, rows.n_rows, rows.table_columns, rows.left_out, rows.scaling.how, notes, evidence
    )


def _evidence(points: MatrixLike, wish: Wish, progress: ProgressOption) -> Evidence:
    return choose_k(
        points,
        _estimator(wish),
        k=read_range(wish.k),
        criteria=wish.criteria or None,
        random_state=wish.seed,
        progress=progress,
    )


def _estimator(wish: Wish) -> Model:
    distance = None if wish.is_square else wish.distance
    recipe = Recipe(wish.method, None, wish.scale, distance, None, None, wish.seed)
    return make_estimator(find_method(wish.method), recipe)
