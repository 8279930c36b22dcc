"""The winner of a comparison, fitted to all rows, or placing them."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import dask.array
import numpy as np

from coterie._support.progress import ProgressOption, Tracker
from coterie._support.typing import Data, Indices, Labels, ValuesByName
from coterie.cluster import DBSCAN as LocalDBSCAN  # noqa: N811  # a class in capitals
from coterie.pipeline import Candidate
from coterie.pipeline.groups import number_by_size, number_labels
from coterie.pipeline.request import FitRequest
from coterie.pipeline.row_order import fit_in_order
from coterie.pipeline.rows import FITTED_TO_ALL, Compared, Fitted, n_of_start, placed_note, said_by, start_on
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.catalogue import estimator_of, is_fitted_to_all, takes_checkpoint
from coterie.scale.methods.dbscan import suggest_eps
from coterie.scale.methods.local_model import count_rows
from coterie.scale.predict import group_block
from coterie.scale.runtime.passes import lazy_array
from coterie.scale.sampling import draw_sample, take_rows

if TYPE_CHECKING:
    from coterie.scale.rows import BlockRows

CORE_BYTES = 256 << 20  # core points are kept, to place new rows, up to so many


@dataclass(frozen=True, eq=False)
class Labelling:
    """The group of every row, 0..k-1, the largest first: found by a model block by block, or known."""

    model: Any  # a local estimator
    known: Labels | None  # clusters of all rows, where the method found them together
    numbers: Labels  # ``numbers[cluster]`` is the group of a cluster of the model
    places_rows: bool = True  # whether the model is fitted, so that it places new rows

    def lazy(self, blocks: Blocks) -> Any:
        """Return the labels of all rows of the fit as a Dask array."""
        if self.known is not None:
            return dask.array.from_array(number_labels(self.known, self.numbers), chunks=blocks.block_rows)
        return self.placed(blocks)

    def placed(self, blocks: Blocks) -> Any:
        """Return the groups that the model gives to rows, as a Dask array."""
        return lazy_array(blocks, group_block, self.model, self.numbers, dtype=np.int32)

    def of_rows(self, rows: Indices, points: Data) -> Labels:
        """Return the groups of some rows of the fit, given their numbers and their scaled values."""
        if self.known is not None:
            return number_labels(self.known[rows], self.numbers)
        return number_labels(np.asarray(self.model.predict(points)), self.numbers)

    def task(self) -> tuple[Any, ...]:
        """Return a function of a block, and its arguments, that give the labels of the block's rows."""
        if self.known is not None:
            return _looked_up, self.known, self.numbers
        return group_block, self.model, self.numbers


@dataclass(frozen=True, eq=False)
class BlocksFitted(Fitted):
    """Groups of all rows in blocks: `labels` is a `Labelling`."""

    labels: Labelling


def fit_winner(
    winner: Candidate, rows: BlockRows, compared: Compared, request: FitRequest, tracker: Tracker
) -> BlocksFitted:
    """Fit a winner to all rows where there is a method for blocks; else to those compared."""
    blocks = rows.blocks
    if rows.sample.is_whole and request.checkpoint is None:
        return _fit_whole(winner, rows, request)
    if not is_fitted_to_all(winner.method, request.distance):
        return _place(winner, compared, rows)
    progress = (lambda made: tracker.report(0, stage=made.stage)) if tracker.is_watched else None
    if winner.method == "dbscan":
        return _fit_dbscan(winner, blocks, request.seed, progress)
    can_save = takes_checkpoint(winner.method, request.distance)
    start = _start(winner, rows, request) if winner.method in FITTED_TO_ALL else {}
    checkpoint = request.checkpoint if can_save else None
    estimator = estimator_of(winner, progress, checkpoint=checkpoint, **start)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(blocks)
    numbers, _ = number_by_size(estimator.cluster_sizes_)
    began = () if start else (f"started from {estimator.start_}",)
    unsaved = () if can_save or request.checkpoint is None else (f"{winner.method} took no checkpoint",)
    notes = (*getattr(estimator, "notes_", ()), *began, *said_by(caught), *unsaved)
    return BlocksFitted(estimator, Labelling(_nameless(estimator.local_), None, numbers), notes)


