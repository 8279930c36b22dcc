"""ConstrainedKMeans: sizes exactly, pairs always, J never rises, what cannot be is said."""

import itertools

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import _core
from coterie.cluster import ConstrainedKMeans, KMeans
from coterie.errors import InvalidParameter
from coterie.evaluate import stability

RANDOM_START = "the check shuffles the rows: the same random number then draws another row for the start"


@parametrize_with_checks(
    [ConstrainedKMeans(n_clusters=3)],
    expected_failed_checks=lambda model: {"check_sample_weight_equivalence_on_dense_data": RANDOM_START},
)
def test_scikit_learn_checks(estimator, check):
    """Law: scikit-learn's checks of an estimator pass."""
    check(estimator)


def blobs(n=300, d=3, seed=0):
    random = np.random.default_rng(seed)
    at = random.choice(4, n, p=[0.6, 0.25, 0.1, 0.05])
    return random.normal(size=(n, d)) + 5 * random.normal(size=(4, d))[at]


def costs_to(X, centers):
    return ((X[:, None, :] - centers[None]) ** 2).sum(axis=2)


def best_cost(costs, least, most):
    """Return the least cost within limits: a column per place, with a reward on those that must be taken."""
    penalty = 1e3 * costs.max() * len(costs)
    places = [np.r_[np.full(a, -penalty), np.zeros(b - a)] for a, b in zip(least, most, strict=True)]
    columns = np.repeat(np.arange(len(least)), most)
    wide = costs[:, columns] + np.concatenate(places)
    rows, taken = linear_sum_assignment(wide)
    return costs[rows, columns[taken]].sum()


@pytest.mark.parametrize("seed", range(30))
def test_the_assignment_is_the_best_within_the_sizes(seed):
    """Law: the engine's assignment costs what the Hungarian method's does, whatever prices it begins with."""
    random = np.random.default_rng(seed)
    n, k = int(random.integers(5, 60)), int(random.integers(2, 7))
    costs = random.random((n, k)) * random.random(k) if seed % 2 else random.integers(0, 4, (n, k)) * 1.0
    sizes = np.bincount(random.integers(k, size=n), minlength=k)
    least = np.maximum(sizes - random.integers(0, 3, k), 0)
    most = np.minimum(sizes + random.integers(0, 3, k), n)
    for prices in (np.zeros(k), random.normal(size=k)):
        labels, found = _core.assign_within_sizes(costs, least, most, prices)
        counts = np.bincount(labels, minlength=k)
        assert (counts >= least).all()
        assert (counts <= most).all()
        assert costs[np.arange(n), labels].sum() == pytest.approx(best_cost(costs, least, most), rel=1e-9)
        priced = costs + found  # no row would rather be elsewhere
        assert (priced[np.arange(n), labels] <= priced.min(axis=1) + 1e-9).all()


@pytest.mark.parametrize("kind", ["even", "skewed", "in order", "few values"])
def test_the_assignment_of_many_rows_is_the_best_within_the_sizes(kind):
    """Law: prices learned from a sample of the rows change the time, not the cost, however they mislead."""
    random = np.random.default_rng(3)
    n, k = 1300, 5
    costs = random.random((n, k))
    if kind == "skewed":
        costs *= np.arange(1, k + 1) ** 2.0
    elif kind == "in order":
        costs[::16] += np.arange(k) * 3.0
    elif kind == "few values":
        costs = np.floor(3 * costs) / 4
    least, most = np.full(k, 250), np.full(k, 265)
    labels, found = _core.assign_within_sizes(costs, least, most, np.zeros(k))
    counts = np.bincount(labels, minlength=k)
    assert (counts >= least).all()
    assert (counts <= most).all()
    cost = _core.cost_of_labels(costs, labels)
    assert cost == pytest.approx(costs[np.arange(n), labels].sum(), rel=1e-12)
    assert cost == pytest.approx(best_cost(costs, least, most), rel=1e-9)
    priced = costs + found
    assert (priced[np.arange(n), labels] <= priced.min(axis=1) + 1e-9).all()


