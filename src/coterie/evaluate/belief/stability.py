"""Stability: whether the clusters come back when the data change a little."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of, finite, plain
from coterie._support.optional import require
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    JsonObject,
    Labels,
    MatrixLike,
    PandasFrame,
    RandomState,
    VectorLike,
)
from coterie._support.validation import (
    Choice,
    Nothing,
    Number,
    Seed,
    Whole,
    check_data,
    check_parameter,
    check_seed,
)
from coterie._support.validation.schema import NAME, ListOf, Size, Tensor, Text
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.belief.refitting import (
    Draw,
    Refitter,
    draw_bootstrap,
    draw_subsample,
    labels_of,
    run_all,
    seed_from,
)
from coterie.evaluate.external.contingency import ContingencyTable, tabulate
from coterie.evaluate.external.pair_scores import adjusted_rand_of
from coterie.evaluate.external.pairs import PairCounts
from coterie.evaluate.external.tables import find_noise, reduce_rows
from coterie.evaluate.labelings import Labeling, read_labeling

Scheme: TypeAlias = Literal["bootstrap", "subsample", "noise"]
# what mean Jaccard similarities mean, after the manual of R's clusterboot [hennig-2007]
STABLE = 0.75
DISSOLVED = 0.6  # below
PRINTED = 2  # decimals of a similarity, and what its word is for: no number contradicts its word
VERDICTS = ((0.85, "strong"), (STABLE, "stable"), (DISSOLVED, "doubtful"), (-np.inf, "dissolved"))
SCHEMES = Choice("bootstrap", "subsample", "noise")
DEFAULT_FRACTION = 0.5  # clusterboot's
DEFAULT_NOISE = 0.1


@saved(eq=False)
class Stability:
    """How well clusters are recovered in resamples.

    Parameters
    ----------
    scheme : {"bootstrap", "subsample", "noise"}
        How the data were changed.
    n_resamples : int
        Number of fits that the clustering of the whole was compared with.
    clusters : tuple
        Labels of the clusters.
    sizes : array of shape (k,)
        Rows of each cluster in the whole.
    scores : array of shape (n_resamples, k)
        Jaccard similarity of each cluster with the most similar one of each resample, among the rows of the
        resample; nan where none of its rows was drawn.
    rand : array of shape (n_resamples,)
        Adjusted Rand index of the whole with each resample, among the rows of the resample.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> from coterie.evaluate import stability
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3]]
    >>> found = stability(KMeans(2, n_init=5), X, n_resamples=20, random_state=0)
    >>> found.verdicts
    ('strong', 'strong')
    """

    scheme: Scheme = held(Text())
    how: str = held(Text(), "The same in words, with what was done about rows drawn twice.")
    n_resamples: int = held(Size("resamples"))
    clusters: tuple[Any, ...] = held(ListOf(NAME, "clusters", kind=tuple))
    sizes: npt.NDArray[np.int64] = held(Tensor("clusters", kind="i8", low=1))
    scores: FloatArray = held(Tensor("resamples", "clusters", kind="f8", allow="nan", low=0, high=1))
    rand: FloatArray = held(Tensor("resamples", kind="f8", allow="nan", low=-1, high=1))

    @property
    def per_cluster(self) -> FloatArray:
        """Mean Jaccard similarity of each cluster; nan for one of which no row was ever drawn."""
        is_known = ~np.isnan(self.scores)
        n_known = is_known.sum(axis=0)
        sums = np.where(is_known, self.scores, 0.0).sum(axis=0)
        return np.asarray(np.divide(sums, n_known, out=np.full(n_known.shape, np.nan), where=n_known > 0))

    @property
    def ranges(self) -> list[tuple[float, float] | None]:
        """The middle 80 % of each cluster's similarities; None for one of which no row was ever drawn."""
        known = (column[np.isfinite(column)] for column in self.scores.T)
        return [tuple(np.quantile(one, [0.1, 0.9]).tolist()) if one.size else None for one in known]

    @property
    def recovered(self) -> FloatArray:
        """Share of the resamples in which each cluster came back with a similarity above 0.75."""
        return np.asarray((np.nan_to_num(self.scores, nan=0.0) > STABLE).mean(axis=0))

    @property
    def overall(self) -> float:
        """Mean Jaccard similarity of the clusters, weighted by size; nan without clusters."""
        means = self.per_cluster
        is_known = ~np.isnan(means)
        return float(np.average(means[is_known], weights=self.sizes[is_known])) if is_known.any() else np.nan

    @property
    def agreement(self) -> float:
        """Mean adjusted Rand index of the whole with the resamples."""
        return float(self.rand.mean())

    @property
    def verdicts(self) -> tuple[str, ...]:
        """A word per cluster: "strong" from 0.85, "stable" from 0.75, "doubtful" from 0.6 or "dissolved"."""
        return tuple(verdict_of(value) for value in self.per_cluster)

    @property
    def verdict(self) -> str:
        """The word for `overall`."""
        return verdict_of(self.overall)

    def to_dict(self) -> JsonObject:
        """Return what was found as plain numbers and words."""
        return {
            **finite(facts_of(self, "scheme", "how", "n_resamples", "overall", "verdict", "agreement")),
            "clusters": [
                {
                    "cluster": finite(plain(label)),
                    "size": int(size),
                    "jaccard": finite(float(mean)),
                    "recovered": float(back),
                    "verdict": word,
                }
                for label, size, mean, back, word in self._rows()
            ],
        }

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per cluster."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = ["cluster", "size", "jaccard", "recovered", "verdict"]
        return pandas.DataFrame(list(self._rows()), columns=columns).set_index("cluster")

    def _rows(self) -> Iterator[tuple[Hashable, int, float, float, str]]:
        columns = (self.clusters, self.sizes, self.per_cluster, self.recovered, self.verdicts)
        return zip(*columns, strict=True)

    def __repr__(self) -> str:
        lines = [
            f"{self.verdict}: mean Jaccard {self.overall:.2f} over {self.n_resamples} resamples "
            f"({self.how}); adjusted Rand {self.agreement:.2f}",
            "",
            f"{'cluster':>8}  {'size':>8}  Jaccard  back in  verdict",
        ]
        for label, size, mean, back, word in self._rows():
            lines.append(f"{label!s:>8}  {size:>8,}  {mean:>7.2f}  {back:>7.0%}  {word}")
        return "\n".join(lines)


