"""From a table to the evidence: what ``coterie select`` is told, and what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from coterie._support.progress import ProgressOption
from coterie.cluster import find_method
from coterie.data import LeftOut, PreparedRows, Table, check_scale, prepare_rows
from coterie.errors import InvalidParameter
from coterie.pipeline import Recipe, make_estimator
from coterie.pipeline.request import scale_for
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


@dataclass(frozen=True)
class Selection:
    """The evidence, and the table it is about."""

    wish: Wish
    prepared: PreparedRows
    evidence: Evidence

    @property
    def source(self) -> str:
        """Name of the table."""
        return self.prepared.table.source

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.prepared.table.n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns used."""
        return self.prepared.choice.used

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""
        return self.prepared.choice.left_out

    @property
    def scale(self) -> str:
        """How the columns were scaled."""
        return self.prepared.scaling.how

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done to the table."""
        return self.prepared.notes

    def facts(self) -> dict[str, Any]:
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
            "notes": [*self.notes, *self.evidence.notes],
        }


def check(wish: Wish) -> None:
    """Refuse names and ranges that cannot be, before any data are read."""
    find_partitioner(wish.method)
    read_range(wish.k)
    for name in wish.criteria:
        find_criterion(name)
    check_scale(wish.scale)
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
    prepared = prepare_rows(
        table,
        scale=scale_for(wish.scale, wish.distance),
        columns=wish.columns,
        drop=wish.drop,
        keep=wish.keep,
        missing=wish.missing,
    )
    evidence = choose_k(
        prepared.points,
        _estimator(wish),
        k=read_range(wish.k),
        criteria=wish.criteria or None,
        random_state=wish.seed,
        progress=progress,
    )
    return Selection(wish, prepared, evidence)


def _estimator(wish: Wish) -> Any:
    recipe = Recipe(wish.method, None, wish.scale, wish.distance, None, None, wish.seed)
    return make_estimator(find_method(wish.method), recipe)
