"""Tables, and the one way from a table to rows ready to be clustered: columns chosen, complete, scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import issparse

from coterie._printing import shortened
from coterie._support.notes import DOORS
from coterie._support.optional import require
from coterie._support.typing import CheckedRows, Data, PolarsSeries
from coterie.data.categories import Levels, codes_of, is_yes_no, levels_of
from coterie.data.columns import (
    ColumnChoice,
    LeftOut,
    Look,
    check_names,
    choose_columns,
    look_at,
    remedy_for,
)
from coterie.data.marks import Counts
from coterie.data.readings import ColumnReadings, look_as
from coterie.errors import InvalidData


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns, as read from a file.

    Parameters
    ----------
    source : str
        What the file is called in messages.
    columns : tuple of str
        Names; ``column_1`` and so on where the file has none.
    has_names : bool
        Whether the names come from the file.
    n_rows : int
        Number of rows.
    content : polars.DataFrame, ndarray or CSR matrix
        The values.
    notes : tuple of str
        What the reader had to decide, in a user's words.
    marks : mapping of str to mapping of str to int
        By column, the texts such as "NA" that the reader took as missing, and how many cells held them.
    dates : {"as-number", "year", "month", "weekday"} or None
        What is made of dates and times; None: they are left out.
    readings : mapping of str to ColumnReading
        Columns whose cells are read as an earlier table's were, instead of by looking.
    absent : mapping of str to str
        Of several files, the columns that not all of them have, and how many lack them.
    files : tuple of (str, int)
        The files that the rows come from, and the rows of each; empty: one source.
    keys : tuple of str
        Columns that are known to name the rows.
    is_network : bool
        Whether the rows are links between nodes.
    index : polars.Series or None
        Names of the rows that are not a column: the index of a pandas frame.
    """

    source: str
    columns: tuple[str, ...]
    has_names: bool
    n_rows: int
    content: Any
    notes: tuple[str, ...] = ()
    marks: Mapping[str, Counts] = field(default_factory=dict)
    dates: str | None = None
    readings: ColumnReadings = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, int], ...] = ()
    keys: tuple[str, ...] = ()
    is_network: bool = False
    index: PolarsSeries | None = None

    def __repr__(self) -> str:
        return f"<Table {self.source}: {self.n_rows:,} rows, {len(self.columns):,} columns>"

    @property
    def is_matrix(self) -> bool:
        """Whether the content is one array of numbers rather than a frame of columns."""
        return isinstance(self.content, np.ndarray) or issparse(self.content)

    @cached_property
    def looks(self) -> dict[str, Look]:
        """What each column of a frame holds, found out once."""
        known = self.readings
        looks = {
            name: look_as(self.content[name], known[name], source=self.source)
            if name in known
            else look_at(self.content[name], dates=self.dates)
            for name in self.columns
        }
        return {name: replace(look, absent=self.absent.get(name)) for name, look in looks.items()}

    def choose(
        self, *, drop: Sequence[str] = (), keep: Sequence[str] = (), categories: bool = False
    ) -> ColumnChoice:
        """Choose the columns to cluster by: numbers, and categories if wanted, that tell rows apart."""
        if self.is_network:
            fact = f"{self.source}: holds the nodes and links of a network, not a table of rows."
            raise InvalidData(f"{fact} Hand over its edges: coterie.fit(graph=edges).").in_shell(
                f"{fact} Add --graph to find its communities."
            )
        if not self.is_matrix:
            return choose_columns(self.source, self.looks, drop=drop, keep=keep, categories=categories)
        check_names(self.source, self.columns, [*drop, *keep])
        used = tuple(name for name in self.columns if name not in drop)
        if not used:
            raise InvalidData(f"{self.source}: all {len(self.columns)} columns are dropped, nothing is left.")
        return ColumnChoice(used, tuple(LeftOut(name, "dropped") for name in drop))

    def key_columns(self) -> tuple[str, ...]:
        """Return the columns that name the rows."""
        if self.is_matrix:
            return ()
        return self.keys or tuple(name for name in self.columns if self.looks[name].names_rows)

    def matrix(self, columns: Sequence[str], *, keep: Sequence[str] = ()) -> CheckedRows:
        """Return these columns as a C-ordered float matrix (or CSR), NaN where a value is missing.

        Numbers such as -999 that stand for missing values are missing, but not in the columns of `keep`.

        Raises
        ------
        InvalidParameter
            A column does not exist.
        InvalidData
            A column holds no numbers.
        """
        check_names(self.source, self.columns, columns)
        if self.is_matrix:
            return self._columns_of_matrix(columns)
        polars = require("polars", extra="cli", purpose="Reading tables")
        chosen = polars.DataFrame([self._numbers(name, as_is=name in keep) for name in columns])
        is_single = all(dtype == polars.Float32 for dtype in chosen.dtypes)
        frame = chosen.cast(polars.Float32 if is_single else polars.Float64)
        return np.ascontiguousarray(frame.fill_null(float("nan")).to_numpy())

    def levels(self, columns: Sequence[str]) -> Levels:
        """Return the categories of each column, None for numbers; nothing where all are numbers.

        Beside columns of text, yes and no are categories as well; without any they are numbers.
        """
        if self.is_matrix or not any(self.looks[name].is_text for name in columns):
            return ()
        looks = [self.looks[name] for name in columns]
        return tuple(levels_of(look) if look.is_text or is_yes_no(look) else None for look in looks)

    def coded(
        self, columns: Sequence[str], levels: Levels, *, keep: Sequence[str] = ()
    ) -> tuple[Data, dict[str, list[str]]]:
        """Return numbers and codes of categories as one matrix, and the categories that have no code.

        Parameters
        ----------
        columns : sequence of str
            Which columns.
        levels : tuple of tuples or None
            What the codes of each column stand for; None: numbers.
        keep : sequence of str
            Columns whose numbers are all taken as they are.
        """
        check_names(self.source, self.columns, columns)
        out, new = np.empty((self.n_rows, len(columns))), {}
        for at, (name, known) in enumerate(zip(columns, levels, strict=True)):
            if known is None:
                out[:, at] = self.matrix([name], keep=keep)[:, 0]
                continue
            look = self._look_for_codes(name)
            out[:, at], new[name] = codes_of(look, known)
        return out, new

    def _look_for_codes(self, name: str) -> Look:
        if not self.is_matrix:
            return self.looks[name]
        polars = require("polars", extra="cli", purpose="Reading tables")
        numbers = np.asarray(self.content[:, self.columns.index(name)], dtype=np.float64)
        return Look(polars.Series(name, numbers, nan_to_null=True))

    def _numbers(self, name: str, *, as_is: bool) -> PolarsSeries:
        look = self.looks[name]
        if look.numbers is not None:
            return look.values(as_is=as_is)
        if look.reason != "empty":
            reason = look.reason or ""
            fact = f'{self.source}: column "{shortened(name)}" must hold numbers, but is {reason}.'
            texts = (fact + ("" if reason == "text" else remedy_for(reason, name, door)) for door in DOORS)
            python, shell, page = texts
            raise InvalidData(python).in_shell(shell, in_page=page)
        polars = require("polars", extra="cli", purpose="Reading tables")
        return polars.Series(name, [None] * self.n_rows, dtype=polars.Float64)

    def _columns_of_matrix(self, columns: Sequence[str]) -> CheckedRows:
        content = self.content
        if tuple(columns) != self.columns:
            place_of = {name: at for at, name in enumerate(self.columns)}
            places = [place_of[name] for name in columns]
            content = content[:, places]
        dtype = np.float32 if content.dtype == np.float32 else np.float64
        return content.astype(dtype) if issparse(content) else np.ascontiguousarray(content, dtype=dtype)