def verdict_of(value: float) -> str:
    """Return the word for a mean Jaccard similarity, as it is printed.

    Examples
    --------
    >>> verdict_of(0.9), verdict_of(0.7451), verdict_of(0.5)
    ('strong', 'stable', 'dissolved')
    """
    return next((word for least, word in VERDICTS if round(float(value), PRINTED) >= least), "dissolved")


def is_stable(value: float) -> bool:
    """Return whether a mean Jaccard similarity, as it is printed, is that of a stable cluster.

    Examples
    --------
    >>> is_stable(0.7451), is_stable(0.7449)
    (True, False)
    """
    return round(float(value), PRINTED) >= STABLE


def is_dissolved(value: float) -> bool:
    """Return whether resamples have nothing like a cluster, by its mean Jaccard similarity as it is printed.

    Examples
    --------
    >>> is_dissolved(0.14), is_dissolved(0.6)
    (True, False)
    """
    return round(float(value), PRINTED) < DISSOLVED


def stability(
    estimator: object,
    X: MatrixLike,
    *,
    scheme: Scheme = "bootstrap",
    n_resamples: int = 50,
    noise: float | None = None,
    fraction: float | None = None,
    labels: VectorLike | None = None,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> Stability:
    """Measure the stability of clusters: how well resamples of the data recover them.

    The estimator is fitted to the whole and to every resample. A cluster C of the whole is compared with all
    clusters D of a resample, among the rows of the resample: its score is the greatest |C ∩ D| / |C ∪ D|. The
    mean over resamples is its stability, as in R's ``clusterboot``. Noise points (label
    -1) are not treated as a cluster.

    Parameters
    ----------
    estimator : estimator
        Anything with ``fit`` and then ``labels_`` or ``predict``. It is copied, not fitted.
    X : array-like, DataFrame, sparse matrix, or square matrix where the estimator takes one
        The data.
    scheme : {"bootstrap", "subsample", "noise"}, default="bootstrap"
        "bootstrap": as many rows as there are, with replacement. An estimator that takes ``sample_weight`` is
        given every drawn row once, with the number of draws as its weight, which is the same and faster;
        another one, and HDBSCAN and OPTICS, are given every drawn row once, which is what ``clusterboot``
        does: copies of rows would be dense spots. "subsample": a share of the rows without replacement.
        "noise": all rows, with normal noise added.
    n_resamples : int, default=50
        How many.
    noise : float, default=None
        For "noise": its standard deviation, in standard deviations of each column; None: 0.1.
    fraction : float, default=None
        For "subsample": the share of the rows; None: 0.5.
    labels : array-like of shape (n_samples,), default=None
        Clusters of the whole, if they are known; None: the estimator finds them.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer, whatever the number of threads. Every resample gets seeds of its own; they
        replace those of the estimator (except for the whole), so that luck with the start counts as
        instability. For the same reason no resample starts where the whole ended.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3]]
    >>> stability(KMeans(2, n_init=5, random_state=0), X, n_resamples=20, random_state=0)
    strong: mean Jaccard 1.00 over 20 resamples (bootstrap, rows weighted by their draws); adjusted Rand 1.00
    <BLANKLINE>
     cluster      size  Jaccard  back in  verdict
           0         4     1.00     100%  strong
           1         3     1.00     100%  strong
    """
    who = "stability"
    check_parameter(scheme, SCHEMES, name="scheme", who=who)
    check_parameter(n_resamples, Whole(1), name="n_resamples", who=who)
    check_parameter(noise, Nothing() | Number(0, open_below=True), name="noise", who=who)
    check_parameter(fraction, Nothing() | Number(0, 1, open_below=True), name="fraction", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    _refuse_idle("noise", noise, scheme, "noise")
    _refuse_idle("fraction", fraction, scheme, "subsample")
    refitter = Refitter(estimator, X, who=who)
    resampler = _Resampler(
        refitter, scheme, DEFAULT_NOISE if noise is None else noise, fraction or DEFAULT_FRACTION
    )
    with track(progress, "stability: resample", total=n_resamples) as tracker:
        whole = _whole(refitter, labels)
        judge = _Judge(whole)

        def resample(rng: np.random.Generator) -> tuple[FloatArray, float]:
            return judge.compare(*resampler.run(rng))

        seed = check_seed(random_state)
        found = run_all(resample, seed, n_resamples, n_rows=refitter.n_rows, tracker=tracker)
    scores, rand = zip(*found, strict=True)
    return Stability(
        scheme, resampler.how, n_resamples, judge.clusters, judge.sizes, np.array(scores), np.array(rand)
    )


class _Resampler:
    """Fits to one resample after the other."""

    def __init__(self, refitter: Refitter, scheme: Scheme, noise: float, fraction: float) -> None:
        self._refitter, self._scheme, self._noise, self._fraction = refitter, scheme, noise, fraction
        self._rows: FloatArray | None = None
        if scheme == "noise":
            if refitter.is_pairwise:
                raise InvalidParameter(
                    'scheme="noise" of stability needs rows of features, got a square matrix for '
                    f'{type(refitter.estimator).__name__}. Use scheme="bootstrap".'
                )
            self._rows = np.asarray(check_data(refitter.X, who="stability"))
            self._spread = noise * self._rows.std(axis=0, dtype=np.float64)

    @property
    def how(self) -> str:
        if self._scheme == "noise":
            return f"normal noise of {self._noise:g} standard deviations"
        if self._scheme == "subsample":
            return f"{self._fraction:.0%} of the rows"
        weighted = "rows weighted by their draws" if self._refitter.takes_weights else "each drawn row once"
        return f"bootstrap, {weighted}"

    def run(self, rng: np.random.Generator) -> tuple[AnyArray, Labels]:
        """Return the rows of a resample and their labels."""
        n_rows = self._refitter.n_rows
        if self._rows is not None:
            shaken = self._rows + (self._spread * rng.normal(size=self._rows.shape)).astype(self._rows.dtype)
            model = self._refitter.fit(shaken, seed=seed_from(rng))
            return np.arange(n_rows), labels_of(model, shaken, who="stability")
        draw: Draw
        if self._scheme == "bootstrap":
            draw = draw_bootstrap(n_rows, rng)
        else:
            draw = draw_subsample(n_rows, self._fraction, rng)
        return draw.rows, self._refitter.fit_draw(draw, seed_from(rng))[1]


class _Judge:
    """Compares the clusters of the whole with those of resamples."""

    def __init__(self, whole: Labeling) -> None:
        self._whole = whole
        table = tabulate(whole, whole)
        self._is_cluster = np.ones(table.classes.size, dtype=bool)
        noisy = find_noise(table.classes)
        if noisy is not None:
            self._is_cluster[noisy] = False
        self._names = table.classes
        self.clusters = tuple(table.classes[self._is_cluster].tolist())
        self.sizes = table.class_sizes[self._is_cluster]

    def compare(self, rows: AnyArray, labels: Labels) -> tuple[FloatArray, float]:
        """Return the score of each cluster and the adjusted Rand index."""
        part = Labeling(self._whole.integers[rows], self._whole.dtype, self._whole.names)
        table = tabulate(part, read_labeling(labels))
        best = np.full(self._names.size, np.nan)
        best[np.searchsorted(self._names, table.classes)] = best_jaccards(table)
        return best[self._is_cluster], adjusted_rand_of(PairCounts.of(table))


def best_jaccards(table: ContingencyTable) -> FloatArray:
    """Return for each class the greatest Jaccard similarity with a cluster; noise is not a cluster.

    Examples
    --------
    >>> from coterie.evaluate import contingency_table
    >>> best_jaccards(contingency_table([0, 0, 0, 1], [5, 5, -1, -1]))
    array([0.66666667, 0.        ])
    """
    union = table.class_sizes[table.rows] + table.cluster_sizes[table.columns] - table.counts
    similarity = table.counts / union
    noisy = find_noise(table.clusters)
    if noisy is not None:
        similarity[table.columns == noisy] = 0.0
    return np.asarray(reduce_rows(np.maximum, table.row_starts, similarity))


def _whole(refitter: Refitter, labels: VectorLike | None) -> Labeling:
    found = labels_of(refitter.fit(refitter.X), refitter.X, who="stability") if labels is None else labels
    labeling = read_labeling(found)
    if len(labeling) != refitter.n_rows:
        raise InvalidData(
            f"labels of stability must name a cluster for each of the {refitter.n_rows} rows of X, got "
            f"{len(labeling)}."
        )
    return labeling


def _refuse_idle(name: str, value: float | None, scheme: str, belongs_to: str) -> None:
    if value is not None and scheme != belongs_to:
        raise InvalidParameter(
            f'{name} of stability belongs to scheme="{belongs_to}", got scheme="{scheme}". Leave it out.'
        )
