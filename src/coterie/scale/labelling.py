"""The winner of a comparison, fitted to all rows or placing them, and the labels that it gives."""

from __future__ import annotations

import threading
import warnings
from copy import copy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import dask.array
import numpy as np

from coterie._support.progress import ProgressOption, Tracker
from coterie._support.threads import one_thread
from coterie._support.typing import Data, Labels, Model, ValuesByName
from coterie.cluster import DBSCAN as LocalDBSCAN  # noqa: N811  # a class in capitals
from coterie.pipeline import Candidate
from coterie.pipeline.groups import number_by_size, number_labels
from coterie.pipeline.request import FitRequest
from coterie.pipeline.row_order import fit_in_order, row_order
from coterie.pipeline.rows.memory import FITTED_TO_ALL
from coterie.pipeline.rows.protocol import Compared, Fitted
from coterie.pipeline.rows.starting import LATENT, n_of_start, observed_notes, placed_note, said_by, start_on
from coterie.scale.blocks import Block, Blocks
from coterie.scale.gaps import is_left_out
from coterie.scale.methods.catalogue import estimator_of, is_fitted_to_all, takes_checkpoint
from coterie.scale.methods.dbscan import suggest_eps
from coterie.scale.methods.local_model import count_rows
from coterie.scale.methods.observed import observed_model, prototypes_model, run_observed, run_prototypes
from coterie.scale.predict import group_block, rows_for
from coterie.scale.preparation import Preparation
from coterie.scale.runtime.passes import lazy_array
from coterie.scale.sampling import draw_sample, take_rows

if TYPE_CHECKING:
    from coterie.scale.rows import BlockRows

CORE_BYTES = 256 << 20  # core points are kept, to place new rows, up to so many
LABEL_BYTES = 64 << 20  # labels that one pass found are kept for the next, up to so many


class FoundLabels:
    """Labels of blocks that a pass has found, for later passes of this process over the same blocks.

    It stays where it is: a copy in another process is empty, and finds the labels again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._room = LABEL_BYTES
        self._labels: dict[tuple[int, int], Labels] = {}  # by first row and number of rows

    def get(self, block: Block) -> Labels | None:
        """Return the labels of a block's rows, None if they were not kept."""
        found = self._labels.get((block.first_row, block.n_rows))
        return None if found is None else found.astype(np.int32)

    def keep(self, block: Block, labels: Labels, n_groups: int) -> None:
        """Keep the labels of a block's rows, if there is room."""
        small = labels.astype(np.min_scalar_type(-max(1, n_groups)))
        with self._lock:
            if small.nbytes <= self._room:
                self._labels[block.first_row, block.n_rows] = small
                self._room -= small.nbytes

    def __reduce__(self) -> tuple[type[FoundLabels], tuple[()]]:
        return FoundLabels, ()


@dataclass(frozen=True, eq=False)
class Labelling:
    """The group of every row, 0..k-1, the largest first: found by a model block by block, or known."""

    model: Model  # a local estimator
    known: Labels | None  # clusters of all rows, where the method found them together
    numbers: Labels  # ``numbers[cluster]`` is the group of a cluster of the model
    places_rows: bool = True  # whether the model is fitted, so that it places new rows
    takes_gaps: bool = False  # whether the model takes rows as they are, with missing values
    found: FoundLabels = field(default_factory=FoundLabels)

    def lazy(self, blocks: Blocks) -> dask.array.Array:
        """Return the labels of all rows of the fit as a Dask array."""
        if self.known is not None:
            return dask.array.from_array(number_labels(self.known, self.numbers), chunks=blocks.block_rows)
        return self.placed(blocks)

    def placed(self, blocks: Blocks) -> dask.array.Array:
        """Return the groups that the model gives to rows, as a Dask array."""
        return lazy_array(blocks, group_block, self.model, self.numbers, dtype=np.int32)

    def task(self) -> tuple[Any, ...]:
        """Return a function of a block, and its arguments, that give the labels of the block's rows."""
        if self.known is not None:
            return _looked_up, self.known, self.numbers
        return _group_once, self.model, self.numbers, self.found


