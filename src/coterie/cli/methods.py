"""``coterie methods``: the catalogue of methods."""

from __future__ import annotations

from coterie.cli import options


def methods(as_json: options.AsJson = False) -> None:
    """List the methods that coterie fit knows."""
    from coterie.cli.catalogues import show
    from coterie.cluster import catalogue

    rows = [
        {"name": method.name, "needs -k": "yes" if method.needs_k else "no", "what it does": method.summary}
        for method in catalogue()
    ]
    show(rows, as_json=as_json)
