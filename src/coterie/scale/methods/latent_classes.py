"""Latent classes over blocks of rows: expectation by summed statistics, from the cells that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from dask.array import Array as DaskArray

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import Tracker, track
from coterie._support.typing import (
    AnyArray,
    Data,
    Doubles,
    FittedAttributes,
    FloatArray,
    Indices,
    MatrixLike,
)
from coterie._support.validation import (
    AnArray,
    Nothing,
    Number,
    check_n_clusters,
    check_seed,
    largest_safe,
)
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    Instance,
    Label,
    ListOf,
    Maybe,
    Real,
    Schema,
    Sometimes,
    Tensor,
    Text,
)
from coterie.cluster import LatentClasses as LocalClasses
from coterie.cluster.categorical import merge_equal_rows, refuse_empty_rows, split_columns
from coterie.cluster.mixture import (
    Classes,
    ClassRun,
    ClassSums,
    TableSums,
    count_parameters,
    run_em,
    shares_of,
)
from coterie.data import ColumnReading
from coterie.data.categories import UNSEEN, YES_OR_NO, Levels, is_yes_no
from coterie.distance.table import TableEncoding, column_place
from coterie.errors import InvalidData
from coterie.pipeline.rows.starting import n_of_start_for
from coterie.scale.blocks import Block, Blocks, decoded_once
from coterie.scale.columns import look_into, open_columns
from coterie.scale.methods.base import PassingEstimator, new_blocks
from coterie.scale.methods.local_model import LocalPredictor, add_arrays
from coterie.scale.runtime.checkpoint import Checkpoint, Saved, checkpoint_of
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.runtime.passes import compute, fold, lazy_array, read_weights, tasks
from coterie.scale.sampling import draw_sample, take_rows
from coterie.scale.sources.changed import ColumnPlan

MOST_LEVELS = 20_000  # different numbers of a column of categories
PARAMETERS = ("weights_", "probabilities_", "means_", "variances_")


@dataclass(frozen=True, eq=False)
class CellCounts:
    """What one pass tells about the cells: how often each category occurs, and how large numbers are."""

    counts: dict[int, dict[float, float]]  # of columns of categories, the weight of each value
    largest: FloatArray  # of each column, whatever its sign; 0 where it has none
    total: float  # weight of all rows


class Coding:
    """How rows of blocks become codes and numbers.

    Parameters
    ----------
    table : TableEncoding
        Of the columns.
    values : mapping of int to array
        Of columns of categories that are numbers, those that codes 0, 1, ... stand for; codes of text
        stand there already.
    """

    def __init__(self, table: TableEncoding, values: Mapping[int, AnyArray]) -> None:
        self.table, self.values = table, values

    def rows(self, X: Data) -> Data:
        """Return rows of a block with codes in the columns of categories."""
        coded = np.array(X, dtype=np.float64)
        for at, known in self.values.items():
            cells = coded[:, at]
            places = np.minimum(np.searchsorted(known, cells), len(known) - 1)
            codes = np.where(known[places] == cells, places, UNSEEN)
            coded[:, at] = np.where(np.isnan(cells), np.nan, codes)
        return coded


@estimator
class LatentClasses(PassingEstimator, LocalPredictor):
    """Out-of-core latent classes: expectation-maximisation by sums over blocks of numbers and categories.

    The same as `coterie.cluster.LatentClasses`, with one pass over the blocks per iteration: missing cells
    are left out, sums are added in the order of the blocks. Up to 20,000 rows (128 per class, if that is
    more) it is the local class; beyond, the best of the starts on so many drawn rows is the first of all.

    Parameters
    ----------
    categorical : sequence of column names or numbers, or None, default=None
        Columns that are categories although they hold numbers. Text, and yes and no, always are; `local_`
        takes these as True and False.
    tol : float, default=1e-8
        Stop when the mean log-likelihood of a row gains less than this.
    n_init : int, default=10
        How many starts, on drawn rows; the run of the largest likelihood is kept.
    reg_covar : float, default=1e-6
        Added to the variances of numbers.

    Attributes
    ----------
    weights_, probabilities_, means_, variances_ : arrays
        The parameters, as in the local class.
    labels_ : Dask array of int32 of shape (n_samples,)
        The likeliest class of each row; lazy.
    cluster_sizes_ : array of shape (n_components,)
        Rows per class, each counted where it is likeliest.
    exact_ : bool
        True: every iteration took every row into account.
    local_ : coterie.cluster.LatentClasses
        The same model for rows in memory.

    Examples
    --------
    >>> import pandas
    >>> from coterie.scale import LatentClasses
    >>> table = pandas.DataFrame({"plan": ["a", "a", None, "b"] * 9, "age": [20.0, 22.0, 21.0, 60.0] * 9})
    >>> model = LatentClasses(2, random_state=0).fit(table)
    >>> sorted(model.cluster_sizes_.tolist())
    [9, 27]
    """

    _schema: ClassVar[Schema] = {name: LocalClasses._schema[name] for name in PARAMETERS}

    n_components: int = parameter(WholeNumber(1), "How many classes.", default=2)
    _: KW_ONLY
    categorical: Sequence[str | int] | None = parameter(Nothing() | AnArray(), default=None)
    tol: float = parameter(Number(0.0), default=1e-8)
    max_iter: int = parameter(WholeNumber(1), "Most iterations, each of one pass.", default=1000)
    n_init: int = parameter(WholeNumber(1), default=10)
    reg_covar: float = parameter(Number(0.0, open_below=True), default=1e-6)

    cluster_sizes_: Indices = fitted(Tensor("components", kind="i", low=0))
    lower_bound_: float = fitted(Real(), "Mean log-likelihood of a row.")
    lower_bounds_: Doubles = fitted(Tensor(None, kind="f8"), "The same after every iteration.")
    n_iter_: int = fitted(COUNT, "Iterations.")
    converged_: bool = fitted(FLAG)
    start_: str = fitted(Text(), "What the first classes were found on.")
    weights_: FloatArray = fitted()
    probabilities_: list[FloatArray] = fitted()
    means_: FloatArray = fitted()
    variances_: FloatArray = fitted()

    _objective_words: ClassVar[str] = "mean log-likelihood"

    # of columns with names, how their cells are read
    _readings: tuple[ColumnReading, ...] = fitted(ListOf(Instance(ColumnReading), kind=tuple), unset=())
    # of columns of text, what the codes in blocks stand for
    _text_levels: Levels = fitted(ListOf(Maybe(ListOf(Label(), kind=tuple)), kind=tuple), unset=())
    # columns of yes and no where there is no text
    _yes_no: tuple[str, ...] = fitted(Sometimes(ListOf(Text(), kind=tuple)), unset=())

    def predict(self, X: MatrixLike) -> DaskArray:
        """Return the likeliest class of each row, as a lazy Dask array; new categories tell nothing."""
        return lazy_array(*self._asked_of(X, "predict"), dtype=np.int32)

    def predict_proba(self, X: MatrixLike) -> DaskArray:
        """Return the share of each row in each class, as a lazy Dask array."""
        asked = self._asked_of(X, "predict_proba")
        return lazy_array(*asked, dtype=np.float64, n_columns=len(self.weights_))

    def score(self, X: MatrixLike, y: None = None) -> float:
        """Return the mean log-likelihood of new rows."""
        blocks, *asked = self._asked_of(X, "score_samples")
        total: float = compute(fold(tasks(blocks, _sum_of_rows, *asked), add_arrays))
        return total / int(blocks.n_rows)

    def _asked_of(self, X: MatrixLike, what: str) -> tuple[Any, ...]:
        """Return blocks of new rows, a function of a block, and its arguments."""
        scikit_learn.check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        tables = look_into(X) if self._readings else None
        levels = self._text_levels or (None,) * self.n_features_in_
        told = () if tables is None or names is None else zip(names, self._readings, levels, strict=True)
        plans = {name: ColumnPlan.of(how, known) for name, how, known in told}
        plans = {name: plan for name, plan in plans.items() if not plan.is_plain}
        rows = X if tables is None else tables
        blocks = new_blocks(rows, names, self.n_features_in_, who=type(self).__name__, readings=plans)
        return blocks, _per_row, self.local_, self._coding(), what

    def _coding(self) -> Coding:
        table = self.local_._table
        return Coding(table, _values_of(table, self._text_levels))

    def _open(self, X: object) -> Blocks:
        """Return rows as blocks; text, and yes and no, as codes."""
        tables = None if isinstance(X, Blocks) else look_into(X)
        for name in ("_readings", "_text_levels", "_yes_no"):
            self.__dict__.pop(name, None)
        if tables is None:
            return super()._open(X)
        names = list(tables.first_values)
        opened = open_columns(tables, columns=names, categories=True)
        self._readings, self._text_levels = opened.column_readings(), opened.levels
        known = opened.levels or (None,) * len(names)
        self._yes_no = tuple(
            name
            for name, levels in zip(opened.columns, known, strict=True)
            if levels is None and is_yes_no(opened.looks[name])
        )
        return opened.blocks

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_components, blocks.n_rows, who=who, name="n_components")
        with (
            track(self.progress, "latent classes: counting categories") as tracker,
            PASS_PROGRESS.shown_by(tracker),
            decoded_once(blocks, spill=self.spill) as kept,
        ):
            places = self._category_places(kept)
            cells = _count_cells(kept, weights, places, who)
            coding = self._learn(kept, cells, places)
            checkpoint = self._open_checkpoint(blocks, cells)
            run, start = self._first_run(kept, weights, coding, checkpoint)
            run = self._go_on(run, start, kept, weights, coding, cells.total, checkpoint, tracker)
            found = self._found(run, start, kept, blocks, coding, cells, places)
        if not run.converged:
            scikit_learn.warn_not_converged(who, self.max_iter)
        return found

    def _category_places(self, blocks: Blocks) -> dict[int, tuple[Any, ...] | None]:
        """Return the columns of categories: what the codes of text stand for, None where they are numbers."""
        names = blocks.columns or (None,) * blocks.n_columns
        told = [] if self.categorical is None else list(self.categorical)
        what = f"categorical of {type(self).__name__}"
        found: dict[int, tuple[Any, ...] | None] = {column_place(key, names, what): None for key in told}
        found |= {column_place(name, names, what): None for name in self._yes_no}
        found |= {at: tuple(known) for at, known in enumerate(self._text_levels) if known is not None}
        return dict(sorted(found.items()))

    def _learn(
        self, blocks: Blocks, cells: CellCounts, places: Mapping[int, tuple[Any, ...] | None]
    ) -> Coding:
        """Return how rows become codes: by the categories that all of them have."""
        levels: list[tuple[Any, ...] | None] = []
        for at in range(blocks.n_columns):
            if at not in places:
                levels.append(None)
                continue
            values = sorted(cells.counts[at])
            known = (0, 1) if places[at] == YES_OR_NO else places[at]  # as yes and no of frames in memory are
            levels.append(known or tuple(int(one) if one == int(one) else one for one in values))
        kinds = tuple("number" if known is None else "category" for known in levels)
        names = None if blocks.columns is None else tuple(blocks.columns)
        table = TableEncoding(kinds, tuple(levels), names)  # type: ignore[arg-type]  # one of two kinds
        return Coding(table, _values_of(table, self._text_levels))

    def _open_checkpoint(self, blocks: Blocks, cells: CellCounts) -> Checkpoint | None:
        own = self._asked()
        own["categorical"] = None if self.categorical is None else [str(one) for one in self.categorical]
        facts = [cells.largest, cells.total, [sorted(counts.items()) for counts in cells.counts.values()]]
        return checkpoint_of(self.checkpoint, "latent-classes", own, blocks, facts)

    def _first_run(
        self, blocks: Blocks, weights: Blocks | None, coding: Coding, checkpoint: Checkpoint | None
    ) -> tuple[ClassRun, str]:
        """Return where the iterations begin, or go on, and what the first classes were found on."""
        saved = None if checkpoint is None else checkpoint.load()
        if saved is not None and not saved.grown_from:
            return _loaded(saved), str(saved.facts["start"])
        if saved is not None and checkpoint is not None and _suits(saved, coding):
            return ClassRun(_loaded(saved).classes, [], False), saved.start_words(len(checkpoint.files))
        seed = check_seed(self.random_state)
        sample = draw_sample(blocks, n_of_start_for(self.n_components), seed)
        drawn = None if weights is None else take_rows(weights, sample.rows)[:, 0].astype(np.float64)
        rows = split_columns(coding.rows(sample.X), coding.table)
        refuse_empty_rows(rows, type(self).__name__)
        local = LocalClasses(
            self.n_components,
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            reg_covar=self.reg_covar,
            random_state=seed,
        )
        best = local._best_run(merge_equal_rows(rows, drawn), None)
        if sample.is_whole:
            return best, "all rows"
        return ClassRun(best.classes, [], False), str(sample)

    def _go_on(
        self,
        run: ClassRun,
        start: str,
        blocks: Blocks,
        weights: Blocks | None,
        coding: Coding,
        total: float,
        checkpoint: Checkpoint | None,
        tracker: Tracker,
    ) -> ClassRun:
        """Return the run after passes over all rows; one that has ended as it is."""
        if run.converged or len(run.bounds) > self.max_iter:
            return run

        def sums_of(classes: Classes) -> ClassSums:
            found: ClassSums = compute(
                fold(tasks(blocks, _classes_of_block, coding, classes, weights=weights), add_arrays)
            )
            return found

        def after_pass(classes: Classes, bounds: list[float]) -> None:
            if checkpoint is not None:
                checkpoint.save(_saved(classes, bounds, start))
            tracker.report(len(bounds), stage="latent classes: iteration")

        return run_em(
            sums_of,
            total,
            run.classes,
            tol=self.tol,
            max_iter=self.max_iter,
            reg_covar=self.reg_covar,
            bounds=run.bounds,
            after_pass=after_pass,
        )

    def _found(
        self,
        run: ClassRun,
        start: str,
        blocks: Blocks,
        given: Blocks,
        coding: Coding,
        cells: CellCounts,
        places: Mapping[int, tuple[Any, ...] | None],
    ) -> FittedAttributes:
        classes = run.classes
        found = {
            "weights_": classes.weights,
            "probabilities_": classes.probabilities,
            "means_": classes.means,
            "variances_": classes.variances,
            "lower_bound_": run.bounds[-1],
            "lower_bounds_": np.array(run.bounds),
            "n_iter_": len(run.bounds) - 1,
            "converged_": run.converged,
        }
        occurring = [np.array(list(cells.counts[at].values())) for at in places]
        n_free = count_parameters(occurring, blocks.n_columns - len(places), self.n_components)
        local = LocalClasses.from_fitted(
            found | {"_table": coding.table, "_n_parameters": n_free},
            n_columns=blocks.n_columns,
            names=blocks.columns,
            n_components=self.n_components,
            categorical=None if self.categorical is None else list(self.categorical),
            tol=self.tol,
            max_iter=self.max_iter,
            n_init=self.n_init,
            reg_covar=self.reg_covar,
        )
        asked = (local, coding, "predict")
        made = tasks(blocks, _count_labels, *asked, self.n_components)
        return {
            **found,
            "exact_": True,
            "start_": start,
            "local_": local,
            "labels_": lazy_array(given, _per_row, *asked, dtype=np.int32),
            "cluster_sizes_": compute(fold(made, add_arrays)),
            "_readings": self._readings,
            "_text_levels": self._text_levels,
        }


def _values_of(table: TableEncoding, text_levels: Levels) -> dict[int, AnyArray]:
    """Return the numbers that codes stand for, of columns of categories whose cells are numbers in blocks."""
    texts = text_levels or (None,) * len(table.kinds)
    return {
        at: np.array(levels, dtype=np.float64)
        for at, (levels, known) in enumerate(zip(table.levels, texts, strict=True))
        if levels is not None and known is None
    }


def _count_cells(
    blocks: Blocks, weights: Blocks | None, places: Mapping[int, object], who: str
) -> CellCounts:
    """Count the categories of all rows, and refuse numbers that cannot be squared."""
    found: CellCounts = compute(
        fold(tasks(blocks, _levels_of_block, tuple(places), weights=weights), _add_cells)
    )
    for at, counts in found.counts.items():
        if len(counts) > MOST_LEVELS or not counts:
            name = at if blocks.columns is None else f'"{blocks.columns[at]}"'
            what = f"more than {MOST_LEVELS:,} categories" if counts else "no values"
            raise InvalidData(f"column {name} of X of {who} has {what}. Leave it out.")
    numbers = [at for at in range(blocks.n_columns) if at not in found.counts]
    safe, largest = largest_safe(blocks.dtype, (blocks.n_rows, max(1, len(numbers)))), found.largest[numbers]
    if largest.max(initial=0.0) > safe:
        raise InvalidData(
            f"X of {who} must not exceed {safe:.3g}, or squared distances overflow; got {largest.max():.3g}."
        )
    return found


def _levels_of_block(block: Block, weights: Block | None, places: tuple[int, ...]) -> CellCounts:
    X, weight = block.read(), read_weights(weights)
    heavy = np.ones(len(X)) if weight is None else weight
    counts = {}
    for at in places:
        cells = X[:, at].astype(np.float64)
        is_there = ~np.isnan(cells)
        values, which = np.unique(cells[is_there], return_inverse=True)
        counts[at] = dict(zip(values.tolist(), np.bincount(which, heavy[is_there]).tolist(), strict=True))
    largest = np.fmax.reduce(np.abs(X), axis=0, initial=0.0).astype(np.float64)
    return CellCounts(counts, largest, float(heavy.sum()))


def _add_cells(total: CellCounts | None, found: list[CellCounts]) -> CellCounts:
    for one in found:
        if total is None:
            total = one
            continue
        counts = {}
        for at, more in one.counts.items():
            both = dict(total.counts[at])
            for value, weight in more.items():
                both[value] = both.get(value, 0.0) + weight
            counts[at] = dict(list(both.items())[: MOST_LEVELS + 1])
        total = CellCounts(counts, np.fmax(total.largest, one.largest), total.total + one.total)
    assert total is not None
    return total


def _classes_of_block(block: Block, weights: Block | None, coding: Coding, classes: Classes) -> ClassSums:
    X, weight = block.read(), read_weights(weights)
    rows = split_columns(coding.rows(X), coding.table)
    return TableSums(rows, np.ones(rows.n) if weight is None else weight).of(classes)


def _per_row(
    block: Block, _weights: Block | None, model: LocalClasses, coding: Coding, what: str
) -> AnyArray:
    logs = model._joint_of(coding.rows(block.read()))
    if what == "predict":
        labels: AnyArray = logs.argmax(axis=1).astype(np.int32)
        return labels
    return shares_of(logs)[0 if what == "predict_proba" else 1]


def _sum_of_rows(block: Block, _weights: Block | None, function: Any, *args: Any) -> float:
    total: float = function(block, None, *args).sum(dtype=np.float64)
    return total


def _count_labels(
    block: Block, _weights: Block | None, model: LocalClasses, coding: Coding, what: str, n_classes: int
) -> Indices:
    counts: Indices = np.bincount(_per_row(block, None, model, coding, what), minlength=n_classes)
    return counts


def _saved(classes: Classes, bounds: list[float], start: str) -> Saved:
    """Return what a checkpoint keeps after an iteration: the classes of the next one."""
    tables = {f"probabilities {at}": table for at, table in enumerate(classes.probabilities)}
    arrays = {"weights": classes.weights, "means": classes.means, "variances": classes.variances, **tables}
    return Saved(arrays, {"start": start, "bounds": bounds})


def _loaded(saved: Saved) -> ClassRun:
    """Return the run that was saved after an iteration."""
    names = (f"probabilities {at}" for at in range(len(saved.arrays)))
    tables = [saved.arrays[name] for name in names if name in saved.arrays]
    arrays = saved.arrays
    classes = Classes(arrays["weights"], tables, arrays["means"], arrays["variances"])
    return ClassRun(classes, [float(bound) for bound in saved.facts["bounds"]], False)


def _suits(saved: Saved, coding: Coding) -> bool:
    """Return whether classes of fewer files know as many categories as those of all of them."""
    widths = [len(levels) for levels in coding.table.levels if levels is not None]
    return [table.shape[1] for table in _loaded(saved).classes.probabilities] == widths
