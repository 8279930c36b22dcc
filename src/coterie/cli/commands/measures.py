"""``coterie measures``: the catalogue of measures."""

from __future__ import annotations

from coterie.cli import options

HEADINGS = {
    "name": "name",
    "symbol": "symbol",
    "range": "range",
    "direction": "better",
    "needs": "needs",
    "summary": "what it measures",
}


def measures(as_json: options.AsJson = False) -> None:
    """List the measures that coterie evaluate knows."""
    from coterie.cli.render.catalogues import show
    from coterie.evaluate import measures as all_measures

    facts = (*HEADINGS, "noise", "reference")
    entries = [{fact: getattr(measure, fact) for fact in facts} for measure in all_measures()]
    show(entries, HEADINGS, as_json=as_json)
