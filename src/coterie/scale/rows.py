"""Rows in blocks as `coterie.fit` asks for them: measured, drawn, fitted and described pass by pass."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie._support.optional import require
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import Data, FloatArray, Indices, Labels, ValuesByName
from coterie.data import LeftOut, Scaling, Table, fit_scaling
from coterie.data.marks import SENTINELS, find_sentinels
from coterie.data.scaling import no_scaling, scaling_of_moments
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import Comparison, Significance, Stability
from coterie.evaluate.internal import Estimate
from coterie.pipeline import Candidate, Clustering, Fact, Groups, Profile, Recipe, profile_groups
from coterie.pipeline.fit import find_groups
from coterie.pipeline.groups import centers_of, share_explained
from coterie.pipeline.partition import GroupMeans, Partition, RowsAtHand, class_texts
from coterie.pipeline.profile import effect_sizes
from coterie.pipeline.request import FitRequest, make_request
from coterie.pipeline.rows import TRUTH, Compared, check_rows, compare_some, n_sampled
from coterie.scale import evaluate, moments
from coterie.scale.blocks import Blocks, kept_while_used
from coterie.scale.columns import Opened, open_columns
from coterie.scale.labelling import BlocksFitted, fit_winner
from coterie.scale.methods.catalogue import refuse_settings, takes_checkpoint
from coterie.scale.methods.group_totals import GroupTotals, estimate_silhouette, total_groups
from coterie.scale.methods.kmeans import KMeans
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.sampling import Sample, draw_sample, take_rows

QUANTILE_ROWS = 100_000  # a quartile of them is that of all rows up to 0.14 % of the ranks
SILHOUETTE_ROWS = 2000  # whose distances to all drawn rows are summed up
EXACT = {
    "sse": "sum of squares within groups",
    "bss": "sum of squares between groups",
    "calinski_harabasz_score": "Calinski-Harabasz",
    "davies_bouldin_score": "Davies-Bouldin",
    "simplified_silhouette_score": "simplified silhouette",
}
EVERY_95 = 1.96  # standard errors to each side of a 95 % interval


@dataclass(frozen=True, eq=False)
class BlockRows:
    """Rows in blocks, and some of them in memory."""

    opened: Opened  # columns and rows as they are
    whole: moments.Whole  # moments of the columns, exact
    scaling: Scaling  # what is done to the columns
    blocks: Blocks  # all rows, scaled
    sample: Sample  # some rows as they are
    points: Data  # the same, scaled
    notes: tuple[str, ...]  # what was done
    truth: Blocks | None = None  # the class of each row, where it was given
    has_silhouette: bool = True  # whether the silhouette is estimated
    keeper: Any = None  # holds decoded rows on the disk

    @property
    def source(self) -> str:
        """What to call the data."""
        return self.opened.title

    @property
    def n_rows(self) -> int:
        """Rows that are grouped: all."""
        return self.blocks.n_rows

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns used."""
        return self.opened.columns

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Columns not used, and why."""
        return self.opened.left_out

    @property
    def table(self) -> Table:
        """The sampled rows as a table."""
        opened = self.opened
        return Table(opened.title, opened.columns, opened.has_names, len(self.sample.rows), self.sample.X)

    @property
    def classes(self) -> Labels | None:
        """The classes of the sampled rows, where they were given."""
        if self.truth is None:
            return None
        return np.asarray(take_rows(self.truth, self.sample.rows)[:, 0].astype(np.int64))

    def classes_of(self, compared: Compared) -> Labels | None:
        """Return the classes of the compared rows, where they were given."""
        classes = self.classes
        return None if classes is None else classes[np.searchsorted(self.sample.rows, compared.rows)]

    def resolve(self, request: FitRequest) -> FitRequest:
        """Return the request: rows in blocks have no names."""
        return request

    def compare_on(self, request: FitRequest) -> Compared:
        """Return the rows that methods are compared on: without copies, up to the budget."""
        return compare_some(self.points, self.sample.rows, self.n_rows, request)

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
        return fitted.labels.of_rows(compared.rows, self.points[places])

    def partition(self, groups: Groups) -> Partition:
        """Return the groups of the sampled rows; sizes and means are those of all rows."""
        profile, sample = groups.profile, self.sample
        overall = profile.means[0] - profile.differences[0] * profile.spread
        whole = GroupMeans(
            profile.columns, profile.sizes, profile.means, profile.differences, overall, profile.spread
        )
        at_hand = RowsAtHand(
            sample.X,
            self.points,
            sample.rows,
            groups.columns,
            groups.n_rows,
            groups.recipe.distance or "euclidean",
            None if self.classes is None else class_texts(self.classes),
        )
        return Partition(at_hand, np.asarray(groups.labels), whole)

    def describe(
        self, fitted: BlocksFitted, recipe: Recipe, seconds: float, notes: tuple[str, ...], seed: int
    ) -> tuple[Groups, tuple[Fact, ...]]:
        """Sum up the rows of every group, and find examples in the sample."""
        labelling, by_size = fitted.labels, np.argsort(fitted.labels.numbers)
        origin = self.scaling.apply(self.whole.origin[None, :])[0].astype(self.blocks.dtype)
        names = np.arange(len(labelling.numbers))
        known = _known_sums(fitted, by_size)
        totals = total_groups(self.blocks, labelling.task(), names, origin, 0, seed, known)
        sampled = labelling.of_rows(self.sample.rows, self.points)
        if self.has_silhouette:
            totals = totals.with_silhouette(self._silhouette(sampled, len(names), seed))
        profile = self._profile(sampled, totals.sizes, self.scaling.invert(totals.means))
        explained = share_explained(profile, self.scaling, self.n_rows)
        about = tuple(filter(None, [profile.rule_note]))
        groups = Groups(
            source=self.source,
            n_rows=self.n_rows,
            columns=self.columns,
            left_out=self.left_out,
            notes=(*notes, *self.notes, *fitted.notes, *about),
            recipe=recipe,
            scaling=self.scaling,
            medians=None,
            model=labelling.model,
            numbers=labelling.numbers,
            labels=sampled,
            profile=profile,
            centers=centers_of(labelling.model, self.scaling, by_size, profile.means),
            explained=explained,
            seconds=seconds,
            readings=self.opened.column_readings(),
        )
        return groups, self._facts(totals, groups)

    def _profile(self, labels: Labels, sizes: FloatArray, means: FloatArray) -> Profile:
        """Return the profile of the sample with sizes, means and differences of all rows."""
        sample, columns = self.sample, self.whole.columns
        few = profile_groups(sample.X, labels, self.columns, len(sizes), rows=sample.rows)
        spread = np.sqrt(np.asarray(columns.variance))
        differences = (means - np.asarray(columns.mean)) / np.where(spread > 0, spread, 1.0)
        note = few.rule_note or ("" if sample.is_whole else f"rules and typical rows are from {sample}")
        counts = sizes.astype(np.int64)
        return replace(
            few,
            sizes=counts,
            means=means,
            differences=differences,
            spread=spread,
            effects=effect_sizes(counts, differences, self.n_rows),
            rule_note=note,
        )

    def _silhouette(self, labels: Labels, k: int, seed: int) -> Estimate | None:
        """Return the silhouette, estimated from the sampled rows."""
        n_drawn = min(SILHOUETTE_ROWS, len(self.points))
        return estimate_silhouette(
            np.asarray(self.points), labels.astype(np.int32), k, n_drawn, self.n_rows, seed
        )

    def _facts(self, totals: GroupTotals, groups: Groups) -> tuple[Fact, ...]:
        """Return what is known about the groups of all rows, exact or with its error."""
        values = totals.values
        facts = [Fact(title, float(values[name])) for name, title in EXACT.items() if name in values]
        if groups.explained is not None and groups.k > 1:
            facts.append(Fact("share of the variance between groups", groups.explained))
        value = values.get("silhouette_score")
        if isinstance(value, Estimate):
            against = "all rows" if self.sample.is_whole else f"{len(self.sample.rows):,} drawn rows"
            how, is_exact = f"{value.n_drawn:,} rows against {against}", value.n_drawn == self.n_rows
            facts.append(Fact("silhouette", float(value), is_exact, value.standard_error, how))
        return tuple(facts)

    def compare(self, groups: Groups, fitted: BlocksFitted) -> Comparison | None:
        """Return the agreement with the truth of all rows, where it was given."""
        if self.truth is None:
            return None
        return evaluate.compare(self.truth, fitted.labels.lazy(self.blocks))

    def answer(self, fitted: BlocksFitted, **parts: Any) -> Any:
        """Return the answer with all its parts, and labels made when they are asked for."""
        from coterie.scale.clustering import LazyClustering

        facts = (*parts.pop("facts"), *_doubts(parts, self.sample.n_rows))
        return LazyClustering(**parts, facts=facts, rows=self, labelling=fitted.labels)


def _known_sums(fitted: BlocksFitted, by_size: Indices) -> tuple[Any, Any] | None:
    """Return sizes and means of the groups where the fit has found them exactly: k-means of all rows."""
    model = fitted.model
    if not isinstance(model, KMeans) or fitted.labels.known is not None:
        return None
    return model.cluster_sizes_[by_size], model.cluster_means_[by_size]


def block_rows(source: object, request: FitRequest, tracker: Tracker) -> BlockRows:
    """Choose, measure and scale the columns of data in blocks, and draw some rows."""
    _refuse(request)
    tracker.report(0, stage="measuring columns")
    is_column = isinstance(request.truth, str)
    drop = [*request.drop, request.truth] if is_column else list(request.drop)
    opened, whole, keeper = _measured(
        source, request.columns, drop, request.keep, request.reading.get("dates"), request.checkpoint
    )
    if is_column:
        opened = opened.renamed_reason(request.truth, TRUTH)
    check_rows(request, opened.blocks.n_rows, opened.title)
    scaling, notes = _scaling(opened.blocks, whole, request.scaling, request.seed)
    tracker.report(0, stage="drawing rows")
    sample = draw_sample(opened.blocks, n_sampled(request), request.seed)
    _refuse_sentinels(opened, whole, sample, request.keep)
    blocks = opened.blocks.scaled(scaling)
    truth = _truth(request.truth, opened)
    said = (*opened.notes, *notes)
    return BlockRows(
        opened,
        whole,
        scaling,
        blocks,
        sample,
        scaling.apply(sample.X),
        said,
        truth,
        request.silhouette,
        keeper,
    )


def _refuse(request: FitRequest) -> None:
    if request.is_precomputed:
        need = "needs the matrix in memory, not data in blocks."
        raise InvalidParameter(f"distance='precomputed' {need}").in_shell(f"--distance precomputed {need}")
    for option in request.pairs:
        raise InvalidParameter(f"{option} is not taken for data in blocks. Leave it out.").in_shell(
            f"--{option} is not taken for data in blocks. Leave it out."
        )
    if request.missing in ("observed", "drop", "median"):
        raise InvalidParameter(
            f'missing="{request.missing}" is not taken for data in blocks. Drop or fill the values before.'
        ).in_shell(
            f"--missing {request.missing} is not taken for data in blocks. Drop or fill the values before."
        )
    if request.improve is not None:
        raise InvalidParameter("improve is not taken for data in blocks. Leave it out.").in_shell(
            "--improve is not taken for data in blocks. Leave it out."
        )
    methods = request.methods
    for method in methods or ():
        refuse_settings(method, request.settings)
    if request.checkpoint is not None and methods and not any(takes_checkpoint(one) for one in methods):
        raise InvalidParameter(
            f"checkpoint is not taken by {', '.join(methods)}: it is for methods of many passes, kmeans, "
            f"minibatch-kmeans and mixture."
        )


def _measured(
    source: object,
    columns: Sequence[str],
    drop: Sequence[str],
    keep: Sequence[str],
    dates: str | None,
    checkpoint: str | os.PathLike[str] | None,
) -> tuple[Opened, moments.Whole, Any]:
    """Return the columns that vary, their moments, and what holds decoded rows."""
    opened, keeper = _kept(open_columns(source, columns, drop, keep, dates))
    whole = moments.measure(opened.blocks, None, who="coterie.fit", kept_in=checkpoint)
    variances = zip(opened.columns, whole.columns.variance, strict=True)
    constant = [name for name, variance in variances if variance == 0 and name not in (*keep, *columns)]
    if constant and opened.has_names:
        opened, keeper = _kept(opened.without(constant, "constant"))
        whole = moments.measure(opened.blocks, None, who="coterie.fit")
    return opened, whole, keeper


def _kept(opened: Opened) -> tuple[Opened, Any]:
    """Return the same rows, decoded once and kept on the disk, and what they are kept as long as."""
    blocks, keeper = kept_while_used(opened.blocks)
    return replace(opened, blocks=blocks), keeper


def _refuse_sentinels(opened: Opened, whole: moments.Whole, sample: Sample, keep: Sequence[str]) -> None:
    """Refuse numbers such as -999 that stand for missing values: rows in blocks must be complete."""
    if not opened.has_names:
        return
    polars = require("polars", extra="cli", purpose="Reading tables")
    ends = zip(opened.columns, whole.columns.low, whole.columns.high, strict=True)
    for at, (name, low, high) in enumerate(ends):
        plain = name not in keep and name not in opened.readings
        if plain and (low in SENTINELS or high in SENTINELS):
            values = np.append(sample.X[:, at].astype(np.float64), [low, high])
            found = ", ".join(find_sentinels(polars.Series(values)))
            if found:
                text = (
                    f'{opened.title}: column "{name}" holds {found}, which looks like a missing value. Data '
                    f"in blocks must be complete: fill or drop those rows first, or take the numbers as they "
                    f"are with "
                )
                raise InvalidData(f"{text}keep={name!r}.").in_shell(f"{text}--keep {name}.")


def _scaling(blocks: Blocks, whole: moments.Whole, how: str, seed: int) -> tuple[Scaling, tuple[str, ...]]:
    """Return a scaling of all rows, and what is to be said about it."""
    if how == "none":
        return no_scaling(blocks.n_columns), ()
    if how != "robust":
        return scaling_of_moments(whole.columns, how), ()
    sample = draw_sample(blocks, QUANTILE_ROWS, seed)
    error = 100 * np.sqrt(0.25 * 0.75 / len(sample.rows))
    note = f"medians and quartiles are those of {sample}: standard error {error:.2f} % of the ranks"
    return fit_scaling(sample.X.astype(np.float64), "robust"), () if sample.is_whole else (note,)


def _truth(truth: Any, opened: Opened) -> Blocks | None:
    if truth is None:
        return None
    given = opened.read([truth]) if isinstance(truth, str) else truth
    blocks = evaluate.label_blocks(given, None, "truth")
    if blocks.n_rows != opened.blocks.n_rows:
        raise InvalidParameter(
            f"truth must have one class per row, {opened.blocks.n_rows}, got {blocks.n_rows}."
        )
    return blocks


def _doubts(parts: ValuesByName, n_rows: int) -> list[Fact]:
    """Return the number of groups, stability and p-value, which a sample, resamples and draws estimate."""
    evidence, groups = parts["evidence"], parts["groups"]
    if not evidence.labelings:
        return []
    compared = len(next(iter(evidence.labelings.values())))
    of = "every row" if compared == n_rows else f"{compared:,} of {n_rows:,} rows"
    facts = [Fact("number of groups", float(groups.k), compared == n_rows, None, f"chosen on {of}")]
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


def fit(source: object, *args: Any, progress: Any = None, **options: Any) -> Clustering:
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
    if "set" in options:
        options["settings"] = options.pop("set")
    return run_in_blocks(source, make_request(*args, **options), progress)


def run_in_blocks(source: object, request: FitRequest, progress: ProgressOption = None) -> Clustering:
    """Find groups as a checked request asks, block by block whatever the size of the data."""
    began = time.perf_counter()
    with track(progress, "measuring columns", total=None) as tracker, PASS_PROGRESS.shown_by(tracker):
        return find_groups(block_rows(source, request, tracker), request, tracker, began)
