"""How many clusters: every criterion that applies, over the same clusterings."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coterie._support import scikit_learn
from coterie._support.notes import Door, Note
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import CheckedRows, Data, MatrixLike, Model, RandomState
from coterie._support.validation import Nothing, Seed, Whole, check_data, check_parameters, check_seed
from coterie._support.validation.parameters import is_whole
from coterie.cluster.categorical import learn_columns
from coterie.distance import find_distance
from coterie.distance.catalogue import DistanceLike
from coterie.distance.mixed import holds_categories, learn_table
from coterie.distance.table import TableEncoding
from coterie.errors import InvalidParameter
from coterie.evaluate.belief import MixedColumns
from coterie.select.catalogue import Criterion, find_criterion
from coterie.select.catalogue import criteria as all_criteria
from coterie.select.curve import Curve
from coterie.select.evidence import Evidence
from coterie.select.partitioners import Partitioner, find_partitioner
from coterie.select.rules import Measured
from coterie.select.subject import Effort, Subject
from coterie.select.verdict import judge

NEARLY_ALL = 0.95  # share of the rows
CRUMB_SHARE = 0.005  # a cluster of a smaller share, and of fewer rows than CRUMB_ROWS, is a crumb
CRUMB_ROWS = 5
WHO = "choose_k"
MOST_BY_DEFAULT = 15
LEAST_ROWS, FEW_ROWS = 3, 10
FIRST_ROWS = 20  # times the largest k: nearly always enough different ones are among them
SAMPLE_ROWS = 5_000  # all pairs of so many rows take some 20 ms per k
FAST_RERUN_ROWS, SLOW_RERUN_ROWS = 2_000, 500
FAST_DRAWS, SLOW_DRAWS = 50, 20
SPLITS, FOLDS, RESAMPLES = 5, 5, 20


def find_trivial(subject: Subject) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return the numbers of clusters that are trivial, and what is to be said about them."""
    trivial, flags = set(), []
    for k in subject.ks:
        labels = subject.labels(k)
        if labels is None:
            trivial.add(k)
            flags.append(f"k = {k}: no such clustering was found")
            continue
        if k == 1:
            continue
        sizes = np.bincount(labels, minlength=k)
        largest = sizes.max() / sizes.sum()
        crumbs = int(np.count_nonzero((sizes < CRUMB_ROWS) & (sizes < CRUMB_SHARE * sizes.sum())))
        if largest >= NEARLY_ALL:
            trivial.add(k)
            flags.append(f"k = {k}: one cluster holds {largest:.1%} of the rows")
        elif crumbs:
            few = f"{crumbs} clusters have" if crumbs > 1 else "one cluster has"
            flags.append(f"k = {k}: {few} fewer than {CRUMB_ROWS} rows")
        if crumbs * 2 > k:
            trivial.add(k)
    return frozenset(trivial), tuple(flags)


def choose_k(
    X: MatrixLike,
    method: str | Model = "kmeans",
    *,
    k: Iterable[int] | None = None,
    criteria: Sequence[str] | None = None,
    random_state: RandomState = None,
    sample_size: int = SAMPLE_ROWS,
    n_draws: int | None = None,
    progress: ProgressOption = None,
) -> Evidence:
    """Choose the number of clusters by many criteria, with the evidence.

    Every criterion that applies to the method judges the same clusterings: k-means goes on from k to k, trees
    are built once and cut, a spectral graph is embedded once, other methods are fitted for each k.

    Parameters
    ----------
    X : array-like or frame of shape (n_samples, n_features)
        Data; distances for an estimator with ``metric="precomputed"``. Categories are used by k-prototypes,
        k-modes and latent classes, and by methods under Gower's distance: they are judged by that distance.
    method : str or estimator, default="kmeans"
        A name of `coterie.cluster.methods()` that takes a number of clusters, or an unfitted estimator.
    k : iterable of int, default=None
        Numbers of clusters to compare; None: 1 to 15, or as many as there are rows.
    criteria : sequence of str, default=None
        Names of `coterie.select.criteria()`; None: all that apply to the method.
    random_state : int, RandomState, Generator or None, default=None
        Seed of starts and draws.
    sample_size : int, default=5000
        Rows that criteria of all pairs look at, when there are more: these are estimates, and say so.
    n_draws : int, default=None
        Data sets without clusters for the gap statistic; None: 50 for k-means, 20 for other methods.
    progress : None, bool or callable, default=None
        True shows a line on a terminal; a callable is called with a `Progress` after every step.

    Returns
    -------
    evidence : Evidence
        Curves, verdict, labels; prints as a table.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (40, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> choose_k(X, k=range(1, 6), criteria=["silhouette", "gap"], random_state=0).k
    3
    """
    began = time.perf_counter()
    check_parameters(
        {"random_state": random_state, "sample_size": sample_size, "n_draws": n_draws},
        {"random_state": Seed(), "sample_size": Whole(10), "n_draws": Whole(2) | Nothing()},
        who=WHO,
    )
    partitioner = find_partitioner(method)
    coded = code_rows(X, partitioner.estimator, who=WHO)
    if coded is None:
        data: CheckedRows = check_data(
            X, who=WHO, min_rows=LEAST_ROWS, may_be_distances=not partitioner.takes_rows
        )
    else:
        partitioner = replace(partitioner, estimator=coded.estimator, has_categories=True)
        data = coded.X
    chosen = _applicable(criteria, partitioner)
    ks = check_ks(k, len(data))
    seed, effort = check_seed(random_state), _effort(partitioner, sample_size, n_draws)
    with track(progress, f"choosing k: {partitioner.title}") as tracker:
        subject = _subject(data, coded, ks, partitioner, effort, seed, tracker)
        curves = tuple(_curves(subject, chosen, tracker))
    trivial, flags = find_trivial(subject)
    verdict = judge(curves, ks, trivial)
    return Evidence(
        method=partitioner.name,
        ks=ks,
        curves=curves,
        labelings=dict(subject.partitions.labels),
        flags=flags,
        verdict=verdict,
        notes=(*_few(len(data)), *_at_the_edge(verdict.k, ks, len(data)), *_notes(curves)),
        seconds=time.perf_counter() - began,
    )


