"""Latent class analysis: mixture model for numbers and categories; ignores missing cells."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.rounding import is_lower
from coterie._support.typing import (
    Doubles,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Nothing,
    Number,
    Seed,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    ListOf,
    Sometimes,
    Tensor,
    check_squares,
    wrong,
)
from coterie.cluster.base import Listener
from coterie.cluster.categorical.rows import (
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
from coterie.distance.table import TableEncoding
from coterie.errors import InvalidData

LEAST_PROBABILITY = 1e-15  # of a category: a class that has none of it does not forbid it
OWN_SHARE = 0.5  # of a start: the rest of a class is like all rows
LOG_OF_TWO_PI = float(np.log(2 * np.pi))
# log-likelihood; per class weight, counts of categories; of numbers mass, deviations, squares about means
ClassSums: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Classes:
    """The parameters of all classes."""

    weights: Doubles  # (n_classes,): share of all rows in each class
    probabilities: list[Doubles]  # (n_classes, n_levels): of the categories, one array per column of them
    # means, variances: (n_classes, n_numbers): of the numbers
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

    def likelier(self, sums: ClassSums, reg_covar: float) -> Classes:
        """Return the likeliest parameters for the shares that rows have in these classes.

        A class keeps what none of its rows tells.
        """
        _, weight, counts, mass, deviation, squares = sums
        totals = weight + 10 * np.finfo(np.float64).eps
        ends = np.cumsum([table.shape[1] for table in self.probabilities])
        parts = np.split(counts[:, :-1], ends[:-1], axis=1) if len(ends) else []
        probabilities = [
            _probabilities(part, old) for part, old in zip(parts, self.probabilities, strict=True)
        ]
        is_known = mass > 0
        safe = np.where(is_known, mass, 1.0)
        shift = deviation / safe
        variances = np.maximum(squares / safe - shift**2, 0.0) + reg_covar
        return Classes(
            totals / totals.sum(),
            probabilities,
            np.where(is_known, self.means + shift, self.means),
            np.where(is_known, variances, self.variances),
        )


class TableSums:
    """Passes over weighted rows of a table: the likelihood of classes, and what likelier ones are made of."""

    def __init__(self, rows: MixedRows, weights: Doubles) -> None:
        n_levels = int(rows.n_levels.sum())
        levels = np.where(rows.codes < 0, n_levels, rows.codes + (np.cumsum(rows.n_levels) - rows.n_levels))
        self._table = _core.LatentTable(
            rows.numbers, np.ascontiguousarray(levels, dtype=np.int32), n_levels, weights
        )

    def of(self, classes: Classes) -> ClassSums:
        """Return the log-likelihood of all rows, and sums over their shares in the classes."""
        tables = [np.log(table) for table in classes.probabilities]
        with np.errstate(divide="ignore"):  # nothing is in a class of weight 0
            log_weights = np.log(classes.weights)
        sums: ClassSums = _core.latent_class_sums(
            self._table,
            log_weights,
            np.ascontiguousarray(np.hstack([*tables, np.zeros((len(log_weights), 1))])),
            -0.5 * (LOG_OF_TWO_PI + np.log(classes.variances)),
            classes.means,
            classes.variances,
        )
        return sums


def _probabilities(counts: Doubles, old: Doubles) -> Doubles:
    mass = counts.sum(axis=1, keepdims=True)
    found = np.divide(counts, mass, out=old.copy(), where=mass > 0)
    probabilities: Doubles = np.maximum(found, LEAST_PROBABILITY)
    return probabilities


@dataclass(frozen=True, eq=False)
class ClassRun:
    """What one start ends with."""

    classes: Classes
    bounds: list[float]
    converged: bool


def run_em(
    sums_of: Callable[[Classes], ClassSums],
    total: float,
    start: Classes,
    *,
    tol: float,
    max_iter: int,
    reg_covar: float,
    bounds: Sequence[float] = (),
    after_pass: Callable[[Classes, list[float]], None] | None = None,
) -> ClassRun:
    """Raise the likelihood step by step, until the mean of a row gains less than `tol`.

    Parameters
    ----------
    sums_of : callable
        Returns the sums over all rows for some classes.
    total : float
        Weight of all rows.
    start : Classes
        The first ones, or those after the passes whose `bounds` are known.
    tol, max_iter, reg_covar
        As in `LatentClasses`.
    bounds : sequence of float
        Mean log-likelihoods of passes that were made before.
    after_pass : callable, default=None
        Called with the next classes, and the bounds so far.
    """
    classes, found = start, list(bounds)
    while len(found) < max_iter:
        sums = sums_of(classes)
        found.append(float(sums[0]) / total)
        if len(found) > 1 and found[-1] - found[-2] < tol:
            return ClassRun(classes, found, True)
        classes = classes.likelier(sums, reg_covar)
        if after_pass is not None:
            after_pass(classes, found)
    return ClassRun(classes, [*found, float(sums_of(classes)[0]) / total], False)


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


@estimator
class LatentClasses(LikelihoodClusterer):
    """Latent class analysis: a mixture for numbers and categories, independent within each class.

    The density of a row is

        p(x) = sum over classes c of  weight_c  product over columns j of  p_cj(x_j),

    p_cj(x_j) the probability of a category or a normal density. Expectation-maximisation raises the
    likelihood of the cells that are there: a missing one is left out of the product, which is exact when
    cells are missing at random. Also called latent class analysis, and latent profile analysis where all
    columns are numbers.

    Parameters
    ----------
    categorical : sequence of column names or numbers, or None, default=None
        Columns that are categories although they hold numbers. Text, yes/no and categories of a frame
        always are.
    tol : float, default=1e-8
        Stop when the mean log-likelihood of a row gains less than this.
    n_init : int, default=10
        How many starts; the run of the largest likelihood is kept.
    reg_covar : float, default=1e-6
        Added to the variances of numbers.

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
    lower_bounds_ : array of float
        The same after every iteration of the best run.

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

    n_components: int = parameter(Whole(1), "How many classes.", default=2)
    _: KW_ONLY
    categorical: Sequence[str | int] | None = parameter(Nothing() | AnArray(), default=None)
    tol: float = parameter(Number(0.0), default=1e-8)
    max_iter: int = parameter(Whole(1), default=1000)
    n_init: int = parameter(Whole(1), default=10)
    reg_covar: float = parameter(Number(0.0, open_below=True), default=1e-6)
    random_state: RandomState = parameter(Seed(), "Same number, same data: same result.", default=None)
    progress: ProgressOption = None

    labels_: Labels = fitted(Sometimes(Tensor("rows", kind="i4", low=0, below="components")))
    weights_: Doubles = fitted(Tensor("components", kind="f8", low=0, high=1))
    probabilities_: list[Doubles] = fitted(ListOf(Tensor("components", None, kind="f8", above=0)))
    means_: Doubles = fitted(Tensor("components", None, kind="f8"))
    variances_: Doubles = fitted(Tensor("components", None, kind="f8", above=0))
    lower_bound_: float = fitted(Number(), "Mean log-likelihood of a row.")
    lower_bounds_: FloatArray = fitted(Tensor(None, kind="f8"))
    n_iter_: int = fitted(COUNT, "Its iterations.")
    converged_: bool = fitted(FLAG)
    _n_parameters: int = fitted(COUNT)

    _begun: LatentClasses | None = fitted(unset=None)  # during a refit: whose classes are the first

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

    def refit(self, X: MatrixLike, sample_weight: VectorLike | None = None) -> Self:
        """Return a model of other rows in the same columns: one run, which begins with these classes.

        Parameters
        ----------
        X : frame or array-like of shape (n_samples, n_features)
            For example all rows, where this model was fitted to some of them.
        sample_weight : array of shape (n_samples,), default=None
            Weight of each row.

        Examples
        --------
        >>> X = [["yes", 1.0], ["yes", 1.2], ["no", 5.0], ["no", 5.3]]
        >>> some = LatentClasses(2, random_state=0).fit(X[1:])
        >>> some.refit(X).labels_.tolist() == some.predict(X).tolist()
        True
        """
        scikit_learn.check_is_fitted(self)
        model = scikit_learn.clone(self)
        model.__dict__["_begun"] = self
        model.fit(X, sample_weight=sample_weight)
        model.__dict__.pop("_begun", None)
        return model  # type: ignore[no-any-return]  # of scikit-learn, which ships no types

    def classes_for(self, table: TableEncoding) -> Classes:
        """Return the classes for the categories of a table; those that this model has not seen are rare."""
        assert self._table is not None
        probabilities = []
        pairs = zip(self._table.levels, table.levels, strict=True)
        for old, (own, new) in zip(
            self.probabilities_, ((own, new) for own, new in pairs if own is not None), strict=True
        ):
            place_of = {level: at for at, level in enumerate(own)}
            places = [place_of.get(level) for level in new or ()]
            rare = np.full(len(old), LEAST_PROBABILITY)
            probabilities.append(np.column_stack([rare if at is None else old[:, at] for at in places]))
        return Classes(self.weights_, probabilities, self.means_, self.variances_)

    def _n_free(self) -> int:
        return self._n_parameters

    def _joint(self, X: MatrixLike) -> Doubles:
        return self._joint_of(self._check_new(X))

    def _joint_of(self, coded: Any) -> Doubles:
        """Return the logarithm of the density of every row in every class, of rows that are coded."""
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

    def _with_table(self, model: Self, X: object) -> Self:
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
        begun = None if self._begun is None else self._begun.classes_for(self._table)
        best = self._best_run(merged, listener) if begun is None else self._run(merged, begun)
        if not best.converged:
            scikit_learn.warn_not_converged(who, self.max_iter)
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
            "_n_parameters": count_parameters(
                category_weights(merged), rows.numbers.shape[1], self.n_components
            ),
        }

    def _run(self, merged: MergedRows, start: Classes) -> ClassRun:
        return run_em(
            TableSums(merged.rows, merged.weights).of,
            float(merged.weights.sum()),
            start,
            tol=self.tol,
            max_iter=self.max_iter,
            reg_covar=self.reg_covar,
        )

    def _best_run(self, merged: MergedRows, listener: Listener | None) -> ClassRun:
        seed, best = check_seed(self.random_state), None
        with track(self.progress, f"{type(self).__name__}: start", total=self.n_init).also(
            listener
        ) as tracker:
            for number in range(self.n_init):
                random = np.random.default_rng([seed, number])
                start = draw_start(merged, self.n_components, self.reg_covar, random)
                run = self._run(merged, start)
                best = run if best is None or is_lower(best.bounds[-1], run.bounds[-1]) else best
                tracker.report(number + 1)
        assert best is not None
        return best

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        return tags


def count_parameters(weights: Sequence[Doubles], n_numbers: int, k: int) -> int:
    """Return the number of free weights, probabilities of categories that occur, means and variances."""
    n_levels = [int(np.count_nonzero(counts)) for counts in weights]
    return k - 1 + k * (sum(max(0, levels - 1) for levels in n_levels) + 2 * n_numbers)
