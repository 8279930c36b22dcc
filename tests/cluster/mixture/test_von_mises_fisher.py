"""Mixtures on the sphere: constants to all digits, planted parameters, likelihoods that never fall."""

from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.special import ive
from sklearn.utils.estimator_checks import parametrize_with_checks

import coterie
from coterie.cluster import KMeans, VonMisesFisherMixture
from coterie.cluster.mixture.concentration import concentration, excess, log_density_at_peak, mean_length
from coterie.errors import InvalidData, InvalidParameter, ModelFileError
from coterie.evaluate import adjusted_rand_score

# scikit-learn's rows in these checks have rows of zeros, which have no direction
ZERO_ROWS = dict.fromkeys(
    (
        "check_estimator_sparse_matrix",
        "check_estimator_sparse_array",
        "check_estimators_dtypes",
        "check_estimator_sparse_tag",
    ),
    "rows of zeros have no direction",
)
COPIES = dict.fromkeys(
    (
        "check_sample_weight_equivalence_on_dense_data",
        "check_sample_weight_equivalence_on_sparse_data",
    ),
    "copies of rows are drawn by other random numbers than weights",
)


@parametrize_with_checks(
    [VonMisesFisherMixture(2), VonMisesFisherMixture(2, concentration="shared", init_params="k-means++")],
    expected_failed_checks=lambda model: ZERO_ROWS | COPIES,
)
@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
def test_scikit_learns_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


