"""Small data and random operations for tests of workbooks."""

from __future__ import annotations

import numpy as np

from coterie.errors import InvalidParameter
from coterie.workbook import Workbook

CENTRES = ((0.0, 0.0), (9.0, 0.0), (0.0, 9.0))
FIT = {"op": "fit", "method": "kmeans", "k": 3, "believe": False}


def blobs(n=20, seed=0):
    """Return three clouds of n rows each, in the order of `CENTRES`."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.normal(centre, 1.0, (n, 2)) for centre in CENTRES])


def fitted(n=20):
    """Return a workbook with three groups."""
    return Workbook.open(blobs(n)).apply(FIT)


def random_operation(rng, state):
    """Return an operation that a person could make, right or wrong."""
    ids = [group.id for group in state.groups] or ["g1"]
    one = str(rng.choice(ids))
    rows = np.unique(rng.integers(0, state.data.n_rows, int(rng.integers(1, 12)))).tolist()
    first = int(rng.integers(0, state.data.n_rows - 1))
    span = {"ranges": [[first, int(rng.integers(first + 1, state.data.n_rows + 1))]]}
    where = {"rows": rows} if rng.random() < 0.7 else span
    return [
        {"op": "rename", "group": one, "name": f"name {rng.integers(100)}"},
        {"op": "note", "group": one, "text": f"note {rng.integers(100)}"},
        {"op": "colour", "group": one, "colour": f"#{rng.integers(2**24):06x}"},
        {"op": "lock", "group": one, "locked": bool(rng.random() < 0.2)},
        {"op": "merge", "groups": rng.choice(ids, min(len(ids), 2), replace=False).tolist()},
        {"op": "move", "group": one, **where},
        {"op": "new", **where},
        {"op": "new", "name": "made", "rows": rows},
        {"op": "noise", "rows": rows},
        {"op": "together", "rows": rows},
        {"op": "apart", "rows": rows[:3]},
        {"op": "free", "rows": rows},
        {"op": "sizes", "min": int(rng.integers(1, 5))},
        {"op": "roles", "weights": {"column_1": float(rng.integers(1, 4))}},
        {"op": "split", "group": one, "method": "kmeans", "k": 2},
    ][int(rng.integers(15))]


def apply_random(book, rng, n_operations):
    """Apply so many random operations; those that are refused must leave the workbook as it was."""
    made = 0
    while made < n_operations:
        operation = random_operation(rng, book.state)
        before = (book.position, book.state.digest)
        try:
            book.apply(operation)
        except InvalidParameter:
            assert (book.position, book.state.digest) == before
            continue
        made += 1
    return book


def check_state(state):
    """Assert what holds for every state: labels 0..k-1 without gaps, ids that differ, read-only labels."""
    found = np.unique(state.labels[state.labels >= 0])
    assert found.tolist() == list(range(state.k))
    ids = [group.id for group in state.groups]
    assert len(set(ids)) == len(ids)
    assert all(int(one[1:]) < state.next_id for one in ids)
    assert not state.labels.flags.writeable
