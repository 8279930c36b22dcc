"""Latent classes: the likelihoods of stepmix, ascent, weights as copies, gaps, and files."""

import numpy as np
import pandas
import pytest
from sklearn.utils.estimator_checks import check_estimator

import coterie
from coterie.cluster import GaussianMixture, LatentClasses
from coterie.errors import DataNotice, InvalidData, InvalidParameter
from coterie.evaluate import adjusted_rand_score

N = 500


def classes(seed=0):
    """Draw three classes: five categories and three numbers, without gaps and with."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, N)
    shares = rng.dirichlet(np.ones(4) * 0.5, size=(3, 5))
    codes = np.array([[rng.choice(4, p=shares[c, j]) for j in range(5)] for c in group])
    numbers = rng.normal(size=(N, 3)) + 2 * rng.normal(size=(3, 3))[group]
    codes_with_gaps = codes.astype(float)
    codes_with_gaps[rng.random(codes.shape) < 0.15] = np.nan
    numbers_with_gaps = numbers.copy()
    numbers_with_gaps[rng.random(numbers.shape) < 0.15] = np.nan
    return group, codes.astype(float), numbers, codes_with_gaps, numbers_with_gaps


GROUP, CODES, NUMBERS, CODES_WITH_GAPS, NUMBERS_WITH_GAPS = classes()
CATEGORIES = list(range(5))
# log-likelihood, BIC and number of parameters of stepmix 3.0.0, n_components=3, n_init=5, abs_tol=1e-9:
# "categorical", "categorical_nan", "gaussian_diag", both, both with "_nan"
STEPMIX = {
    "categories": (CODES, CATEGORIES, -2727.4591053972863, 5747.004791420415, 47),
    "categories, gaps": (CODES_WITH_GAPS, CATEGORIES, -2334.4832177512867, 4961.053016128417, 47),
    "numbers": (NUMBERS, None, -2676.342052958078, 5476.9762678846, 20),
    "mixed": (np.c_[CODES, NUMBERS], CATEGORIES, -4960.004120883278, 10323.957768163998, 65),
    "mixed, gaps": (
        np.c_[CODES_WITH_GAPS, NUMBERS_WITH_GAPS],
        CATEGORIES,
        -4275.959515814469,
        8955.868558026381,
        65,
    ),
}


@pytest.mark.parametrize("case", STEPMIX)
def test_the_likelihood_of_stepmix(case):
    """Law: the largest likelihood is stepmix's, with or without gaps; so are BIC and its parameters."""
    X, categorical, log_likelihood, bic, n_parameters = STEPMIX[case]
    model = LatentClasses(3, categorical=categorical, random_state=0, tol=1e-10, max_iter=3000).fit(X)
    assert N * model.score(X) == pytest.approx(log_likelihood, rel=1e-6)
    assert model.bic(X) == pytest.approx(bic, rel=1e-6)
    assert model.aic(X) == pytest.approx(2 * n_parameters - 2 * log_likelihood, rel=1e-6)
    assert model.icl(X) >= model.bic(X)
    assert (np.diff(model.lower_bounds_) > -1e-9).all()


def test_the_likelihood_of_a_published_table():
    """Law: two classes of Stouffer and Toby's 216 respondents fit with Goodman's (1974) G2 = 2.720.

    R's poLCA gives the log-likelihood -504.4677 for them.
    """
    counts = np.array([42, 23, 6, 25, 6, 24, 7, 38, 1, 4, 1, 6, 2, 9, 2, 20])
    answers = np.array([list(f"{pattern:04b}") for pattern in range(16)], dtype=object)
    model = LatentClasses(2, random_state=0, tol=1e-10, max_iter=3000).fit(answers, sample_weight=counts)
    log_likelihoods = model.score_samples(answers)
    assert counts @ log_likelihoods == pytest.approx(-504.4677, abs=1e-4)
    assert 2 * counts @ (np.log(counts / 216) - log_likelihoods) == pytest.approx(2.720, abs=1e-3)