def check_ks(k: Iterable[int] | None, n_rows: int) -> tuple[int, ...]:
    """Return the numbers of clusters, ascending, or say what is wrong with them.

    Examples
    --------
    >>> check_ks(None, 100)[-1], check_ks([4, 2, 3], 100)
    (15, (2, 3, 4))
    """
    if k is None:
        return tuple(range(1, min(MOST_BY_DEFAULT, n_rows) + 1))
    k = k.tolist() if isinstance(k, np.ndarray) else k  # of one number, it cannot be iterated over
    values: list[int] = list(k) if isinstance(k, Iterable) else [k]
    if not values or not all(is_whole(value) for value in values):
        raise InvalidParameter(f"k of {WHO} must be whole numbers, such as range(1, 16), got {k!r}.")
    low, high = min(values), max(values)
    if low < 1 or high > n_rows:
        raise InvalidParameter(
            f"k of {WHO} must lie between 1 and n_samples={n_rows}, got {low} to {high}."
        ).in_shell(f"-k must lie between 1 and {n_rows}, the number of rows, got {low}..{high}.")
    return tuple(sorted({int(value) for value in values}))


def _effort(partitioner: Partitioner, sample_size: int, n_draws: int | None) -> Effort:
    is_fast = partitioner.is_fast
    return Effort(
        sample_size=sample_size,
        rerun_size=FAST_RERUN_ROWS if is_fast else SLOW_RERUN_ROWS,
        n_draws=n_draws or (FAST_DRAWS if is_fast else SLOW_DRAWS),
        n_splits=SPLITS,
        n_folds=FOLDS,
        n_resamples=RESAMPLES,
    )


def _subject(
    X: Data,
    coded: CodedRows | None,
    ks: tuple[int, ...],
    partitioner: Partitioner,
    effort: Effort,
    seed: int,
    tracker: Tracker,
) -> Subject:
    found = partitioner.run(X, ks, seed)
    most = _count_different(X, ks[-1]) if partitioner.takes_rows else len(X)
    labels = {k: found.labels[k] if k <= most else None for k in ks}
    columns, metric = (None, partitioner.metric) if coded is None else (coded.columns, coded.metric)
    partitions = replace(found, labels=labels)
    return Subject(X, ks, partitioner, partitions, effort, columns, metric, seed, tracker)


def _count_different(X: Data, enough: int) -> int:
    """Return the number of different rows, or of those that a look at the first ones found to be enough."""
    few = len(np.unique(X[: FIRST_ROWS * enough], axis=0))
    return few if few >= enough else len(np.unique(X, axis=0))


def _applicable(names: Sequence[str] | None, partitioner: Partitioner) -> list[Criterion]:
    """Return the criteria that apply; one that was asked for and does not apply is refused."""
    if names is None:
        return [found for found in all_criteria() if found.needs in partitioner.gives]
    wanted = [find_criterion(name) for name in ([names] if isinstance(names, str) else names)]
    for found in wanted:
        if found.needs not in partitioner.gives:
            raise InvalidParameter(
                f"criteria of {WHO}: {found.name} needs {_NEEDS[found.needs]}, which {partitioner.title} "
                f"does not give here."
            )
    return wanted


