"""Time series: distances, nearest series, barycentres and groups of series of any lengths and values."""

from __future__ import annotations

from typing import Any

import numpy as np

import coterie
from coterie import series
from tests.fuzz.case import Case, Draw, Refused, expect
from tests.fuzz.checks import check_finite, check_labels, check_same
from tests.fuzz.values import draw_wild

NAMES = [one.name for one in series.series_distances()]


def run(case: Case) -> None:
    """Do one of the jobs of the room, with one thread and with two where it has threads."""
    job = case.draw.choice([_pairs, _nearest, _barycentre, _groups, _groups, _table, _path])
    job(case)


def _pairs(case: Case) -> None:
    """Expect a matrix that is symmetric where it should be, and the same for any number of threads."""
    draw = case.draw
    X, words = draw_series(draw)
    metric, params = draw_metric(draw)
    shown = f"pairwise({words}, metric={metric!r}, {params})"[:400]
    matrix = case.attempt(shown, lambda: series.pairwise(X, metric=metric, n_jobs=2, **params))
    check_same(
        matrix, series.pairwise(X, metric=metric, n_jobs=1, **params), "pairwise: another with one thread"
    )
    expect(not np.isnan(matrix).any(), f"{metric}: NaN between series", shown)
    if series.find_series_distance(metric, **params).is_symmetric:
        expect(np.array_equal(matrix, matrix.T), f"{metric}: not symmetric", shown)
    if metric not in ("soft_dtw", "soft_dtw_divergence", "sbd"):
        expect((matrix >= 0).all(), f"{metric}: below 0", shown)
        expect((np.diag(matrix) == 0).all(), f"{metric}: a series is not at itself", shown)


def _nearest(case: Case) -> None:
    """Expect that nothing is nearer which lower bounds rule out."""
    draw = case.draw
    X, words = draw_series(draw)
    queries, asked = draw_series(draw)
    metric, params = draw_metric(draw)
    k = draw.choice([1, 1, 2, 5, len(X) + 1])
    shown = f"nearest({asked}, {words}, k={k}, metric={metric!r}, {params})"[:400]
    found = case.attempt(shown, lambda: series.nearest(queries, X, k=k, metric=metric, n_jobs=2, **params))
    matrix = series.pairwise(queries, X, metric=metric, **params)
    which = np.argsort(matrix, axis=1, kind="stable")[:, :k]
    check_same(found.distances, np.take_along_axis(matrix, which, axis=1), "nearest: not the nearest")
    expect(np.array_equal(found.indices, which), "nearest: others of equal distance", shown)


