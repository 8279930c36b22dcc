"""Which numbers about groups of rows in blocks are exact, and how far the others can be off."""

from __future__ import annotations

import numpy as np

from coterie.evaluate import Significance, Stability
from coterie.evaluate.internal import Estimate
from coterie.pipeline import Fact
from coterie.scale.choosing import Choice
from coterie.scale.describing import Description

EXACT = {
    "sse": "sum of squares within groups",
    "bss": "sum of squares between groups",
    "calinski_harabasz_score": "Calinski-Harabasz",
    "davies_bouldin_score": "Davies-Bouldin",
    "simplified_silhouette_score": "simplified silhouette",
}
EVERY_95 = 1.96  # standard errors to each side of a 95 % interval


def facts_of(
    found: Description,
    choice: Choice,
    stability: Stability | None,
    significance: Significance | None,
) -> tuple[Fact, ...]:
    """Return all numbers that are known about groups."""
    totals, n_rows = found.totals, found.prepared.sample.n_rows
    facts = [
        Fact(title, float(totals.values[name])) for name, title in EXACT.items() if name in totals.values
    ]
    if found.explained is not None and found.k > 1:
        facts.append(Fact("share of the variance between groups", found.explained))
    value = totals.values.get("silhouette_score")
    if isinstance(value, Estimate):
        how = f"{value.n_drawn:,} rows against all rows"
        facts.append(Fact("silhouette", float(value), value.n_drawn == n_rows, value.standard_error, how))
    if choice.contest is not None:
        compared = len(choice.compared)
        of = "every row" if compared == n_rows else f"{compared:,} of {n_rows:,} rows"
        is_exact = compared == n_rows
        facts.append(Fact("number of groups", float(found.k), is_exact, None, f"chosen on {of}"))
        facts += _doubts(stability, significance, of)
    return tuple(facts)


def _doubts(stability: Stability | None, significance: Significance | None, of: str) -> list[Fact]:
    """Return stability and p-value, which resamples and draws estimate."""
    facts = []
    if stability is not None:
        means = np.nanmean(stability.scores, axis=1)
        error = float(np.std(means) / np.sqrt(len(means)))
        how = f"{stability.n_resamples} resamples of {of}"
        facts.append(Fact("stability", stability.overall, is_exact=False, error=error, how=how))
    if significance is not None:
        low, high = significance.interval
        error = (high - low) / (2 * EVERY_95)
        how = f"{significance.n_draws} draws without groups against {of}"
        facts.append(Fact("p-value", significance.p_value, is_exact=False, error=error, how=how))
    return facts
