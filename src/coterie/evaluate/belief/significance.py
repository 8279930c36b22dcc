"""Chance: whether data without clusters would give a clustering just as good."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from coterie._printing import count_of
from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of, finite
from coterie._support.optional import require
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    AnyFunction,
    CheckedRows,
    FloatArray,
    JsonObject,
    Labels,
    MatrixLike,
    PandasFrame,
    RandomState,
)
from coterie._support.validation import Flag, Nothing, Seed, Whole, check_parameter, check_seed
from coterie._support.validation.schema import FLAG, Real, Sometimes, Tensor, Text
from coterie.errors import InvalidParameter
from coterie.evaluate.belief.null_models import check_null_data, fit_null
from coterie.evaluate.belief.refitting import Refitter, labels_of, own_stream, run_all, seed_from
from coterie.evaluate.catalogue import find_measure
from coterie.evaluate.internal.silhouettes import silhouette_score

EXACT = "exact"
CONFIDENCE = 0.95  # of the interval that the number of draws leaves for the p-value
TOLERANCE = 1e-12  # relative; the same clustering in another order must not differ by rounding
SIGNIFICANT = 0.05  # level of the tests against null models
NULL_NAMES = {
    "gaussian": "Gaussian null",
    "elliptical": "elliptical null",
    "uniform": "uniform null",
    "pca_box": "uniform null",
    "permuted": "permutation null",
    "permutation": "permutation null",
    "configuration": "configuration null",
}
_WHO = "significance"
MOST_ROWS_EXACT = 5_000  # all pairs of more rows, some hundred times, would take minutes
ROWS_JUDGED = 1_000


@saved(eq=False)
class Significance:
    """The observed value of a measure, its values on null data, and the p-value.

    Parameters
    ----------
    draws : array of shape (n_draws,)
        The values of chance; nan where they are not defined, which counts as worse.

    Examples
    --------
    >>> Significance("silhouette_score", "gaussian", "one Gaussian", 0.7, np.linspace(0.2, 0.4, 99), True)
    p = 0.01 (95 % interval 0 to 0.037): silhouette_score 0.7 against one Gaussian, 99 draws of 0.3 on average
    """

    measure: str = held(Text(), "What was measured.")
    null: str = held(Text(), "The model of chance.")
    against: str = held(Text(), 'The same in words: "one Gaussian".')
    observed: float = held(Real(nan=True), "The value of the data; nan where it is not defined.")
    draws: FloatArray = held(Tensor("draws", kind="f8", allow="all", may_be_empty=True))
    greater_is_better: bool = held(FLAG, "Direction.")
    how: str = held(Sometimes(Text()), "Which rows were used, where not all were.", default=EXACT)

    @property
    def n_draws(self) -> int:
        """Number of draws."""
        return int(self.draws.size)

    @property
    def n_as_good(self) -> int:
        """Draws that are at least as good as the data."""
        if np.isnan(self.observed):
            return self.n_draws
        slack = TOLERANCE * abs(self.observed)
        with np.errstate(invalid="ignore"):
            if self.greater_is_better:
                return int((self.draws >= self.observed - slack).sum())
            return int((self.draws <= self.observed + slack).sum())

    @property
    def p_value(self) -> float:
        """Share of data sets, the given one included, that are at least as good."""
        return (1 + self.n_as_good) / (1 + self.n_draws)

    @property
    def interval(self) -> tuple[float, float]:
        """Where the p-value of infinitely many draws lies, with a confidence of 95 % (Clopper-Pearson)."""
        from scipy.stats import beta

        good, n, tail = self.n_as_good, self.n_draws, (1 - CONFIDENCE) / 2
        low = 0.0 if good == 0 else float(beta.ppf(tail, good, n - good + 1))
        high = 1.0 if good == n else float(beta.ppf(1 - tail, good + 1, n - good))
        return low, high

    @property
    def z_score(self) -> float:
        """How far the data are better than chance, in standard deviations of the draws."""
        known = self.draws[~np.isnan(self.draws)]
        spread = float(known.std(ddof=1)) if known.size > 1 else 0.0
        if spread == 0:
            return float("nan")
        away = (self.observed - float(known.mean())) / spread
        return away if self.greater_is_better else -away

    @property
    def p_normal(self) -> float:
        """The p-value if chance were normal: it tells small ones apart, for which there are too few draws."""
        from scipy.stats import norm

        return float(norm.sf(self.z_score))

    @property
    def verdict(self) -> str:
        """Whether the null is rejected at the level 0.05: "Gaussian null rejected" or "... not rejected"."""
        null = NULL_NAMES.get(self.null, "null model")
        return f"{null} rejected" if self.p_value <= SIGNIFICANT else f"{null} not rejected"

    @property
    def p_in_words(self) -> str:
        """The p-value and what limits it.

        Examples
        --------
        >>> draws = np.linspace(0.2, 0.4, 99)
        >>> Significance("separation", "gaussian", "one Gaussian", 0.7, draws, True).p_in_words
        'Monte Carlo p = 0.01, the smallest possible with 99 draws'
        >>> Significance("separation", "gaussian", "one Gaussian", 0.3, draws, True).p_in_words
        'Monte Carlo p = 0.51, 99 draws'
        """
        draws = count_of(self.n_draws, "draw")
        least = "" if self.n_as_good else "the smallest possible with "
        return f"Monte Carlo p = {self.p_value:.2g}, {least}{draws}"

    def to_dict(self) -> JsonObject:
        """Return what was found as plain numbers and words."""
        tested = ("measure", "null", "against", "observed", "p_value", "interval", "z_score", "n_draws")
        found = facts_of(self, *tested, "greater_is_better", "how", "verdict", "draws")
        return {name: finite(value) for name, value in found.items()}

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per draw."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        return pandas.DataFrame({self.measure: self.draws}).rename_axis("draw")

    def __repr__(self) -> str:
        known = self.draws[~np.isnan(self.draws)]
        mean = f"{known.mean():.3g} on average" if known.size else "no defined value"
        low, high = self.interval
        return (
            f"p = {self.p_value:.3g} (95 % interval {low:.2g} to {high:.2g}): {self.measure} "
            f"{self.observed:.3g} against {self.against}, {self.n_draws} draws of {mean}"
            f"{'' if self.how == EXACT else f' ({self.how})'}"
        )


def significance(
    estimator: object,
    X: MatrixLike,
    *,
    measure: str | Callable[[CheckedRows, Labels], float] = "silhouette_score",
    null: str | AnyFunction = "gaussian",
    n_draws: int = 199,
    greater_is_better: bool | None = None,
    sample_size: int | None = None,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> Significance:
    """Test a clustering against a null model: data drawn without clusters.

    The estimator is fitted to the data, and to `n_draws` data sets drawn from the null model, which is
    learned from the data. The p-value is the share of data sets, the given one included, whose clustering is
    at least as good: (1 + b) / (1 + n_draws), where b draws are as good. Without clusters it is uniform.

    Parameters
    ----------
    estimator : estimator
        Anything with ``fit`` and then ``labels_`` or ``predict``. It is copied, not fitted.
    X : array-like of shape (n_samples, n_features), or a graph for ``null="configuration"``
        The data.
    measure : str or callable, default="silhouette_score"
        A measure of data and a labeling, by the name or symbol of `coterie.evaluate.measures`, or a function
        of data and labels. Where it is not defined (one cluster) a draw counts as worse than the data; where
        it is not defined for the data, the p-value is 1.
    null : str or callable, default="gaussian"
        "gaussian": one Gaussian with the mean and the covariance of the data, as in SigClust. Draws have
        exactly these, by a random rotation, so that the test is exact for Gaussian data of any covariance.
        "elliptical": one elliptical cloud with tails as heavy as those of the data. "uniform": the box of the
        data. "pca_box": the box along their principal axes. "permuted": every column shuffled on its own; it
        keeps clusters that a single column shows. "configuration": `X` is a graph, a symmetric matrix of
        weights, and the draws are graphs with the same degrees. A function is called with the data and a
        generator, and returns data.
    n_draws : int, default=199
        How many. The least possible p-value is 1 / (n_draws + 1).
    greater_is_better : bool, default=None
        Direction of a `measure` that is a function; None: greater is better.
    sample_size : int, default=None
        So many rows of the data, drawn at random, stand for all; for methods whose time grows with the square
        of the rows. None: all rows. The test stays valid, and sees less.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer, whatever the number of threads. Every draw gets seeds of its own, which
        replace those of the estimator.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Notes
    -----
    The silhouette of more than 5,000 rows is estimated from 1,000 of them, each compared with all rows, in
    the data and in the draws alike; `how` says so.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> rng = np.random.default_rng(0)
    >>> two = np.concatenate([rng.normal(0, 1, (40, 2)), rng.normal(6, 1, (40, 2))])
    >>> significance(KMeans(2, random_state=0), two, n_draws=99, random_state=0).p_value
    0.01
    >>> one = rng.normal(size=(80, 2))
    >>> significance(KMeans(2, random_state=0), one, n_draws=99, random_state=0).p_value > 0.1
    True
    """
    check_parameter(n_draws, Whole(1), name="n_draws", who=_WHO)
    check_parameter(greater_is_better, Nothing() | Flag(), name="greater_is_better", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    check_parameter(sample_size, Nothing() | Whole(2), name="sample_size", who=_WHO)
    seed = check_seed(random_state)
    judge = _judge(measure, null, greater_is_better)
    data, which = _sampled(check_null_data(null, X, who=_WHO), sample_size, null, seed)
    judge = judge.quickened(data.shape[0])
    model = fit_null(null, data, who=_WHO)
    refitter = Refitter(estimator, data, who=_WHO)
    rng = own_stream(seed)
    observed = judge(data, labels_of(refitter.fit(data), data, who=_WHO), rng)

    def play(rng: np.random.Generator) -> float:
        drawn = model.draw(rng)
        return judge(drawn, labels_of(refitter.fit(drawn, seed=seed_from(rng)), drawn, who=_WHO), rng)

    with track(progress, "chance: draw", total=n_draws) as tracker:
        draws = np.array(run_all(play, seed, n_draws, n_rows=refitter.n_rows, tracker=tracker))
    how = ", ".join([*which, *judge.how]) or EXACT
    return Significance(judge.name, model.name, model.words, observed, draws, judge.greater_is_better, how)


@dataclass(frozen=True)
class _Judge:
    """A measure that is nan where it is not defined."""

    name: str
    function: Callable[..., float]
    greater_is_better: bool
    size: int | None = None  # rows that the value is estimated from

    @property
    def how(self) -> list[str]:
        return [] if self.size is None else [f"{self.name} from {self.size:,} rows"]

    def quickened(self, n_rows: int) -> _Judge:
        """Return the judge that draws rows, where all pairs of many rows would have to be compared."""
        draws_rows = self.function is silhouette_score and n_rows > MOST_ROWS_EXACT
        return replace(self, size=ROWS_JUDGED) if draws_rows else self

    def __call__(self, X: CheckedRows, labels: Labels, rng: np.random.Generator) -> float:
        options = (
            {} if self.size is None else {"sample": "stratified", "size": self.size, "random_state": rng}
        )
        try:
            return float(self.function(X, labels, **options))
        except ValueError:
            if 1 < np.unique(labels).size < len(labels):
                raise  # not because of too few or too many clusters
            return float("nan")


def _sampled(
    X: CheckedRows, sample_size: int | None, null: str | AnyFunction, seed: int
) -> tuple[CheckedRows, list[str]]:
    n_rows = X.shape[0]
    if sample_size is None or sample_size >= n_rows:
        return X, []
    if isinstance(null, str) and null == "configuration":
        raise InvalidParameter(
            f"sample_size of {_WHO} is for rows of features, not for graphs. Leave it out."
        )
    kept = np.sort(own_stream(seed).choice(n_rows, sample_size, replace=False))
    return X[kept], [f"{sample_size:,} of {n_rows:,} rows"]


def _judge(measure: object, null: str | AnyFunction, greater_is_better: bool | None) -> _Judge:
    if callable(measure):
        name = getattr(measure, "__name__", type(measure).__name__)
        return _Judge(name, measure, greater_is_better is not False)
    if not isinstance(measure, str):
        raise InvalidParameter(f"measure of {_WHO} must be a name or a callable, got {measure!r}.")
    found = find_measure(measure)
    is_of_graphs = isinstance(null, str) and null == "configuration"
    if is_of_graphs and found.needs != "graph":
        raise InvalidParameter(
            f'null="configuration" of {_WHO} needs a measure of graphs, such as measure="modularity", got '
            f"{found.name}."
        )
    if found.needs == "graph" and not is_of_graphs and not callable(null):
        raise InvalidParameter(
            f'measure {found.name} of {_WHO} is of graphs: it needs null="configuration", got null={null!r}.'
        )
    if found.needs not in ("data", "graph"):
        raise InvalidParameter(
            f"measure of {_WHO} must be computed from data and one labeling, {found.name} needs "
            f"{found.needs}. For two labelings use permutation_significance."
        )
    if greater_is_better is not None:
        raise InvalidParameter(
            f"greater_is_better of {_WHO} belongs to a measure that is a function: {found.name} knows its "
            f"direction."
        )
    return _Judge(found.name, found.function, found.greater_is_better)