def test_the_assignment_refuses_what_leaves_its_arrays():
    """Law: limits that cannot be kept, and numbers that are none, are refused before the engine runs."""
    costs, one = np.zeros((3, 2)), np.array([1, 1])
    with pytest.raises(ValueError, match="must leave room for all rows"):
        _core.assign_within_sizes(costs, one, one, np.zeros(2))
    with pytest.raises(ValueError, match="costs must be finite"):
        _core.assign_within_sizes(costs + np.nan, one, 2 * one, np.zeros(2))
    with pytest.raises(ValueError, match="prices must have 2 entries"):
        _core.assign_within_sizes(costs, one, 2 * one, np.zeros(3))
    with pytest.raises(ValueError, match="labels must have 3 entries"):
        _core.cost_of_labels(costs, np.zeros(2, dtype=np.int32))
    with pytest.raises(ValueError, match="labels must be at least 0 and below 2, got 2 at position 1"):
        _core.cost_of_labels(costs, np.array([0, 2, 1], dtype=np.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    ("least", "most"),
    [(75, 75), (60, 90), (None, 80), (40, None), ([10, 20, 30, 40], [200, 100, 100, 50])],
)
def test_sizes_are_kept_at_the_least_cost(least, most, dtype):
    """Law: labels_ are the best assignment to cluster_centers_ within the limits, and exact_ says so."""
    X = blobs().astype(dtype)
    model = ConstrainedKMeans(4, size_min=least, size_max=most, random_state=0, tol=0).fit(X)
    low = np.broadcast_to(0 if least is None else least, 4)
    high = np.broadcast_to(300 if most is None else most, 4)
    sizes = np.bincount(model.labels_, minlength=4)
    assert (sizes >= low).all()
    assert (sizes <= high).all()
    costs = costs_to(X.astype(np.float64), model.cluster_centers_.astype(np.float64))
    assert model.inertia_ == pytest.approx(costs[np.arange(300), model.labels_].sum(), rel=1e-6)
    assert model.inertia_ == pytest.approx(best_cost(costs, low, high), rel=1e-6)
    assert model.exact_
    np.testing.assert_array_equal(model.predict(X, respect_sizes=True), model.labels_)


def test_without_constraints_it_is_kmeans():
    """Law: limits that do not bind leave k-means from the same start."""
    X = blobs()
    start = X[:5]
    ours = ConstrainedKMeans(5, init=start, tol=0).fit(X)
    plain = KMeans(5, init=start, tol=0).fit(X)
    np.testing.assert_array_equal(ours.labels_, plain.labels_)
    np.testing.assert_array_equal(ours.labels_, ours.predict(X))
    assert ours.inertia_ == pytest.approx(plain.inertia_)


CASES = {
    "sizes": {"size_min": 60, "size_max": 90},
    "together": {"must_link": [(i, i + 1) for i in range(0, 90, 3)]},
    "apart": {"cannot_link": [(i, i + 7) for i in range(0, 120)]},
    "all": {
        "size_min": 70,
        "size_max": 80,
        "must_link": [(i, i + 1) for i in range(0, 90, 3)],
        "cannot_link": [(i, i + 7) for i in range(100, 200)],
    },
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_the_objective_never_rises(case, weighted):
    """Law: with every iteration more J is at most what it was, and all constraints hold."""
    X = blobs()
    weights = np.random.default_rng(1).random(300) if weighted else None
    values = []
    for n in range(1, 12):
        model = ConstrainedKMeans(4, **CASES[case], random_state=3, tol=0, max_iter=n)
        model.fit(X, sample_weight=weights)
        values.append(model.inertia_)
        sizes = np.bincount(model.labels_, minlength=4)
        assert sizes.min() >= CASES[case].get("size_min", 1)
        assert sizes.max() <= CASES[case].get("size_max", 300)
        for i, j in CASES[case].get("must_link", []):
            assert model.labels_[i] == model.labels_[j]
        for i, j in CASES[case].get("cannot_link", []):
            assert model.labels_[i] != model.labels_[j]
    assert all(after <= before * (1 + 1e-12) for before, after in itertools.pairwise(values))


@pytest.mark.parametrize("seed", range(12))
def test_pairs_cost_little_more_than_the_best_of_all_assignments(seed):
    """Law: for few rows the search comes near what brute force finds, and never below."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(8, 2))
    pairs = random.permutation(8)[:6].reshape(3, 2)
    model = ConstrainedKMeans(
        3, size_min=2, size_max=3, must_link=pairs[:1], cannot_link=pairs[1:], random_state=0
    ).fit(X)
    costs = costs_to(X, model.cluster_centers_)
    best = np.inf
    for labels in itertools.product(range(3), repeat=8):
        labels = np.array(labels)
        sizes = np.bincount(labels, minlength=3)
        is_kept = sizes.min() >= 2 and sizes.max() <= 3 and labels[pairs[0, 0]] == labels[pairs[0, 1]]
        if is_kept and all(labels[i] != labels[j] for i, j in pairs[1:]):
            best = min(best, costs[np.arange(8), labels].sum())
    assert best * (1 - 1e-9) <= model.inertia_ <= best * 1.5


def test_a_must_link_is_a_heavy_row():
    """Law: rows that must be together act as their mean with their weights."""
    X = blobs(60)
    joined = np.r_[X[:1], X[2:]].copy()
    joined[0] = X[:2].mean(axis=0)
    start = X[5:8]
    model = ConstrainedKMeans(3, must_link=[(0, 1)], init=start, tol=0).fit(X)
    plain = KMeans(3, init=start, tol=0).fit(joined, sample_weight=np.r_[2.0, np.ones(58)])
    np.testing.assert_array_equal(model.labels_[1:], plain.labels_)
    np.testing.assert_allclose(model.cluster_centers_, plain.cluster_centers_)
    assert model.exact_


def test_predict_within_sizes():
    """Law: new rows are placed within the limits, which count them alone."""
    X = blobs()
    model = ConstrainedKMeans(3, size_max=110, random_state=0).fit(X)
    new = blobs(200, seed=5)
    near, even = model.predict(new), model.predict(new, respect_sizes=True)
    assert np.bincount(near).max() > 110 >= np.bincount(even, minlength=3).max()
    with pytest.raises(InvalidParameter, match="leaves room for 330 rows in 3 groups, but there are 600"):
        model.predict(np.r_[new, new, new], respect_sizes=True)


def test_groups_of_weight_zero():
    """Law: rows of weight 0 fill places without a warning, whatever group they fill."""
    X = np.array([[0.0], [1.0], [1.0], [5.0]])
    model = ConstrainedKMeans(2, size_min=2, size_max=2, random_state=0).fit(X, sample_weight=[1, 1, 0, 0])
    assert np.bincount(model.labels_).tolist() == [2, 2]
    assert np.isfinite(model.cluster_centers_).all()


def test_weights_move_centres_and_sizes_count_rows():
    """Law: a row of weight 0 takes a place and does not move its centre."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [100.0]])
    weights = np.array([1.0, 1, 1, 1, 1, 0])
    model = ConstrainedKMeans(2, size_min=3, init=[[0.0], [10.0]]).fit(X, sample_weight=weights)
    assert model.labels_.tolist() == [0, 0, 0, 1, 1, 1]
    np.testing.assert_allclose(model.cluster_centers_.ravel(), [1.0, 10.5])


def test_limits_of_one_group_each():
    """Law: larger limits go to larger groups, and given centres keep their own."""
    X = np.r_[np.zeros(20), np.full(5, 9.0), np.full(10, 20.0)][:, None] + np.arange(35)[:, None] / 100
    model = ConstrainedKMeans(3, size_min=[5, 20, 10], size_max=[5, 20, 10], random_state=0).fit(X)
    assert np.bincount(model.labels_).tolist() == [5, 20, 10]
    assert adjusted_rand_score(model.labels_, np.repeat([0, 1, 2], [20, 5, 10])) == 1
    given = ConstrainedKMeans(3, size_max=[5, 35, 35], init=[[0.0], [9.0], [20.0]]).fit(X)
    assert np.bincount(given.labels_)[0] <= 5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"size_min": 4}, "size_min of .* asks for 12 rows in 3 groups, but there are only 10. Lower"),
        ({"size_max": 3}, "size_max of .* leaves room for 9 rows in 3 groups, but there are 10. Raise"),
        ({"size_min": [1, 4, 1], "size_max": 3}, "must not exceed size_max, got 4 and 3 for group 1"),
        ({"size_min": [1, 2]}, r"one for each of the n_clusters=3 groups, got shape \(2,\)"),
        ({"size_min": [0.5, 1, 1]}, r"must be a whole number, .* got shape \(3,\) of float64"),
        (
            {"size_min": [[1], [1, 2], 3]},
            "must be a whole number, or one for each of the n_clusters=3 groups",
        ),
        ({"size_max": [-1, 9, 9]}, "size_max of .* must be at least 0, got -1"),
        ({"size_min": -1}, "size_min of .* must be None, a whole number of at least 0 or an array, got -1"),
        ({"must_link": [(0, 10)]}, "must_link of .* must name rows from 0 to 9, got 10"),
        (
            {"must_link": [(0, 1), (1, 2)], "cannot_link": [(2, 0)]},
            "rows 2 and 0 must not be together, must_link that they must",
        ),
        ({"cannot_link": [(4, 4)]}, "must name two different rows, got row 4 twice"),
        (
            {"cannot_link": list(itertools.combinations(range(2, 6), 2))},
            "each of the rows 2, 3, 4, 5 apart .* n_clusters=3 groups cannot do",
        ),
        (
            {"must_link": [(1, 2), (2, 3), (3, 4), (4, 5)], "size_max": 4},
            "joins 5 rows, row 1 among them, but size_max allows 4",
        ),
        (
            {"must_link": [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)], "size_min": 3, "size_max": 4},
            "No assignment keeps size_min, size_max, must_link and cannot_link .* at once",
        ),
        (
            {"must_link": [(i, i + 1) for i in range(8)]},
            "No assignment keeps size_min, size_max, must_link and cannot_link .* at once",
        ),
    ],
)
def test_what_cannot_be_is_said(options, words):
    """Law: constraints that contradict each other or the rows are refused, with the reason."""
    with pytest.raises(InvalidParameter, match=words):
        ConstrainedKMeans(3, **options).fit(np.arange(20.0).reshape(10, 2))


