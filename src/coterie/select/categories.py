"""Tables with categories for `choose_k`: coded once, and methods told which columns are categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support import scikit_learn
from coterie._support.typing import Data, MatrixLike, Model
from coterie.cluster.categorical import learn_columns
from coterie.distance import find_distance
from coterie.distance.catalogue import DistanceLike
from coterie.distance.mixed import holds_categories, learn_table
from coterie.distance.table import TableEncoding
from coterie.evaluate.belief import MixedColumns


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of numbers and codes, and the method told which columns are codes."""

    X: Data  # (n, d): numbers, codes of categories, NaN where a cell is missing
    columns: MixedColumns  # which is which
    estimator: Model  # unfitted; it takes these rows
    # the distance between rows by which groups are judged: the method's own, else Gower's
    metric: DistanceLike


def code_rows(X: MatrixLike, estimator: Model, *, who: str) -> CodedRows | None:
    """Return the rows of a table with categories for a method that takes them; None: all are numbers.

    Examples
    --------
    >>> from coterie.cluster import KPrototypes
    >>> rows = [[1.5, "red"], [2.0, "blue"], [1.0, "red"]]
    >>> code_rows(rows, KPrototypes(2), who="this function").X.tolist()
    [[1.5, 1.0], [2.0, 0.0], [1.0, 1.0]]
    """
    told = estimator.get_params(deep=False)
    metric = told.get("metric")
    if metric is not None and holds_categories(metric, X):
        table, distance = learn_table(X, distance=find_distance(metric), who=who)
        changes: dict[str, object] = {"metric": distance}
    elif "categorical" in told:
        table = learn_columns(X, told["categorical"], who=who)
        changes = {"categorical": [at for at, kind in enumerate(table.kinds) if kind != "number"]}
    elif _takes_categories_alone(estimator):
        table, changes = TableEncoding.learn(X, kinds="category", who=who), {}
    else:
        return None
    is_ranked = [kind in ("number", "ordinal") for kind in table.kinds]  # ranks are numbers
    n_levels = [len(levels or ()) for levels in table.levels]
    columns = MixedColumns(tuple(0 if ranked else n for ranked, n in zip(is_ranked, n_levels, strict=True)))
    if not columns.categorical:
        return None
    rows = np.ascontiguousarray(table.encode(X, who=who), dtype=np.float64)
    ours = scikit_learn.clone(estimator).set_params(**changes)
    return CodedRows(rows, columns, ours, changes.get("metric", columns.gower))  # type: ignore[arg-type]


def _takes_categories_alone(estimator: Model) -> bool:
    from coterie.cluster import KModes

    return isinstance(estimator, KModes)
