"""Options that several commands share, with the defaults that all of them have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypedDict, TypeVar

import typer

from coterie.cli import completion
from coterie.cli.completion import offers, words
from coterie.errors import InvalidParameter, did_you_mean, shown_in_shell

if TYPE_CHECKING:  # the first screen loads no NumPy
    from coterie._support.typing import Settings

LARGEST_SEED = 2**64 - 1  # of the counter-based generator
LINKAGE = "average"  # of every tree that is drawn or cut
READING, TUNING, WRITING, LARGE = "Reading the data", "The method", "Writing files", "Large data"  # topics


def option(
    *names: str,
    metavar: str | None = None,
    help: str,
    parser: Callable[[str], object] | None = None,
    offered: Callable[[str], list[tuple[str, str]] | list[str]] | None = None,
    topic: str | None = None,
) -> Any:
    """Return an option whose default, if worth knowing, is in square brackets in its help.

    `offered` is what tab completion offers (`completion.offers`); None: names of files. The help of a command
    with topics names an option that has one, and explains those that have none.
    """
    return typer.Option(
        *names,
        metavar=metavar,
        help=help,
        show_default=False,
        parser=parser,
        autocompletion=offered,
        rich_help_panel=topic,
    )


def number_option(
    *names: str, least: int, most: int | None = None, help: str, topic: str | None = None
) -> Any:
    """Return an option that takes a whole number from `least`, up to `most` if there is a limit."""

    def number(text: str) -> int:
        """Return the number, or say what is allowed."""
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            limit = {None: "", LARGEST_SEED: " to 2**64 - 1"}.get(most, f" to {most}")
            got = shown_in_shell(text)
            raise typer.BadParameter(f"must be a whole number from {least}{limit}, got {got}.")
        return value

    return option(*names, metavar="N", help=help, parser=number, topic=topic)


def amount_option(*names: str, help: str) -> Any:
    """Return an option that takes a number above 0."""

    def amount(text: str) -> float:
        """Return the number, or say what is allowed."""
        try:
            value = float(text)
        except ValueError:
            value = 0.0
        if not 0 < value < float("inf"):
            raise typer.BadParameter(f"must be a number above 0, got {shown_in_shell(text)}.")
        return value

    return option(*names, metavar="X", help=help, parser=amount)


def word_option(
    *allowed: str, otherwise: str, about: str = "", metavar: str = "HOW", topic: str | None = None
) -> Any:
    """Return an option that takes one of a few words: its help lists them, tab completion offers them."""
    listed = f"{about}{', '.join(allowed)} [{otherwise}]"
    return option(metavar=metavar, help=listed, offered=offers(words(*allowed)), topic=topic)


def seed_option(help: str) -> Any:
    """Return the option of a seed."""
    return number_option(least=0, most=LARGEST_SEED, help=help)


SIZED = "constrained-kmeans"  # the method whose groups have given sizes


def method_of_sizes(text: str | None, method: str) -> str:
    """Return the method, where none was named and sizes were given the one that keeps to them.

    Examples
    --------
    >>> method_of_sizes("100..300", "auto"), method_of_sizes(None, "auto")
    ('constrained-kmeans', 'auto')
    """
    return SIZED if text is not None and method == "auto" else method


def read_sizes(text: str | None, method: str) -> dict[str, int]:
    """Return the settings that ``--sizes A..B`` stands for; either end may be left out.

    Examples
    --------
    >>> read_sizes("100..300", "constrained-kmeans"), read_sizes("..300", "constrained-kmeans")
    ({'size_min': 100, 'size_max': 300}, {'size_max': 300})
    """
    if text is None:
        return {}
    if method != SIZED:
        raise InvalidParameter(f"--sizes goes with --method {SIZED}, got --method {method}.")
    least, dots, most = text.partition("..")
    ends = {"size_min": least, "size_max": most if dots else least}
    given = {name: end for name, end in ends.items() if end}
    if not given or not all(end.isascii() and end.isdigit() for end in given.values()):
        got = shown_in_shell(text)
        raise InvalidParameter(f"--sizes must be A..B, for example --sizes 100..300, or N, got {got}.")
    return {name: int(end) for name, end in given.items()}


def names_of(given: list[str], columns: tuple[str, ...] = ()) -> list[str]:
    """Return names of columns: each option names one, or several between commas.

    A name that holds a comma itself is taken whole where the table has such a column.

    Examples
    --------
    >>> names_of(["a,b", "c"]), names_of(["a,b"], columns=("a,b",))
    (['a', 'b', 'c'], ['a,b'])
    """
    found: list[str] = []
    for one in given:
        found += [one] if one in columns else [name.strip() for name in one.split(",") if name.strip()]
    return found


def typed(arguments: Settings, *names: str) -> list[str]:
    """Return those options of a request that are not as usual, as they can be typed again.

    Examples
    --------
    >>> typed({"drop": ["a", "b"], "scale": "auto", "dates": None}, "drop", "scale", "dates")
    ['--drop', 'a,b']
    """
    found = []
    for name in names:
        value = arguments[name]
        if isinstance(value, bool):
            found.append(f"--{name}" if value else f"--no-{name}")
        elif value is not None and value != "auto" and value != []:
            found += [f"--{name}", ",".join(value) if isinstance(value, list) else str(value)]
    return found


def check_linkage(name: str) -> None:
    """Refuse a linkage that does not exist, before any data are read."""
    from coterie.tree import METHODS

    if name not in METHODS:
        near = did_you_mean(name, METHODS)
        raise InvalidParameter(f'no such linkage "{name}".{near} ({", ".join(METHODS)})')


def refuse_two(**given: bool) -> None:
    """Refuse options that exclude each other, such as two ways to read one file."""
    names = [f"--{name.replace('_', '-')}" for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise InvalidParameter(f"{' and '.join(names)} exclude each other. Leave one out.")


def refuse_without_data(**given: object) -> None:
    """Refuse options of ``coterie evaluate`` that are about the rows of --data, where there are none."""
    why = {"scale": "the columns that it scales", "report": "the rows that it shows"}
    for name, value in given.items():
        if value is not None:
            what = why.get(name, "the rows that it reads")
            raise InvalidParameter(f"--{name} of evaluate needs --data: {what}.")


def reading(dates: str | None, sheet: str | None, table: str | None, query: str | None) -> dict[str, Any]:
    """Return how a table is read, as far as anything is said."""
    given = {"dates": dates, "sheet": sheet, "table": table, "query": query}
    return {name: value for name, value in given.items() if value is not None}


Data: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="CSV, Excel, JSON, Parquet, Arrow, npy, npz, database, folder, pattern or - (stdin).",
    ),
]
METHOD, METHODS = offers(completion.methods), offers(completion.methods, several=True)
DISTANCE = offers(completion.distances)
SCALES = ("auto", "standard", "minmax", "robust", "none")
GAPS = ("auto", "observed", "drop", "median", "refuse")
Distance: TypeAlias = Annotated[
    str, option(metavar="NAME", help="See coterie distances; or precomputed [euclidean]", offered=DISTANCE)
]
Scale: TypeAlias = Annotated[str, word_option(*SCALES, otherwise="auto")]
Budget: TypeAlias = Annotated[
    str, word_option("fast", "normal", "thorough", otherwise="normal", metavar="WORD")
]
COLUMNS = completion.columns
Truth: TypeAlias = Annotated[
    str | None, option(metavar="COLUMN", help="Classes to compare with.", offered=COLUMNS)
]
Columns: TypeAlias = Annotated[
    list[str], option(metavar="A,B", help="Use these columns only.", offered=COLUMNS)
]
Drop: TypeAlias = Annotated[list[str], option(metavar="A,B", help="Leave columns out.", offered=COLUMNS)]
Keep: TypeAlias = Annotated[
    list[str], option(metavar="A,B", help="Use keys, codes and constants too.", offered=COLUMNS)
]
Linkage: TypeAlias = Annotated[
    str,
    option(
        metavar="NAME",
        help=f"single, complete, average, weighted, ward, ... [{LINKAGE}]",
        offered=offers(completion.linkages),
    ),
]
Missing: TypeAlias = Annotated[str, word_option(*GAPS, otherwise="auto")]
MissingInNew: TypeAlias = Annotated[
    str | None, word_option(*GAPS, otherwise="as in the fit", about="Missing values: ")
]
MissingInUpdate: TypeAlias = Annotated[
    str, word_option("drop", "median", "refuse", otherwise="refuse", about="Missing values: ")
]
Dates: TypeAlias = Annotated[
    str | None,
    word_option(
        "as-number", "year", "month", "weekday", otherwise="left out", about="Dates: ", topic=READING
    ),
]
Sheet: TypeAlias = Annotated[
    str | None, option(metavar="NAME", help="Sheet of a workbook [the first]", topic=READING)
]
DatabaseTable: TypeAlias = Annotated[
    str | None, option("--table", metavar="NAME", help="Table of a database [the only one]", topic=READING)
]
Query: TypeAlias = Annotated[
    str | None, option(metavar="SQL", help="SQL query that selects the rows of a database.", topic=READING)
]
Places: TypeAlias = Annotated[
    str, option(metavar="LAT,LON", help="Columns that are one position; or off [by name]", topic=READING)
]
Header: TypeAlias = Annotated[
    bool | None, option("--header/--no-header", help="Is line 1 a header? [auto]", topic=READING)
]
Encoding: TypeAlias = Annotated[
    str | None, option(metavar="NAME", help="Text encoding, e.g. cp1252 [utf-8]", topic=READING)
]
Output: TypeAlias = Annotated[
    Path | None, option("--output", "-o", metavar="FILE", help="Labels: .csv .tsv .parquet .npy, folder or -")
]
EscapeFormulas: TypeAlias = Annotated[
    bool,
    option("--escape-formulas", help="In -o, put ' before text that starts with = + - @.", topic=WRITING),
]
WithData: TypeAlias = Annotated[
    bool, option("--with-data", help="Add the columns of DATA to -o.", topic=WRITING)
]
Carry: TypeAlias = Annotated[
    list[str],
    option("--carry", metavar="A,B", help="Add these columns of DATA to -o.", offered=COLUMNS, topic=WRITING),
]
WithFile: TypeAlias = Annotated[
    bool, option("--with-file", help="Add the file and the row in it to -o.", topic=WRITING)
]
KeepLayout: TypeAlias = Annotated[
    bool, option("--keep-layout", help="One part of -o FOLDER per file of DATA.", topic=WRITING)
]
Report: TypeAlias = Annotated[Path | None, option("--report", metavar="FILE", help="Write an HTML report.")]
Open: TypeAlias = Annotated[bool, option("--open", help="Open the report in the browser.")]
AsJson: TypeAlias = Annotated[bool, option("--json", help="Print JSON.")]
Force: TypeAlias = Annotated[bool, option("--force", help="Replace files that exist.")]


class TextOptions(TypedDict):
    """How a file of text is read."""

    header: bool | None
    encoding: str | None


# options that say which rows and columns are used, and how; with their defaults
OF_ROWS: dict[str, tuple[Any, object]] = {
    "distance": (Distance, "auto"),
    "scale": (Scale, "auto"),
    "columns": (Columns, []),  # typer copies it
    "drop": (Drop, []),
    "keep": (Keep, []),
    "missing": (Missing, "auto"),
    "dates": (Dates, None),
    "sheet": (Sheet, None),
    "table": (DatabaseTable, None),
    "query": (Query, None),
    "places": (Places, "auto"),
    "header": (Header, None),
    "encoding": (Encoding, None),
}
Rows: TypeAlias = dict[str, Any]  # the values of these options, as `coterie.pipeline.make_request` takes them
Answer = TypeVar("Answer")


def takes_rows(command: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a command the options of `OF_ROWS` in place of its parameter `rows`, which gets their values."""
    shape = signature(command, eval_str=True)
    of_rows = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in OF_ROWS.items()
    ]
    parameters = [
        one for each in shape.parameters.values() for one in (of_rows if each.name == "rows" else [each])
    ]

    @wraps(command)
    def with_rows(**given: Any) -> Answer:
        rows = {name: given.pop(name) for name in OF_ROWS}
        rows |= {name: names_of(rows[name]) for name in ("columns", "drop", "keep")}
        return command(**given, rows=rows)

    typed_command: Any = with_rows
    typed_command.__signature__ = shape.replace(parameters=parameters)
    typed_command.__annotations__ = {each.name: each.annotation for each in parameters}
    return with_rows