def test_crowded_pairs_find_room():
    """Law: room is found where every group but one is forbidden, which greedy choices alone would miss."""
    random = np.random.default_rng(0)
    hidden = random.permutation(np.repeat(np.arange(4), 15))
    pairs = [(i, j) for i, j in itertools.combinations(range(60), 2) if hidden[i] != hidden[j]]
    pairs = [pairs[i] for i in random.permutation(len(pairs))[:900]]
    X = random.normal(size=(60, 2))
    labels = ConstrainedKMeans(4, size_min=15, size_max=15, cannot_link=pairs).fit_predict(X)
    assert all(labels[i] != labels[j] for i, j in pairs)
    assert np.bincount(labels).tolist() == [15] * 4


def test_more_starts_are_never_worse():
    """Law: the run of least J is kept."""
    X = blobs()
    one, ten = (ConstrainedKMeans(6, size_max=60, n_init=n, random_state=0).fit(X).inertia_ for n in (1, 10))
    assert ten <= one


def test_resamples_keep_the_constraints_that_hold_among_them():
    """Law: for some of the rows sizes shrink in proportion, and pairs hold, also those through other rows."""
    model = ConstrainedKMeans(
        4, size_min=60, size_max=[80, 80, 90, 100], must_link=[(0, 1), (1, 2)], cannot_link=[(1, 5), (6, 7)]
    )
    part = model.restricted_to(np.array([0, 2, 5, 6, *range(10, 156)]), 300)
    assert part.size_min == 30
    assert part.size_max.tolist() == [40, 40, 45, 50]
    assert part.must_link.tolist() == [[0, 1]]
    assert part.cannot_link.tolist() == [[0, 2]]
    assert model.restricted_to(np.arange(8), 8).get_params()["size_max"].tolist() == [80, 80, 90, 100]


