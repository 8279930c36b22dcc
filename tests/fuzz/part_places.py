"""Positions on the Earth: tables with latitude and longitude, distances along the sphere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
from threadpoolctl import threadpool_limits

import coterie
from coterie import cluster, distance
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import LOWEST_LABEL, check_finite, check_labels, check_same
from tests.fuzz.parameters import draw_parameters
from tests.fuzz.values import draw_wild

NAMES = (("lat", "lon"), ("latitude", "longitude"), ("Lat", "Lng"), ("home lat", "home long"), ("x", "y"))
ODD_DEGREES = (90.0, -90.0, 180.0, -180.0, 0.0, 90.0000001, 181.0, -540.0, 360.0, 1e9, np.nan, np.inf, 1e-310)
KINDS = (cluster.DBSCAN, cluster.HDBSCAN, cluster.OPTICS, cluster.KMedoids, cluster.AgglomerativeClustering)


def run(case: Case) -> None:
    """Fit a table of places, or a method or a search by great circles."""
    case.draw.choice([_table, _estimator, _estimator, _search])(case)


def draw_degrees(draw: Draw) -> Any:
    """Return latitudes and longitudes in degrees: towns, poles, the date line, copies, and odd ones."""
    n = draw.choice([1, 2, 3, 12, 40, 90])
    towns = np.column_stack([draw.random.uniform(-90, 90, 4), draw.random.uniform(-180, 180, 4)])
    if draw.chance(0.4):
        towns[:, 1] = draw.choice([180.0, -180.0, 0.0])
    if draw.chance(0.3):
        towns[:, 0] = draw.choice([90.0, -90.0, 0.0])
    spread = draw.choice([0.0, 1e-12, 0.01, 1.0, 40.0])
    rows = towns[draw.random.integers(4, size=n)] + spread * draw.random.normal(size=(n, 2))
    rows[:, 0] = rows[:, 0].clip(-90, 90)
    rows[:, 1] = (rows[:, 1] + 180) % 360 - 180
    return rows


def _damaged(draw: Draw, rows: Any) -> str:
    if not draw.chance(0.35):
        return ""
    odd = draw.choice(ODD_DEGREES)
    rows[draw.whole(0, len(rows) - 1), draw.whole(0, 1)] = odd
    return f" with {odd}"


def _table(case: Case) -> None:
    draw = case.draw
    rows = draw_degrees(draw)
    words = f"{len(rows)} places{_damaged(draw, rows)}"
    names = draw.choice(NAMES)
    frame = pandas.DataFrame(rows, columns=list(names))
    for at in range(draw.choice([0, 0, 1, 2])):
        frame[f"more{at}"] = draw.random.normal(size=len(rows)) * draw.choice([1.0, 1e9, 0.0])
    if draw.chance(0.1):
        frame[names[0]] = frame[names[0]].map(lambda value: f"{abs(value):.3f}°{'N' if value >= 0 else 'S'}")
    options: dict[str, Any] = {"budget": "fast", "believe": False, "random_state": 0}
    options["k"] = draw.choice([1, 2, 2, 3, None])
    options["method"] = draw.choice(
        ["auto", "kmeans", "kmeans", "dbscan", "hdbscan", "mixture", "agglomerative"]
    )
    if draw.chance(0.3):
        options["places"] = draw.choice(["auto", "off", f"{names[0]},{names[1]}", "off", draw_wild(draw)])
    options["missing"] = draw.choice(["auto", "drop", "median"])
    words = f"fit({words} as {names} and {list(frame.columns)[2:]}, {options})"
    found = case.attempt(words, lambda: coterie.fit(frame, **options))
    case.attempt(f"text of {words}", lambda: (str(found), found.to_dict()))
    check_finite("centers", found.groups.centers, "fit of places")
    if options["missing"] != "drop" and found.k:
        predicted = case.optional(f"predict of {words}", lambda: found.predict(frame))
        if predicted is not None:
            check_labels(predicted, len(frame), found.k, "predict of places")


def _estimator(case: Case) -> None:
    draw = case.draw
    rows = draw_degrees(draw)
    words = _damaged(draw, rows)
    radians = np.radians(rows) if draw.chance(0.9) else rows
    kind = draw.choice(KINDS)
    parameters = draw_parameters(draw, kind, *rows.shape, wild=0.0) | {"metric": "haversine"}
    if kind is cluster.AgglomerativeClustering:
        parameters["linkage"] = draw.choice(["single", "complete", "average", "ward"])
    words = f"{kind.__name__}({parameters}).fit({len(rows)} places{words})"
    answers = []
    for threads in (2, 1):
        with threadpool_limits(threads, user_api="openmp"):
            model = case.attempt(words, lambda: kind(**parameters).fit(radians))
        answers.append(model.labels_)
    check_same(*answers, f"{kind.__name__} of places: another answer with one thread")
    lowest = LOWEST_LABEL if kind is cluster.HDBSCAN else -1
    check_labels(answers[0], len(rows), max(len(rows), 2), kind.__name__, lowest)


def _search(case: Case) -> None:
    draw = case.draw
    X, Y = np.radians(draw_degrees(draw)), np.radians(draw_degrees(draw))
    words = _damaged(draw, X)
    name = draw.choice(["pairwise_distances", "k_nearest", "neighbours_within"])
    options: dict[str, Any] = {"metric": "haversine"}
    if name == "k_nearest":
        options["n_neighbors"] = draw.choice([1, 2, len(Y)])
    if name == "neighbours_within":
        options["radius"] = draw.choice([0.0, 1e-9, 0.1, np.pi, 4.0])
    search = getattr(distance, name)
    words = f"{name}({len(X)} and {len(Y)} places{words}, {options})"
    found = case.attempt(words, lambda: search(X, Y, **options))
    full = _great_circles(X, Y)
    if name == "pairwise_distances":
        expect(np.allclose(found, full, atol=1e-7), f"{name}: no great circles", words)
    elif name == "k_nearest":
        nearest = np.sort(full, axis=1)[:, : options["n_neighbors"]]
        expect(np.allclose(found.distance, nearest, atol=1e-7), f"{name}: not the nearest places", words)
    else:
        counts = np.diff(found.starts) if hasattr(found, "starts") else None
        if counts is not None:
            low, high = ((full <= options["radius"] + slack).sum(axis=1) for slack in (-1e-7, 1e-7))
            expect(((low <= counts) & (counts <= high)).all(), f"{name}: places lost or made", words)


def _great_circles(X: Any, Y: Any) -> Any:
    """Return distances by vectors, in radians: from the chord, and near the antipodes from its complement."""
    first, second = (
        np.column_stack(
            [np.cos(P[:, 0]) * np.cos(P[:, 1]), np.cos(P[:, 0]) * np.sin(P[:, 1]), np.sin(P[:, 0])]
        )
        for P in (X, Y)
    )
    apart = np.linalg.norm(first[:, None] - second[None], axis=2)
    together = np.linalg.norm(first[:, None] + second[None], axis=2)
    return 2 * np.arctan2(apart, together)
