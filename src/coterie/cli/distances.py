"""``coterie distances``: the catalogue of distances."""

from __future__ import annotations

from coterie.cli import options


def distances(as_json: options.AsJson = False) -> None:
    """List the distances that coterie fit knows."""
    from coterie.cli.catalogues import show
    from coterie.distance import catalogue

    rows = [
        {
            "name": distance.name,
            "also": ", ".join(distance.aliases),
            "metric": "yes" if distance.is_metric else "no",
            "for": distance.domain,
            "parameters": ", ".join(parameter.name for parameter in distance.parameters),
            "what it measures": distance.summary,
        }
        for distance in catalogue().values()
    ]
    show(rows, as_json=as_json)
