"""What the estimators of time series share: series as rows, centres that are series."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, parameter
from coterie._support.progress import ProgressOption
from coterie._support.scikit_learn import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from coterie._support.typing import Distances, Labels, MatrixLike, RandomState, Settings, Tags
from coterie._support.validation import Number, Whole
from coterie._support.validation.explain import explained, refuse_kinds
from coterie._support.validation.schema import COUNT, Size, Tensor, wrong
from coterie.cluster.base import Clusterer
from coterie.errors import CoterieError, InvalidData
from coterie.series.collection import Points, SeriesCollection, collect, read_series


@estimator
class SeriesClusterer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Clusterer):
    """An estimator whose rows are time series and whose groups have centres that are series.

    Attributes
    ----------
    n_features_in_ : int
        Points of the longest series.
    feature_names_in_ : array of str
        Names of the columns of a wide frame.
    """

    _copies_are_dense_spots = True
    row_attributes = ("labels_",)

    n_clusters: int = parameter(Whole(1), default=3)
    _: KW_ONLY
    random_state: RandomState = None
    progress: ProgressOption = None

    cluster_centers_: Points = fitted(Tensor("clusters", "points", "series columns", kind="f8", allow="nan"))
    labels_: Labels = fitted(Tensor("rows", kind="i", low=0, below="clusters"))
    inertia_: float = fitted(Number())
    n_iter_: int = fitted(COUNT, "Iterations of the best run.")
    _n_columns: int = fitted(Size("series columns"))
    _n_features_out: int = fitted(Size("clusters"))

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        for at, centre in enumerate(state["cluster_centers_"]):
            try:
                found = read_series([centre], who=cls.__name__)
            except CoterieError as error:
                raise wrong("cluster_centers_", cls.__name__, "hold series", f"{at}: {error}") from None
            if np.isnan(found.values).any():
                raise wrong("cluster_centers_", cls.__name__, "hold series", f"NaN within {at}")

    def _check_rows(self, X: MatrixLike) -> SeriesCollection:
        return self._read(X, reset=True)

    def _check_new(self, X: MatrixLike) -> SeriesCollection:
        scikit_learn.check_is_fitted(self)
        series = self._read(X, reset=False)
        if series.n_columns != self._n_columns:
            raise InvalidData(
                f"X of {type(self).__name__} must have the {self._n_columns} columns of fit at every "
                f"point, got {series.n_columns}."
            )
        return series

    def _read(self, X: MatrixLike, *, reset: bool) -> SeriesCollection:
        """Return the series; the width of an array or frame of two dimensions is that of `fit`."""
        from sklearn.utils.validation import validate_data

        who = type(self).__name__
        if not isinstance(X, SeriesCollection | list | tuple) and len(getattr(X, "shape", ())) != 3:
            refuse_kinds(X, who, "X")
            try:
                validate_data(
                    self, X, reset=reset, ensure_all_finite=False, ensure_min_features=1, ensure_min_samples=1
                )
            except CoterieError:
                raise
            except (ValueError, TypeError, OverflowError) as error:
                raise explained(error, X, who, "X") from None
            return read_series(X, who=who)
        series = read_series(X, who=who)
        if reset:
            self.__dict__.pop("feature_names_in_", None)
            self.n_features_in_ = series.shape[1]
        return series

    @property
    def _centers(self) -> SeriesCollection:
        """The centres as series, without what pads the shorter ones."""
        return read_series(self.cluster_centers_, who=type(self).__name__, name="cluster_centers_")

    def predict(self, X: MatrixLike) -> Labels:
        """Return the index of the nearest centre for each series; for those of `fit` these are `labels_`.

        Parameters
        ----------
        X : series
            As `fit` takes them; a list may hold series of other lengths.
        """
        return np.asarray(self._apart(self._check_new(X)).argmin(axis=1), dtype=np.int32)

    def transform(self, X: MatrixLike) -> Distances:
        """Return the distance of each series to each centre."""
        return self._apart(self._check_new(X))

    def fit_transform(self, X: MatrixLike, y: None = None) -> Distances:
        """Find the groups and return the distance of each series to each centre."""
        found: Distances = self.fit(X).transform(X)
        return found

    def _apart(self, series: SeriesCollection) -> Distances:
        raise NotImplementedError

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.three_d_array = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def stack_centers(centers: list[Points]) -> Points:
    """Return centres as one array, NaN behind the end of a shorter one."""
    return collect(centers).to_array()
