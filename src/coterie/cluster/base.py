"""What every estimator here does in the same way: check, validate, compute, keep."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from importlib import import_module
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from scipy.sparse import issparse

from coterie._support import scikit_learn
from coterie._support.declarations import fitting
from coterie._support.progress import Progress
from coterie._support.scikit_learn import (
    BaseEstimator,
    CallbackSupportMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    TransformerMixin,
    with_callbacks,
)
from coterie._support.typing import (
    AnyArray,
    CheckedRows,
    Data,
    Distances,
    FittedAttributes,
    Indices,
    Labels,
    MatrixLike,
    MetricLike,
    Model,
    Settings,
    SparseData,
    Tags,
    VectorLike,
    Weights,
)
from coterie._support.validation import (
    Constraint,
    check_data,
    check_parameters,
    check_sample_weight,
    refuse_heavy,
    require_memory,
    with_plain_numbers,
)
from coterie._support.validation.schema import ESTIMATOR, Schema

if TYPE_CHECKING:
    from coterie.distance import TableEncoding
    from coterie.distance.input import InputKind
if "COTERIE_INSTRUCTION_SET" in os.environ:  # one that cannot run here is refused now, not amid a fit
    import_module("coterie._core")

# sparse rows: numbers per column that k-means holds at its peak, measured (41 for 2 centres, 69 for 8)
VECTORS_OF_A_FIT, VECTORS_PER_CENTER = 30, 4
FEW_COLUMNS = 1 << 20  # fit in any memory
# of each class: scikit-learn reads its signature at every call, which takes longer than a fit of few rows
PARAMETER_NAMES: dict[type, list[str]] = {}


@contextmanager
def fit_task(estimator: Model, X: MatrixLike) -> Iterator[Callable[[Progress], object] | None]:
    """Tell the callbacks of an estimator that its fit begins and ends.

    Yields what is to be called after every iteration, None when there are no callbacks. Their wish to stop
    early is not heard: an iteration is too short to ask.
    """
    if not getattr(estimator, "_skl_callbacks", None):
        yield None
        return
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X)

    def iteration(progress: Progress) -> None:
        task = context.subcontext(task_name=progress.stage)
        task.call_on_fit_task_begin(estimator=estimator)
        task.call_on_fit_task_end(estimator=estimator)

    yield iteration
    context.call_on_fit_task_end(estimator=estimator, X=X)


Listener: TypeAlias = Callable[[Progress], object]


class Clusterer(CallbackSupportMixin, ClusterMixin, BaseEstimator):
    """An estimator that finds groups.

    A subclass declares its parameters and fitted attributes (`coterie._support.declarations`), and returns
    the latter from `_compute`.
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {}
    _schema: ClassVar[Schema] = ESTIMATOR  # what its fitted attributes hold, for files
    _takes_sparse: ClassVar[bool] = False
    _has_dense_centers: ClassVar[bool] = False  # of sparse rows too
    _sometimes: ClassVar[tuple[str, ...]] = ()  # fitted attributes that not every fit sets
    _copies_are_dense_spots: ClassVar[bool] = False  # weight at one place is density without limit
    row_attributes: ClassVar[tuple[str, ...] | None] = None  # with an entry per row; None: rows cannot move

    _table: TableEncoding | None = None  # of a fit to mixed columns: how they become numbers
    _has_gaps: bool = False  # True after a fit to rows whose cells may be missing
    labels_: Labels
    n_features_in_: int
    feature_names_in_: AnyArray

    @classmethod
    def from_fitted(
        cls,
        fitted: Settings,
        *,
        n_columns: int,
        names: Sequence[str] | None = None,
        **parameters: object,
    ) -> Self:
        """Return a fitted estimator from attributes that were found elsewhere, in blocks of rows for example.

        Parameters
        ----------
        fitted : mapping
            The fitted attributes; names that the class does not have are refused.
        n_columns : int
            Columns of the rows.
        names : sequence of str, default=None
            What the columns are called.
        **parameters
            Of the class.
        """
        unknown = set(fitted) - set(cls._schema)
        if unknown:
            raise TypeError(f"{cls.__name__} has no fitted {', '.join(sorted(unknown))}.")
        model = cls(**parameters)
        model.__dict__.update(fitted)
        model.n_features_in_ = n_columns
        if names is not None:
            model.feature_names_in_ = np.asarray(names, dtype=object)
        return model

    def with_rows_at(self, places: Indices) -> Self:
        """Return the estimator as if the row that was fitted at each place stood at another.

        Parameters
        ----------
        places : array of shape (n_samples,)
            Where each row of `fit` stands.
        """
        moved = copy(self)
        for name in self.row_attributes or ():
            values = moved.__dict__.get(name)
            if values is not None:
                moved.__dict__[name] = move_rows(values, places)
        return moved

    def fit(self, X: MatrixLike, y: None = None) -> Self:
        """Find the groups of the rows of `X`; `y` is ignored."""
        self._fit(X, None)
        return self

    @with_callbacks
    def _fit(self, X: MatrixLike, sample_weight: VectorLike | None) -> None:
        self._check_parameters()
        model = self._with_table(with_plain_numbers(self), X)
        data = model._check_rows(X)
        weights = model._check_weights(sample_weight, data.shape[0])
        if not self._copies_are_dense_spots and model._table is None:  # else weights are counted only
            refuse_heavy(data, weights, who=type(self).__name__)
        with fit_task(self, data) as listener:
            found = model._compute(data, weights, listener)
        for name in (*self._sometimes, "_has_gaps"):
            model.__dict__.pop(name, None)
        model.__dict__.update(found)
        if model._takes_gaps and model._table is None:
            model.__dict__.setdefault("_has_gaps", True)
        if model is not self:
            parameters = self.get_params(deep=False)
            self.__dict__.clear()
            self.__dict__.update(model.__dict__ | parameters)

    def _with_table(self, model: Self, X: MatrixLike) -> Self:
        """Return the model itself, or one whose distance of mixed columns knows those of the table."""
        from coterie.distance import find_distance
        from coterie.distance.mixed import learn_table, takes_table

        metric: MetricLike = getattr(model, "metric", None)
        if not takes_table(metric, X):
            model.__dict__.pop("_table", None)
            return model
        who, params = type(self).__name__, getattr(model, "metric_params", None) or {}
        table, distance = learn_table(X, distance=find_distance(metric, **params), who=who)
        told = {"metric": distance} | ({"metric_params": None} if hasattr(model, "metric_params") else {})
        other = copy(model)
        other.__dict__.update(told, _table=table)
        return other

    def _metric_of_fit(self, rows: CheckedRows) -> MetricLike:
        """Return the distance from the rows of the fit: `metric`, and what it learned of a table."""
        from coterie.distance import find_distance
        from coterie.distance.mixed import distance_of_codes

        metric: MetricLike = getattr(self, "metric", None)
        if self._table is None:
            return metric
        params = getattr(self, "metric_params", None) or {}
        distance = distance_of_codes(find_distance(metric, **params), self._table).fit(rows)
        return find_distance(distance.name, **distance.told)

    def _read_table(self, X: MatrixLike) -> Data:
        """Return a table of mixed columns as the codes that the fit has learned."""
        from coterie.distance.mixed import is_mixed, refuse_missing

        assert self._table is not None
        coded: Data = self._table.encode(X, who=type(self).__name__)
        distance: Any = getattr(self, "metric", None)
        if distance is not None and not is_mixed(distance):
            refuse_missing(coded, getattr(distance, "name", distance), who=type(self).__name__)
        return coded

    @property
    def _takes_gaps(self) -> bool:
        """Whether cells may be missing."""
        from coterie.distance.mixed import takes_gaps

        return takes_gaps(getattr(self, "metric", None))

    @property
    def _kind(self) -> InputKind:
        """What the input holds: rows, or a matrix of all pairs."""
        from coterie.distance import input_kind

        return input_kind(getattr(self, "metric", None))

    def _check_rows(self, X: MatrixLike) -> Data | SparseData:
        """Return the input of `fit`, checked; a subclass that takes matrices of distances replaces it."""
        data = check_data(X, estimator=self, accept_sparse=self._takes_sparse)
        if self._has_dense_centers:
            self._require_centers(data)
        return data

    def _check_new(self, X: MatrixLike) -> CheckedRows:
        """Return what `predict` is given, checked."""
        from coterie.distance.input import check_new_input

        scikit_learn.check_is_fitted(self)
        takes_sparse = self._takes_sparse and self._kind == "data"
        return check_new_input(X, self._kind, estimator=self, takes_sparse=takes_sparse)

    def _require_centers(self, X: Data | SparseData) -> None:
        """Refuse sparse rows so wide that a few centres, which are dense, do not fit in memory."""
        n_columns, wanted = X.shape[1], getattr(self, "n_clusters", None)
        if n_columns <= FEW_COLUMNS or not issparse(X):
            return
        n_centers = wanted if isinstance(wanted, Integral) else 1
        require_memory(
            X.dtype.itemsize * n_columns * (VECTORS_OF_A_FIT + VECTORS_PER_CENTER * int(n_centers)),
            f"{type(self).__name__} of sparse rows of {n_columns:,} columns, whose centres are dense,",
            "Leave out empty columns, or take fewer first, e.g. by sklearn.decomposition.TruncatedSVD.",
        )

    def _compute(
        self, X: Data | SparseData, weights: Weights | None, listener: Listener | None
    ) -> FittedAttributes:
        """Return the fitted attributes for checked data; `listener` is to hear of every iteration."""
        raise NotImplementedError

    def _check_weights(self, sample_weight: VectorLike | None, n_rows: int) -> Weights | None:
        weights = check_sample_weight(sample_weight, n_rows, who=type(self).__name__)
        return None if weights is None or bool((weights == 1.0).all()) else weights

    @classmethod
    def _get_param_names(cls) -> list[str]:
        if cls not in PARAMETER_NAMES:
            PARAMETER_NAMES[cls] = super()._get_param_names()
        return list(PARAMETER_NAMES[cls])

    def _check_parameters(self) -> None:
        check_parameters(self.get_params(deep=False), self._constraints, who=type(self).__name__)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._takes_sparse
        tags.input_tags.pairwise = self._kind != "data"
        tags.input_tags.allow_nan = self._takes_gaps
        return tags