def exact_excess(order, kappa):
    """Return the logarithm of 0F1(order + 1; kappa^2 / 4) minus kappa, by its power series in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        quarter, v = Decimal(kappa) ** 2 / 4, Decimal(order)
        term = total = Decimal(1)
        m = 0
        while term > total * Decimal(10) ** -40:
            m += 1
            term *= quarter / (m * (v + m))
            total += term
        return float(total.ln() - Decimal(kappa))


@pytest.mark.parametrize("n_columns", [1, 2, 3, 10, 99, 100, 102, 103, 384, 784, 1536, 5000])
def test_constants_have_all_digits(n_columns):
    """Law: the constant is that of 60 digits, on every side of the borders between the ways to compute it."""
    order = n_columns / 2 - 1
    edge = 2 * np.sqrt(order + 1)  # where the series ends
    for kappa in (0.0, 1e-8, 0.01, 0.999 * edge, 1.001 * edge, 30.0, 1000.0, 9000.0):
        expected = exact_excess(order, kappa)
        found = float(excess(order, np.array([kappa]))[0])
        assert abs(found - expected) <= 1e-14 * n_columns**0.7 * max(1.0, abs(expected))


@pytest.mark.parametrize("n_columns", [3, 40, 130])
def test_constants_are_those_of_scipy_where_it_has_them(n_columns):
    """Law: C(kappa) = kappa^v / ((2 pi)^(d/2) I_v(kappa))."""
    v = n_columns / 2 - 1
    kappa = np.array([20.0, 100.0, 1e5, 2e8, 9e8])
    expected = v * np.log(kappa) - n_columns / 2 * np.log(2 * np.pi) - np.log(ive(v, kappa))
    np.testing.assert_allclose(log_density_at_peak(n_columns, kappa), expected, rtol=1e-12)
    np.testing.assert_allclose(mean_length(n_columns, kappa), ive(v + 1, kappa) / ive(v, kappa), rtol=1e-11)


@pytest.mark.parametrize("order", [-0.5, 0.0, 0.5, 20.0, 200.0])
def test_constants_do_not_depend_on_their_company(order):
    """Law: a constant has the same bits alone and among others, whichever formulas these take."""
    kappa = np.array([0.0, 1e-3, 1.0, 2.5, 40.0, 1e3, 1e6, 1e8, 1e12])
    together = excess(order, kappa)
    for company in (kappa[::-1], np.repeat(kappa[:3], 2), kappa[5:]):
        alone = np.concatenate([excess(order, company[at : at + 1]) for at in range(len(company))])
        np.testing.assert_array_equal(excess(order, company), alone)
    np.testing.assert_array_equal(together, excess(order, kappa[::-1])[::-1])


def test_constants_beyond_scipys_range():
    """Law: in three columns, where L - kappa is that of sinh(kappa) / kappa, no kappa is too large."""
    kappa = np.array([2e9, 1e12, 1e15])
    np.testing.assert_allclose(excess(0.5, kappa), -np.log(2 * kappa), rtol=1e-14)


@given(st.integers(1, 3000), st.floats(0, 1 - 1e-6))
@settings(max_examples=150, deadline=None)
def test_the_concentration_gives_the_length_back(n_columns, length):
    """Law: the concentration of a mean length has that mean length."""
    found = concentration(n_columns, np.array([length]))
    assert found[0] >= 0
    np.testing.assert_allclose(mean_length(n_columns, found), length, rtol=1e-10, atol=1e-14)


def draw(rng, direction, kappa, n_rows):
    """Rows of one von Mises-Fisher density: rejection of the cosine (Wood 1994), a random rest."""
    d = len(direction)
    b = (d - 1) / (2 * kappa + np.sqrt(4 * kappa**2 + (d - 1) ** 2))
    least = (1 - b) / (1 + b)
    level = kappa * least + (d - 1) * np.log(1 - least**2)
    cosines = np.zeros(0)
    while len(cosines) < n_rows:
        z = rng.beta((d - 1) / 2, (d - 1) / 2, n_rows)
        t = (1 - (1 + b) * z) / (1 - (1 - b) * z)
        is_kept = kappa * t + (d - 1) * np.log(1 - least * t) - level >= np.log(rng.random(n_rows))
        cosines = np.append(cosines, t[is_kept])
    cosines = cosines[:n_rows]
    rest = rng.normal(size=(n_rows, d))
    rest -= np.outer(rest @ direction, direction)
    rest /= np.linalg.norm(rest, axis=1)[:, None]
    return cosines[:, None] * direction + np.sqrt(1 - cosines**2)[:, None] * rest


def planted(n_columns, kappas, sizes, seed=0):
    rng = np.random.default_rng(seed)
    directions = np.linalg.qr(rng.normal(size=(n_columns, len(kappas))))[0].T
    parts = [draw(rng, m, kappa, n) for m, kappa, n in zip(directions, kappas, sizes, strict=True)]
    return np.vstack(parts), np.repeat(np.arange(len(sizes)), sizes), directions


PLANTED = [(3, (30, 60, 200)), (64, (60, 120, 400)), (784, (400, 900, 3000)), (1536, (800, 1500, 5000))]


@pytest.mark.parametrize(("n_columns", "kappas"), PLANTED)
@pytest.mark.parametrize("kind", ["float64", "float32", "sparse"])
def test_planted_parameters_are_recovered(n_columns, kappas, kind):
    """Law: weights, directions and concentrations of drawn rows come back; lengths of rows do not count."""
    sizes = (300, 500, 400)
    X, truth, directions = planted(n_columns, kappas, sizes)
    X = X * np.random.default_rng(1).uniform(0.1, 9, len(X))[:, None]
    data = csr_array(X) if kind == "sparse" else X.astype(kind)
    model = VonMisesFisherMixture(3, random_state=0, n_init=2).fit(data)
    order = (directions @ model.means_.T).argmax(axis=1)
    assert sorted(order) == [0, 1, 2]
    assert adjusted_rand_score(truth, model.labels_) > 0.98
    np.testing.assert_allclose(model.weights_[order], np.array(sizes) / 1200, atol=0.01)
    np.testing.assert_allclose(model.concentrations_[order], kappas, rtol=0.12)
    np.testing.assert_allclose(np.linalg.norm(model.means_, axis=1), 1, rtol=1e-12)
    assert (np.diff(model.lower_bounds_) >= 0).all()
    np.testing.assert_array_equal(model.predict(data), model.labels_)


def slow_em(X, labels, k, n_steps, is_shared):
    """Expectation-maximisation on the circle or sphere, written from the formulas."""
    n, d = X.shape
    v, shares = d / 2 - 1, np.eye(k)[labels]
    bounds = []
    for _ in range(n_steps):
        sizes, sums = shares.sum(axis=0), shares.T @ X
        lengths = np.linalg.norm(sums, axis=1)
        ratio = np.full(k, lengths.sum() / n) if is_shared else lengths / sizes
        kappas = []
        for wanted in ratio:  # bisection
            low, high = 0.0, 1e6
            for _ in range(200):
                middle = (low + high) / 2
                is_below = ive(v + 1, middle) / ive(v, middle) < wanted
                low, high = (middle, high) if is_below else (low, middle)
            kappas.append(low)
        kappas = np.array(kappas)
        logs = v * np.log(kappas) - d / 2 * np.log(2 * np.pi) - np.log(ive(v, kappas)) - kappas
        joint = np.log(sizes / n) + logs + kappas * (X @ (sums / lengths[:, None]).T)
        total = np.logaddexp.reduce(joint, axis=1)
        bounds.append(total.mean())
        shares = np.exp(joint - total[:, None])
    return bounds, kappas, sizes / n


@pytest.mark.parametrize("is_shared", [False, True])
@pytest.mark.parametrize("n_columns", [2, 5, 30])
def test_steps_are_those_of_the_formulas(n_columns, is_shared):
    """Law: from the same start, likelihoods, concentrations and weights are those of slow code."""
    X, _, _ = planted(n_columns, (3.0 * n_columns, 8.0 * n_columns), (60, 90), seed=3)
    model = VonMisesFisherMixture(
        2, concentration="shared" if is_shared else "each", random_state=0, tol=1e-9
    ).fit(X)
    labels = KMeans(2, geometry="cosine", n_init=1, random_state=0).fit(X).labels_
    bounds, kappas, weights = slow_em(X, labels, 2, len(model.lower_bounds_), is_shared)
    np.testing.assert_allclose(model.lower_bounds_, bounds, rtol=1e-9)
    np.testing.assert_allclose(model.concentrations_, kappas, rtol=1e-6)
    np.testing.assert_allclose(model.weights_, weights, rtol=1e-6)
    assert len(set(model.concentrations_)) == (1 if is_shared else 2)


def test_the_density_adds_up_to_one():
    """Law: over the circle and over the sphere, the density of a mixture has the integral 1."""
    X, _, _ = planted(2, (4.0, 9.0), (80, 120))
    circle = VonMisesFisherMixture(2, random_state=0).fit(X)
    angles = np.linspace(0, 2 * np.pi, 20_001)[:-1]
    density = np.exp(circle.score_samples(np.column_stack([np.cos(angles), np.sin(angles)])))
    assert density.mean() * 2 * np.pi == pytest.approx(1, abs=1e-9)
    X, _, _ = planted(3, (2.0, 5.0), (80, 120))
    sphere = VonMisesFisherMixture(2, random_state=0).fit(X)
    rows = np.random.default_rng(0).normal(size=(400_000, 3))
    assert np.exp(sphere.score_samples(rows)).mean() * 4 * np.pi == pytest.approx(1, abs=0.01)


@given(st.integers(0, 10_000), st.sampled_from(["each", "shared"]), st.sampled_from(["dense", "sparse"]))
@settings(max_examples=40, deadline=None)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_likelihood_never_falls(seed, kind, how):
    """Law: whatever the rows, no step lowers the likelihood, and shares add up to one."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(4, 60)), int(rng.integers(1, 40)), int(rng.integers(1, 5))
    X = rng.integers(-2, 3, (n, d)).astype(float) if seed % 2 else rng.normal(size=(n, d))
    X[:, 0] += ~X.any(axis=1)
    weights = rng.integers(0, 3, n) + (np.arange(n) == 0) if seed % 3 == 0 else None
    data = csr_array(X) if how == "sparse" else X
    starts = ["kmeans", "k-means++", "random"][seed % 3]
    model = VonMisesFisherMixture(min(k, n), concentration=kind, init_params=starts, random_state=0)
    model.set_params(tol=0.0, max_iter=30).fit(data, sample_weight=weights)
    assert (np.diff(model.lower_bounds_) >= 0).all()
    assert model.score(data, sample_weight=weights) == pytest.approx(model.lower_bound_, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(model.predict_proba(data).sum(axis=1), 1, rtol=1e-12)
    assert np.isfinite(model.concentrations_).all()


def test_weights_count_as_copies():
    """Law: a row of weight 2 counts as two rows; a row of weight 0 does not count."""
    X, _, _ = planted(6, (20.0, 60.0), (40, 60), seed=5)
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    options = {"random_state": 0, "n_init": 3, "tol": 1e-12, "max_iter": 1000}
    weighed = VonMisesFisherMixture(2, **options).fit(X, sample_weight=weights)
    copied = VonMisesFisherMixture(2, **options).fit(np.repeat(X, weights, axis=0))
    order = np.argsort(weighed.concentrations_), np.argsort(copied.concentrations_)
    np.testing.assert_allclose(weighed.means_[order[0]], copied.means_[order[1]], atol=1e-4)
    assert weighed.lower_bound_ == pytest.approx(copied.lower_bound_, abs=1e-7)
    assert weighed.bic(X, weights) == pytest.approx(copied.bic(np.repeat(X, weights, axis=0)), abs=1e-3)


def test_criteria_find_the_number_of_components():
    """Law: BIC and ICL are least for the planted number; parameters are counted as on the sphere."""
    X, _, _ = planted(20, (60.0, 90.0, 150.0), (200, 200, 200))
    models = {k: VonMisesFisherMixture(k, random_state=0, n_init=3).fit(X) for k in range(1, 6)}
    assert min(models, key=lambda k: models[k].bic(X)) == 3
    assert min(models, key=lambda k: models[k].icl(X)) == 3
    model, log_likelihood = models[3], 600 * models[3].score(X)
    assert model.bic(X) == pytest.approx((3 * 19 + 3 + 2) * np.log(600) - 2 * log_likelihood)
    assert model.aic(X) == pytest.approx(2 * (3 * 19 + 3 + 2) - 2 * log_likelihood)
    shared = VonMisesFisherMixture(3, concentration="shared", random_state=0).fit(X)
    expected = (3 * 19 + 1 + 2) * np.log(600) - 2 * 600 * shared.score(X)
    assert shared.bic(X) == pytest.approx(expected)


def test_sparse_and_dense_rows_agree():
    """Law: sparse rows have the answers of the same rows in full."""
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, (300, 50)) * (1 + 5 * (np.arange(300)[:, None] % 3 == np.arange(50) % 3))
    X[:, 0] += ~X.any(axis=1)
    dense = VonMisesFisherMixture(3, init_params="k-means++", random_state=0).fit(X.astype(float))
    sparse = VonMisesFisherMixture(3, init_params="k-means++", random_state=0).fit(csr_array(X.astype(float)))
    assert adjusted_rand_score(dense.labels_, np.arange(300) % 3) > 0.9
    assert sparse.score_samples(X.astype(float)) == pytest.approx(
        sparse.score_samples(csr_array(X)), rel=1e-9
    )
    np.testing.assert_array_equal(sparse.predict(X.astype(float)), sparse.predict(csr_array(X)))


