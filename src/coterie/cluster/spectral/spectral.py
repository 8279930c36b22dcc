"""Spectral clustering: connected groups of any shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import qr

from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.linear_algebra import EQUAL_SHARE
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    CheckedRows,
    Data,
    FittedAttributes,
    FloatArray,
    Labels,
    MatrixLike,
    MetricLike,
    RandomState,
    Settings,
    SparseData,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    Anything,
    Choice,
    Dictionary,
    Flag,
    Nothing,
    Whole,
    check_n_clusters,
)
from coterie._support.validation.schema import VALUES, Sometimes, Tensor
from coterie.cluster.base import Listener, WeightedClusterer
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.cluster.kmeans.kmeans import KMeans
from coterie.cluster.spectral.base import (
    SpectralBase,
    check_n_coordinates,
    count_rows_of_weight,
)
from coterie.cluster.spectral.graphs import GAUSSIANS, GRAPHS
from coterie.cluster.state_checks import check_distance
from coterie.distance import Distance, find_distance, input_kind, nearest
from coterie.errors import InvalidParameter

LEGACY_SEEDS = 2**32
MOST_RESTARTS = 30
MOST_ROUNDS = 20
EQUAL_ANGLES = 1e-9  # rows whose overlaps differ by less are equally far from those taken: the first counts


@estimator
class SpectralClustering(SpectralBase, WeightedClusterer):
    """Spectral clustering: k-means on the eigenvectors of a graph Laplacian.

    Rows become the points of a graph whose weights W say how alike they are, for example
    ``W_ij = exp(-|x_i - x_j|^2 / h)``. With D the row sums of W, the eigenvectors of the smallest
    eigenvalues of

        L = D - W   or   I - D^(-1/2) W D^(-1/2)   or   I - D^(-1) W

    vary as little as possible along heavy edges; their values are new coordinates of the rows, in which
    groups of any shape are compact, and k-means finds them there. A drop-in for scikit-learn's class.

    With ``sample_weight``, a row of weight 3 is three equal rows, which have the affinity of the row with
    itself among them. A weight below 1 is less influence on others, down to none at 0: such a row is placed
    and labelled like a new one. `n_neighbors` counts rows, whatever they weigh: copies of a row would leave
    it no other neighbours.

    Parameters
    ----------
    eigen_solver : {None, "arpack", "lobpcg", "amg"}, default=None
        None grows block Krylov spaces; "arpack" and "lobpcg" are SciPy's; "amg" is LOBPCG with a
        preconditioner from the package pyamg, and stores the graph.
    n_components : int or None, default=None
        How many eigenvectors; None is `n_clusters`.
    gamma : float, default=1.0
        Of the affinity ``exp(-gamma |x - y|^2)``, and of other kernels.
    affinity : str or callable, default="rbf"
        "rbf": ``exp(-|x - y|^2 / h)``. "self_tuning": ``exp(-|x - y|^2 / (s_x s_y))``, s the distance to the
        `n_neighbors`-th neighbour. "nearest_neighbors": 1 among neighbours, 1/2 where only one is the
        other's. "mutual_neighbors": 1 where both are. "epsilon": 1 within that distance. "precomputed": X
        is the matrix of affinities or the weights of a graph, dense or CSR.
        "precomputed_nearest_neighbors": X has distances. Also scikit-learn's kernels, or a function of two
        rows.
    n_neighbors : int, default=10
        Of the neighbour graphs; as in scikit-learn, a row is its own first neighbour.
    eigen_tol : float or "auto", default="auto"
        Largest residual ``|A v - mu v|`` of an eigenvector; "auto" is 1e-5. Where the wanted eigenvalues
        are close together, a hundredth of their spread.
    assign_labels : {"kmeans", "discretize", "cluster_qr"}, default="kmeans"
        How coordinates become labels; the last two look at the first `n_clusters` coordinates.
    degree, coef0 : float
        Of the kernels "poly" and "sigmoid".
    metric : str, callable or Distance, default="euclidean"
        Distance of the rows for "rbf", whose matrix is then stored, "self_tuning" and the neighbour graphs.
        "gower" takes tables with numbers, categories and gaps: being at most 1, it goes with "self_tuning", a
        neighbour graph, or a `gamma` of 10 and more.
    metric_params : dict or None, default=None
        Parameters of the distance.
    laplacian : {"random_walk", "symmetric", "unnormalized"}, default="random_walk"
        Which L: the third, second or first one above. The first two have the same eigenvalues;
        "random_walk" is what scikit-learn does.
    h : float or None, default=None
        Width of the affinity "rbf", instead of `gamma`, which is then 1/h.
    landmarks : int or None, default=None
        For many rows: a graph between rows and this many centres takes the place of the graph among rows.
        Approximate: `exact_` tells.
    neighbors : {"exact", "approximate"}, default="exact"
        "approximate": the neighbour graphs are those of `coterie.distance.k_nearest` with ``recall=0.95``,
        for many rows of many columns; `exact_` is then False.

    Attributes
    ----------
    labels_ : array of int32 of shape (n_samples,)
        Group of each row.
    eigenvalues_ : array of shape (n_components + 1,)
        Of the Laplacian, from the smallest up; one more than there are coordinates.
    eigengaps_ : array of shape (n_components,)
        Differences of the eigenvalues: ``eigengaps_[k - 1]`` is large if there are k connected groups.

    Examples
    --------
    >>> from coterie.cluster import SpectralClustering
    >>> X = [[1, 1], [2, 1], [1, 0], [4, 7], [3, 5], [3, 6]]
    >>> model = SpectralClustering(2, assign_labels="discretize", random_state=0).fit(X)
    >>> model.labels_ == model.labels_[0]
    array([ True,  True,  True, False, False, False])
    >>> model.predict([[1, 2]]) == model.labels_[0]
    array([ True])
    """

    n_clusters: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    eigen_solver: str | None = None
    n_components: int | None = parameter(Nothing() | Whole(1), default=None)
    random_state: RandomState = None
    n_init: int = parameter(Whole(1), "Starts of k-means.", default=10)
    gamma: float = 1.0
    affinity: str | Callable[..., float] = "rbf"
    n_neighbors: int = 10
    eigen_tol: float | str = "auto"
    assign_labels: str = parameter(Choice("kmeans", "discretize", "cluster_qr"), default="kmeans")
    degree: float = 3
    coef0: float = 1
    kernel_params: ValuesByName | None = parameter(meaning="Further parameters of a kernel.", default=None)
    metric: MetricLike = parameter(Anything(), default="euclidean")  # coterie.distance knows its names
    metric_params: ValuesByName | None = parameter(Dictionary() | Nothing(), default=None)
    n_jobs: int | None = parameter(meaning="Threads.", default=None)
    verbose: bool = parameter(Flag() | Whole(0), "Whether to print what is done.", default=False)
    laplacian: str = "random_walk"
    h: float | None = None
    epsilon: float = parameter(meaning='Radius of the affinity "epsilon".', default=1.0)
    landmarks: int | None = None
    neighbors: str = "exact"
    progress: ProgressOption = None

    _centers: FloatArray = fitted(Tensor("clusters", "components"))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"))
    _distance_values: ValuesByName = fitted(Sometimes(VALUES))

    _sometimes = ("_distance_values",)
    row_attributes = ("labels_", "_input", "embedding_", "_degrees", "_scales")

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group of each row; a row of the fit keeps its label.

        The eigenvectors are extended to new rows by their own equation (Nystroem), then the nearest group
        is taken.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_samples, n_features)
            New rows; with affinity "precomputed", their affinities to the rows of the fit.
        """
        scikit_learn.check_is_fitted(self)
        data = self._check_new_rows(X)
        return self._nearest_groups(data, self._place(data), vars(self))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        super()._check_state(state, sizes)
        values = state.get("_distance_values", {})
        if values:
            check_distance(state["metric"], values, sizes["columns"])

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self._distance({}) is None:
            return
        takes_distance = self.affinity in (*GAUSSIANS, *GRAPHS) and self.landmarks is None
        if not takes_distance:
            what = f"affinity={self.affinity!r}" if self.landmarks is None else "landmarks"
            raise InvalidParameter(
                f"metric of {type(self).__name__} must be 'euclidean' with {what}, got {self.metric!r}: "
                f"other distances go with affinity {', '.join((*GAUSSIANS, *GRAPHS))}, without landmarks."
            )

    def _distance(self, learned: Settings) -> Distance | None:
        if input_kind(self.metric) != "data":
            raise InvalidParameter(
                f"metric of {type(self).__name__} must be a distance of rows, got {self.metric!r}. Pass a "
                f"matrix with affinity='precomputed' or, of distances, 'precomputed_nearest_neighbors'."
            )
        distance = find_distance(self.metric, **(learned or self.metric_params or {}))
        is_usual = distance.name == "euclidean" and distance.function is None
        return None if is_usual else distance

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        return self._check_graph_input(X)

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        who = type(self).__name__
        n_weighing = count_rows_of_weight(X.shape[0], weights)
        check_n_clusters(self.n_clusters, X.shape[0], who=who)
        if self.n_clusters > n_weighing:
            raise InvalidParameter(
                f"n_clusters of {who} must be at most {n_weighing}, the rows of a weight above 0, got "
                f"{self.n_clusters}."
            )
        check_n_coordinates(self.n_components or 1, n_weighing, who=who)
        if self.assign_labels != "kmeans" and (self.n_components or self.n_clusters) < self.n_clusters:
            warn_caller(
                f"at most {self.n_components} distinct clusters, not n_clusters={self.n_clusters}: "
                f"assign_labels={self.assign_labels!r} makes a group of every coordinate. Use more "
                f"n_components, or assign_labels='kmeans'.",
                scikit_learn.ConvergenceWarning,
            )
        seed = self._seed()
        with track(self.progress, "spectral: eigenvectors", total=2).also(listener) as tracker:
            found, state = self._embed(X, weights, int(self.n_components or self.n_clusters), seed)
            tracker.report(1, stage="spectral: labels")
            if self.verbose:
                print(f"Computing label assignment using {self.assign_labels}")
            state |= self._group(found.coordinates, X, weights, seed)
            tracker.report(2)
        if weights is not None and n_weighing < X.shape[0]:
            is_new = weights == 0
            state["labels_"][is_new] = self._nearest_groups(X[is_new], found.coordinates[is_new], state)
        return state

    def _group(
        self, coordinates: FloatArray, X: CheckedRows, weights: Weights | None, seed: int
    ) -> FittedAttributes:
        """Return the labels of the rows that have any weight, -1 for the others, and means of the groups."""
        has_weight = np.ones(len(coordinates), dtype=bool) if weights is None else weights > 0
        masses = None if weights is None else weights[has_weight]
        rows = X if self._is_given or weights is None else X[has_weight]
        few = None if self._is_given else labels_of_few(rows, self.n_clusters)
        kept = coordinates if weights is None else coordinates[has_weight]
        found = self._label(kept, masses, seed) if few is None else few
        if few is not None:
            warn_if_fewer(int(few.max()) + 1, self.n_clusters)
        sizes = np.bincount(found)
        dense = np.cumsum(sizes > 0) - 1  # labels without rows are closed up
        labels = np.full(len(coordinates), -1, dtype=np.int32)
        labels[has_weight] = dense[found]
        return {"labels_": labels, "_centers": means_of(kept, masses, dense[found])}

    def _label(self, coordinates: FloatArray, weights: Weights | None, seed: int) -> Labels:
        leading = coordinates[:, : self.n_clusters]  # these make a group of every coordinate
        if self.assign_labels == "cluster_qr":
            return cluster_qr(leading)
        if self.assign_labels == "discretize":
            return discretize(leading, weights, random_state=seed % LEGACY_SEEDS)
        model = KMeans(self.n_clusters, n_init=self.n_init, random_state=seed, verbose=int(self.verbose))
        return model.fit(coordinates, sample_weight=weights).labels_

    def _nearest_groups(self, X: CheckedRows, coordinates: FloatArray, state: Settings) -> Labels:
        """Return the group whose mean is nearest; a row of the fit keeps its label."""
        labels = nearest(np.ascontiguousarray(coordinates), state["_centers"]).index.astype(np.int32)
        if not self._is_given and self.landmarks is None:
            rows, known, weights = state["_input"], state["labels_"], state.get("_weights")
            if weights is not None:
                rows, known = rows[weights > 0], known[weights > 0]
            near = self._affinity(state.get("_distance_values", {})).to_nearest(X, rows)
            is_old = near.distance == 0
            labels[is_old] = known[near.index[is_old]]
        return labels


