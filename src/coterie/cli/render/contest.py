"""The table of ``coterie compare``."""

from __future__ import annotations

from rich.markup import escape
from rich.table import Table

from coterie.cli.render.summary import plain_table
from coterie.cli.render.terminal import console
from coterie.cluster import find_method
from coterie.pipeline.compare_methods import MethodComparison


def show_contest(found: MethodComparison) -> None:
    """Print the answer, then one line per method."""
    out = console()
    out.print(
        escape(f"{found.source}   {found.n_rows:,} rows; compared on {found.n_compared:,}"), soft_wrap=True
    )
    out.print()
    out.print(f"  [bold green]{escape(found.headline)}[/]", soft_wrap=True)
    out.print()
    out.print(_table(found))


def _table(found: MethodComparison) -> Table:
    table = plain_table()
    has_truth = found.agreement is not None
    for name in ("method", "groups", "separation", "weakest border", "borders cut", "noise"):
        table.add_column(name, justify="left" if name == "method" else "right")
    if has_truth:
        table.add_column("adjusted Rand", justify="right")
    table.add_column("what speaks for or against it")
    for at, candidate in enumerate(found.candidates):
        scores = candidate.scores
        table.add_row(
            find_method(candidate.method).title,
            str(candidate.k),
            f"{scores['separation']:.1f}",
            f"{scores['weakest_valley']:.1f}",
            f"{scores['crossing']:.1%}",
            f"{scores['noise']:.1%}",
            *([] if found.agreement is None else [f"{found.agreement[at]:.2f}"]),
            escape(candidate.reason),
        )
    return table
