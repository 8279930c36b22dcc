"""Whether to believe the winner: how often it comes back, and how good data without groups look."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from coterie._support.progress import Progress, Tracker
from coterie._support.typing import Labels
from coterie.evaluate import Significance, Stability, significance, stability
from coterie.pipeline.candidates import CRUMBS, Candidate
from coterie.pipeline.judge.density_valleys import Valleys
from coterie.pipeline.request import FitRequest

STEPS = 2  # stability and significance
TOO_FEW = 10  # rows below which no method can tell groups from chance
MOST_COLUMNS = (
    2_000  # of a Gaussian with a covariance of its own; wider data are turned first, see `points_of`
)


def check_belief(
    points: Any, labels: Labels, chosen: Candidate | None, request: FitRequest, tracker: Tracker
) -> tuple[Stability | None, Significance | None]:
    """Return whether the groups come back in resamples, and whether null data are separated as well.

    Parameters
    ----------
    points : array of shape (n, d)
        The rows that methods were compared on.
    labels : array of shape (n,)
        Their groups, 0..k-1; below 0 is noise. All 0: there are no groups, and stability is not measured.
    chosen : Candidate or None
        The winner; where there are no groups, the best loser.
    request : FitRequest
        What it may cost.
    tracker : Tracker
        Hears of the two stages.
    """
    if chosen is None or len(points) < TOO_FEW or chosen.k > CRUMBS * len(points):
        return None, None  # a resample would have fewer rows than groups
    n_found = int(np.max(labels, initial=-1)) + 1
    if n_found < 1 or len(np.unique(labels[labels >= 0])) < n_found:
        return None, None  # a group that no compared row belongs to cannot come back
    budget, stable, n_before = request.budget, None, len(request.methods_to_compare())
    seed = request.seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a resample or a draw warns about says nothing about the data
        if n_found > 1:
            tracker.report(n_before, stage="stability", total=n_before + STEPS)
            stable = stability(
                chosen.make(),
                points,
                progress=_share_of(tracker, n_before),
                n_resamples=budget.resamples,
                labels=np.maximum(labels, -1),
                random_state=seed,
            )
        if points.shape[1] > MOST_COLUMNS:
            return stable, None
        tracker.report(n_before + 1, stage="significance", total=n_before + STEPS)
        chance = significance(
            chosen.make(),
            points,
            measure=separation,
            n_draws=budget.draws,
            sample_size=min(budget.draw_rows, len(points)),
            random_state=seed,
            progress=_share_of(tracker, n_before + 1),
        )
    return stable, chance


def _share_of(tracker: Tracker, step: int) -> Callable[[Progress], None] | None:
    """Return a listener that tells the tracker how far a step has come, if anybody looks."""
    if not tracker.is_watched:
        return None
    return lambda made: tracker.report(step, share=made.done / made.total if made.total else 0.0)


def separation(X: Any, labels: object) -> float:
    """Return how well groups are apart, by `Valleys`: what the p-value compares."""
    return Valleys(np.ascontiguousarray(X)).judge(np.asarray(labels)).score
