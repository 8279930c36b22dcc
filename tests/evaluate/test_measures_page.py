"""The page of measures in docs/."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_tables_are_those_of_the_catalogue():
    """Law: the tables of the page are made from the facts; `python docs/make_measures.py` makes them anew."""
    made = runpy.run_path(str(DOCS / "make_measures.py"))
    assert made["page"]() == (DOCS / "measures.md").read_text(encoding="utf-8")
