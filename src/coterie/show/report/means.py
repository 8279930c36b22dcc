"""Sizes and means of the groups of any labeling: what every stop of the slider needs, and no more."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.typing import FloatArray, Labels
from coterie.pipeline.profile import NOTABLE
from coterie.show.report.sample import column_spreads, overall_means
from coterie.show.report.subject import Subject


@dataclass(frozen=True, eq=False)
class GroupMeans:
    """Sizes, means, and how far they are from the means of all rows, in standard deviations of all rows."""

    columns: tuple[str, ...]
    sizes: Labels
    means: FloatArray
    differences: FloatArray
    overall: FloatArray
    spread: FloatArray

    def apart(self, group: int) -> list[tuple[str, float]]:
        """Return the columns in which a group differs notably, the most telling first."""
        differences = self.differences[group]
        order = np.argsort(-np.abs(differences), kind="stable")
        return [(self.columns[at], float(differences[at])) for at in order if abs(differences[at]) >= NOTABLE]


def means_of_stop(subject: Subject, labels: Labels, k: int, *, is_chosen: bool) -> GroupMeans:
    """Return sizes and means of all rows: known for the answer, estimated for others."""
    if subject.whole is not None and is_chosen:
        whole: GroupMeans = subject.whole
        return whole
    found = group_means(subject, labels, k)
    if subject.whole is None:
        return found
    sizes = np.rint(found.sizes * (subject.n_all / subject.n_grouped)).astype(np.int64)
    return replace(found, sizes=sizes)


def group_means(subject: Subject, labels: Labels, k: int) -> GroupMeans:
    """Return the means of groups 0..k-1 of the rows of a subject.

    Parameters
    ----------
    subject : Subject
        The rows.
    labels : array of shape (n_grouped,)
        Their groups; -1 is noise.
    k : int
        Number of groups.
    """
    inside = np.flatnonzero(labels >= 0)
    belongs = sparse.csr_array((np.ones(inside.size), (labels[inside], inside)), shape=(k, len(labels)))
    sizes = np.bincount(labels[inside], minlength=k)
    sums: Any = belongs @ subject.X
    sums = sums.toarray() if sparse.issparse(sums) else np.asarray(sums, dtype=np.float64)
    means = sums / np.maximum(sizes, 1)[:, None]
    overall, spread = overall_means(subject.X), column_spreads(subject.X)
    differences = (means - overall) / np.where(spread > 0, spread, 1.0)
    return GroupMeans(subject.columns, sizes, means, differences, overall, spread)
