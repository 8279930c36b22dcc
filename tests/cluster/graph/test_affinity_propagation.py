"""Affinity propagation: equality with scikit-learn and with the messages as written, bad input, files."""

import warnings

import numpy as np
import pytest
import sklearn.cluster
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie import _core
from coterie.cluster import AffinityPropagation, affinity_propagation
from coterie.cluster.graph.similarities import median_of, similarities_of
from coterie.errors import InvalidData, InvalidParameter

pytestmark = pytest.mark.filterwarnings("ignore:Affinity propagation did not converge")


def rows_of(seed, n=120, d=3, dtype=np.float64):
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, d)) + 5 * rng.integers(0, 3, size=(n, 1))).astype(dtype)


def send_messages(S, damping, steps):
    """Send all messages as the formulas say, in full matrices; yield who represents itself."""
    n = len(S)
    A, R = np.zeros((n, n)), np.zeros((n, n))
    for _ in range(steps):
        offers = A + S
        fresh = np.empty((n, n))
        for k in range(n):
            others = np.delete(offers, k, axis=1)
            fresh[:, k] = S[:, k] - others.max(axis=1)
        R = damping * R + (1 - damping) * fresh
        positive = np.maximum(R, 0)
        np.fill_diagonal(positive, 0)
        wanted = positive.sum(axis=0)
        fresh = np.minimum(0, np.diag(R) + wanted - positive)
        np.fill_diagonal(fresh, wanted)
        A = damping * A + (1 - damping) * fresh
        yield np.diag(A) + np.diag(R)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 30),
    damping=st.sampled_from([0.5, 0.7, 0.95]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=30, deadline=None)
def test_messages_are_those_of_the_formulas(seed, n, damping, dtype):
    """Law: after every step a row represents itself if a(k, k) + r(k, k) > 0, any similarities, also skew."""
    rng = np.random.default_rng(seed)
    S = np.ascontiguousarray(rng.normal(size=(n, n)) - 1, dtype=dtype)
    messages = _core.AffinityMessages(S, damping)
    for evidence in send_messages(S.astype(np.float64), damping, 40):
        found = np.asarray(messages.step(1)).astype(bool)
        is_clear = np.abs(evidence) > 1e-9
        np.testing.assert_array_equal(found[is_clear], (evidence > 0)[is_clear])


@pytest.mark.parametrize(
    "parameters", [{}, {"damping": 0.8}, {"preference": -200.0}, {"convergence_iter": 3}]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(4))
def test_labels_are_scikit_learns(seed, dtype, parameters):
    """Law: the same similarities and seed give scikit-learn's exemplars, labels, noise and iterations."""
    S = similarities_of(rows_of(seed, dtype=dtype), 1)
    given = {"affinity": "precomputed", "random_state": seed, **parameters}
    ours = AffinityPropagation(**given).fit(S)
    theirs = sklearn.cluster.AffinityPropagation(**given).fit(S)
    np.testing.assert_array_equal(ours.affinity_matrix_, theirs.affinity_matrix_)
    assert ours.affinity_matrix_.dtype == dtype
    assert ours.n_iter_ == theirs.n_iter_
    if theirs.n_iter_ < 200:
        np.testing.assert_array_equal(ours.cluster_centers_indices_, theirs.cluster_centers_indices_)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)


def test_rows_give_scikit_learns_groups():
    """Law: rows, dense or sparse, fall into scikit-learn's groups; which row stands for a pair is free."""
    for seed in range(4):
        X = rows_of(seed)
        theirs = sklearn.cluster.AffinityPropagation(random_state=0, damping=0.8).fit(X)
        for rows in (X, sparse.csr_array(X), sparse.csc_matrix(X)):
            ours = AffinityPropagation(random_state=0, damping=0.8).fit(rows)
            assert adjusted_rand_score(ours.labels_, theirs.labels_) == 1.0
            np.testing.assert_array_equal(ours.predict(rows), ours.labels_)


