"""Criteria of how far clusters are apart: against how compact they are, in the tree, in the graph."""

from __future__ import annotations

from functools import partial

import numpy as np

from coterie.evaluate.internal import SampleGroups, coefficients, squared_between
from coterie.select.catalogue import criterion
from coterie.select.curve import Values
from coterie.select.rules import UNDEFINED, ChosenK, Measured, largest, smallest
from coterie.select.subject import Subject

# Kaufman and Rousseeuw's reading of the largest mean silhouette
STRUCTURE = ((0.71, "a strong structure"), (0.51, "a reasonable structure"), (0.26, "a weak structure"))

separation = partial(criterion, group="compact and apart", greater_is_better=True, choose=largest)
connection = partial(criterion, group="tree or graph", greater_is_better=True, choose=largest)


@separation("Silhouette", symbol="silhouette", needs="distances", reference="rousseeuw-1987")
def silhouette(subject: Subject) -> Measured:
    """Mean silhouette: how much nearer rows are to their own cluster than to the next one."""
    values, errors = np.full((2, len(subject.ks)), np.nan)
    for at, k in enumerate(subject.ks):
        partition = subject.sampled(k)
        if partition is not None:
            each = _silhouettes(subject, partition)
            values[at], errors[at] = each.mean(), each.std(ddof=1) / np.sqrt(each.size)
    return Measured(values, errors, subject.sample_note)


def _silhouettes(subject: Subject, partition: SampleGroups) -> Values:
    return coefficients(subject.space.group_sums(partition), partition.codes, partition.totals)


def structure(ks: tuple[int, ...], found: Measured) -> ChosenK:
    """Choose the largest, or one cluster where it is below what counts as a structure."""
    best = largest(ks, found)
    if best.k is None:
        return UNDEFINED
    coefficient = found.values[ks.index(best.k)]
    for least, words in STRUCTURE:
        if coefficient >= least:
            return ChosenK(best.k, f"SC {coefficient:.2f}: {words}")
    return ChosenK(1, f"SC {coefficient:.2f}: no substantial structure")


@separation(
    "Silhouette coefficient SC",
    symbol="SC",
    needs="distances",
    rule="largest; one cluster where even that is below 0.26",
    choose=structure,
    reference="kaufman-1990",
    can_choose_one=True,
    echoes="silhouette",
)
def sc(subject: Subject) -> Measured:
    """Mean silhouette, whose largest value over k says how much structure there is."""
    return subject.shared(silhouette)


@separation("Calinski-Harabasz", symbol="CH", needs="rows", reference="calinski-1974")
def calinski_harabasz(subject: Subject) -> Measured:
    """Variance between clusters over variance within: ((T - W) / (k - 1)) / (W / (n - k))."""
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        if k in subject.sums and 1 < k < subject.n_rows:
            within = subject.sums[k].within
            between = max(0.0, subject.total - within)
            found[at] = 1.0 if within == 0 else between * (subject.n_rows - k) / (within * (k - 1))
    return Measured(found)


@separation(
    "Davies-Bouldin",
    symbol="DB",
    greater_is_better=False,
    needs="rows",
    choose=smallest,
    reference="davies-1979",
)
def davies_bouldin(subject: Subject) -> Measured:
    """Mean over clusters of the worst (s_i + s_j) / d_ij: spreads over the distance of the centroids."""
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        if k in subject.sums and 1 < k < subject.n_rows:
            spread = subject.sums[k].mean_distance
            apart = np.sqrt(squared_between(subject.sums[k].centroids))
            with np.errstate(divide="ignore", invalid="ignore"):
                ratios = (spread[:, None] + spread) / apart
            np.fill_diagonal(ratios, 0.0)
            found[at] = np.nan_to_num(ratios, nan=0.0, posinf=np.inf).max(axis=1).mean()
    return Measured(found)


@separation("Dunn", symbol="Dunn", needs="distances", reference="dunn-1974", votes=1)
def dunn(subject: Subject) -> Measured:
    """Least distance between two clusters over the largest distance within one."""
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        partition = subject.sampled(k)
        if partition is None:
            continue
        nearest, farthest = subject.space.extremes(partition)
        apart = float(nearest[~np.eye(len(nearest), dtype=bool)].min())
        widest = max(0.0, float(farthest.diagonal().max()))
        found[at] = apart / widest if widest > 0 else (np.inf if apart > 0 else 0.0)
    note = subject.sample_note
    return Measured(found, None, f"{note}, too high as it misses extremes" if note else "")


@connection(
    "Eigengap", symbol="eigengap", needs="eigenvalues", reference="von-luxburg-2007", can_choose_one=True
)
def eigengap(subject: Subject) -> Measured:
    """Gap after the k-th smallest eigenvalue of the Laplacian: large if there are k connected groups."""
    gaps = subject.partitions.model(subject.ks[-1]).eigengaps_
    return Measured(np.array([gaps[k - 1] if k <= len(gaps) else np.nan for k in subject.ks]))


@connection("Gap of heights", symbol="tree gap", needs="tree", reference="kaufman-1990")
def tree_gap(subject: Subject) -> Measured:
    """Relative gap in height between the last merge made and the next one: how wide the cut is."""
    heights = np.sort(subject.partitions.model(subject.ks[-1]).dendrogram_.heights)[::-1]
    found = np.full(len(subject.ks), np.nan)
    for at, k in enumerate(subject.ks):
        if 2 <= k <= len(heights) and np.isfinite(heights[k - 2]) and heights[k - 2] > 0:
            found[at] = (heights[k - 2] - heights[k - 1]) / heights[k - 2]
    return Measured(found)
