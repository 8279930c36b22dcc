"""Which numbers about groups of rows in blocks are exact, and how far the others can be off."""

from __future__ import annotations

import numpy as np

from coterie.evaluate import Significance, Stability
from coterie.evaluate.sampling import Estimate
from coterie.scale._group_totals import GroupTotals
from coterie.scale.sampling import Sample
from coterie.select import Fact

EXACT = {
    "sse": "sum of squares within groups",
    "bss": "sum of squares between groups",
    "calinski_harabasz_score": "Calinski-Harabasz",
    "davies_bouldin_score": "Davies-Bouldin",
    "simplified_silhouette_score": "simplified silhouette",
}
EVERY_95 = 1.96  # standard errors to each side of a 95 % interval


def exact_facts(totals: GroupTotals, explained: float | None) -> list[Fact]:
    """Return the numbers that every row has a part in."""
    facts = [
        Fact(title, float(totals.values[name])) for name, title in EXACT.items() if name in totals.values
    ]
    if explained is not None and len(totals.sizes) > 1:
        facts.append(Fact("share of the variance between groups", explained))
    return facts


def estimated_facts(
    totals: GroupTotals,
    k: int,
    compared: int | None,
    sample: Sample,
    stability: Stability | None,
    significance: Significance | None,
) -> list[Fact]:
    """Return the numbers that come from some of the rows, with their errors; `compared` None: k was given."""
    facts = []
    value = totals.values.get("silhouette_score")
    if isinstance(value, Estimate):
        is_exact = value.n_drawn == sample.n_rows
        how = f"{value.n_drawn:,} rows against all rows"
        facts.append(Fact("silhouette", float(value), is_exact, value.standard_error, how))
    if compared is None:
        return facts
    is_exact = compared == sample.n_rows
    of = "every row" if is_exact else f"{compared:,} of {sample.n_rows:,} rows"
    facts.append(Fact("number of groups", float(k), is_exact, None, f"chosen on {of}"))
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
