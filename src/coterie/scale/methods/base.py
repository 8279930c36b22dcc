"""What every estimator here does in the same way."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy
from typing import ClassVar, Self

import dask.array
import numpy as np

from coterie._support import scikit_learn
from coterie._support.declarations import KW_ONLY, estimator, fitted, fitting, parameter
from coterie._support.progress import ProgressOption
from coterie._support.scikit_learn import BaseEstimator
from coterie._support.typing import FittedAttributes, JsonObject, Labels, Model, RandomState, Settings
from coterie._support.validation import (
    APath,
    Flag,
    Nothing,
    check_parameters,
    with_plain_numbers,
)
from coterie._support.validation.explain import refuse_queries
from coterie._support.validation.schema import (
    FLAG,
    Estimator,
    ListOf,
    Sometimes,
    Tensor,
    Text,
    wrong,
)
from coterie.data.databases import SpooledRows
from coterie.errors import InvalidData
from coterie.persist import save
from coterie.scale.blocks import Blocks, rows_per_block
from coterie.scale.sources.reading import read_blocks
from coterie.scale.sources.tables import Readings, Tables

OF_PASSES = ("random_state", "checkpoint", "spill", "progress")  # parameters that are not about the answer


@estimator
class LazyEstimator(BaseEstimator):
    """An estimator of rows in blocks.

    A subclass declares its parameters and fitted attributes (`coterie._support.declarations`), and returns
    the latter from `_compute`.
    """

    cluster_sizes_: Labels = fitted(Sometimes(Tensor("clusters", kind="i", low=0, may_be_empty=True)))
    exact_: bool = fitted(FLAG)
    notes_: tuple[str, ...] = fitted(Sometimes(ListOf(Text(), kind=tuple)))
    local_: Model = fitted(Sometimes(Estimator("columns")))
    n_features_in_: int = fitted()
    labels_: dask.array.Array = fitted()

    _not_saved: ClassVar[tuple[str, ...]] = ("labels_", "_blocks", "_coreset")  # what leans on the rows

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        local = state.get("local_")
        if local is None:
            return
        if type(local).__name__ != cls.__name__:
            raise wrong("local_", cls.__name__, f"be a {cls.__name__}", type(local).__name__)
        for name in ("cluster_centers_", "means_", "weights_", "covariances_"):
            mine, its = state.get(name), getattr(local, name, None)
            if mine is not None and its is not None and not np.array_equal(mine, its):
                raise wrong(name, cls.__name__, "be that of local_", "another")

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Save it for `coterie.load`: without the rows, and without labels that are made from them.

        Parameters
        ----------
        path : path
            Where to write; ``.safetensors`` is the usual ending.
        force : bool, default=False
            Whether an existing file may be replaced.
        """
        save(self, path, force=force)

    @fitting
    def fit(self, X: object, y: None = None, sample_weight: object = None) -> Self:
        """Find the groups of rows in blocks.

        Parameters
        ----------
        X : anything that `coterie.scale.read_blocks` takes
            Paths, Dask collections, datasets, arrays, `Blocks`.
        sample_weight : array, Dask array or Blocks of one column, default=None
            Weight of each row.
        """
        who = type(self).__name__
        check_parameters(self.get_params(deep=False), self._constraints, who=who)
        blocks = self._open(X)
        weights = weight_blocks(sample_weight, blocks, who=who)
        found = with_plain_numbers(self)._compute(blocks, weights)
        self.__dict__.pop("feature_names_in_", None)
        if blocks.columns is not None:
            self.feature_names_in_ = np.asarray(blocks.columns, dtype=object)
        self.n_features_in_ = blocks.n_columns
        self.__dict__.update(found)
        return self

    def fit_predict(self, X: object, y: None = None, sample_weight: object = None) -> dask.array.Array:
        """Find the groups and return the lazy labels."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def _open(self, X: object) -> Blocks:
        """Return the rows of `fit` as blocks."""
        return read_blocks(X)

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        """Return the fitted attributes."""
        raise NotImplementedError

    def _new_blocks(self, X: object) -> Blocks:
        """Return new rows in the columns of the fit."""
        scikit_learn.check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return new_blocks(X, names, self.n_features_in_, who=type(self).__name__)


@estimator
class PassingEstimator(LazyEstimator):
    """An estimator that passes over all rows until nothing changes.

    Parameters
    ----------
    checkpoint : path or None, default=None
        A folder where the state is saved after every pass. A fit that was interrupted goes on from there when
        it is repeated with the same data and parameters, and ends where it would have ended.
    spill : bool, default=True
        Whether rows of Parquet, CSV and Arrow files that find no room in memory may be kept on disk while the
        fit lasts, decoded: later passes read them several times as fast. They lie in a file without a name in
        the folder for temporary files (Dask's ``temporary-directory`` or the system's) of each machine, which
        takes at most as much of the disk as it leaves free and is gone when the process ends, however it
        ends.
    """

    _: KW_ONLY
    random_state: RandomState = None
    checkpoint: str | os.PathLike[str] | None = parameter(Nothing() | APath(), default=None)
    spill: bool = parameter(Flag(), default=True)
    progress: ProgressOption = None

    def _asked(self) -> JsonObject:
        """Return the parameters that tell this fit from others."""
        told = {name: getattr(self, name) for name in self._constraints if name not in OF_PASSES}
        return told | {"seed": self.random_state if isinstance(self.random_state, int) else None}


class GrowingEstimator(LazyEstimator):
    """An estimator that takes in new rows without reading the old ones again.

    A subclass returns its fitted attributes after more rows from `_grow`.
    """

    def update(self, X: object, sample_weight: object = None) -> Self:
        """Take in the rows of new files; those of the fit are not read again.

        Parameters
        ----------
        X : anything that `coterie.scale.read_blocks` takes
            New rows only, with the columns of the fit.
        sample_weight : array, Dask array or Blocks of one column, default=None
            Weight of each new row.

        Returns
        -------
        self : object
            The updated estimator. `labels_` are those of the new rows; `predict` places any.
        """
        who = type(self).__name__
        check_parameters(self.get_params(deep=False), self._constraints, who=who)
        blocks = self._new_blocks(X)
        weights = weight_blocks(sample_weight, blocks, who=who)
        self.__dict__.update(with_plain_numbers(self)._grow(blocks, weights))
        return self

    def partial_fit(self, X: object, y: None = None, sample_weight: object = None) -> Self:
        """Take in more rows as `update` does; the first call is `fit`."""
        if not hasattr(self, "n_features_in_"):
            return self.fit(X, sample_weight=sample_weight)
        return self.update(X, sample_weight=sample_weight)

    def _grow(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        """Return the fitted attributes after more rows."""
        raise NotImplementedError


@estimator
class KnownLabels(LazyEstimator):
    """An estimator that knows the label of each row: these are saved too."""

    labels_: dask.array.Array = fitted(Sometimes(Tensor("rows", kind="i", low=-1)))

    _not_saved: ClassVar[tuple[str, ...]] = ()

    def __coterie_stand_in__(self) -> Self:
        kept = copy(self)
        if hasattr(kept, "labels_"):
            kept.labels_ = np.asarray(self.labels_)
        return kept

    def __coterie_loaded__(self) -> None:
        if hasattr(self, "labels_"):
            self.labels_ = dask.array.from_array(self.labels_, chunks=rows_per_block(self.n_features_in_))


def new_blocks(
    X: object,
    names: Sequence[str] | None,
    n_columns: int,
    *,
    who: str,
    readings: Readings | None = None,
) -> Blocks:
    """Return new rows as blocks, with the columns that a model was fitted on, read as `readings` say."""
    refuse_queries(X, "X")  # before a LazyFrame is asked for its columns
    columns = None if names is None or not _has_columns(X) else list(names)
    blocks = read_blocks(X, columns=columns, readings=readings)
    if blocks.n_columns != n_columns:
        raise InvalidData(
            f"X has {blocks.n_columns} features, but {who} is expecting {n_columns} features as input."
        )
    return blocks


def weight_blocks(sample_weight: object, blocks: Blocks, *, who: str) -> Blocks | None:
    """Return weights as blocks of one column, cut like the rows."""
    return None if sample_weight is None else vector_blocks(sample_weight, blocks, f"sample_weight of {who}")


def vector_blocks(values: object, like: Blocks, name: str) -> Blocks:
    """Return one number per row as blocks of one column, cut like the rows."""
    if isinstance(values, list | tuple) or type(values).__module__ == "numpy":
        values = np.asarray(values)
        values = values[:, None] if values.ndim == 1 else values
    elif hasattr(values, "to_frame") and not hasattr(values, "columns"):
        values = values.to_frame()
    found = read_blocks(values, block_rows=like.block_rows)
    if found.n_columns != 1 or found.n_rows != like.n_rows:
        got = f"{found.n_rows}" if found.n_columns == 1 else f"{found.n_rows} x {found.n_columns}"
        raise InvalidData(f"{name} must be one number for each of {like.n_rows} rows, got {got}.")
    return found


def _has_columns(X: object) -> bool:
    """Return whether a source has names to choose columns by."""
    if isinstance(X, Blocks):
        return False  # they were chosen when it was made
    if isinstance(X, str) or hasattr(X, "__fspath__"):
        text = str(X).lower().rstrip("/")
        return not text.endswith((".npy", ".zarr"))
    return (
        isinstance(X, list | tuple | SpooledRows | Tables)
        or hasattr(X, "columns")
        or type(X).__module__.startswith("pyarrow")
    )
