"""The winner of a comparison, fitted to all rows, or placing them."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import Any

import dask.array
import numpy as np

from coterie._support.progress import ProgressOption
from coterie._support.typing import Data, Indices, Labels
from coterie.cluster import DBSCAN as LocalDBSCAN  # noqa: N811  # a class in capitals
from coterie.cluster import find_method
from coterie.pipeline.candidate import Candidate
from coterie.pipeline.describe import number_by_size
from coterie.pipeline.groups import number_labels
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.catalogue import estimator_of, is_fitted_to_all
from coterie.scale.methods.eps import suggest_eps
from coterie.scale.methods.local_model import count_rows
from coterie.scale.predict import label_block
from coterie.scale.runtime.lazy_array import lazy_array
from coterie.scale.sampling import take_rows

ROWS_PER_CENTRE = 100  # of a sample whose centres are a good start for all rows
CORE_BYTES = 256 << 20  # core points are kept, to place new rows, up to so many


@dataclass(frozen=True, eq=False)
class Labelling:
    """The group of every row, 0..k-1, the largest first: found by a model block by block, or known.

    Parameters
    ----------
    model : object
        A local estimator.
    known : array of shape (n_rows,) or None
        Clusters of all rows, where the method found them together.
    numbers : array
        ``numbers[cluster]`` is the group, counted from 1, of a cluster of the model.
    places_rows : bool, default=True
        Whether the model is fitted, so that it places new rows.
    """

    model: Any
    known: Labels | None
    numbers: Labels
    places_rows: bool = True

    def lazy(self, blocks: Blocks) -> Any:
        """Return the labels of all rows of the fit as a Dask array."""
        if self.known is not None:
            return dask.array.from_array(_from_zero(self.known, self.numbers), chunks=blocks.block_rows)
        return self.placed(blocks)

    def placed(self, blocks: Blocks) -> Any:
        """Return the groups that the model gives to rows, as a Dask array."""
        return lazy_array(blocks, _placed, self.model, self.numbers, dtype=np.int32)

    def of_rows(self, rows: Indices, points: Data) -> Labels:
        """Return the groups of some rows of the fit, given their numbers and their scaled values."""
        if self.known is not None:
            return _from_zero(self.known[rows], self.numbers)
        return _from_zero(np.asarray(self.model.predict(points)), self.numbers)

    def task(self) -> tuple[Any, ...]:
        """Return a function of a block, and its arguments, that give the labels of the block's rows."""
        if self.known is not None:
            return _looked_up, self.known, self.numbers
        return _placed, self.model, self.numbers


@dataclass(frozen=True, eq=False)
class Settled:
    """Groups of all rows.

    Parameters
    ----------
    estimator : object
        What was fitted.
    labelling : Labelling
        The group of each row.
    by_size : array of shape (k,)
        Clusters of the estimator, the largest first.
    is_fitted_to_all : bool
        Whether every row took part in the fit.
    notes : tuple of str
        What was done.
    """

    estimator: Any
    labelling: Labelling
    by_size: Indices
    is_fitted_to_all: bool
    notes: tuple[str, ...]


def settle(
    winner: Candidate,
    points: Data,
    blocks: Blocks,
    *,
    distance: str | None,
    n_init: int | None,
    checkpoint: Any,
    seed: int,
    progress: ProgressOption,
) -> Settled:
    """Fit a winner to all rows where `coterie.scale` has its method; else to points, which place the rest.

    Parameters
    ----------
    winner : Candidate
        Method and parameters.
    points : array
        Scaled rows that methods were compared on.
    blocks : Blocks
        All rows, scaled.
    distance : str or None
        Asked for; None is Euclidean.
    n_init, checkpoint
        For the estimators that take them.
    seed : int
        Of draws.
    progress : None, bool or callable
        Hears of every pass.
    """
    if not is_fitted_to_all(winner.method, distance):
        return _place(winner, points, blocks)
    if winner.method == "dbscan":
        return _settle_dbscan(winner, blocks, seed, progress)
    more = {"checkpoint": checkpoint, "n_init": n_init}
    start = _start(winner, points, blocks) if n_init is None else None
    estimator = estimator_of(winner, progress, init=start, **more)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(blocks)
    numbers, by_size = number_by_size(estimator.cluster_sizes_)
    said = tuple(dict.fromkeys(str(one.message).splitlines()[0] for one in caught))
    began = () if start is not None else (f"started from {estimator.start_}",)
    notes = (*getattr(estimator, "notes_", ()), *began, *said)
    return Settled(estimator, Labelling(_nameless(estimator.local_), None, numbers), by_size, True, notes)


