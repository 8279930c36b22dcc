"""Decisions about matrices do not rest on the last bits of LAPACK."""

import numpy as np
import pytest

from coterie._support.linear_algebra import (
    factor_correlations,
    is_positive_definite,
    lanczos,
    leading_axes,
    principal_components,
    settle_signs,
)
from coterie.cluster import DBSCAN, GaussianMixture
from coterie.distance import find_distance, pairwise_distances
from coterie.distance.learning import with_covariance
from coterie.errors import InvalidParameter
from coterie.show.plots.drawing.ellipses import spanning_ellipse

RANDOM = np.random.default_rng(0)
ROWS = RANDOM.normal(size=(40, 3))


def test_signs_do_not_depend_on_rounding():
    """Law: an axis and its opposite, whatever rounding did to equal entries, settle to one."""
    axes = np.linalg.qr(RANDOM.normal(size=(5, 5)))[0]
    axes[:2, 0] = 0.6, -0.6
    for noise in (0.0, 1e-15, -1e-15):
        moved = axes + noise * RANDOM.choice([-1, 1], size=axes.shape)
        np.testing.assert_allclose(settle_signs(moved), settle_signs(axes), atol=1e-14)
        np.testing.assert_allclose(settle_signs(-moved), settle_signs(axes), atol=1e-14)
    assert settle_signs(np.zeros((3, 2))).tolist() == np.zeros((3, 2)).tolist()


@pytest.mark.parametrize("shape", [(40, 5), (5, 40), (6, 6)])
def test_principal_components_are_those_of_the_decomposition(shape):
    """Law: axes, scores and shares are those of the singular values, of tall rows and of wide ones."""
    rows = RANDOM.normal(size=shape) * np.geomspace(1, 3, shape[1])
    rows -= rows.mean(axis=0)
    _, lengths, axes = np.linalg.svd(rows, full_matrices=False)
    found = principal_components(rows)
    np.testing.assert_allclose(found.squares[::-1][:4], lengths[:4] ** 2)
    expected = settle_signs(axes[:2].T)
    turned = np.sign((found.plane()[0] * expected).sum(axis=0))
    np.testing.assert_allclose(found.plane()[0], expected * turned, atol=1e-12)
    np.testing.assert_allclose(found.plane()[1], rows @ expected * turned, atol=1e-12)
    np.testing.assert_allclose(found.plane()[2], lengths[:2] ** 2 / (lengths**2).sum())
    np.testing.assert_allclose(found.scores() @ found.axes().T, rows, atol=1e-12)


def test_components_that_rows_do_not_have_are_zero():
    """Law: two rows lie on a line, and equal rows have no variance to share."""
    wide = np.array([[-1.0, 0, 2], [1.0, 0, -2]])
    assert principal_components(wide).plane()[2].round(12).tolist() == [1.0, 0.0]
    assert principal_components(wide).plane()[1][:, 1].tolist() == [0.0, 0.0]
    assert principal_components(np.zeros((2, 3))).plane()[2].tolist() == [0.0, 0.0]


@pytest.mark.parametrize("noise", [0.0, 1e-16, 1e-15])
def test_dependent_columns_are_found_whatever_rounding_did(noise):
    """Law: a column that is a combination of others is named, on whichever side of 0 its pivot ends."""
    correlations = np.corrcoef(np.column_stack([ROWS, ROWS @ [1.0, -2.0, 0.5]]).T)
    for _ in range(20):
        moved = correlations + noise * RANDOM.choice([-1, 0, 1], size=correlations.shape)
        moved = np.tril(moved) + np.tril(moved, -1).T
        assert factor_correlations(moved)[1] == 3
        assert not is_positive_definite(moved)
    factor, column = factor_correlations(correlations[:3, :3])
    assert column is None
    np.testing.assert_allclose(factor @ factor.T, correlations[:3, :3], atol=1e-12)


@pytest.mark.parametrize("values", [[1.0, 0.0], [1.0, -1.0], [np.inf, 1.0]])
def test_what_has_no_inverse(values):
    """Law: a variance that is 0, negative or infinite is not a variance."""
    assert not is_positive_definite(np.diag(values))


def test_a_covariance_without_inverse_is_refused_in_words():
    """Law: V of Mahalanobis is inverted by us, and refused by us where it cannot be."""
    flat = np.cov(np.column_stack([ROWS, ROWS[:, 0]]).T)
    for V in (flat, np.ones((2, 3)), np.array([[1.0, 2.0], [0.0, 1.0]])):
        with pytest.raises(
            InvalidParameter, match="V of mahalanobis must be a covariance that has an inverse"
        ):
            DBSCAN(metric="mahalanobis", metric_params={"V": V}).fit(np.column_stack([ROWS, ROWS[:, 0]]))