class WeightedClusterer(Clusterer):
    """An estimator that finds groups of rows that may weigh differently."""

    @fitting
    def fit(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Self:
        """Find the groups of the rows of `X`.

        Parameters
        ----------
        X : array-like, DataFrame or sparse matrix of shape (n_samples, n_features)
            Float32 and float64 in C order are used as they are, everything else is converted once.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row; a row of weight 2 counts as two equal rows.
        """
        self._fit(X, sample_weight)
        return self

    def fit_predict(self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None) -> Labels:
        """Find the groups and return the label of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_


class DistanceTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin, WeightedClusterer):
    """An estimator whose `transform` gives the distance of each row to each group."""

    def fit_transform(
        self, X: MatrixLike, y: None = None, sample_weight: VectorLike | None = None
    ) -> Distances:
        """Find the groups and return the distance of each row to each of them."""
        found: Distances = self.fit(X, sample_weight=sample_weight).transform(X)
        return found

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def move_rows(values: AnyArray, places: Indices) -> AnyArray:
    """Return an array whose entry i stands at ``places[i]``.

    Examples
    --------
    >>> move_rows(np.array([5, 6, 7]), np.array([2, 0, 1])).tolist()
    [6, 7, 5]
    """
    return values[np.argsort(places)]


def about_one(weights: Weights) -> tuple[Weights, int]:
    """Return weights whose mean is near 1, and the power of two by which the given ones are larger.

    Examples
    --------
    >>> about_one(np.array([4.0, 12.0]))
    (array([0.5, 1.5]), 3)
    """
    power = int(np.frexp(weights.max())[1])
    scaled = np.ldexp(weights, -power)
    rest = int(np.frexp(scaled.mean())[1]) - 1
    return np.ldexp(scaled, -rest), power + rest
