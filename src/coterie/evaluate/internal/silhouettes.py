"""The silhouette: how much nearer each sample is to its own cluster than to the next one.

With a the mean distance to the other samples of the own cluster and b the least mean distance to another
cluster, s = (b - a) / max(a, b). A sample alone in its cluster scores 0.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from coterie._support import scikit_learn
from coterie._support.declarations import held, saved
from coterie._support.optional import require
from coterie._support.typing import (
    AnyArray,
    FloatArray,
    MatrixLike,
    PandasFrame,
    RandomState,
    VectorLike,
    Weights,
)
from coterie._support.validation import Choice, Nothing, Seed, Whole, check_parameter
from coterie._support.validation.schema import Maybe, Names, Sometimes, Tensor
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.catalogue import measure, shares_parameters
from coterie.evaluate.internal.partitions import Codes, SampleGroups, read_partition
from coterie.evaluate.internal.sampling import Estimate, draw_from_each
from coterie.evaluate.internal.spaces import GroupSums, Space, read_space, reduce_sums
from coterie.evaluate.labelings import Noise

MOST_SHOWN = 20  # clusters printed before the rest becomes "..."
Sample: TypeAlias = Literal["random", "stratified"]
DEFAULT_SIZE = 10_000
silhouette_measure = partial(measure, group="silhouettes", needs="data", low=-1, high=1, is_scale_free=True)


def coefficients(parts: GroupSums, codes: Codes, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """(b - a) / max(a, b); 0 for a sample alone in its cluster, and where all is at distance 0."""
    a, b = own_means(parts, codes, totals), parts.nearest_mean
    largest = np.maximum(a, b)
    return np.divide(b - a, largest, out=np.zeros_like(a), where=(totals[codes] > 1) & (largest > 0))


def own_means(parts: GroupSums, codes: Codes, totals: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Mean distances to the others of the own cluster; 0 for a sample alone in its cluster."""
    others = totals[codes] - 1
    return np.divide(parts.own_sum, others, out=np.zeros_like(parts.own_sum), where=others > 0)


