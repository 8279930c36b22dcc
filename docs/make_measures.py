"""Write the tables of docs/measures.md from the facts of the catalogue: ``python docs/make_measures.py``."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from coterie.evaluate import Measure, measures

PAGE = Path(__file__).with_name("measures.md")
START, END = "<!-- made by make_measures.py -->\n", "<!-- end -->\n"
HEADINGS = {
    "labelings": "Against the truth: two labelings",
    "memberships": "Against the truth: soft memberships",
    "centers": "Against the truth: two sets of centres",
    "data": "By the data: data or distances, and a labeling",
    "tree": "Of a tree",
}
COLUMNS = ("measure", "symbol", "what it is", "range", "better", "noise", "weights", "equal to", "reference")


def row_of(measure: Measure) -> str:
    """Return the line of one measure."""
    peer = "" if measure.peer is None else f"`{measure.peer}`"
    cells = (
        f"`{measure.name}`",
        measure.symbol,
        measure.summary.replace("|", r"\|"),
        measure.range,
        measure.direction,
        measure.noise or "",
        "yes" if measure.takes_sample_weight else "",
        peer,
        f"[{measure.reference}](references.md#{measure.reference})",
    )
    return "| " + " | ".join(cells) + " |\n"


def tables() -> str:
    """Return all tables, a heading before each."""
    text = ""
    for needs, heading in HEADINGS.items():
        text += f"\n### {heading}\n"
        for group, members in groupby(measures(needs), key=lambda measure: measure.group):
            text += f"\n**{group}**\n\n| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n"
            text += "".join(map(row_of, members))
    return text + "\n"


def page() -> str:
    """Return the page with its tables made anew."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
    _, _, after = rest.partition(END)
    return before + START + tables() + END + after


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
