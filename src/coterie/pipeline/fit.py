"""The one way from data to an answer: prepare, compare methods, fit the winner, describe, say how sure."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from coterie._support import hooks
from coterie._support.progress import Progress, ProgressOption, Tracker, track
from coterie._support.threads import one_thread
from coterie._support.typing import (
    CheckedRows,
    Distances,
    Labels,
    Mask,
    MatrixLike,
    Model,
    RandomState,
    Settings,
    SparseData,
)
from coterie.data import Table
from coterie.data.databases import is_database
from coterie.data.frames import read_table_or_blocks
from coterie.data.paths import is_in_blocks
from coterie.distance.row_distances import RowDistances
from coterie.errors import InvalidData, InvalidParameter, UnmetConstraints
from coterie.evaluate import Significance, Stability, stability
from coterie.evaluate.belief import MixedColumns
from coterie.pipeline.answer import Clustering
from coterie.pipeline.candidates import CRUMBS, Candidate
from coterie.pipeline.choose_method import STEPS_AFTER, ChosenMethod, choose_method, contest_order
from coterie.pipeline.graph import fit_graph, is_graph
from coterie.pipeline.groups import Groups
from coterie.pipeline.null_test import compare_with_null
from coterie.pipeline.recipe import Recipe, takes_distance
from coterie.pipeline.request import PRECOMPUTED, FitRequest, make_request, tell_long
from coterie.pipeline.row_order import row_order
from coterie.pipeline.rows.opening import memory_rows
from coterie.pipeline.rows.protocol import Compared, Fitted, Resampled, Rows
from coterie.pipeline.units import note_units
from coterie.pipeline.verdict import NOT_ONE_GAUSSIAN, is_beside_the_point

LOGGER = logging.getLogger("coterie.fit")
LEAST_RESAMPLES = 5  # of more rows than methods were compared on
TOO_FEW = 10  # rows below which no method can tell groups from chance
# of a Gaussian with a covariance of its own; wider data are turned first, see `rows/sampling.py`
MOST_COLUMNS = 2_000


def fit(
    X: MatrixLike = None,
    method: str | Sequence[str] = "auto",
    k: str | int | Iterable[int] | None = "auto",
    *,
    distance: str = "auto",
    scale: str = "auto",
    truth: str | npt.ArrayLike | None = None,
    budget: str = "normal",
    columns: str | Sequence[str] = (),
    drop: str | Sequence[str] = (),
    keep: str | Sequence[str] = (),
    missing: str = "auto",
    dates: str | None = None,
    sheet: str | None = None,
    table: str | None = None,
    query: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    random_state: RandomState = 0,
    n_init: int | None = None,
    improve: str | None = None,
    set: Settings | None = None,
    together: object = None,
    apart: object = None,
    checkpoint: str | os.PathLike[str] | None = None,
    believe: bool = True,
    silhouette: bool = True,
    progress: ProgressOption = None,
    graph: SparseData = None,
    series: str | Sequence[str] | None = None,
    window: str | int = "auto",
    places: str = "auto",
) -> Clustering | Any:  # Any: a type checker accepts the answers of blocks and graphs too
    """Cluster data automatically: choose the method and the number of groups, and test the result.

    Several methods are tried for every plausible number of groups. One criterion compares all partitions:
    between each two neighbouring groups the density must fall, at some scale, further than it does within a
    single cluster of as many rows; borders within a cluster count against a partition. "No groups" is
    an answer like any other. A method and a number that are given are taken as they are.

    Parameters
    ----------
    X : array-like, DataFrame, Table, path of a file, folder, pattern, or data of any size
        The data. Text of few values is used as categories; other text, keys, dates and constants of tables
        are left out, with a note. Dask
        collections, Arrow datasets, zarr arrays, and files of more than 1 GiB in all are read in blocks:
        methods are compared on a sample, k-means, mixtures, k-medoids and DBSCAN are fitted to all rows, and
        the answer says which numbers are exact. A graph of networkx or igraph, and a sparse matrix that is
        symmetric, are taken as `graph`.
    method : str, default="auto"
        A name of `coterie.cluster.methods()`, several joined by commas, or "auto".
    k : int, range, "A..B" or "auto", default="auto"
        Number of groups, numbers to choose from, or whatever there is, 1 (no groups) included.
    distance : str, default="auto"
        A name of `coterie.distance.distances()`; "auto" is Euclidean.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        "auto" standardises the columns when the largest spread is more than five times the lower quartile of
        the spreads (of fewer than five columns: more than 1.5 times the least), unless all rows have one
        length (TF-IDF) or one sum (shares of a whole).
    truth : str or array-like, default=None
        Column, or class of each row: not used to find the groups, only to compare with.
    budget : {"fast", "normal", "thorough"}, default="normal"
        How long it may take.
    columns : str or sequence of str
        The only columns to use; none: all that can be used.
    drop, keep : str or sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"auto", "observed", "drop", "median", "refuse"}, default="auto"
        "observed": k-means (k-POD), k-prototypes, latent classes, trees of average or complete linkage, Diana
        and Leiden count observed cells only, any method with ``distance="nan_euclidean"``; other methods
        take missing values from the most similar row. "drop", "median" and "refuse": leave out rows with
        missing values, fill in medians, or refuse. "auto" leaves out columns in which most values are
        missing, then rows if at least half of them are complete; otherwise it is "observed". A note says what
        was done. Methods are compared on complete rows where there are enough, else on rows filled from the
        most similar ones, and so is the null model.
    dates : {"as-number", "year", "month", "weekday"}, default=None
        What to make of dates; None leaves them out, with a note.
    sheet, table, query : str, default=None
        Of a workbook the sheet, of a database the table or the SQL query; see `coterie.data.read_table`.
    header : bool, default=None
        Of text: whether line 1 has the names of the columns; None: as it looks.
    encoding : str, default=None
        Of text, such as "cp1252"; None: UTF-8, or what a byte order mark says.
    random_state : int, RandomState, Generator or None, default=0
        Same number, same data, same answer.
    n_init : int, default=None
        Starts of the one method that is named; None: 10.
    improve : str, default=None
        "breathing" looks for a better optimum of k-means.
    set : mapping, default=None
        Other parameters of the one method that is named: ``{"eps": 0.4}`` for "dbscan".
    together, apart : path, DataFrame or sequence of pairs, default=None
        Rows that must share a group, or must not: for "constrained-kmeans", which is then the default method,
        and "agglomerative". Pairs are keys of the table, or row numbers: from 0 in a sequence, from 1 in a
        file or frame of two columns. Pairs that contradict each other are refused by name.
    checkpoint : path, default=None
        A folder where a fit in blocks is saved after every pass, and resumed from.
    believe : bool, default=True
        Whether to measure stability and significance; False saves their time.
    silhouette : bool, default=True
        Whether to estimate the silhouette of groups in blocks; it is not measured for data in memory.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.
    graph : matrix, edge list, or graph of networkx or igraph, default=None
        Instead of `X`: groups are communities, as `coterie.cluster.leiden` finds them, tested against random
        graphs of the same degrees. ``set={"resolution": 2}`` gives more of them.
    series : str or sequence of str, default=None
        Groups of time series: the columns of a long table, ``"id,time,value"`` (or several values), or
        "rows": every row is a series; then `X` may also be a list of series, or an array of three dimensions.
        `distance` is a name of `coterie.series.series_distances()` ("auto": DTW), `scale` is done within each
        series ("auto": z-normalised; "minmax", "none").
    window : int, "auto" or "none", default="auto"
        Of series: most steps in time between matched points. "auto": a tenth of the longest series.
    places : {"auto", "off"} or "LAT,LON", default="auto"
        Which columns are latitude and longitude, in degrees. "auto" recognises them by their names (lat,
        latitude; lon, lng, long, longitude; also with a common prefix) and range. Two such columns are used
        as one position on the Earth, in km; groups are described by their centre and radius. "off": as
        two numbers. With ``distance="haversine"`` nothing but the position is used.

    Returns
    -------
    Clustering
        A `coterie.scale.LazyClustering`, with lazy labels, for data in blocks; a `GraphClustering` for a
        graph.

    Examples
    --------
    >>> import coterie
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> coterie.fit(X, budget="fast").k
    3
    >>> coterie.fit(rng.normal(size=(200, 2)), budget="fast").k
    1
    """
    asked = {**locals()}
    del asked["X"], asked["graph"], asked["progress"]
    is_of_graph = graph is not None or (series is None and is_graph(X))
    if graph is not None and X is not None:
        raise InvalidParameter("coterie.fit takes X or graph, got both.")
    if graph is None and X is None:
        raise InvalidData("coterie.fit needs data: X, or graph.")
    request = make_request(**asked | ({"method": "leiden"} if is_of_graph and method == "auto" else {}))
    if is_of_graph:
        return fit_graph(X if graph is None else graph, request, progress=progress)
    return run(X, request, progress)


def run(
    X: MatrixLike, request: FitRequest, progress: ProgressOption = None, *, in_shell: bool = False
) -> Clustering:
    """Find groups as a checked request asks; `in_shell` tells how options are written in words."""
    began = time.perf_counter()
    with track(progress, "preparing rows", total=None) as tracker:
        rows = open_rows(X, request, tracker)
        request = rows.resolve(request)
        if not request.is_settled:
            tracker.expect(tell_long(rows.n_rows, len(rows.columns), request.budget, in_shell=in_shell))
        return find_groups(rows, request, tracker, began)


def open_rows(X: MatrixLike, request: FitRequest, tracker: Tracker) -> Rows:
    """Return the prepared rows of data: in memory, or in blocks where they are large or lazy."""
    if is_database(X) and request.series is None:
        X = read_table_or_blocks(X, in_blocks=request.checkpoint is not None, **request.reading)
        request = replace(request, reading=request.reading_of_rows)
    if request.series is not None:
        from coterie.pipeline.series import series_rows  # here: their distances take long to import

        return series_rows(X, request)
    if request.checkpoint is not None or is_in_blocks(X):
        in_blocks: Rows = hooks.ask("rows_in_blocks")(X, request, tracker)
        return in_blocks
    return memory_rows(X, request)


def find_groups(rows: Rows, request: FitRequest, tracker: Tracker, began: float) -> Clustering:
    """Return the answer for prepared rows, in memory or in blocks."""
    compared = rows.compare_on(request)
    try:
        with one_thread("blas"):
            choice = choose_method(compared, request, tracker)
    except UnmetConstraints as error:
        raise rows.as_given(error, request, compared) from None
    fitted = rows.fit(choice.winner, compared, request, tracker)
    winner = choice.winner
    recipe = _recipe_of(winner, request, rows)
    seconds = time.perf_counter() - began
    units = note_units(choice.contest, compared, rows.scaling, request)
    said = (*request.notes, *_notes(choice, compared), *units)
    groups, facts = rows.describe(fitted, recipe, seconds, said, request.seed)
    stability, significance = _belief(rows, fitted, groups, choice, compared, request, tracker)
    is_apart = None if choice.contest is None or request.is_one_group else choice.contest.is_apart
    notes = groups.notes
    LOGGER.info("%s: %s groups by %s in %.2f s", groups.source, groups.k, winner.method, seconds)
    if significance is not None and is_beside_the_point(is_apart and groups.k > 1, significance.p_value):
        significance, notes = None, (*notes, NOT_ONE_GAUSSIAN)
    return rows.answer(
        fitted,
        groups=groups,
        method=winner.method,
        evidence=choice.evidence,
        stability=stability,
        significance=significance,
        runners_up=() if choice.contest is None else choice.contest.runners_up,
        comparison=rows.compare(groups, fitted),
        notes=notes,
        budget=request.budget.name,
        seed=request.seed,
        seconds=time.perf_counter() - began,
        arguments=request.arguments,
        facts=facts,
        winner=None if choice.contest is None else choice.contest.winner,
        is_asked=request.is_number_asked,
        is_apart=is_apart,
        levels=() if choice.contest is None or request.is_settled else choice.contest.levels,
    )


def _recipe_of(winner: Candidate, request: FitRequest, rows: Rows) -> Recipe:
    """Return how the winner was run, with the distance that its method has chosen if none was asked for."""
    recipe = request.recipe(winner.method, winner.k, rows.scaling.how)
    metric = winner.parameters.get("metric")
    is_chosen = isinstance(metric, str) and metric != "euclidean" and recipe.distance is None
    return replace(recipe, distance=metric) if is_chosen else recipe


def _notes(choice: ChosenMethod, compared: Compared) -> tuple[str, ...]:
    few = compared.n_rows < TOO_FEW
    note = (f"{compared.n_rows} rows are too few to test against null data",) if few else ()
    return (*choice.notes, *note)


def _belief(
    rows: Rows,
    fitted: Fitted,
    groups: Groups,
    choice: ChosenMethod,
    compared: Compared,
    request: FitRequest,
    tracker: Tracker,
) -> tuple[Stability | None, Significance | None]:
    """Return stability and significance, where they are wanted and something was compared."""
    if not request.believe or choice.contest is None:
        return None, None
    ranked = choice.contest.ranked
    chosen = choice.winner if groups.k > 1 else ranked[0] if ranked else None
    labels, resampled = rows.labels_of(fitted, groups, compared), None
    if chosen is not None and groups.k > 1:
        resampled = rows.rows_to_resample(chosen, groups, compared, request)
    if chosen is not None and resampled is None:
        chosen = chosen.among(compared.rows, compared.n_rows)
    return check_belief(
        compared.points,
        labels,
        chosen,
        request.among(compared.rows, compared.n_rows),
        tracker,
        filled=compared.filled,
        mixed=compared.mixed,
        resampled=resampled,
    )


def fit_groups(
    table: Table,
    recipe: Recipe,
    *,
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "auto",
    progress: ProgressOption = None,
) -> Groups:
    """Find groups by one recipe, without evidence: `coterie.fit` with ``believe=False``.

    Parameters
    ----------
    table : Table, or anything that `coterie.fit` takes
        The data.
    recipe : Recipe
        Method, number of groups, scaling and so on.
    drop, keep, missing, progress
        As in `coterie.fit`.

    Returns
    -------
    Groups
    """
    request = make_request(
        recipe.method,
        recipe.n_clusters,
        distance=recipe.distance,
        scale=recipe.scale,
        drop=drop,
        keep=keep,
        missing=missing,
        random_state=recipe.seed,
        n_init=recipe.n_init,
        improve=recipe.improve,
        set=recipe.settings,
        believe=False,
    )
    return run(table, request, progress).groups


def check_belief(
    points: CheckedRows,
    labels: Labels,
    chosen: Candidate | None,
    request: FitRequest,
    tracker: Tracker,
    *,
    filled: Mask | None = None,
    mixed: MixedColumns | None = None,
    resampled: Resampled | None = None,
    is_given: bool = False,
) -> tuple[Stability | None, Significance | None]:
    """Return whether the groups come back in resamples, and whether null data are separated as well.

    Parameters
    ----------
    points : array of shape (n, d)
        The rows that methods were compared on.
    labels : array of shape (n,)
        Their groups, 0..k-1; below 0 is noise. All 0: there are no groups, and stability is not measured.
    chosen : Candidate or None
        The winner; where there are no groups, the best loser.
    request : FitRequest
        What it may cost.
    tracker : Tracker
        Hears of the two stages.
    filled : array of bool of shape (n, d), default=None
        Values that were missing, and are those of the most similar row.
    mixed : MixedColumns, default=None
        Which columns of the points are categories; None: none.
    resampled : Resampled, default=None
        The rows that stability is measured on, in fewer resamples where they are more; None: the points.
    is_given : bool, default=False
        A person made these groups: they are tested themselves, not the best split of the rows.
    """
    if chosen is None or len(points) < TOO_FEW or chosen.k > CRUMBS * len(points):
        return None, None  # a resample would have fewer rows than groups
    n_found = int(np.max(labels, initial=-1)) + 1
    if n_found < 1 or len(np.unique(labels[labels >= 0])) < n_found:
        return None, None  # a group that no compared row belongs to cannot come back
    order = contest_order(points, request, mixed)
    points, labels = order.take(points), labels[order.rows]
    filled = None if filled is None else order.take(filled)
    budget, stable = request.budget, None
    n_before = len(request.methods_to_compare(is_mixed=mixed is not None))
    seed = request.seed
    with warnings.catch_warnings(), one_thread("blas"):
        warnings.simplefilter("ignore")  # what a resample or a draw warns about says nothing about the data
        if n_found > 1:
            tracker.report(n_before, stage="stability", total=n_before + STEPS_AFTER)
            n_resamples = budget.resamples
            if resampled is not None:
                estimator, rows, known = _in_order(chosen, resampled)
                n_resamples = max(LEAST_RESAMPLES, n_resamples * len(points) // len(known))
            elif mixed is None:
                (estimator, rows), known = _by_distances(chosen, points), labels
            else:
                estimator, rows, known = chosen.make(), points, labels
            stable = stability(
                estimator,
                rows,
                progress=_share_of(tracker, n_before),
                n_resamples=n_resamples,
                labels=np.maximum(known, -1),
                random_state=seed,
            )
        if points.shape[1] > MOST_COLUMNS:
            return stable, None
        tracker.report(n_before + 1, stage="significance", total=n_before + STEPS_AFTER)
        share = _share_of(tracker, n_before + 1)
        with track(share, "chance: draw", total=budget.draws) as draws:
            chance = compare_with_null(
                points, labels, request, draws, filled=filled, mixed=mixed, is_given=is_given
            )
    return stable, chance


def _in_order(chosen: Candidate, resampled: Resampled) -> tuple[Model, CheckedRows, Labels]:
    """Return the estimator, the rows in an order that their values decide, and their groups."""
    order = row_order(resampled.points)
    return chosen.make(), np.ascontiguousarray(resampled.points[order]), resampled.labels[order]


def _by_distances(chosen: Candidate, points: CheckedRows) -> tuple[Model, Distances]:
    """Return the estimator and what to fit it to: all distances, found once, where resamples need no more."""
    if not takes_distance(chosen.method, PRECOMPUTED) or chosen.parameters.get("linkage") == "ward":
        return chosen.make(), points
    distances = RowDistances(points, chosen.parameters.get("metric", "euclidean")).matrix
    if distances is None:
        return chosen.make(), points
    return replace(chosen, parameters={**chosen.parameters, "metric": PRECOMPUTED}).make(), distances


def _share_of(tracker: Tracker, step: int) -> Callable[[Progress], None] | None:
    """Return a listener that tells the tracker how far a step has come, if anybody looks."""
    if not tracker.is_watched:
        return None
    return lambda made: tracker.report(step, share=made.done / made.total if made.total else 0.0)
