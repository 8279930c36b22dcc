"""Operations that compute: fits, splits, clustering again, tests. They depend on state and operation only."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import Indices, Labels, Settings, ValuesByName
from coterie.errors import InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.pipeline.fit import find_groups
from coterie.pipeline.recipe import takes_k
from coterie.pipeline.request import PAIRED
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.tables import LEAST_ROWS
from coterie.workbook.belief import belief_of_answer, measure
from coterie.workbook.dataset import request_of
from coterie.workbook.edits import Operation, refuse_locked, rows_in
from coterie.workbook.rowsets import LEFT_OUT, NOISE, unmasked, unpack_labels
from coterie.workbook.state import Group, State

MATCH = 0.5  # Jaccard index above which a new group is an old one: at most one of each can be
PREPARES = ("method", "k", "distance", "scale", "missing", "columns", "drop", "keep", "truth")
HOW = ("method", "k", "distance", "set", "n_init", "improve", "budget")


def fit(state: State, operation: Operation, tracker: Tracker) -> State:
    """Find groups in all rows, as `coterie.fit` does; groups that are nearly old ones keep their names."""
    arguments = _arguments(state, operation)
    began = time.perf_counter()
    request = request_of(arguments)
    kept = _plain(arguments)
    rows = state.data.rows_for(kept)
    found = find_groups(rows, rows.resolve(request), tracker, began)
    labels = unmasked(found.labels)
    if found.k == 1 and not request.is_number_asked:  # no groups: one group of all rows says so
        labels = np.where(labels >= 0, 0, labels)
    free = tuple(replace(group, locked=False) for group in state.groups)
    groups, next_id = _matched(replace(state, groups=free), labels, found.k)
    # without its rows: they are found again by what they were prepared by
    answer = replace(found, rows=None)
    after = replace(state, preparation=kept, answer=answer).regrouped(labels, groups, next_id)
    return _with_belief(after, found, rows)


def _with_belief(after: State, found: Clustering, rows: MemoryRows) -> State:
    ids = tuple(group.id for group in after.groups)
    belief = belief_of_answer(found, rows, after.labels, after.labels_hash, ids)
    return replace(after, belief=belief)


def given(state: State, operation: Operation, tracker: Tracker) -> State:
    """Begin with labels that are known: those of a saved answer."""
    labels = unpack_labels(operation["labels"], state.data.n_rows)
    k = int(labels.max(initial=NOISE)) + 1
    if k and int(np.bincount(labels[labels >= 0], minlength=k).min()) == 0:
        raise InvalidParameter("given: labels must be 0..k-1 without gaps.")
    names = operation.get("names", [])
    kept = {name: operation[name] for name in ("columns", "scale", "missing", "method") if name in operation}
    kept = {name: value for name, value in kept.items() if value != "auto"}
    groups = [Group(f"g{state.next_id + at}", names[at] if at < len(names) else "") for at in range(k)]
    if "method" in kept and takes_k(kept["method"]):
        kept["k"] = k
    rows = state.data.rows_for(kept)
    gone = np.setdiff1d(np.arange(state.data.n_rows), rows.prepared.rows)
    labels[gone] = LEFT_OUT
    after = replace(state, preparation=kept, answer=None, belief=None)
    return after.regrouped(labels, groups, state.next_id + k)


def split(state: State, operation: Operation, tracker: Tracker) -> State:
    """Divide a group: into two by whatever method separates best, or as asked; the largest part stays it."""
    group = state.groups[state.place(operation["group"])]
    if group.locked:
        raise InvalidParameter(f"split: {state.title(group.id)} is locked. Unlock it first.")
    rows = state.rows_of(group.id)
    if len(rows) < 2:
        raise InvalidParameter(f"split: {state.title(group.id)} has one row and cannot be split.")
    usual = {"k": 2} if operation.get("method") in (None, "auto") else {}
    parts = _cluster_some(state, rows, {**usual, **_told(operation)}, tracker)
    n_parts = int(parts.max(initial=NOISE)) + 1
    if n_parts < 2:
        raise InvalidParameter(
            f"split: {state.title(group.id)} could not be split: no two parts were found. Choose another "
            f"method, or a number of groups."
        )
    at = state.place(group.id)
    labels = np.array(state.labels)
    labels[rows] = np.where(parts > 0, state.k + parts - 1, np.where(parts == 0, at, NOISE))
    made = [
        Group(f"g{state.next_id + part - 1}", f"{group.name}, part {part + 1}" if group.name else "")
        for part in range(1, n_parts)
    ]
    # parts stand beside the group that they come from
    order = [*range(at + 1), *range(state.k, state.k + len(made)), *range(at + 1, state.k)]
    return _reordered(state, labels, (*state.groups, *made), order, state.next_id + len(made))


def _reordered(
    state: State, labels: Labels, groups: tuple[Group, ...], order: list[int], next_id: int
) -> State:
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order))
    labels = np.where(labels >= 0, places[np.maximum(labels, 0)], labels)
    return state.regrouped(labels, [groups[at] for at in order], next_id)


def cluster_rest(state: State, operation: Operation, tracker: Tracker) -> State:
    """Cluster all rows again but those of locked groups; new groups that are nearly old ones stay those."""
    locked = state.locked_rows()
    is_free = state.labels != LEFT_OUT
    is_free[locked] = False
    rows = np.flatnonzero(is_free)
    if len(rows) < 2:
        raise InvalidParameter("cluster_rest: fewer than two rows are outside of locked groups.")
    return _again(state, rows, operation, tracker)


def cluster_rows(state: State, operation: Operation, tracker: Tracker) -> State:
    """Cluster some rows again; the others stay where they are."""
    rows = rows_in(state, operation)
    refuse_locked(state, rows, "cluster_rows")
    if len(rows) < 2:
        raise InvalidParameter("cluster_rows: needs at least two rows, got one.")
    return _again(state, rows, operation, tracker)


def _again(state: State, rows: Indices, operation: Operation, tracker: Tracker) -> State:
    parts = _cluster_some(state, rows, _told(operation), tracker)
    k = int(parts.max(initial=NOISE)) + 1
    labels = np.array(state.labels)
    labels[rows] = np.where(parts >= 0, state.k + parts, NOISE)
    old = [at for at in range(state.k) if (labels == at).any()]  # groups that keep some rows
    compact = np.full(state.k + k, NOISE, dtype=np.int32)
    compact[old], compact[state.k :] = np.arange(len(old)), len(old) + np.arange(k)
    labels = np.where(labels >= 0, compact[np.maximum(labels, 0)], labels)
    gone = replace(
        state, groups=tuple(group for at, group in enumerate(state.groups) if at not in old),
        labels=_only(state.labels, [at for at in range(state.k) if at not in old]),
    )  # fmt: skip
    new = np.where(labels >= len(old), labels - len(old), np.where(labels >= 0, NOISE, labels))
    named, next_id = _matched(gone, new, k)
    return state.regrouped(labels, [*(state.groups[at] for at in old), *named], next_id)


def _only(labels: Labels, kept: list[int]) -> Labels:
    """Return labels in which some groups are numbered from 0, and all others are noise."""
    places = np.full(int(labels.max(initial=NOISE)) + 1, NOISE, dtype=np.int32)
    places[kept] = np.arange(len(kept))
    return np.where(labels >= 0, places[np.maximum(labels, 0)], labels) if len(places) else labels


def _matched(state: State, labels: Labels, k: int) -> tuple[list[Group], int]:
    """Return groups for new labels: an old one where most rows of both are the same, else a new one."""
    both = (labels >= 0) & (state.labels >= 0)
    counts = np.zeros((k, state.k))
    np.add.at(counts, (labels[both], state.labels[both]), 1)
    new_sizes = np.bincount(labels[labels >= 0], minlength=k)
    old_sizes = np.bincount(state.labels[state.labels >= 0], minlength=state.k)
    union = new_sizes[:, None] + old_sizes[None, :] - counts
    is_same = np.divide(counts, union, out=np.zeros_like(counts), where=union > 0) > MATCH
    found, next_id = [], state.next_id
    for at in range(k):
        same = np.flatnonzero(is_same[at])
        if same.size:
            found.append(state.groups[int(same[0])])
        else:
            found.append(Group(f"g{next_id}"))
            next_id += 1
    return found, next_id


def _cluster_some(state: State, rows: Indices, how: Settings, tracker: Tracker) -> Labels:
    """Return parts 0.. of some rows of the table, the largest first; -1 is noise."""
    whole = state.rows
    prepared = whole.prepared
    places = np.searchsorted(prepared.rows, rows)
    complete = replace(prepared.complete, X=prepared.complete.X[places], rows=rows)
    some = replace(
        whole,
        prepared=replace(prepared, complete=complete, points=np.ascontiguousarray(prepared.points[places])),
    )
    arguments = {
        **{name: value for name, value in state.preparation.items() if name == "distance"},
        **_constraints(state, how, rows),
        **how,
        "believe": False,
    }
    if len(rows) < LEAST_ROWS and arguments.get("method") in (None, "auto"):
        arguments["method"] = "kprototypes" if prepared.levels else "kmeans"  # too few to compare methods
        arguments.setdefault("k", 2)
    k = arguments.get("k", "auto")
    if isinstance(k, int) and k > len(rows):
        raise InvalidParameter(f"k must be at most {len(rows):,}, the number of rows, got {k:,}.")
    if not np.ptp(np.asarray(some.prepared.points), axis=0).any():
        return np.zeros(len(rows), dtype=np.int32)  # equal rows are one group
    request = request_of({**arguments, "scale": "none"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is found is what is asked; a note would have no reader
        found = find_groups(some, some.resolve(request), tracker, time.perf_counter())
    return unmasked(found.labels)[rows]


def test(state: State, operation: Operation, tracker: Tracker) -> State:
    """Measure stability, silhouettes and chance of the groups as they are now."""
    if not state.k:
        raise InvalidParameter("test: there are no groups to test. Run a method, or make a group first.")
    told = {name: operation[name] for name in ("budget",) if name in operation}
    kept = {name: value for name, value in state.preparation.items() if name in ("distance", "truth")}
    request = request_of({**kept, **told, "random_state": operation.get("seed", 0)})
    ids = tuple(group.id for group in state.groups)
    belief = measure(state.rows, state.labels, state.labels_hash, ids, request, state.answer, tracker)
    return replace(state, belief=belief)


def _told(operation: Operation) -> ValuesByName:
    """Return how an operation wants rows to be clustered, without what is usual."""
    told = {name: operation[name] for name in HOW if operation.get(name) is not None}
    told = {name: value for name, value in told.items() if value not in ("auto", {})}
    return {**told, "random_state": operation.get("seed", 0)}


def _arguments(state: State, operation: Operation) -> ValuesByName:
    """Return the arguments of a fit: what the operation says, else what was said about columns and rows."""
    told = _told(operation)
    others = ("scale", "missing", "columns", "drop", "keep", "truth", "believe")
    told |= {name: operation[name] for name in others if operation.get(name) not in (None, "auto", [])}
    said = state.roles.arguments()
    for name in ("drop", "keep"):
        if name in said and name in told:
            told[name] = list(dict.fromkeys([*said[name], *told[name]]))
    return {**said, **_constraints(state, told, np.arange(state.data.n_rows)), **told}


def _constraints(state: State, told: Settings, rows: Indices) -> ValuesByName:
    """Return pairs and sizes as arguments of a fit; with sizes, the method that keeps them."""
    inside = np.zeros(state.data.n_rows, dtype=bool)
    inside[rows] = True
    found: ValuesByName = {}
    method = told.get("method")
    for name, pairs in (("together", state.together), ("apart", state.apart)):
        within = [list(pair) for pair in pairs if inside[list(pair)].all()]
        if within and method in (None, *PAIRED):
            found[name] = within
    least, most = state.sizes
    if (least or most) and method in (None, PAIRED[0]):
        limits = {"size_min": least, "size_max": most}
        found["method"] = PAIRED[0]
        found["set"] = {
            **{name: value for name, value in limits.items() if value is not None},
            **told.get("set", {}),
        }
    return found


def _plain(arguments: Settings) -> ValuesByName:
    """Return the arguments that decide how rows are prepared."""
    return {name: value for name, value in arguments.items() if name in (*PREPARES, "weights")}


LONG: dict[str, Callable[[State, Operation, Tracker], State]] = {
    "fit": fit, "given": given, "split": split, "cluster_rest": cluster_rest,
    "cluster_rows": cluster_rows, "test": test,
}  # fmt: skip
