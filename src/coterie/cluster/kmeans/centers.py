"""Estimators whose groups have centres: place new rows, measure distances, value the objective."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from coterie._support.declarations import estimator, fitted
from coterie._support.typing import (
    Centers,
    Data,
    Distances,
    FloatArray,
    Labels,
    MatrixLike,
    Settings,
    SparseData,
    VectorLike,
    Weights,
)
from coterie._support.validation import Constraint, Number, check_sample_weight
from coterie._support.validation.schema import COUNT, Maybe, Size, Sometimes, Tensor, check_squares
from coterie.cluster.base import DistanceTransformer
from coterie.cluster.kmeans.starts import START_CONSTRAINTS

if TYPE_CHECKING:
    from coterie.cluster.kmeans.spaces import FittedGeometry


@estimator
class CenterClusterer(DistanceTransformer):
    """An estimator with one centre per group, in the space of the rows."""

    _takes_sparse = True
    _has_dense_centers = True
    _constraints: ClassVar[Mapping[str, Constraint]] = START_CONSTRAINTS

    # no numbers where a weight is 0
    cluster_centers_: Centers = fitted(Tensor("clusters", "columns", allow="nan"))
    labels_: Labels = fitted(Sometimes(Tensor("rows", kind="i", low=0, below="clusters")))
    inertia_: float = fitted(Sometimes(Number()))
    n_iter_: int = fitted(Sometimes(COUNT))
    _origin: FloatArray = fitted(Tensor("columns"))
    _prepared_centers: Centers | None = fitted(Sometimes(Maybe(Tensor("clusters", "columns"))))
    _n_features_out: int = fitted(Sometimes(Size("clusters")))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        from coterie.cluster.state_checks import check_finite

        if state.get("_prepared_centers") is None:
            check_finite(state["cluster_centers_"], who=cls.__name__, name="cluster_centers_")
        for name in ("cluster_centers_", "_origin", "_prepared_centers"):
            if state.get(name) is not None:
                check_squares(state[name], who=cls.__name__, name=name)

    def predict(self, X: MatrixLike) -> Labels:
        """Return the index of the nearest centre for each row; of a tree, of the nearest one at every split.

        For the rows of `fit` these are `labels_`, to the bit.
        """
        return self._place(self._check_new(X))

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each row to each centre: dense, also for sparse rows."""
        return self._distances(self._check_new(X))

    def score(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> float:
        """Return minus the weighted sum of squared distances of new rows to their nearest centres."""
        data = self._check_new(X)
        weights = check_sample_weight(sample_weight, data.shape[0], who=type(self).__name__)
        return -self._label(data, weights)[1]

    def _check_new(self, X: MatrixLike) -> Data | SparseData:
        data = super()._check_new(X)
        # a float64 model places float32 rows in its own precision
        return data.astype(np.promote_types(data.dtype, self.cluster_centers_.dtype), copy=False)

    def _space(self) -> FittedGeometry:
        """Return where the centres live."""
        from coterie.cluster.kmeans.spaces import FittedGeometry
        from coterie.distance import find_geometry

        return FittedGeometry(find_geometry("euclidean"), self._origin)

    def _place(self, X: Data | SparseData) -> Labels:
        return self._label(X, None)[0]

    def _label(self, X: Data | SparseData, weights: Weights | None) -> tuple[Labels, float]:
        space = self._space()
        return space.label(space.prepare(X), self._centers_for(X), weights)

    def _distances(self, X: Data | SparseData) -> Distances:
        space = self._space()
        return space.distances(space.prepare(X), self._centers_for(X))

    def _centers_for(self, X: Data | SparseData) -> Centers:
        prepared = getattr(self, "_prepared_centers", None)
        centers = self.cluster_centers_ if prepared is None else prepared
        return centers.astype(X.dtype, copy=False)
