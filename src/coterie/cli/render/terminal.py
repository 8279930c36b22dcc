"""Where output goes: colour and the terminal's width on a terminal, plain and wide in a pipe."""

from __future__ import annotations

import sys

from rich.console import Console

PIPED_WIDTH = 180


def is_watched() -> bool:
    """Return whether a person looks at both outputs: only then progress is worth showing."""
    return sys.stdout.isatty() and sys.stderr.isatty()


def console() -> Console:
    """Return a console for standard output as it is now."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(highlight=False, width=PIPED_WIDTH, no_color=True)
