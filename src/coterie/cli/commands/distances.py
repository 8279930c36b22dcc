"""``coterie distances``: the catalogue of distances."""

from __future__ import annotations

from coterie.cli import options

HEADINGS = {
    "name": "name",
    "aliases": "also",
    "is_metric": "metric",
    "domain": "for",
    "parameters": "parameters",
    "summary": "what it measures",
}


def distances(as_json: options.AsJson = False) -> None:
    """List the distances that coterie fit knows."""
    from coterie.cli.render.catalogues import show
    from coterie.distance import catalogue

    entries = [
        {
            "name": distance.name,
            "aliases": list(distance.aliases),
            "is_metric": distance.is_metric,
            "domain": distance.domain,
            "parameters": [parameter.name for parameter in distance.parameters],
            "summary": distance.summary,
        }
        for distance in catalogue().values()
    ]
    show(entries, HEADINGS, as_json=as_json)