def _nameless(model: object) -> Any:
    """Return the model without names of columns: `Groups` matches these, and hands over matrices."""
    nameless = copy(model)
    nameless.__dict__.pop("feature_names_in_", None)
    return nameless


def _start(winner: Candidate, rows: BlockRows, request: FitRequest) -> ValuesByName:
    """Return where the best of the starts on a sample ended, drawn as from a table in memory."""
    points, n_start = rows.points, n_of_start(winner)
    if n_start != len(points) and not rows.sample.is_whole:
        points = rows.scaling.apply(draw_sample(rows.opened.blocks, n_start, request.seed).X)
    return start_on(winner, points, in_order=request.rows_may_move)


def _fit_whole(winner: Candidate, rows: BlockRows, request: FitRequest) -> BlocksFitted:
    """Fit a winner to all rows where they are at hand: what a table in memory gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        points = np.ascontiguousarray(rows.points)
        model = fit_in_order(winner.make(), points) if request.rows_may_move else winner.make().fit(points)
    labels = getattr(model, "labels_", None)
    known = np.asarray(model.predict(rows.points) if labels is None else labels)
    numbers, _ = number_by_size(np.bincount(known[known >= 0]))
    return BlocksFitted(model, Labelling(model, known, numbers), said_by(caught))


def _place(winner: Candidate, compared: Compared, rows: BlockRows) -> BlocksFitted:
    points = rows.points[np.searchsorted(rows.sample.rows, compared.rows)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_in_order(winner.make(), np.ascontiguousarray(points))
    n_clusters = max(int(np.max(getattr(model, "labels_", [winner.k - 1]))) + 1, winner.k)
    numbers, _ = number_by_size(count_rows(rows.blocks, model, n_clusters))
    notes = () if compared.is_whole else (placed_note(winner, compared),)
    return BlocksFitted(model, Labelling(model, None, numbers), notes)


def _fit_dbscan(winner: Candidate, blocks: Blocks, seed: int, progress: ProgressOption) -> BlocksFitted:
    metric, min_samples = winner.parameters["metric"], winner.parameters["min_samples"]
    eps, note = winner.parameters["eps"], tuple[str, ...]()
    if eps == "auto":
        eps, note = suggest_eps(blocks, min_samples, metric, seed)
    estimator = estimator_of(winner, progress, eps=eps).fit(blocks)
    numbers, _ = number_by_size(estimator.cluster_sizes_)
    known = np.asarray(estimator.labels_)
    core = estimator.core_sample_indices_
    how = {"eps": float(eps), "min_samples": min_samples, "metric": metric}
    places_rows = core.size * blocks.n_columns * blocks.dtype.itemsize <= CORE_BYTES
    if places_rows:
        found = _core_points(estimator, take_rows(blocks, core), known[core])
        model = LocalDBSCAN.from_fitted(found, n_columns=blocks.n_columns, **how)
    else:
        model = LocalDBSCAN(**how)
    more = () if places_rows else ("no new rows can be placed: there are too many core points to keep",)
    notes = (*note, *estimator.notes_, *more)
    return BlocksFitted(estimator, Labelling(model, known, numbers, places_rows), notes)


def _core_points(estimator: Any, core: Data, labels: Labels) -> ValuesByName:
    """Return what the local class needs to place rows as if it had been fitted to all."""
    return {
        "labels_": labels,
        "core_sample_indices_": np.arange(len(core)),
        "components_": core,
        "eps_": float(estimator.eps),
        "algorithm_used_": f"{estimator.n_boxes_} boxes",
        "_distance_values": {},
    }


def _looked_up(block: Block, _weights: Block | None, known: Labels, numbers: Labels) -> Labels:
    return number_labels(known[block.first_row : block.first_row + block.n_rows], numbers)
