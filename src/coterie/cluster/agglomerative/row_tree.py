"""What trees of rows share whose new rows go with the nearest row of `fit`: Diana and Genie."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import estimator, fitted
from coterie._support.typing import (
    CheckedRows,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    Settings,
    ValuesByName,
)
from coterie._support.validation.schema import Size, Tensor
from coterie.cluster.agglomerative.predict import KNOWN, KnownClusters, move_tree
from coterie.cluster.base import Clusterer
from coterie.cluster.state_checks import check_labels_used, check_merges, check_square, is_matrix
from coterie.distance import nearest
from coterie.distance.input import InputRules, distance_of_rows, resolve_input
from coterie.errors import InvalidData
from coterie.tree import Dendrogram


class TreeClusterer(Clusterer):
    """An estimator whose fit is a tree of merges, and which keeps what `predict` needs."""

    children_: Indices
    _known: ValuesByName

    def with_rows_at(self, places: Indices) -> Self:
        """Return the estimator as if the row that was fitted at each place stood at another.

        Parameters
        ----------
        places : array of shape (n_samples,)
            Where each row of `fit` stands.
        """
        moved = super().with_rows_at(places)
        moved.__dict__.update(move_tree(self.children_, self._known, places))
        return moved


@estimator
class RowTree(TreeClusterer):
    """A whole tree over the rows, cut into clusters; takes rows or a matrix of distances.

    Attributes
    ----------
    dendrogram_ : Dendrogram
        The tree.
    """

    row_attributes = ("labels_",)

    n_leaves_: int = fitted(Size("rows", 1), "Number of rows.")
    children_: Indices = fitted(Tensor("rows-1", 2, kind="i8"))
    distances_: FloatArray = fitted(Tensor("rows-1", kind="f8", low=0))
    labels_: Labels = fitted(Tensor("rows", kind="i8", low=-1, below="rows"))
    _known: ValuesByName = fitted(KNOWN)

    @property
    def dendrogram_(self) -> Dendrogram:
        """The whole tree, for cuts, orders, pictures and files."""
        scikit_learn.check_is_fitted(self)
        return Dendrogram(self.children_, self.distances_)

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        who, metric, labels = cls.__name__, state["metric"], state["labels_"]
        check_merges(state["children_"], sizes["rows"], who=who)
        check_labels_used(labels, int(labels.max()) + 1, who=who)
        KnownClusters.check("single", metric, state["_known"], sizes["columns"], who=who)
        if is_matrix(metric):
            check_square(sizes, who=who)

    def predict(self, X: MatrixLike) -> Labels:
        """Return for each row the cluster of the nearest row of `fit`; rows of noise do not count.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            New rows; with ``metric="precomputed"``, their distances to the rows of `fit`.
        """
        data = self._check_new(X)
        members = np.flatnonzero(self.labels_ >= 0)
        distance = distance_of_rows(self.metric, self._known["distance"])
        if distance is None:
            found = data[:, members].argmin(axis=1)
        else:
            n_jobs = getattr(self, "n_jobs", None)
            found = nearest(data, self._known["rows"][members], distance, n_jobs=n_jobs).index
        return np.asarray(self.labels_[members[found]])

    def _check_rows(self, X: MatrixLike) -> CheckedRows:
        who, kind = type(self).__name__, self._kind
        if kind == "similarities":
            raise InvalidData(f'X of {who} must be rows or distances, got metric="{self.metric}".')
        distance = distance_of_rows(self.metric)
        return resolve_input(X, kind, estimator=self, rules=InputRules(min_rows=2), distance=distance).values
