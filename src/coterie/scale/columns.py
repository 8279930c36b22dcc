"""Which columns of data in blocks say something about the rows, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from pyarrow.types import is_null as pyarrow_is_null

from coterie._support.optional import require
from coterie._support.typing import FloatArray, PolarsSeries
from coterie._support.validation.explain import refuse_queries
from coterie.data import ColumnChoice, ColumnReading, LeftOut
from coterie.data.categories import Levels, is_yes_no, levels_of
from coterie.data.cells import NUMBER, Reading
from coterie.data.columns import KEY_REASONS, Look, as_whole, cannot_keep, check_names, look_at
from coterie.data.databases import SpooledRows
from coterie.data.geography.places import OFF, Place, check_angles, named_pairs, named_place
from coterie.data.lakes.iceberg import iceberg_rows, is_iceberg
from coterie.data.marks import Counts
from coterie.data.notes import no_rows_in, reading_notes
from coterie.data.paths import TABLE_SUFFIXES, find_files, place_name, table_suffix
from coterie.data.prepared import NOT_NAMED
from coterie.data.scaling import AUTO
from coterie.data.schema import KEY_ROWS, kind_of_code, kind_of_key, may_name_rows
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.blocks import Blocks, Keeper, KeptBlocks, kept_while_used
from coterie.scale.sampling import DrawnRows, draw_sample
from coterie.scale.sources.arrow import open_any
from coterie.scale.sources.changed import ColumnPlan, axis_plans
from coterie.scale.sources.collections import open_frame, open_in_memory
from coterie.scale.sources.reading import is_paths, open_tables, read_blocks
from coterie.scale.sources.spooled import open_iceberg, open_spooled
from coterie.scale.sources.tables import Tables, is_numeric
from coterie.scale.survey import survey_looks

LeftOuts = tuple[LeftOut, ...]


@dataclass(frozen=True, eq=False)
class Opened:
    """The rows in the columns that are used."""

    source: object  # where they come from
    blocks: Blocks  # all rows as they are: numbers, codes of categories, NaN where a value is missing
    left_out: LeftOuts  # columns that are not used
    has_names: bool  # whether columns have names to choose them by
    # how cells become numbers, where they are something else
    plans: Mapping[str, ColumnPlan] = field(default_factory=dict)
    looks: Mapping[str, Look] = field(default_factory=dict)  # what the columns hold; empty for matrices
    levels: Levels = ()  # categories of the columns used, None for numbers; empty: all are numbers
    kept: tuple[str, ...] = ()  # columns whose numbers are all taken as they are
    # columns that are positions if their values are degrees; used as plain numbers until that is known
    pairs: tuple[Place, ...] = ()
    places: tuple[Place, ...] = ()  # columns that are positions: three of the columns used stand for each
    # the two columns used, where they are latitude and longitude, for the haversine
    angles: Place | None = None
    notes: tuple[str, ...] = ()  # what readers had to decide
    tables: Tables | None = None  # files and frames that were looked into; None: the source is a matrix
    keeper: Keeper | None = None  # what decoded rows are kept on the disk as long as; None: they are not

    @property
    def title(self) -> str:
        """What to call the data."""
        return title_of(self.source)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, made up where there are none."""
        return self.blocks.columns or tuple(f"column_{at + 1}" for at in range(self.blocks.n_columns))

    @property
    def choice(self) -> ColumnChoice:
        """The columns used, and those left out."""
        return ColumnChoice(self.columns, self.left_out)

    def column_readings(self) -> tuple[ColumnReading, ...]:
        """Return how the cells of each column are read; nothing for columns without names."""
        if not self.has_names:
            return ()
        levels = self.levels or (None,) * len(self.columns)
        return tuple(
            self._reading(name, known is not None) for name, known in zip(self.columns, levels, strict=True)
        )

    def _reading(self, name: str, is_category: bool) -> ColumnReading:
        plan = self.plans.get(name, ColumnPlan())
        if is_category:
            return ColumnReading(is_category=True)
        return ColumnReading(plan.reading, plan.sentinels, name in self.kept)

    def reading_notes(self, marks: Mapping[str, Counts]) -> tuple[str, ...]:
        """Return what is to be said about how cells were read, in the words for a table in memory."""
        if not self.looks:
            return ()
        return reading_notes(self.looks, self.choice, marks, self.kept, levels=self.levels)

    def with_sentinels(self, found: Mapping[str, Counts]) -> Opened:
        """Return the same with numbers such as -999 taken as missing values."""
        if not found:
            return self
        plans = {
            **self.plans,
            **{
                name: replace(self.plans.get(name, ColumnPlan()), sentinels=tuple(counts))
                for name, counts in found.items()
            },
        }
        looks = {
            name: replace(look, sentinels=found[name]) if name in found else look
            for name, look in self.looks.items()
        }
        changed = replace(self, plans=plans, looks=looks)
        return replace(changed, blocks=changed.read(self.columns))

    @property
    def axes(self) -> tuple[str, ...]:
        """The columns used that are axes of positions."""
        return tuple(name for place in self.places for name in place.axes)

    def with_places(self, places: Sequence[Place]) -> Opened:
        """Return the same with two columns each as one position, three columns; others stand first."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        plans, looks = dict(self.plans), dict(self.looks)
        for place in places:
            plans |= axis_plans(place, plans)
            series = [polars.Series(name, [0.0]) for name in place.axes]
            looks |= {one.name: Look(one, one) for one in series}
        pairs = [name for place in places for name in place.columns]
        known = dict(zip(self.columns, self.levels, strict=True)) if self.levels else {}
        rest = [name for name in self.columns if name not in pairs]
        axes = [name for place in places for name in place.axes]
        levels = (*(known[name] for name in rest), *(None for _ in axes)) if known else ()
        changed = replace(self, plans=plans, looks=looks, levels=levels, places=tuple(places))
        return replace(changed, blocks=changed.read([*rest, *axes]))

    def as_angles(self, pair: Sequence[str]) -> Opened:
        """Return the same, whose only two columns are latitude and longitude; `pair` tells their order."""
        check_angles(self.columns, self.title)
        columns = tuple(pair) or self.columns  # a table may have the longitude first
        changed = replace(self, angles=Place(*columns))
        return changed if columns == self.columns else replace(changed, blocks=changed.read(columns))

    def kept_on_disk(self) -> Opened:
        """Return the same rows, decoded once and kept on the disk where that pays."""
        if isinstance(self.blocks, KeptBlocks):
            return self
        blocks, keeper = kept_while_used(self.blocks)
        return replace(self, blocks=blocks, keeper=keeper)

    def renamed_reason(self, name: str, reason: str) -> Opened:
        """Return the same with another reason why a column is left out."""
        changed = (LeftOut(one.name, reason) if one.name == name else one for one in self.left_out)
        return replace(self, left_out=tuple(changed))

    def without(self, names: Mapping[str, str]) -> Opened:
        """Return the same rows without some columns, given why each is left out."""
        used = [name for name in self.columns if name not in names]
        if not used:
            reason = next(iter(names.values()))
            raise InvalidData(f"{self.title}: no column of numbers to cluster by: all are {reason}.")
        reasons = [*self.left_out, *(LeftOut(name, reason) for name, reason in names.items())]
        order = {name: at for at, name in enumerate(self.looks or self.columns)}
        left_out = tuple(sorted(reasons, key=lambda one: order.get(one.name, 0)))
        known = dict(zip(self.columns, self.levels, strict=True)) if self.levels else {}
        levels = tuple(known[name] for name in used) if known else ()
        is_mixed = any(self.looks[name].is_text for name in used) if levels else False
        fewer = replace(self, left_out=left_out, levels=levels if is_mixed else ())
        if levels and not is_mixed:  # yes and no are numbers again
            plans = {name: replace(plan, levels=None) for name, plan in self.plans.items()}
            fewer = replace(fewer, plans=plans)
        return replace(fewer, blocks=fewer.read(used))

    def beside(self, names: Sequence[str], *, with_data: bool, with_file: bool) -> Blocks | None:
        """Return the columns that labels stand beside: keys and chosen ones, or all; None: row numbers."""
        if self.tables is None:
            return None
        keys = [one.name for one in self.left_out if one.reason in KEY_REASONS]
        return self.tables.beside(keys, names, self.blocks, with_data=with_data, with_file=with_file)

    def read(self, columns: Sequence[str]) -> Blocks:
        """Return the rows in other columns."""
        source = self.source if self.tables is None else self.tables
        return read_blocks(source, columns=columns, readings=self.plans)


def open_columns(
    source: object,
    columns: Sequence[str] = (),
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    dates: str | None = None,
    *,
    categories: bool = False,
    text_after_all: Collection[str] = (),
    places: str = OFF,
    no_places: Collection[Place] = (),
    **how: Any,
) -> Opened:
    """Open the columns that can be used: numbers, and categories if wanted, without keys.

    Tables are cut to these columns, or to all that can be used; matrices are taken as they are.

    Parameters
    ----------
    source : anything that `read_blocks` takes
        The data.
    columns, drop, keep, dates
        As in `coterie.fit`.
    categories : bool, default=False
        Whether text of few values is used.
    text_after_all : collection of str
        Columns whose first rows are numbers, and later ones are not: all their cells are looked at.
    places : str, default="off"
        Which columns may be positions, as in `coterie.fit`: they are used, be they keys, constant or absent.
    no_places : collection of Place
        Columns that are called like positions, and are none.
    **how
        Header and encoding of text.
    """
    refuse_queries(source, "X of coterie.fit")
    tables = look_into(source, **how)
    if tables is None:
        if drop or keep or columns:
            raise InvalidParameter(
                "columns, drop and keep name columns; this source has none. Select them before."
            )
        return Opened(source, read_blocks(source), (), False)
    title = title_of(source)
    if not any(table.n_rows for table in tables.filled):
        raise no_rows_in(title, len(tables.every))
    head = tables.first_values
    check_names(title, tuple(head), [*columns, *drop, *keep])
    others = [name for name in head if columns and name not in columns and name not in drop]
    looks = _looks(head, tables, [*drop, *others], dates, text_after_all)
    taken = [name for name in columns or head if name not in (*drop, *keep)]
    pairs = tuple(one for one in _pairs(looks, taken, places, title) if one not in no_places)
    positions = [name for place in pairs for name in place.columns]
    kept = [*keep, *positions, *(name for name in columns if name not in drop)]
    gone = {name: "dropped" if name in drop else NOT_NAMED for name in (*others, *drop)}
    gone = {name: why for name, why in gone.items() if name not in positions}
    reasons = _reasons(looks, gone, kept, title, categories=categories)
    suspects = [look.series for name, look in looks.items() if name not in {*kept, *reasons}]
    reasons |= _keys(tables, suspects)
    used = [name for name in head if name not in reasons]
    if not used:
        why = ", ".join(f"{name} ({reason})" for name, reason in list(reasons.items())[:5])
        raise InvalidData(f"{title}: no column of numbers to cluster by: {why}.")
    left_out = tuple(LeftOut(name, reasons[name]) for name in head if name in reasons)
    levels = levels_of_looks([looks[name] for name in used])
    plans = _plans(tables, looks, used, levels)
    blocks = read_blocks(tables, columns=used, readings=plans)
    notes = (*(source.notes if isinstance(source, SpooledRows) else ()), *tables.notes)
    told = (left_out, True, plans, looks, levels, tuple(keep), pairs)
    return Opened(source, blocks, *told, notes=notes, tables=tables)


def _reasons(
    looks: Mapping[str, Look], gone: Mapping[str, str], kept: Collection[str], title: str, *, categories: bool
) -> dict[str, str]:
    """Return why columns are not used: `gone` by wish, others by what they hold; refuse those to be kept."""
    reasons = {}
    for name, look in looks.items():
        reason = gone.get(name)
        if reason is None:
            reason = _why_not_used(look, is_kept=name in kept, categories=categories)
            if reason is not None and name in kept:
                raise cannot_keep(title, name, reason)
        if reason is not None:
            reasons[name] = reason
    return reasons


def _pairs(looks: Mapping[str, Look], names: Sequence[str], places: str, title: str) -> list[Place]:
    """Return the columns of numbers that are positions if their values are degrees."""
    if places == OFF:
        return []
    if places != AUTO:
        return [named_place(places, tuple(looks), title)]
    found = named_pairs(names)
    return [one for one in found if all(looks[name].numbers is not None for name in one.columns)]


def _looks(
    head: Mapping[str, PolarsSeries],
    tables: Tables,
    unused: Sequence[str],
    dates: str | None,
    text_after_all: Collection[str],
) -> dict[str, Look]:
    """Return what each column holds: by its first rows, and by all cells where these are text."""
    looks = {name: look_at(series, dates=dates) for name, series in head.items()}
    as_text = tables.numbers_as_text(head)
    for name, look in looks.items():
        kind = tables.kind_of(name)
        if look.reason == "empty" and kind is not None and not pyarrow_is_null(kind) and is_numeric(kind):
            looks[name] = Look(look.series, look.series)  # gaps in the first rows, numbers later
        elif look.reading is None and look.numbers is not None and name in (*as_text, *text_after_all):
            looks[name] = _look_as_text(look, tables.decimal_sign(name))
    wanted = [name for name in looks if name not in unused]
    found = survey_looks(tables, looks, wanted, None, dates)
    for name in as_text:  # numbers throughout
        look = found[name]
        if look.reading is not None and look.reading.kind == NUMBER and not look.marks:
            found[name] = Look(head[name], head[name])
    return {name: replace(look, absent=tables.absent.get(name)) for name, look in found.items()}


def _look_as_text(look: Look, decimal: str) -> Look:
    """Return the look at numbers that are text in some rows."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    numbers = look.series
    is_whole = numbers.dtype.is_float() and (numbers.drop_nulls() % 1 == 0).all()
    texts = (numbers.cast(polars.Int64, strict=False) if is_whole else numbers).cast(polars.String)
    texts = texts if decimal == "." else texts.str.replace(".", decimal, literal=True)
    return Look(texts, look.numbers, None, Reading(NUMBER, decimal=decimal))


