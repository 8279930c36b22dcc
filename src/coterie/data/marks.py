"""Marks of missing values: words such as "unknown", and numbers such as -999 that no measurement gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from coterie._printing import count_of, shortened
from coterie._support.notes import Door, Note, option_of
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
    "no data", "n/d", "nd", "blank", "empty", "unspecified", "not specified", "not stated", "not reported",
    "don't know", "don’t know", "dont know", "do not know", "dk", "dk/na", "no answer", "no response",
    "not answered", "no opinion", "not asked", "skipped", "refused", "refusal", "declined",
    "prefer not to say", "prefer not to answer", "weiß nicht", "weiss nicht", "keine antwort",
    "ne sait pas", "sans réponse", "no sabe", "no contesta", "ns/nc",
)  # fmt: skip
MARKS = frozenset(mark.lower() for mark in (*MISSING_MARKS, *WORDS))
OF_SCALES = (
    -99.0,
    -9.0,
    77.0,
    88.0,
    97.0,
    98.0,
    99.0,
)  # codes of surveys: beside answers of one digit, or 10
SENTINELS = (-999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0, *OF_SCALES)
HIGHEST_ANSWER = 10.0
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
    counts = found.filter(found != "").alias("mark").value_counts(sort=True)
    pairs = zip(*(counts[name].to_list() for name in counts.columns), strict=True)
    return dict(sorted(pairs, key=lambda pair: (-pair[1], pair[0])))


def sentinels_beyond(low: float, high: float) -> list[float]:
    """Return the numbers that would stand for missing values among others from `low` to `high`.

    They are further from the others than three times the range of these. Numbers of one or two digits, such
    as the 99 of a survey, count only beside answers from 0 to 10.

    Examples
    --------
    >>> sentinels_beyond(1, 5)[-3:], sentinels_beyond(0, 20)[-1]
    ([97.0, 98.0, 99.0], 999999.0)
    """
    far = FAR * (high - low)
    is_scale = low >= 0 and high <= HIGHEST_ANSWER
    known = SENTINELS if is_scale else SENTINELS[: -len(OF_SCALES)]
    return [one for one in known if one < low - far or one > high + far]


def find_sentinels(numbers: PolarsSeries) -> dict[str, int]:
    """Return numbers such as -999 and 9999 that lie clearly outside of all others, and how often they occur.

    Clearly: see `sentinels_beyond`.

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
    counts = {f"{one:.0f}": int((numbers == one).sum()) for one in sentinels_beyond(float(low), float(high))}
    return {mark: count for mark, count in counts.items() if count}


def without_sentinels(numbers: PolarsSeries, sentinels: Counts) -> PolarsSeries:
    """Return a series of numbers with null where there is one of these sentinels."""
    if not sentinels:
        return numbers
    polars = require("polars", extra="cli", purpose="Reading tables")
    is_gone = numbers.cast(polars.Float64).is_in([float(one) for one in sentinels]).fill_null(False)
    return polars.select(polars.when(~is_gone).then(numbers)).to_series().alias(numbers.name)


def _note_sentinels(door: Door, *, names: Sequence[str], counts: Counts, each: bool) -> str:
    them = "it" if len(names) == 1 and sum(counts.values()) == 1 else "them"
    like = "such as " if len(names) > SHOWN and door != "page" else ""
    option = option_of("keep", names[:1] if like else names, door)
    return f"{_note_alike(names, counts, each=each, quoted=False)} ({like}{option} uses {them})"


def note_marks(marks_of: Mapping[str, Counts], sentinels_of: Mapping[str, Counts]) -> tuple[str, ...]:
    r"""Return what to say about cells that were taken as missing; columns with the same marks share a note.

    Where these are many, also columns that have them in different numbers do.

    Examples
    --------
    >>> print(*note_marks({"age": {"unknown": 101}}, {"size": {"-999": 2}}), sep="\n")
    age: 101 cells "unknown" taken as missing
    size: 2 cells -999 taken as missing (keep=["size"] uses them)
    >>> print(*note_marks({"length": {"NA": 2}, "age": {}, "depth": {"NA": 2}}, {}))
    length, depth: 2 cells "NA" each taken as missing
    >>> print(*note_marks({f"q{at}": {"NA": at} for at in range(1, 9)}, {}))
    q1, q2, q3, q4, q5 and 3 more: 36 cells "NA" in all taken as missing
    """
    marks, marks_each = _alike(marks_of)
    sentinels, sentinels_each = _alike(sentinels_of)
    notes: list[tuple[Sequence[str], str]] = [
        (names, _note_alike(names, counts, each=marks_each, quoted=True)) for names, counts in marks
    ]
    for names, counts in sentinels:
        tell = partial(_note_sentinels, names=names, counts=counts, each=sentinels_each)
        notes.append((names, Note.of(tell)))
    more = len({name for names, _ in notes[SHOWN:] for name in names})
    told = [note for _, note in notes[:SHOWN]]
    return (*told, *([f"and marks of missing values in {more} more columns"] if more > 0 else []))


def _alike(counts_of: Mapping[str, Counts]) -> tuple[list[tuple[list[str], dict[str, int]]], bool]:
    """Return columns with the same marks together, and whether these are as many in each of them.

    Columns with other numbers of the same marks are put together where notes would be too many.
    """
    by_count: dict[tuple[tuple[str, int], ...], list[str]] = {}
    by_mark: dict[tuple[str, ...], tuple[list[str], dict[str, int]]] = {}
    for name, counts in counts_of.items():
        if counts:
            by_count.setdefault(tuple(counts.items()), []).append(shortened(name))
            names, total = by_mark.setdefault(tuple(sorted(counts)), ([], {}))
            names.append(shortened(name))
            total.update({mark: total.get(mark, 0) + count for mark, count in counts.items()})
    if len(by_count) <= SHOWN // 2:
        return [(names, dict(counts)) for counts, names in by_count.items()], True
    return list(by_mark.values()), False


def _note_alike(names: Sequence[str], counts: Counts, *, each: bool, quoted: bool) -> str:
    """Say what was taken as missing in columns that have the same marks."""
    more = len(names) - SHOWN
    listed = ", ".join(names[:SHOWN]) + (f" and {more} more" if more > 0 else "")
    how_many = "" if len(names) == 1 else " each" if each else " in all"
    return f"{listed}: {_listed(counts, quoted=quoted)}{how_many} taken as missing"


def _listed(counts: Counts, *, quoted: bool) -> str:
    shown = []
    for mark, count in list(counts.items())[:SHOWN_MARKS]:
        cells = count_of(count, "cell")
        shown.append(f'{cells} "{shortened(mark)}"' if quoted else f"{cells} {mark}")
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
