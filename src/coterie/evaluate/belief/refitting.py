"""Fitting an estimator again: on other rows, with seeds of its own, and with one voice for all warnings."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from threadpoolctl import threadpool_limits

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.progress import Tracker
from coterie._support.threads import resolve_threads, workers
from coterie._support.typing import AnyArray, CheckedRows, Indices, Labels, MatrixLike, Model, Weights
from coterie._support.validation import check_sparse
from coterie.errors import InvalidData, InvalidParameter

SIDE_BY_SIDE_ROWS = 50_000  # beyond, one fit keeps all threads busy and several would need too much memory

OWN_STREAM = 0x636F7465726965  # "coterie"

Found = TypeVar("Found")


@dataclass(frozen=True, eq=False)
class Draw:
    """The rows of one resample, in rising order, and how often each was drawn (None: once)."""

    rows: Indices
    counts: Weights | None = None


class Refitter:
    """Fits clones of an estimator to parts of one data set: rows, or a square matrix where it takes one."""

    def __init__(self, estimator: object, X: MatrixLike, *, who: str) -> None:
        if isinstance(estimator, type) or not (
            hasattr(estimator, "fit") and hasattr(estimator, "get_params")
        ):
            got = f"the class {estimator.__name__} itself" if isinstance(estimator, type) else repr(estimator)
            raise InvalidParameter(
                f"estimator of {who} must be an estimator with fit and get_params, such as KMeans(3), got "
                f"{got}."
            )
        self.estimator = estimator
        self.X: CheckedRows = X if hasattr(X, "shape") else _as_array(X, who)
        if issparse(X):
            self.X = check_sparse(X, who=who, keep_order=True).tocsr()  # other kinds cannot take rows
        self.who = who
        self.is_pairwise = bool(scikit_learn.get_tags(estimator).input_tags.pairwise)
        self.takes_weights = bool(scikit_learn.has_fit_parameter(estimator, "sample_weight")) and not getattr(
            estimator, "_copies_are_dense_spots", False
        )
        self._seeds = [
            name
            for name in estimator.get_params(deep=True)
            if name == "random_state" or name.endswith("__random_state")
        ]
        if len(self.X.shape) != 2:
            raise InvalidData(f"X of {who} must be a matrix, one row per sample, got shape {self.X.shape}.")
        if not self.X.shape[0]:
            raise InvalidData(f"X of {who} must have at least one row, got shape {self.X.shape}.")

    @property
    def n_rows(self) -> int:
        """Number of rows in all."""
        return int(self.X.shape[0])

    def fit(self, X: CheckedRows, *, seed: int | None = None, weights: Weights | None = None) -> Model:
        """Return a fitted copy of the estimator; without a seed it keeps its own."""
        return self._fit_copy(scikit_learn.clone(self.estimator), X, seed, weights)

    def _fit_copy(self, model: Model, X: CheckedRows, seed: int | None, weights: Weights | None) -> Model:
        if seed is not None and self._seeds:
            model.set_params(**dict.fromkeys(self._seeds, seed))
        return model.fit(X) if weights is None else model.fit(X, sample_weight=weights)

    def fit_draw(self, draw: Draw, seed: int) -> tuple[Model, Labels]:
        """Return a copy fitted to the drawn rows, and their labels."""
        part = self.take(draw.rows)
        weights = draw.counts if self.takes_weights else None
        # constraints that name rows or count them hold for the drawn ones
        restrict = getattr(self.estimator, "restricted_to", None)
        copy = scikit_learn.clone(self.estimator) if restrict is None else restrict(draw.rows, self.n_rows)
        model = self._fit_copy(copy, part, seed, weights)
        return model, labels_of(model, part, who=self.who)

    def take(self, rows: Indices) -> CheckedRows:
        """Return some of the rows; of a square matrix their columns too."""
        if not self.is_pairwise:
            from sklearn.utils import _safe_indexing

            return _safe_indexing(self.X, rows)
        if issparse(self.X):
            return self.X[rows][:, rows]
        return np.asarray(self.X)[np.ix_(rows, rows)]


def labels_of(model: object, X: CheckedRows, *, who: str) -> Labels:
    """Return the labels of the rows that a model was fitted to."""
    found = getattr(model, "labels_", None)
    if found is None and hasattr(model, "predict"):
        found = model.predict(X)
    if found is None:
        raise InvalidParameter(
            f"estimator of {who} must have labels_ or predict after fit, {type(model).__name__} has neither."
        )
    return np.asarray(found)


def draw_bootstrap(n_rows: int, rng: np.random.Generator) -> Draw:
    """Draw as many rows as there are, with replacement."""
    counts = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows)
    rows = np.flatnonzero(counts)
    return Draw(rows, counts[rows].astype(np.float64))


def draw_subsample(n_rows: int, fraction: float, rng: np.random.Generator) -> Draw:
    """Draw a share of the rows, each at most once."""
    size = max(1, round(fraction * n_rows))
    return Draw(np.sort(rng.choice(n_rows, size, replace=False)))


def own_stream(seed: int) -> np.random.Generator:
    """Return a generator that nobody makes by chance: data drawn with the same seed must not come again."""
    return np.random.default_rng([seed, OWN_STREAM])


def seed_from(rng: np.random.Generator) -> int:
    """Return a seed that every estimator takes."""
    return int(rng.integers(2**32))


def run_all(
    work: Callable[[np.random.Generator], Found],
    seed: int,
    n_runs: int,
    *,
    n_rows: int,
    tracker: Tracker,
    is_enough: Callable[[list[Found]], bool] | None = None,
) -> list[Found]:
    """Do the same work once per random stream and return what was found, in the order of the streams.

    Small data leave threads idle within one fit, so that several fits run side by side, each in one thread;
    large data are fitted one after the other, each in all threads. The answers are the same. Once `is_enough`
    is true of what the first streams gave, the others are left out.
    """
    generators = [np.random.default_rng([seed, OWN_STREAM, at]) for at in range(n_runs)]
    n_workers = min(resolve_threads(), n_runs)
    found: list[Found] = []
    with hushed(), ExitStack() as stack:
        if n_workers == 1 or n_rows > SIDE_BY_SIDE_ROWS:
            results: Iterable[Found] = map(work, generators)
        else:
            stack.enter_context(threadpool_limits(1))
            pool = stack.enter_context(workers(n_workers, lambda: threadpool_limits(1, "openmp")))
            results = pool.map(work, generators)
        for result in results:
            found.append(result)
            tracker.report(len(found))
            if is_enough is not None and is_enough(found):
                break
    return found


@contextmanager
def hushed() -> Iterator[None]:
    """Say the commonest warning of many fits once, at the end, with how often it was heard.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     with hushed():
    ...         for _ in range(3):
    ...             warnings.warn("too few rows", stacklevel=1)
    >>> str(caught[0].message)
    'too few rows (3 times)'
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    if caught:
        counts = Counter((str(each.message), each.category) for each in caught)
        (message, kind), times = counts.most_common(1)[0]
        warn_caller(f"{message} ({times} times)", kind)


def fill_labels(n_rows: int, rows: Indices, labels: Labels, absent: int) -> npt.NDArray[np.int32]:
    """Return labels of all rows: those of the drawn ones, and `absent` for the others."""
    full = np.full(n_rows, absent, dtype=np.int32)
    full[rows] = labels
    return full


def _as_array(X: MatrixLike, who: str) -> AnyArray:
    try:
        return np.asarray(X)
    except ValueError:  # lists of different lengths
        raise InvalidData(
            f"X of {who} must be a matrix, one row per sample, got rows of different lengths."
        ) from None
