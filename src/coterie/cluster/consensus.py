"""Consensus clustering: rows that many runs put together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    Data,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    Model,
    RandomState,
    Settings,
    SparseData,
    Weights,
)
from coterie._support.validation import (
    Anything,
    Choice,
    Number,
    Whole,
    check_data,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import (
    LARGEST_WHOLE,
    Estimator,
    Instance,
    ListOf,
    Tensor,
    wrong,
)
from coterie.cluster.base import Clusterer, Listener
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.errors import InvalidParameter
from coterie.evaluate.belief import (
    ABSENT,
    Consensus,
    Refitter,
    draw_subsample,
    fill_labels,
    run_all,
    seed_from,
)
from coterie.tree import Dendrogram, linkage

LINKAGES = ("average", "complete", "single", "weighted")


@estimator
class ConsensusClustering(Clusterer):
    """Consensus clustering: cluster many subsamples, then the rows by how often they were together.

    The consensus of two rows is the share of the subsamples with both in which one cluster held them. A tree
    of the rows, with one minus the consensus as distance, is cut into the clusters. Time and memory grow with
    the square of the rows.

    Parameters
    ----------
    estimator : estimator, default=None
        What clusters the subsamples, with its own number of clusters; None: `KMeans` with `n_clusters`.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same result, whatever the number of threads.

    Attributes
    ----------
    estimators_ : list of estimators
        Those that were fitted to the subsamples.
    dendrogram_ : Dendrogram
        The tree of the rows; heights are one minus the consensus.

    Notes
    -----
    `membership` of a new row is its mean consensus with the rows of each cluster, and `predict` takes the
    cluster of the greatest; both need estimators that have ``predict``.

    Examples
    --------
    >>> from coterie.cluster import ConsensusClustering
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = ConsensusClustering(2, random_state=0).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.predict([[0, 0], [12, 3]])
    array([0, 1])
    """

    n_clusters: int = parameter(Whole(1), "How many clusters to cut the tree into.", default=8)
    _: KW_ONLY
    estimator: Model = parameter(Anything(), default=None)  # the resampling knows what it needs
    n_resamples: int = parameter(Whole(1), "How many subsamples.", default=50)
    fraction: float = parameter(Number(0, 1, open_below=True), "Share of the rows in each.", default=0.8)
    linkage: str = parameter(Choice(*LINKAGES), "How the tree is made.", default="average")
    random_state: RandomState = None
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"), "Cluster of each row.")
    estimators_: list[Model] = fitted(ListOf(Estimator("columns"), "runs"))
    dendrogram_: Dendrogram = fitted(Instance(Dendrogram, n_leaves="rows"))
    _counts: list[FloatArray] = fitted(
        ListOf(Tensor(None, "clusters", kind="f8", low=0, high=LARGEST_WHOLE), "runs")
    )

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        if not sizes["runs"]:
            raise wrong("estimators_", cls.__name__, "be at least one", "none")
        for at, (model, counts) in enumerate(zip(state["estimators_"], state["_counts"], strict=True)):
            n_labels = int(max(np.max(getattr(model, "labels_", -1)), -1)) + 1
            if len(counts) != max(n_labels, 1) + 1:
                place = f"_counts[{at}]"
                raise wrong(place, cls.__name__, f"have {max(n_labels, 1) + 1} rows", len(counts))
            if (counts[:-1].sum(axis=0) > counts[-1]).any():
                must = "count in no group of a run more rows than in all of it, its last row"
                raise wrong(f"_counts[{at}]", cls.__name__, must, "others")

    def predict(self, X: MatrixLike) -> Labels:
        """Return for each row the cluster with whose rows it is together most."""
        return np.asarray(np.argmax(self.membership(X), axis=1))

    def membership(self, X: MatrixLike) -> FloatArray:
        """Return the mean consensus, in [0, 1], of each row with the rows of each cluster.

        The array has shape (n_samples, n_clusters); its rows need not sum to 1.
        """
        scikit_learn.check_is_fitted(self)
        data = check_data(X, estimator=self, reset=False, may_be_distances=True)
        together = np.zeros((len(data), self._counts[0].shape[1]))
        for model, counts in zip(self.estimators_, self._counts, strict=True):
            if not hasattr(model, "predict"):
                raise InvalidParameter(
                    f"predict of ConsensusClustering needs an estimator with predict, "
                    f"{type(model).__name__} has none."
                )
            labels = np.asarray(model.predict(data))
            together += np.where((labels >= 0)[:, None], counts[np.maximum(labels, 0)], 0.0)
        return np.asarray(together / np.maximum(sum(counts[-1] for counts in self._counts), 1))

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        return check_data(X, estimator=self, min_rows=2)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        n, who = len(X), type(self).__name__
        check_n_clusters(self.n_clusters, n, who=who)
        n_drawn = max(1, round(self.fraction * n))
        base = KMeans(min(self.n_clusters, n_drawn)) if self.estimator is None else self.estimator
        refitter = Refitter(base, X, who=who)

        def resample(rng: np.random.Generator) -> tuple[Model, Labels]:
            draw = draw_subsample(n, self.fraction, rng)
            model, labels = refitter.fit_draw(draw, seed_from(rng))
            return model, fill_labels(n, draw.rows, labels, ABSENT)

        with track(self.progress, "consensus: resample", total=self.n_resamples).also(listener) as tracker:
            found = run_all(
                resample, check_seed(self.random_state), self.n_resamples, n_rows=n, tracker=tracker
            )
        runs = np.array([labels for _, labels in found])
        distances = 1.0 - Consensus(runs).toarray()
        tree = Dendrogram.from_linkage(linkage(distances, self.linkage, "precomputed"))
        labels = tree.cut(n_clusters=self.n_clusters)
        return {
            "labels_": labels,
            "estimators_": [model for model, _ in found],
            "dendrogram_": tree,
            "_counts": [_count(run, labels, self.n_clusters) for run in runs],
        }


def _count(run: Labels, labels: Labels, n_clusters: int) -> FloatArray:
    """Count rows of each cluster in each cluster of a run; the last line has all that were drawn."""
    counts = np.zeros((max(int(run.max()), 0) + 2, n_clusters))
    is_in = run >= 0
    np.add.at(counts, (run[is_in], labels[is_in]), 1.0)
    counts[-1] = np.bincount(labels[run != ABSENT], minlength=n_clusters)
    return counts