def test_stability_of_groups_within_constraints():
    """Law: refits to resamples keep the constraints instead of failing on rows that are not there."""
    X = blobs()
    model = ConstrainedKMeans(
        4, size_min=70, size_max=80, must_link=[(0, 299), (3, 9)], cannot_link=[(5, 298)], random_state=0
    )
    found = stability(model, X, n_resamples=5, random_state=0)
    assert found.scores.shape == (5, 4)


def test_limits_beyond_the_rows_to_predict():
    """Law: a limit that no group can reach is not a limit, for few new rows as well."""
    model = ConstrainedKMeans(2, size_min=0, size_max=6, random_state=0).fit([[0.0], [1.0], [8.0], [9.0]])
    np.testing.assert_array_equal(model.predict([[7.0]], respect_sizes=True), model.predict([[7.0]]))


# sums of squares of the package k-means-constrained 0.9.1 on mixture_of(seed), from the same starts
PEER_SUMS = [14942.78, 14503.58, 14788.60, 15135.44, 15281.50, 15220.65, 15215.71, 14804.74]


def mixture_of(seed, n=2000, d=8, k=10):
    """Return rows of overlapping clusters, and rows to start from."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(k, d)) * 1.2
    X = centres[rng.integers(k, size=n)] + rng.normal(size=(n, d))
    return X, X[rng.choice(n, k, replace=False)]


def test_as_good_as_the_package_k_means_constrained():
    """Law: from equal starts sums are within 0.5 % of the peer's, and on the whole at most as large."""
    found = []
    for seed in range(len(PEER_SUMS)):
        X, start = mixture_of(seed)
        labels = ConstrainedKMeans(10, size_min=160, size_max=240, init=start).fit(X).labels_
        sizes = np.bincount(labels, minlength=10)
        assert sizes.min() >= 160
        assert sizes.max() <= 240
        found.append(sum(((X[labels == j] - X[labels == j].mean(axis=0)) ** 2).sum() for j in range(10)))
    np.testing.assert_array_less(found, 1.005 * np.array(PEER_SUMS))
    assert sum(found) <= sum(PEER_SUMS)


@pytest.mark.parametrize("pairs", [None, [(70, 77), (44, 68), (85, 56), (5, 81), (43, 38)]])
@pytest.mark.parametrize("value", [0.09517333685240127, 1e9 / 3, 1e-100])
def test_copies_of_a_row_end_at_once(value, pairs):
    """Law: where J is rounding alone there is nothing to lower, and iterations end."""
    random = np.random.default_rng(0)
    weights = random.random(90) * (random.random(90) < 0.5)
    model = ConstrainedKMeans(90, cannot_link=pairs, init="random", random_state=0, tol=0)
    model.fit(np.full((90, 1), value), sample_weight=weights)
    assert model.n_iter_ <= 3
    assert np.bincount(model.labels_, minlength=90).tolist() == [1] * 90
