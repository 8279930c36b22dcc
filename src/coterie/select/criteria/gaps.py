"""The gap statistic: how much more compact clusters are than those of null data."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from coterie import _core
from coterie._support.typing import Data, Labels
from coterie._support.validation import shift_seed
from coterie.distance import find_distance
from coterie.evaluate.belief import NullMixedRows, fit_pca_box, fit_uniform
from coterie.select.catalogue import criterion
from coterie.select.curve import Values
from coterie.select.partitions import LabelsByK
from coterie.select.rules import Measured, first_within_one_error
from coterie.select.subject import Subject

Draw: TypeAlias = Callable[[np.random.Generator], Data]
Dispersion: TypeAlias = Callable[[Data, Labels, int], float]
RERUN_STARTS = 3  # of k-means, on the data and on what they are compared with alike
EUCLIDEAN = _core.Metric(_core.Kernel.dot, _core.Finish.norm)
ONE_THREAD = 1  # some thousand rows are not worth a second one

gap_criterion = partial(
    criterion,
    group="null model",
    greater_is_better=True,
    rule="the first k whose gap is within one error of the next one, and not far below a later one",
    choose=first_within_one_error,
    reference="tibshirani-2001",
    can_choose_one=True,
)


def log_dispersion(X: Data, labels: Labels, k: int) -> float:
    """Return the logarithm of the sum over clusters of (sum of distances of pairs) / (2 x size).

    Examples
    --------
    >>> float(np.exp(log_dispersion(np.array([[0.0], [2.0], [9.0], [9.0]]), np.array([0, 0, 1, 1]), 2)))
    0.5
    """
    centred = X - X.mean(axis=0, dtype=np.float64)  # single precision is then enough for a logarithm
    unit = 2.0 ** np.frexp(np.abs(centred).max(initial=0.0))[1]  # its range is too, for numbers of about 1
    rows = np.ascontiguousarray(centred / unit, dtype=np.float32)
    with np.errstate(divide="ignore"):
        return float(np.log(dispersion(rows, labels, k, EUCLIDEAN) * unit))


def dispersion(rows: Data, labels: Labels, k: int, metric: _core.Metric) -> float:
    """Return the sum over clusters of (sum of distances of pairs) / (2 x size), of prepared rows."""
    ordered = np.ascontiguousarray(rows[np.argsort(labels, kind="stable")])
    total, first = 0.0, 0
    for size in np.bincount(labels, minlength=k).tolist():
        own = ordered[first : first + size]
        first += size
        if size > 1:
            together = np.zeros(size, dtype=np.int32)
            sums = _core.group_sums(own, own, together, 1, metric, ONE_THREAD)
            total += float(sums.sum()) / (4 * size)  # every pair was counted twice
    return total


def _mixed_log_dispersion(subject: Subject) -> Dispersion:
    """Return the logarithm of the dispersion by the distance of rows with categories."""
    distance = find_distance(subject.metric).fit(subject.rerun_rows)

    def of(X: Data, labels: Labels, k: int) -> float:
        with np.errstate(divide="ignore"):
            return float(np.log(dispersion(distance.prepare(X), labels, k, distance.metric)))

    return of


def _logs(rows: Data, partitions: LabelsByK, ks: tuple[int, ...], log_of: Dispersion) -> Values:
    found = np.full(len(ks), np.nan)
    for at, k in enumerate(ks):
        labels = partitions.labels[k]
        if labels is not None:
            found[at] = log_of(rows, labels, k)
    return found


def _log_dispersions(subject: Subject) -> Measured:
    """Log dispersions of the rows, by runs like those of what they are compared with."""
    rows, ks = subject.rerun_rows, subject.ks
    runs = subject.partitioner.run(rows, ks, subject.seed, n_starts=RERUN_STARTS)
    log_of = log_dispersion if subject.mixed is None else _mixed_log_dispersion(subject)
    return Measured(_logs(rows, runs, ks, log_of))


def gap_of(subject: Subject, reference: Callable[[Data], Draw]) -> Measured:
    """Return gaps and their standard errors ``sd sqrt(1 + 1 / n_draws)``."""
    rows, ks, how = subject.rerun_rows, subject.ks, subject.partitioner
    ours = subject.shared(_log_dispersions).values
    draw, rng = reference(rows), subject.random(3)
    log_of = log_dispersion if subject.mixed is None else _mixed_log_dispersion(subject)
    theirs = np.empty((subject.effort.n_draws, len(ks)))
    for at in range(len(theirs)):
        drawn = draw(rng)
        runs = how.run(drawn, ks, shift_seed(subject.seed, at + 1), n_starts=RERUN_STARTS)
        theirs[at] = _logs(drawn, runs, ks, log_of)
    with np.errstate(invalid="ignore"):
        gaps = theirs.mean(axis=0) - ours
        errors = theirs.std(axis=0) * np.sqrt(1 + 1 / len(theirs))
    is_known = np.isfinite(gaps)
    return Measured(np.where(is_known, gaps, np.nan), np.where(is_known, errors, np.nan), subject.rerun_note)


@gap_criterion("Gap (box)", symbol="gap box", needs="numbers", echoes="gap_pca")
def gap(subject: Subject) -> Measured:
    """Log dispersion of uniform data in the box of the rows, minus that of the rows."""
    return gap_of(subject, fit_uniform)


@gap_criterion("Gap (PCA box)", symbol="gap", needs="numbers")
def gap_pca(subject: Subject) -> Measured:
    """Log dispersion of uniform data in the box along the principal axes, minus that of the rows."""
    return gap_of(subject, fit_pca_box)


@gap_criterion("Gap (one Gaussian)", symbol="gap", needs="categories")
def gap_mixed(subject: Subject) -> Measured:
    """Log dispersion of one Gaussian, categories being intervals of it, minus that of the rows."""
    columns = subject.mixed
    assert columns is not None
    return gap_of(subject, lambda rows: NullMixedRows(rows, columns).draw)
