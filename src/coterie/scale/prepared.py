"""From data in blocks to rows that can be grouped: columns chosen, missing values settled, columns scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.typing import AnyArray, Data, FloatArray, Indices, ValuesByName
from coterie.data import PreparedRows, Scaling, Table, fit_scaling
from coterie.data.categories import NOT_ASSOCIATED, not_associated
from coterie.data.cells import NUMBER
from coterie.data.geography.places import (
    OFF,
    Place,
    angle_scaling,
    beyond_degrees,
    counts_by_place,
    no_position,
    note_angles,
    note_numbers,
    note_place,
    scale_places,
)
from coterie.data.missing import REFUSE, Complete, Donors, note_missing
from coterie.data.scaling import AUTO, no_scaling, scale_numbers, scaling_of_rows
from coterie.errors import InvalidData
from coterie.pipeline.request import HAVERSINE, FitRequest
from coterie.pipeline.rows.opening import NOT_TAKEN, TRUTH
from coterie.pipeline.rows.sampling import n_sampled
from coterie.pipeline.rows.tables import check_rows, columns_not_taken
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks, Keeper, KeptBlocks, kept_while_used
from coterie.scale.columns import Opened, open_columns
from coterie.scale.gaps import (
    ALL,
    ANY,
    Survey,
    kept_rows,
    mostly_empty,
    refuse_gaps,
    select_blocks,
    settled_policy,
    survey,
    total_sums,
)
from coterie.scale.medians import medians
from coterie.scale.preparation import Preparation
from coterie.scale.runtime.passes import compute, fold, tasks
from coterie.scale.sampling import DrawnRows, draw_sample
from coterie.scale.sources.changed import CellDoesNotFit
from coterie.scale.survey import survey_marks

QUANTILE_ROWS = 100_000  # a quartile of them is that of all rows up to 0.14 % of the ranks
DONORS = 1_000  # rows that missing values are taken from, where not all rows are at hand
WHO = "coterie.fit"
AT_ONCE = 1 << 16  # rows among which the place of a kept one is looked for


@dataclass(frozen=True, eq=False)
class Filling:
    """What was done about missing values."""

    n_rows: int  # rows of the data
    counts: Sequence[tuple[str, int]] = ()  # columns that lack values, and in how many rows, the most first
    rule: str | None = None  # which rows were left out: those with a gap ("any") or without any value ("all")
    is_kept: AnyArray | None = None  # which rows are grouped; None: all
    preparation: Preparation = field(default_factory=Preparation)  # how gaps are filled
    is_observed: bool = False  # whether methods that take gaps count observed cells only
    is_median: bool = False  # whether medians were asked for

    @property
    def n_dropped(self) -> int:
        """Rows that were left out."""
        return 0 if self.is_kept is None else int(len(self.is_kept) - self.is_kept.sum())

    def complete(self, X: Data) -> Complete:
        """Return the same as a table in memory tells it; only the number of its rows is right."""
        rows = np.broadcast_to(np.int64(0), self.n_rows - self.n_dropped)
        return Complete(X, rows, self.n_rows, self.preparation.medians, self.is_observed)

    def table_rows(self, rows: Indices) -> Indices:
        """Return which rows of the data some of those grouped are."""
        return rows if self.is_kept is None else places_of(self.is_kept, rows)


def places_of(is_kept: AnyArray, ranks: Indices) -> Indices:
    """Return where the kept rows of some ranks stand, without a number for every row.

    Examples
    --------
    >>> places_of(np.array([True, False, True, True]), np.array([0, 2]))
    array([0, 3])
    """
    starts = np.arange(0, len(is_kept), AT_ONCE)
    ends = np.cumsum(np.add.reduceat(is_kept, starts, dtype=np.int64))
    found, parts = np.empty(len(ranks), dtype=np.int64), np.searchsorted(ends, ranks, side="right")
    for part in np.unique(parts).tolist():
        inside = np.flatnonzero(is_kept[starts[part] : starts[part] + AT_ONCE])
        before = 0 if part == 0 else int(ends[part - 1])
        chosen = parts == part
        found[chosen] = starts[part] + inside[ranks[chosen] - before]
    return found


@dataclass(frozen=True, eq=False)
class SampledRows(PreparedRows):
    """Rows at hand of data in blocks, as the pipeline for tables in memory takes them."""

    cells: Data | None = None  # the same with gaps

    def _cells(self) -> Data | None:
        return self.cells

    def gaps(self) -> AnyArray | None:
        """Return which values of `points` were missing, and filled; None: none."""
        if self.complete.medians is None:
            return None
        assert self.cells is not None
        return np.isnan(self.cells)


@dataclass(frozen=True, eq=False)
class PreparedBlocks:
    """Data in blocks ready to be grouped."""

    opened: Opened  # columns, and all rows as they are
    filling: Filling  # what was done about missing values
    cells: Blocks  # the rows that are grouped, with gaps
    values: Blocks  # the same filled; mixed rows keep their gaps
    blocks: Blocks  # the same scaled
    scaling: Scaling  # how
    whole: moments.BlockTotals | None  # moments of the columns, exact; None for mixed rows
    found: Survey  # what a pass told about the cells
    sample: DrawnRows  # some rows, filled
    sampled_cells: Data  # the same with gaps
    notes: tuple[str, ...]  # what was done
    keeper: Keeper | None = None  # what decoded rows of `cells` are kept on the disk as long as

    def sampled(self) -> SampledRows:
        """Return the sampled rows as the pipeline for tables in memory takes them."""
        opened, sample = self.opened, self.sample
        table = Table(opened.title, opened.columns, opened.has_names, len(sample.rows), sample.X)
        complete = Complete(
            sample.X,
            np.arange(len(sample.rows)),
            len(sample.rows),
            self.filling.preparation.medians,
            self.filling.is_observed,
        )
        points = self.scaling.apply(sample.X)
        levels, cells = opened.levels, self.sampled_cells
        return SampledRows(
            table,
            opened.choice,
            complete,
            self.scaling,
            points,
            (),
            opened.kept,
            levels,
            opened.places,
            opened.angles,
            cells=cells,
        )


def prepare_blocks(source: object, request: FitRequest, tracker: Tracker) -> PreparedBlocks:
    """Choose and measure the columns of data in blocks, settle missing values, draw some rows, scale."""
    tracker.report(0, stage="measuring columns")
    opened, found, said = _chosen(source, request)
    opened = opened.kept_on_disk()
    filling, cells = _settle(opened, found, request)
    cells, keeper = (cells, None) if isinstance(cells, KeptBlocks) else kept_while_used(cells)
    check_rows(request, cells.n_rows, opened.title, n_dropped=filling.n_dropped)
    tracker.report(0, stage="drawing rows")
    sample = draw_sample(cells, n_sampled(request), request.seed)
    filling = _filled(filling, opened, cells, sample, found)
    values = cells.prepared(filling.preparation) if _is_filled(filling) else cells
    drawn = replace(sample, X=filling.preparation.apply(sample.X))
    whole, scaling, notes = _scaled(opened, filling, cells, values, drawn, found, request)
    missing = note_missing(filling.complete(drawn.X), filling.counts)
    told = opened.reading_notes(_reader_marks(opened, found))
    more = _about_donors(filling, sample)
    return PreparedBlocks(
        opened, filling, cells, values, values.scaled(scaling), scaling, whole, found, drawn, sample.X,
        (*opened.notes, *told, *said, *missing, *more, *notes), keeper,
    )  # fmt: skip


def _chosen(source: object, request: FitRequest) -> tuple[Opened, Survey, tuple[str, ...]]:
    """Return the columns that are used, what their cells are like, and what is to be said about it."""
    opened, found = _surveyed(source, request)
    opened, said = _taken(opened, request)
    opened, found = _without_constants(opened, _again(opened, found), request)
    if opened.levels and request.methods is None:
        opened, found = _without_unassociated(opened, found, request)
    if request.missing == "auto":
        gone = mostly_empty(found, opened.columns, (*request.columns, *request.keep, *opened.axes))
        opened = (
            opened.without({name: f"{share:.0%} missing" for name, share in gone.items()}) if gone else opened
        )
        found = _again(opened, found)
    return opened, found, said


def _scaled(
    opened: Opened,
    filling: Filling,
    cells: Blocks,
    values: Blocks,
    drawn: DrawnRows,
    found: Survey,
    request: FitRequest,
) -> tuple[moments.BlockTotals | None, Scaling, tuple[str, ...]]:
    """Return the moments of the columns, how they are scaled, and what is to be said about it."""
    if opened.levels:
        whole = None
        seen = survey(cells) if filling.rule == ANY else found
        scaling, notes = _mixed_scaling(drawn, seen, opened, request.scaling)
        one_by_one = partial(_mixed_scaling, drawn, seen, opened)
    else:
        whole = _whole(values, found, is_changed=_is_filled(filling) or filling.n_dropped > 0)
        scaling, notes = _scaling(values, whole, drawn, request.scaling, request.seed)
        one_by_one = partial(_scaling, values, whole, drawn, seed=request.seed)
    if opened.places:
        scaling = scale_places(
            lambda how: one_by_one(how=how)[0],
            found.high > found.low,
            opened.columns,
            opened.places,
            request.scaling,
            scaling,
        )
    if opened.angles is not None:
        largest = np.fmax(np.abs(found.low), np.abs(found.high))
        scaling = angle_scaling(largest)
        at = [opened.columns.index(name) for name in opened.angles.columns]
        find = partial(_find_value, opened.blocks, at, largest[at])
        problem = None if scaling.is_identity else beyond_degrees(largest[at], find, opened.angles)
        if problem is not None:
            raise no_position(opened.angles, opened.title, problem)
        notes = (note_angles(opened.angles, scaling), *notes)
    return whole, scaling, notes


def _surveyed(source: object, request: FitRequest) -> tuple[Opened, Survey]:
    """Open the columns, and look at all values once; what the first rows did not tell is looked at again."""
    is_column = isinstance(request.truth, str)
    drop = [*request.drop, *([request.truth] if is_column else [])]
    how = {name: value for name, value in request.reading.items() if name in ("dates", "header", "encoding")}
    opened_with = partial(
        open_columns, source, drop=drop, keep=request.keep, categories=request.takes_categories, **how
    )
    after_all: list[str] = []
    refused: dict[Place, str] = {}
    places = OFF if request.methods == ("kmodes",) else request.wanted_places  # it takes no numbers
    is_haversine, columns = request.distance == HAVERSINE, request.columns
    while True:
        try:
            known: ValuesByName = {"text_after_all": after_all, "places": places, "no_places": refused}
            opened = opened_with(columns=columns, **known).kept_on_disk()
            found = survey(opened.blocks)
        except CellDoesNotFit as problem:
            if not problem.column or problem.column in after_all:
                raise
            after_all.append(problem.column)
            continue
        marked = _sentinels(opened, found)
        if marked:
            opened = opened.with_sentinels(marked).kept_on_disk()
            found = survey(opened.blocks)
        problems = _no_places(opened, found, places)
        if problems:
            refused |= problems
            continue
        if is_haversine and places != OFF:  # the position alone
            columns, places = (opened.pairs[0].columns if opened.pairs else columns), OFF
            refused.clear()
            continue
        if is_haversine:
            opened = opened.as_angles(columns).kept_on_disk()
            found = survey(opened.blocks)
        if opened.pairs:
            opened = opened.with_places(opened.pairs).kept_on_disk()
            found = survey(opened.blocks)
        opened = replace(opened, notes=(*opened.notes, *_about_places(opened, refused, places)))
        return (opened.renamed_reason(request.truth, TRUTH) if is_column else opened), found


def _no_places(opened: Opened, found: Survey, wanted: str) -> dict[Place, str]:
    """Return the columns called like positions that are none, and why; those that were named are refused."""
    problems: dict[Place, str] = {}
    for place in opened.pairs:
        at = [opened.columns.index(name) for name in place.columns]
        largest = np.fmax(np.abs(found.low[at]), np.abs(found.high[at]))
        problem = (
            "one of them is empty"
            if np.isnan(largest).any()
            else beyond_degrees(largest, partial(_find_value, opened.blocks, at, largest), place)
        )
        if problem is not None and wanted != AUTO:
            raise no_position(place, opened.title, problem)
        if problem is not None:
            problems[place] = problem
    return problems


def _about_places(opened: Opened, refused: Mapping[Place, str], wanted: str) -> tuple[str, ...]:
    """Say which columns are positions, and which are none although they are called so."""
    told = [note_place(place) for place in opened.places] if wanted == AUTO else []
    return (*told, *(note_numbers(place, problem) for place, problem in refused.items()))


def _find_value(blocks: Blocks, columns: Sequence[int], largest: FloatArray, at: int) -> tuple[int, float]:
    """Return the first row in which a column has its largest value, whatever its sign, and that value."""
    made = tasks(blocks, _find_in_block, columns[at], float(largest[at]))
    found: tuple[int, float] = compute(fold(made, _first_of))
    return found


def _find_in_block(
    block: Block, _weights: Block | None, column: int, size: float
) -> tuple[int, float] | None:
    values = block.read()[:, column].astype(np.float64)
    rows = np.flatnonzero(np.abs(values) == size)
    return (block.first_row + int(rows[0]), float(values[rows[0]])) if rows.size else None


def _first_of(total: object, found: list[Any]) -> Any:
    return next((one for one in (total, *found) if one is not None), None)


def _sentinels(opened: Opened, found: Survey) -> dict[str, Mapping[str, int]]:
    """Return numbers such as -999 that stand for missing values, by column; of columns with names."""
    if not opened.looks or opened.tables is None:
        return {}
    levels = opened.levels or (None,) * len(opened.columns)
    marked = {}
    for at, (name, known) in enumerate(zip(opened.columns, levels, strict=True)):
        reading = opened.looks[name].reading
        is_plain = reading is None or reading.kind == NUMBER
        if is_plain and known is None and name not in opened.kept:
            marked[name] = found.sentinels(at)
    return {name: counts for name, counts in marked.items() if counts}


def _taken(opened: Opened, request: FitRequest) -> tuple[Opened, tuple[str, ...]]:
    """Leave out columns that the methods asked for cannot use; say which categories are not used."""
    if opened.tables is None:
        return opened, ()
    looked: Any = _Looked(opened)
    not_taken, why = columns_not_taken(looked, request)
    gone = {name: NOT_TAKEN for name in not_taken if name in opened.columns}
    return (opened.without(gone) if gone else opened), ((why,) if why else ())


class _Looked:
    """What columns hold, as a table in memory tells it."""

    is_matrix = False

    def __init__(self, opened: Opened) -> None:
        self.source, self.looks, self.columns = opened.title, opened.looks, tuple(opened.looks)


def _again(opened: Opened, found: Survey) -> Survey:
    """Return what is known about the columns that are left."""
    return found if opened.blocks.n_columns == len(found.n_missing) else survey(opened.blocks)


def _without_constants(opened: Opened, found: Survey, request: FitRequest) -> tuple[Opened, Survey]:
    """Leave out columns of numbers that have one value; those of a matrix stay."""
    if not opened.has_names:
        return opened, found
    gone = {}
    for at, name in enumerate(opened.columns):
        is_text = opened.tables is not None and opened.looks[name].is_text
        if (
            is_text
            or name in (*request.keep, *request.columns, *opened.axes)
            or found.low[at] < found.high[at]
        ):
            continue
        gone[name] = "empty" if found.n_missing[at] == found.n_rows else "constant"
    if not gone:
        return opened, found
    fewer = opened.without(gone)
    return fewer, found.of([at for at, name in enumerate(opened.columns) if name not in gone], fewer.blocks)


def _without_unassociated(opened: Opened, found: Survey, request: FitRequest) -> tuple[Opened, Survey]:
    """Leave out categories that are not associated with any other column; not all columns."""
    drawn = draw_sample(opened.blocks, n_sampled(request), request.seed)
    places = not_associated(drawn.X.astype(np.float64), opened.levels)
    named = (*request.columns, *request.keep)
    gone = {opened.columns[at]: NOT_ASSOCIATED for at in places if opened.columns[at] not in named}
    if not gone or len(gone) == len(opened.columns):
        return opened, found
    fewer = opened.without(gone)
    return fewer, _again(fewer, found)


def _settle(opened: Opened, found: Survey, request: FitRequest) -> tuple[Filling, Blocks]:
    """Return what is done about missing values, and the rows that stay."""
    blocks, columns = opened.blocks, opened.columns
    order = np.argsort(-found.n_missing, kind="stable").tolist()
    counts = [(columns[at], int(found.n_missing[at])) for at in order if found.n_missing[at]]
    counts = counts_by_place(counts, opened.places)
    filling = Filling(blocks.n_rows, counts)
    if not counts:
        return filling, blocks
    if request.missing in REFUSE:
        refuse_gaps(blocks, opened.title)
    is_mixed = bool(opened.levels)
    policy = request.missing if is_mixed else settled_policy(request.missing, found)
    rule = ANY if policy == "drop" else ALL if is_mixed or policy == "observed" else None
    n_left = (
        blocks.n_rows if rule is None else found.n_complete if rule == ANY else found.n_rows - found.n_empty
    )
    if n_left == 0:
        raise InvalidData(
            f"{opened.title}: every row has a missing value: nothing is left after dropping them."
        )
    filling = replace(filling, rule=rule, is_observed=policy == "observed" and not is_mixed)
    filling = replace(filling, is_median=policy == "median")
    if n_left == blocks.n_rows:
        return filling, blocks
    is_kept = kept_rows(blocks, rule or ANY)
    return replace(filling, is_kept=is_kept), select_blocks(blocks, is_kept)


def _filled(filling: Filling, opened: Opened, cells: Blocks, sample: DrawnRows, found: Survey) -> Filling:
    """Return what is done about missing values, with what they are filled with."""
    if not filling.counts or filling.rule == ANY or (opened.levels and not filling.is_median):
        return filling
    is_number = np.array([known is None for known in opened.levels] or [True] * len(opened.columns))
    if not (found.n_missing[is_number] > 0).any():
        return filling
    empty = np.flatnonzero((found.n_missing == found.n_rows) & is_number)
    if empty.size:
        raise InvalidData(
            f'{opened.title}: column "{opened.columns[empty[0]]}" has no values, so it has no median. '
            f"Leave it out."
        )
    middle = medians(cells, sample.X, found.n_rows - found.n_missing)
    middle = np.where(is_number, middle, np.nan)
    donors = None
    if filling.is_observed:
        donors = Donors.of(sample.X) if sample.is_whole else Donors.of(sample.X, DONORS)
    return replace(filling, preparation=Preparation(middle, donors))


def _is_filled(filling: Filling) -> bool:
    return filling.preparation.medians is not None


def _about_donors(filling: Filling, sample: DrawnRows) -> tuple[str, ...]:
    if not filling.is_observed or sample.is_whole:
        return ()
    return (f"the most similar row is one of {DONORS:,} drawn rows",)


def _whole(values: Blocks, found: Survey, *, is_changed: bool) -> moments.BlockTotals:
    """Return the moments of all columns: from the pass that looked at them, if nothing changed since."""
    if is_changed or found.sums is None:
        return moments.measure(values, None, who=WHO)
    return moments.whole_of(values, total_sums(found), found.first, 1.0, is_weighted=False, who=WHO)


def _scaling(
    blocks: Blocks, whole: moments.BlockTotals, some: DrawnRows, how: str, seed: int
) -> tuple[Scaling, tuple[str, ...]]:
    """Return a scaling of all rows, and what is to be said about it; some of them tell their lengths."""
    if how == "none":
        return no_scaling(blocks.n_columns), ()
    if how != "robust":
        return scaling_of_rows(whole.columns, how, some.X), ()
    sample = draw_sample(blocks, QUANTILE_ROWS, seed)
    scaling = fit_scaling(sample.X.astype(np.float64), "robust")
    return scaling, () if sample.is_whole else (about_quantiles(sample),)


def about_quantiles(sample: DrawnRows) -> str:
    """Say how exact medians and quartiles of a sample are."""
    error = 100 * np.sqrt(0.25 * 0.75 / len(sample.rows))
    return f"medians and quartiles are those of {sample}: standard error {error:.2f} % of the ranks"


def _mixed_scaling(
    sample: DrawnRows, found: Survey, opened: Opened, how: str
) -> tuple[Scaling, tuple[str, ...]]:
    """Return a scaling of the numbers among mixed rows, over the cells that are there; codes stay."""
    if sample.is_whole or how == "robust":
        said = (about_quantiles(sample),) if how == "robust" and not sample.is_whole else ()
        return scale_numbers(sample.X.astype(np.float64), opened.levels, how), said
    how = "standard" if how == AUTO else how
    is_number = np.array([known is None for known in opened.levels])
    if how == "none":
        return no_scaling(len(is_number)), ()
    shift, factor = (found.mean, found.spread) if how == "standard" else (found.low, found.high - found.low)
    factor = np.where(is_number & (factor > 0), factor, 1.0)
    return Scaling(how, np.where(is_number & np.isfinite(shift), shift, 0.0), factor), ()


def _reader_marks(opened: Opened, found: Survey) -> dict[str, dict[str, int]]:
    """Return which texts of CSV files stand for missing values in the columns of numbers."""
    if opened.tables is None:
        return {}
    some = [
        name
        for name, n in zip(opened.columns, found.n_missing.tolist(), strict=True)
        if n and opened.looks[name].reading is None and not opened.looks[name].is_text
    ]
    return survey_marks(opened.tables, some, opened.blocks) if some else {}
