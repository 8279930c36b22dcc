"""What to tell people about how the columns of a table were read."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from coterie._printing import listed, shortened
from coterie._support.notes import DATES, Door, Note, option_of
from coterie._support.optional import require
from coterie.data.categories import NOT_ASSOCIATED, Levels
from coterie.data.cells import DATE, NUMBER, TIME, several_answers
from coterie.data.columns import SPLIT_ANSWERS, ColumnChoice, Look, as_whole
from coterie.data.marks import Counts, add_marks, note_marks
from coterie.data.schema import SOURCES, TARGETS, are_years, is_text
from coterie.errors import EmptyFile

NAMED = 12  # columns of one option
LOOKED_AT = 10_000  # rows that tell links and series
LEAST_STEPS = 3  # rows of a series
SHOWN_VALUES = 3  # columns of values in a hint
_TIME_NAME = re.compile(
    r"time|timestamp|date|datetime|hour|minute|day|week|month|quarter|year|step|tick", re.IGNORECASE
)
# rows of sums, as people name them; with what they sum up: "Subtotal North"
_TOTAL = (
    r"(?i)^\s*(((grand|sub|sub-|sous-)? ?totals?|sums?|(gesamt|end|zwischen)?summen?|gesamt|insgesamt"
    r"|total général|totaux|somme|totale|suma|totaal)( *[:=])?"
    r"|(grand total|sub-?total|zwischensumme|sous-total)\b.*)\s*$"
)
CODES = ("a postal code", "a phone number", "an id that repeats", "a code", "classes")


def reading_notes(
    looks: Mapping[str, Look],
    choice: ColumnChoice,
    marks: Mapping[str, Counts],
    keep: Sequence[str],
    *,
    levels: Levels = (),
) -> tuple[str, ...]:
    """Return notes: missing values, numbers in disguise, codes and dates left out, years, links and series.

    Parameters
    ----------
    looks : mapping of str to Look
        What each column holds.
    choice : ColumnChoice
        The columns used, and those left out.
    marks : mapping
        By column, texts that the reader of the file took as missing.
    keep : sequence of str
        Columns whose numbers are all taken as they are.
    levels : tuple of tuples or None
        Categories of the columns used, None for numbers; empty: all are numbers.
    """
    of_categories = {name for name, known in zip(choice.used, levels, strict=False) if known is not None}
    used = tuple(name for name in choice.used if name not in of_categories)
    at_reading = {name: marks.get(name, {}) for name in used}
    in_cells = add_marks([at_reading, {name: looks[name].marks for name in used}])
    sentinels = {name: looks[name].sentinels for name in used if name not in keep}
    return (
        *_note_categories(choice.used, levels),
        *note_marks(in_cells, sentinels),
        *_note_readings(looks, used),
        *_note_left_out(choice),
        *_note_years(looks, used, keep),
        *note_rows_and_cells(looks, unused=_unused(choice)),
        *note_other_shapes(looks),
    )


def _note_categories(used: Sequence[str], levels: Levels) -> list[str]:
    names = [shortened(name) for name, known in zip(used, levels, strict=False) if known is not None]
    if not names:
        return []
    one = len(names) == 1
    used_as = f"{listed(names)} used as categor{'y' if one else 'ies'}"
    return [
        Note.of(
            lambda door: f"{used_as}; {_option('drop', names, door)} leaves {'it' if one else 'them'} out"
        )
    ]


# a comma, an apostrophe or a blank between digits, brackets for a minus, a second point
SEPARATED = r"\d[,'’ ]\d|\(|\d\.\d+\."


def _note_readings(looks: Mapping[str, Look], used: Sequence[str]) -> list[str]:
    disguised = [name for name in used if looks[name].reading is not None]
    texts = [
        f"{shortened(name)} ({_reading(looks[name])})" for name in disguised if not _is_plain(looks[name])
    ]
    return [f"{listed(texts)} read as numbers"] if texts else []


def _reading(look: Look) -> str:
    """Return what numbers were disguised as; plain ones had thousands separators or decimal commas."""
    assert look.reading is not None
    return "text with separators" if look.reading.kind == NUMBER else str(look.reading)


def _is_plain(look: Look) -> bool:
    """Return whether a column needs no word beside that on its missing values."""
    reading = look.reading
    if reading is None:
        return True
    is_number = reading.kind == NUMBER and reading.decimal == "."
    return is_number and not look.series.str.contains(SEPARATED).any()


def _note_left_out(choice: ColumnChoice) -> list[str]:
    notes: list[str] = []
    for test, option in _OPTIONS:
        by_reason: dict[str, list[str]] = {}
        for one in choice.left_out:
            if test(one.reason):
                by_reason.setdefault(one.reason, []).append(shortened(one.name))
        if by_reason:
            fact = listed([f"{listed(names)} ({reason})" for reason, names in by_reason.items()])
            names = [name for same in by_reason.values() for name in same]
            notes.append(
                Note.of(lambda door: f"left out: {fact}; {option(names, door)}")  # noqa: B023  # called at once
            )
    return notes


def _keep_them(names: Sequence[str], door: Door) -> str:
    return f"{_option('keep', names, door)} uses {_them(names)}"


def _option(name: str, columns: Sequence[str], door: Door) -> str:
    """Return how an option is written with all of these columns; with the first where they are very many."""
    few = columns if len(columns) <= NAMED or door == "page" else columns[:1]
    return f"{'such as ' if len(few) < len(columns) else ''}{option_of(name, few, door)}"


def _use_dates(names: Sequence[str], door: Door) -> str:
    return f"{DATES[door]} uses {_them(names)}"


def _them(names: Sequence[str]) -> str:
    return "it" if len(names) == 1 else "them"


_OPTIONS: tuple[tuple[Callable[[str], bool], Callable[[Sequence[str], Door], str]], ...] = (
    (lambda reason: reason in CODES, _keep_them),
    (lambda reason: reason == NOT_ASSOCIATED, _keep_them),
    (lambda reason: reason in (f"a {DATE}", f"a {TIME}"), _use_dates),
    (lambda reason: reason.endswith(("% missing", " files")), _keep_them),
    (lambda reason: reason.startswith("text that repeats"), _keep_them),
    (lambda reason: reason.startswith("text with"), lambda names, door: "too many to be categories"),
    (lambda reason: reason.startswith("mixed units"), lambda names, door: "convert to one unit first"),
    (lambda reason: reason.startswith(("dates ", "times ")), lambda names, door: "write them in one form"),
    (lambda reason: reason.startswith("text in"), lambda names, door: "correct or empty those cells"),
)


def _note_years(looks: Mapping[str, Look], used: Sequence[str], keep: Sequence[str]) -> list[str]:
    years = []
    for name in used:
        series = as_whole(looks[name].series)
        if name in keep or series is None:
            continue
        if are_years(name, float(series.min()), float(series.max())):
            years.append(shortened(name))
    if not years:
        return []
    are = "holds years, used as a number" if len(years) == 1 else "hold years, used as numbers"
    return [Note.of(lambda door: f"{listed(years)} {are}; {_option('drop', years, door)} if they are labels")]


def _unused(choice: ColumnChoice) -> set[str]:
    """Return the columns that are left out for another reason than being text of that kind."""
    return {
        one.name
        for one in choice.left_out
        if not one.reason.startswith("text") and one.reason != NOT_ASSOCIATED
    }


def note_rows_and_cells(looks: Mapping[str, Look], *, unused: Collection[str] = ()) -> list[str]:
    """Return notes on rows that are sums of others, and on cells that hold several answers."""
    texts = {
        name: look for name, look in looks.items() if is_text(look.series.dtype) and look.numbers is None
    }
    return [
        *_note_totals(texts),
        *_note_several_answers({name: look for name, look in texts.items() if name not in unused}),
    ]


def _note_totals(texts: Mapping[str, Look]) -> list[str]:
    for name, look in texts.items():
        last = look.last_texts()
        found = last.filter(last.str.contains(_TOTAL)).unique().sort().to_list()
        if found:
            shown = ", ".join(f'"{shortened(text)}"' for text in found[:SHOWN_VALUES])
            more = ", ..." if len(found) > SHOWN_VALUES else ""
            one = len(found) == 1
            are = "looks like a row of sums and counts" if one else "look like rows of sums and count"
            remove = f"as any other row; remove {'it' if one else 'them'} first"
            return [f"{shortened(name)}: {shown}{more} {are} {remove}"]
    return []


def _note_several_answers(texts: Mapping[str, Look]) -> list[str]:
    found = {name: cell for name, look in texts.items() if (cell := several_answers(look.series)) is not None}
    if not found:
        return []
    named = [f'{shortened(name)} ("{shortened(cell)}")' for name, cell in found.items()]
    have = "has" if len(found) == 1 else "have"
    remedy = SPLIT_ANSWERS[0].lower() + SPLIT_ANSWERS[1:-1]
    return [f"{listed(named)} {have} several answers in a cell; {remedy}"]


def note_empty_files(empty: Sequence[str], n_filled: int) -> tuple[str, ...]:
    """Return the note about files without rows among others, if there are any.

    Examples
    --------
    >>> note_empty_files(["a.csv"], 2)
    ('1 of 3 files has no rows: a.csv',)
    """
    if not empty:
        return ()
    have = "has" if len(empty) == 1 else "have"
    return (f"{len(empty):,} of {len(empty) + n_filled:,} files {have} no rows: {listed(empty)}",)


def no_rows_in(name: str, n_files: int) -> EmptyFile:
    """Return the error about files of which none has rows."""
    if n_files == 1:
        return EmptyFile(f"{name}: has no rows.")
    return EmptyFile(f"{name}: none of its {n_files:,} files has rows.")


def note_other_shapes(looks: Mapping[str, Look]) -> list[str]:
    """Return notes on tables whose rows are links of a network or steps of series."""
    return [*_note_links(looks), *_note_series(looks)]


def _note_links(looks: Mapping[str, Look]) -> list[str]:
    """Return that two columns look like the ends of links: they are called so, and share values."""
    lower = {name.strip().lower(): name for name in looks}
    ends = [
        next((lower[one] for one in names if len(one) > 1 and one in lower), None)
        for names in (SOURCES, TARGETS)
    ]
    if ends[0] is None or ends[1] is None:
        return []
    first, second = (set(looks[str(name)].series.drop_nulls().head(LOOKED_AT)) for name in ends)
    if not first & second:
        return []
    fact = f"{shortened(ends[0])} and {shortened(ends[1])} look like links of a network"
    options = ("coterie.fit(graph=...)", "--graph", "coterie fit --graph")
    return [Note(*(f"{fact}; {option} finds its communities" for option in options))]


def _note_series(looks: Mapping[str, Look]) -> list[str]:
    """Return that a table looks like long series: a value for each time of each of several things."""
    polars = require("polars", extra="cli", purpose="Reading tables")
    time = next((name for name in looks if _TIME_NAME.fullmatch(name.strip())), None)
    values = [name for name, look in looks.items() if look.numbers is not None and name != time]
    for name, look in looks.items():
        ids = look.series.head(LOOKED_AT)
        if (
            time is None
            or name == time
            or ids.dtype.is_float()
            or not 1 < ids.n_unique() <= len(ids) / LEAST_STEPS
        ):
            continue
        rest = [one for one in values if one != name]
        times = looks[time].series.head(LOOKED_AT)
        is_shared = times.n_unique() <= len(times) / 2
        if (
            rest
            and is_shared
            and not polars.DataFrame([ids.alias("id"), times.alias("time")]).is_duplicated().any()
        ):
            columns = [name, time, *rest[:SHOWN_VALUES]]
            fact = f"{shortened(name)} and {shortened(time)} look like time series, one per {shortened(name)}"
            return [
                Note.of(lambda door: f"{fact}; {option_of('series', columns, door)} groups these")  # noqa: B023
            ]
    return []
