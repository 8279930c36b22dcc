"""Estimators: random parameters and rows, then everything that can be done with a fitted one."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import coterie
from coterie.cluster import (
    FeatureAgglomeration,
    LaplacianEigenmap,
    SpectralBiclustering,
    SpectralCoclustering,
    methods,
)
from coterie.data import PolarCoordinates, Whitening
from tests.fuzz.case import Case, Refused, expect
from tests.fuzz.checks import LOWEST_LABEL, check_finite, check_labels, check_same, check_shares
from tests.fuzz.parameters import draw_parameters
from tests.fuzz.values import Rows, draw_rows, draw_square, draw_weights

KINDS = [method.load() for method in methods()]
TRANSFORMERS = [FeatureAgglomeration, LaplacianEigenmap, Whitening, PolarCoordinates]
TRANSFORMERS += [SpectralBiclustering, SpectralCoclustering]  # which place no new rows either
ROWS_KEPT = ("cluster_centers_", "components_", "_rows", "_known")  # of the fit, as they were given
MATRICES = ("precomputed", "similarity", "precomputed_nearest_neighbors")


def run(case: Case) -> None:
    """Fit, fit again with other threads, predict, save, load, predict."""
    draw = case.draw
    kind = draw.choice([*KINDS, *KINDS, *TRANSFORMERS])
    hostile = draw.choice(["", "", "", "rows", "rows", "parameters", "weights", "rows parameters weights"])
    rows = draw_rows(draw, hostile=0.9 if "rows" in hostile else 0.0)
    parameters = draw_parameters(draw, kind, *rows.shape, wild=0.3 if "parameters" in hostile else 0.0)
    parameters |= {"n_resamples": 5} if kind.__name__ == "ConsensusClustering" else {}
    if kind.__name__ == "AffinityPropagation":
        parameters["copy"] = True  # else it writes to the matrix that it is given
    rows = _rows_for(case, parameters, rows)
    weights, weights_words = draw_weights(draw, rows.shape[0], hostile=0.9 if "weights" in hostile else 0.0)
    takes_weights = "sample_weight" in inspect.signature(kind.fit).parameters
    given = {"sample_weight": weights} if takes_weights and weights is not None else {}
    words = f"{kind.__name__}({_shown(parameters)}).fit({rows.words}{', ' + weights_words if given else ''})"
    before = _copy(rows.value)
    model = case.attempt(words, lambda: _fit(kind(**parameters), rows.value, given, threads=2))
    case.attempt(words, lambda: _expect_untouched(rows.value, before, kind))
    check_fitted(model, rows.shape[0])
    again = case.attempt(f"again: {words}", lambda: _fit(clone(model), rows.value, given, threads=1))
    check_same(vars(model), vars(again), f"{kind.__name__}: another answer with one thread")
    _use(case, model, rows, words)


def _rows_for(case: Case, parameters: dict[str, Any], rows: Rows) -> Rows:
    asked = [parameters.get(name) for name in ("metric", "affinity", "kernel")]
    if any(isinstance(name, str) and name in MATRICES for name in asked) and case.draw.chance(0.85):
        return draw_square(case.draw)
    return rows


def _fit(model: Any, X: Any, given: dict[str, Any], threads: int) -> Any:
    with threadpool_limits(threads, user_api="openmp"):
        return model.fit(X, **given)


def check_fitted(model: Any, n: int) -> None:
    """Expect labels of n rows, and finite numbers everywhere."""
    who = type(model).__name__
    lowest = LOWEST_LABEL if who == "HDBSCAN" else -1
    labels = getattr(model, "labels_", None)
    if labels is not None:
        # a frame of two columns is a list of edges: labels are of its nodes
        of_columns = who == "FeatureAgglomeration" or (who == "Leiden" and model.metric == "similarity")
        length = model.n_features_in_ if of_columns else n
        asked = getattr(model, "n_clusters", None)
        most = max(length, asked) if isinstance(asked, int) else length
        most = max(most, len(getattr(model, "codebook_", ())))  # nodes of a map without groups
        check_labels(labels, length, most, who, lowest)
    # rows of a table may lack cells, and so may rows whose distance leaves them out
    has_gaps = getattr(model, "_table", None) is not None or getattr(model, "metric", None) == "nan_euclidean"
    for name, value in vars(model).items():
        if name not in model.get_params(deep=False) and not (has_gaps and name in ROWS_KEPT):
            check_finite(name, value, who)


def _use(case: Case, model: Any, rows: Rows, words: str) -> None:
    """Ask for new rows, here and from a file."""
    draw = case.draw
    d = rows.shape[1]
    new = rows if draw.chance(0.4) else draw_rows(draw, d=d if draw.chance(0.9) else d + 1, hostile=0.2)
    answers = answers_for(case, model, new, words)
    if new is rows and type(model).__name__ == "KMeans" and "predict" in answers:
        check_same(
            answers["predict"], model.labels_, "KMeans: predict of the fitted rows differs from labels_"
        )
    case.optional(f"repr of {words}", lambda: repr(model) and str(model))
    case.optional(f"set_params of {words}", lambda: clone(model).set_params(**model.get_params(deep=False)))
    path = case.folder / "model.safetensors"
    if case.optional(f"save {words}", lambda: coterie.save(model, path) or True) is None:
        return
    try:
        loaded = case.attempt(f"load {words}", lambda: coterie.load(path))
    except Refused as refusal:
        expect(False, f"{type(model).__name__}: a saved model is refused", str(refusal))
    check_same(
        answers,
        answers_for(case, loaded, new, f"loaded {words}"),
        f"{type(model).__name__}: loaded, it differs",
    )


def answers_for(case: Case, model: Any, rows: Rows, words: str) -> dict[str, Any]:
    """Return what the model says of rows; what it refuses is left out."""
    n = rows.shape[0]
    who = type(model).__name__
    found: dict[str, Any] = {}
    for name in ("predict", "transform", "membership", "predict_proba", "score", "score_samples"):
        if not hasattr(type(model), name):
            continue
        ask = getattr(model, name)
        answer = case.optional(f"{words}.{name}({rows.words})", lambda ask=ask: ask(rows.value))
        if answer is None:
            continue
        found[name] = answer
        if name == "predict":
            check_labels(answer, n, _most_groups(model), who, LOWEST_LABEL if who == "HDBSCAN" else -1)
        elif name in ("membership", "predict_proba"):
            check_shares(answer, n, who)
        elif name != "score_samples":
            check_finite(name, answer, who)
    return found


def _most_groups(model: Any) -> int:
    labels = getattr(model, "labels_", None)
    if labels is None or not len(labels):
        return 10**6
    n_clusters = getattr(model, "n_clusters", None)
    found = int(np.max(labels)) + 1
    mixtures = ("GaussianMixture", "BayesianGaussianMixture", "LatentClasses", "VonMisesFisherMixture")
    is_mixture = type(model).__name__ in mixtures  # elsewhere these are columns
    components = getattr(model, "n_components", None) if is_mixture else None
    n_nodes = len(getattr(model, "codebook_", ()))
    n_peaks = (
        len(model.cluster_centers_) if type(model).__name__ == "MeanShift" else 0
    )  # a file may label no row
    return max(
        [found, n_nodes, n_peaks, *(k for k in (n_clusters, components) if isinstance(k, int | np.integer))]
    )


def _copy(value: Any) -> dict[str, Any]:
    """Return copies of the arrays of an input; a corrupt sparse matrix cannot be copied as a whole."""
    if isinstance(value, np.ndarray):
        return {"": value.copy()}
    if sparse.issparse(value) and value.format in ("csr", "csc", "bsr"):
        return {name: getattr(value, name).copy() for name in ("data", "indices", "indptr")}
    return {}


def _expect_untouched(value: Any, before: dict[str, Any], kind: type) -> None:
    for name, array in before.items():
        now = getattr(value, name) if name else value
        expect(_is_same(now, array), f"{kind.__name__}: fit changes its input", name)


def _is_same(now: Any, before: Any) -> bool:
    """Return whether two arrays have the same cells; a missing cell is equal to itself."""
    if before.dtype.kind != "O":
        return np.array_equal(now, before, equal_nan=before.dtype.kind in "fc")
    pairs = zip(now.ravel(), before.ravel(), strict=True)
    return now.shape == before.shape and all(a is b or a == b for a, b in pairs)


def _shown(parameters: dict[str, Any]) -> str:
    return ", ".join(f"{name}={_short(value)}" for name, value in parameters.items())


def _short(value: Any) -> str:
    text = repr(value).replace("\n", " ")
    return text if len(text) < 80 else text[:77] + "..."