def test_rows_that_are_all_equal():
    """Law: equal rows have a density of great but finite concentration, about their own direction."""
    X = np.tile([3.0, 4.0, 0.0], (20, 1))
    model = VonMisesFisherMixture(1, random_state=0).fit(X)
    np.testing.assert_allclose(model.means_, [[0.6, 0.8, 0]], atol=1e-12)
    assert model.concentrations_[0] == pytest.approx(1e6, rel=1e-3)
    opposite = VonMisesFisherMixture(1, random_state=0).fit(np.vstack([X, -X]))
    assert opposite.concentrations_[0] == pytest.approx(0, abs=1e-6)


def test_blocks_of_rows_change_nothing(monkeypatch):
    """Law: rows in several pieces have the labels of rows in one."""
    X, _, _ = planted(40, (60.0, 90.0, 150.0), (300, 300, 300))
    whole = VonMisesFisherMixture(3, random_state=0).fit(X)
    monkeypatch.setattr("coterie.cluster.mixture.von_mises_fisher.CELLS_AT_ONCE", 1)
    pieces = VonMisesFisherMixture(3, random_state=0).fit(X)
    np.testing.assert_array_equal(whole.labels_, pieces.labels_)
    np.testing.assert_allclose(whole.predict_proba(X), pieces.predict_proba(X), atol=1e-9)


