"""The one pure function of a workbook: a state and an operation give the next state."""

from __future__ import annotations

from coterie._support.progress import ProgressOption, track
from coterie._support.typing import JsonObject, Settings
from coterie.workbook.checks import unique_rows
from coterie.workbook.clusterings import LONG
from coterie.workbook.edits import EDITS
from coterie.workbook.operations import check_operation
from coterie.workbook.rowsets import pack_rows
from coterie.workbook.state import State


def apply(state: State, operation: Settings, progress: ProgressOption = None) -> State:
    """Return the state after an operation; the given one stays as it is.

    The same state and the same operation give the same labels, whenever and wherever.

    Parameters
    ----------
    state : State
        Before.
    operation : mapping
        A JSON object, such as ``{"op": "merge", "groups": ["g2", "g5"]}``; checked first.
    progress : None, bool or callable, default=None
        Hears how far operations that compute have come.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.workbook import Workbook
    >>> state = Workbook.open(np.array([[0.0], [1.0], [8.0], [9.0]])).state
    >>> after = apply(state, {"op": "new", "rows": [0, 1], "name": "left"})
    >>> after.labels.tolist(), after.groups[0].name, state.k
    ([0, 0, -1, -1], 'left', 0)
    """
    checked = check_operation(operation)
    name = checked["op"]
    if name in EDITS:
        return EDITS[name](state, checked)
    with track(progress, name.replace("_", " "), total=None) as tracker:
        return LONG[name](state, checked, tracker)


def canonical(operation: Settings, n_rows: int) -> JsonObject:
    """Return a checked operation as a log keeps it: rows in ascending order, as numbers or ranges.

    Examples
    --------
    >>> canonical({"op": "noise", "rows": [4, 3, 2, 5, 6]}, 9)
    {'op': 'noise', 'ranges': [[2, 7]]}
    """
    checked = check_operation(operation)
    if "rows" not in checked and "ranges" not in checked:
        return checked
    rows = unique_rows(checked.pop("rows", None), checked.pop("ranges", None), n_rows)
    return {**checked, **pack_rows(rows)}
