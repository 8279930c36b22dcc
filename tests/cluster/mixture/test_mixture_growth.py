"""Gaussian mixtures that take in rows batch by batch, against a fit to all rows at once."""

import numpy as np
import pytest

import coterie
from coterie.cluster import GaussianMixture


def batches(n_components, n_columns, *, n=2500):
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(n_components, n_columns)) * 4
    return [
        centres[rng.integers(n_components, size=n)] + 0.1 * step + rng.normal(size=(n, n_columns))
        for step in range(5)
    ]


@pytest.mark.parametrize("family", ["full", "tied", "diag", "spherical", "VEV"])
def test_growing_is_nearly_a_refit(family):
    """Law: the mean log-likelihood of all rows is within 0.01 of a fit to all; `lower_bound_` bounds it."""
    parts = batches(3, 3)
    X = np.concatenate(parts)
    model = GaussianMixture(3, covariance_type=family, random_state=0)
    for part in parts:
        model.partial_fit(part)
        assert (np.diff(model.lower_bounds_) > -1e-9).all()
    refit = GaussianMixture(3, covariance_type=family, random_state=0).fit(X)
    alone = GaussianMixture(3, covariance_type=family, random_state=0).fit(parts[0])
    assert model.score(X) > refit.score(X) - 0.01
    assert model.score(X) > alone.score(X) + 0.02  # what is gained is more than what is missed
    assert model.lower_bound_ <= model.score(X) + 1e-9
    np.testing.assert_array_equal(model.labels_, model.predict(parts[-1]))


def test_one_component_is_exact():
    """Law: with one component every row has share 1, so that batches give what all rows give."""
    parts = batches(3, 4)
    model = GaussianMixture(1)
    for part in parts:
        model.partial_fit(part)
    refit = GaussianMixture(1).fit(np.concatenate(parts))
    np.testing.assert_allclose(model.means_, refit.means_, rtol=1e-9)
    np.testing.assert_allclose(model.covariances_, refit.covariances_, rtol=1e-9)
    np.testing.assert_allclose(model.lower_bound_, refit.score(np.concatenate(parts)), rtol=1e-9)


def test_weights_and_files(tmp_path):
    """Law: a row of weight 2 counts as two rows; a saved model goes on as the one that was not saved."""
    parts = batches(3, 2, n=600)
    weights = np.random.default_rng(0).integers(1, 4, size=600).astype(float)
    model = GaussianMixture(3, random_state=0).fit(parts[0])
    coterie.save(model, tmp_path / "m")
    model.partial_fit(parts[1], sample_weight=weights)
    twice = coterie.load(tmp_path / "m").partial_fit(np.repeat(parts[1], weights.astype(int), axis=0))
    np.testing.assert_allclose(model.means_, twice.means_, rtol=1e-6)
    assert model.weight_seen == twice.weight_seen == 600 + weights.sum()


def test_wrong_rows_are_refused():
    """Law: wrong rows leave the model as it was; one row is enough."""
    X = batches(2, 3, n=200)[0]
    model = GaussianMixture(2, random_state=0).partial_fit(X)
    means = model.means_.copy()
    for wrong, words in [(np.full((2, 3), np.nan), "NaN"), (X[:, :2], "expecting 3"), (X[:0], "0 sample")]:
        with pytest.raises(ValueError, match=words):
            model.partial_fit(wrong)
        np.testing.assert_array_equal(model.means_, means)
    model.partial_fit(X[:1])
    assert model.weight_seen == 201