@saved(eq=False)
class Silhouette:
    """How much nearer samples are to their own cluster than to the next one.

    Parameters
    ----------
    values, a, b : ndarray of shape (n_samples,)
        The coefficient, the mean distance to the own cluster, and to the nearest other one.
    labels, neighbours : ndarray of shape (n_samples,)
        The cluster of each sample, and the nearest other one.
    rows : ndarray of shape (n_samples,)
        Which rows of the data these samples are; all but noise that was left out.
    clusters, sizes : ndarray of shape (n_clusters,)
        Labels and sizes of the clusters.
    codes : ndarray of shape (n_samples,)
        Position of each sample's cluster in `clusters`.
    sample_weight : ndarray of shape (n_samples,) or None
        How many times each sample counts in the means; None: once.

    Examples
    --------
    >>> from coterie.evaluate import silhouette
    >>> found = silhouette([[0.0], [1.0], [5.0], [6.0], [2.9]], ["l", "l", "r", "r", "r"])
    >>> found.neighbours.tolist(), found.misassigned.tolist()
    (['r', 'r', 'l', 'l', 'l'], [4])
    """

    values: npt.NDArray[np.float64] = held(Tensor("samples", kind="f8", allow="nan"))
    a: npt.NDArray[np.float64] = held(Tensor("samples", kind="f8", allow="nan"))
    b: npt.NDArray[np.float64] = held(Tensor("samples", kind="f8", allow="nan"))
    labels: AnyArray = held(Names("samples"))
    neighbours: AnyArray = held(Names("samples"))
    rows: npt.NDArray[np.intp] = held(Tensor("samples", kind="i8", low=0))
    clusters: AnyArray = held(Names("clusters"))
    sizes: npt.NDArray[np.int64] = held(Tensor("clusters", kind="i8", low=0))
    codes: Codes = held(Tensor("samples", kind="i4", low=0, below="clusters"))
    sample_weight: Weights | None = held(Sometimes(Maybe(Tensor("samples", kind="f8", low=0))), default=None)

    @classmethod
    def of(cls, parts: GroupSums, partition: SampleGroups) -> Silhouette:
        """Return the value from sums of distances."""
        codes, totals = partition.codes, partition.totals
        return cls(
            values=coefficients(parts, codes, totals),
            a=own_means(parts, codes, totals),
            b=parts.nearest_mean,
            labels=partition.names[codes],
            neighbours=partition.names[parts.neighbour],
            rows=np.arange(codes.size) if partition.rows is None else partition.rows,
            clusters=partition.names,
            sizes=partition.sizes,
            codes=codes,
            sample_weight=partition.sample_weight,
        )

    @property
    def score(self) -> float:
        """Mean over all samples."""
        return float(np.average(self.values, weights=self.sample_weight))

    @cached_property
    def cluster_values(self) -> npt.NDArray[np.float64]:
        """Mean over the samples of each cluster."""
        weights = np.ones(self.values.size) if self.sample_weight is None else self.sample_weight
        sums = np.bincount(self.codes, weights=weights * self.values, minlength=self.sizes.size)
        return np.asarray(sums / np.bincount(self.codes, weights=weights, minlength=self.sizes.size))

    @cached_property
    def misassigned(self) -> npt.NDArray[np.intp]:
        """Rows of the data that are nearer to another cluster than to their own, worst first."""
        worst = np.argsort(self.values, kind="stable")
        return self.rows[worst[self.values[worst] < 0]]

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame with one row per sample."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        columns = {
            "row": self.rows,
            "cluster": self.labels,
            "neighbour": self.neighbours,
            "a": self.a,
            "b": self.b,
            "silhouette": self.values,
        }
        return pandas.DataFrame(columns).set_index("row")

    def __repr__(self) -> str:
        wrong = np.bincount(self.codes[self.values < 0], minlength=self.sizes.size)
        rows = [("cluster", "size", "silhouette", "misassigned")]
        for at in range(min(self.sizes.size, MOST_SHOWN)):
            facts = f"{self.sizes[at]:,}", f"{self.cluster_values[at]:.4f}", f"{wrong[at]:,}"
            rows.append((str(self.clusters[at]), *facts))
        if self.sizes.size > MOST_SHOWN:
            rows.append(("...", "", "", ""))
        widths = [max(len(row[at]) for row in rows) for at in range(4)]
        lines = [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1] + 1}}  {row[2]:>{widths[2]}}  {row[3]:>{widths[3]}}"
            for row in rows
        ]
        title = f"{self.values.size:,} samples, {self.sizes.size:,} clusters, silhouette {self.score:.4f}"
        return "\n".join([title, *(line.rstrip() for line in lines)])


