"""Which rows are drawn: a choice that depends on their number and the seed alone, however they are stored."""

from __future__ import annotations

import numpy as np

from coterie._support.typing import FloatArray, Indices

ROWS_PER_STREAM = 8192  # every so many rows have a random stream of their own: blocks draw what a table draws


def uniform_of_rows(first_row: int, n_rows: int, seed: list[int]) -> FloatArray:
    """Return a number in [0, 1) for each of some rows; `first_row` is a multiple of 8192.

    Examples
    --------
    >>> whole = uniform_of_rows(0, 10_000, [7])
    >>> bool((uniform_of_rows(8192, 1808, [7]) == whole[8192:]).all())
    True
    """
    first = first_row // ROWS_PER_STREAM
    sizes = [min(ROWS_PER_STREAM, n_rows - done) for done in range(0, n_rows, ROWS_PER_STREAM)]
    streams = [
        np.random.default_rng([*seed, first + number]).random(size) for number, size in enumerate(sizes)
    ]
    return np.concatenate(streams) if streams else np.empty(0)


def chance_of_row(n_rows: int, n_wanted: int) -> float:
    """Return the chance at which rows are drawn so that hardly ever fewer than wanted are."""
    return 1.0 if n_wanted >= n_rows else (n_wanted + 5 * n_wanted**0.5) / n_rows


def trim(rows: Indices, n_wanted: int, seed: int) -> Indices:
    """Return the places of the rows that stay when too many were drawn, ascending."""
    if len(rows) <= n_wanted:
        return np.arange(len(rows))
    return np.sort(np.random.default_rng([seed, len(rows)]).choice(len(rows), n_wanted, replace=False))


def draw_rows(n_rows: int, n_wanted: int, seed: int) -> Indices:
    """Return the numbers of drawn rows, ascending: all alike, without replacement; all if they are not more.

    Examples
    --------
    >>> len(draw_rows(100_000, 500, 0)), draw_rows(3, 500, 0).tolist()
    (500, [0, 1, 2])
    """
    if n_wanted >= n_rows:
        return np.arange(n_rows)
    drawn = np.flatnonzero(uniform_of_rows(0, n_rows, [seed]) < chance_of_row(n_rows, n_wanted))
    return drawn[trim(drawn, n_wanted, seed)]
