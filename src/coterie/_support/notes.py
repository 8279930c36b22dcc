"""Notes that name an option: in the words of Python, of the command line, and of the explorer's page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from shlex import quote
from typing import Final, Literal, Self, TypeAlias

Door: TypeAlias = Literal["python", "shell", "page"]
DOORS: Final[tuple[Door, ...]] = ("python", "shell", "page")
SWITCHES = {"keep": "use", "drop": "leave out"}  # of a column on the place Data of the page

_DATES = "--dates year, month, weekday or as-number"
DATES: Final[dict[Door, str]] = {
    "python": 'dates="year", "month", "weekday" or "as-number"',
    "shell": _DATES,
    "page": f"coterie fit {_DATES}",
}


class Note(str):
    r"""A note for readers of Python; others read the same with the options that they have.

    Parameters
    ----------
    text, shell_text, page_text : str
        The words of Python, of the command line, and of the explorer's page, in this order.

    Examples
    --------
    >>> note = Note.of(lambda door: f"zip is left out; {option_of('keep', ['zip'], door)} uses it")
    >>> print(note, worded(note, "shell"), worded(note, "page"), worded("plain", "page"), sep="\n")
    zip is left out; keep=["zip"] uses it
    zip is left out; --keep zip uses it
    zip is left out; "use" in Data uses it
    plain
    """

    __slots__ = ("page_text", "shell_text")
    shell_text: str
    page_text: str

    def __new__(cls, text: str, shell_text: str, page_text: str) -> Self:
        note = super().__new__(cls, text)
        note.shell_text, note.page_text = shell_text, page_text
        return note

    @classmethod
    def of(cls, tell: Callable[[Door], str]) -> Self:
        """Return the note that a function words for each door."""
        return cls(*map(tell, DOORS))

    def __getnewargs__(self) -> tuple[str, str, str]:  # type: ignore[override]  # for copies and pickles
        return str(self), self.shell_text, self.page_text


def worded(note: str, door: Door) -> str:
    """Return a note in the words of a door."""
    return str(getattr(note, f"{door}_text", note))


def render_notes(notes: Iterable[str], door: Door) -> tuple[str, ...]:
    """Return notes in the words of a door, each once, empty ones left out.

    Examples
    --------
    >>> note = Note.of(lambda door: option_of("keep", ["zip"], door))
    >>> render_notes([note, "", "plain", "plain"], "shell")
    ('--keep zip', 'plain')
    """
    return tuple(dict.fromkeys(worded(note, door) for note in notes if note))


def option_of(name: str, values: Sequence[str], door: Door) -> str:
    """Return how an option that lists columns is written.

    Examples
    --------
    >>> option_of("keep", ["zip", "age"], "shell"), option_of("keep", ["zip"], "python")
    ('--keep zip,age', 'keep=["zip"]')
    >>> option_of("drop", ["sold on", "age"], "shell"), option_of("drop", ["age"], "page")
    ("--drop 'sold on,age'", '"leave out" in Data')
    >>> option_of("series", ["id", "time"], "page")  # what the page has no switch for
    'coterie fit --series id,time'
    """
    if door == "python":
        quoted = ", ".join(f'"{value}"' for value in values)
        return f"{name}=[{quoted}]"
    if door == "page" and name in SWITCHES:
        return f'"{SWITCHES[name]}" in Data'
    option = f"--{name} {quote(','.join(values))}"
    return option if door == "shell" else f"coterie fit {option}"
