"""What every estimator here does in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from coterie._support.typing import FittedAttributes
from coterie._support.validation import Constraint, check_parameters, with_plain_numbers
from coterie.data.databases import SpooledRows
from coterie.errors import InvalidData
from coterie.scale.blocks import Blocks
from coterie.scale.sources.reading import read_blocks
from coterie.scale.sources.tables import Readings, Tables


class LazyEstimator(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """An estimator of rows in blocks.

    A subclass stores its parameters in ``__init__``, declares what they may be in `_constraints`, and returns
    its fitted attributes from `_compute`.
    """

    _constraints: ClassVar[Mapping[str, Constraint]] = {}

    n_features_in_: int
    labels_: Any

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Find the groups of rows in blocks.

        Parameters
        ----------
        X : anything that `coterie.scale.read_blocks` takes
            Paths, Dask collections, datasets, arrays, `Blocks`.
        y : ignored
            Present by convention.
        sample_weight : array, Dask array or Blocks of one column, default=None
            Weight of each row.

        Returns
        -------
        self : object
            The fitted estimator.
        """
        who = type(self).__name__
        check_parameters(self.get_params(deep=False), self._constraints, who=who)
        blocks = read_blocks(X)
        weights = weight_blocks(sample_weight, blocks, who=who)
        found = with_plain_numbers(self)._compute(blocks, weights)
        self.__dict__.pop("feature_names_in_", None)
        if blocks.columns is not None:
            self.feature_names_in_ = np.asarray(blocks.columns, dtype=object)
        self.n_features_in_ = blocks.n_columns
        self.__dict__.update(found)
        return self

    def fit_predict(self, X: Any, y: None = None, sample_weight: Any = None) -> Any:
        """Find the groups and return the lazy labels."""
        return self.fit(X, sample_weight=sample_weight).labels_

    def _compute(self, blocks: Blocks, weights: Blocks | None) -> FittedAttributes:
        """Return the fitted attributes."""
        raise NotImplementedError

    def _new_blocks(self, X: Any) -> Blocks:
        """Return new rows in the columns of the fit."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        return new_blocks(X, names, self.n_features_in_, who=type(self).__name__)


def new_blocks(
    X: Any,
    names: Sequence[str] | None,
    n_columns: int,
    *,
    who: str,
    readings: Readings | None = None,
) -> Blocks:
    """Return new rows as blocks, with the columns that a model was fitted on, read as `readings` say."""
    columns = None if names is None or not _has_columns(X) else list(names)
    blocks = read_blocks(X, columns=columns, readings=readings)
    if blocks.n_columns != n_columns:
        raise InvalidData(
            f"X has {blocks.n_columns} features, but {who} is expecting {n_columns} features as input."
        )
    return blocks


def weight_blocks(sample_weight: Any, blocks: Blocks, *, who: str) -> Blocks | None:
    """Return weights as blocks of one column, cut like the rows."""
    return None if sample_weight is None else vector_blocks(sample_weight, blocks, f"sample_weight of {who}")


def vector_blocks(values: Any, like: Blocks, name: str) -> Blocks:
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


def _has_columns(X: Any) -> bool:
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
