"""Constrained k-means: limits of size and pairs; an answer keeps all of them, whatever the rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

import coterie
from coterie.cluster import ConstrainedKMeans
from tests.fuzz.case import Case, Draw, Refused, expect
from tests.fuzz.checks import check_same
from tests.fuzz.part_estimators import check_fitted
from tests.fuzz.values import draw_rows, draw_weights, draw_wild


def run(case: Case) -> None:
    """Fit with two threads and with one; hold labels to the constraints; predict within sizes; save."""
    draw = case.draw
    rows = draw_rows(draw, hostile=0.15)
    n = rows.shape[0]
    k = min(draw.choice([1, 2, 2, 3, 3, 4, 8, n]), max(1, n))
    parameters = draw_constraints(draw, n, k)
    weights = draw_weights(draw, n, hostile=0.1)[0]
    given = {} if weights is None else {"sample_weight": weights}
    shown = ", ".join(
        f"{key}={np.asarray(value).tolist() if key != 'init' else '...'}"[:200]
        for key, value in parameters.items()
    )
    words = f"ConstrainedKMeans({k}, {shown}).fit({rows.words})"
    model, again = (
        case.attempt(
            words,
            lambda threads=threads: _fit(
                ConstrainedKMeans(k, random_state=0, **parameters), rows.value, given, threads
            ),
        )
        for threads in (2, 1)
    )
    check_fitted(model, n)
    check_same(vars(model), vars(again), "ConstrainedKMeans: another answer with one thread")
    expect_kept(model, k, parameters, words)
    case.optional(f"predict within sizes: {words}", lambda: _predicted(model, rows.value, k))
    path = case.folder / "model.safetensors"
    case.attempt(f"save {words}", lambda: coterie.save(model, path))
    try:
        loaded = case.attempt(f"load {words}", lambda: coterie.load(path))
    except Refused as refusal:
        expect(False, "ConstrainedKMeans: a saved model is refused", str(refusal))
    check_same(model.predict(rows.value), loaded.predict(rows.value), "ConstrainedKMeans: loaded, it differs")


def _fit(model: Any, X: Any, given: dict[str, Any], threads: int) -> Any:
    with threadpool_limits(threads, user_api="openmp"):
        return model.fit(X, **given)


def _predicted(model: Any, X: Any, k: int) -> None:
    labels = model.predict(X, respect_sizes=True)
    sizes = np.bincount(labels, minlength=k)
    expect(
        (sizes >= _limit(model.size_min, 0)).all(),
        "ConstrainedKMeans: predict gives too few to a group",
        f"{sizes}",
    )
    expect(
        (sizes <= _limit(model.size_max, len(labels))).all(),
        "ConstrainedKMeans: predict gives too many to a group",
        f"{sizes}",
    )


def _limit(given: Any, usual: int) -> Any:
    return usual if given is None else np.asarray(given)


def expect_kept(model: Any, k: int, parameters: dict[str, Any], words: str) -> None:
    """Sizes are within their limits, pairs as told."""
    labels = np.asarray(model.labels_)
    sizes = np.bincount(labels, minlength=k)
    expect(
        (sizes >= _limit(parameters.get("size_min", 1), 0)).all(),
        "ConstrainedKMeans: a group is too small",
        f"{sizes} {words}",
    )
    expect(
        (sizes <= _limit(parameters.get("size_max"), len(labels))).all(),
        "ConstrainedKMeans: a group is too large",
        f"{sizes} {words}",
    )
    for name, wanted in (("must_link", True), ("cannot_link", False)):
        pairs = parameters.get(name)
        pairs = np.zeros((0, 2), dtype=int) if pairs is None else np.asarray(pairs, dtype=int).reshape(-1, 2)
        is_kept = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) == wanted
        expect(
            is_kept.all(),
            f"ConstrainedKMeans: a pair of {name} is broken",
            f"{pairs[~is_kept].tolist()} {words}",
        )


def draw_constraints(draw: Draw, n: int, k: int) -> dict[str, Any]:
    """Return constraints that mostly can be kept, often barely."""
    found: dict[str, Any] = {}
    even = n // k if k else 0
    if draw.chance(0.5):
        found["size_min"] = draw.choice(
            [0, 1, even, even, max(0, even - 1), None, np.full(k, even), np.arange(k), even + 1, n]
        )
    if draw.chance(0.5):
        most = -(-n // k) if k else n
        found["size_max"] = draw.choice(
            [most, most, most + 1, n, None, np.full(k, most), np.arange(n - k + 1, n + 1), max(1, even), 1]
        )
    if draw.chance(0.6):
        truth = draw.random.integers(0, k, n)
        pairs = draw.random.integers(0, max(1, n), size=(draw.choice([1, 2, 6, 20]), 2))
        is_one = truth[pairs[:, 0]] == truth[pairs[:, 1]] if n else np.zeros(len(pairs), dtype=bool)
        apart, joined = pairs[~is_one], pairs[is_one]  # some grouping keeps all of them
        found |= {"must_link": joined} if len(joined) else {}
        found |= {"cannot_link": apart} if len(apart) else {}
    if draw.chance(0.1):
        name = draw.choice(["size_min", "size_max", "must_link", "cannot_link"])
        wild = [
            [[0, 0]],
            [[0, n]],
            [[-1, 0]],
            [[0, 1, 2]],
            [["a", "b"]],
            [[0.5, 1]],
            [],
            [[]],
            2**63,
            -1,
            [1] * (k + 1),
            np.nan,
        ]
        found[name] = draw.choice([*wild, draw_wild(draw)])
    if draw.chance(0.2):
        found["init"] = draw.choice(["random", "random partition", "k-means++", "x"])
    return found