_NEEDS = {
    "rows": "rows of numbers",
    "distances": "rows or distances",
    "rerun": "rows of numbers",
    "numbers": "rows without categories",
    "categories": "rows with categories",
    "means": "rows without categories and a method that places new ones",
    "placing": "rows and a method that places new ones",
    "likelihood": "a likelihood",
    "tree": "a tree",
    "eigenvalues": "the eigenvalues of a graph",
}


def _curves(subject: Subject, chosen: list[Criterion], tracker: Tracker) -> Iterable[Curve]:
    for at, found in enumerate(chosen):
        tracker.report(at + 1, stage=f"choosing k: {found.title}", total=len(chosen) + 1)
        measured = _where_known(subject.shared(found.measure), subject)
        choice = found.choose(subject.ks, measured)
        yield Curve(
            name=found.name,
            title=found.title,
            ks=subject.ks,
            values=measured.values,
            errors=measured.errors,
            greater_is_better=found.greater_is_better,
            choice=choice.k,
            reason=choice.reason,
            note=measured.note,
        )


def _where_known(found: Measured, subject: Subject) -> Measured:
    """Return values without those of clusterings that do not exist."""
    is_known = np.array([subject.labels(k) is not None for k in subject.ks])
    errors = None if found.errors is None else np.where(is_known, found.errors, np.nan)
    return Measured(np.where(is_known, found.values, np.nan), errors, found.note)


def _few(n_rows: int) -> list[str]:
    """Return what is to be said about very few rows."""
    return [f"{n_rows} rows are too few for any criterion to mean much"] if n_rows < FEW_ROWS else []


def _at_the_edge(k: int, ks: Sequence[int], n_rows: int) -> list[str]:
    """Return what is to be said if no larger number was compared than the one that won."""
    beyond = min(2 * k, n_rows - 1)
    if not 1 < k == ks[-1] < beyond:
        return []
    ways: dict[Door, str] = {
        "python": f"k=range({ks[0]}, {beyond + 1})",
        "shell": f"-k {ks[0]}..{beyond}",
        "page": f"coterie select -k {ks[0]}..{beyond}",
    }
    return [Note.of(lambda door: f"{k} is the largest number compared: {ways[door]} compares more")]


def _notes(curves: Sequence[Curve]) -> tuple[str, ...]:
    """Return one note for all criteria that were estimated in the same way."""
    titles: dict[str, list[str]] = {}
    for curve in curves:
        if curve.is_estimate:
            titles.setdefault(curve.note, []).append(curve.title)
    return tuple(f"{note}: {', '.join(names)}" for note, names in titles.items())


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of numbers and codes, and the method told which columns are codes."""

    X: Data  # (n, d): numbers, codes of categories, NaN where a cell is missing
    columns: MixedColumns  # which is which
    estimator: Model  # unfitted; it takes these rows
    # the distance between rows by which groups are judged: the method's own, else Gower's
    metric: DistanceLike


def code_rows(X: MatrixLike, estimator: Model, *, who: str) -> CodedRows | None:
    """Return the rows of a table with categories for a method that takes them; None: all are numbers.

    Examples
    --------
    >>> from coterie.cluster import KPrototypes
    >>> rows = [[1.5, "red"], [2.0, "blue"], [1.0, "red"]]
    >>> code_rows(rows, KPrototypes(2), who="this function").X.tolist()
    [[1.5, 1.0], [2.0, 0.0], [1.0, 1.0]]
    """
    told = estimator.get_params(deep=False)
    metric = told.get("metric")
    if metric is not None and holds_categories(metric, X):
        table, distance = learn_table(X, distance=find_distance(metric), who=who)
        changes: dict[str, object] = {"metric": distance}
    elif "categorical" in told:
        table = learn_columns(X, told["categorical"], who=who)
        changes = {"categorical": [at for at, kind in enumerate(table.kinds) if kind != "number"]}
    elif _takes_categories_alone(estimator):
        table, changes = TableEncoding.learn(X, kinds="category", who=who), {}
    else:
        return None
    is_ranked = [kind in ("number", "ordinal") for kind in table.kinds]  # ranks are numbers
    n_levels = [len(levels or ()) for levels in table.levels]
    columns = MixedColumns(tuple(0 if ranked else n for ranked, n in zip(is_ranked, n_levels, strict=True)))
    if not columns.categorical:
        return None
    rows = np.ascontiguousarray(table.encode(X, who=who), dtype=np.float64)
    ours = scikit_learn.clone(estimator).set_params(**changes)
    return CodedRows(rows, columns, ours, changes.get("metric", columns.gower))  # type: ignore[arg-type]


def _takes_categories_alone(estimator: Model) -> bool:
    from coterie.cluster import KModes

    return isinstance(estimator, KModes)
