"""Marks of missing values: words such as "unknown", and numbers such as -999 that no measurement gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from coterie._printing import shortened
from coterie._support.notes import Note, option_of
from coterie._support.optional import require
from coterie._support.typing import PolarsSeries

# Cells that are empty whatever the column holds: the readers of text files know them.
MISSING_MARKS = (
    "",
    "NA",
    "N/A",
    "n/a",
    "na",
    "NaN",
    "nan",
    "NULL",
    "null",
    "None",
    "none",
    "?",
    "-",
    "#N/A",
    ".",
)
# Words that are missing values in a column of numbers, and may be a category in one of text.
WORDS = (
    "unknown", "unk", "missing", "not available", "not applicable", "not known", "undefined", "nil", "nat",
    "n.a.", "n.a", "<na>", "--", "---", "–", "—", "...", "…", "??", "tbd", "unbekannt", "k.a.",
    "keine angabe", "inconnu", "desconocido", "#null!", "#value!", "#div/0!", "#ref!", "#name?", "#num!",
)  # fmt: skip
MARKS = frozenset(mark.casefold() for mark in (*MISSING_MARKS, *WORDS))
SENTINELS = (-999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0)
FAR = 3.0  # times the range of all other values, from which a sentinel lies clearly outside
SHOWN = 5  # columns that a note names
SHOWN_MARKS = 3  # of a column

Counts = Mapping[str, int]


def is_mark(texts: PolarsSeries) -> PolarsSeries:
    """Return which cells of a polars series of text are marks of missing values.

    Examples
    --------
    >>> import polars
    >>> is_mark(polars.Series(["12", "Unknown", " n/a "])).to_list()
    [False, True, True]
    """
    return texts.str.strip_chars().str.to_lowercase().is_in(sorted(MARKS))


def count_marks(texts: PolarsSeries) -> dict[str, int]:
    """Return the marks in a series of text, as written, and how many cells hold each; most frequent first.

    Examples
    --------
    >>> import polars
    >>> count_marks(polars.Series(["12", "NA", "unknown", "NA", "", None]))
    {'NA': 2, 'unknown': 1}
    """
    found = texts.filter(is_mark(texts)).str.strip_chars()
    counts = found.filter(found != "").value_counts(sort=True)
    pairs = zip(*(counts[name].to_list() for name in counts.columns), strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def find_sentinels(numbers: PolarsSeries) -> dict[str, int]:
    """Return numbers such as -999 and 9999 that lie clearly outside of all others, and how often they occur.

    Clearly: further from the nearest other value than three times the range of the others.

    Examples
    --------
    >>> import polars
    >>> find_sentinels(polars.Series([34, 51, -999, 28, 9999])), find_sentinels(polars.Series([9000, 9999]))
    ({'-999': 1, '9999': 1}, {})
    """
    least, most = numbers.min(), numbers.max()
    if least is None or not (least in SENTINELS or most in SENTINELS):
        return {}
    polars = require("polars", extra="cli", purpose="Reading tables")
    numbers = numbers.cast(polars.Float64)
    is_suspect = numbers.is_in(list(SENTINELS))
    others = numbers.filter(~is_suspect.fill_null(True)).drop_nans()
    low, high = others.min(), others.max()
    if low is None or low == high:
        return {}
    far = FAR * (float(high) - float(low))
    found = [one for one in SENTINELS if one < low - far or one > high + far]
    counts = {f"{one:.0f}": int((numbers == one).sum()) for one in found}
    return {mark: count for mark, count in counts.items() if count}


def without_sentinels(numbers: PolarsSeries, sentinels: Counts) -> PolarsSeries:
    """Return a series of numbers with null where there is one of these sentinels."""
    if not sentinels:
        return numbers
    polars = require("polars", extra="cli", purpose="Reading tables")
    is_gone = numbers.cast(polars.Float64).is_in([float(one) for one in sentinels]).fill_null(False)
    return polars.select(polars.when(~is_gone).then(numbers)).to_series().alias(numbers.name)


def _note_sentinels(name: str, counts: Counts, shell: bool) -> str:
    them = "it" if sum(counts.values()) == 1 else "them"
    option = option_of("keep", [name], shell=shell)
    return f"{name}: {_listed(counts, quoted=False)} taken as missing ({option} uses {them})"


def note_marks(marks_of: Mapping[str, Counts], sentinels_of: Mapping[str, Counts]) -> tuple[str, ...]:
    r"""Return what to say about cells that were taken as missing; columns with the same marks share a note.

    Examples
    --------
    >>> print(*note_marks({"age": {"unknown": 101}}, {"size": {"-999": 2}}), sep="\n")
    age: 101 cells "unknown" taken as missing
    size: 2 cells -999 taken as missing (keep=["size"] uses them)
    >>> print(*note_marks({"length": {"NA": 2}, "age": {}, "depth": {"NA": 2}}, {}))
    length, depth: 2 cells "NA" each taken as missing
    """
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for name, counts in marks_of.items():
        if counts:
            alike.setdefault(tuple(counts.items()), []).append(shortened(name))
    notes = [(len(names), _note_alike(names, dict(counts))) for counts, names in alike.items()]
    notes += [
        (1, Note(*(_note_sentinels(shortened(name), counts, shell) for shell in (False, True))))
        for name, counts in sentinels_of.items()
        if counts
    ]
    more = sum(n_columns for n_columns, _ in notes[SHOWN:])
    told = [note for _, note in notes[:SHOWN]]
    return (*told, *([f"and marks of missing values in {more} more columns"] if more > 0 else []))


def _note_alike(names: Sequence[str], counts: Counts) -> str:
    """Say what was taken as missing in columns that have the same marks, as often."""
    more = len(names) - SHOWN
    listed = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    each = " each" if len(names) > 1 else ""
    return f"{listed}: {_listed(counts, quoted=True)}{each} taken as missing"


def _listed(counts: Counts, *, quoted: bool) -> str:
    shown = []
    for mark, count in list(counts.items())[:SHOWN_MARKS]:
        cells = "cell" if count == 1 else "cells"
        shown.append(f'{count:,} {cells} "{shortened(mark)}"' if quoted else f"{count:,} {cells} {mark}")
    rest = sum(list(counts.values())[SHOWN_MARKS:])
    return ", ".join([*shown, *([f"{rest:,} others"] if rest else [])])


def add_marks(found: Sequence[Mapping[str, Counts]]) -> dict[str, dict[str, int]]:
    """Return the marks of several tables of the same columns, added up.

    Examples
    --------
    >>> add_marks([{"age": {"NA": 2}}, {"age": {"NA": 1, "?": 1}}])
    {'age': {'NA': 3, '?': 1}}
    """
    total: dict[str, dict[str, int]] = {}
    for marks_of in found:
        for name, counts in marks_of.items():
            column = total.setdefault(name, {})
            for mark, count in counts.items():
                column[mark] = column.get(mark, 0) + count
    return total