def test_saving(tmp_path):
    """Law: a saved mixture says what the fitted one says; what is not a mixture is not written."""
    X, _, _ = planted(5, (20.0, 60.0), (40, 60))
    model = VonMisesFisherMixture(2, random_state=0).fit(X)
    coterie.save(model, tmp_path / "model")
    loaded = coterie.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    model.means_ = model.means_ * 0.5
    with pytest.raises(ModelFileError, match="means_ of VonMisesFisherMixture must hold unit vectors"):
        coterie.save(model, tmp_path / "bent")


ZERO = np.vstack([np.eye(3), np.zeros((1, 3))])


@pytest.mark.parametrize(
    ("X", "params", "error", "message"),
    [
        (ZERO, {}, InvalidData, "row 3 of X of VonMisesFisherMixture has length zero"),
        (csr_array(ZERO), {}, InvalidData, "row 3 of X of VonMisesFisherMixture has length zero"),
        (
            np.eye(3),
            {"n_components": 4},
            InvalidParameter,
            "n_components of VonMisesFisherMixture must be at",
        ),
        (np.eye(3), {"concentration": "none"}, InvalidParameter, "concentration of VonMisesFisherMixture"),
        (np.array([[1.0, np.nan], [1.0, 2.0]]), {}, InvalidData, "NaN"),
        (np.array([["a", "b"], ["c", "d"]]), {}, ValueError, "a"),
        (np.zeros((0, 3)), {}, ValueError, "0 sample"),
    ],
)
def test_bad_input_is_told(X, params, error, message):
    """Law: what is wrong is said, with the row."""
    with pytest.raises(error, match=message):
        VonMisesFisherMixture(**params).fit(X)


def test_new_rows_of_zeros_are_refused():
    """Law: `predict` names a row that has no direction."""
    model = VonMisesFisherMixture(2, random_state=0).fit(np.eye(3))
    for data in (ZERO, csr_array(ZERO)):
        with pytest.raises(InvalidData, match="row 3 of X of VonMisesFisherMixture has length zero"):
            model.predict(data)
