"""Laws that every entry of the catalogue of distances obeys."""

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.distance import cdist
from scipy.stats import rankdata
from sklearn.metrics.pairwise import haversine_distances

from coterie.distance import (
    distances,
    find_distance,
    k_nearest,
    nearest,
    neighbours_within,
    pairwise_distances,
)
from coterie.errors import InvalidData, InvalidParameter
from places import as_places

DISTANCES = {distance.name: distance for distance in distances()}

WEIGHTS = np.array([1.0, 2.0, 0.5, 0.0, 3.0, 1.0, 1.5, 0.25, 1.0])
D = len(WEIGHTS)
MIXED = (
    "number",
    "category",
    "number",
    "category",
    "asymmetric",
    "number",
    "category",
    "asymmetric",
    "number",
)


def by_scipy(metric):
    return lambda X, Y, **params: cdist(X, Y, metric, **params)


def by_ranks(X, Y):
    return cdist(rankdata(X, axis=1), rankdata(Y, axis=1), "correlation")


def by_booleans(metric):
    return lambda X, Y: cdist(X != 0, Y != 0, metric)


def by_gower(X, Y, kinds=None, w=None):
    """Gower's coefficient column by column, as in the paper."""
    both = np.vstack([X, Y])
    kinds, w = kinds or ["number"] * D, np.ones(D) if w is None else w
    total, weight = np.zeros((len(X), len(Y))), np.zeros((len(X), len(Y)))
    for column, kind in enumerate(kinds):
        x, y = X[:, column, None], Y[None, :, column]
        counts = ~np.isnan(x) & ~np.isnan(y)
        apart = x != y
        if kind == "asymmetric":
            apart, counts = (x != 0) != (y != 0), counts & ((x != 0) | (y != 0))
        if kind == "number":
            span = np.nanmax(both[:, column]) - np.nanmin(both[:, column])
            apart = np.abs(x - y) / (span if span > 0 else 1)
        total += np.where(counts, w[column] * apart, 0)
        weight += np.where(counts, w[column], 0)
    return total / weight


def by_shared_cells(X, Y, squared=False):
    """Squares over the cells that both rows have, times the share of columns that they are."""
    apart = X[:, None] - Y
    shared = (~np.isnan(apart)).sum(axis=2)
    squares = np.nansum(apart**2, axis=2) * (X.shape[1] / shared)
    return squares if squared else np.sqrt(squares)


def by_haversines(X, Y, units="radians", distances="radians"):
    """Return scikit-learn's haversines, in the units that are asked for."""
    X, Y = (np.radians(rows) if units == "degrees" else rows for rows in (X, Y))
    return haversine_distances(X, Y) * {"radians": 1.0, "km": 6371.0088}.get(distances, distances)


# Slow peers, one per entry; a distance without one fails `test_every_distance_has_an_oracle`.
ORACLES = {
    "euclidean": by_scipy("euclidean"),
    "sqeuclidean": by_scipy("sqeuclidean"),
    "manhattan": by_scipy("cityblock"),
    "chebyshev": by_scipy("chebyshev"),
    "minkowski": by_scipy("minkowski"),
    "seuclidean": by_scipy("seuclidean"),
    "mahalanobis": by_scipy("mahalanobis"),
    "cosine": by_scipy("cosine"),
    "correlation": by_scipy("correlation"),
    "spearman": by_ranks,
    "canberra": by_scipy("canberra"),
    "braycurtis": by_scipy("braycurtis"),
    "hamming": by_scipy("hamming"),
    "jaccard": by_booleans("jaccard"),
    "dice": by_booleans("dice"),
    "matching": by_booleans("hamming"),
    "gower": by_gower,
    "nan_euclidean": by_shared_cells,
    "haversine": by_haversines,
}
PARAMETERS = {
    "euclidean": [{"w": WEIGHTS}],
    "sqeuclidean": [{"w": WEIGHTS}],
    "manhattan": [{"w": WEIGHTS}],
    "chebyshev": [{"w": WEIGHTS}],
    "minkowski": [{"p": p} for p in (0.5, 1, 1.2, 1.5, 2, 2.5, 3, 4, 5.7, 20, np.inf)]
    + [{"p": 3, "w": WEIGHTS}, {"p": 1.7, "w": WEIGHTS}, {"p": np.inf, "w": WEIGHTS}],
    "seuclidean": [{"V": np.arange(1.0, D + 1)}],
    "mahalanobis": [{"VI": np.diag(np.arange(1.0, D + 1)) + 0.2}],
    "nan_euclidean": [{"squared": True}],
    "haversine": [{"units": "degrees"}, {"distances": "km"}, {"distances": 0.5}],
    "gower": [{"w": WEIGHTS}, {"kinds": MIXED}, {"kinds": MIXED, "w": WEIGHTS}],
}
CASES = [(name, params) for name in DISTANCES for params in ({}, *PARAMETERS.get(name, ()))]
IDS = [f"{name}-{'-'.join(f'{k}{np.ravel(v)[0]}' for k, v in params.items())}" for name, params in CASES]
every_case = pytest.mark.parametrize(("name", "params"), CASES, ids=IDS)
every_name = pytest.mark.parametrize("name", list(DISTANCES))


