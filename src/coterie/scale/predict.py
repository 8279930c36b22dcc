"""Labels from any fitted model over blocks of rows."""

from __future__ import annotations

import numpy as np
from dask.array import Array as DaskArray

from coterie._support import scikit_learn
from coterie._support.threads import one_thread
from coterie._support.typing import AnyArray, CheckedRows, Data, Labels, Model
from coterie.errors import UnsupportedInput
from coterie.pipeline.groups import number_labels
from coterie.scale.blocks import Block, refuse_not_finite
from coterie.scale.methods.base import new_blocks
from coterie.scale.runtime.passes import lazy_array


def predict(model: Model, X: object) -> DaskArray:
    """Return the labels that a fitted model gives to rows in blocks, as a lazy Dask array.

    Parameters
    ----------
    model : estimator
        Anything fitted with a `predict`: of `coterie.cluster`, of `coterie.scale`, or another.
    X : anything that `read_blocks` takes
        New rows.

    Returns
    -------
    labels : Dask array of shape (n_samples,)

    Examples
    --------
    >>> import dask.array
    >>> from coterie.cluster import KMeans
    >>> from coterie.scale import predict
    >>> model = KMeans(2, init=[[0.0], [9.0]]).fit([[0.0], [1.0], [9.0]])
    >>> predict(model, dask.array.from_array(np.array([[8.0], [1.0]]), chunks=1)).compute()
    array([1, 0], dtype=int32)
    """
    if not hasattr(model, "predict"):
        raise UnsupportedInput(f"model must have a predict method, {type(model).__name__} has none.")
    scikit_learn.check_is_fitted(model)
    names = getattr(model, "feature_names_in_", None)
    blocks = new_blocks(X, names, model.n_features_in_, who=type(model).__name__)
    local: Model = getattr(model, "local_", model)
    kind = local.predict(rows_for(local, np.ones((1, blocks.n_columns), dtype=blocks.dtype))).dtype
    return lazy_array(blocks, label_block, local, dtype=kind)


def label_block(block: Block, _weights: Block | None, model: object) -> Labels:
    """Return the labels of a block's rows."""
    labels: Labels = per_row(block, None, getattr(model, "local_", model), "predict")
    return labels


def group_block(block: Block, _weights: Block | None, model: object, numbers: Labels) -> Labels:
    """Return the groups of a block's rows; ``numbers[label]`` is the group of the model's cluster `label`."""
    return number_labels(label_block(block, None, model), numbers)


def per_row(block: Block, _weights: Block | None, model: object, method: str) -> AnyArray:
    """Return what a method of a local model says of a block's rows; what it refuses is named by its file."""
    X = block.read()
    try:
        with one_thread("openmp"):
            return np.asarray(getattr(model, method)(rows_for(model, X)))
    except ValueError:
        refuse_not_finite(block, X, type(model).__name__)
        raise


def rows_for(model: object, X: Data) -> CheckedRows:
    """Return rows with the names that the model was fitted with, if any."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X
    import pandas as pd

    return pd.DataFrame(X, columns=names, copy=False)
