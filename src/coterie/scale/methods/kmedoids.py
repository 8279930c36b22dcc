"""K-medoids over blocks of rows: medoids of samples, judged by all rows."""

from __future__ import annotations

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    Centers,
    Data,
    FittedAttributes,
    FloatArray,
    Indices,
    Labels,
    Model,
    RandomState,
    Weights,
)
from coterie._support.validation import (
    Anything,
    Nothing,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import Real, Tensor, Text
from coterie.cluster import KMedoids as LocalKMedoids
from coterie.data.sampling import uniform_of_rows
from coterie.distance import input_kind
from coterie.distance.catalogue import DistanceLike
from coterie.errors import InvalidParameter
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks
from coterie.scale.methods.local_model import LocalCentres, add_arrays, name_columns
from coterie.scale.predict import label_block, per_row
from coterie.scale.runtime.passes import compute, fold, lazy_array, read_weights, tasks

FEWEST_ROWS = 2000
ROWS_PER_CLUSTER = 40  # as CLARA's


@estimator
class KMedoids(LocalCentres):
    """Out-of-core k-medoids: medoids of several samples, of which all rows choose the best.

    An approximation, and said to be one (`exact_` is False): medoids are rows of a sample, found by
    `coterie.cluster.KMedoids`. What they cost is exact: one pass sums up the distances of all rows. One pass
    draws and one judges: no checkpoint.

    Parameters
    ----------
    metric : str or Distance, default="euclidean"
        A name of `coterie.distance.distances()` or a distance.
    sample_size : int or None, default=None
        Rows per sample, about; None: 40 per group, at least 2000.

    Attributes
    ----------
    labels_ : Dask array of int32 of shape (n_samples,)
        The nearest medoid of each row; lazy.
    cluster_sizes_ : array of shape (n_clusters,)
        Rows per group.
    exact_ : bool
        False: only rows of samples could become medoids, unless a sample held all rows.
    local_ : coterie.cluster.KMedoids
        The same model for rows in memory.

    Examples
    --------
    >>> from coterie.scale import KMedoids
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = KMedoids(2, random_state=0).fit(X)
    >>> model.inertia_
    8.0
    """

    n_clusters: int = parameter(WholeNumber(1), default=8)
    _: KW_ONLY
    metric: DistanceLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    sample_size: int | None = parameter(Nothing() | WholeNumber(1), default=None)
    n_subsamples: int = parameter(WholeNumber(1), "How many samples.", default=5)
    random_state: RandomState = None
    progress: ProgressOption = None

    cluster_centers_: Centers = fitted(Tensor("clusters", "columns"), "The medoids.")
    medoid_indices_: Labels = fitted(Tensor("clusters", kind="i", low=0), "Which rows they are.")
    inertia_: float = fitted(Real(), "The weighted sum of the distances of all rows to their medoids.")
    start_: str = fitted(Text(), "What the medoids were found on.")

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        who = type(self).__name__
        if input_kind(self.metric) != "data":
            raise InvalidParameter(
                f"metric={self.metric!r} of {who} needs the matrix in memory, not data in blocks: use "
                f"coterie.cluster.KMedoids."
            )
        check_n_clusters(self.n_clusters, blocks.n_rows, who=who)
        whole = moments.measure(blocks, weights, who=who)
        size = min(self.sample_size or max(FEWEST_ROWS, ROWS_PER_CLUSTER * self.n_clusters), blocks.n_rows)
        is_sample = size < blocks.n_rows
        models = []
        n_samples = self.n_subsamples if is_sample else 1
        with track(self.progress, "k-medoids: sample", total=n_samples) as tracker:
            samples = self._samples(blocks, weights, whole, size if is_sample else None, n_samples)
            for number, (X, sample_weights, rows) in enumerate(samples):
                local = LocalKMedoids(self.n_clusters, metric=self.metric, random_state=number)
                local.fit(X, sample_weight=sample_weights)
                local.medoid_indices_ = rows[local.medoid_indices_]
                models.append(local)
                tracker.report(number + 1)
        costs, sizes = compute(fold(tasks(blocks, _judge_block, models, weights=weights), add_arrays))
        best = int(np.argmin(costs))
        return self._found(
            blocks, models[best], float(costs[best]), sizes[best], len(samples[best][0]), is_sample
        )

    def _samples(
        self,
        blocks: Blocks,
        weights: Blocks | None,
        whole: moments.BlockTotals,
        size: int | None,
        n_samples: int,
    ) -> list[tuple[Data, Weights | None, Indices]]:
        seed = check_seed(self.random_state)
        chance = None if size is None else size / whole.columns.total_weight
        made = tasks(blocks, _draw, chance, n_samples, seed, weights=weights)
        found: list[tuple[Data, Weights | None, Indices]] = compute(fold(made, _join))
        return found

    def _found(
        self, blocks: Blocks, local: Model, cost: float, sizes: Indices, n_rows: int, is_sample: bool
    ) -> FittedAttributes:
        local.inertia_ = cost
        del local.labels_  # of the sample
        name_columns(local, blocks)
        how = f"the best of {self.n_subsamples} samples of about {n_rows:,} rows"
        return {
            "cluster_centers_": local.cluster_centers_,
            "medoid_indices_": local.medoid_indices_,
            "labels_": lazy_array(blocks, label_block, local, dtype=np.int32),
            "cluster_sizes_": sizes[: len(local.medoid_indices_)],
            "inertia_": cost,
            "exact_": not is_sample,
            "start_": how if is_sample else "all rows",
            "notes_": (f"medoids are rows of {how}; what they cost is exact",) if is_sample else (),
            "local_": local,
        }


Samples = list[tuple[Data, Weights | None, Indices]]


def _draw(
    block: Block, weights: Block | None, chance: float | None, n_samples: int, seed: int
) -> list[tuple[Data, Weights | None, Indices]]:
    """Return samples of a block, drawn by weight; all rows with their weights if there is no chance."""
    X, weight = block.read(), read_weights(weights)
    if chance is None:
        return [(X, weight, np.arange(len(X)) + block.first_row)]
    heavy = 1.0 if weight is None else weight
    drawn = [
        np.flatnonzero(uniform_of_rows(block.first_row, block.n_rows, [seed, number]) < chance * heavy)
        for number in range(n_samples)
    ]
    return [(X[rows], None, rows + block.first_row) for rows in drawn]


def _join(total: Samples | None, found: list[Samples]) -> Samples:
    parts = found if total is None else [total, *found]
    joined = []
    for samples in zip(*parts, strict=True):
        X, weights, rows = zip(*samples, strict=True)
        weight = None if weights[0] is None else np.concatenate(weights)
        joined.append((np.concatenate(X), weight, np.concatenate(rows)))
    return joined


def _judge_block(block: Block, weights: Block | None, models: list[Model]) -> tuple[FloatArray, Indices]:
    """Return for each model the distances of a block's rows to the nearest medoid, summed; and the counts."""
    weight = read_weights(weights)
    costs, sizes = (
        np.zeros(len(models)),
        np.zeros((len(models), max(len(m.medoid_indices_) for m in models)), int),
    )
    for number, model in enumerate(models):
        distances = per_row(block, None, model, "transform")
        nearest = distances.min(axis=1).astype(np.float64)
        costs[number] = nearest.sum() if weight is None else nearest @ weight
        sizes[number] = np.bincount(distances.argmin(axis=1), minlength=sizes.shape[1])
    return costs, sizes
