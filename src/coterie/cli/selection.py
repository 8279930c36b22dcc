"""From a table to the evidence: what ``coterie select`` is told, and what it finds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from coterie._support.progress import ProgressOption
from coterie.cluster import find_method
from coterie.data import LeftOut, Table, fit_scaling, settle_missing
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.recipe import Recipe, check_scale, make_estimator
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
    drop: tuple[str, ...]
    keep: tuple[str, ...]
    missing: str
    seed: int


@dataclass(frozen=True)
class Selection:
    """The evidence, and the table it is about."""

    wish: Wish
    source: str
    n_rows: int
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    evidence: Evidence

    def facts(self) -> dict[str, Any]:
        """Return everything that ``--json`` prints."""
        return {
            "source": self.source,
            "rows": self.n_rows,
            "columns": list(self.columns),
            "left_out": [{"column": column.name, "reason": column.reason} for column in self.left_out],
            "distance": self.wish.distance,
            "scale": self.wish.scale,
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
    if table.n_rows < 2:
        raise InvalidData(f"{table.source}: has one row; groups need at least two.")
    choice = table.choose(drop=wish.drop, keep=wish.keep)
    complete = settle_missing(
        table.matrix(choice.used), choice.used, policy=wish.missing, source=table.source
    )
    scaled = fit_scaling(complete.X, wish.scale).apply(complete.X)
    evidence = choose_k(
        scaled,
        _estimator(wish),
        k=read_range(wish.k),
        criteria=wish.criteria or None,
        random_state=wish.seed,
        progress=progress,
    )
    dropped = [f"rows with missing values left out: {complete.n_dropped:,}"] if complete.n_dropped else []
    return Selection(
        wish,
        table.source,
        table.n_rows,
        choice.used,
        choice.left_out,
        (*table.notes, *dropped),
        evidence,
    )


def _estimator(wish: Wish) -> Any:
    recipe = Recipe(wish.method, None, wish.scale, wish.distance, None, None, wish.seed)
    return make_estimator(find_method(wish.method), recipe)
