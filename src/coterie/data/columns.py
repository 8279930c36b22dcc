"""Which columns of a table can be clustered, and why the others cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import ModuleType
from typing import Any, TypeAlias

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.notes import DATES, Door, option_of, worded
from coterie._support.optional import require
from coterie._support.typing import PolarsFrame, PolarsSeries
from coterie._support.validation.schema import Instance, ListOf, Text
from coterie.data.categories import MOST_CATEGORIES, NOT_ASSOCIATED, levels_in, texts_of, why_no_category
from coterie.data.cells import NUMBER, RANK, Reading, read_cells
from coterie.data.marks import Counts, find_sentinels, without_sentinels
from coterie.data.sampling import draw_rows
from coterie.data.schema import (
    HEAD_ROWS,
    KEY_ROWS,
    are_file_names,
    is_key_name,
    is_number_of_names,
    is_text,
    kind_of_code,
    kind_of_key,
    kind_of_type,
    may_name_rows,
)
from coterie.errors import InvalidData, InvalidParameter, did_you_mean

LISTED = 5
LAST_ROWS = 1_000  # of a table, among which sums of the others are looked for
SPLIT_ANSWERS = "Split it into one yes/no column per answer first."
MOST_EXACT = 2.0**53  # below, floats hold whole numbers exactly
MOST_COMPARED = 1_000  # names that may be meant
MOST_ELEMENTS = 10_000  # of a nested column that becomes columns
Way: TypeAlias = tuple[int | str, ...]  # elements of lists and fields of records, from outside to inside
Element: TypeAlias = tuple[str, Way]  # a nested column, and the way to a value in it
KEY_REASONS = ("a key", "row numbers")
REMEDIES = {
    "mixed units": "Convert it to one unit first.",
    "text in": "Correct or empty those cells.",
    "text that repeats": "To use it: {keep}.",
    "text with": "Join its values into fewer, such as towns into regions.",
    "text": "Encode text as numbers first, such as one column of 0 and 1 per value.",
    NOT_ASSOCIATED: "To use it: {keep}.",
    "dates ": "Write all of them in one form, such as 2024-12-31.",
    "times ": "Write all of them in one form, such as 14:30.",
    "a date": "Use {dates}.",
    "a time": "Use {hours}.",
    "a key": "To use it: {keep}.",
    "row numbers": "To use it: {keep}.",
    "a postal code": "To use it: {keep}.",
    "a phone number": "To use it: {keep}.",
    "an id that repeats": "To use it: {keep}.",
    "a code": "To use it: {keep}.",
    "not in": "To use it, with missing values where it is absent: {keep}.",
    "classes": "To compare with it: {truth}; to use it: {keep}.",
}  # what can be done about a column, by how the reason for leaving it out begins


@saved()
class LeftOut:
    """A column that is not used, and why."""

    name: str = held(Text())
    reason: str = held(Text())

    def __str__(self) -> str:
        return f"{shortened(self.name)} ({self.reason})"


@saved()
class ColumnChoice:
    """The columns to cluster by, and those left out."""

    used: tuple[str, ...] = held(ListOf(Text(), kind=tuple))
    left_out: tuple[LeftOut, ...] = held(ListOf(Instance(LeftOut), kind=tuple))

    def renamed_reason(self, name: str, reason: str) -> ColumnChoice:
        """Return the same choice with another reason why a column is left out."""
        changed = (LeftOut(one.name, reason) if one.name == name else one for one in self.left_out)
        return replace(self, left_out=tuple(changed))


@dataclass(frozen=True, eq=False)
class Look:
    """What a column holds: its numbers if it has any, and how they were read."""

    series: PolarsSeries  # the column
    # its numbers, null where a value is missing; None: it holds something else
    numbers: PolarsSeries | None = None
    reason: str | None = None  # why it holds no numbers
    reading: Reading | None = None  # how numbers in disguise were read; None: they are numbers as they stand
    marks: Counts = field(default_factory=dict)  # cells of text that were taken as missing
    # numbers, still among `numbers`, that stand for missing values
    sentinels: Counts = field(default_factory=dict)
    absent: str | None = None  # that only some of several files have the column

    def values(self, *, as_is: bool = False) -> PolarsSeries:
        """Return the numbers without sentinels; a column that is kept has them `as_is`."""
        return self.numbers if as_is else without_sentinels(self.numbers, self.sentinels)

    def reason_to_leave_out(self, *, is_kept: bool, categories: bool = False) -> str | None:
        """Return why the column cannot be used, or None; a kept one may be a key or constant.

        Text of few values is used where `categories` are taken.
        """
        if self.absent is not None and not is_kept:
            return self.absent
        if self.is_text and categories:
            return self.why_no_category(is_kept=is_kept)
        if self.reason is not None or is_kept:
            return self.reason
        whole = as_whole(self.series)
        key = None if whole is None else _kind_of_key(whole)
        if key is not None:
            return key
        # by what is computed with: whole numbers above 2**53 may be one number there
        values = self.values()
        least, most = values.min(), values.max()
        return "constant" if least is None or float(least) == float(most) else None

    @property
    def is_text(self) -> bool:
        """Whether it holds text that is nothing else, which may be categories."""
        return self.reason == "text"

    def why_no_category(self, *, is_kept: bool = False) -> str | None:
        """Return why a column of text is not used as categories; None where it is."""
        return why_no_category(self.series, is_kept=is_kept)

    def text_levels(self) -> tuple[str, ...]:
        """Return the different texts of the column, sorted."""
        return levels_in(self.series)

    def last_texts(self) -> PolarsSeries:
        """Return the texts of the last rows."""
        return texts_of(self.series.tail(LAST_ROWS)).drop_nulls()

    @property
    def names_rows(self) -> bool:
        """Whether the column identifies the rows."""
        return self.reason_to_leave_out(is_kept=False) in KEY_REASONS


def look_at(series: PolarsSeries, *, dates: str | None = None) -> Look:
    """Find out what a column of a polars frame holds.

    Parameters
    ----------
    series : polars.Series
        The column, cleaned by `numbers_from_text`.
    dates : {"as-number", "year", "month", "weekday"}, default=None
        What to make of dates; None: nothing.

    Examples
    --------
    >>> import polars
    >>> look_at(polars.Series("share", ["45%", "12.5%", "n/a"])).numbers.to_list()
    [45.0, 12.5, None]
    """
    if series.null_count() == len(series):
        return Look(series, reason="empty")
    reason = kind_of_type(series.dtype)
    if reason is not None:
        return Look(series, reason=reason)
    if series.dtype.is_numeric():
        return Look(series, series, sentinels=find_sentinels(series))
    if not is_text(series.dtype) and not series.dtype.is_temporal():
        return Look(series, series)  # yes and no
    if str(series.dtype).startswith("Enum"):
        ranks = Reading(RANK, levels=tuple(series.dtype.categories.to_list()))
        return Look(series, ranks.numbers_or_null(series).alias(series.name), None, ranks)
    if is_text(series.dtype) and _is_text_key(series):
        return Look(series, reason="a key")
    found = read_cells(series, dates=dates)
    if found.reading is None:
        return Look(series, reason=found.reason)
    numbers = found.reading.numbers_or_null(series).alias(series.name)
    sentinels = find_sentinels(numbers) if found.reading.kind == NUMBER else {}
    return Look(series, numbers, None, found.reading, found.marks, sentinels)


def choose_columns(
    source: str,
    looks: Mapping[str, Look],
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    categories: bool = False,
) -> ColumnChoice:
    """Choose the columns of numbers, and of categories if wanted, that say something about the rows.

    Parameters
    ----------
    source : str
        Name of the table in messages.
    looks : mapping of str to Look
        What each column holds.
    drop : sequence of str
        Columns to leave out whatever they are.
    keep : sequence of str
        Columns to use even if they look like a key or are constant.
    categories : bool, default=False
        Whether text of few values is used.
    """
    check_names(source, tuple(looks), [*drop, *keep])
    used, left_out = [], []
    for name, look in looks.items():
        reason = (
            "dropped"
            if name in drop
            else look.reason_to_leave_out(is_kept=name in keep, categories=categories)
        )
        if reason is None:
            used.append(name)
            continue
        if name in keep:
            raise cannot_keep(source, name, reason)
        left_out.append(LeftOut(name, reason))
    if not used:
        has_text = categories and any(look.is_text for look in looks.values())
        what = f"{source}: no column of {'numbers or categories' if has_text else 'numbers'} to cluster by"
        from coterie.data.notes import note_other_shapes  # here: it imports this module

        shapes = note_other_shapes(looks)
        if shapes:
            raise _worded(lambda door: f"{what}: {worded(shapes[0], door)}.")
        raise _worded(lambda door: f"{what}: {_why(left_out, door)}")
    return ColumnChoice(tuple(used), tuple(left_out))


def _worded(tell: Callable[[Door], str]) -> InvalidData:
    """Return the error that a function words for each door."""
    return InvalidData(tell("python")).in_shell(tell("shell"), in_page=tell("page"))


def cannot_keep(source: str, name: str, reason: str) -> InvalidParameter:
    """Return the error about a column that is to be kept although it holds no numbers."""
    if reason in KEY_REASONS:  # of numbers are kept: this is text
        return InvalidParameter(
            f'{source}: column "{shortened(name)}" cannot be kept: its texts name the rows, one each, and at '
            f"most {MOST_CATEGORIES} are taken as categories. Leave it out of the columns to keep."
        )
    is_category = reason.startswith("text with")
    needed = f"at most {MOST_CATEGORIES} are taken as categories" if is_category else "numbers are needed"
    fact = f'{source}: column "{shortened(name)}" cannot be kept: it is {reason}, {needed}.'
    return InvalidParameter(f"{fact}{remedy_for(reason, name)}").in_shell(
        f"{fact}{remedy_for(reason, name, 'shell')}", in_page=f"{fact}{remedy_for(reason, name, 'page')}"
    )


def remedy_for(reason: str, name: str, door: Door = "python") -> str:
    """Return what to do about a column that is left out, as a sentence with a blank before it; or nothing.

    Examples
    --------
    >>> remedy_for("mixed units: cm (2), m (1)", "height"), remedy_for("a postal code", "zip")
    (' Convert it to one unit first.', ' To use it: keep=["zip"].')
    """
    for start, remedy in REMEDIES.items():
        if reason.startswith(start):
            return " " + _with_options(remedy, shortened(name), door)
    return ""


def _with_options(remedy: str, name: str, door: Door) -> str:
    shell = "coterie fit " if door == "page" else ""
    options = {
        "keep": option_of("keep", [name], door),
        "truth": f'truth="{name}"' if door == "python" else f"{shell}--truth {name}",
        "dates": DATES[door],
        "hours": 'dates="as-number"' if door == "python" else f"{shell}--dates as-number",
    }
    for option, text in options.items():
        remedy = remedy.replace(f"{{{option}}}", text)
    return remedy


def _why(left_out: Sequence[LeftOut], door: Door = "python") -> str:
    listed = ", ".join(str(column) for column in left_out[:LISTED]) + (
        " ..." if len(left_out) > LISTED else ""
    )
    remedies = dict.fromkeys(remedy_for(column.reason, column.name, door) for column in left_out)
    return f"{listed}.{''.join(list(remedies)[:2])}"


def absent_columns(files: Sequence[Iterable[str]]) -> dict[str, str]:
    """Return the columns that not all files have, and how many lack them.

    Examples
    --------
    >>> absent_columns([["x", "y"], ["x"], ["x", "z"]])
    {'y': 'not in 2 of 3 files', 'z': 'not in 2 of 3 files'}
    """
    counts = Counter(name for file in files for name in file)
    n_files = len(files)
    return {name: f"not in {n_files - n} of {n_files} files" for name, n in counts.items() if n < n_files}


def check_names(source: str, columns: Sequence[str], names: Iterable[str]) -> None:
    """Refuse names that the table does not have, offering the nearest."""
    known = frozenset(columns)
    for name in names:
        if name not in known:
            listed = ", ".join(map(shortened, columns[:LISTED])) + (" ..." if len(columns) > LISTED else "")
            near = did_you_mean(name, columns[:MOST_COMPARED]) or f" It has: {listed}"
            raise InvalidParameter(f'{source}: no column "{shortened(name)}".{near}')


def numbers_from_text(frame: PolarsFrame, *, leave: Sequence[str] = ()) -> PolarsFrame:
    """Turn text columns that hold nothing but numbers (blanks around them, a plus sign) into numbers.

    Those of `leave` stay as they are.
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    changed = []
    for series in frame:
        is_left = series.dtype != polars.String or series.name in leave
        if not is_left and series.null_count() < len(series):
            numbers = series.str.strip_chars().cast(polars.Float64, strict=False)
            if numbers.null_count() == series.null_count():
                changed.append(numbers)
    return frame.with_columns(changed) if changed else frame


