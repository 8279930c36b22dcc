"""What is measured about groups, found or made by hand: stability, chance, borders, silhouettes."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import FloatArray, Indices, Labels
from coterie.cluster import find_method
from coterie.data.sampling import draw_rows
from coterie.evaluate import Significance, Stability
from coterie.pipeline.answer import Clustering
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.choose_method import valleys_of
from coterie.pipeline.fit import check_belief
from coterie.pipeline.null_test import WEAKEST, clearest_border
from coterie.pipeline.partition import Partition, RowSilhouettes
from coterie.pipeline.recipe import Recipe, make_estimator, takes_k
from coterie.pipeline.request import FitRequest
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.protocol import Compared
from coterie.pipeline.verdict import FitVerdict, decide, is_beside_the_point
from coterie.workbook.rowsets import NOISE, unmasked

SILHOUETTE_ROWS = 3_000  # all distances among them take well below a second
LEAST_OF_GROUP = 25  # rows of each group that are measured, where it has so many
LEAST_SEARCHED = 50  # rows: in fewer, one cloud too often seems to have a border
BORDER_WITHIN = 1.0  # evidence from which on a border within a group is told: single clouds stay below


@dataclass(frozen=True, eq=False)
class Belief:
    """What was measured about groups.

    Parameters
    ----------
    labels_hash : str
        Of the labels that it is about.
    group_ids : tuple of str
        Ids of the groups, in the order of their labels.
    verdict : FitVerdict
        What is decided from it.
    stability, significance
        As in `Clustering`; None: not measured.
    silhouettes : tuple of arrays
        Of each group the silhouettes of some rows, ascending; empty: not measured.
    silhouette : float or None
        Mean of the measured rows.
    text : str
        How it was measured, where that is not as a fit does.
    divided_ids : tuple of str
        Ids of groups with a clear border within: a merge joined what the data divide.
    """

    labels_hash: str
    group_ids: tuple[str, ...]
    verdict: FitVerdict
    stability: Stability | None
    significance: Significance | None
    silhouettes: tuple[FloatArray, ...]
    silhouette: float | None
    text: str = ""
    divided_ids: tuple[str, ...] = ()


def belief_of_answer(
    found: Clustering, rows: MemoryRows, labels: Labels, labels_hash: str, group_ids: tuple[str, ...]
) -> Belief:
    """Return what a fit measured about its groups, with their silhouettes."""
    silhouettes, mean = silhouettes_of(rows, labels, len(group_ids), found.seed)
    return Belief(
        labels_hash, group_ids, found.verdict, found.stability, found.significance, silhouettes, mean
    )


def silhouettes_of(
    rows: MemoryRows, labels: Labels, k: int, seed: int
) -> tuple[tuple[FloatArray, ...], float | None]:
    """Return the silhouettes of some rows of each group, and the mean of all; nothing with fewer than two."""
    partition = partition_of(rows, labels)
    places = _some_of_each(partition.labels, SILHOUETTE_ROWS, seed)
    measured: RowSilhouettes | None = partition.among(places).silhouettes
    if measured is None:
        return (), None
    each = (np.sort(measured.values[measured.labels == group]) for group in range(k))
    return tuple(each), measured.mean


def partition_of(rows: MemoryRows, labels: Labels) -> Partition:
    """Return the division of prepared rows by the labels of all rows of the table."""
    from coterie.pipeline.groups import described_rows
    from coterie.pipeline.partition import RowsAtHand

    prepared = rows.prepared
    described = described_rows(prepared)
    at_hand = RowsAtHand(
        described.X,
        rows.points,
        prepared.rows,
        described.columns,
        len(prepared.rows),
        "euclidean",
        None,
        described.category_of,
    )
    return Partition(at_hand, np.maximum(labels[prepared.rows], NOISE))


def _some_of_each(labels: Labels, most: int, seed: int) -> Indices:
    """Return rows drawn at random, and enough of every group."""
    drawn = draw_rows(len(labels), most, seed)
    if len(drawn) == len(labels):
        return drawn
    counts = np.bincount(labels[drawn][labels[drawn] >= 0], minlength=int(labels.max(initial=-1)) + 1)
    short = np.flatnonzero(counts < LEAST_OF_GROUP)
    more = [np.flatnonzero(labels == group)[:LEAST_OF_GROUP] for group in short.tolist()]
    return np.unique(np.concatenate([drawn, *more]))


def measure(
    rows: MemoryRows,
    labels: Labels,
    labels_hash: str,
    group_ids: tuple[str, ...],
    request: FitRequest,
    answer: Clustering | None,
    tracker: Tracker,
) -> Belief:
    """Measure groups as they are now, whoever made them.

    Resamples are clustered into as many groups. Groups that were edited are compared with null data by their
    weakest border, since that is what a bad split or a wrong move changes. A bad merge leaves the other
    borders as clear as they were, so a border is searched for within each group as well.

    Parameters
    ----------
    rows : MemoryRows
        The prepared rows.
    labels : array
        Of all rows of the table.
    labels_hash : str
        Of the same.
    group_ids : tuple of str
        Ids of the groups.
    request : FitRequest
        Budget, seed, distance, and the method that resamples are clustered by.
    answer : Clustering or None
        The last fit, whose method is used where none was asked for.
    tracker : Tracker
        Hears of the stages.
    """
    k = len(group_ids)
    compared, own = _compared(rows, labels, request)
    method = _method(request, answer, is_mixed=compared.mixed is not None)
    chosen = _candidate(method, k, request, compared)
    tracker.report(0, stage="borders between groups", total=4)
    is_apart = _are_apart(compared, own, request) if k > 1 else None
    divided = _divided(compared, own, request, group_ids)
    tracker.report(1, stage="stability and chance", total=4)
    stable, chance = None, None
    if k > 1:
        stable, chance = check_belief(
            compared.points,
            own,
            chosen,
            request,
            tracker,
            filled=compared.filled,
            mixed=compared.mixed,
            is_given=answer is None or not np.array_equal(unmasked(answer.labels), labels),
        )
    if chance is not None and is_beside_the_point(is_apart and k > 1, chance.p_value):
        chance = None
    tracker.report(3, stage="silhouettes", total=4)
    silhouettes, mean = silhouettes_of(rows, labels, k, request.seed)
    verdict = decide(k, k, is_asked=True, is_apart=is_apart, stability=stable, significance=chance)
    said = _how(find_method(method).title, k, stable, chance)
    return Belief(labels_hash, group_ids, verdict, stable, chance, silhouettes, mean, said, divided)


def _how(title: str, k: int, stable: Stability | None, chance: Significance | None) -> str:
    """Return how edited groups were measured."""
    said = [] if stable is None else [f"Resamples were clustered by {title} into {k} groups."]
    if chance is not None and chance.measure == WEAKEST:
        said.append("Null data were compared by the weakest border between two groups.")
    return " ".join(said)


def _compared(rows: MemoryRows, labels: Labels, request: FitRequest) -> tuple[Compared, Labels]:
    """Return the rows that are measured and their groups; some of each group are among them."""
    compared = rows.compare_on(request)
    of_rows = np.maximum(labels[rows.prepared.rows], NOISE)
    if compared.is_whole or compared.points.shape[1] != rows.prepared.points.shape[1]:
        return compared, of_rows[compared.rows]
    held = np.bincount(
        of_rows[compared.rows][of_rows[compared.rows] >= 0], minlength=int(of_rows.max(initial=-1)) + 1
    )
    short = np.flatnonzero(held < LEAST_OF_GROUP).tolist()
    more = [np.flatnonzero(of_rows == group)[:LEAST_OF_GROUP] for group in short]
    kept = np.unique(np.concatenate([compared.rows, *more]))
    filled = None if compared.filled is None else rows.prepared.gaps()[kept]
    points = np.ascontiguousarray(rows.prepared.points[kept])
    return replace(compared, points=points, rows=kept, filled=filled), of_rows[kept]


def _method(request: FitRequest, answer: Clustering | None, *, is_mixed: bool) -> str:
    usual = "kprototypes" if is_mixed else "kmeans"
    name = request.methods[0] if request.methods else usual if answer is None else answer.method
    return name if takes_k(name) else usual


def _candidate(method: str, k: int, request: FitRequest, compared: Compared) -> Candidate:
    recipe = Recipe(method, max(1, k), "none", request.distance, None, None, request.seed, None)
    parameters = dict(make_estimator(find_method(method), recipe).get_params(deep=False))
    n_levels = () if compared.mixed is None else compared.mixed.n_levels
    return Candidate(method, k, np.zeros(0, np.int32), {}, "", parameters, n_levels)


def _are_apart(compared: Compared, labels: Labels, request: FitRequest) -> bool:
    """Return whether every border between two neighbouring groups is deeper than null data show."""
    separation = valleys_of(compared.points, request, compared.mixed).judge(labels)
    return bool(separation.rank > 0 and separation.evidence.min() > 0)


def _divided(
    compared: Compared, labels: Labels, request: FitRequest, group_ids: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the groups within which a search finds a clear border."""
    plain = replace(request, methods=None, ks=None)
    found = []
    for at, group in enumerate(group_ids):
        own = compared.points[labels == at]
        if len(own) >= LEAST_SEARCHED and clearest_border(own, plain, compared.mixed) > BORDER_WITHIN:
            found.append(group)
    return tuple(found)