def spectral_clustering(
    affinity: MatrixLike,
    *,
    n_clusters: int = 8,
    n_components: int | None = None,
    eigen_solver: str | None = None,
    random_state: RandomState = None,
    n_init: int = 10,
    eigen_tol: float | str = "auto",
    assign_labels: str = "kmeans",
    verbose: bool = False,
) -> Labels:
    """Return the groups of a graph, given by its weights: `SpectralClustering` as a function.

    Parameters
    ----------
    affinity : array-like or sparse matrix of shape (n_samples, n_samples)
        Weights: symmetric, at least 0.
    n_clusters, n_components, eigen_solver, random_state, n_init, eigen_tol, assign_labels, verbose
        As in `SpectralClustering`.

    Examples
    --------
    >>> import numpy as np
    >>> weights = np.kron(np.eye(2), np.ones((3, 3))) + 0.01
    >>> labels = spectral_clustering(weights, n_clusters=2, random_state=0)
    >>> labels == labels[0]
    array([ True,  True,  True, False, False, False])
    """
    return (
        SpectralClustering(
            n_clusters,
            n_components=n_components,
            eigen_solver=eigen_solver,
            random_state=random_state,
            n_init=n_init,
            affinity="precomputed",
            eigen_tol=eigen_tol,
            assign_labels=assign_labels,
            verbose=verbose,
        )
        .fit(affinity)
        .labels_
    )