def nested_to_columns(frame: PolarsFrame) -> tuple[Any, dict[str, Element]]:
    """Turn records into a column per field, and lists of equally many numbers into one per element.

    Returns
    -------
    frame : polars.DataFrame
        With columns ``name.field`` in the place of records, as in nested JSON, and ``name_1``, ``name_2`` and
        so on in the place of lists, such as embeddings.
    elements : dict
        Of each such column, the nested column and the way to the value in it.

    Examples
    --------
    >>> import polars
    >>> nested = polars.DataFrame({"at": [[1.0, 2.0], [3.0, 4.0]], "who": [{"age": 31}, {"age": 40}]})
    >>> frame, elements = nested_to_columns(nested)
    >>> frame.columns, elements["at_2"], elements["who.age"]
    (['at_1', 'at_2', 'who.age'], ('at', (1,)), ('who', ('age',)))
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    elements: dict[str, Element] = {}
    found: list[Any] = []
    taken = {*frame.columns}  # once: tables may have 100,000 columns
    for series in frame:
        parts = _flattened(series, (), polars)
        names = {part.name for part, _ in parts}
        is_clash = len(names) < len(parts) or (names & taken) - {series.name}
        if len(parts) > MOST_ELEMENTS or is_clash:
            parts = [(series, ())]
        elements |= {part.name: (series.name, way) for part, way in parts if way}
        found += [part for part, _ in parts]
    return (polars.DataFrame(found) if elements else frame), elements


def _flattened(series: PolarsSeries, way: Way, polars: ModuleType) -> list[tuple[PolarsSeries, Way]]:
    """Return the columns that a column holds, and the way to each; a plain column holds itself."""
    if isinstance(series.dtype, polars.Struct) and len(series.dtype.fields) <= MOST_ELEMENTS:
        fields = [field.name for field in series.dtype.fields]
        inside = [series.struct.field(name).alias(f"{series.name}.{name}") for name in fields]
        steps: list[int | str] = [*fields]
    else:
        n_values = _length_of_lists(series, polars)
        lists = series.cast(polars.List(series.dtype.inner)) if n_values else series
        steps = [*range(n_values)]
        inside = [
            lists.list.get(at, null_on_oob=True).alias(f"{series.name}_{at + 1}") for at in range(n_values)
        ]
    if not inside:
        return [(series, way)]
    return [
        one
        for part, step in zip(inside, steps, strict=True)
        for one in _flattened(part, (*way, step), polars)
    ]


def _length_of_lists(series: PolarsSeries, polars: ModuleType) -> int:
    """Return how many numbers all lists of a column have; 0 where they differ, or hold something else."""
    inner = getattr(series.dtype, "inner", None)
    if inner is None or not inner.is_numeric() or series.null_count() == len(series):
        return 0
    lengths = series.cast(polars.List(inner)).list.len().drop_nulls().unique()
    return int(lengths[0]) if len(lengths) == 1 and 0 < lengths[0] <= MOST_ELEMENTS else 0


def as_whole(series: PolarsSeries) -> PolarsSeries | None:
    """Return the whole numbers of a column; None where some are not whole.

    A column that is called like a key, a code or a year may hold them as floats, 123.0: readers make these of
    columns with gaps. Under other names they are measurements.

    Examples
    --------
    >>> import polars
    >>> as_whole(polars.Series("customer_id", [101.0, 108.0])).to_list()
    [101, 108]
    >>> as_whole(polars.Series("income", [101.0, 108.0])) is None
    True
    """
    polars = require("polars", extra="cli", purpose="Reading tables")
    if series.dtype.is_integer():
        return series
    if not series.dtype.is_float() or not is_number_of_names(series.name):
        return None
    found = series.fill_nan(None)
    known = found.drop_nulls()
    if not len(known) or not ((known == known.round()) & (known.abs() < MOST_EXACT)).all():
        return None
    return found.cast(polars.Int64)


def _kind_of_key(series: PolarsSeries) -> str | None:
    polars = require("polars", extra="cli", purpose="Reading tables")
    if series.null_count():
        return kind_of_code(series.name, series.drop_nulls().n_unique(), len(series))
    first = series.head(HEAD_ROWS).cast(polars.Float64)
    if not may_name_rows(series.name, first.to_numpy()):
        return None
    rows = draw_rows(len(series), KEY_ROWS, 0)
    drawn = series.gather(rows)
    values = drawn.cast(polars.Float64).to_numpy()
    return kind_of_key(series.name, values, rows, len(series), n_different=drawn.n_unique())


def _is_text_key(series: PolarsSeries) -> bool:
    polars = require("polars", extra="cli", purpose="Reading tables")
    if series.null_count() or not len(series):
        return False
    if not is_key_name(series.name) and not are_file_names(series.head(HEAD_ROWS).cast(polars.String)):
        return False
    return bool(series.n_unique() == len(series))
