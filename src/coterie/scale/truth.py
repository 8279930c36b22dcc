"""Classes that rows in blocks are known to have: whole numbers, or names with one code book for all files."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie._support.typing import AnyArray, Indices
from coterie.errors import InvalidParameter
from coterie.evaluate import Comparison
from coterie.scale import evaluate
from coterie.scale.blocks import Blocks
from coterie.scale.columns import Opened
from coterie.scale.gaps import select_blocks
from coterie.scale.preparation import Preparation
from coterie.scale.sampling import take_rows
from coterie.scale.sources.changed import ColumnPlan
from coterie.scale.sources.reading import read_blocks
from coterie.scale.survey import MOST_DIFFERENT, survey_cells

NO_CLASS = "None"  # the class of rows that have none, as for a table in memory


@dataclass(frozen=True, eq=False)
class Truth:
    """The class of each row that is grouped."""

    codes: Blocks  # one column of whole numbers
    names: tuple[str, ...] = ()  # what the codes 0, 1, ... stand for; empty: the numbers are the classes

    def of_rows(self, rows: Indices) -> AnyArray:
        """Return the classes of some rows."""
        codes = take_rows(self.codes, rows)[:, 0].astype(np.int64)
        return np.array(self.names)[codes] if self.names else np.asarray(codes)

    def named(self, found: Comparison) -> Comparison:
        """Return a comparison of codes by the names of the classes."""
        if not self.names:
            return found
        table = found.table
        return Comparison(replace(table, classes=np.array(self.names)[np.asarray(table.classes, dtype=int)]))


def read_truth(truth: object, opened: Opened, is_kept: AnyArray | None) -> Truth | None:
    """Return the classes of the rows that are grouped: a column of the data, or a number per row."""
    if truth is None:
        return None
    names: tuple[str, ...] = ()
    if (
        isinstance(truth, str)
        and opened.tables is not None
        and not opened.looks[truth].series.dtype.is_integer()
    ):
        codes, names = _coded(truth, opened)
    elif isinstance(truth, str):
        codes = evaluate.label_blocks(opened.read([truth]), None, "truth")
    else:
        codes = evaluate.label_blocks(truth, None, "truth")
    if codes.n_rows != opened.blocks.n_rows:
        raise InvalidParameter(
            f"truth must have one class per row, {opened.blocks.n_rows}, got {codes.n_rows}."
        )
    return Truth(codes if is_kept is None else select_blocks(codes, is_kept), names)


def _coded(name: str, opened: Opened) -> tuple[Blocks, tuple[str, ...]]:
    """Return a column of names as codes: all files have one code book, found in a pass."""
    assert opened.tables is not None
    facts = survey_cells(opened.tables, {name: None}, opened.blocks)[name]
    if facts.is_many:
        raise InvalidParameter(
            f'{opened.title}: column "{name}" has more than {MOST_DIFFERENT:,} different values, too many '
            f"for classes to compare with."
        )
    names = tuple(sorted({*facts.texts, *([NO_CLASS] if facts.n_missing else [])}))
    blocks = read_blocks(opened.tables, columns=[name], readings={name: ColumnPlan(levels=names)})
    missing = names.index(NO_CLASS) if facts.n_missing else 0
    return blocks.prepared(Preparation(np.array([float(missing)]))), names
