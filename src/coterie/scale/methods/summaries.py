"""Summaries: data larger than memory as a few thousand weighted points that any local method can take."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

import numpy as np
from dask.array import Array as DaskArray

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.threads import one_thread
from coterie._support.typing import (
    Centers,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    Model,
    RandomState,
    Weights,
)
from coterie._support.validation import Seed, check_seed, shift_seed
from coterie._support.validation import Whole as WholeNumber
from coterie._support.validation.schema import Real, Tensor
from coterie.cluster.kmeans import ClusteringFeatures
from coterie.errors import InvalidParameter
from coterie.scale import moments
from coterie.scale.blocks import Block, Blocks, finite_rows
from coterie.scale.methods.base import GrowingEstimator
from coterie.scale.runtime.counters import PASS_PROGRESS
from coterie.scale.runtime.passes import compute, fold, lazy_array, read_weights, tasks


@estimator
class Summaries(GrowingEstimator):
    """Rows of any number as a few thousand clustering features, which any local method can take.

    Every block becomes at most `n_summaries` small groups of near rows, of which weight, mean and sum of
    squared deviations are kept (lang-2020); groups of several blocks are joined in the order of the blocks. A
    method that is fitted to the means, with their weights, speaks for all rows: an approximation, whose
    coarseness is known exactly: `lost_share_`. One pass is all there is: no checkpoint.

    Attributes
    ----------
    means_ : array of shape (n, n_features)
        Means of the features, in the type of the data.
    weights_ : array of shape (n,)
        Weight of the rows of each.
    squares_ : array of shape (n,)
        Sum of squared distances of these rows to the mean.
    lost_share_ : float
        Share of the variance of the rows that is within features: what no method can see; exact.
    labels_ : Dask array of int32 of shape (n_samples,)
        The nearest feature of each row; lazy.
    exact_ : bool
        False.

    Examples
    --------
    >>> from coterie.cluster import AgglomerativeClustering
    >>> from coterie.scale import Summaries
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(size=(5000, 2)), rng.normal(size=(5000, 2)) + 20])
    >>> summaries = Summaries(100, random_state=0).fit(X)
    >>> bool(summaries.lost_share_ < 0.01)
    True
    >>> tree = summaries.cluster(AgglomerativeClustering(2, linkage="average"))
    >>> np.bincount(tree.labels.compute())
    array([5000, 5000])
    """

    n_summaries: int = parameter(WholeNumber(1), "Most features.", default=2000)
    _: KW_ONLY
    random_state: RandomState = parameter(Seed(), "Same number, same rows: same features.", default=None)
    progress: ProgressOption = None

    means_: Centers = fitted(Tensor("features", "columns"))
    weights_: Weights = fitted(Tensor("features", kind="f8", above=0))
    squares_: Weights = fitted(Tensor("features", kind="f8", low=0))
    lost_share_: float = fitted(Real())
    _origin: FloatArray = fitted(Tensor("columns"))
    _blocks: Blocks = fitted()

    def cluster(self, estimator: object) -> SummarisedClustering:
        """Fit a clone of a local estimator to the features, and let it speak for all rows.

        Parameters
        ----------
        estimator : object
            With `fit` and `labels_`; weights are handed over where its `fit` takes `sample_weight`, except to
            HDBSCAN and OPTICS, to which weight at one place is density without limit.
        """
        if not hasattr(self, "_blocks"):
            raise InvalidParameter(
                "the rows were not saved with these summaries, so that they cannot be labelled. Fit a method "
                "to means_ with weights_, and place rows by predict."
            )
        model = scikit_learn.clone(estimator)
        is_weighed = not getattr(model, "_copies_are_dense_spots", False)  # a summary is not a single place
        takes_weights = is_weighed and "sample_weight" in inspect.signature(model.fit).parameters
        model.fit(self.means_, **({"sample_weight": self.weights_} if takes_weights else {}))
        groups = np.asarray(model.labels_)
        labels = lazy_array(self._blocks, _group_of_block, self._places(), groups, dtype=groups.dtype)
        return SummarisedClustering(model, labels, groups, self.lost_share_, takes_weights)

    def predict(self, X: MatrixLike) -> DaskArray:
        """Return the nearest feature of each row of new data, as a lazy Dask array."""
        return lazy_array(self._new_blocks(X), _nearest_of_block, self._places(), dtype=np.int32)

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        seed = check_seed(self.random_state)
        with track(self.progress, "summaries: measuring columns") as tracker, PASS_PROGRESS.shown_by(tracker):
            whole = moments.measure(blocks, weights, who=type(self).__name__)
            tracker.report(0, stage="summaries: blocks", total=blocks.n_blocks)
            most = int(self.n_summaries)  # of NumPy it may be of 8 bits
            made = tasks(blocks, _summarise_block, most, seed, weights=weights)
            features: ClusteringFeatures = compute(fold(made, _Joiner(most, seed)))
        total = whole.columns.total_weight * float(np.sum(whole.columns.variance))
        means = np.ascontiguousarray(features.means, dtype=blocks.dtype)
        return {
            "means_": means,
            "weights_": features.weights,
            "squares_": features.squares,
            "lost_share_": float(features.squares.sum()) / total if total > 0 else 0.0,
            "labels_": lazy_array(blocks, _nearest_of_block, (means, whole.origin), dtype=np.int32),
            "exact_": False,
            "_origin": whole.origin,
            "_blocks": blocks,
        }

    def _grow(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        seed, most = check_seed(self.random_state), int(self.n_summaries)
        seen = ClusteringFeatures(self.weights_, self.means_.astype(np.float64), self.squares_)
        seed = shift_seed(seed, int(seen.total_weight) % 2**31)
        made = tasks(blocks, _summarise_block, most, seed, weights=weights)
        new: ClusteringFeatures = compute(fold(made, _Joiner(most, seed)))
        features = ClusteringFeatures.joined([seen, new], n=most, seed=seed)
        total = features.merged(np.zeros(len(features.weights), dtype=np.int32), 1).squares.sum()
        means = np.ascontiguousarray(features.means, dtype=self.means_.dtype)
        return {
            "means_": means,
            "weights_": features.weights,
            "squares_": features.squares,
            "lost_share_": float(features.squares.sum()) / float(total) if total > 0 else 0.0,
            "labels_": lazy_array(blocks, _nearest_of_block, (means, self._origin), dtype=np.int32),
            "_blocks": blocks,
        }

    def _places(self) -> tuple[Centers, FloatArray]:
        return self.means_, self._origin


@dataclass(frozen=True, eq=False)
class SummarisedClustering:
    """What a local method found in summaries, for all rows.

    Parameters
    ----------
    model : object
        The estimator, fitted to the features.
    labels : Dask array of shape (n_samples,)
        The group of each row: that of its nearest feature.
    feature_labels : array of shape (n,)
        The group of each feature.
    lost_share : float
        Share of the variance of the rows that the method could not see.
    is_weighted : bool
        Whether the method knew how many rows each feature stands for.
    """

    model: Model
    labels: Labels
    feature_labels: Labels
    lost_share: float
    is_weighted: bool

    def __str__(self) -> str:
        weighted = "" if self.is_weighted else ", each counted once"
        return (
            f"{type(self.model).__name__} of {len(self.feature_labels):,} summaries{weighted}: approximate, "
            f"{self.lost_share:.2%} of the variance was within summaries"
        )


class _Joiner:
    """Joins the features of blocks, in their order."""

    def __init__(self, n: int, seed: int) -> None:
        self.n, self.seed = n, seed

    def __call__(
        self, total: ClusteringFeatures | None, found: list[ClusteringFeatures]
    ) -> ClusteringFeatures:
        with one_thread("openmp"):
            parts = found if total is None else [total, *found]
            return ClusteringFeatures.joined(parts, n=self.n, seed=self.seed)


def _summarise_block(block: Block, weights: Block | None, n: int, seed: int) -> ClusteringFeatures:
    with one_thread("openmp"):
        found = finite_rows(block, "Summaries")
        return ClusteringFeatures.of_rows(
            found, read_weights(weights), n=n, seed=shift_seed(seed, block.index)
        )


def _nearest_of_block(block: Block, _weights: Block | None, places: tuple[Centers, FloatArray]) -> Labels:
    means, origin = places
    X = finite_rows(block, "Summaries").astype(means.dtype, copy=False)
    labels: Labels = _core.kmeans_labels(X, means, origin, None, 1)[0]
    return labels


def _group_of_block(
    block: Block, weights: Block | None, places: tuple[Centers, FloatArray], groups: Labels
) -> Labels:
    labels: Labels = groups[_nearest_of_block(block, weights, places)]
    return labels
