"""A winner fitted to all rows: in their order, or from what it found in a sample."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from coterie._support.typing import Data, Mask, Model, ValuesByName
from coterie.cluster import find_method
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.request import TAKE_CATEGORIES
from coterie.pipeline.row_order import fit_in_order, row_order
from coterie.pipeline.rows.protocol import OBSERVED, SAMPLE_ROWS, Compared

LATENT = "latent-classes"
ROWS_PER_CENTRE = 128  # of the sample that k-means starts on
PATTERNS_AT_ONCE = 2_048  # of missing cells, that are compared with all others


def n_of_start(winner: Candidate) -> int:
    """Return how many rows k-means and mixtures start on where there are more."""
    return n_of_start_for(winner.k)


def n_of_start_for(k: int) -> int:
    """Return how many rows a method starts on that finds k groups.

    Examples
    --------
    >>> n_of_start_for(3), n_of_start_for(500)
    (20000, 64000)
    """
    return max(SAMPLE_ROWS, ROWS_PER_CENTRE * k)


def fit_from_sample(winner: Candidate, sample: Data, points: Data, *, in_order: bool) -> Model:
    """Return k-means or a mixture of all points: the best of its starts on the sample, one run from there.

    Where nothing was settled, starts are drawn from rows in the order of their values.
    """
    if len(sample) == len(points):
        is_free = not in_order or winner.k == 1  # of one group, any order will do
        return winner.make().fit(points) if is_free else fit_in_order(winner.make(), points)
    if winner.method == LATENT:
        return winner.make().fit(np.ascontiguousarray(sample)).refit(points)
    started = {**winner.parameters, **start_on(winner, sample, in_order=in_order), "n_init": 1}
    return replace(winner, parameters=started).make().fit(points)


def start_on(winner: Candidate, sample: Data, *, in_order: bool) -> ValuesByName:
    """Return the parameters by which k-means or a mixture begins where its fit to a sample ended."""
    sample = np.asarray(sample)[row_order(np.asarray(sample))] if in_order else sample
    is_mixture = winner.method == "mixture"  # whose weights of float32 do not add up to 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a start need not be an optimum
        model = winner.make().fit(np.ascontiguousarray(sample, dtype=np.float64 if is_mixture else None))
    if not is_mixture:
        return {"init": np.asarray(model.cluster_centers_)}
    found = {"weights_init": model.weights_, "means_init": model.means_, "precisions_init": model.precisions_}
    return {name: np.asarray(value) for name, value in found.items()}


def rows_without_distance(known: Mask) -> Mask:
    """Return which rows are to be filled, so that every two rows have a cell in a common column.

    Of two rows that have none it is the one with fewer cells; both, if they have as many.

    Examples
    --------
    >>> rows_without_distance(np.array([[True, True, False], [False, False, True], [True, True, True]]))
    array([False,  True, False])
    """
    patterns, of_row = np.unique(known, axis=0, return_inverse=True)
    counts, numbers = patterns.sum(axis=1), patterns.astype(np.float32)
    is_alone = np.zeros(len(patterns), dtype=bool)
    for first in range(0, len(patterns), PATTERNS_AT_ONCE):
        part = slice(first, first + PATTERNS_AT_ONCE)
        apart = (numbers[part] @ numbers.T) == 0
        is_alone[part] = (apart & (counts[part, None] <= counts)).any(axis=1)
    return is_alone[of_row.ravel()]


def observed_notes(winner: Candidate, notes: tuple[str, ...], n_filled: int = 0) -> tuple[str, ...]:
    """Say that a method counts observed cells alone."""
    if winner.method in ("kmeans", *TAKE_CATEGORIES):
        return (*notes, f"{find_method(winner.method).title} counts observed cells only")
    linkage = winner.parameters.get("linkage")
    by = f" and {linkage} linkage" if linkage else ""
    if n_filled:
        are = (
            "row has no column in common with another: it is"
            if n_filled == 1
            else ("rows have no column in common with others: they are")
        )
        notes = (*notes, f"{n_filled:,} {are} filled from the most similar row")
    return (*notes, f"distances are those of the cells that both rows have ({OBSERVED}){by}")


def placed_note(winner: Candidate, compared: Compared) -> str:
    """Say that most rows were placed by a model of some."""
    title = find_method(winner.method).title
    some = f"{len(compared.rows):,} of {compared.n_rows:,} rows"
    return f"{title} was fitted to {some}; its predict labels the others"


def said_by(caught: list[warnings.WarningMessage]) -> tuple[str, ...]:
    """Return what was warned about, each once."""
    return tuple(dict.fromkeys(str(warning.message).splitlines()[0] for warning in caught))
