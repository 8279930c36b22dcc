"""Kernel k-means: groups about a mean in the space of a kernel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import (
    AnyFunction,
    CheckedRows,
    Data,
    Distances,
    FittedAttributes,
    Init,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    ValuesByName,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Dictionary,
    Function,
    Nothing,
    Number,
    Whole,
    check_n_clusters,
    check_seed,
)
from coterie._support.validation.schema import COUNT, FLAG, Either, Size, Tensor, Text, wrong
from coterie.cluster.base import DistanceTransformer, Listener, about_one
from coterie.cluster.kernel.fit import (
    BY_FEATURES,
    EXACTLY,
    KernelPlan,
    Nystroem,
    fit_exact,
    fit_features,
    found_by_features,
    found_exactly,
    place,
    rows_of,
)
from coterie.cluster.kernel.functions import KERNELS, KernelFunction, kernel_of, scaled_gamma
from coterie.cluster.kernel.runs import check_first_labels
from coterie.cluster.kmeans.empty_clusters import warn_if_fewer
from coterie.cluster.kmeans.starts import NAMED_STARTS
from coterie.cluster.state_checks import check_given, check_square
from coterie.distance.input import InputKind, InputRules, resolve_input
from coterie.errors import InvalidParameter

RESTARTS = 10  # the kernel's space has many local optima
RULES = InputRules(
    not_square="X of {who} must be a square matrix of kernel values for kernel='precomputed', got the shape "
    "{shape}. If these are rows of features, name a kernel: kernel='rbf'."
)
AUTO_MOST_ROWS = 20_000  # all pairs of more rows take minutes, or more memory than most machines have


@estimator
class KernelKMeans(DistanceTransformer):
    """Kernel k-means: k-means in the feature space of a kernel, with curved borders.

    A kernel K(x, y) is the inner product of two rows in another space. With F_ic the weighted sum of K(i, j)
    over the rows j of group c, W_c its weight and S_c the weighted sum of F_ic over its own rows, the squared
    distance of row i to the mean of group c is

        K_ii - 2 F_ic / W_c + S_c / W_c^2

    so that k-means needs no coordinates of that space. When rows move, only their columns of F change. With
    the linear kernel it is k-means.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid", "cosine", "precomputed"} or callable, default="rbf"
        "rbf": exp(-gamma |x - y|^2); "linear": x.y; "poly": (gamma x.y + coef0)^degree; "sigmoid":
        tanh(gamma x.y + coef0), no inner product in general; "cosine": x.y / (|x| |y|). "precomputed": `X`
        is the matrix. A callable takes two rows and returns a number (slow: it is called once per pair).
    gamma : float or "scale", default="scale"
        "scale" is 1 / (n_features times the variance of all numbers of `X`, weighted).
    degree, coef0 : float, default=3, 1
        Of the formulas above.
    kernel_params : dict or None, default=None
        Keyword arguments that a callable gets with every call.
    method : {"auto", "exact", "nystroem"}, default="auto"
        "exact": the matrix is kept if half of the free memory holds it, else its rows are computed again when
        needed. "nystroem": k-means on features whose inner products are nearly the kernel. "auto": "exact" up
        to 20,000 rows and for matrices, else "nystroem". `exact_` and `algorithm_used_` tell.
    n_components : int, default=100
        Landmark rows of "nystroem"; the more, the closer to the kernel.
    init : {"k-means++", "random", "random partition"} or array of int, default="k-means++"
        First groups: those of the rows nearest to greedy k-means++ picks in the kernel's space, or to random
        rows; random ones; or the first label of each row.
    n_init : "auto" or int, default="auto"
        How many starts; the run of least inertia is kept. "auto" is 10. An array is one start.
    tol : float, default=0
        Stop also when the inertia falls by at most this share in one iteration.

    Attributes
    ----------
    labels_ : array of int32 of shape (n_samples,)
        The nearest mean of each row.
    inertia_ : float
        Weighted sum of squared distances to the means, in the kernel's space (in that of the features for
        "nystroem").
    algorithm_used_ : {"matrix", "blocks", "nystroem"}
        Where the kernel came from.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.cluster import KernelKMeans
    >>> angle = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    >>> ring = np.c_[np.cos(angle), np.sin(angle)]
    >>> model = KernelKMeans(2, random_state=0).fit(np.r_[0.3 * ring, ring])
    >>> len(set(model.labels_[:60])), len(set(model.labels_[60:])), len(set(model.labels_))
    (1, 1, 2)
    """

    n_clusters: int = parameter(Whole(1), default=8)
    _: KW_ONLY
    kernel: str | AnyFunction = parameter(Choice(*KERNELS, "precomputed") | Function(), default="rbf")
    gamma: float | str = parameter(Choice("scale") | Number(0, open_below=True), default="scale")
    degree: float = parameter(Number(0, open_below=True), default=3)
    coef0: float = parameter(Number(), default=1)
    kernel_params: ValuesByName | None = parameter(Dictionary() | Nothing(), default=None)
    method: str = parameter(Choice("auto", "exact", "nystroem"), default="auto")
    n_components: int = parameter(Whole(1), default=100)
    init: Init = parameter(Choice(*NAMED_STARTS) | AnArray(), default="k-means++")
    n_init: int | str = parameter(Choice("auto") | Whole(1), default="auto")
    max_iter: int = parameter(Whole(1), default=300)
    tol: float = parameter(Number(0), default=0.0)
    random_state: RandomState = None
    progress: ProgressOption = None

    _n_features_out: int = fitted(Size("clusters", 1))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"))
    inertia_: float = fitted(Number())
    n_iter_: int = fitted(COUNT, "Iterations of the best run.")
    algorithm_used_: str = fitted(Text())
    exact_: bool = fitted(FLAG, "Whether it was the kernel itself.")
    gamma_: float = fitted(Number(0, open_below=True), "The gamma that was used.")
    _n_init: int = fitted(COUNT)
    _fitted: ValuesByName = fitted(Either(EXACTLY, BY_FEATURES))

    _objective_words: ClassVar[str] = "SSE in the kernel's space"

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, fitted, is_matrix = cls.__name__, state["_fitted"], state["kernel"] == "precomputed"
        if state["exact_"] == ("kmeans" in fitted):
            raise wrong("exact_", who, "be False for a fit by features, and only then", state["exact_"])
        if is_matrix:
            check_square(sizes, who=who)
        if state["exact_"]:
            check_given(fitted["X"], not is_matrix, who=who, name="_fitted.X", why="this kernel")
        elif is_matrix:
            raise wrong("_fitted", who, "have no features with kernel precomputed", "some")
        elif len(fitted["kmeans"].cluster_centers_) != sizes["clusters"]:
            raise wrong("_fitted.kmeans", who, f"have {sizes['clusters']} centres", "others")

    @property
    def _is_matrix(self) -> bool:
        return self._kind != "data"

    @property
    def _kind(self) -> InputKind:
        is_given = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return "similarities" if is_given else "data"

    def predict(self, X: MatrixLike) -> Labels:
        """Return the index of the nearest mean for each row; for the rows of `fit` these are `labels_`.

        For "precomputed", X holds the kernel of new rows with all rows of `fit`.
        """
        rows = self._check_new(X)
        if not self.exact_:
            labels: Labels = self._fitted["kmeans"].predict(self._features().features(rows))
            return labels
        scores = place(self._kernel_function(), self._fitted, rows)
        return np.asarray(scores.argmin(axis=0), dtype=np.int32)

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to each mean, in the kernel's space.

        Not for "precomputed", where the kernel of a new row with itself is not known.
        """
        rows = self._check_new(X)
        kernel = self._kernel_function()
        if kernel is None:
            raise InvalidParameter(
                f"transform of {type(self).__name__} needs the kernel of each new row with itself, which "
                f'kernel="precomputed" does not give. Use predict, or a kernel by name.'
            )
        if not self.exact_:
            distances: Distances = self._fitted["kmeans"].transform(self._features().features(rows))
            return distances
        squared = place(kernel, self._fitted, rows).T + kernel.of_itself(rows)[:, None]
        return np.sqrt(np.maximum(squared, 0.0)).astype(rows.dtype)

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        return resolve_input(X, self._kind, estimator=self, rules=RULES).values

    def _check_new(self, X: MatrixLike) -> Data:
        data: Data = super()._check_new(X)
        return data.astype(np.promote_types(data.dtype, self._fitted["dtype"]), copy=False)

    def _compute(self, X: Data, weights: Weights | None, listener: Listener | None) -> FittedAttributes:
        check_n_clusters(self.n_clusters, X.shape[0], who=type(self).__name__)
        plan = self._plan(len(X))
        scaled, power = (None, 0) if weights is None else about_one(weights)
        with track(self.progress, "kernel k-means: iteration").also(listener) as tracker:
            found = self._found(X, scaled, plan, tracker)
        return {**found, "inertia_": float(np.ldexp(found["inertia_"], power)), "_n_init": plan.n_init}

    def _plan(self, n_rows: int) -> KernelPlan:
        """Return the plan of a fit of so many rows, or say which parameters do not go together."""
        who = type(self).__name__
        if self.method == "nystroem" and self._is_matrix:
            raise InvalidParameter(
                f'method="nystroem" of {who} needs rows, got a precomputed kernel. Use method="exact".'
            )
        if self.kernel_params and not callable(self.kernel):
            raise InvalidParameter(
                f"kernel_params of {who} are for a kernel that is a function, got {self.kernel_params!r} for "
                f'kernel="{self.kernel}". Use gamma, degree and coef0.'
            )
        is_given = not isinstance(self.init, str)
        init = check_first_labels(self.init, self.n_clusters, n_rows, who=who) if is_given else self.init
        n_init = RESTARTS if self.n_init == "auto" else int(self.n_init)
        return KernelPlan(
            n_clusters=self.n_clusters,
            init=init,
            n_init=1 if is_given else n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            n_components=self.n_components,
            seed=check_seed(self.random_state),
        )

    def _found(self, X: Data, weights: Weights | None, plan: KernelPlan, tracker: Tracker) -> ValuesByName:
        kernel = None
        if not self._is_matrix:
            kernel = kernel_of(
                self.kernel, self._gamma(X, weights), self.degree, self.coef0, self.kernel_params
            )
        if kernel is not None and self._goes_by_features(len(X)):
            return found_by_features(*fit_features(kernel, X, weights, plan, tracker))
        rows = rows_of(kernel, X)
        run = fit_exact(rows, kernel, weights, plan, tracker)
        warn_if_fewer(len(run.centre.weights), self.n_clusters)
        return found_exactly(run, rows, kernel, X, weights)

    def _goes_by_features(self, n_rows: int) -> bool:
        if self.method != "auto":
            return self.method == "nystroem"
        return n_rows > AUTO_MOST_ROWS and not self._is_matrix

    def _gamma(self, X: Data, weights: Weights | None) -> float:
        return scaled_gamma(X, weights) if isinstance(self.gamma, str) else float(self.gamma)

    def _kernel_function(self) -> KernelFunction | None:
        if self._is_matrix:
            return None
        return kernel_of(self.kernel, self.gamma_, self.degree, self.coef0, self.kernel_params)

    def _features(self) -> Nystroem:
        kernel = self._kernel_function()
        assert kernel is not None
        return Nystroem(kernel, self._fitted["landmarks"], self._fitted["projection"])