def test_precisions_without_inverse_are_refused_whatever_rounding_did():
    """Law: precisions that are singular but for rounding are not precisions."""
    precisions = ROWS[:, :2].T @ ROWS[:, :2]
    singular = np.block([[precisions, precisions[:, :1]], [precisions[:1], precisions[:1, :1]]])
    for noise in (-1e-15, 0.0, 1e-15):
        given = np.broadcast_to(singular * (1 + noise * np.eye(3)), (2, 3, 3))
        model = GaussianMixture(2, precisions_init=given, random_state=0)
        with pytest.raises(InvalidParameter, match="should be symmetric, positive-definite"):
            model.fit(ROWS)


def test_a_direction_without_weight_stays_without():
    """Law: a VI of lower rank leaves a direction out, and the way back does not blow up its rounding."""
    root = np.array([[1.0, 2.0], [0.5, -1.0], [3.0, 0.1]])
    VI = root @ root.T  # its third eigenvalue is 0 but for rounding
    transform = with_covariance(find_distance("mahalanobis", VI=VI), ROWS, None).transform
    back = transform.backward(transform.forward(ROWS))
    assert np.abs(back).max() < 100
    np.testing.assert_allclose(transform.forward(back), transform.forward(ROWS), atol=1e-9)
    expected = np.linalg.norm((ROWS[:, None] - ROWS[None]) @ root, axis=2)
    np.testing.assert_allclose(pairwise_distances(ROWS, metric="mahalanobis", VI=VI), expected, atol=1e-9)


@pytest.mark.parametrize("thickness", 10.0 ** -np.arange(3, 16))
@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_an_ellipse_about_a_thin_cloud(thickness, offset):
    """Law: points that are nearly, or all, on a line far from 0 have an ellipse of finite size."""
    along = np.linspace(-1, 1, 30)
    points = np.column_stack([along + offset, 0.5 * along + thickness * np.cos(40 * along)])
    shape = spanning_ellipse(points)
    assert np.isfinite([*shape.center, shape.width, shape.height, shape.angle]).all()
    assert np.sqrt(5) - 1e-3 < shape.width < np.sqrt(10)  # the line itself; about a box
    assert -90 <= shape.angle <= 90


def test_arpack_gives_the_same_pairs_each_time():
    """Law: a start that is an eigenvector, so that ARPACK has to draw another one, has one answer."""
    matrix, start = np.diag(np.repeat([1.0, 2.0, 5.0], 20)), np.eye(60)[0]
    values, vectors = lanczos(matrix, 0, k=10, v0=start)
    np.testing.assert_allclose(values, 5.0)
    for _ in range(3):
        again = lanczos(matrix, 0, k=10, v0=start)
        np.testing.assert_array_equal(again[1], vectors)


@pytest.mark.parametrize("shape", [(40, 3), (5, 60), (200, 90), (1, 1), (3, 200)], ids=str)
def test_leading_axes_are_those_of_lapack(shape):
    """Law: the axis of the largest eigenvalue is LAPACK's up to its sign, whatever the rank."""
    rng = np.random.default_rng(sum(shape))
    rows = [rng.normal(size=shape) * rng.uniform(0.5, 3, shape[1]) for _ in range(4)]
    matrices = np.stack([some.T @ some for some in rows])
    found = leading_axes(matrices)
    for matrix, axis in zip(matrices, found, strict=True):
        values, vectors = np.linalg.eigh(matrix)
        np.testing.assert_allclose(np.linalg.norm(axis), 1.0)
        np.testing.assert_allclose(axis @ matrix @ axis, values[-1], rtol=1e-12)
        assert abs(abs(axis @ vectors[:, -1]) - 1) < 1e-9


@pytest.mark.parametrize(
    "matrix",
    [
        np.eye(30),  # every axis leads
        np.diag(np.r_[np.ones(2) * 5, np.arange(98) / 98]),  # two lead
        np.diag(1 + 1e-9 * np.arange(150.0)),  # too close for Lanczos' iteration
    ],
    ids=["identity", "two", "close"],
)
def test_an_axis_of_several_that_lead_is_still_one(matrix):
    """Law: where several axes lead, a unit vector of their space is found, beside others in one call too."""
    alone, beside = leading_axes(matrix[None])[0], leading_axes(np.stack([matrix, matrix]))[1]
    np.testing.assert_allclose(np.linalg.norm(alone), 1.0)
    np.testing.assert_allclose(alone @ matrix @ alone, np.linalg.eigvalsh(matrix)[-1], atol=1e-9)
    np.testing.assert_allclose(alone, beside, atol=1e-7)
