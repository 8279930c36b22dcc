"""``coterie criteria``: the catalogue of criteria for the number of groups."""

from __future__ import annotations

from coterie.cli import options

HEADINGS = {
    "name": "name",
    "direction": "better",
    "needs": "needs",
    "rule": "chooses",
    "summary": "what it measures",
}


def criteria(as_json: options.AsJson = False) -> None:
    """List the criteria that coterie select knows."""
    from coterie.cli.render.catalogues import show
    from coterie.select import criteria as all_criteria

    facts = (*HEADINGS, "reference")
    entries = [{fact: getattr(found, fact) for fact in facts} for found in all_criteria()]
    show(entries, HEADINGS, as_json=as_json)
