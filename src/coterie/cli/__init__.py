"""The command line: one file per command."""

from __future__ import annotations

import sys


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
    sys.exit(run(sys.argv[1:]))
