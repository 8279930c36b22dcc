"""The same rows in other numbers of groups, for whoever wants to compare: the report, the explorer."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from coterie._support.typing import CheckedRows, Labels
from coterie.cluster import KMeans, find_method
from coterie.errors import InvalidParameter
from coterie.pipeline.groups import number_by_size, number_labels
from coterie.pipeline.partition import Partition
from coterie.pipeline.recipe import make_estimator
from coterie.tree import Dendrogram

if TYPE_CHECKING:
    from coterie.pipeline.answer import Clustering

FEWEST, MOST = 2, 12  # groups that a tree is cut into
BELOW, BEYOND = 8, 3  # numbers less and more than a number that was asked for
MOST_REFITTED = 5_000  # rows up to which the method is fitted again
LEARNING_ROWS = 4_000  # that k-means learns from where methods were compared on a sample


@dataclass(frozen=True, eq=False)
class OtherNumbers:
    """The rows at hand in the groups of an answer, and in other numbers of groups."""

    chosen: Partition  # the groups of the answer
    others: Mapping[int, Partition]  # by number of groups
    note: str = ""  # how the others were found, where that needs to be said


def partitions_of(found: Clustering) -> OtherNumbers:
    """Return the partition of an answer, and those into other numbers of groups."""
    chosen = found.rows.partition(found.groups)
    labelings, note = other_labelings(found)
    n_rows = len(chosen.rows)
    of_levels = {
        one.k: _by_size(one.labels) for one in found.levels if one.k != found.k and len(one.labels) == n_rows
    }
    labelings = {**labelings, **of_levels}
    return OtherNumbers(chosen, {k: Partition(chosen.rows, labels) for k, labels in labelings.items()}, note)


def other_labelings(found: Clustering) -> tuple[Mapping[int, Labels], str]:
    """Return labels of the rows at hand by number of groups, the largest group first, and a note on them.

    They come from the tree where there is one, from the comparison of methods, or from the method fitted
    again; of a sample, from k-means.
    """
    points, k = found.rows.points, found.k
    tree = tree_of(found.model, len(points))
    if tree is not None:
        return cuts_of(tree), ""
    kept = {n: labels for n, labels in found.evidence.labelings.items() if labels is not None and n > 1}
    if set(kept) <= {k}:  # the only number that was asked for: its neighbours are fitted
        return _refitted(found, points), ""
    if all(len(labels) == len(points) for labels in kept.values()):
        return {n: _by_size(labels) for n, labels in kept.items()}, ""
    drawn = np.random.default_rng(found.seed).permutation(len(points))[:LEARNING_ROWS]
    some = np.ascontiguousarray(points[np.sort(drawn)])
    models = {n: KMeans(n, n_init=3, random_state=found.seed).fit(some) for n in kept}
    note = f"other numbers of groups than {k} are shown by k-means of {len(some):,} rows"
    return {n: _by_size(model.predict(points)) for n, model in models.items()}, note


def cuts_of(tree: Dendrogram) -> dict[int, Labels]:
    """Return the labels of the cuts of a tree into few groups, by number of groups, the largest first."""
    possible = tree.cut_sizes()
    wanted = possible[(possible >= FEWEST) & (possible <= min(MOST, tree.n_leaves - 1))]
    return {int(number): _by_size(tree.cut(n_clusters=int(number))) for number in wanted}


def _refitted(found: Clustering, points: CheckedRows) -> dict[int, Labels]:
    """Return labels for numbers of groups next to the answer's, by the same method, if rows are few."""
    recipe, k = found.groups.recipe, found.k
    mixed = getattr(found.rows, "mixed", None)
    points = points if mixed is None else found.rows.scaled
    method = find_method(recipe.method)
    if not method.needs_k or len(points) > MOST_REFITTED or k < 2:
        return {}
    labelings = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # another number may be harder to fit than the one asked for
        for n in range(max(2, k - BELOW), min(k + BEYOND, len(points) - 1) + 1):
            if n != k:
                estimator = make_estimator(method, replace(recipe, n_clusters=n))
                try:
                    model = (estimator if mixed is None else mixed.tell(estimator)).fit(points)
                except InvalidParameter:
                    continue  # sizes or pairs that another number of groups cannot keep
                labels = getattr(model, "labels_", None)
                labelings[n] = _by_size(model.predict(points) if labels is None else labels)
    return labelings


def _by_size(labels: object) -> Labels:
    found = np.asarray(labels)
    numbers, _ = number_by_size(np.bincount(found[found >= 0]))
    return number_labels(found, numbers)


def tree_of(model: object, n_rows: int) -> Dendrogram | None:
    """Return the tree of an estimator when its leaves are the rows; None otherwise."""
    try:
        tree = getattr(model, "dendrogram_", None)
    except (AttributeError, ValueError):  # an estimator that was told to keep no tree
        return None
    return tree if tree is not None and tree.n_leaves == n_rows else None
