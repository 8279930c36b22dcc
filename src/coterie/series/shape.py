"""Shapes: correlations of series over all shifts by Fourier transforms, and the shape that a group shares."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import fft

from coterie._support.linear_algebra import leading_axes
from coterie._support.typing import AnyArray, Distances, Indices, Labels
from coterie.series.collection import Points, SeriesCollection

BLOCK_NUMBERS = 1 << 16  # of correlations that are held at a time: they stay in the cache of a core
LEVEL = 1e-9  # correlations nearer than this are equal: the smallest shift wins


@dataclass(frozen=True, eq=False)
class Spectra:
    """Transforms of series of unit length, padded so that shifts do not wrap around."""

    values: AnyArray  # (n_series, n_columns, n_frequencies)
    size: int  # of the padded series
    longest: int
    lengths: Indices

    @classmethod
    def of(cls, series: SeriesCollection, longest: int | None = None) -> Spectra:
        """Return the spectra of series; a series of zeros stays one."""
        return cls.of_block(padded(series), series.lengths, longest)

    @classmethod
    def of_block(cls, block: Points, lengths: Indices, longest: int | None = None) -> Spectra:
        """Return the spectra of series that are padded by zeros, of shape (series, points, columns)."""
        most = block.shape[1] if longest is None else longest
        size = fft.next_fast_len(2 * most - 1, real=True)
        rows = block.transpose(0, 2, 1)
        scale = np.abs(rows).max(axis=(1, 2), keepdims=True)
        rows = rows / np.where(scale > 0, scale, 1.0)
        norms = np.sqrt((rows**2).sum(axis=(1, 2), keepdims=True))
        return cls(fft.rfft(rows / np.where(norms > 0, norms, 1.0), size), size, most, lengths)

    def take(self, rows: list[int]) -> Spectra:
        """Return the spectra of some of the series."""
        return Spectra(self.values[rows], self.size, self.longest, self.lengths[rows])

    def correlations(self, others: Spectra, rows: slice | Indices, columns: slice | Indices) -> Points:
        """Return the correlations of some series with some others, by shift: 0, 1, ..., -2, -1.

        Shifts that leave two series nothing in common have minus infinity.
        """
        products = self.values[rows, None] * np.conj(others.values[None, columns])
        summed = products[:, :, 0] if products.shape[2] == 1 else products.sum(axis=2)
        found = fft.irfft(summed, self.size)
        found[:, :, self.longest : self.size - self.longest + 1] = -np.inf
        self._rule_out(found, self.lengths[rows], others.lengths[columns])
        return np.asarray(found)

    def _rule_out(self, found: Points, own: Indices, other: Indices) -> None:
        """Set correlations at shifts by which one series lies wholly behind the other to minus infinity."""
        if own.min(initial=self.longest) == self.longest == other.min(initial=self.longest):
            return
        late = np.arange(self.size)
        early = self.size - late
        is_late = (late < self.longest) & (late >= own[:, None])
        is_early = (early < self.longest) & (early >= other[:, None])
        found[np.broadcast_to(is_late[:, None], found.shape)] = -np.inf
        found[np.broadcast_to(is_early[None], found.shape)] = -np.inf

    def blocks(self, n_others: int) -> list[slice]:
        """Return the rows in blocks whose correlations with so many others fit into memory."""
        each = self.size * max(1, n_others) * self.values.shape[1]
        step = max(1, BLOCK_NUMBERS // each)
        return [slice(begin, begin + step) for begin in range(0, len(self.values), step)]

    def distances(self, others: Spectra) -> Distances:
        """Return the distances of every series to others: one minus the greatest correlation."""
        every = slice(None)
        best = [
            self.correlations(others, rows, every).max(axis=2) for rows in self.blocks(len(others.values))
        ]
        return np.asarray(1.0 - np.minimum(np.concatenate(best), 1.0))

    def nearest(self, shapes: Spectra) -> tuple[Distances, Indices]:
        """Return the distances of every series to shapes, and its best shift to the nearest one."""
        apart, shifts = np.empty((len(self.values), len(shapes.values))), np.empty(len(self.values), np.int64)
        for rows in self.blocks(len(shapes.values)):
            found = self.correlations(shapes, rows, slice(None))
            apart[rows] = 1.0 - np.minimum(found.max(axis=2), 1.0)
            own = found[np.arange(len(found)), apart[rows].argmin(axis=1)]
            shifts[rows] = best_shifts(own, self.longest)[1]
        return apart, shifts


def padded(series: SeriesCollection) -> Points:
    """Return series as an array of shape (series, points, columns), 0 behind the end of a shorter one."""
    if series.has_one_length:
        return series.values.reshape(*series.shape, series.n_columns)
    return np.nan_to_num(series.to_array(), nan=0.0)


def best_shifts(correlations: Points, longest: int) -> tuple[Points, Indices]:
    """Return the greatest correlation of each row and its shift, of equals the one nearest to 0.

    Examples
    --------
    >>> best_shifts(np.array([[0.1, 0.9, 0.0, 0.9]]), 3)
    (array([0.9]), array([1]))
    """
    shifts, places = _shifts_by_size(longest, correlations.shape[1])
    ordered = correlations[:, places]
    greatest = ordered.max(axis=1)
    first = (ordered >= (greatest - LEVEL)[:, None]).argmax(axis=1)
    return greatest, shifts[first]


@lru_cache(maxsize=4)
def _shifts_by_size(longest: int, size: int) -> tuple[Indices, Indices]:
    """Return the shifts of series, the nearest to 0 first, and the place of each among so many."""
    shifts = np.concatenate([np.arange(longest), np.arange(-(longest - 1), 0)])
    shifts = shifts[np.argsort(np.abs(shifts), kind="stable")]
    return shifts, shifts % size


def shape_distances(X: SeriesCollection, Y: SeriesCollection, *, is_same: bool, threads: int) -> Distances:
    """Return one minus the greatest correlation over all shifts, of all pairs; 1 where a series is all 0."""
    longest = int(max(X.lengths.max(), Y.lengths.max()))
    first = Spectra.of(X, longest)
    with fft.set_workers(threads):
        if not is_same:
            return first.distances(Spectra.of(Y, longest))
        out = np.empty((len(X), len(X)))
        for rows in first.blocks(len(X)):
            later = slice(rows.start, None)
            greatest = first.correlations(first, rows, later).max(axis=2)
            out[rows, later] = 1.0 - np.minimum(greatest, 1.0)
    lower = np.tril_indices(len(X), -1)
    out[lower] = out.T[lower]
    np.fill_diagonal(out, np.where(np.abs(first.values).max(axis=(1, 2)) > 0, 0.0, 1.0))
    return out


def shifted(block: Points, shifts: Indices) -> Points:
    """Return rows of points moved by so many steps, later for positive ones, with 0 where nothing comes from.

    Examples
    --------
    >>> shifted(np.array([[[1.0], [2.0], [3.0]]]), np.array([1]))[0].ravel().tolist()
    [0.0, 1.0, 2.0]
    """
    n_points = block.shape[1]
    places = np.arange(n_points)[None, :] - shifts[:, None]
    is_there = (places >= 0) & (places < n_points)
    rows = np.arange(len(block))[:, None]
    return np.where(is_there[:, :, None], block[rows, np.clip(places, 0, n_points - 1)], 0.0)


def extract_shapes(block: Points, labels: Labels, shapes: Points) -> Points:
    """Return the shape that the aligned series of each group share most: their leading axis, per column.

    Parameters
    ----------
    block : array of shape (n_series, n_points, n_columns)
        Shifted to the last shape of their group.
    labels : array of int of shape (n_series,)
        Group of each series.
    shapes : array of shape (n_groups, n_points, n_columns)
        What a group without series keeps.

    Returns
    -------
    array of shape (n_groups, n_points, n_columns)
        With mean 0 and standard deviation 1 in each column, turned towards the series of the group.
    """
    out = shapes.copy()
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(np.bincount(labels, minlength=len(shapes)))
    groups = np.flatnonzero(np.diff(ends, prepend=0))
    step = max(1, BLOCK_NUMBERS // block.shape[1] ** 2)
    for column in range(block.shape[2]):
        rows = block[order, :, column]
        spread = rows.std(axis=1, keepdims=True)
        rows = (rows - rows.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
        for begin in range(0, len(groups), step):
            some = groups[begin : begin + step]
            members = [rows[ends[group - 1] if group else 0 : ends[group]] for group in some]
            out[some, :, column] = _shared_axes(members)
    return out


def _shared_axes(members: list[Points]) -> Points:
    """Return the leading axis of the rows of each group, with mean 0 and standard deviation 1."""
    axes = leading_axes(np.stack([rows.T @ rows for rows in members]))
    for axis, rows in zip(axes, members, strict=True):
        size = float(np.abs(rows).sum())
        if size == 0:
            axis[:] = 0.0
        elif float(rows.sum(axis=0) @ axis) < -LEVEL * size:  # near 0 the settled sign of the axis stays
            axis *= -1
    axes -= axes.mean(axis=1, keepdims=True)
    widths = axes.std(axis=1, keepdims=True)
    return np.asarray(axes / np.where(widths > 0, widths, 1.0))
