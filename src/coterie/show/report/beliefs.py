"""What a report adds to groups whose method and number were given: other numbers, stability, chance."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie._support.typing import Labels
from coterie.cluster import find_method
from coterie.errors import CoterieError
from coterie.evaluate import significance, stability
from coterie.pipeline import Groups
from coterie.pipeline.recipe import make_estimator
from coterie.show.report.evidence import SIGNIFICANT, STABLE
from coterie.show.report.labelings import near_numbers
from coterie.show.report.numbers import p_in_words
from coterie.show.report.subject import Subject
from coterie.show.report.subjects import number_by_size

MOST_ROWS = 2_000  # that are resampled: a report must not take longer than the fit it is about
MOST_REFITTED = 5_000  # rows up to which other numbers of groups are fitted
RESAMPLES, DRAWS, DRAW_ROWS = 20, 99, 500
BEYOND = 3  # so many groups more than asked for are shown on the slider


def with_beliefs(subject: Subject, groups: Groups) -> Subject:
    """Return the subject with other numbers of groups, stability and chance, where they can be had.

    Parameters
    ----------
    subject : Subject
        From `subject_of_groups`.
    groups : Groups
        The same groups.
    """
    if subject.k < 2 or subject.n_grouped <= subject.k:
        return subject
    rng = np.random.default_rng(subject.seed)
    rows = np.sort(rng.permutation(subject.n_grouped)[:MOST_ROWS])
    points, labels = subject.points[rows], subject.labels[rows]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # resamples may be harder to fit than the data
        estimator = clone(groups.model)
        try:
            stable = stability(
                estimator, points, n_resamples=RESAMPLES, labels=labels, random_state=subject.seed
            )
            chance = significance(
                estimator,
                points,
                n_draws=DRAWS,
                sample_size=min(DRAW_ROWS, len(points)),
                random_state=subject.seed,
            )
        except CoterieError:  # a method that some resample is too small for
            return subject
        labelings = subject.labelings or other_numbers(subject, groups)
    note = () if len(rows) == subject.n_grouped else (f"stability and chance are of {len(rows):,} rows",)
    return replace(
        subject,
        headline=f"{subject.headline}; {_stable(stable)}; {_by_chance(chance)}",
        stability=stable,
        significance=chance,
        labelings=labelings,
        notes=[*subject.notes, *note],
    )


def other_numbers(subject: Subject, groups: Groups) -> dict[int, Labels]:
    """Return labels for other numbers of groups by the same method, if it takes one and rows are few."""
    method = find_method(groups.recipe.method)
    if not method.needs_k or subject.n_grouped > MOST_REFITTED:
        return {}
    found = {}
    for k in near_numbers(range(2, min(subject.k + BEYOND, subject.n_grouped - 1) + 1), subject.k):
        estimator = make_estimator(method, replace(groups.recipe, n_clusters=k))
        found[k] = number_by_size(estimator.fit(subject.points).labels_)[0]
    return found


def _stable(stable: Any) -> str:
    return f"{'stable' if stable.overall >= STABLE else 'not stable'} ({stable.overall:.2f})"


def _by_chance(chance: Any) -> str:
    word = "not by chance" if chance.p_value <= SIGNIFICANT else "could be chance"
    return f"{word} ({p_in_words(chance.p_value, chance.n_draws)})"
