"""The command line: one file per command."""

from __future__ import annotations

import atexit
import os
import sys
import warnings
from typing import NoReturn, TextIO


def main() -> None:
    """Run ``coterie`` with the arguments of the process and exit with its code."""
    from coterie._support.optional import require
    from coterie.errors import MissingDependency

    try:
        for package in ("typer", "rich"):
            require(package, extra="cli", purpose="The command line")
    except MissingDependency as error:
        print(f"coterie: {error}", file=sys.stderr)
        sys.exit(1)
    try:
        from coterie.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    warnings.showwarning = tell_warning
    _leave(run(sys.argv[1:]))


def tell_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print what a person should know as a note, without the place in the code that it comes from."""
    if issubclass(category, UserWarning):
        text = "note: " + " ".join(str(message).split())
    else:
        text = warnings.formatwarning(message, category, filename, lineno, line).rstrip()
    print(text, file=file or sys.stderr)


def _leave(code: int) -> NoReturn:
    """End the process, at once where a call of a library goes on that Ctrl-C has given up."""
    stoppable = sys.modules.get("coterie._support.stoppable")
    if stoppable is not None and stoppable.is_still_at_work():
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
