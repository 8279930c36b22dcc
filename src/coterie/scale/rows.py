"""Rows in blocks as `coterie.fit` asks for them: measured, drawn, fitted and described pass by pass."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import AnyArray, Data, Indices, Labels, ValuesByName
from coterie.data import LeftOut, Table
from coterie.data.databases import is_database
from coterie.data.frames import read_table_or_blocks
from coterie.data.geography.places import columns_in_table
from coterie.data.geography.positions import middle_longitude
from coterie.errors import InvalidParameter, UnmetConstraints
from coterie.evaluate import Comparison, Significance, Stability
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline import Candidate, Clustering, Fact, Groups, Recipe
from coterie.pipeline.fit import find_groups
from coterie.pipeline.groups import RowUnits, mixed_columns
from coterie.pipeline.partition import GroupMeans, Partition, RowsAtHand, class_texts
from coterie.pipeline.request import FitRequest, make_request
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.protocol import Compared
from coterie.pipeline.rows.sampling import compare_sample
from coterie.scale import evaluate
from coterie.scale.describe import describe_blocks
from coterie.scale.labelling import BlocksFitted, fit_winner, grouped_blocks, sampled_labels
from coterie.scale.methods.catalogue import refuse_settings, takes_checkpoint
from coterie.scale.prepared import PreparedBlocks, prepare_blocks
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.truth import Truth, read_truth

EVERY_95 = 1.96  # standard errors to each side of a 95 % interval


@dataclass(frozen=True, eq=False)
class BlockRows(PreparedBlocks):
    """Rows in blocks, and some of them in memory."""

    truth: Truth | None = None  # the class of each row, where it was given
    has_silhouette: bool = True  # whether the silhouette is estimated

    @property
    def source(self) -> str:
        """What to call the data."""
        return self.opened.title

    @property
    def n_rows(self) -> int:
        """Rows that are grouped."""
        return self.blocks.n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns used."""
        return self.opened.columns

    @property
    def table_columns(self) -> tuple[str, ...]:
        """The columns of the table that are used: two for a position."""
        return columns_in_table(self.opened.columns, self.opened.places)

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""
        return self.opened.left_out

    @property
    def mixed(self) -> MixedColumns | None:
        """Which columns are categories; None: none."""
        return mixed_columns(self.opened.levels) if self.opened.levels else None

    @cached_property
    def units(self) -> RowUnits:
        """How rows are described; longitudes are told around the mean direction of all rows."""
        opened, mean = self.opened, self.found.mean
        axes = ([opened.columns.index(name) for name in place.axes] for place in opened.places)
        middles = tuple(middle_longitude(mean[None, at]) for at in axes)
        return RowUnits(opened.columns, opened.levels, opened.places, middles or None)

    @cached_property
    def at_hand(self) -> MemoryRows:
        """The sampled rows, as rows of a table in memory."""
        return MemoryRows(self.sampled())

    @property
    def scaled(self) -> Data:
        """The sampled rows, filled and scaled."""
        return self.at_hand.prepared.points  # type: ignore[no-any-return]  # an array

    @property
    def points(self) -> Data:
        """The same; of mixed rows, their factors."""
        return self.at_hand.points

    @property
    def table(self) -> Table:
        """The sampled rows as a table."""
        return self.at_hand.prepared.table

    @property
    def sampled_rows(self) -> Indices:
        """Which rows of the data the sample consists of."""
        return self.filling.table_rows(self.sample.rows)

    @cached_property
    def classes(self) -> AnyArray | None:
        """The classes of the sampled rows, where they were given."""
        return None if self.truth is None else self.truth.of_rows(self.sample.rows)

    def classes_of(self, compared: Compared) -> AnyArray | None:
        """Return the classes of the compared rows, where they were given."""
        classes = self.classes
        return None if classes is None else classes[np.searchsorted(self.sample.rows, compared.rows)]

    def resolve(self, request: FitRequest) -> FitRequest:
        """Return the request: rows in blocks have no names."""
        return request

    def as_given(self, error: UnmetConstraints, request: FitRequest, compared: Compared) -> InvalidParameter:
        """Return the error as it is: rows in blocks have no pairs."""
        return error

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on: without copies, up to the budget."""
        gaps, is_observed = self.at_hand.prepared.gaps(), self.filling.is_observed
        return compare_sample(
            self.scaled, gaps, self.sample.rows, self.n_rows, request, self.mixed, is_observed=is_observed
        )

    def fit(
        self, winner: Candidate, compared: Compared, request: FitRequest, tracker: Tracker
    ) -> BlocksFitted:
        """Fit a winner to all rows where there is a method for blocks; else to those compared."""
        return fit_winner(winner, self, compared, request, tracker)

    def rows_to_resample(
        self, winner: Candidate, groups: Groups, compared: Compared, request: FitRequest
    ) -> None:
        """Return None: those compared tell it."""

    def labels_of(self, fitted: BlocksFitted, groups: Groups, compared: Compared) -> Labels:
        """Return the groups of the compared rows, 0..k-1; -1 is noise."""
        places = np.searchsorted(self.sample.rows, compared.rows)
        return sampled_labels(self, fitted.labels)[places]

    def partition(self, groups: Groups) -> Partition:
        """Return the groups of the sampled rows; sizes and means are those of all rows."""
        profile, sample, mixed = groups.profile, self.sample, self.mixed
        overall = profile.means[0] - profile.differences[0] * profile.spread
        whole = GroupMeans(
            profile.columns, profile.sizes, profile.means, profile.differences, overall, profile.spread
        )
        at_hand = RowsAtHand(
            self.units.indicators(sample.X),
            self.points,
            self.sampled_rows,
            profile.columns,
            groups.n_grouped,
            (groups.recipe.distance or "euclidean") if mixed is None else "euclidean",
            None if self.classes is None else class_texts(self.classes),
            profile.category_of,
        )
        return Partition(at_hand, np.asarray(groups.labels), whole)

    def describe(
        self, fitted: BlocksFitted, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
    ) -> tuple[Groups, tuple[Fact, ...]]:
        """Sum up the rows of every group, and find examples in the sample."""
        return describe_blocks(self, fitted, recipe, seconds, notes, seed)

    def compare(self, groups: Groups, fitted: BlocksFitted) -> Comparison | None:
        """Return the agreement with the truth of all rows, where it was given."""
        if self.truth is None:
            return None
        labels = fitted.labels.lazy(grouped_blocks(self, fitted.labels))
        return self.truth.named(evaluate.compare(self.truth.codes, labels))

    def answer(self, fitted: BlocksFitted, **parts: Any) -> Any:
        """Return the answer with all its parts, and labels made when they are asked for."""
        from coterie.scale.clustering import LazyClustering

        facts = (*parts.pop("facts"), *_doubts(parts, self.sample.n_rows))
        return LazyClustering(**parts, facts=facts, rows=self, labelling=fitted.labels)


def block_rows(source: object, request: FitRequest, tracker: Tracker) -> BlockRows:
    """Choose, measure and scale the columns of data in blocks, and draw some rows."""
    _refuse(request)
    prepared = prepare_blocks(source, request, tracker)
    truth = read_truth(request.truth, prepared.opened, prepared.filling.is_kept)
    return BlockRows(**vars(prepared), truth=truth, has_silhouette=request.silhouette)


def _refuse(request: FitRequest) -> None:
    if request.is_precomputed:
        need = "needs the matrix in memory, not data in blocks."
        raise InvalidParameter(f"distance='precomputed' {need}").in_shell(f"--distance precomputed {need}")
    for option in request.pairs:
        raise InvalidParameter(f"{option} does not work for data in blocks. Leave it out.").in_shell(
            f"--{option} does not work for data in blocks. Leave it out."
        )
    if request.improve is not None:
        raise InvalidParameter("improve does not work for data in blocks. Leave it out.").in_shell(
            "--improve does not work for data in blocks. Leave it out."
        )
    methods = request.methods
    for method in methods or ():
        refuse_settings(method, request.settings)
    if request.checkpoint is not None and methods and not any(takes_checkpoint(one) for one in methods):
        fact = (
            f"checkpoint is not taken by {', '.join(methods)}: it is for methods of many passes, kmeans, "
            f"minibatch-kmeans, mixture and latent-classes."
        )
        raise InvalidParameter(fact).in_shell(f"--{fact}")


def _doubts(parts: ValuesByName, n_rows: int) -> list[Fact]:
    """Return the number of groups, stability and p-value, which a sample, resamples and draws estimate."""
    evidence, groups = parts["evidence"], parts["groups"]
    if not evidence.labelings:
        return []
    compared = len(next(iter(evidence.labelings.values())))
    of = "every row" if compared == n_rows else f"{compared:,} of {n_rows:,} rows"
    facts = []
    if not parts["is_asked"]:
        facts.append(Fact("number of groups", float(groups.k), compared == n_rows, None, f"chosen on {of}"))
    stability: Stability | None = parts["stability"]
    if stability is not None:
        means = np.nanmean(stability.scores, axis=1)
        error = float(np.std(means) / np.sqrt(len(means)))
        how = f"{stability.n_resamples} resamples of {of}"
        facts.append(Fact("stability", stability.overall, is_exact=False, error=error, how=how))
    significance: Significance | None = parts["significance"]
    if significance is not None:
        low, high = significance.interval
        error = (high - low) / (2 * EVERY_95)
        how = f"{significance.n_draws} null data sets against {of}"
        facts.append(Fact("p-value", significance.p_value, is_exact=False, error=error, how=how))
    return facts


def fit(source: object, *args: Any, progress: ProgressOption = None, **options: Any) -> Clustering:
    """Find the groups out of core: block by block, whatever the size of the data.

    Parameters
    ----------
    source : anything that `read_blocks` takes
        The data.
    *args, progress, **options
        As in `coterie.fit`, which reads data in blocks by itself where they are large or lazy.

    Examples
    --------
    >>> import dask.array
    >>> from coterie.scale import fit
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = fit(dask.array.from_array(X, chunks=50), budget="fast")
    >>> found.k, np.bincount(found.labels.compute())
    (3, array([60, 60, 60]))
    """
    return run_in_blocks(source, make_request(*args, **options), progress)


def run_in_blocks(source: object, request: FitRequest, progress: ProgressOption = None) -> Clustering:
    """Find groups as a checked request asks, block by block whatever the size of the data."""
    began = time.perf_counter()
    if is_database(source):
        source = read_table_or_blocks(source, in_blocks=True, **request.reading)
        request = replace(request, reading=request.reading_of_rows)
    with track(progress, "measuring columns", total=None) as tracker, PASS_PROGRESS.shown_by(tracker):
        return find_groups(block_rows(source, request, tracker), request, tracker, began)
