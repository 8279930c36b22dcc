"""The tree of agglomerative clustering: with or without connectivity, with or without constraints."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from coterie import _core
from coterie._support.typing import Data
from coterie.cluster.agglomerative.connectivity import check_connectivity, link_along
from coterie.cluster.agglomerative.pair_constraints import check_pairs, constrain
from coterie.distance import Distance, find_distance
from coterie.distance.matrices import InputKind
from coterie.errors import InvalidParameter
from coterie.tree import METHODS, LinkageMethod
from coterie.tree.linkage import LinkageMatrix, link
from coterie.tree.linkage_input import Given, square_matrix

GRAPH_METHODS = ("ward", "complete", "average", "single")
CONSTRAINED_METHODS = ("ward", "complete", "average", "weighted")


class TreeTask(NamedTuple):
    """What the tree depends on."""

    kind: InputKind
    distance: Distance | None
    method: str
    connectivity: Any
    n_merges: int
    must_link: Any
    cannot_link: Any
    who: str


class Tree(NamedTuple):
    """Merges as SciPy's matrix, fewer than n - 1 if that was asked for; pieces of the connectivity."""

    Z: LinkageMatrix
    n_components: int


def check_settings(model: Any, kind: InputKind, who: str) -> None:
    """Refuse parameters of agglomerative clustering that do not go together."""
    if (model.n_clusters is None) == (model.distance_threshold is None):
        raise InvalidParameter(
            f"Exactly one of n_clusters and distance_threshold of {who} has to be set, and the other needs "
            f"to be None; got {model.n_clusters} and {model.distance_threshold}."
        )
    if model.distance_threshold is not None and not model.compute_full_tree:
        raise InvalidParameter(
            f"compute_full_tree must be True if distance_threshold is set, got False for {who}."
        )
    if model.symmetrize is not None and kind != "similarities":
        raise InvalidParameter(f'symmetrize of {who} is for metric="similarity", got {model.metric!r}.')
    form = find_distance(model.metric).euclidean_form if kind == "data" else "distance"
    is_euclidean = kind != "similarities" and form == "distance"
    if METHODS[model.linkage].needs_euclidean and not is_euclidean:
        raise InvalidParameter(
            f'linkage="{model.linkage}" of {who} can only work with euclidean distances, got '
            f'metric="{model.metric}". Use "average" or "complete" with it.'
        )


def build_tree(X: Data, task: TreeTask) -> Tree:
    """Return the tree of rows, or of a checked matrix of distances or similarities."""
    method = METHODS[task.method]
    _refuse_unknown_pairs(task)
    if task.connectivity is not None:
        distance = None if task.kind == "distances" else task.distance
        connected = check_connectivity(task.connectivity, X, distance, who=task.who)
        return Tree(link_along(connected, X, distance, method.rule, task.n_merges), connected.n_components)
    given = _given(X, task)
    if task.must_link is None and task.cannot_link is None:
        return Tree(link(given, method, 0, who=task.who), 1)
    return Tree(_link_constrained(given, method, task), 1)


def _given(X: Data, task: TreeTask) -> Given:
    if task.distance is None:
        return Given(task.kind, len(X), matrix=X)
    return Given("data", len(X), task.distance.prepare(X), task.distance)


def _link_constrained(given: Given, method: LinkageMethod, task: TreeTask) -> LinkageMatrix:
    must = check_pairs(task.must_link, given.n, name="must_link", who=task.who)
    cannot = check_pairs(task.cannot_link, given.n, name="cannot_link", who=task.who)
    D = constrain(square_matrix(given, method, 0, who=task.who), must, cannot, who=task.who)
    Z = np.asarray(_core.link_matrix(D, method.rule, 0))
    if given.kind == "similarities":
        np.negative(Z[:, 2], out=Z[:, 2])
    return Z


def _refuse_unknown_pairs(task: TreeTask) -> None:
    """Refuse combinations that have no meaning."""
    is_constrained = task.must_link is not None or task.cannot_link is not None
    if task.connectivity is not None and task.method not in GRAPH_METHODS:
        raise InvalidParameter(
            f'connectivity of {task.who} goes with linkage {", ".join(GRAPH_METHODS)}, got "{task.method}".'
        )
    if task.connectivity is not None and (is_constrained or task.kind == "similarities"):
        raise InvalidParameter(
            f"connectivity of {task.who} goes with rows or distances, without must_link and cannot_link."
        )
    if task.connectivity is not None and METHODS[task.method].needs_euclidean and task.distance is None:
        raise InvalidParameter(
            f'linkage="{task.method}" of {task.who} with connectivity needs rows, got distances: use '
            f'"average".'
        )
    if is_constrained and task.method not in CONSTRAINED_METHODS:
        raise InvalidParameter(
            f"must_link and cannot_link of {task.who} go with linkage {', '.join(CONSTRAINED_METHODS)}, got "
            f'"{task.method}".'
        )
