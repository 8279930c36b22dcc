"""Methods on collections in blocks: small Dask arrays of random content, chunks and types."""

from __future__ import annotations

from typing import Any

import dask
import dask.array
import dask.dataframe
import numpy as np
from scipy import sparse

from coterie import scale
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import check_finite, check_labels, check_same
from tests.fuzz.parameters import draw_parameters
from tests.fuzz.values import Rows, draw_labels, draw_rows

KINDS = [
    scale.KMeans,
    scale.KMeans,
    scale.MiniBatchKMeans,
    scale.GaussianMixture,
    scale.DBSCAN,
    scale.KMedoids,
    scale.SingleLinkage,
]

dask.config.set(scheduler="synchronous")


def run(case: Case) -> None:
    """Fit on blocks, fit again, predict; or judge labels of blocks."""
    case.draw.choice([_estimator, _estimator, _estimator, _estimator, _judge])(case)


def _estimator(case: Case) -> None:
    draw = case.draw
    kind = draw.choice(KINDS)
    hostile = draw.choice(["", "", "rows", "parameters"])
    rows = in_blocks(draw, draw_rows(draw, hostile=0.9 if hostile == "rows" else 0.0))
    parameters = draw_parameters(draw, kind, *rows.shape, wild=0.3 if hostile == "parameters" else 0.0)
    words = f"scale.{kind.__name__}({parameters}).fit({rows.words})"[:1500]
    model = case.attempt(words, lambda: kind(**parameters).fit(rows.value))
    who = f"scale.{kind.__name__}"
    n = rows.shape[0]
    labels = case.optional(f"{words}.labels_", lambda: _computed(getattr(model, "labels_", None)))
    if labels is not None:
        check_labels(labels, n, max(n, parameters.get("n_clusters") or 1), who)
    for name, value in vars(model).items():
        if name.endswith("_") and not name.startswith("_") and isinstance(value, np.ndarray | float):
            check_finite(name, value, who)
    again = case.attempt(words, lambda: kind(**parameters).fit(rows.value))
    for name in ("cluster_centers_", "means_", "inertia_", "n_iter_", "medoid_indices_"):
        check_same(getattr(model, name, None), getattr(again, name, None), f"{who}: another answer again")
    for name in ("predict", "transform", "predict_proba", "score"):
        if hasattr(kind, name):
            ask = getattr(model, name)
            answer = case.optional(f"{words}.{name}", lambda ask=ask: _computed(ask(rows.value)))
            if name == "predict" and answer is not None:
                check_labels(answer, n, max(n, parameters.get("n_clusters") or 1), who)


def in_blocks(draw: Draw, rows: Rows) -> Rows:
    """Return dense rows as a Dask array or frame with random chunks; mostly, for rows that are a matrix."""
    value = rows.value
    if sparse.issparse(value):
        return rows
    if draw.chance(0.15) or not isinstance(value, np.ndarray) or value.ndim != 2 or not value.size:
        return rows
    chunk = draw.choice([1, 7, 16, max(1, value.shape[0])])
    array = dask.array.from_array(value, chunks=(min(chunk, value.shape[0]), -1))
    if draw.chance(0.15):
        names = [f"c{i}" for i in range(value.shape[1])]
        return Rows(
            dask.dataframe.from_dask_array(array, columns=names), rows.shape, f"{rows.words}, a Dask frame"
        )
    if draw.chance(0.1) and value.dtype.kind in "biuf":
        array = array[~(array[:, 0] == -np.inf)]  # chunks of unknown length
        return Rows(array, rows.shape, f"{rows.words}, unknown chunks")
    return Rows(array, rows.shape, f"{rows.words}, chunks of {chunk}")


def _judge(case: Case) -> None:
    draw = case.draw
    n = draw.choice([1, 5, 40])
    first, second = draw_labels(draw, n), draw_labels(draw, n)
    if draw.chance(0.5):
        words = f"scale.evaluate.compare({first[1]}, {second[1]})"
        case.attempt(words, lambda: str(scale.evaluate.compare(first[0], second[0])))
        return
    rows = in_blocks(draw, draw_rows(draw, n=n))
    words = f"scale.evaluate.assess({rows.words}, {first[1]})"
    case.attempt(words, lambda: str(scale.evaluate.assess(rows.value, first[0])))


def _computed(value: Any) -> Any:
    if value is None:
        return None
    made = value.compute() if hasattr(value, "compute") else value
    expect(made is not None, "scale: nothing computed")
    return np.asarray(made)
