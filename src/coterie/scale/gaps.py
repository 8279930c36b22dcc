"""Missing values in blocks: counted in the first pass, then left out, filled, or left to the method."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie import _core
from coterie._support.typing import AnyArray, Data, FloatArray, Indices
from coterie.data.marks import SENTINELS, sentinels_beyond
from coterie.data.missing import MOSTLY_COMPLETE, MOSTLY_EMPTY
from coterie.data.scaling import add_sums
from coterie.errors import InvalidData
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import chained, compute, fold, tasks
from coterie.scale.sources.changed import select_rows

ANY, ALL = "any", "all"  # rows with a gap; rows without any value


@dataclass(frozen=True, eq=False)
class Survey:
    """What one pass tells about columns in which values may be missing."""

    n_rows: int  # rows of all blocks
    first: Data  # (d,): the first row
    sums: FloatArray | None  # the engine's sums; None where a value is missing
    n_missing: Indices  # (d,): missing values of each column
    # n_complete, n_empty: rows without a gap, and without any value
    n_complete: int
    n_empty: int
    # low, high: (d,): least and greatest values; NaN of a column without any
    low: FloatArray
    high: FloatArray
    # inner_low, inner_high: (d,): the same without numbers such as -999
    inner_low: FloatArray
    inner_high: FloatArray
    marks: Indices  # (n_sentinels, d): how often each of these numbers occurs
    # counts, mean, squares: (d,): values of each column, their mean, and the sum of squared deviations from
    # it
    counts: FloatArray
    mean: FloatArray
    squares: FloatArray

    @property
    def spread(self) -> FloatArray:
        """The standard deviation of the values of each column."""
        return np.sqrt(self.squares / np.maximum(self.counts, 1))

    def sentinels(self, at: int) -> dict[str, int]:
        """Return numbers such as -999 that lie clearly outside of all others: see `find_sentinels`."""
        low, high = float(self.inner_low[at]), float(self.inner_high[at])
        ends = (float(self.low[at]), float(self.high[at]))
        if not any(end in SENTINELS for end in ends) or not low < high:
            return {}
        counts = {one: int(self.marks[SENTINELS.index(one), at]) for one in sentinels_beyond(low, high)}
        return {f"{one:.0f}": count for one, count in counts.items() if count}

    def of(self, places: Sequence[int], blocks: Blocks) -> Survey:
        """Return the same of some columns; where values are missing, rows are counted again."""
        if self.sums is None:
            return survey(blocks)
        width = len(self.first)
        taken = [part * width + at for part in range(4) for at in places]
        chosen = {
            name: getattr(self, name)[places]
            for name in (
                "first", "n_missing", "low", "high", "inner_low", "inner_high", "counts", "mean", "squares"
            )
        }  # fmt: skip
        sums = np.ascontiguousarray(self.sums[..., [*taken, 4 * width]])
        return replace(self, **chosen, sums=sums, marks=self.marks[:, places])


def survey(blocks: Blocks) -> Survey:
    """Look at all values once; infinite ones are refused with their place."""
    first = compute(tasks(blocks, _first_row)[0])
    found: Survey = compute(fold(tasks(blocks, _survey_block, first), _add))
    return found


def _first_row(block: Block, _weights: Block | None) -> Data:
    return np.array(block.read()[0])


def _survey_block(block: Block, _weights: Block | None, first: Data) -> Survey:
    X = block.read()
    sums = _core.column_sums(X, first, None, 1)
    if np.isfinite(sums).all():
        return _survey_rows(X, first, sums, None)
    _refuse_infinite(block, X)
    is_missing = np.isnan(X)
    if is_missing.any() or not np.isnan(first).any():
        return _survey_rows(X, first, sums, is_missing)
    whole = np.zeros_like(first)  # a first row with gaps says nothing about the others
    return _survey_rows(X, whole, _core.column_sums(X, whole, None, 1), None)


def _survey_rows(X: Data, first: Data, sums: FloatArray, is_missing: Any) -> Survey:
    has_gaps = is_missing is not None
    if has_gaps:
        counts, mean, squares, low, high = _moments_of_cells(X, first, is_missing)
    else:
        found = _core.moments_of_sums(np.asarray(add_sums([sums]), dtype=np.float64), first)
        counts = np.full(X.shape[1], float(len(X)))
        mean, squares = np.asarray(found.mean), np.asarray(found.variance) * len(X)
        low, high = np.asarray(found.low, dtype=np.float64), np.asarray(found.high, dtype=np.float64)
    inner_low, inner_high = low.copy(), high.copy()
    marks = np.zeros((len(SENTINELS), X.shape[1]), dtype=np.int64)
    for at in np.flatnonzero(np.isin(low, SENTINELS) | np.isin(high, SENTINELS)).tolist():
        column = X[:, at].astype(np.float64)
        marks[:, at] = [(column == one).sum() for one in SENTINELS]
        others = column[~(np.isin(column, SENTINELS) | np.isnan(column))]
        inner_low[at], inner_high[at] = (others.min(), others.max()) if len(others) else (np.nan, np.nan)
    return Survey(
        len(X),
        first,
        None if has_gaps else sums,
        is_missing.sum(axis=0) if has_gaps else np.zeros(X.shape[1], dtype=np.int64),
        int((~is_missing.any(axis=1)).sum()) if has_gaps else len(X),
        int(is_missing.all(axis=1).sum()) if has_gaps else 0,
        low,
        high,
        inner_low,
        inner_high,
        marks,
        counts,
        mean,
        squares,
    )


def _moments_of_cells(X: Data, first: Data, is_missing: AnyArray) -> tuple[FloatArray, ...]:
    """Return count, mean, sum of squared deviations, least and greatest of the values of each column."""
    with np.errstate(invalid="ignore"):
        low, high = (end.reduce(X, axis=0).astype(np.float64) for end in (np.fmin, np.fmax))
    counts, origin = (~is_missing).sum(axis=0).astype(np.float64), first_or_zero(first)
    cells = np.where(is_missing, 0.0, X.astype(np.float64) - origin)
    mean = cells.sum(axis=0) / np.maximum(counts, 1)
    away = np.where(is_missing, 0.0, cells - mean)
    return counts, mean + origin, np.einsum("ij,ij->j", away, away), low, high


def first_or_zero(first: Data) -> FloatArray:
    """Return a row that others are taken relative to: 0 where it has no value."""
    return np.where(np.isnan(first), 0.0, first.astype(np.float64))


def _add(total: Survey | None, found: list[Survey]) -> Survey:
    for one in found:
        total = one if total is None else _sum_of(total, one)
    assert total is not None
    return total


def _sum_of(a: Survey, b: Survey) -> Survey:
    """Return what two surveys say together."""
    counts = a.counts + b.counts
    apart = np.where((a.counts > 0) & (b.counts > 0), b.mean - a.mean, 0.0)
    share = b.counts / np.maximum(counts, 1)
    mean = np.where(a.counts > 0, a.mean + apart * share, b.mean)
    return Survey(
        a.n_rows + b.n_rows,
        a.first,
        None if a.sums is None or b.sums is None else _add_tables(a.sums, b.sums),
        a.n_missing + b.n_missing,
        a.n_complete + b.n_complete,
        a.n_empty + b.n_empty,
        np.fmin(a.low, b.low),
        np.fmax(a.high, b.high),
        np.fmin(a.inner_low, b.inner_low),
        np.fmax(a.inner_high, b.inner_high),
        a.marks + b.marks,
        counts,
        mean,
        a.squares + b.squares + apart**2 * a.counts * share,
    )


def _add_tables(a: FloatArray, b: FloatArray) -> FloatArray:
    before = a[None, :] if a.ndim == 1 else a
    return add_sums([before, b])


def total_sums(found: Survey) -> FloatArray:
    """Return the engine's sums of all blocks as one row."""
    assert found.sums is not None
    return found.sums if found.sums.ndim == 1 else add_sums([found.sums])


