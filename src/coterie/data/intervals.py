"""Calendar intervals of databases and Arrow tables become durations, which frames of polars can hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import AnyArray

DAYS_OF_A_MONTH = 30  # as PostgreSQL and DuckDB count when they compare intervals
A_DAY = 86_400 * 10**6  # in microseconds
_PARTS = np.dtype([("months", "<i4"), ("days", "<i4"), ("nanoseconds", "<i8")])


def intervals_as_durations(table: Any) -> Any:
    """Return an Arrow table or batch whose columns of calendar intervals are durations in microseconds.

    Examples
    --------
    >>> import pyarrow
    >>> spans = pyarrow.array([(0, 1, 500_000), (1, 0, 0), None], type=pyarrow.month_day_nano_interval())
    >>> intervals_as_durations(pyarrow.table({"a": spans}))["a"].to_pylist()
    [datetime.timedelta(days=1, microseconds=500), datetime.timedelta(days=30), None]
    """
    for at, kind in enumerate(table.schema.types):
        if str(kind) == "month_day_nano_interval":
            table = table.set_column(at, table.schema.field(at).name, _as_duration(table.column(at)))
    return table


def _as_duration(column: Any) -> Any:
    """Return a column of intervals, in one piece or several, as durations."""
    import pyarrow

    chunks = column.chunks if hasattr(column, "chunks") else [column]
    parts = [pyarrow.array(_microseconds(one), mask=np.asarray(one.is_null())) for one in chunks]
    kind = pyarrow.duration("us")
    if not hasattr(column, "chunks"):
        return parts[0].cast(kind)
    return pyarrow.chunked_array(parts, type=pyarrow.int64()).cast(kind)


def _microseconds(intervals: Any) -> AnyArray:
    """Return the lengths of intervals in microseconds; what missing cells hold does not matter."""
    stored = intervals.buffers()[1]
    if stored is None or not len(intervals):
        return np.zeros(len(intervals), dtype=np.int64)
    first, last = intervals.offset, intervals.offset + len(intervals)
    cells = np.frombuffer(stored, dtype=_PARTS, count=last)[first:]
    days = cells["months"].astype(np.int64) * DAYS_OF_A_MONTH + cells["days"]
    return np.asarray(days * A_DAY + cells["nanoseconds"] // 1000)
