"""Rows of a new table get their group from a saved model."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from coterie._support.typing import Labels
from coterie.data import Table, settle_missing
from coterie.errors import InvalidData, ModelFileError
from coterie.pipeline.groups import Groups, spread_labels


def predict_table(model: Any, table: Table, *, missing: str = "error") -> Labels:
    """Return the group of each row of a table.

    Parameters
    ----------
    model : Groups, something with groups, or estimator
        What `coterie.load` returned. An estimator's clusters keep its own numbers.
    table : Table
        Columns are found by name when the model knows names, otherwise the numeric ones are taken in order.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values; "median" needs `Groups`.
    """
    groups = getattr(model, "groups", model)
    if isinstance(groups, Groups):
        return groups.predict(table, missing=missing)
    if not hasattr(model, "predict"):
        raise ModelFileError(f"a {type(model).__name__} places no new rows: it has no predict.")
    names = getattr(model, "feature_names_in_", None)
    columns = table.choose().used if names is None else tuple(str(name) for name in names)
    if len(columns) != model.n_features_in_:
        raise InvalidData(
            f"{table.source}: the model needs {model.n_features_in_} columns of numbers, got {len(columns)}: "
            f"{', '.join(columns[:5])}{' ...' if len(columns) > 5 else ''}."
        )
    X = table.matrix(columns)
    complete = settle_missing(X, columns, policy=missing, source=table.source)
    with warnings.catch_warnings():
        # the columns were matched by name above; the matrix no longer carries the names
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = np.asarray(model.predict(complete.X))
    return spread_labels(found, complete.rows, X.shape[0])