def rows_for(name, n, dtype=np.float64, *, seed=0):
    """Rows of the kind that a distance is for."""
    rng = np.random.default_rng(seed)
    kind = DISTANCES[name].domain
    if kind == "places":  # the last column of whole numbers is spread least: none may be beyond a pole
        rows = (
            as_places(rng.normal(size=(n, 2))) if np.dtype(dtype).kind == "f" else rng.integers(0, 2, (n, 2))
        )
        return rows.astype(dtype)
    if kind == "boolean" or dtype is bool:
        return (rng.random((n, D)) < 0.5).astype(dtype)
    if kind == "categorical":
        return rng.integers(0, 4, (n, D)).astype(dtype)
    if DISTANCES[name].takes_gaps and kind == "real" and np.dtype(dtype).kind == "f":
        rows = rng.normal(size=(n, D)) * 3
        rows[:, 4:][rng.random((n, D - 4)) < 0.3] = np.nan
        return rows.astype(dtype)
    if kind == "mixed" and np.dtype(dtype).kind == "f":
        return np.hstack([rng.normal(size=(n, 1)), rng.integers(0, 3, (n, D - 1))]).astype(dtype)
    return (
        rng.normal(size=(n, D)) * 3 if np.dtype(dtype).kind == "f" else rng.integers(0, 9, (n, D))
    ).astype(dtype)


def between(X, Y, name, *, n_jobs=None, **params):
    """Return the distances from X to Y; a distance that learns from data learns from both, as SciPy's do."""
    distance = find_distance(name, **params)
    learned = distance.fit(np.vstack([X, Y]).astype(np.float64)) if distance.unlearned else distance
    return pairwise_distances(X, Y, learned, n_jobs=n_jobs)


def test_every_distance_has_an_oracle():
    """Law: no distance is in the catalogue that is not compared with a peer."""
    assert set(ORACLES) == set(DISTANCES)


@every_case
@pytest.mark.parametrize("shape", [(70, 301), (1, 12), (5, 8), (12, 2)])
def test_equal_to_the_oracle(name, params, shape):
    """Law: the matrix is the peer's up to rounding, whatever the shape."""
    X, Y = rows_for(name, shape[0], seed=1), rows_for(name, shape[1], seed=2)
    ours, theirs = between(X, Y, name, **params), ORACLES[name](X, Y, **params)
    assert ours.dtype == np.float64
    np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-13)


@every_case
def test_float32_keeps_its_type(name, params):
    """Law: float32 rows give float32 distances (of places float64), the peer's up to rounding."""
    X, Y = rows_for(name, 40, np.float32, seed=3), rows_for(name, 90, np.float32, seed=4)
    theirs = ORACLES[name](X.astype(np.float64), Y.astype(np.float64), **params)
    ours = between(X, Y, name, **params)
    assert ours.dtype == (np.float64 if DISTANCES[name].domain == "places" else np.float32)
    np.testing.assert_allclose(ours, theirs, rtol=3e-5, atol=3e-6)
    assert between(X, Y.astype(np.float64), name, **params).dtype == np.float64