def _why_not_used(look: Look, *, is_kept: bool, categories: bool) -> str | None:
    """Return why a column is not used, but for keys and constants, which other passes tell."""
    if look.absent is not None and not is_kept:
        return look.absent
    if look.is_text and categories:
        return look.why_no_category(is_kept=is_kept)
    return look.reason


def levels_of_looks(looks: Sequence[Look]) -> Levels:
    """Return the categories of columns, None for numbers; nothing where all are numbers."""
    if not any(look.is_text for look in looks):
        return ()
    return tuple(levels_of(look) if look.is_text or is_yes_no(look) else None for look in looks)


def _plans(
    tables: Tables, looks: Mapping[str, Look], used: Sequence[str], levels: Levels
) -> dict[str, ColumnPlan]:
    """Return how the cells of the columns used become numbers, where they are not plain numbers."""
    found = {}
    known = dict(zip(used, levels, strict=True)) if levels else {}
    as_text = tables.numbers_as_text(tables.first_values)
    for name in used:
        look = looks[name]
        is_text = look.reading is None and known.get(name) is None and name in as_text
        plan = ColumnPlan(look.reading, levels=known.get(name), is_text=is_text)
        if not plan.is_plain or name in tables.absent:
            found[name] = plan
    return found


def title_of(source: object) -> str:
    """Return what to call data in output and messages."""
    if isinstance(source, SpooledRows):
        return source.name
    return place_name(source)


