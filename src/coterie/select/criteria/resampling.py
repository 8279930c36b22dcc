"""Criteria that run the method on parts of the rows: what is real is found again."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import Data, Labels
from coterie._support.validation import shift_seed
from coterie.evaluate.belief import best_jaccards
from coterie.evaluate.external import contingency_table
from coterie.evaluate.internal import squared_to_own
from coterie.select.catalogue import criterion
from coterie.select.criteria.distortion import bend
from coterie.select.curve import Values
from coterie.select.rules import Measured, fewest_near_best, most_reaching
from coterie.select.subject import Subject, sums_of

STRENGTH = 0.8  # Tibshirani and Walther: 0.8 to 0.9
STABLE = 0.85  # "highly stable" in the manual of R's clusterboot
RERUN_STARTS = 5  # of k-means: what is to be found again must not be missed by a bad start
LEAST_ROWS = 4  # of a part that is clustered by itself


def kept_together(labels: Labels, placed: Labels, k: int) -> float:
    """Return the least share, over clusters, of their pairs that are placed together.

    Clusters of one row have no pairs and do not count.

    Examples
    --------
    >>> kept_together(np.array([0, 0, 0, 1, 1]), np.array([0, 0, 1, 1, 1]), 2)
    0.3333333333333333
    """
    table = np.zeros((k, int(placed.max()) + 1))
    np.add.at(table, (labels, placed), 1)
    sizes = table.sum(axis=1)
    pairs = sizes * (sizes - 1)
    shares = (table * (table - 1)).sum(axis=1)[pairs > 0] / pairs[pairs > 0]
    return float(shares.min()) if shares.size else np.nan


@criterion(
    "Prediction strength",
    symbol="strength",
    group="found again",
    greater_is_better=True,
    needs="placing",
    rule="the most clusters with at least 0.8",
    choose=most_reaching(STRENGTH, otherwise="no split"),
    reference="tibshirani-2005",
    can_choose_one=True,
)
def prediction_strength(subject: Subject) -> Measured:
    """Share of the pairs of a cluster in one half that the clusters of the other half keep together."""
    rows, rng = subject.rerun_rows, subject.random(4)
    found = np.full((2 * subject.effort.n_splits, len(subject.ks)), np.nan)
    if len(rows) >= 2 * LEAST_ROWS:
        for split in range(subject.effort.n_splits):
            order = rng.permutation(len(rows))
            halves = [np.ascontiguousarray(rows[part]) for part in np.array_split(order, 2)]
            found[2 * split : 2 * split + 2] = _strengths(subject, halves[0], halves[1], split)
    return _means(found, subject.rerun_note)


def _strengths(subject: Subject, first: Data, second: Data, seed: int) -> Values:
    ks = tuple(k for k in subject.ks if k <= min(len(first), len(second)) // 2)
    found = np.full((2, len(subject.ks)), np.nan)
    if not ks:
        return found
    how = subject.partitioner
    runs = [
        how.run(half, ks, shift_seed(subject.seed, seed), n_starts=RERUN_STARTS) for half in (first, second)
    ]
    for at, k in enumerate(ks):
        one, other = runs[0].labels[k], runs[1].labels[k]
        if one is not None and other is not None:
            found[0, at] = kept_together(other, runs[0].place(k, second), k)
            found[1, at] = kept_together(one, runs[1].place(k, first), k)
    return found


def _folds(subject: Subject) -> list[tuple[Data, Data]]:
    rows, n_folds = subject.rerun_rows, min(subject.effort.n_folds, len(subject.rerun_rows))
    parts = np.array_split(subject.random(5).permutation(len(rows)), n_folds)
    return [
        (
            np.ascontiguousarray(rows[np.sort(np.concatenate([*parts[:at], *parts[at + 1 :]]))]),
            np.ascontiguousarray(rows[np.sort(parts[at])]),
        )
        for at in range(n_folds)
    ]


@criterion(
    "Held-out distortion",
    symbol="held out",
    group="found again",
    greater_is_better=False,
    needs="means",
    rule="largest curvature",
    choose=bend,
    reference="hastie-2009",
    echoes="elbow",
)
def held_out_distortion(subject: Subject) -> Measured:
    """Cross-validated mean squared distance of rows to the nearest centroid."""
    rows = []
    for seed, (kept, held_out) in enumerate(_folds(subject)):
        ks = tuple(k for k in subject.ks if k <= len(kept))
        values = np.full(len(subject.ks), np.nan)
        if not ks:  # too few rows are left for any of them
            rows.append(values)
            continue
        runs = subject.partitioner.run(kept, ks, shift_seed(subject.seed, seed), n_starts=RERUN_STARTS)
        for at, k in enumerate(ks):
            labels = runs.labels[k]
            if labels is not None:
                centroids = sums_of(kept, labels, k).centroids
                placed = runs.place(k, held_out).astype(np.int32, copy=False)
                values[at] = squared_to_own(held_out, centroids, placed).mean()
        rows.append(values)
    return _means(np.array(rows), subject.rerun_note)


@criterion(
    "Held-out likelihood",
    symbol="held out",
    group="found again",
    greater_is_better=True,
    needs="likelihood",
    rule="the fewest clusters within one error of the largest",
    choose=fewest_near_best,
    reference="smyth-2000",
    can_choose_one=True,
)
def held_out_likelihood(subject: Subject) -> Measured:
    """Cross-validated mean log-likelihood of rows.

    Errors are those of the difference to the best: the folds are the same for every k.
    """
    rows = []
    for seed, (kept, held_out) in enumerate(_folds(subject)):
        ks = tuple(k for k in subject.ks if k <= len(kept))
        if not ks:  # too few rows are left for any of them
            rows.append(np.full(len(subject.ks), np.nan))
            continue
        runs = subject.partitioner.run(kept, ks, shift_seed(subject.seed, seed))
        scores = [runs.model(k).score(held_out) for k in ks]
        rows.append(np.concatenate([scores, np.full(len(subject.ks) - len(ks), np.nan)]))
    table = np.array(rows)
    found = _means(table, subject.rerun_note)
    if not np.isfinite(found.values).any():
        return found
    best = table[:, [int(np.nanargmax(found.values))]]
    return found._replace(errors=_means(table - best, "").errors)


def mean_jaccard(labels: Labels, again: Labels) -> float:
    """Return the mean, by size, of the likeness of each cluster to the most similar one of another labeling.

    Examples
    --------
    >>> mean_jaccard(np.array([0, 0, 1, 1]), np.array([1, 1, 0, 1]))
    0.5833333333333333
    """
    table = contingency_table(labels, again)
    return float(np.average(best_jaccards(table), weights=table.class_sizes))


@criterion(
    "Bootstrap stability",
    symbol="stability",
    group="found again",
    greater_is_better=True,
    needs="rerun",
    rule="the most clusters with at least 0.85",
    choose=most_reaching(STABLE, otherwise="no clustering"),
    reference="hennig-2007",
    can_choose_one=True,
)
def stability(subject: Subject) -> Measured:
    """Mean Jaccard similarity of the clusters with the nearest of a bootstrap sample, by size."""
    rows, ks, rng = subject.rerun_rows, subject.ks, subject.random(6)
    whole = subject.partitioner.run(rows, ks, subject.seed, n_starts=RERUN_STARTS)
    found = np.full((subject.effort.n_resamples, len(ks)), np.nan)
    for at in range(len(found)):
        drawn = np.unique(rng.integers(len(rows), size=len(rows)))  # a copy of a row would be a dense spot
        some = tuple(k for k in ks if 1 < k <= len(drawn) and whole.labels[k] is not None)
        if not some or len(drawn) < LEAST_ROWS:
            continue
        again = subject.partitioner.run(
            np.ascontiguousarray(rows[drawn]), some, shift_seed(subject.seed, at + 1), n_starts=RERUN_STARTS
        )
        for k in some:
            labels, other = whole.labels[k], again.labels[k]
            if labels is not None and other is not None:
                found[at, ks.index(k)] = mean_jaccard(labels[drawn], other)
    return _means(found, subject.rerun_note)


def _means(table: Values, note: str) -> Measured:
    """Means over the rows of a table and their standard errors; NaN where any is missing."""
    power = np.frexp(np.nanmax(np.abs(table), initial=0.0))[1]  # of about 1, numbers have squares that fit
    table = np.ldexp(table, -power)
    spread = table.std(axis=0, ddof=1) if len(table) > 1 else np.full(table.shape[1], np.nan)
    errors = spread / np.sqrt(len(table))
    return Measured(np.ldexp(table.mean(axis=0), power), np.ldexp(errors, power), note)
