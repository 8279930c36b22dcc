"""``coterie measures``: the catalogue of measures."""

from __future__ import annotations

from coterie.cli import options


def measures(as_json: options.AsJson = False) -> None:
    """List the measures that coterie evaluate knows."""
    from coterie.cli.catalogues import show
    from coterie.evaluate import measures as all_measures

    rows = [
        {
            "name": measure.name,
            "symbol": measure.symbol,
            "range": measure.range,
            "better": measure.direction,
            "needs": measure.needs,
            "what it measures": measure.summary,
            **({"noise": measure.noise or "none", "reference": measure.reference} if as_json else {}),
        }
        for measure in all_measures()
    ]
    show(rows, as_json=as_json)