def cluster_qr(vectors: FloatArray) -> Labels:
    """Return labels from a QR factorisation with column pivoting of the transposed coordinates.

    The pivots are k rows that point in directions as different as possible; every row goes to the
    direction that it has most of, after a rotation that brings the pivots to the axes (see `damle-2019` of
    the references).
    """
    k = vectors.shape[1]
    triangle, pivots = qr(vectors.T, pivoting=True, mode="r")
    left, _, right = np.linalg.svd(vectors[pivots[:k]].T)
    directions = np.abs(vectors @ (left @ right)).argmax(axis=1)
    return _in_settled_order(directions, np.abs(np.diagonal(triangle)))


def discretize(
    vectors: FloatArray, weights: Weights | None = None, *, random_state: RandomState = None
) -> Labels:
    """Return labels from the rotation of the coordinates that brings them nearest to indicators of groups.

    By turns: every row takes its largest coordinate after the rotation; the rotation is fitted to these
    choices by a singular value decomposition (see `yu-2003` of the references). Rows count by their weights.
    """
    draws = scikit_learn.check_random_state(random_state)
    shares = None if weights is None else weights / weights.max()
    directions = _unit_rows(np.asarray(vectors, dtype=np.float64), shares)
    for _ in range(MOST_RESTARTS):
        try:
            return _rotated_labels(directions, shares, draws)
        except LinAlgError:  # begin elsewhere
            continue
    raise LinAlgError("SVD did not converge")