def _nameless(model: Any) -> Any:
    """Return the model without names of columns: `Groups` matches these, and hands over matrices."""
    nameless = copy(model)
    nameless.__dict__.pop("feature_names_in_", None)
    return nameless


def _start(winner: Candidate, points: Data, blocks: Blocks) -> Any:
    """Return the centres of the compared rows, if they are many for each; None: the class finds a start."""
    if winner.method != "kmeans" or len(points) < min(ROWS_PER_CENTRE * winner.k, blocks.n_rows):
        return None
    local = winner.make().fit(np.ascontiguousarray(points))
    centers = np.asarray(local.cluster_centers_)
    return centers if len(centers) == winner.k else None


def _place(winner: Candidate, points: Data, blocks: Blocks) -> Settled:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = winner.make().fit(np.ascontiguousarray(points))
    n_clusters = max(int(np.max(getattr(model, "labels_", [winner.k - 1]))) + 1, winner.k)
    numbers, by_size = number_by_size(count_rows(blocks, model, n_clusters))
    title = find_method(winner.method).title
    note = () if len(points) == blocks.n_rows else (
        f"{title} was fitted to {len(points):,} of {blocks.n_rows:,} rows; its predict places the others",
    )  # fmt: skip
    return Settled(model, Labelling(model, None, numbers), by_size, not note, note)


def _settle_dbscan(winner: Candidate, blocks: Blocks, seed: int, progress: ProgressOption) -> Settled:
    metric, min_samples = winner.parameters["metric"], winner.parameters["min_samples"]
    eps, note = winner.parameters["eps"], tuple[str, ...]()
    if eps == "auto":
        eps, note = suggest_eps(blocks, min_samples, metric, seed)
    estimator = estimator_of(winner, progress, eps=eps).fit(blocks)
    numbers, by_size = number_by_size(estimator.cluster_sizes_)
    known = np.asarray(estimator.labels_)
    core = estimator.core_sample_indices_
    model = LocalDBSCAN(eps=float(eps), min_samples=min_samples, metric=metric)
    places_rows = core.size * blocks.n_columns * blocks.dtype.itemsize <= CORE_BYTES
    if places_rows:
        _give_core_points(model, estimator, take_rows(blocks, core), known[core])
    more = () if places_rows else ("no new rows can be placed: there are too many core points to keep",)
    notes = (*note, *estimator.notes_, *more)
    return Settled(estimator, Labelling(model, known, numbers, places_rows), by_size, True, notes)


def _give_core_points(local: LocalDBSCAN, estimator: Any, core: Data, labels: Labels) -> None:
    """Make the local class place rows as if it had been fitted to all."""
    found = {
        "labels_": labels,
        "core_sample_indices_": np.arange(len(core)),
        "components_": core,
        "eps_": float(estimator.eps),
        "algorithm_used_": f"{estimator.n_boxes_} boxes",
        "_distance_values": {},
        "n_features_in_": core.shape[1],
    }
    local.__dict__.update(found)


def _placed(block: Block, _weights: Block | None, model: Any, numbers: Labels) -> Labels:
    return _from_zero(label_block(block, None, model), numbers)


def _looked_up(block: Block, _weights: Block | None, known: Labels, numbers: Labels) -> Labels:
    return _from_zero(known[block.first_row : block.first_row + block.n_rows], numbers)


def _from_zero(labels: Labels, numbers: Labels) -> Labels:
    """Return groups counted from 0; noise stays -1."""
    found = number_labels(labels, numbers)
    return np.where(found > 0, found - 1, -1).astype(np.int32)