def _refuse_infinite(block: Block, X: Data) -> None:
    rows, columns = np.nonzero(np.isinf(X))
    if rows.size == 0:
        if not np.isnan(X).any():
            raise InvalidData(f"{block.spans[0].name}: values so large that their squares overflow.")
        return
    place, row = block.place_of(int(rows[0]))
    column = block.columns[columns[0]] if block.columns else int(columns[0])
    raise InvalidData(
        f'{place}: Input X contains infinity: row {row} of it, column "{column}" ({rows.size:,} such '
        f"values in this block). Replace or remove infinite values first."
    )


def settled_policy(policy: str, found: Survey) -> str:
    """Return what "auto" stands for: rows with gaps are left out if at least half of all are complete."""
    if policy != "auto":
        return policy
    enough = found.n_complete >= max(2, MOSTLY_COMPLETE * found.n_rows)
    return "drop" if enough else "observed"


def mostly_empty(found: Survey, columns: Sequence[str], named: Collection[str]) -> dict[str, float]:
    """Return the columns that mostly lack values, and the share that is missing; not all columns."""
    shares = found.n_missing / found.n_rows
    empty = {name: float(share) for name, share in zip(columns, shares, strict=True) if share > MOSTLY_EMPTY}
    if len(empty) == len(columns):
        return {}
    return {name: share for name, share in empty.items() if name not in named}


def refuse_gaps(blocks: Blocks, source: str) -> None:
    """Refuse the first missing value, with its place."""
    for message in compute(fold(tasks(blocks, _first_gap), chained)):
        text = f"{source}: {message}"
        raise InvalidData(f"{text} Use missing='observed', 'drop' or 'median', or fill them first.").in_shell(
            f"{text} Use --missing observed|drop|median, or fill them first."
        )


def _first_gap(block: Block, _weights: Block | None) -> list[str]:
    X = block.read()
    rows, columns = np.nonzero(np.isnan(X))
    if rows.size == 0:
        return []
    place, row = block.place_of(int(rows[0]))
    column = block.columns[columns[0]] if block.columns else int(columns[0])
    return [
        f'{place}: Input X contains NaN: row {row} of it, column "{column}" ({rows.size:,} missing '
        f"values in this block)."
    ]


def kept_rows(blocks: Blocks, rule: str) -> AnyArray:
    """Return which rows stay when those with a gap ("any"), or without any value ("all"), are left out."""
    bits: list[bytes] = compute(fold(tasks(blocks, _kept_of_block, rule), chained))
    parts = [
        np.unpackbits(np.frombuffer(one, np.uint8), count=size).astype(bool)
        for one, size in zip(bits, blocks.sizes(), strict=True)
    ]
    return np.concatenate(parts)


def is_left_out(X: Data, rule: str) -> AnyArray:
    """Return which rows are left out by a rule."""
    is_missing = np.isnan(X)
    return np.asarray(is_missing.any(axis=1) if rule == ANY else is_missing.all(axis=1))


def _kept_of_block(block: Block, _weights: Block | None, rule: str) -> list[bytes]:
    return [np.packbits(~is_left_out(block.read(), rule)).tobytes()]


def select_blocks(blocks: Blocks, is_kept: AnyArray) -> Blocks:
    """Return the blocks of some rows, cut again, as if the others had never been there."""
    pieces, first = [], 0
    for piece in blocks.pieces:
        chosen = select_rows(piece, is_kept[first : first + piece.n_rows])
        first += piece.n_rows
        if chosen is not None:
            pieces.append(chosen)
    return blocks.of_pieces(pieces)
