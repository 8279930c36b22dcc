"""Affinity propagation: rows exchange messages until some of them stand for all others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse

from coterie import _core
from coterie._support import scikit_learn
from coterie._support.caller import warn_caller
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.stoppable import stoppable
from coterie._support.threads import resolve_threads
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    FittedAttributes,
    Indices,
    Labels,
    MatrixLike,
    RandomState,
    Settings,
    SparseData,
    Tags,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    AnArray,
    Choice,
    Constraint,
    Flag,
    Nothing,
    Number,
    Whole,
    check_data,
    require_memory,
)
from coterie._support.validation.parameters import legacy_draws
from coterie._support.validation.schema import COUNT, Sometimes, Tensor, check_squares, wrong
from coterie.cluster.base import Clusterer, Listener
from coterie.cluster.birch.birch import nearest_subclusters
from coterie.cluster.graph.similarities import (
    _refuse_huge,
    _total_similarities,
    add_noise,
    check_preference,
    has_equal_similarities,
    has_one_value,
    similarities_of,
)
from coterie.cluster.state_checks import check_labels_used, check_square
from coterie.distance.input import InputKind
from coterie.errors import DataNotice, InvalidData, InvalidParameter


class OpenShare(Constraint):
    """A number of at least one half and below 1."""

    def accepts(self, value: Any) -> bool:
        return Number().accepts(value) and 0.5 <= value < 1

    def describe(self) -> str:
        return "a number of at least 0.5 and below 1"


@estimator
class AffinityPropagation(Clusterer):
    """Affinity propagation: exemplars found by passing messages between all pairs of rows.

    Row i tells row k how much it would like to have k as its exemplar, more than the next best one, and row k
    tells row i how available it is, by how many others want it:

        r(i, k) = s(i, k) - max over j != k of (a(i, j) + s(i, j))
        a(i, k) = min(0, r(k, k) + sum over j not in {i, k} of max(0, r(j, k)))

    and a(k, k) is the sum over j != k of max(0, r(j, k)). Rows with a(k, k) + r(k, k) > 0 are exemplars. The
    number of groups follows from the preferences s(k, k): higher ones make more. A drop-in for scikit-learn's
    class; see Notes for what rounding decides.

    Parameters
    ----------
    damping : float, default=0.5
        Share of the old message that a new one keeps, at least 0.5 and below 1; higher values calm messages
        that swing.
    convergence_iter : int, default=15
        Iterations without a change of the exemplars after which the fit ends.
    copy : bool, default=True
        With ``affinity="precomputed"``: False lets the fit write to the matrix that it is given.
    preference : float or array-like of shape (n_samples,), default=None
        How well each row suits itself; rows of larger ones become exemplars more easily. None: the median
        of the similarities. Their minimum makes few groups.
    affinity : {"euclidean", "precomputed"}, default="euclidean"
        "euclidean": similarities are minus squared distances. "precomputed": `X` is the square matrix of
        similarities; it need not be symmetric.
    random_state : int, RandomState, Generator or None, default=None
        Of the noise, as small as rounding, that decides between equal similarities. With a number the answer
        is always the same, whatever the number of threads.

    Attributes
    ----------
    cluster_centers_indices_ : array of int of shape (n_clusters,)
        The exemplars.
    cluster_centers_ : array or sparse matrix of shape (n_clusters, n_features)
        Their rows, unless the affinity is "precomputed".
    labels_ : array of int of shape (n_samples,)
        Group of each row, in the order of the exemplars; -1 for all where none was found.
    affinity_matrix_ : array of shape (n_samples, n_samples)
        The similarities, with the preferences on the diagonal and the noise.

    Notes
    -----
    Memory is that of the matrix of similarities and about half of it, time that of reading it once per
    iteration: a message is a number of its row and one of its column but in some cells. A fit that does not
    converge says so (`ConvergenceWarning`): raise `damping` or `max_iter`. After frey-2007 of
    docs/references.md.

    Exemplars and labels are scikit-learn's but where the noise or rounding decides: between equal rows,
    between the two rows of a pair, and in fits that do not converge.

    Examples
    --------
    >>> from coterie.cluster import AffinityPropagation
    >>> X = [[1, 2], [1, 4], [1, 0], [4, 2], [4, 4], [4, 0]]
    >>> model = AffinityPropagation(random_state=5).fit(X)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.cluster_centers_indices_
    array([0, 3])
    >>> model.predict([[0, 0], [4, 4]])
    array([0, 1])
    """

    _sometimes = ("cluster_centers_",)

    _: KW_ONLY
    damping: float = parameter(OpenShare(), default=0.5)
    max_iter: int = parameter(Whole(1), "Most iterations.", default=200)
    convergence_iter: int = parameter(Whole(1), default=15)
    copy: bool = parameter(Flag(), default=True)
    preference: float | VectorLike | None = parameter(Nothing() | Number() | AnArray(), default=None)
    affinity: str = parameter(Choice("euclidean", "precomputed"), default="euclidean")
    verbose: bool = parameter(Flag() | Whole(0), "Whether to print how it ended.", default=False)
    random_state: RandomState = None
    n_jobs: int | None = parameter(Nothing() | Whole(), default=None)
    progress: ProgressOption = None

    labels_: Labels = fitted(Tensor("rows", kind="i8", low=-1, below="clusters"))
    cluster_centers_indices_: Indices = fitted(
        Tensor("clusters", kind="i8", low=0, below="rows", may_be_empty=True)
    )
    cluster_centers_: CheckedRows = fitted(Sometimes(Tensor("clusters", "columns", sparse=True)))
    affinity_matrix_: Distances = fitted(Tensor("rows", "rows"))
    n_iter_: int = fitted(COUNT, "Iterations.")

    row_attributes = ("labels_",)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, exemplars = cls.__name__, state["cluster_centers_indices_"]
        if (np.diff(exemplars) <= 0).any():
            raise wrong("cluster_centers_indices_", who, "rise", "an order that does not")
        is_none = state["labels_"] == -1
        if is_none.any() and (len(exemplars) > 0 or not is_none.all()):
            raise wrong("labels_", who, "be -1 for all rows or none", "both")
        check_labels_used(state["labels_"], sizes["clusters"], who=who)
        if state["affinity"] == "precomputed":
            check_square(sizes, who=who)
        elif "cluster_centers_" not in state:
            raise wrong("cluster_centers_", who, "be there with affinity='euclidean'", "None")
        centers = state.get("cluster_centers_")
        if centers is not None:
            check_squares(centers.data if issparse(centers) else centers, who=who, name="cluster_centers_")

    @property
    def _kind(self) -> InputKind:
        return "similarities" if self.affinity == "precomputed" else "data"

    @property
    def _takes_rows_sparse(self) -> bool:
        return self._kind == "data"

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_rows_sparse
        return tags

    def with_rows_at(self, places: Indices) -> Self:
        """Return the estimator as if the row that was fitted at each place stood at another.

        Exemplars keep their order, so that labels still name them.

        Parameters
        ----------
        places : array of shape (n_samples,)
            Where each row of `fit` stands.
        """
        moved = super().with_rows_at(places)
        order = np.argsort(places)
        moved.affinity_matrix_ = self.affinity_matrix_[np.ix_(order, order)]
        exemplars = places[self.cluster_centers_indices_]
        ranks = np.argsort(exemplars)
        moved.cluster_centers_indices_ = exemplars[ranks]
        if hasattr(self, "cluster_centers_"):
            moved.cluster_centers_ = self.cluster_centers_[ranks]
        if len(ranks):
            moved.labels_ = np.argsort(ranks)[moved.labels_]
        return moved

    def predict(self, X: MatrixLike) -> Labels:
        """Return the group of the nearest exemplar for each row; -1 where the fit found none.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            New rows. A model of a matrix of similarities has no rows to compare them with.
        """
        scikit_learn.check_is_fitted(self)
        data = check_data(X, estimator=self, reset=False, accept_sparse=True, may_be_distances=True)
        if not hasattr(self, "cluster_centers_"):
            raise InvalidParameter(
                "predict of AffinityPropagation needs a fit to rows, got one with affinity='precomputed', "
                "where the rows are not known. Fit the rows themselves: affinity='euclidean'."
            )
        if self.cluster_centers_.shape[0] == 0:
            warn_caller(
                "This model does not have any cluster centers because affinity propagation did not converge. "
                "Labeling every sample as '-1'. Fit again with a larger damping or max_iter.",
                scikit_learn.ConvergenceWarning,
            )
            return np.full(data.shape[0], -1, dtype=np.intp)
        centers = _dense_centers(self.cluster_centers_, type(self).__name__)
        return nearest_subclusters(data, centers, resolve_threads(self.n_jobs)).astype(np.intp)

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        if self._kind == "data":
            return check_data(X, estimator=self, accept_sparse=True)
        S: Distances = check_data(X, estimator=self, squares=False, may_be_distances=True)
        if S.shape[0] != S.shape[1]:
            raise InvalidData(
                f"The matrix of similarities must be a square array, got the shape {S.shape}. If these are "
                f"rows of features, say affinity='euclidean'."
            )
        is_theirs = isinstance(X, np.ndarray) and np.may_share_memory(S, X)
        return stoppable(np.ndarray.copy, S) if (is_theirs and self.copy) or not S.flags.writeable else S

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        n, who, threads = X.shape[0], type(self).__name__, resolve_threads(self.n_jobs)
        _require_messages(n, X.dtype.itemsize, who)
        S: Distances = X if self._kind == "similarities" else similarities_of(X, threads)
        _refuse_huge(S, who)
        preference = check_preference(self.preference, S, who=who)
        with track(self.progress, "affinity propagation: iteration", total=int(self.max_iter)).also(
            listener
        ) as tracker:
            found = self._propagate(S, preference, threads, tracker)
        state = {
            "labels_": found.labels,
            "cluster_centers_indices_": found.exemplars,
            "affinity_matrix_": S,
            "n_iter_": found.n_iter,
        }
        if self._kind == "data":
            state["cluster_centers_"] = X[found.exemplars].copy()
        return state

    def _propagate(self, S: Distances, preference: AnyArray, threads: int, tracker: Tracker) -> Exemplars:
        n = len(S)
        if n == 1 or (has_one_value(preference) and has_equal_similarities(S)):
            return _equal_rows(S, preference)
        np.fill_diagonal(S, preference)
        add_noise(S, legacy_draws(self.random_state))
        messages = _core.AffinityMessages(S, float(self.damping))
        exemplars = before = np.zeros(n, dtype=bool)
        n_same, is_settled = 0, False
        for iteration in range(int(self.max_iter)):
            exemplars = np.asarray(messages.step(threads)).view(bool)
            tracker.report(iteration + 1)
            n_same = n_same + 1 if np.array_equal(exemplars, before) else 1
            before = exemplars
            is_steady = iteration >= self.convergence_iter and n_same >= self.convergence_iter
            if is_steady and exemplars.any():
                is_settled = True
                break
        del messages
        if self.verbose:
            print(f"Converged after {iteration} iterations." if is_settled else "Did not converge")
        _tell(is_settled, bool(exemplars.any()))
        return _grouped(S, np.flatnonzero(exemplars), iteration + 1)


@dataclass(frozen=True)
class Exemplars:
    """Exemplars in rising order, the group of each row, and iterations."""

    exemplars: Indices
    labels: Labels
    n_iter: int


def affinity_propagation(
    S: MatrixLike,
    *,
    preference: float | VectorLike | None = None,
    convergence_iter: int = 15,
    max_iter: int = 200,
    damping: float = 0.5,
    copy: bool = True,
    verbose: bool = False,
    return_n_iter: bool = False,
    random_state: RandomState = None,
) -> tuple[Indices, Labels] | tuple[Indices, Labels, int]:
    """Return exemplars and labels for a matrix of similarities: `AffinityPropagation` as a function.

    Parameters
    ----------
    S : array-like of shape (n_samples, n_samples)
        Similarities.
    preference, convergence_iter, max_iter, damping, copy, verbose, random_state
        As in `AffinityPropagation`.
    return_n_iter : bool, default=False
        Whether to return the number of iterations too.

    Examples
    --------
    >>> import numpy as np
    >>> x = np.array([0.0, 1.0, 2.0, 9.0, 10.0])
    >>> affinity_propagation(-np.subtract.outer(x, x) ** 2, random_state=0)
    (array([1, 3]), array([0, 0, 0, 1, 1]))
    """
    model = AffinityPropagation(
        damping=damping,
        max_iter=max_iter,
        convergence_iter=convergence_iter,
        copy=copy,
        preference=preference,
        affinity="precomputed",
        verbose=verbose,
        random_state=random_state,
    ).fit(S)
    if return_n_iter:
        return model.cluster_centers_indices_, model.labels_, model.n_iter_
    return model.cluster_centers_indices_, model.labels_


def _equal_rows(S: Distances, preference: AnyArray) -> Exemplars:
    """Return one group, or a group per row, where nothing tells the rows apart."""
    warn_caller(
        "All samples have mutually equal similarities. Returning arbitrary cluster center(s): one for all "
        "rows, or every row if the preference is larger than the similarities.",
        DataNotice,
    )
    n = len(S)
    if preference.flat[0] > S.flat[n - 1]:
        return Exemplars(np.arange(n), np.arange(n), 0)
    return Exemplars(np.zeros(1, dtype=np.intp), np.zeros(n, dtype=np.intp), 0)


def _tell(is_settled: bool, has_exemplars: bool) -> None:
    if is_settled:
        return
    end = (
        "this model may return degenerate cluster centers and labels."
        if has_exemplars
        else "this model will not have any cluster centers."
    )
    joint = ", " if has_exemplars else " and "
    warn_caller(
        f"Affinity propagation did not converge{joint}{end} Raise damping (0.9, say) or max_iter.",
        scikit_learn.ConvergenceWarning,
    )


def _grouped(S: Distances, exemplars: Indices, n_iter: int) -> Exemplars:
    """Return the groups: rows go to their best exemplar, of a group the row that is most alike to all."""
    n, k = len(S), len(exemplars)
    if k == 0:
        return Exemplars(np.zeros(0, dtype=np.intp), np.full(n, -1, dtype=np.intp), n_iter)
    groups = _nearest_exemplars(S, exemplars)
    for group in range(k):
        members = np.flatnonzero(groups == group)
        exemplars[group] = members[np.argmax(_total_similarities(S, members))]
    labels = exemplars[_nearest_exemplars(S, exemplars)]
    final = np.unique(labels)
    return Exemplars(final, np.searchsorted(final, labels), n_iter)


def _nearest_exemplars(S: Distances, exemplars: Indices) -> Indices:
    groups: Indices = np.argmax(S[:, exemplars], axis=1)
    groups[exemplars] = np.arange(len(exemplars))
    return groups


def _dense_centers(centers: CheckedRows, who: str) -> Data:
    if not issparse(centers):
        dense: Data = centers
        return dense
    require_memory(
        centers.shape[0] * centers.shape[1] * 8,
        f"predict of {who}, whose {centers.shape[0]:,} exemplars are compared as dense rows,",
        "Take fewer columns first, e.g. by sklearn.decomposition.TruncatedSVD.",
    )
    return np.ascontiguousarray(centers.toarray())


def _require_messages(n: int, itemsize: int, who: str) -> None:
    require_memory(
        n * n * (itemsize + 16),
        f"the similarities and messages of {who} for {n:,} rows",
        "Use fewer rows: those of a sample, or the centres of Birch or MiniBatchKMeans.",
    )
