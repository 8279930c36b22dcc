"""Where output goes: colour and the terminal's width on a terminal, plain and wide in a pipe."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from coterie._printing import SafeStream, bare, shortened, visible
from coterie.errors import FileProblem

if TYPE_CHECKING:  # it loads NumPy, which help does without
    from coterie._support.typing import JsonObject

PIPED_WIDTH = 180
LONGEST_LINE = 10_000  # of characters, e.g. a list of columns


class OutputProblem(FileProblem):
    """Standard output cannot be written."""


class SafeConsole(Console):
    """A console that shows names and values from files, whatever is in them."""

    def render_str(self, text: str, **how: Any) -> Text:
        """Return text to be styled: every string that is printed passes here, cells of tables too."""
        return super().render_str(shortened(visible(text), LONGEST_LINE), **how)


class Output(SafeStream):
    """Standard output: a pipe that nobody reads any more is a `BrokenPipeError`, a full disk is ours."""

    def write(self, text: str) -> int:
        """Write text, return its length."""
        with _in_words():
            return super().write(text)

    def flush(self) -> None:
        """Write what is pending."""
        with _in_words():
            self.stream.flush()


class StyledOutput(Output):
    """Standard output for text that is safe already: colours are control characters."""

    def write(self, text: str) -> int:
        """Write text as it is, return its length."""
        with _in_words():
            return int(self.stream.write(text))


def is_watched() -> bool:
    """Return whether a person looks at both outputs: only then progress is worth showing."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def console() -> Console:
    """Return a console for standard output as it is now."""
    target: Any = StyledOutput(bare(sys.stdout))
    how: JsonObject = {} if sys.stdout.isatty() else {"width": PIPED_WIDTH, "no_color": True}
    return SafeConsole(highlight=False, emoji=False, file=target, **how)


def write_data(text: str) -> None:
    """Write data to standard output: as they are to a file or a pipe, made safe on a terminal."""
    output: Any = sys.stdout if sys.stdout.isatty() else StyledOutput(bare(sys.stdout))
    output.write(text)


@contextmanager
def safe_outputs() -> Iterator[None]:
    """Let whatever is printed be safe to look at, by whom ever it is printed."""
    outputs = sys.stdout, sys.stderr
    for stream in outputs:
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a column's name must not break a terminal without UTF-8
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # for a stream that is closed from the start
        sys.stdout = Output(outputs[0] or nowhere)
        sys.stderr = SafeStream(outputs[1] or nowhere)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = outputs


def give_up_output() -> None:
    """Let nothing more be written to standard output, or Python complains once more at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _in_words() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputProblem(f"standard output cannot be written ({error.strerror or error}).") from None