def test_preferences_choose_exemplars():
    """Law: the row of the one high preference stands for its group, and arrays are scikit-learn's too."""
    X = rows_of(1, n=60)
    preference = np.full(60, -300.0)
    preference[17] = 0.0
    ours = AffinityPropagation(preference=preference, random_state=0, damping=0.7).fit(X)
    theirs = sklearn.cluster.AffinityPropagation(preference=preference, random_state=0, damping=0.7).fit(X)
    assert 17 in ours.cluster_centers_indices_
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_change_no_bit(dtype):
    """Law: any number of threads gives the same exemplars after every step."""
    S = similarities_of(rows_of(3, n=201, dtype=dtype), 1)
    np.fill_diagonal(S, np.median(S))
    steps = []
    for threads in (1, 2, 5):
        messages = _core.AffinityMessages(S, 0.6)
        steps.append(np.array([messages.step(threads) for _ in range(60)]))
    np.testing.assert_array_equal(steps[0], steps[1])
    np.testing.assert_array_equal(steps[0], steps[2])


@given(
    n=st.integers(450, 520),
    seed=st.integers(0, 1000),
    kind=st.sampled_from(["normal", "few", "sorted", "one"]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
@settings(max_examples=20, deadline=None)
def test_the_median_is_numpys(n, seed, kind, dtype):
    """Law: the median without a copy is that of NumPy, with ties and in any order."""
    rng = np.random.default_rng(seed)
    values = {"normal": rng.normal(size=n * n), "few": rng.integers(0, 3, n * n), "one": np.ones(n * n)}
    values["sorted"] = np.sort(values["normal"])
    S = values[kind].astype(dtype).reshape(n, n)
    assert median_of(S) == np.median(S)


def test_copy():
    """Law: the matrix is written to with copy=False only; a matrix that is read-only is copied."""
    S = similarities_of(rows_of(0, n=30), 1)
    before = S.copy()
    kept = affinity_propagation(S, random_state=0)
    np.testing.assert_array_equal(S, before)
    read_only = S.copy()
    read_only.setflags(write=False)
    assert np.array_equal(affinity_propagation(read_only, random_state=0, copy=False)[1], kept[1])
    written = affinity_propagation(S, random_state=0, copy=False)
    assert not np.array_equal(S, before)
    np.testing.assert_array_equal(written[1], kept[1])


def test_seeds():
    """Law: numbers beyond 32 bits and NumPy's generators are seeds too, and repeat."""
    X = np.repeat(rows_of(0, n=20), 2, axis=0)
    for seed in (2**40, 5):
        first, second = (AffinityPropagation(random_state=seed).fit(X).labels_ for _ in range(2))
        np.testing.assert_array_equal(first, second)
    first, second = (
        AffinityPropagation(random_state=np.random.default_rng(3)).fit(X).labels_ for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"damping": 1.0},
            "damping of AffinityPropagation must be a number of at least 0.5 and below 1, got 1.0",
        ),
        ({"damping": 0.4}, "damping of AffinityPropagation"),
        ({"max_iter": 0}, "max_iter of AffinityPropagation must be"),
        ({"convergence_iter": 0}, "convergence_iter"),
        (
            {"preference": [1.0, 2.0]},
            "must be one finite number, or 30, one for each row, got an array of shape",
        ),
        ({"preference": np.full(30, np.nan)}, "one that is not finite"),
        ({"preference": ["a"] * 30}, "must be one finite number"),
        ({"preference": 1e300}, "at most 1e\\+290"),
        ({"affinity": "cosine"}, "affinity of AffinityPropagation must be"),
        ({"random_state": -1}, "random_state"),
    ],
)
def test_bad_parameters(parameters, message):
    """Law: what a parameter may be is said, with what it was."""
    with pytest.raises(InvalidParameter, match=message):
        AffinityPropagation(**parameters).fit(rows_of(0, n=30))


def test_preferences_fit_the_type_of_the_similarities():
    """Law: a preference that float32 does not hold is refused for rows in float32, and taken otherwise."""
    X = rows_of(0, n=12)
    with pytest.raises(
        InvalidParameter, match=r"at most 9e\+37 in size for similarities in float32, got 1e\+150"
    ):
        AffinityPropagation(preference=1e150).fit(X.astype(np.float32))
    assert len(AffinityPropagation(preference=1e150, random_state=0).fit(X).cluster_centers_indices_) == 12