def _in_settled_order(directions: Labels, lengths: FloatArray) -> Labels:
    """Return groups numbered by the lengths of their pivots, equal ones as they appear, not by rounding."""
    falls = np.cumsum(lengths[1:] < (1 - EQUAL_SHARE) * lengths[:-1])
    first = np.full(len(lengths), len(directions))
    np.minimum.at(first, directions, np.arange(len(directions)))
    order = np.lexsort((first, np.append(0, falls)))
    return np.asarray(order.argsort()[directions])


def labels_of_few(X: Data, n_clusters: int) -> Labels | None:
    """Return one label per different row where there are fewer of them than clusters, else None."""
    X = np.where(np.isnan(X), np.inf, X)  # gaps are alike
    if len(np.unique(X[: 2 * n_clusters], axis=0)) >= n_clusters:  # the usual case, told from few rows
        return None
    different, labels = np.unique(X, axis=0, return_inverse=True)
    return labels.ravel() if len(different) < n_clusters else None


def means_of(coordinates: FloatArray, weights: Weights | None, labels: Labels) -> FloatArray:
    """Return the mean of each group, by the weights of its rows."""
    groups = [labels == k for k in range(int(labels.max()) + 1)]
    if weights is None:
        return np.array([coordinates[rows].mean(axis=0) for rows in groups])
    return np.array([np.average(coordinates[rows], axis=0, weights=weights[rows]) for rows in groups])


def _unit_rows(vectors: FloatArray, shares: Weights | None) -> FloatArray:
    lengths = np.linalg.norm(vectors if shares is None else np.sqrt(shares)[:, None] * vectors, axis=0)
    scaled = vectors / np.where(lengths > 0, lengths, 1.0)
    norms = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.asarray(scaled / np.where(norms > 0, norms, 1.0))


def _rotated_labels(directions: FloatArray, shares: Weights | None, draws: np.random.RandomState) -> Labels:
    rotation = _first_rotation(directions, shares, draws)
    counted = directions if shares is None else shares[:, None] * directions
    best = 0.0
    for _ in range(MOST_ROUNDS):
        labels = (directions @ rotation).argmax(axis=1)
        indicators = np.eye(directions.shape[1])[labels]
        left, strengths, right = np.linalg.svd(indicators.T @ counted)
        if abs(strengths.sum() - best) < np.finfo(np.float64).eps * len(directions):
            break
        best = float(strengths.sum())
        rotation = right.T @ left.T
    return np.asarray(labels)


def _first_rotation(
    directions: FloatArray, shares: Weights | None, draws: np.random.RandomState
) -> FloatArray:
    """Take a random row, then again and again the row most at right angles to those taken."""
    n, k = directions.shape
    first = draws.randint(n) if shares is None else draws.choice(n, p=shares / shares.sum())
    taken = [directions[first]]
    overlap = np.zeros(n)
    for _ in range(1, k):
        overlap += np.abs(directions @ taken[-1])
        taken.append(directions[int((overlap <= overlap.min() + EQUAL_ANGLES).argmax())])
    return np.array(taken).T