@every_name
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool])
def test_integers_and_booleans_count_as_numbers(name, dtype):
    """Law: integers and booleans give what the same numbers as float64 give."""
    X, Y = (rows_for(name, n, dtype, seed=n) for n in (30, 50))
    if DISTANCES[name].domain != "places":
        X, Y = (
            rows[(rows != rows[:, :1]).any(axis=1)] for rows in (X, Y)
        )  # a constant row has no correlation
    same = between(X.astype(np.float64), Y.astype(np.float64), name)
    np.testing.assert_array_equal(between(X, Y, name), same)


@every_case
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_among_themselves_symmetric_and_zero(name, params, dtype):
    """Law: without Y the matrix is exactly symmetric with zeros on the diagonal, and equals that with Y=X."""
    for n in (12, 100, 310):
        X = rows_for(name, n, dtype, seed=n)
        square = pairwise_distances(X, metric=name, **params)
        np.testing.assert_array_equal(square, square.T)
        assert not np.diagonal(square).any()
        tolerance = 1e-10 if dtype == np.float64 else 1e-4
        if "VI" not in params and name not in (
            "mahalanobis",
            "seuclidean",
        ):  # those would learn from twice the rows
            both = pairwise_distances(X, X.copy(), name, **params)
            np.testing.assert_allclose(square, both, rtol=tolerance, atol=tolerance)
            assert not np.diagonal(both).any()
        condensed = pairwise_distances(X, metric=name, condensed=True, **params)
        np.testing.assert_array_equal(condensed, square[np.triu_indices(n, 1)])


@every_name
def test_same_bits_whatever_the_threads(name):
    """Law: 1, 2 and 7 threads give the same bits: matrices, neighbours, neighbourhoods."""
    X, Y = rows_for(name, 120, seed=8), rows_for(name, 700, seed=9)
    radius = float(np.median(between(X, Y, name)))
    for call in (
        lambda n_jobs: [between(X, Y, name, n_jobs=n_jobs)],
        lambda n_jobs: [pairwise_distances(Y, metric=name, n_jobs=n_jobs)],
        lambda n_jobs: list(vars(nearest(X, Y, name, n_jobs=n_jobs)).values())[:2],
        lambda n_jobs: list(vars(k_nearest(Y, None, 6, name, n_jobs=n_jobs)).values())[:2],
        lambda n_jobs: list(vars(neighbours_within(X, Y, radius, name, n_jobs=n_jobs)).values())[:3],
    ):
        for one, two, seven in zip(call(1), call(2), call(7), strict=True):
            np.testing.assert_array_equal(one, two)
            np.testing.assert_array_equal(one, seven)


@every_case
def test_neighbours_are_those_of_the_matrix(name, params):
    """Law: nearest, k nearest and those within a radius are what the matrix says, up to rounding."""
    X, Y = rows_for(name, 60, seed=10), rows_for(name, 230, seed=11)
    matrix = between(X, Y, name, **params)
    tolerance = {"rtol": 1e-9, "atol": 1e-12}
    one = nearest(X, Y, name, **params)
    np.testing.assert_allclose(one.distance, matrix.min(axis=1), **tolerance)
    np.testing.assert_allclose(matrix[np.arange(60), one.index], matrix.min(axis=1), **tolerance)
    five = k_nearest(X, Y, 5, name, **params)
    np.testing.assert_allclose(five.distance, np.sort(matrix, axis=1)[:, :5], **tolerance)
    np.testing.assert_allclose(np.take_along_axis(matrix, five.index, axis=1), five.distance, **tolerance)
    cells = np.sort(matrix.ravel())
    at = int(np.argmax(np.diff(cells[100:3000]))) + 100  # a radius in a wide gap: rounding decides nothing
    radius = float(cells[at] + cells[at + 1]) / 2
    within = neighbours_within(X, Y, radius, name, **params)
    rows, columns = np.nonzero(matrix <= radius)
    np.testing.assert_array_equal(within.index, columns)
    np.testing.assert_array_equal(np.repeat(np.arange(60), np.diff(within.starts)), rows)
    np.testing.assert_allclose(within.distance, matrix[rows, columns], **tolerance)