@shares_parameters
def silhouette(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> Silhouette:
    """Return the silhouette of every sample, of every cluster and of the whole.

    Every distance is computed, none is kept: memory grows with the number of samples. Squared Euclidean and
    cosine distances take a formula instead, in time that grows with samples times clusters.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.

    Returns
    -------
    silhouette : Silhouette
        A value that prints as a table.

    Examples
    --------
    >>> silhouette([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1])
    4 samples, 2 clusters, silhouette 0.7980
    cluster   size  silhouette  misassigned
    0            2      0.7980            0
    1            2      0.7980            0
    """
    partition = _read_groups(labels, noise, sample_weight, "silhouette").require_groups()
    space = read_space(X, metric, partition, who="silhouette", options=kwds)
    return Silhouette.of(space.group_sums(partition), partition)


@shares_parameters
def silhouette_samples(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> FloatArray:
    """Return the silhouette coefficient of every sample; NaN for noise that is left out, and for weight 0.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.

    Examples
    --------
    >>> silhouette_samples([[0.0], [1.0], [1.0], [2.0], [3.0], [3.0]], [0, 1, 1, 1, 2, 2])
    array([0. , 0.5, 0.5, 0. , 1. , 1. ])
    """
    partition = _read_groups(labels, noise, sample_weight, "silhouette_samples").require_groups()
    space = read_space(X, metric, partition, who="silhouette_samples", options=kwds)
    values = _values(space, partition)
    if partition.rows is None:
        return values
    scattered = np.full(np.shape(labels)[0], np.nan)
    scattered[partition.rows] = values
    return scattered


@silhouette_measure(symbol="sil", reference="rousseeuw-1987", in_scikit_learn=True, compares_pairs=True)
def silhouette_score(
    X: MatrixLike,
    labels: VectorLike,
    *,
    metric: DistanceLike = "euclidean",
    sample_size: int | None = None,
    random_state: RandomState = None,
    sample: Sample = "random",
    size: int | None = None,
    sample_weight: VectorLike | None = None,
    noise: Noise = "cluster",
    **kwds: object,
) -> float:
    """Mean silhouette of all samples: how much nearer they are to their own cluster than to the next.

    Parameters
    ----------
    sample_size : int, default=None
        As in scikit-learn: the score of so many samples alone, drawn at random. None: of all.
        The result is an `Estimate` that says so.
    sample : {"random", "stratified"}, default="random"
        "stratified" draws samples from every cluster and compares each with all the data: the result is an
        unbiased `Estimate` of the exact score with its standard error, and no small cluster is missed.
    size : int, default=None
        Samples to draw with "stratified"; None: 10,000. All of them when there are no more.
    sample_weight : array-like of shape (n_samples,), default=None
        How many times each sample counts; at least 1 in every cluster.

    Examples
    --------
    >>> round(silhouette_score([[0.0], [1.0], [5.0], [6.0]], [0, 0, 1, 1]), 4)
    0.798
    """
    who = "silhouette_score"
    check_parameter(sample, Choice("random", "stratified"), name="sample", who=who)
    check_parameter(sample_size, Whole(1) | Nothing(), name="sample_size", who=who)
    check_parameter(size, Whole(2) | Nothing(), name="size", who=who)
    check_parameter(random_state, Seed(), name="random_state", who=who)
    partition = _read_groups(labels, noise, sample_weight, who)
    space = read_space(X, metric, partition, who=who, options=kwds)
    if sample == "stratified":
        if sample_size is not None:
            raise InvalidParameter('sample="stratified" of silhouette_score takes size=, got sample_size=.')
        return _estimate(space, partition.require_groups(), size or DEFAULT_SIZE, random_state)
    if size is not None:
        raise InvalidParameter('size of silhouette_score needs sample="stratified".')
    if sample_size is not None:
        kept = _random_state(random_state).permutation(partition.n_samples)[:sample_size]
        partition, space = partition.take(kept).require_groups(), space.take(kept)
        return Estimate.of_draw(partition.mean(_values(space, partition)), partition.n_samples)
    return partition.require_groups().mean(_values(space, partition))


def _read_groups(
    labels: VectorLike, noise: Noise, sample_weight: VectorLike | None, who: str
) -> SampleGroups:
    partition = read_partition(labels, noise).weigh(sample_weight, who=who)
    if partition.totals.min() < 1:
        raise InvalidData(
            f"sample_weight of {who} counts samples: every cluster must weigh at least 1, got "
            f"{partition.totals.min():.3g} for cluster {partition.names[partition.totals.argmin()]}."
        )
    return partition


def _values(space: Space, partition: SampleGroups) -> npt.NDArray[np.float64]:
    return coefficients(space.group_sums(partition), partition.codes, partition.totals)


def _random_state(random_state: RandomState) -> np.random.RandomState | np.random.Generator:
    if isinstance(random_state, np.random.Generator):
        return random_state
    legacy: np.random.RandomState = scikit_learn.check_random_state(random_state)
    return legacy


def _estimate(space: Space, partition: SampleGroups, size: int, random_state: RandomState) -> float:
    if size >= partition.n_samples:
        return partition.mean(_values(space, partition))
    drawn = draw_from_each(partition, size, random_state)
    codes, totals = partition.codes[drawn], partition.totals
    values = coefficients(reduce_sums(space.sums_of(drawn, partition), codes, totals), codes, totals)
    if partition.sample_weight is not None:  # the plain mean of these is the weighted mean of the silhouettes
        values *= partition.sample_weight[drawn] * (partition.n_samples / partition.total)
    return Estimate.of_strata(values, codes, partition.sizes)
