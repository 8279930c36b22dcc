"""``coterie demo``: a first look, no data needed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from coterie.cli import options
from coterie.cli.options import option

ABOUT = """
A shop has a table of 800 customers: age, income, visits per month, spend per visit,
share of orders made online (%), share bought at a discount (%). How many kinds of
customers are there, and which?

  $ coterie fit customers.csv
"""
NEXT = """
How to read this: comparing several methods gave five groups. The same groups are found in
bootstrap resamples of the rows ("stable"), and none of 59 data sets drawn from a single
Gaussian is separated as well ("Gaussian null rejected"). Each line says how a group differs
from the average customer, in standard deviations (sd). Group 1, for example, is young, orders
online and buys at a discount: students, one would guess. The data do not contain that word.

Try it on the same table, then on yours:
  coterie demo --copy customers.csv
  coterie fit customers.csv -o groups.csv
  coterie compare customers.csv
"""
ABOUT_REPORT = "The report, a single HTML file that you can open in a browser or send to others:"


def demo(
    copy: Annotated[Path | None, option(metavar="FILE", help="Only write the table to a file.")] = None,
    report: options.Report = None,
    opens: options.Open = False,
    force: options.Force = False,
) -> None:
    """Cluster a built-in table of customers and explain the result."""
    from dataclasses import replace
    from importlib.resources import as_file, files

    from coterie.cli import outputs, reports
    from coterie.cli.render import summary
    from coterie.data import read_table
    from coterie.pipeline import fit

    reports.check(report, opens=opens, force=force)
    with as_file(files("coterie.data") / "customers.csv") as path:
        if copy is not None:
            outputs.copy(path, copy, force=force)
            print(f"{copy} written")
            return
        table = replace(read_table(path), source="customers.csv")
    print(ABOUT)
    found = fit(table)
    summary.show_clustering(found, commands=False)
    print(NEXT)
    if report is not None:
        found.report(report, force=force)
        print(f"{ABOUT_REPORT}\n{report.resolve()}")
        reports.tell(report, opens=opens, quiet=True)
