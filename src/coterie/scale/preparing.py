"""Rows of any number ready to be clustered: columns chosen, measured and scaled, some rows drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coterie._support.progress import Tracker
from coterie._support.typing import Data
from coterie.data import Scaling, Table
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.preparing import LEAST_ROWS
from coterie.pipeline.request import Asked
from coterie.scale import moments
from coterie.scale.blocks import Blocks
from coterie.scale.columns import Opened, open_columns
from coterie.scale.sampling import Sample, draw_sample
from coterie.scale.scalings import scaling_of

SAMPLE_ROWS = 20_000  # that rules, typical rows and the report come from


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows in blocks, and some of them in memory.

    Parameters
    ----------
    opened : Opened
        Columns and rows as they are.
    whole : Whole
        Moments of the columns, exact.
    scaling : Scaling
        What is done to the columns.
    blocks : Blocks
        All rows, scaled.
    sample : Sample
        Some rows as they are.
    points : array
        The same, scaled.
    notes : tuple of str
        What was done.
    """

    opened: Opened
    whole: moments.Whole
    scaling: Scaling
    blocks: Blocks
    sample: Sample
    points: Data
    notes: tuple[str, ...]

    @property
    def table(self) -> Table:
        """The sampled rows as a table."""
        opened = self.opened
        return Table(opened.title, opened.columns, opened.has_names, len(self.sample.rows), self.sample.X)


def prepare(
    source: Any, asked: Asked, drop: Sequence[str], keep: Sequence[str], seed: int, tracker: Tracker
) -> Prepared:
    """Choose, measure and scale the columns, and draw some rows."""
    opened, whole = _measured(source, drop, keep)
    _check_rows(asked, opened.blocks.n_rows, opened.title)
    scaling, notes = scaling_of(opened.blocks, whole, asked.scale, seed)
    tracker.report(0, stage="drawing rows")
    sample = draw_sample(opened.blocks, max(SAMPLE_ROWS, asked.budget.rows), seed)
    blocks = opened.blocks.scaled(scaling)
    return Prepared(opened, whole, scaling, blocks, sample, scaling.apply(sample.X), notes)


def _check_rows(asked: Asked, n_rows: int, title: str) -> None:
    """Refuse more groups than rows, or too few rows."""
    if n_rows < LEAST_ROWS:
        raise InvalidData(f"{title}: coterie.fit needs at least {LEAST_ROWS} rows, got {n_rows}.")
    if asked.ks is not None and asked.ks[-1] > n_rows:
        raise InvalidParameter(
            f"k of coterie.fit must be at most {n_rows}, the rows, got {asked.ks[-1]}."
        ).in_shell(f"{title}: -k must be at most {n_rows}, its rows, got {asked.ks[-1]}.")


def _measured(source: Any, drop: Sequence[str], keep: Sequence[str]) -> tuple[Opened, moments.Whole]:
    """Return the columns that vary, and their moments."""
    opened = open_columns(source, drop, keep)
    whole = moments.measure(opened.blocks, None, who="coterie.fit")
    variances = zip(opened.columns, whole.columns.variance, strict=True)
    constant = [name for name, variance in variances if variance == 0 and name not in keep]
    if constant and opened.has_names:
        opened = opened.without(constant, "constant")
        whole = moments.measure(opened.blocks, None, who="coterie.fit")
    return opened, whole
