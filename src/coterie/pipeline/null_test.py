"""The test against null data: one Gaussian, searched for groups in the same way as the rows.

The groups were chosen among many splits, so the null data are searched as well: the p-value compares the best
split of the rows with the best split of every draw. It would be too small if draws were divided by the method
and the number that won on the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from coterie._support.progress import Tracker
from coterie._support.stoppable import stoppable
from coterie._support.typing import Data, FloatArray, Labels, Mask
from coterie.cluster import KMeans, find_method
from coterie.cluster.agglomerative import cut_tree, genie_children
from coterie.data.missing import fill_from_similar
from coterie.evaluate import Significance
from coterie.evaluate.belief import (
    EXACT,
    MixedColumns,
    NullMixedRows,
    NullModel,
    fit_null,
    own_stream,
    run_all,
    step_of,
)
from coterie.pipeline.candidates import RIDGE, ROWS_PER_PARAMETER, MixedPoints, Task, propose_aloud
from coterie.pipeline.choose_method import valleys_of
from coterie.pipeline.judge.density_valleys import Valleys
from coterie.pipeline.many_columns import MANY_COLUMNS
from coterie.pipeline.request import FitRequest
from coterie.tree import Dendrogram, linkage

ROWS_PER_DRAWN_GROUP = 20  # of the smallest group: with fewer, its border cannot be seen
NUMBERS = (2,)  # of groups that rows and draws are divided into: the clearest border shows there
MIXED_NUMBERS = (2, 3)  # of mixed rows, of which a split in two often joins groups that are like each other
QUICK_CLASSES = {"n_init": 1, "tol": 1e-3, "max_iter": 50}
MODE_SCALE = 12  # neighbours
SMOOTH_SCALE = 40  # neighbours of the density that tells a dense group from a background
BACKGROUND_GROUPS = 2  # a dense group and the background; of more, the background is noise
GINI_THRESHOLD = 0.3
SHARE_AS_GOOD = 0.1  # of the draws: once so many are as good, p is far above the level, and drawing stops
LEAST_AS_GOOD = 5
LEAST_LINKED = 60  # rows: the neighbours of fewer are a large part of all
MEASURE = "separation"
WEAKEST = "weakest border"  # of groups that a person made: what their splits and moves change


@dataclass(frozen=True, eq=False)
class NullRows:
    """Null data with the shape of given rows: one Gaussian, rounded and filled as the rows are.

    Examples
    --------
    >>> rows = np.random.default_rng(0).normal(size=(50, 2)).round(1)
    >>> drawn = NullRows(rows).draw(np.random.default_rng(1))
    >>> drawn.shape, bool(np.allclose(drawn, drawn.round(1)))
    ((50, 2), True)
    """

    rows: Data  # (n, d): the rows
    filled: Mask | None = None  # (n, d): the values that were missing and are those of the most similar row

    def draw(self, rng: np.random.Generator) -> Data:
        """Return rows of one Gaussian."""
        if self.filled is None or not self.filled.any():
            return self._rounded(self._gaussian.draw(rng))
        drawn = self._rounded(self._of_known(self.filled, rng))
        gaps = self.filled & ~self.filled.all(axis=0)  # what a sample lacks has nothing to be filled with
        return fill_from_similar(np.where(gaps, np.nan, drawn))

    @cached_property
    def _gaussian(self) -> NullModel:
        return fit_null("gaussian", self.rows, who="coterie.fit")

    @cached_property
    def _steps(self) -> FloatArray:
        """The step that each column is rounded to; 0 where it is not."""
        return np.array([step_of(column) for column in self.rows.T])

    def _of_known(self, filled: Mask, rng: np.random.Generator) -> Data:
        """Draw from the means and covariances of the values that were not missing."""
        known = np.where(filled, np.nan, self.rows.astype(np.float64))
        n_known = np.maximum((~filled).sum(axis=0), 1)
        means = np.nansum(known, axis=0) / n_known
        centred = np.where(filled, 0.0, known - means)
        is_known = (~filled).astype(np.float64)
        pairs = np.maximum(is_known.T @ is_known, 1.0)
        values, axes = stoppable(np.linalg.eigh, (centred.T @ centred) / pairs)
        root = axes * np.sqrt(np.maximum(values, 0.0))
        drawn = rng.normal(size=self.rows.shape) @ root.T + means
        return np.asarray(drawn, dtype=self.rows.dtype)

    def _rounded(self, drawn: Data) -> Data:
        """Return the draw with every column rounded as that of the rows is, within its range."""
        drawn = np.array(drawn)
        columns = np.flatnonzero(self._steps)
        if columns.size:
            low, high = self.rows[:, columns].min(axis=0), self.rows[:, columns].max(axis=0)
            steps = np.round((drawn[:, columns] - low) / self._steps[columns])
            drawn[:, columns] = np.clip(low + self._steps[columns] * steps, low, high)
        return drawn


def compare_with_null(
    points: Data,
    labels: Labels,
    request: FitRequest,
    tracker: Tracker,
    *,
    filled: Mask | None = None,
    mixed: MixedColumns | None = None,
    is_given: bool = False,
) -> Significance:
    """Return how often the best split of null data is as good as that of the rows.

    Groups that a person made were not searched for: their own weakest border is compared with the clearest
    border that a search finds in null data.

    Draws stop once the p-value is certain to be far above the level (Besag and Clifford 1991).

    Parameters
    ----------
    points : array of shape (n, d)
        The rows that methods were compared on.
    labels : array of shape (n,)
        Their groups; below 0 is noise. The sample has at least 20 rows of the smallest.
    request : FitRequest
        Methods and numbers of groups that were asked for, draws, seed.
    tracker : Tracker
        Hears how far the draws have come.
    filled : array of bool of shape (n, d), default=None
        Values that were missing.
    mixed : MixedColumns, default=None
        Which columns are categories; None: none.
    is_given : bool, default=False
        The labels themselves are tested, not the best split of the rows.
    """
    budget, n_rows = request.budget, len(points)
    size = rows_to_draw(labels, budget.draw_rows)
    how = EXACT
    if size < n_rows:
        kept = np.sort(own_stream(request.seed).choice(n_rows, size, replace=False))
        points, filled, labels = points[kept], None if filled is None else filled[kept], labels[kept]
        request = request.among(kept, n_rows)
        how = f"{size:,} of {n_rows:,} rows"
    rows = np.ascontiguousarray(points)
    null = NullRows(rows, filled) if mixed is None else NullMixedRows(rows, mixed)
    score, observed = best_rank, float("nan")
    if is_given:
        request, score = replace(request, methods=None, ks=None), clearest_border
        observed = weakest_border(valleys_of(null.rows, request, mixed), labels)
    else:
        observed = best_rank(null.rows, request, mixed)
    draws = run_all(
        lambda rng: score(null.draw(rng), request, mixed),
        request.seed,
        budget.draws,
        n_rows=size,
        tracker=tracker,
        is_enough=until_p_is_large(observed, budget.draws),
    )
    against = "one Gaussian" if mixed is None else "one Gaussian, categories being intervals of it"
    measure = WEAKEST if is_given else MEASURE
    return Significance(
        measure, "gaussian", against, observed, np.array(draws), greater_is_better=True, how=how
    )


def until_p_is_large(observed: float, n_draws: int) -> Callable[[list[float]], bool]:
    """Return whether draws made so far tell that p is far above the level: a tenth of all are as good.

    The draw that completes them is the last one that counts, so that p is valid (Besag and Clifford 1991). A
    draw in which the method finds no groups, nan, is worse than rows in which it does.

    Examples
    --------
    >>> is_enough = until_p_is_large(1.0, 40)
    >>> is_enough([0.5, 2.0, 1.0, 1.5]), is_enough([0.5, 2.0, 1.0, 1.5, 1.0, 3.0])
    (False, True)
    >>> is_enough([float("nan")] * 20)
    False
    """
    most, has_none = max(LEAST_AS_GOOD, int(np.ceil(SHARE_AS_GOOD * n_draws))), np.isnan(observed)
    return lambda made: sum(bool(has_none or value >= observed) for value in made) >= most


def rows_to_draw(labels: Labels, n_wanted: int) -> int:
    """Return how many rows the test needs, so that the smallest group has enough of them.

    Examples
    --------
    >>> rows_to_draw(np.repeat([0, 1], [900, 100]), 100), rows_to_draw(np.zeros(50, int), 100)
    (200, 50)
    """
    sizes = np.bincount(labels[labels >= 0])
    smallest = int(sizes[sizes > 0].min(initial=len(labels)))
    return min(len(labels), max(n_wanted, -(-ROWS_PER_DRAWN_GROUP * len(labels) // smallest)))


def best_rank(points: Data, request: FitRequest, mixed: MixedColumns | None = None) -> float:
    """Return the separation of the best split of some rows, less the price of what crosses its borders.

    In many columns density says little, links of near rows say much: how well the communities of these hold
    together (their persistence, 0 to 1) is added.
    """
    valleys, splits = _search(points, request, mixed)
    ranks = [valleys.judge(labels).rank for labels in splits]
    return max(ranks, default=float("nan")) + (_persistence(valleys, request) if mixed is None else 0.0)


def clearest_border(points: Data, request: FitRequest, mixed: MixedColumns | None = None) -> float:
    """Return the evidence of the clearest border that a search finds in some rows."""
    valleys, splits = _search(points, request, mixed)
    return max((weakest_border(valleys, labels) for labels in splits), default=float("nan"))


def weakest_border(valleys: Valleys, labels: Labels) -> float:
    """Return the evidence of the least clear border of a partition; nan: it has no two groups."""
    return float(valleys.judge(labels).evidence.min(initial=np.inf)) if _has_groups(labels) else float("nan")


def _has_groups(labels: Labels) -> bool:
    return len(np.unique(labels[labels >= 0])) > 1


def _search(
    points: Data, request: FitRequest, mixed: MixedColumns | None
) -> tuple[Valleys, Iterator[Labels]]:
    """Return the judge of some rows, and splits of them into two groups or more."""
    points = np.ascontiguousarray(points)
    valleys = valleys_of(points, request, mixed)
    numbers = NUMBERS if mixed is None else MIXED_NUMBERS
    ks = tuple(k for k in (request.ks or numbers) if k > 1)[: len(numbers)]
    ks = ks if request.ks else request.within_sizes(ks, len(points))
    task = Task(valleys, ks, request, None if mixed is None else MixedPoints(points, mixed))
    if request.methods is not None:
        splits = _asked(task)
    else:
        splits = _quick(valleys, ks, request) if mixed is None else _quick_mixed(task)
    return valleys, filter(_has_groups, splits)


def _persistence(valleys: Valleys, request: FitRequest) -> float:
    """Return the persistence of the best neighbour-graph communities; 0 if they were not looked for."""
    n_rows, n_columns = valleys.X.shape
    if n_columns < MANY_COLUMNS or n_rows < LEAST_LINKED or "embedding" not in request.methods_to_compare():
        return 0.0
    model = find_method("embedding").load()(
        metric=request.distance or "euclidean", random_state=request.seed, n_jobs=1
    )
    return float(model.quick_persistence(valleys.X, valleys.distances))


def _quick(valleys: Valleys, ks: tuple[int, ...], request: FitRequest) -> Iterator[Labels]:
    """Yield splits of a few methods that take little time and see different shapes."""
    X, metric = valleys.X, request.distance or "euclidean"
    from_X, by = (
        (X, metric) if valleys.distances.matrix is None else (valleys.distances.matrix, "precomputed")
    )
    modes = min(valleys.trees, key=lambda tree: abs(tree.n_neighbors - MODE_SCALE))
    smooth = min(valleys.trees, key=lambda tree: abs(tree.n_neighbors - SMOOTH_SCALE))
    rule = "ward" if request.distance is None else "average"
    merges = Dendrogram.from_linkage(linkage(from_X, rule, by))
    children = genie_children(valleys.distances.spanning_tree(), GINI_THRESHOLD)
    for k in (k for k in ks if k < len(X)):
        yield modes.cut(k)
        if k == BACKGROUND_GROUPS:
            yield smooth.cut(k, background=True)
        yield merges.cut(n_clusters=k)
        yield cut_tree(children, len(X), k)
        if request.distance is None:
            yield KMeans(k, n_init=1, random_state=request.seed).fit(X).labels_
            yield from _mixture(X, k, request.seed)


def _mixture(X: Data, k: int, seed: int) -> Iterator[Labels]:
    n_rows, n_columns = X.shape
    if n_rows <= ROWS_PER_PARAMETER * k * n_columns * (n_columns + 1) / 2:
        return
    ridge = RIDGE * float(np.mean(X.var(axis=0, dtype=np.float64))) or RIDGE
    model = find_method("mixture").load()(n_components=k, reg_covar=ridge, random_state=seed)
    yield model.fit(X).labels_


def _quick_mixed(task: Task) -> Iterator[Labels]:
    """Yield splits of mixed rows by methods that take little time."""
    assert task.mixed is not None
    methods = task.request.methods_to_compare(is_mixed=True)
    for method in ("kprototypes", "agglomerative"):
        if method in methods:
            for _, labels in propose_aloud(method, task):
                yield np.asarray(labels)
    for k in task.ks if "latent-classes" in methods else ():
        model = find_method("latent-classes").load()(k, random_state=task.seed, **QUICK_CLASSES)
        yield task.mixed.columns.tell(model).fit(task.rows).labels_


def _asked(task: Task) -> Iterator[Labels]:
    """Yield what the methods that were asked for find."""
    for method in task.request.methods_to_compare():
        for _, labels in propose_aloud(method, task):
            yield np.maximum(np.asarray(labels), -1)
