"""``coterie methods``, ``distances``, ``measures``, ``criteria``: the catalogues; ``coterie config``."""

from __future__ import annotations

from typing import Any

from coterie.cli import options

METHODS = {"name": "name", "needs_k": "needs -k", "summary": "what it does"}
DISTANCES = {
    "name": "name",
    "aliases": "also",
    "is_metric": "metric",
    "domain": "for",
    "parameters": "parameters",
    "summary": "what it measures",
}
MEASURES = {
    "name": "name",
    "symbol": "symbol",
    "range": "range",
    "direction": "better",
    "needs": "needs",
    "summary": "what it measures",
}
CRITERIA = {
    "name": "name",
    "direction": "better",
    "needs": "needs",
    "rule": "chooses",
    "summary": "what it measures",
}


def methods(as_json: options.AsJson = False) -> None:
    """List the clustering methods."""
    from coterie.cli.render.summary import show_catalogue
    from coterie.cluster import methods as all_methods

    entries = [{fact: getattr(method, fact) for fact in METHODS} for method in all_methods()]
    show_catalogue(entries, METHODS, as_json=as_json)


def distances(as_json: options.AsJson = False) -> None:
    """List the distances."""
    from coterie.cli.render.summary import show_catalogue
    from coterie.distance import distances as all_distances
    from coterie.series import series_distances

    every: list[Any] = [*all_distances(), *series_distances()]
    entries = [
        {
            "name": one.name,
            "aliases": list(getattr(one, "aliases", ())),
            "is_metric": one.is_metric,
            "domain": getattr(one, "domain", "series"),
            "parameters": [parameter.name for parameter in one.parameters],
            "summary": one.summary,
        }
        for one in every
    ]
    show_catalogue(entries, DISTANCES, as_json=as_json)


def measures(as_json: options.AsJson = False) -> None:
    """List the measures of coterie evaluate."""
    from coterie.cli.render.summary import show_catalogue
    from coterie.evaluate import measures as all_measures

    facts = (*MEASURES, "noise", "reference")
    entries = [{fact: getattr(measure, fact) for fact in facts} for measure in all_measures()]
    show_catalogue(entries, MEASURES, as_json=as_json)


def criteria(as_json: options.AsJson = False) -> None:
    """List the criteria of coterie select."""
    from coterie.cli.render.summary import show_catalogue
    from coterie.select import criteria as all_criteria

    facts = (*CRITERIA, "reference")
    entries = [{fact: getattr(found, fact) for fact in facts} for found in all_criteria()]
    show_catalogue(entries, CRITERIA, as_json=as_json)


def config(as_json: options.AsJson = False) -> None:
    """Show versions, instruction set and threads."""
    from coterie._support.config import configuration, show_config
    from coterie.cli.render.machines import print_json

    if as_json:
        print_json(configuration())
    else:
        show_config()
