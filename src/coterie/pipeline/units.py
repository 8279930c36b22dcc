"""Whether the answer depends on the units of the columns: its borders judged again, scaled the other way.

`scale="auto"` takes columns as they are or standardises them, by their spreads. Where another unit for one
column would change that choice, it should not change the groups; where it does, the answer has a note.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from coterie._support.typing import FloatArray
from coterie.data import AUTO, Scaling
from coterie.data.scaling import differ_in_scale
from coterie.pipeline.judge.density_valleys import ERROR, Valleys
from coterie.pipeline.row_order import order_of

if TYPE_CHECKING:
    from coterie.pipeline.choose_method import Contest
    from coterie.pipeline.request import FitRequest
    from coterie.pipeline.rows.protocol import Compared

MODERATE = 3.0  # times that the unit of one column may change: feet for metres, pounds for kilograms
MOST_ROWS, MOST_COLUMNS = 2_500, 64  # of more, the second look takes too long
AS_THEY_ARE = ("as they are", "none")
STANDARDISED = ("standardised", "standard")


def note_units(
    contest: Contest | None, compared: Compared, scaling: Scaling, request: FitRequest
) -> tuple[str, ...]:
    """Return a note where the answer would be another one with columns scaled the other way; else nothing.

    Parameters
    ----------
    contest : Contest or None
        What methods found on the scaled rows.
    compared : Compared
        These rows.
    scaling : Scaling
        How their columns were scaled.
    request : FitRequest
        What was asked for; columns that were scaled as asked for are not scaled again.
    """
    n_rows, n_columns = compared.points.shape
    is_asked = request.scaling != AUTO or request.is_settled or request.distance is not None
    if contest is None or not contest.ranked or is_asked or compared.mixed is not None:
        return ()
    is_large = n_rows > MOST_ROWS or n_columns > MOST_COLUMNS or issparse(compared.points)
    if n_columns != len(scaling.shift) or n_columns < 2 or is_large:
        return ()
    raw = np.asarray(scaling.invert(compared.points), dtype=np.float64)
    spreads = raw.std(axis=0)
    if not may_scale_otherwise(spreads):
        return ()
    is_standard = scaling.how == "standard"
    (used, _), (other, option) = (STANDARDISED, AS_THEY_ARE) if is_standard else (AS_THEY_ARE, STANDARDISED)
    rows = raw if is_standard else (raw - raw.mean(axis=0)) / np.where(spreads > 0, spreads, 1.0)
    best = contest.ranked[0] if contest.winner is None else contest.winner
    order = order_of(rows)
    is_clear = Valleys(order.take(rows)).judge(best.labels[order.rows]).rank > ERROR
    if is_clear == (contest.is_apart and contest.winner is not None):
        return ()
    borders = "clear borders" if is_clear else "no clear borders"
    return (
        f"the answer depends on the units of the columns, which were compared {used}: {other} "
        f'(scale "{option}") the split ({best.title}) has {borders}',
    )


def may_scale_otherwise(spreads: FloatArray) -> bool:
    """Return whether another unit for one column would change how columns are scaled.

    Examples
    --------
    >>> may_scale_otherwise(np.array([1.0, 1.2])), may_scale_otherwise(np.array([1.0, 90.0]))
    (True, False)
    """
    changed = [
        np.where(np.arange(len(spreads)) == at, spreads * by, spreads)
        for at in range(len(spreads))
        for by in (MODERATE, 1 / MODERATE)
    ]
    return any(differ_in_scale(each) != differ_in_scale(spreads) for each in changed)