@every_name
def test_of_equally_near_rows_the_first_is_taken(name):
    """Law: copies of a row are found in the order of their indices."""
    X, Y = rows_for(name, 50, seed=12), rows_for(name, 90, seed=13)
    twice = np.vstack([Y, Y, Y])
    params = {"V": np.ones(D)} if name == "seuclidean" else {"VI": np.eye(D)} if name == "mahalanobis" else {}
    assert nearest(X, twice, name, **params).index.max() < 90
    three = k_nearest(X, twice, 3, name, **params)
    np.testing.assert_array_equal(three.index[:, 0], nearest(X, Y, name, **params).index)
    assert (np.diff(three.distance, axis=1) >= 0).all()
    is_tied = np.diff(three.distance, axis=1) == 0
    assert is_tied.any()
    assert (np.diff(three.index, axis=1)[is_tied] > 0).all()


METRICS = [name for name, distance in DISTANCES.items() if distance.is_metric]
numbers = st.floats(-100, 100, allow_subnormal=False).map(lambda number: round(number, 3))
three_rows = hnp.arrays(np.float64, (3, D), elements=numbers)


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=60, deadline=None)
@given(rows=three_rows)
def test_triangle_inequality(name, rows):
    """Law: for a metric no detour is shorter."""
    fixed = {"seuclidean": {"V": np.arange(1.0, D + 1)}, "mahalanobis": {"VI": np.eye(D) + 0.3}}
    if DISTANCES[name].domain == "places":
        rows = as_places(rows)
    try:
        a = pairwise_distances(rows, metric=name, **fixed.get(name, {}))
    except InvalidData:  # a row of zeros, say, of a distance between directions
        reject()
    assert a[0, 2] <= (a[0, 1] + a[1, 2]) * (1 + 1e-9) + 1e-12


@pytest.mark.parametrize("name", [name for name in DISTANCES if name not in METRICS])
def test_what_is_no_metric_breaks_the_triangle(name):
    """Law: `is_metric` is false only where three rows show it."""
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(60, D)) if DISTANCES[name].domain == "real" else rng.random((200, 3)) < 0.5
    rows = rows[(rows != rows[:, :1]).any(axis=1)]
    if DISTANCES[name].takes_gaps:  # cells that one of two rows lacks are left out
        rows = np.where(rng.random((200, 3)) < 0.2, np.nan, rng.random((200, 3)))
        rows = rows[(~np.isnan(rows)).sum(axis=1) > 1]
    a = pairwise_distances(rows, metric=name)
    detour = (a[:, :, None] + a[None, :, :]).min(axis=1)
    assert (a > detour + 1e-9).any()


@every_name
def test_bad_data_are_told(name):
    """Law: each distance refuses what is not a table of finite numbers, and rows of different widths."""
    X = rows_for(name, 20)
    holes = X.copy()
    last = X.shape[1] - 1
    at = min(4, last)
    holes[3, at] = np.nan
    for function in (pairwise_distances, lambda X, Y=None, metric="": k_nearest(X, Y, 2, metric)):
        if not DISTANCES[name].takes_gaps:
            with pytest.raises(
                InvalidData, match=rf"Input X contains NaN: 1 missing value in X\[:, {at}\] \(row 3\)"
            ):
                function(holes, metric=name)
        with pytest.raises(
            InvalidData, match=r"X and Y of .* must have as many columns as each other, got \d and \d"
        ):
            function(X, X[:, :last], metric=name)
        with pytest.raises(InvalidData, match="Expected 2D array, got 1D array"):
            function(X[0], metric=name)


@every_name
def test_unknown_parameters_are_told(name):
    """Law: a parameter that a distance does not have is refused, with those that it has."""
    with pytest.raises(InvalidParameter, match=f"the distance {name} takes .*got nonesuch"):
        find_distance(name, nonesuch=1)


@every_name
def test_facts_are_complete(name):
    """Law: an entry says what it is, in words; its aliases lead to it; its parameters have meanings."""
    distance = DISTANCES[name]
    assert distance.summary.endswith(".")
    assert distance.formula
    for alias in (name, *distance.aliases):
        assert find_distance(alias).name == name
    for parameter in distance.parameters:
        assert parameter.meaning
        assert parameter.allowed.accepts(parameter.default)
