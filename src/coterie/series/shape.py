"""Shapes: correlations of series over all shifts by Fourier transforms, and the shape that a group shares."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import fft

from coterie._support.linear_algebra import principal_components
from coterie._support.typing import AnyArray, Distances, Indices
from coterie.series.collection import Points, SeriesCollection

BLOCK_NUMBERS = 1 << 21  # of correlations that are held at a time
LEVEL = 1e-9  # correlations nearer than this are equal: the smallest shift wins


@dataclass(frozen=True, eq=False)
class Spectra:
    """Transforms of series of unit length, padded so that shifts do not wrap around."""

    values: AnyArray  # (n_series, n_columns, n_frequencies)
    size: int  # of the padded series
    longest: int

    @classmethod
    def of(cls, series: SeriesCollection, longest: int | None = None) -> Spectra:
        """Return the spectra of series; a series of zeros stays one."""
        most = int(series.lengths.max()) if longest is None else longest
        size = fft.next_fast_len(2 * most - 1, real=True)
        padded = np.nan_to_num(series.to_array(), nan=0.0).transpose(0, 2, 1)
        scale = np.abs(padded).max(axis=(1, 2), keepdims=True)
        padded = padded / np.where(scale > 0, scale, 1.0)
        norms = np.sqrt((padded**2).sum(axis=(1, 2), keepdims=True))
        return cls(fft.rfft(padded / np.where(norms > 0, norms, 1.0), size), size, most)

    def correlations(self, other: AnyArray) -> Points:
        """Return the correlations of every series with one spectrum, by shift: 0, 1, ..., -2, -1."""
        return np.asarray(fft.irfft((self.values * np.conj(other)).sum(axis=1), self.size))

    def distances(self, shapes: SeriesCollection) -> Distances:
        """Return the distances of every series to shapes of the same length."""
        kept = np.concatenate([np.arange(self.longest), np.arange(self.size - self.longest + 1, self.size)])
        others = Spectra.of(shapes, self.longest).values
        best = [self.correlations(other)[:, kept].max(axis=1) for other in others]
        return np.asarray(1.0 - np.minimum(np.column_stack(best), 1.0))


def best_shifts(correlations: Points, longest: int) -> tuple[Points, Indices]:
    """Return the greatest correlation of each row and its shift, of equals the one nearest to 0.

    Examples
    --------
    >>> best_shifts(np.array([[0.1, 0.9, 0.0, 0.9]]), 3)
    (array([0.9]), array([1]))
    """
    size = correlations.shape[1]
    shifts = np.concatenate([np.arange(longest), np.arange(-(longest - 1), 0)])
    at_shift = correlations[:, shifts % size]
    order = np.argsort(np.abs(shifts), kind="stable")
    ordered = at_shift[:, order]
    greatest = ordered.max(axis=1)
    first = (ordered >= (greatest - LEVEL)[:, None]).argmax(axis=1)
    return greatest, shifts[order[first]]


def shape_distances(X: SeriesCollection, Y: SeriesCollection, *, is_same: bool, threads: int) -> Distances:
    """Return one minus the greatest correlation over all shifts, of all pairs; 1 where a series is all 0."""
    longest = int(max(X.lengths.max(), Y.lengths.max()))
    first = Spectra.of(X, longest)
    second = first if is_same else Spectra.of(Y, longest)
    out = np.empty((len(X), len(Y)))
    n_columns, size = first.values.shape[1], first.size
    block = max(1, BLOCK_NUMBERS // (size * max(1, len(Y)) * n_columns))
    keep = np.concatenate([np.arange(longest), np.arange(size - longest + 1, size)])
    keep_shifts = np.concatenate([np.arange(longest), np.arange(1 - longest, 0)])
    is_one_length = X.has_one_length and Y.has_one_length and X.shape[1] == Y.shape[1]
    with fft.set_workers(threads):
        for begin in range(0, len(X), block):
            rows = slice(begin, begin + block)
            from_column = begin if is_same else 0
            products = first.values[rows, None] * np.conj(second.values[None, from_column:])
            found = fft.irfft(products.sum(axis=2), size)[:, :, keep]
            if not is_one_length:  # shifts that leave two series nothing in common
                too_late = keep_shifts >= X.lengths[rows, None, None]
                too_early = -keep_shifts >= Y.lengths[None, from_column:, None]
                found = np.where(too_late | too_early, -np.inf, found)
            greatest = found.max(axis=2)
            out[rows, from_column:] = 1.0 - np.minimum(greatest, 1.0)
    if is_same:
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


def extract_shape(aligned: Points) -> Points:
    """Return the shape that aligned series share most: the leading axis of their centred rows, per column.

    Parameters
    ----------
    aligned : array of shape (n_series, n_points, n_columns)
        Shifted to the last shape.

    Returns
    -------
    array of shape (n_points, n_columns)
        With mean 0 and standard deviation 1 in each column, turned towards the series.
    """
    n_points, n_columns = aligned.shape[1:]
    out = np.zeros((n_points, n_columns))
    for column in range(n_columns):
        rows = aligned[:, :, column]
        spread = rows.std(axis=1, keepdims=True)
        rows = (rows - rows.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
        if not rows.any():
            continue
        axis = principal_components(rows).axes(1)[:, 0]
        towards = float(rows.sum(axis=0) @ axis)
        if towards < -LEVEL * float(np.abs(rows).sum()):  # near 0 the settled sign of the axis stays
            axis = -axis
        axis = axis - axis.mean()
        width = axis.std()
        out[:, column] = axis / width if width > 0 else axis
    return out
