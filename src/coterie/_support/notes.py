"""Notes that name an option: in the words of Python, and in those of the command line."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from shlex import quote
from typing import Self


class Note(str):
    """A note for readers of Python; `shell_text` says the same on the command line.

    Examples
    --------
    >>> note = Note('zip is left out; keep=["zip"] uses it', "zip is left out; --keep zip uses it")
    >>> print(note, in_shell(note), in_shell("plain"), sep=" | ")
    zip is left out; keep=["zip"] uses it | zip is left out; --keep zip uses it | plain
    """

    __slots__ = ("shell_text",)
    shell_text: str

    def __new__(cls, text: str, shell_text: str) -> Self:
        note = super().__new__(cls, text)
        note.shell_text = shell_text
        return note

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]  # for copies and pickles
        return str(self), self.shell_text


def in_shell(note: str) -> str:
    """Return a note in the words of the command line."""
    return getattr(note, "shell_text", note)


def render_notes(notes: Iterable[str], *, shell: bool) -> tuple[str, ...]:
    """Return notes as their reader writes options, each once, empty ones left out.

    Examples
    --------
    >>> render_notes([Note('keep=["zip"]', "--keep zip"), "", "plain", "plain"], shell=True)
    ('--keep zip', 'plain')
    """
    return tuple(dict.fromkeys(str(in_shell(note) if shell else note) for note in notes if note))


def option_of(name: str, values: Sequence[str], *, shell: bool) -> str:
    """Return how an option that lists columns is written.

    Examples
    --------
    >>> option_of("keep", ["zip", "age"], shell=True), option_of("keep", ["zip"], shell=False)
    ('--keep zip,age', 'keep=["zip"]')
    >>> option_of("drop", ["sold on", "age"], shell=True)
    "--drop 'sold on,age'"
    """
    if shell:
        return f"--{name} {quote(','.join(values))}"
    quoted = ", ".join(f'"{value}"' for value in values)
    return f"{name}=[{quoted}]"