def _path(case: Case) -> None:
    """Expect a warping path that costs what the distance says."""
    draw = case.draw
    X, words = draw_series(draw)
    options = {"window": draw_window(draw)}
    if draw.chance(0.4):
        options |= {
            "open_begin": draw.choice([0, 1, 3, (0, 2), 10**9, -1]),
            "open_end": draw.choice([0, 1, (5, 0)]),
        }
    shown = f"dtw_path of the first two of {words}, {options}"[:300]
    path = case.attempt(shown, lambda: series.dtw_path(X[0], X[len(X) // 2], **options))
    expect(
        path.distance == series.dtw(X[0], X[len(X) // 2], **options),
        "dtw_path: another distance than dtw",
        shown,
    )


def _barycentre(case: Case) -> None:
    """Expect a finite barycentre of a finite cost."""
    draw = case.draw
    X, words = draw_series(draw)
    weights = draw.random.uniform(0, 2, len(X)) if draw.chance(0.3) else None
    if draw.chance(0.6):
        window = draw_window(draw)
        found = case.attempt(
            f"dtw_barycentre({words}, window={window})",
            lambda: series.dtw_barycentre(X, window=window, weights=weights),
        )
    else:
        gamma = draw.choice([1.0, 1e-3, 1e3, 1e-90])
        found = case.attempt(
            f"soft_dtw_barycentre({words}, gamma={gamma})",
            lambda: series.soft_dtw_barycentre(X, gamma=gamma, weights=weights, max_iter=10),
        )
    check_finite("barycentre", found, "barycentre")


def _groups(case: Case) -> None:
    """Group series; expect valid labels, and the same answers from a file."""
    draw = case.draw
    X, words = draw_series(draw)
    model = draw_model(draw)
    shown = f"{model!r}.fit({words})"[:400].replace("\n", " ")
    fitted = case.attempt(shown, lambda: model.fit(X))
    check_labels(fitted.labels_, len(X), fitted.n_clusters, type(model).__name__)
    check_finite("inertia_", fitted.inertia_, type(model).__name__)
    found = case.optional(f"predict of {shown}", lambda: fitted.predict(X))
    path = case.folder / "model.safetensors"
    case.attempt(f"save {shown}", lambda: coterie.save(fitted, path))
    try:
        loaded = case.attempt(f"load {shown}", lambda: coterie.load(path))
    except Refused as refusal:
        expect(False, "series: a saved model is refused", str(refusal))
    if found is not None:
        check_same(loaded.predict(X), found, "series: loaded, it differs")


def _table(case: Case) -> None:
    """Expect that a long table gives every point to a series."""
    draw = case.draw
    n = draw.choice([0, 1, 2, 30])
    table: dict[str, Any] = {
        "id": draw.random.choice(["a", "b", "=c", "", "\x1b[31m"], n).tolist(),
        "time": draw.choice([draw.random.permutation(n).tolist(), [0] * n, ["x"] * n, [None] * n]),
        "value": draw.choice([draw.random.normal(size=n).tolist(), [np.nan] * n, ["1,5"] * n, [10**400] * n]),
    }
    if draw.chance(0.2):
        table[draw.choice(list(table))] = draw_wild(draw)
    time = draw.choice(["time", "time", None, "value", "nothing"])
    found = case.attempt(
        f"series_from_table({str(table)[:300]}, time={time!r})",
        lambda: series.series_from_table(table, id="id", time=time, value="value"),
    )
    expect(sum(map(len, found)) == n, "series_from_table: points are lost", str(table)[:300])


def draw_model(draw: Draw) -> Any:
    """Return a method with odd parameters now and then."""
    k = draw.choice([1, 2, 2, 2, 3, 40])
    given: dict[str, Any] = {"n_clusters": k, "random_state": draw.seed(), "max_iter": draw.choice([1, 5, 5])}
    kind = draw.choice([series.TimeSeriesKMeans, series.TimeSeriesKMeans, series.KShape])
    if kind is series.TimeSeriesKMeans:
        given["metric"] = draw.choice(["dtw", "dtw", "softdtw", "softdtw", "euclidean", "x"])
        given["window"] = draw_window(draw)
        given["gamma"] = draw.choice([1.0, 1.0, 1e-3, 1e6, -1.0])
        given["max_iter_barycenter"] = 5
    given["init"] = draw.choice(["k-means++", "k-means++", "random", "random", "x", [[0.0, 1.0]] * k])
    if draw.chance(0.1):
        given[draw.choice(list(given))] = draw_wild(draw)
    return kind(**given)


def draw_window(draw: Draw) -> Any:
    """Return a window, sometimes none or an odd one."""
    return draw.choice([None, 0, 1, 3, 10**9, 2**63] * 3 + [-1, 1.5])


def draw_metric(draw: Draw) -> tuple[str, dict[str, Any]]:
    """Return a distance with some of its parameters."""
    metric = draw.choice(NAMES)
    params: dict[str, Any] = {}
    if metric in ("dtw", "ddtw", "erp", "msm") and draw.chance(0.6):
        params["window"] = draw_window(draw)
    if metric.startswith("soft") and draw.chance(0.5):
        params["gamma"] = draw.choice([1e-3, 1.0, 1e6, 1e-100, 0.0])
    if metric == "msm" and draw.chance(0.4):
        params["cost"] = draw.choice([0.0, 0.1, 1e300, np.inf])
    return metric, params


def draw_series(draw: Draw) -> tuple[Any, str]:
    """Return series of one length or of many, plain or hostile, and words for them."""
    n = draw.choice([1, 2, 3, 8, 8])
    columns = draw.choice([None, None, None, 1, 3])
    longest = draw.choice([1, 2, 5, 20, 40])
    is_ragged = draw.chance(0.5)
    lengths = draw.random.integers(1, longest, n, endpoint=True) if is_ragged else np.full(n, longest)
    scale = draw.choice([1.0, 1.0, 1.0, 1.0, 1e-300, 1e100, 1e300])
    kind = draw.choice(["normal", "normal", "wholes", "constant", "one zero"])
    if draw.chance(0.15):
        kind = draw.choice(["one NaN", "one infinite", "empty"])
    found = []
    for length in lengths.tolist():
        shape = (length,) if columns is None else (length, columns)
        one = draw.random.normal(size=shape) if kind != "wholes" else draw.random.integers(0, 3, shape) * 1.0
        found.append(np.zeros(shape) if kind == "constant" else one * scale)
    odd = draw.whole(0, n - 1)
    if kind == "one zero":
        found[odd] = np.zeros_like(found[odd])
    elif kind in ("one NaN", "one infinite"):
        found[odd].flat[draw.whole(0, found[odd].size - 1)] = np.nan if kind == "one NaN" else -np.inf
    elif kind == "empty" and draw.chance(0.5):
        found[odd] = found[odd][:0]
    words = (
        f"{n} series of {'1 to ' if is_ragged else ''}{longest} points, {columns} columns, {kind} x {scale:g}"
    )
    if not is_ragged and draw.chance(0.5) and len({one.shape for one in found}) == 1:
        return np.stack(found), f"a block of {words}"
    return found, words
