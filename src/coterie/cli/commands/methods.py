"""``coterie methods``: the catalogue of methods."""

from __future__ import annotations

from coterie.cli import options

HEADINGS = {"name": "name", "needs_k": "needs -k", "summary": "what it does"}


def methods(as_json: options.AsJson = False) -> None:
    """List the methods that coterie fit knows."""
    from coterie.cli.render.catalogues import show
    from coterie.cluster import catalogue

    entries = [
        {"name": method.name, "needs_k": method.needs_k, "summary": method.summary} for method in catalogue()
    ]
    show(entries, HEADINGS, as_json=as_json)
