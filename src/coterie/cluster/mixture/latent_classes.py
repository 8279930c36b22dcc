"""Latent class analysis: a mixture over tables of numbers and categories, from the cells that are there."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.caller import caller_level
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Constraint,
    Flag,
    Function,
    Nothing,
    Number,
    Seed,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import COUNT, FLAG, ListOf, Schema, Tensor, check_squares, wrong
from coterie.cluster.base import Listener
from coterie.cluster.categorical.rows import (
    Doubles,
    MergedRows,
    MixedRows,
    category_weights,
    check_numbers,
    learn_columns,
    merge_equal_rows,
    middle_of,
    refuse_empty_rows,
    split_columns,
)
from coterie.cluster.mixture.criteria import LikelihoodClusterer, shares_of
from coterie.errors import InvalidData

LEAST_PROBABILITY = 1e-15  # of a category: a class that has none of it does not forbid it
OWN_SHARE = 0.5  # of a start: the rest of a class is like all rows
LOG_OF_TWO_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Classes:
    """The parameters of all classes.

    Parameters
    ----------
    weights : array of shape (n_classes,)
        Share of all rows in each class.
    probabilities : list of arrays of shape (n_classes, n_levels)
        Of the categories, one array per column of them.
    means, variances : arrays of shape (n_classes, n_numbers)
        Of the numbers.
    """

    weights: Doubles
    probabilities: list[Doubles]
    means: Doubles
    variances: Doubles

    def log_joint(self, rows: MixedRows) -> Doubles:
        """Return the logarithm of the density of every row in every class, missing cells left out."""
        with np.errstate(divide="ignore"):  # nothing is in a class of weight 0
            out = np.repeat(np.log(self.weights)[None, :], rows.n, axis=0)
        for codes, table in zip(rows.codes.T, self.probabilities, strict=True):
            logs = np.vstack([np.log(table.T), np.zeros(len(self.weights))])  # the last row: nothing is known
            out += logs[np.where(codes < 0, len(logs) - 1, codes)]
        for column, mean, variance in zip(rows.numbers.T, self.means.T, self.variances.T, strict=True):
            with np.errstate(over="ignore"):  # so far from a class, a row has no share in it
                terms = -0.5 * (LOG_OF_TWO_PI + np.log(variance) + (column[:, None] - mean) ** 2 / variance)
            out += np.where(np.isnan(column)[:, None], 0.0, terms)
        return out


class TableSums:
    """Passes over the different rows of a table: the likelihood of classes, and likelier ones."""

    def __init__(self, merged: MergedRows) -> None:
        rows = merged.rows
        self.ends = np.cumsum(rows.n_levels)
        n_levels = int(rows.n_levels.sum())
        levels = np.where(rows.codes < 0, n_levels, rows.codes + (self.ends - rows.n_levels))
        self.total = float(merged.weights.sum())
        self._table = _core.LatentTable(
            rows.numbers, np.ascontiguousarray(levels, dtype=np.int32), n_levels, merged.weights
        )

    def step(self, classes: Classes, reg_covar: float) -> tuple[float, Classes]:
        """Return the mean log-likelihood of a row, and the likeliest parameters for the shares of classes.

        A class keeps what none of its rows tells.
        """
        tables = [np.log(table) for table in classes.probabilities]
        with np.errstate(divide="ignore"):  # nothing is in a class of weight 0
            log_weights = np.log(classes.weights)
        log_likelihood, weight, counts, mass, deviation, squares = _core.latent_class_sums(
            self._table,
            log_weights,
            np.ascontiguousarray(np.hstack([*tables, np.zeros((len(log_weights), 1))])),
            -0.5 * (LOG_OF_TWO_PI + np.log(classes.variances)),
            classes.means,
            classes.variances,
        )
        totals = weight + 10 * np.finfo(np.float64).eps
        parts = np.split(counts[:, :-1], self.ends[:-1], axis=1) if len(self.ends) else []
        probabilities = [
            _probabilities(part, old) for part, old in zip(parts, classes.probabilities, strict=True)
        ]
        is_known = mass > 0
        safe = np.where(is_known, mass, 1.0)
        shift = deviation / safe
        variances = np.maximum(squares / safe - shift**2, 0.0) + reg_covar
        return log_likelihood / self.total, Classes(
            totals / totals.sum(),
            probabilities,
            np.where(is_known, classes.means + shift, classes.means),
            np.where(is_known, variances, classes.variances),
        )


def _probabilities(counts: Doubles, old: Doubles) -> Doubles:
    mass = counts.sum(axis=1, keepdims=True)
    found = np.divide(counts, mass, out=old.copy(), where=mass > 0)
    probabilities: Doubles = np.maximum(found, LEAST_PROBABILITY)
    return probabilities


@dataclass(frozen=True, eq=False)
class Run:
    """What one start ends with."""

    classes: Classes
    bounds: list[float]
    converged: bool


def run_em(merged: MergedRows, start: Classes, *, tol: float, max_iter: int, reg_covar: float) -> Run:
    """Raise the likelihood step by step, until the mean of a row gains less than `tol`."""
    sums, classes, bounds = TableSums(merged), start, []
    for _ in range(max_iter):
        bound, likelier = sums.step(classes, reg_covar)
        bounds.append(bound)
        if len(bounds) > 1 and bounds[-1] - bounds[-2] < tol:
            return Run(classes, bounds, True)
        classes = likelier
    return Run(classes, [*bounds, sums.step(classes, reg_covar)[0]], False)


def draw_start(merged: MergedRows, k: int, reg_covar: float, random: np.random.Generator) -> Classes:
    """Return classes about k rows drawn by their weight, each half like its row and half like all rows."""
    rows = merged.rows
    share = merged.weights / merged.weights.sum()
    is_enough = np.count_nonzero(share) >= k
    chosen = random.choice(rows.n, k, replace=not is_enough, p=share)
    probabilities = []
    for codes, counts in zip(rows.codes.T, category_weights(merged), strict=True):
        common = np.maximum((counts + 1e-9) / (counts.sum() + 1e-9 * len(counts)), LEAST_PROBABILITY)
        table = np.repeat(common[None, :], k, axis=0)
        is_there = codes[chosen] >= 0
        table[is_there] *= 1 - OWN_SHARE
        table[np.flatnonzero(is_there), codes[chosen][is_there]] += OWN_SHARE
        probabilities.append(table)
    middle = middle_of(merged).means[0]
    means = np.where(np.isnan(rows.numbers[chosen]), middle, rows.numbers[chosen])
    apart = np.where(np.isnan(rows.numbers), 0.0, rows.numbers - middle) ** 2 * merged.weights[:, None]
    mass = (~np.isnan(rows.numbers) * merged.weights[:, None]).sum(axis=0)
    variance = apart.sum(axis=0) / np.where(mass > 0, mass, 1.0) + reg_covar
    return Classes(np.full(k, 1 / k), probabilities, means, np.repeat(variance[None, :], k, axis=0))


class LatentClasses(LikelihoodClusterer):
    """Groups of rows of numbers and categories, by a mixture whose columns are independent in each class.

    The density of a row is

        p(x) = sum over classes c of  weight_c  product over columns j of  p_cj(x_j),

    p_cj(x_j) the probability of a category or a normal density. Expectation-maximisation raises the
    likelihood of the cells that are there: a missing one is left out of the product, which is exact when
    cells are missing at random. Also called latent class analysis, and latent profile analysis where all
    columns are numbers.

    Parameters
    ----------
    n_components : int, default=2
        How many classes.
    categorical : sequence of column names or numbers, or None, default=None
        Columns that are categories although they hold numbers. Text, yes/no and categories of a frame
        always are.
    tol : float, default=1e-8
        Stop when the mean log-likelihood of a row gains less than this.
    max_iter : int, default=1000
        Most iterations of one run.
    n_init : int, default=10
        How many starts; the run of the largest likelihood is kept.
    reg_covar : float, default=1e-6
        Added to the variances of numbers.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same result.
    progress : None, bool or callable, default=None
        True shows a line on a terminal; a callable is called with a `Progress` after every start.

    Attributes
    ----------
    weights_ : array of shape (n_components,)
        Share of all rows in each class.
    probabilities_ : list of arrays of shape (n_components, n_levels)
        Probability of every category in every class, one array per column of categories; `categories_`
        names them.
    means_, variances_ : arrays of shape (n_components, n_numbers)
        Of the columns of numbers.
    labels_ : array of int32 of shape (n_samples,)
        The likeliest class of each row.
    lower_bound_ : float
        Mean log-likelihood of a row.
    lower_bounds_ : array of float
        The same after every iteration of the best run.
    n_iter_ : int
        Its iterations.
    converged_ : bool
        Whether it stopped by itself.
    n_features_in_ : int
        Number of columns.

    Examples
    --------
    >>> from coterie.cluster import LatentClasses
    >>> X = [["yes", 1.0], ["yes", 1.2], [None, 0.9], ["no", 5.0], ["no", 5.3], ["no", None]]
    >>> model = LatentClasses(2, random_state=0).fit(X)
    >>> bool((model.labels_[:3] != model.labels_[3:]).all())
    True
    >>> model.predict_proba([["yes", None]]).max() > 0.99
    np.True_
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {
        "n_components": Whole(1),
        "categorical": Nothing() | AnArray(),
        "tol": Number(0.0),
        "max_iter": Whole(1),
        "n_init": Whole(1),
        "reg_covar": Number(0.0, open_below=True),
        "random_state": Seed(),
        "progress": Nothing() | Flag() | Function(),
    }
    _schema: ClassVar[Schema] = {
        **LikelihoodClusterer._schema,
        "labels_": Tensor("rows", kind="i4", low=0, below="components"),
        "weights_": Tensor("components", kind="f8", low=0, high=1),
        "probabilities_": ListOf(Tensor("components", None, kind="f8", above=0)),
        "means_": Tensor("components", None, kind="f8"),
        "variances_": Tensor("components", None, kind="f8", above=0),
        "lower_bound_": Number(),
        "lower_bounds_": Tensor(None, kind="f8"),
        "n_iter_": COUNT,
        "converged_": FLAG,
        "_n_parameters": COUNT,
    }

    weights_: Doubles
    probabilities_: list[Doubles]
    means_: Doubles
    variances_: Doubles
    lower_bound_: float
    lower_bounds_: FloatArray
    n_iter_: int
    converged_: bool
    _n_parameters: int

    def __init__(
        self,
        n_components: int = 2,
        *,
        categorical: Sequence[str | int] | None = None,
        tol: float = 1e-8,
        max_iter: int = 1000,
        n_init: int = 10,
        reg_covar: float = 1e-6,
        random_state: RandomState = None,
        progress: ProgressOption = None,
    ) -> None:
        self.n_components = n_components
        self.categorical = categorical
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.reg_covar = reg_covar
        self.random_state = random_state
        self.progress = progress

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, table = cls.__name__, state.get("_table")
        if table is None:
            raise wrong("_table", who, "be there", "None")
        n_levels = [len(levels) for levels in table.levels if levels is not None]
        n_numbers = len(table.kinds) - len(n_levels)
        found = [part.shape[1] for part in state["probabilities_"]]
        widths = [state["means_"].shape[1], state["variances_"].shape[1], len(table.kinds)]
        if found != n_levels or widths != [n_numbers, n_numbers, sizes["columns"]]:
            raise wrong("probabilities_", who, "fit the columns of its table", "others")
        check_squares(state["means_"], who=who, name="means_")

    @property
    def categories_(self) -> list[tuple[Any, ...]]:
        """The categories of every column of them, in the order of `probabilities_`."""
        assert self._table is not None
        return [levels for levels in self._table.levels if levels is not None]

    def predict(self, X: MatrixLike) -> Labels:
        """Return the likeliest class of each row; a category that the fit has not seen tells nothing.

        A row without any value is refused.
        """
        labels: Labels = self._joint(X).argmax(axis=1).astype(np.int32)
        return labels

    def predict_proba(self, X: MatrixLike) -> FloatArray:
        """Return the share of each row in each class, of shape (n_samples, n_components)."""
        return shares_of(self._joint(X))[0]

    def score_samples(self, X: MatrixLike) -> FloatArray:
        """Return the log-likelihood of each row."""
        return shares_of(self._joint(X))[1]

    def _n_free(self) -> int:
        return self._n_parameters

    def _joint(self, X: MatrixLike) -> Doubles:
        coded = self._check_new(X)
        assert self._table is not None
        classes = Classes(self.weights_, self.probabilities_, self.means_, self.variances_)
        rows = split_columns(coded, self._table)
        refuse_empty_rows(rows, type(self).__name__)
        logs = classes.log_joint(rows)
        is_far = np.isneginf(logs).all(axis=1)
        if is_far.any():
            raise InvalidData(
                f"row {int(np.argmax(is_far))} of X of {type(self).__name__} is too far from every class for "
                f"float64. Leave it out, or scale the columns as in the fit."
            )
        return logs

    def _with_table(self, model: Self, X: Any) -> Self:
        other = copy.copy(model)
        other.__dict__["_table"] = learn_columns(X, model.categorical, who=type(self).__name__)
        return other

    def _compute(self, X: Any, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        who = type(self).__name__
        check_n_clusters(self.n_components, len(X), who=who, name="n_components")
        assert self._table is not None
        rows = split_columns(X, self._table)
        refuse_empty_rows(rows, who)
        check_numbers(rows.numbers)
        merged = merge_equal_rows(rows, weights)
        best = self._best_run(merged, listener)
        if not best.converged:
            warnings.warn(
                f"{who} has not converged after {self.max_iter} iterations: raise max_iter or tol.",
                scikit_learn.ConvergenceWarning,
                stacklevel=caller_level(),
            )
        classes = best.classes
        return {
            "labels_": classes.log_joint(rows).argmax(axis=1).astype(np.int32),
            "weights_": classes.weights,
            "probabilities_": classes.probabilities,
            "means_": classes.means,
            "variances_": classes.variances,
            "lower_bound_": best.bounds[-1],
            "lower_bounds_": np.array(best.bounds),
            "n_iter_": len(best.bounds) - 1,
            "converged_": best.converged,
            "_n_parameters": _count_parameters(merged, self.n_components),
        }

    def _best_run(self, merged: MergedRows, listener: Listener | None) -> Run:
        seed, best = check_seed(self.random_state), None
        with track(self.progress, f"{type(self).__name__}: start", total=self.n_init).also(
            listener
        ) as tracker:
            for number in range(self.n_init):
                random = np.random.default_rng([seed, number])
                start = draw_start(merged, self.n_components, self.reg_covar, random)
                run = run_em(merged, start, tol=self.tol, max_iter=self.max_iter, reg_covar=self.reg_covar)
                best = run if best is None or run.bounds[-1] > best.bounds[-1] else best
                tracker.report(number + 1)
        assert best is not None
        return best

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def _count_parameters(merged: MergedRows, k: int) -> int:
    """Return the number of free weights, probabilities of categories that occur, means and variances."""
    n_levels = [int(np.count_nonzero(counts)) for counts in category_weights(merged)]
    free = sum(max(0, levels - 1) for levels in n_levels) + 2 * len(merged.rows.numbers.T)
    return k - 1 + k * free
