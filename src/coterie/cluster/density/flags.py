"""Red flags: results of DBSCAN that say more about the parameters than about the data."""

from __future__ import annotations

import warnings

import numpy as np

from coterie._support.caller import caller_level
from coterie._support.typing import FloatArray
from coterie.cluster.density.neighbourhoods import Found
from coterie.errors import DataNotice

FEW = 0.01  # share of core points below which a neighbourhood is too small
MANY = 0.95  # share of rows in one cluster, or of noise, that leaves nothing to tell apart
LEAST_ROWS_TO_JUDGE = 50


def raise_flags(found: Found, who: str) -> None:
    """Warn about results that say more about the parameters than about the data."""
    n = len(found.labels)
    if n < LEAST_ROWS_TO_JUDGE:
        return
    shares: FloatArray = np.bincount(found.labels + 1, minlength=2) / n
    hint = "suggest_eps shows the distances to choose from."
    if found.is_core.mean() < FEW:
        n_core = int(found.is_core.sum())
        text = f"{n_core:,} of {n:,} rows are core points: eps is too small, or min_samples too large"
    elif shares[0] > MANY:
        text = f"{shares[0]:.0%} of the rows are noise: eps is too small, or min_samples too large"
    elif shares[1:].max() > MANY:
        share = shares[1:].max()
        text = f"{share:.0%} of the rows are in one cluster: eps is too large, or there is one group"
    else:
        return
    warnings.warn(f"{who}: {text}. {hint}", DataNotice, stacklevel=caller_level())
