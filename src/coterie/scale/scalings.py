"""Scaling of columns whose rows are in blocks: from exact moments, or from quantiles of a sample."""

from __future__ import annotations

import numpy as np

from coterie.data import Scaling, fit_scaling
from coterie.pipeline.preparing import differ_in_scale
from coterie.scale.blocks import Blocks
from coterie.scale.moments import Whole
from coterie.scale.sampling import draw_sample

QUANTILE_ROWS = 100_000  # a quartile of them is that of all rows up to 0.14 % of the ranks


def scaling_of(blocks: Blocks, whole: Whole, how: str | None, seed: int) -> tuple[Scaling, tuple[str, ...]]:
    """Return a scaling of all rows, and what is to be said about it; None: by the data."""
    spread = np.sqrt(whole.columns.variance)
    if how is None:
        how = "standard" if differ_in_scale(spread) else "none"
    nothing = np.zeros_like(spread), np.ones_like(spread)
    if how == "robust":
        sample = draw_sample(blocks, QUANTILE_ROWS, seed)
        error = 100 * np.sqrt(0.25 * 0.75 / len(sample.rows))
        note = f"medians and quartiles are those of {sample}: standard error {error:.2f} % of the ranks"
        return fit_scaling(sample.X.astype(np.float64), "robust"), () if sample.is_whole else (note,)
    if how == "none":
        return Scaling(how, *nothing), ()
    low, high = np.asarray(whole.columns.low), np.asarray(whole.columns.high)
    shift, factor = (low, high - low) if how == "minmax" else (np.asarray(whole.columns.mean), spread)
    return Scaling(how, shift, np.where(factor > 0, factor, 1.0)), ()