@dataclass(frozen=True, eq=False)
class BlocksFitted(Fitted):
    """Groups of all rows in blocks: `labels` is a `Labelling`."""

    labels: Labelling


def fit_winner(
    winner: Candidate, rows: BlockRows, compared: Compared, request: FitRequest, tracker: Tracker
) -> BlocksFitted:
    """Fit a winner to all rows where there is a method for blocks; else to those compared."""
    if rows.sample.is_whole and (request.checkpoint is None or rows.opened.levels):
        return _fit_whole(winner, rows, compared, request, tracker)
    progress = (lambda made: tracker.report(0, stage=made.stage)) if tracker.is_watched else None
    if winner.method == LATENT and request.distance is None:
        return _fit_classes(winner, rows, request, progress)
    if rows.opened.levels:
        is_of_prototypes = winner.method in ("kprototypes", "kmodes")
        found = _fit_prototypes(winner, rows) if is_of_prototypes else _place(winner, compared, rows)
        return _without_checkpoint(found, winner, request)
    if rows.at_hand.counts_observed(winner, request):
        return _without_checkpoint(_fit_observed(winner, rows, request), winner, request)
    if not is_fitted_to_all(winner.method, request.distance):
        return _place(winner, compared, rows)
    if winner.method == "dbscan":
        return _fit_dbscan(winner, rows.blocks, request.seed, progress)
    return _fit_blocks(winner, rows, request, progress)


def _without_checkpoint(found: BlocksFitted, winner: Candidate, request: FitRequest) -> BlocksFitted:
    """Say that a fit was not saved pass by pass, if that was asked for."""
    if request.checkpoint is None:
        return found
    return replace(found, notes=(*found.notes, f"{winner.method} over these cells took no checkpoint"))


def _fit_blocks(
    winner: Candidate, rows: BlockRows, request: FitRequest, progress: ProgressOption
) -> BlocksFitted:
    """Fit a winner by its class for blocks."""
    can_save = takes_checkpoint(winner.method, request.distance)
    start = _start(winner, rows, request) if winner.method in FITTED_TO_ALL else {}
    checkpoint = request.checkpoint if can_save else None
    estimator = estimator_of(winner, progress, checkpoint=checkpoint, **start)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(rows.blocks)
    numbers, _ = number_by_size(estimator.cluster_sizes_)
    began = () if start else (f"started from {estimator.start_}",)
    unsaved = () if can_save or request.checkpoint is None else (f"{winner.method} took no checkpoint",)
    notes = (*getattr(estimator, "notes_", ()), *began, *said_by(caught), *unsaved)
    model = _nameless(estimator.local_)
    if hasattr(model, "medoid_indices_"):  # numbered as in the data
        model.medoid_indices_ = rows.filling.table_rows(model.medoid_indices_)
    return BlocksFitted(estimator, Labelling(model, None, numbers), notes)


def _nameless(model: object) -> Model:
    """Return the model without names of columns: `Groups` matches these, and hands over matrices."""
    nameless = copy(model)
    nameless.__dict__.pop("feature_names_in_", None)
    return nameless


def _start(winner: Candidate, rows: BlockRows, request: FitRequest) -> ValuesByName:
    """Return where the best of the starts on a sample ended, drawn as from a table in memory."""
    points, n_start = rows.scaled, n_of_start(winner)
    if n_start != len(points) and not rows.sample.is_whole:
        points = rows.scaling.apply(draw_sample(rows.values, n_start, request.seed).X)
    return start_on(winner, points, in_order=request.rows_may_move)


def _fit_whole(
    winner: Candidate, rows: BlockRows, compared: Compared, request: FitRequest, tracker: Tracker
) -> BlocksFitted:
    """Fit a winner to all rows where they are at hand: what a table in memory gives."""
    found = rows.at_hand.fit(winner, compared, request, tracker)
    known = np.asarray(found.labels)
    numbers, _ = number_by_size(np.bincount(known[known >= 0]))
    takes_gaps = bool(rows.opened.levels) or getattr(found.model, "missing", None) == "observed"
    return BlocksFitted(
        found.model, Labelling(found.model, known, numbers, takes_gaps=takes_gaps), found.notes
    )


