"""What must hold between the parts of a fitted model beyond their shapes; else its file is refused."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie._support.typing import AnyArray, CheckedRows, Indices, Labels, Mask, MetricLike, Settings
from coterie._support.validation.schema import check_squares, wrong
from coterie.cluster.density.metric import is_known, scikit_learn_metrics
from coterie.distance import Distance, find_distance, input_kind
from coterie.errors import InvalidData, ModelFileError


def check_merges(children: AnyArray, n_leaves: int, *, who: str, name: str = "children_") -> None:
    """Refuse merges that do not form a forest: each joins nodes that are there already, and each node once.

    Examples
    --------
    >>> check_merges(np.array([[0, 1], [2, 3]]), 3, who="it")
    """
    made = n_leaves + np.arange(len(children))
    is_forest = (
        len(children) < max(n_leaves, 1) and (children >= 0).all() and (children < made[:, None]).all()
    )
    if not is_forest or len(np.unique(children)) != children.size:
        raise wrong(name, who, f"be merges of {n_leaves:,} rows, each node joined once", "others")


def check_labels_used(labels: Labels, n_clusters: int, *, who: str) -> None:
    """Refuse labels of which some between 0 and `n_clusters` - 1 has no row."""
    sizes = np.bincount(labels[labels >= 0], minlength=n_clusters)
    if not sizes.all():
        raise wrong(
            "labels_", who, f"use all {n_clusters:,} labels", f"no row of label {int(np.argmin(sizes))}"
        )


def check_permutation(order: Indices, *, who: str, name: str) -> None:
    """Refuse an order in which some row comes twice."""
    if not np.array_equal(np.sort(order), np.arange(len(order))):
        raise wrong(name, who, "name each row once", "an order that does not")


def check_finite(array: AnyArray, *, who: str, name: str) -> None:
    """Refuse numbers that are not finite, where only some models may have such."""
    if not np.isfinite(array).all():
        raise wrong(name, who, "hold finite numbers", "others")


def check_rows(rows: CheckedRows, distance: Distance, *, who: str, name: str) -> None:
    """Refuse finite rows so large that distances to them overflow.

    Examples
    --------
    >>> check_rows(np.array([[1e300]]), find_distance("euclidean"), who="KMedoids", name="cluster_centers_")
    Traceback (most recent call last):
    ...
    coterie.errors.ModelFileError: cluster_centers_ of KMedoids must hold numbers of at most 6.7e+153, whose
    squares fit, got 1e+300
    """
    if distance.squares_numbers:
        check_squares(rows, who=who, name=name)
    try:
        distance.prepare(rows, name=name)
    except InvalidData as problem:
        raise ModelFileError(f"{name} of {who} does not suit its distance: {problem}") from None


def check_given(value: object, is_needed: bool, *, who: str, name: str, why: str) -> None:
    """Refuse a part that is missing although the parameters need it, or there although they exclude it."""
    if (value is not None) != is_needed:
        what = "be there" if is_needed else "be None"
        raise wrong(name, who, f"{what} with {why}", "None" if is_needed else "an array")


def is_matrix(metric: MetricLike) -> bool:
    """Return whether a model of this metric was fitted to a matrix of distances or similarities."""
    return input_kind(metric) != "data"


def check_square(sizes: Mapping[str, int], *, who: str) -> None:
    """Refuse another number of columns than of rows, in a model of a matrix."""
    if sizes["columns"] != sizes["rows"]:
        rows, columns = sizes["rows"], sizes["columns"]
        raise wrong(
            "n_features_in_", who, f"be {rows:,}, the rows of the matrix that it was fitted to", columns
        )


def check_distance(metric: MetricLike, values: Settings, n_columns: int) -> None:
    """Refuse values that the distance does not take for so many columns."""
    told = {name: value for name, value in values.items() if value is not None}
    if told:
        find_distance(metric, **told).fit(np.zeros((2, n_columns)))


def check_descent(descent: Settings, *, who: str) -> None:
    """Refuse a tree of nodes that has cycles, or leaves without a group."""
    starts, children, labels = (descent[name] for name in ("starts", "children", "labels"))
    families = np.diff(starts)
    if starts[0] != 0 or starts[-1] != len(children) or (families < 0).any() or (families == 1).any():
        raise wrong("_descent.starts", who, "divide the children among the nodes", "others")
    parents = np.repeat(np.arange(len(families)), families)
    if (children <= parents).any() or not np.array_equal(np.sort(children), np.arange(1, len(families))):
        raise wrong("_descent.children", who, "be a tree, each node below one before it", "others")
    check_leaf_labels(labels, families == 0, who=who, name="_descent.labels")


def check_leaf_labels(labels: Labels, is_leaf: Mask, *, who: str, name: str) -> None:
    """Refuse labels of nodes unless every leaf is a group of its own, and no other node is one."""
    own = np.sort(labels[is_leaf])
    if (labels[~is_leaf] != -1).any() or not np.array_equal(own, np.arange(len(own))):
        raise wrong(name, who, "number the leaves of the tree, and have -1 elsewhere", "others")


def check_density_metric(state: Settings, sizes: Mapping[str, int], *, who: str) -> None:
    """Refuse values of a distance that do not fit, and matrices that are not square."""
    metric = "minkowski" if state["metric"] == "p" else state["metric"]  # a name of scikit-learn's trees
    if is_matrix(metric):
        check_square(sizes, who=who)
    elif is_known(metric) or metric not in scikit_learn_metrics():
        find_distance(metric)
        check_distance(metric, state["_distance_values"], sizes["columns"])
