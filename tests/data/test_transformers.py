"""Polar coordinates and whitening keep scikit-learn's contract and the mathematics."""

import numpy as np
import pytest
from sklearn.datasets import make_circles
from sklearn.decomposition import PCA
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.data import PolarCoordinates, Whitening
from coterie.errors import InvalidData, InvalidParameter

X = np.random.default_rng(0).normal(size=(60, 4)) @ np.random.default_rng(1).normal(size=(4, 4)) + 3.0


@parametrize_with_checks([PolarCoordinates(), Whitening(), Whitening(method="pca")])
def test_scikit_learn_contract(estimator, check):
    """Law: scikit-learn's own checks pass, none left out."""
    check(estimator)


def test_polar_is_the_formula_of_the_lecture():
    """Law: in the plane, radius is s times the norm and angle is atan2."""
    points = X[:, :2]
    polar = PolarCoordinates(radius_scale=10).fit_transform(points)
    np.testing.assert_allclose(polar[:, 0], 10 * np.hypot(points[:, 0], points[:, 1]))
    np.testing.assert_allclose(polar[:, 1], np.arctan2(points[:, 1], points[:, 0]))


@pytest.mark.parametrize("n_columns", [2, 3, 4])
@pytest.mark.parametrize("origin", [None, "mean", "given"])
def test_polar_goes_there_and_back(n_columns, origin):
    """Law: the inverse gives the rows back, in any dimension, about any origin."""
    points = X[:, :n_columns]
    polar = PolarCoordinates(radius_scale=2.5, origin=np.ones(n_columns) if origin == "given" else origin)
    np.testing.assert_allclose(polar.inverse_transform(polar.fit_transform(points)), points)


def test_polar_pulls_rings_apart():
    """Law: with a scaled radius two rings are split by one threshold on the first coordinate."""
    rings, which = make_circles(400, factor=0.5, noise=0.02, random_state=0)
    radius = PolarCoordinates(radius_scale=10).fit_transform(rings)[:, 0]
    np.testing.assert_array_equal(radius < 7.5, which == 1)


def test_polar_names_and_refusals():
    """Law: columns are named; a wrong origin, factor or width is refused in words."""
    assert list(PolarCoordinates().fit(X[:, :2]).get_feature_names_out()) == ["radius", "angle"]
    assert list(PolarCoordinates().fit(X[:, :3]).get_feature_names_out()) == ["radius", "angle1", "angle2"]
    with pytest.raises(InvalidParameter, match=r"origin of PolarCoordinates must have shape \(4,\)"):
        PolarCoordinates(origin=[1.0]).fit(X)
    with pytest.raises(
        InvalidParameter, match=r"must be None, \"mean\" or an array, got 'men'. Did you mean \"mean\""
    ):
        PolarCoordinates(origin="men").fit(X)
    with pytest.raises(
        InvalidParameter, match="radius_scale of PolarCoordinates must be a number greater than 0"
    ):
        PolarCoordinates(radius_scale=0).fit(X)
    with pytest.raises(InvalidData, match=r"1 feature\(s\)"):
        PolarCoordinates().fit(X[:, :1])
    with pytest.raises(InvalidParameter, match="X has 2 features, but PolarCoordinates is expecting 4"):
        PolarCoordinates().fit(X).inverse_transform(X[:, :2])


@pytest.mark.parametrize("method", ["zca", "pca"])
def test_whitened_covariance_is_the_identity(method):
    """Law: mean 0, covariance 1, and the inverse gives the rows back."""
    whitening = Whitening(method=method)
    white = whitening.fit_transform(X)
    np.testing.assert_allclose(np.cov(white, rowvar=False), np.eye(4), atol=1e-10)
    np.testing.assert_allclose(white.mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(whitening.inverse_transform(white), X)
    assert whitening.rank_ == 4


def test_whitening_by_components_equals_scikit_learn():
    """Law: "pca" equals PCA(whiten=True) up to the sign of each column."""
    ours, theirs = Whitening(method="pca").fit_transform(X), PCA(whiten=True).fit_transform(X)
    np.testing.assert_allclose(np.abs(ours), np.abs(theirs), atol=1e-10)


def test_flat_directions_become_zero():
    """Law: a column that repeats another loses a rank, gives no NaN, and the inverse still works."""
    flat = np.column_stack([X[:, 0], X[:, 0], np.ones(len(X))])
    whitening = Whitening().fit(flat)
    assert whitening.rank_ == 1
    white = whitening.transform(flat)
    assert np.isfinite(white).all()
    np.testing.assert_allclose(whitening.inverse_transform(white), flat)
    with pytest.raises(InvalidParameter, match="X has 2 features, but Whitening is expecting 3"):
        whitening.inverse_transform(flat[:, :2])


def test_answers_that_overflow_are_refused():
    """Law: finite rows have finite coordinates, or are refused with the way out; no warning of NumPy's."""
    rows = np.array([[1.0, 2.0], [3.0, 5.0], [4.0, 1.0]])
    polar = PolarCoordinates(radius_scale=1e308).fit(rows)
    with pytest.raises(InvalidData, match=r"radii of the rows overflow float64. Choose a smaller"):
        polar.transform(rows)
    polar = PolarCoordinates(radius_scale=1e-300).fit(rows)
    with pytest.raises(InvalidData, match=r"radii without their scale overflow float64"):
        polar.inverse_transform(rows * 1e100)
    with pytest.raises(InvalidData, match=r"Input origin contains a value too large for float64"):
        PolarCoordinates(origin=[1e300, 0.0]).fit(rows)
    with pytest.raises(InvalidData, match=r"origin and the rows together overflow float32"):
        PolarCoordinates(origin=[1e100, 0.0]).fit(rows.astype(np.float32))
    whitening = Whitening().fit(rows)
    whitening.whitening_ = whitening.whitening_ * 1e200  # as a file may say
    with pytest.raises(InvalidData, match=r"whitened rows overflow float64. They are much farther away"):
        whitening.transform(rows * 1e150)
    whitening._coloring = whitening._coloring * 1e200
    with pytest.raises(InvalidData, match=r"the rows before whitening overflow float64"):
        whitening.inverse_transform(rows * 1e150)