def test_numbers_alone_are_a_mixture_along_the_axes():
    """Law: without categories it is the Gaussian mixture of diagonal covariances."""
    ours = LatentClasses(3, random_state=0).fit(NUMBERS)
    theirs = GaussianMixture(3, covariance_type="diag", n_init=10, tol=1e-8, random_state=0, max_iter=1000)
    assert ours.score(NUMBERS) == pytest.approx(theirs.fit(NUMBERS).score(NUMBERS), rel=1e-5)
    assert ours.bic(NUMBERS) == pytest.approx(theirs.bic(NUMBERS), rel=1e-5)


def test_weights_are_copies():
    """Law: a row of weight 3 is three rows, and one of weight 0 is none."""
    X = np.c_[CODES, NUMBERS][:80]
    weights = np.random.default_rng(1).integers(0, 4, 80)
    weighted = LatentClasses(2, categorical=CATEGORIES, random_state=0, n_init=3).fit(
        X, sample_weight=weights
    )
    copies = LatentClasses(2, categorical=CATEGORIES, random_state=0, n_init=3)
    copies.fit(np.repeat(X, weights, axis=0))
    assert weighted.lower_bound_ == pytest.approx(copies.lower_bound_, rel=1e-9)
    np.testing.assert_array_equal(np.repeat(weighted.labels_, weights), copies.labels_)


def test_frames_shares_and_files(tmp_path):
    """Law: a frame is taken as it is; shares add up to 1; a file gives the same answers."""
    frame = pandas.DataFrame(NUMBERS_WITH_GAPS, columns=list("abc"))
    frame["plan"] = pandas.Series(np.array(list("wxyz"))[CODES[:, 0].astype(int)]).where(CODES[:, 1] > 0)
    model = LatentClasses(3, random_state=0).fit(frame)
    assert adjusted_rand_score(GROUP, model.labels_) > 0.5
    shares = model.predict_proba(frame)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_array_equal(shares.argmax(axis=1), model.labels_)
    np.testing.assert_allclose(model.probabilities_[0].sum(axis=1), 1)
    assert model.categories_ == [("w", "x", "y", "z")]
    coterie.save(model, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict_proba(frame), shares)
    with pytest.warns(DataNotice, match=r'column "plan" \("new"\)'):
        unseen = loaded.predict_proba(frame.head(5).assign(plan="new"))
    np.testing.assert_allclose(unseen, loaded.predict_proba(frame.head(5).assign(plan=None)))


@pytest.mark.parametrize(
    ("X", "params", "error", "message"),
    [
        ([["a", None], [None, None]], {}, InvalidData, "column 1 of X of LatentClasses has no values"),
        ([["a", 1.0], [None, None]], {}, InvalidData, "row 1 of X of LatentClasses has no values"),
        (
            [["a"], ["b"]],
            {"n_components": 5},
            InvalidParameter,
            "n_components of LatentClasses must be at most",
        ),
        ([[1e300], [2.0]], {}, InvalidData, "too large for float64"),
    ],
)
def test_bad_input_is_told(X, params, error, message):
    """Law: what is wrong is said, with column or row."""
    with pytest.raises(error, match=message):
        LatentClasses(**params).fit(X)


@pytest.mark.filterwarnings("ignore")
def test_scikit_learn_checks():
    """Law: it is an estimator of scikit-learn."""
    check_estimator(LatentClasses(n_init=2))


def test_rows_too_far_from_every_class():
    """Law: a row that only one class reaches is in that class; one that no class reaches is named."""
    table = pandas.DataFrame({"a": [0.0, 1.0, 0.5, 9.0, 9.5, 10.0], "c": list("xxxyyy")})
    model = LatentClasses(2, random_state=0).fit(table)
    near, far = table.replace({"a": {0.0: 1e150}}), table.replace({"a": {1.0: 1e200}})
    shares = model.predict_proba(near)
    assert np.isfinite(shares).all()
    with pytest.raises(InvalidData, match="row 1 of X of LatentClasses is too far from every class"):
        model.predict(far)


def test_a_class_without_weight(tmp_path):
    """Law: nothing is in a class of weight 0."""
    model = LatentClasses(2, random_state=0).fit(NUMBERS)
    model.weights_ = np.array([0.0, 1.0])
    assert (model.predict(NUMBERS) == 1).all()