def key_columns(tables: Tables) -> list[str]:
    """Return the columns of files that name the rows, by the rules of tables in memory."""
    looks = {name: look_at(series) for name, series in tables.first_values.items()}
    there = [name for name in looks if name not in tables.absent]
    found = {name: look.reason for name, look in looks.items() if look.reason is not None}
    found |= _keys(tables, [looks[name].series for name in there if looks[name].reason is None])
    return [name for name in there if found.get(name) in KEY_REASONS]


def _keys(tables: Tables, head: Sequence[PolarsSeries]) -> dict[str, str]:
    """Return the columns of whole numbers that name the rows, and how: by the rules of tables in memory."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    numbers = [whole for whole in map(as_whole, head) if whole is not None]
    codes = {
        one.name: kind_of_code(one.name, one.drop_nulls().n_unique(), len(one))
        for one in numbers
        if one.null_count()
    }
    whole = [one for one in numbers if not one.null_count()]
    suspects = [one.name for one in whole if may_name_rows(one.name, one.cast(polars.Float64).to_numpy())]
    if not suspects:
        return {name: kind for name, kind in codes.items() if kind is not None}
    sample = draw_sample(read_blocks(tables, columns=suspects), KEY_ROWS, seed=0)
    found = codes | {name: _kind_of(name, sample.X[:, at], sample) for at, name in enumerate(suspects)}
    return {name: kind for name, kind in found.items() if kind is not None}


def _kind_of(name: str, values: FloatArray, sample: DrawnRows) -> str | None:
    """Return which key or code drawn values are; None where some are not whole numbers."""
    values = values.astype(np.float64)
    known = values[~np.isnan(values)]
    if (np.trunc(known) != known).any():
        return None
    if len(known) < len(values):  # a key has no gaps
        return kind_of_code(name, len(np.unique(known)), sample.n_rows)
    return kind_of_key(name, values, sample.rows, sample.n_rows)


def look_into(source: object, **how: Any) -> Tables | None:
    """Open files of tables, a dataset, a frame, or rows of a database; None for matrices."""
    if isinstance(source, Tables):
        return source
    if isinstance(source, SpooledRows):
        return open_spooled(source)
    if type(source).__module__.partition(".")[0] == "pyarrow":
        return open_any(source)
    if is_iceberg(source):
        return open_iceberg(iceberg_rows(source))
    if hasattr(source, "columns") and hasattr(source, "dtypes"):
        is_lazy = type(source).__module__.partition(".")[0] in ("dask", "dask_expr")
        return open_frame(source) if is_lazy else open_in_memory(source)
    if not is_paths(source):
        return None
    found = find_files(source)
    suffixes = {table_suffix(path) for path in found.paths}
    is_tables = len(suffixes) == 1 and suffixes <= set(TABLE_SUFFIXES)
    return open_tables(found, **how) if is_tables else None