def test_bad_matrices():
    """Law: a matrix that is not square, not finite or too large to add up is refused in words."""
    model = AffinityPropagation(affinity="precomputed")
    with pytest.raises(InvalidData, match=r"must be a square array, got the shape \(3, 2\)"):
        model.fit(np.ones((3, 2)))
    with pytest.raises(InvalidData, match="NaN"):
        model.fit(np.array([[0.0, np.nan], [1.0, 0.0]]))
    with pytest.raises(InvalidData, match=r"at most 1e\+290 in size.*Divide X by a constant"):
        model.fit(np.array([[0.0, -1e300], [1.0, 0.0]]))
    with pytest.raises(InvalidParameter, match="predict of AffinityPropagation needs a fit to rows"):
        AffinityPropagation(affinity="precomputed", random_state=0).fit(
            -np.arange(9.0).reshape(3, 3)
        ).predict(np.ones((2, 3)))


@pytest.mark.parametrize("rows", [np.ones((1, 3)), np.ones((7, 3)), np.zeros((5, 1))])
def test_equal_rows_are_one_group(rows):
    """Law: rows that nothing tells apart are one group, with a notice, as in scikit-learn."""
    with pytest.warns(UserWarning, match="mutually equal similarities"):
        model = AffinityPropagation().fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = sklearn.cluster.AffinityPropagation().fit(rows)
    np.testing.assert_array_equal(model.labels_, theirs.labels_)
    assert model.n_iter_ == 0


def test_without_exemplars():
    """Law: a fit without exemplars labels all rows -1 and says so; so does predict, after a file too."""
    with pytest.warns(ConvergenceWarning, match="will not have any cluster centers"):
        model = AffinityPropagation(preference=-10, max_iter=1, random_state=0).fit(rows_of(0, n=20))
    assert model.cluster_centers_.shape == (0, 3)
    assert set(model.labels_) == {-1}
    with pytest.warns(ConvergenceWarning, match="does not have any"):
        assert set(model.predict(np.zeros((4, 3)))) == {-1}


def test_files(tmp_path):
    """Law: a saved model is the model, of sparse rows and of a matrix too."""
    X = rows_of(2, n=40)
    for model in (
        AffinityPropagation(random_state=0, damping=0.7).fit(sparse.csr_array(X)),
        AffinityPropagation(random_state=0, affinity="precomputed", preference=np.full(40, -9.0)).fit(
            similarities_of(X, 1)
        ),
    ):
        path = tmp_path / f"{model.affinity}.model"
        coterie.save(model, path)
        other = coterie.load(path)
        np.testing.assert_array_equal(other.labels_, model.labels_)
        np.testing.assert_array_equal(other.affinity_matrix_, model.affinity_matrix_)
        np.testing.assert_array_equal(other.cluster_centers_indices_, model.cluster_centers_indices_)


def test_rows_that_move():
    """Law: a model whose rows stand elsewhere has their labels, exemplars and similarities there."""
    X = rows_of(4, n=50)
    model = AffinityPropagation(random_state=0, damping=0.7).fit(X)
    places = np.random.default_rng(0).permutation(50)
    moved = model.with_rows_at(places)
    elsewhere = np.empty_like(X)
    elsewhere[places] = X
    np.testing.assert_array_equal(elsewhere[moved.cluster_centers_indices_], moved.cluster_centers_)
    np.testing.assert_array_equal(moved.predict(elsewhere), moved.labels_)
    np.testing.assert_array_equal(moved.affinity_matrix_[places][:, places], model.affinity_matrix_)
    assert adjusted_rand_score(moved.labels_[places], model.labels_) == 1.0


def test_progress_hears_every_iteration():
    """Law: a callable gets a report per iteration."""
    heard = []
    model = AffinityPropagation(random_state=0, progress=heard.append).fit(rows_of(0, n=30))
    assert [report.done for report in heard] == list(range(1, model.n_iter_ + 1))
