"""``coterie criteria``: the catalogue of criteria for the number of groups."""

from __future__ import annotations

from coterie.cli import options


def criteria(as_json: options.AsJson = False) -> None:
    """List the criteria that coterie select knows."""
    from coterie.cli.catalogues import show
    from coterie.select import criteria as all_criteria

    rows = [
        {
            "name": found.name,
            "better": found.direction,
            "needs": found.needs,
            "chooses": found.rule,
            "what it measures": found.summary,
            **({"reference": found.reference} if as_json else {}),
        }
        for found in all_criteria()
    ]
    show(rows, as_json=as_json)