def _fit_observed(winner: Candidate, rows: BlockRows, request: FitRequest) -> BlocksFitted:
    """Fit k-means to the cells that are there: the best of its starts on the sample, then passes over all."""
    cells = rows.scaling.apply(rows.sampled_cells)
    parameters = {**winner.parameters, "missing": "observed"}
    order = row_order(rows.scaled) if request.rows_may_move else np.arange(len(cells))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a start need not be an optimum
        start = replace(winner, parameters=parameters).make().fit(np.ascontiguousarray(cells[order]))
    found, scaling = rows.found, rows.scaling
    origin = scaling.apply(found.mean[None, :])[0]
    shift = start.tol * float(np.mean((found.spread / scaling.factor) ** 2))
    blocks = rows.cells.scaled(scaling)
    run = run_observed(blocks, start.cluster_centers_, origin, start.max_iter, shift)
    shared = ("n_clusters", "random_state", "missing")
    how: ValuesByName = {name: parameters[name] for name in shared if name in parameters}
    model = observed_model(run, how, origin)
    numbers, _ = number_by_size(run.sizes[run.sizes > 0])
    notes = observed_notes(winner, (f"started from {rows.sample}",))
    return BlocksFitted(model, Labelling(model, None, numbers, takes_gaps=True), notes)


def _fit_prototypes(winner: Candidate, rows: BlockRows) -> BlocksFitted:
    """Fit k-prototypes or k-modes: to the sample, then its prototypes to all rows."""
    found, scaling = rows.found, rows.scaling
    parameters = dict(winner.parameters)
    if winner.method == "kprototypes" and parameters.get("gamma", "auto") == "auto":
        is_number = [known is None for known in rows.opened.levels]
        spreads = (found.spread / scaling.factor)[is_number]
        if len(spreads) and spreads.mean() > 0:
            parameters["gamma"] = 0.5 * float(spreads.mean())  # as on all rows
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = fit_in_order(replace(winner, parameters=parameters).make(), rows.scaled)
    run = run_prototypes(rows.blocks, start, start.max_iter)
    model = prototypes_model(run, start)
    numbers, _ = number_by_size(run.sizes[run.sizes > 0])
    note = f"started from {rows.sample}; rows were moved all at once, not one by one"
    return BlocksFitted(model, Labelling(model, None, numbers, takes_gaps=True), (note,))


def _fit_classes(
    winner: Candidate, rows: BlockRows, request: FitRequest, progress: ProgressOption
) -> BlocksFitted:
    """Fit latent classes to all rows, by the cells that are there."""
    takes_gaps = bool(rows.opened.levels) or rows.filling.is_observed
    blocks = rows.cells.scaled(rows.scaling) if takes_gaps else rows.blocks
    categorical = None if rows.mixed is None else rows.mixed.categorical
    estimator = estimator_of(winner, progress, checkpoint=request.checkpoint, categorical=categorical)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator.fit(blocks)
    numbers, _ = number_by_size(estimator.cluster_sizes_)
    told = observed_notes(winner, ()) if takes_gaps and not rows.opened.levels else ()
    notes = (f"started from {estimator.start_}", *told, *said_by(caught))
    labelling = Labelling(_nameless(estimator.local_), None, numbers, takes_gaps=takes_gaps)
    return BlocksFitted(estimator, labelling, notes)


