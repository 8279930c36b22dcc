"""K-means: groups about a mean."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Self

import numpy as np
from scipy.sparse import issparse

from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.progress import ProgressOption
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    Data,
    Distances,
    FittedAttributes,
    FloatArray,
    Init,
    Labels,
    Mask,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    ValuesByName,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Anything,
    Choice,
    Flag,
    Nothing,
    Number,
    check_data,
    check_seed,
)
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    VALUES,
    Instance,
    Maybe,
    Sometimes,
    Tensor,
    Text,
)
from coterie.cluster.base import Listener
from coterie.cluster.kmeans.centers import CenterClusterer
from coterie.cluster.kmeans.features import ClusteringFeatures, n_features_kept
from coterie.cluster.kmeans.history import KMeansHistory
from coterie.cluster.kmeans.points import Stopping
from coterie.errors import InvalidParameter, UnsupportedInput

if TYPE_CHECKING:
    from coterie.cluster.kmeans.spaces import FittedGeometry
    from coterie.distance import Distance, Geometry

# Name of the parameter -> name in the engine. Scikit-learn's "elkan" stands for iterations that skip
# distances by bounds; the engine's own way of doing that keeps two bounds per row instead of one per row and
# centre.
ALGORITHMS = {name: name for name in ("auto", "lloyd", "hamerly", "exponion", "filter")} | {
    "elkan": "exponion"
}


@estimator
class KMeans(CenterClusterer):
    """K-means: the k centroids with the least sum of squared distances to the rows.

    K-means lowers the distortion (inertia, SSE)

        J = sum over rows i of  w_i |x_i - c(i)|^2,    c(i) the nearest centre of row i,

    by turns: every row goes to its nearest centre, every centre to the weighted mean of its rows. Neither
    step can raise J, and it ends at a local optimum that depends on the start. A drop-in for scikit-learn's
    class.

    Parameters
    ----------
    init : {"k-means++", "random", "random partition"}, array or callable, default="k-means++"
        First centres. "k-means++": greedy k-means++, rows far from the centres so far are likely, and of
        2 + ln k candidates the best one is taken. "random": random rows. "random partition": means of a
        random partition. An array gives them, one row per group. A callable gets ``(X, n_clusters,
        random_state=...)`` and returns them.
    n_init : "auto" or int, default="auto"
        How many starts; the run of least inertia is kept, the first one of equals. "auto" is 10 for starts
        that are merely random or a callable's, 1 for "k-means++", for an array, and when `improve` is set.
    tol : float, default=1e-4
        Stop when the squared shift of all centres together is at most this share of the mean variance of the
        columns. A run always stops when no label changes.
    copy_x : bool, default=True
        Kept for scikit-learn's sake. There, False allows `X` to be changed on the way; here it never is, and
        no copy is made either way.
    algorithm : {"auto", "lloyd", "elkan", "hamerly", "exponion", "filter"}, default="auto"
        How to find the nearest centres. All give the same labels, centres and inertia to the bit, at
        different speed. "lloyd" compares every row with every centre; "hamerly" and "exponion" keep bounds
        and skip what cannot have changed; "filter" sends centres down a tree of boxes, for at most three
        columns; "elkan" is scikit-learn's name for bounds and runs "exponion"; "auto" chooses by size.
        `algorithm_used_` tells which one ran.
    geometry : str, Distance or Geometry, default="euclidean"
        How far rows are from centres and where centres go, see `coterie.distance.geometries`: "manhattan"
        with medians, "cosine", "correlation" and "spearman" with directions (of rows, profiles, ranks),
        "hamming" with the commonest values, "minkowski" with p-centres, "seuclidean" and "mahalanobis" with
        means of scaled or whitened rows. J is then the sum of w times the distance to the power that its
        centres minimise. Distances without such centres are refused.
    improve : {None, "breathing"}, default=None
        "breathing": after the first optimum, centres are added where the error is large and those least
        missed are removed, again and again while that helps; then single rows change sides where that pays.
        Usually better than ten restarts, in less time.
    tol_inertia : float or None, default=None
        Stop also when the inertia falls by at most this share in one iteration.
    missing : {"refuse", "observed"}, default="refuse"
        What to do about missing cells (NaN). "observed": J sums over observed cells only (k-POD). A row goes
        to the centre that is nearest in the cells that it has, a centre to the mean of the cells that its
        rows have, and a column in which none of them has one keeps its value. `predict`, `transform` and
        `score` count observed cells only, too. A row or a column without any value is refused. Needs the
        Euclidean geometry, without `improve` and `history`.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        The centres. Fewer than `n_clusters`, with a warning, when `X` has fewer different rows.
    labels_ : array of int32 of shape (n_samples,)
        The nearest centre of each row; of the last batch after `partial_fit`.
    inertia_ : float
        The value of J; after `partial_fit` an upper bound of it over all rows seen.
    n_iter_ : int
        Iterations of the best run; with `improve`, of the whole way from its start.
    algorithm_used_ : {"lloyd", "hamerly", "exponion", "filter"}
        What found the nearest centres.
    exact_ : bool
        True: every pass took every row into account; False after `partial_fit`, where rows seen before are
        clustering features.
    features_ : ClusteringFeatures
        After `partial_fit`: all rows seen, as a few hundred weighted means.
    history_ : KMeansHistory or None
        The steps of the best run, if asked for.

    Examples
    --------
    >>> from coterie.cluster import KMeans
    >>> X = [[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]]
    >>> model = KMeans(n_clusters=2, init=[[1, 2], [10, 2]]).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> model.cluster_centers_
    array([[ 1.,  2.],
           [10.,  2.]])
    >>> model.inertia_
    16.0
    >>> model.predict([[0, 0], [12, 3]])
    array([0, 1], dtype=int32)
    """

    n_clusters: int = 8
    _: KW_ONLY
    init: Init = "k-means++"
    n_init: int | str = "auto"
    max_iter: int = 300
    tol: float = 1e-4
    verbose: int = 0
    random_state: RandomState = None
    copy_x: bool = parameter(Flag(), default=True)
    algorithm: str = parameter(Choice(*ALGORITHMS), default="auto")
    # coterie.distance knows its names
    geometry: str | Distance | Geometry = parameter(Anything(), default="euclidean")
    improve: str | None = parameter(Nothing() | Choice("breathing"), default=None)
    tol_inertia: float | None = parameter(Nothing() | Number(0), default=None)
    history: bool = parameter(Flag(), "Whether to record every step in `history_`.", default=False)
    progress: ProgressOption = None
    missing: str = parameter(Choice("refuse", "observed"), default="refuse")

    features_: ClusteringFeatures = fitted(Sometimes(Instance(ClusteringFeatures, n_columns="columns")))
    # of the rows of each cluster
    _cluster_weights: Weights = fitted(Sometimes(Tensor("clusters", kind="f8", low=0)))
    algorithm_used_: str = fitted(Text())
    exact_: bool = fitted(FLAG)
    history_: KMeansHistory | None = fitted(Maybe(Instance(KMeansHistory)))
    _n_init: int = fitted(COUNT)
    _geometry_values: ValuesByName = fitted(VALUES)
    _geometry_offset: FloatArray | None = fitted(Maybe(Tensor("columns")))

    _sometimes = ("features_", "_cluster_weights")
    row_attributes = ("labels_",)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        from coterie.cluster.kmeans.spaces import refit_space
        from coterie.cluster.state_checks import check_distance, check_given
        from coterie.distance import find_geometry

        super()._check_state(state, sizes)
        geometry, values, offset = state["geometry"], state["_geometry_values"], state["_geometry_offset"]
        check_distance(find_geometry(geometry).distance, values, sizes["columns"])
        distance = refit_space(geometry, values, offset, state["_origin"]).geometry.distance
        why = f"geometry {distance.name}"
        check_given(offset, distance.learn is not None, who=cls.__name__, name="_geometry_offset", why=why)
        centers, is_moved = state.get("_prepared_centers"), distance.transform is not None
        check_given(centers, is_moved, who=cls.__name__, name="_prepared_centers", why=why)
        if state.get("history_") is not None:
            state["history_"].check_centers(state["cluster_centers_"], who=cls.__name__)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        from coterie.cluster.kmeans.kmeans_fit import fit_k_means

        return fit_k_means(self, X, weights, listener)

    @fitting
    def partial_fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Take in more rows: the centres move to where they would be with the rows seen before and these.

        Rows seen before are not kept. They stand as clustering features, small groups of near rows with their
        exact weight, mean and sum of squares, and each such group stays together. Clusters keep their
        numbers. Where a fresh start on the features saves 2 % of the inertia or more, the centres start from
        there: new rows may form a cluster of their own. The first call fits the rows as `fit` does; after
        `fit`, each of its clusters is one feature.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            More rows, dense.
        """
        from coterie.cluster.kmeans.growth import rows_as_features

        self._check_parameters()
        self._refuse_growth(X)
        is_first = not hasattr(self, "cluster_centers_")
        if is_first:
            self.fit(X, sample_weight=sample_weight)
        data = check_data(X, estimator=self, reset=False)
        weights = self._check_weights(sample_weight, len(data))
        new = rows_as_features(data, weights)
        if is_first:
            n = n_features_kept(len(self.cluster_centers_), data.shape[1])
            seed = check_seed(self.random_state)
            self.features_ = ClusteringFeatures.joined([new], n=n, seed=seed)
            return self
        self.take_in(new)
        self.labels_ = self._label(data.astype(self.cluster_centers_.dtype, copy=False), None)[0]
        return self

    def take_in(self, new: ClusteringFeatures) -> None:
        """Move the centres to where they belong with more rows, given as features; `labels_` is dropped."""
        from coterie.cluster.kmeans.growth import grow_centers

        seen = self.seen_features()
        growth = grow_centers(
            self.cluster_centers_,
            seen,
            new,
            n_clusters=int(self.n_clusters),
            stopping=Stopping(self.max_iter, self.tol),
            seed=check_seed(self.random_state),
            n_features=n_features_kept(int(self.n_clusters), seen.means.shape[1]),
        )
        labels = growth.features.nearest(growth.centers)
        self.__dict__.pop("labels_", None)
        self.__dict__.update(
            cluster_centers_=growth.centers,
            features_=growth.features,
            inertia_=growth.inertia,
            n_iter_=growth.n_iter,
            exact_=False,
            history_=None,
            _n_features_out=len(growth.centers),
            _cluster_weights=np.bincount(labels, growth.features.weights, minlength=len(growth.centers)),
            _origin=growth.centers.mean(axis=0),
        )

    def seen_features(self) -> ClusteringFeatures:
        """Return the rows seen so far as clustering features; of a plain fit, one per cluster."""
        if hasattr(self, "features_"):
            return self.features_
        if not hasattr(self, "_cluster_weights"):
            raise InvalidParameter(
                f"this {type(self).__name__} does not know how many rows its clusters have: it was saved by "
                f"an earlier version. Fit again, then add rows."
            )
        kept = self._cluster_weights > 0
        weights, centers = self._cluster_weights[kept], self.cluster_centers_[kept]
        within = self.inertia_ * weights / weights.sum()
        return ClusteringFeatures(weights, np.asarray(centers, dtype=np.float64), within)

    def _refuse_growth(self, X: MatrixLike) -> None:
        """Refuse to take in rows where a mean and a sum of squares do not stand for them."""
        from coterie.distance import find_geometry

        who = type(self).__name__
        if find_geometry(self.geometry).name != "euclidean" or self._takes_gaps:
            raise InvalidParameter(
                f'partial_fit of {who} needs geometry="euclidean" and missing="refuse": rows seen before are '
                f"kept as means and sums of squares. Fit old and new rows together."
            )
        if issparse(X):
            raise UnsupportedInput(
                f"Sparse data was passed to partial_fit of {who}, but dense data is required. Use "
                f"X.toarray(), or MiniBatchKMeans, which takes sparse batches."
            )

    @property
    def _takes_gaps(self) -> bool:
        return self.missing == "observed"

    def _label(self, X: Data | SparseData, weights: Weights | None) -> tuple[Labels, float]:
        """Return labels and objective; whether a row has gaps decides, never those next to it."""
        if not self._takes_gaps or issparse(X):
            return super()._label(X, weights)
        from coterie.cluster.kmeans.observed import ObservedPoints, refuse_empty_rows

        refuse_empty_rows(X, who=type(self).__name__)
        by_cells: Mask = np.logical_or(np.isnan(X).any(axis=1), self._has_gaps)
        labels, inertia, centers = np.zeros(len(X), dtype=np.int32), 0.0, self._centers_for(X)
        for rows in (np.flatnonzero(by_cells), np.flatnonzero(~by_cells)):
            part, own = np.ascontiguousarray(X[rows]), None if weights is None else weights[rows]
            if not len(rows):
                continue
            if by_cells[rows[0]]:
                points = ObservedPoints(part, own, resolve_threads())
                labels[rows] = points.label(centers)
                inertia += points.inertia(centers, labels[rows])
            else:
                labels[rows], more = super()._label(part, own)
                inertia += more
        return labels, inertia

    def _distances(self, X: Data | SparseData) -> Distances:
        if not self._takes_gaps or issparse(X) or not np.isnan(X).any():
            return super()._distances(X)
        from coterie.cluster.kmeans.observed import ObservedPoints, refuse_empty_rows

        refuse_empty_rows(X, who=type(self).__name__)
        points = ObservedPoints(X, None, resolve_threads())
        return np.asarray(np.sqrt(points.distances(self._centers_for(X))))

    def _space(self) -> FittedGeometry:
        from coterie.cluster.kmeans.spaces import refit_space

        return refit_space(self.geometry, self._geometry_values, self._geometry_offset, self._origin)
