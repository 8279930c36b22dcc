"""Which engine finds neighbours: tiles, which compare every pair, or a kd-tree. Both are exact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from coterie import _core
from coterie._core import Finish, Kernel
from coterie._support.typing import Distances, Indices
from coterie._support.validation import Choice, check_parameter, require_memory
from coterie.distance.catalogue import Distance
from coterie.distance.rows import RowSets
from coterie.errors import InvalidParameter

Algorithm: TypeAlias = Literal["auto", "tiles", "kd_tree"]
ALGORITHMS = ("auto", "tiles", "kd_tree")

# Crossovers on uniform data, where trees do worst; on clustered data the tree leads well beyond them.
TREE_MOST_FEATURES = 12
TREE_MOST_FEATURES_FRACTIONAL = 6  # its powers that are not whole numbers are slow
TREE_LEAST_POINTS = 500
TREE_LEAST_QUERIES = 500


class TreeForm(NamedTuple):
    """A distance as the kd-tree knows it: the tree's distance times a factor."""

    metric: str
    factor: float


_TREE_FORMS: Mapping[tuple[_core.Kernel, _core.Finish], TreeForm] = {
    (Kernel.dot, Finish.norm): TreeForm("euclidean", 1.0),
    (Kernel.dot, Finish.squared_norm): TreeForm("sqeuclidean", 1.0),
    (Kernel.dot, Finish.cosine): TreeForm("sqeuclidean", 0.5),
    (Kernel.manhattan, Finish.identity): TreeForm("manhattan", 1.0),
    (Kernel.chebyshev, Finish.identity): TreeForm("chebyshev", 1.0),
    (Kernel.minkowski, Finish.power_root): TreeForm("minkowski", 1.0),
    (Kernel.squared_difference, Finish.arc): TreeForm("great_circle", 1.0),
}


def tree_form(distance: Distance) -> TreeForm | None:
    """Return the distance as the kd-tree knows it, or None: boxes bound no other distance."""
    form = _TREE_FORMS.get((distance.kernel, distance.finish))
    return None if form is not None and form.metric == "minkowski" and distance.p < 1 else form


def choose_engine(rows: RowSets, algorithm: Algorithm, *, who: str) -> Literal["tiles", "kd_tree"]:
    """Return the engine that `algorithm` asks for, or for "auto" the faster one."""
    check_parameter(algorithm, Choice(*ALGORITHMS), name="algorithm", who=who)
    form = tree_form(rows.distance)
    if algorithm == "kd_tree" and form is None:
        raise InvalidParameter(
            f'algorithm="kd_tree" of {who} does not know the distance {rows.distance.name}. Use "tiles".'
        )
    if algorithm != "auto":
        return algorithm
    is_fractional = form is not None and form.metric == "minkowski" and rows.distance.p % 1 != 0
    most_features = TREE_MOST_FEATURES_FRACTIONAL if is_fractional else TREE_MOST_FEATURES
    is_worth_it = (
        rows.X.shape[1] <= most_features
        and len(rows.others) >= TREE_LEAST_POINTS
        and len(rows.X) >= TREE_LEAST_QUERIES
    )
    return "kd_tree" if form is not None and is_worth_it else "tiles"


@dataclass(frozen=True)
class NearRows:
    """Columns and distances; for lists of different lengths also where each row's list starts."""

    index: Indices
    distance: Distances
    starts: Indices | None = None


def smallest_by_tree(rows: RowSets, k: int, exclude_self: bool, threads: int) -> NearRows:
    """Return the k nearest by a kd-tree over the other rows."""
    tree, form = _tree(rows, threads)
    if rows.Y is None:
        index, distance = tree.query_self(k, include_self=not exclude_self, n_threads=threads)
    else:
        index, distance = tree.query(rows.X, k, n_threads=threads)
    return NearRows(index, _times(distance, form.factor))


def smallest_by_tiles(rows: RowSets, k: int, exclude_self: bool, threads: int) -> NearRows:
    """Return the k nearest by comparing all pairs."""
    metric = rows.distance.metric
    if k == 1 and not exclude_self:
        index, distance = _core.nearest_exact(rows.X, rows.others, metric, threads)
        index, distance = index[:, None], distance[:, None]
    else:
        index, distance = _core.smallest(rows.X, rows.others, metric, k, exclude_self, threads)
    return NearRows(index.astype(np.intp), np.asarray(distance))


def within_by_tree(rows: RowSets, radius: float, threads: int) -> NearRows:
    """Return all rows within the radius by a kd-tree; memory is counted first where it might not suffice."""
    tree, form = _tree(rows, threads)
    reach = radius / form.factor
    if rows.Y is None:
        _require_lists(rows, lambda: tree.radius_count_self(reach, threads).sum())
        starts, index, distance = tree.radius_self(reach, n_threads=threads)
    else:
        _require_lists(rows, lambda: tree.radius_count(rows.X, reach, threads).sum())
        starts, index, distance = tree.radius(rows.X, reach, n_threads=threads)
    return NearRows(index, _times(distance, form.factor), starts)


def within_by_tiles(rows: RowSets, radius: float, threads: int) -> NearRows:
    """Return all rows within the radius by comparing all pairs, twice: to count, then to list."""
    metric = rows.distance.metric
    starts = np.zeros(len(rows.X) + 1, dtype=np.int64)
    np.cumsum(_core.count_below(rows.X, rows.others, metric, radius, threads), out=starts[1:])
    _require_lists(rows, lambda: starts[-1])
    index, distance = _core.list_below(rows.X, rows.others, metric, radius, starts, threads)
    return NearRows(index.astype(np.intp), np.asarray(distance), starts)


def _tree(rows: RowSets, threads: int) -> tuple[Any, TreeForm]:
    form = tree_form(rows.distance)
    assert form is not None
    return _core.KDTree(rows.others, form.metric, rows.distance.p, n_threads=threads), form


def _times(distance: Distances, factor: float) -> Distances:
    return np.asarray(distance) if factor == 1.0 else np.asarray(distance * distance.dtype.type(factor))


def _require_lists(rows: RowSets, count: Any) -> None:
    cell = 8 + rows.X.itemsize
    all_pairs = len(rows.X) * len(rows.others) * cell
    way_out = "Choose a smaller radius, or ask for the k nearest."
    try:
        require_memory(all_pairs, "", "")
    except MemoryError:
        require_memory(int(count()) * cell, f"the list of neighbours of {len(rows.X):,} rows", way_out)