def _place(winner: Candidate, compared: Compared, rows: BlockRows) -> BlocksFitted:
    points = rows.scaled[np.searchsorted(rows.sample.rows, compared.rows)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit_in_order(winner.make(), np.ascontiguousarray(points))
    n_clusters = max(int(np.max(getattr(model, "labels_", [winner.k - 1]))) + 1, winner.k)
    numbers, _ = number_by_size(count_rows(rows.blocks, model, n_clusters))
    notes = () if compared.is_whole else (placed_note(winner, compared),)
    return BlocksFitted(model, Labelling(model, None, numbers, takes_gaps=bool(rows.opened.levels)), notes)


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


def _core_points(estimator: Model, core: Data, labels: Labels) -> ValuesByName:
    """Return what the local class needs to place rows as if it had been fitted to all."""
    return {
        "labels_": labels,
        "core_sample_indices_": np.arange(len(core)),
        "components_": core,
        "eps_": float(estimator.eps),
        "algorithm_used_": f"{estimator.n_boxes_} boxes",
        "_distance_values": {},
    }


def sampled_labels(rows: BlockRows, labelling: Labelling) -> Labels:
    """Return the groups of the sampled rows."""
    if labelling.known is not None:
        return number_labels(labelling.known[rows.sample.rows], labelling.numbers)
    points = rows.scaling.apply(rows.sampled_cells) if labelling.takes_gaps else rows.scaled
    return number_labels(np.asarray(labelling.model.predict(points)), labelling.numbers)


def grouped_blocks(rows: BlockRows, labelling: Labelling) -> Blocks:
    """Return the rows that are grouped as the model takes them: filled, or with gaps."""
    return rows.cells.scaled(rows.scaling) if labelling.takes_gaps else rows.blocks


def label_task(rows: BlockRows, labelling: Labelling) -> tuple[Any, ...]:
    """Return blocks of all rows, and a function of a block with arguments that gives its labels.

    The labels of rows that were left out are masked.
    """
    filling, blocks = rows.filling, rows.opened.blocks
    if filling.is_kept is None:
        return (grouped_blocks(rows, labelling), *labelling.task())
    if labelling.known is not None:
        known = np.ma.masked_array(np.full(filling.n_rows, -1, np.int32), mask=~filling.is_kept)
        known[filling.is_kept] = number_labels(labelling.known, labelling.numbers)
        return blocks, _known_labels, known
    how = Preparation() if labelling.takes_gaps else filling.preparation
    how = replace(how, scaling=rows.scaling)
    return blocks, label_with_gaps, labelling.model, labelling.numbers, filling.rule, how


def lazy_labels(rows: BlockRows, labelling: Labelling) -> dask.array.Array:
    """Return the labels of all rows as a Dask array; those of rows that were left out are masked."""
    blocks, function, *args = label_task(rows, labelling)
    if function is _known_labels:
        return dask.array.from_array(args[0], chunks=blocks.block_rows)
    return lazy_array(blocks, function, *args, dtype=np.int32)


def _group_once(
    block: Block, _weights: Block | None, model: Model, numbers: Labels, found: FoundLabels
) -> Labels:
    """Return the groups of a block's rows, by the model unless an earlier pass has found them."""
    labels = found.get(block)
    if labels is None:
        labels = group_block(block, None, model, numbers)
        found.keep(block, labels, len(numbers))
    return labels


def _known_labels(block: Block, _weights: Block | None, known: Labels) -> Labels:
    """Return the groups of a block's rows that were found before; some may be masked."""
    return known[block.first_row : block.first_row + block.n_rows]


def label_with_gaps(
    block: Block, _weights: Block | None, model: Model, numbers: Labels, rule: str | None, how: Preparation
) -> Labels:
    """Return the groups of a block's rows; those that are left out by a rule for gaps are masked."""
    X = block.read()
    is_out = np.zeros(len(X), dtype=bool) if rule is None else is_left_out(X, rule)
    labels = np.ma.masked_array(np.full(len(X), -1, dtype=np.int32), mask=is_out)
    if not is_out.all():
        rows = how.apply(np.ascontiguousarray(X[~is_out]))
        with one_thread("openmp"):
            labels[~is_out] = number_labels(np.asarray(model.predict(rows_for(model, rows))), numbers)
    return labels if is_out.any() else labels.data


def _looked_up(block: Block, _weights: Block | None, known: Labels, numbers: Labels) -> Labels:
    return number_labels(known[block.first_row : block.first_row + block.n_rows], numbers)
