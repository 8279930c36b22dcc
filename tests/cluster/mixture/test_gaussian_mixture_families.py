"""Mixtures: families of covariances by the names and with the figures of mclust."""

import numpy as np
import pytest

from coterie.cluster import GaussianMixture
from coterie.cluster.mixture.families import FAMILIES
from mixture_rows import EXACT, IRIS, clouds, matrices

MCLUST = [("VVV", 3, -180.19, -580.84), ("VEV", 2, -215.73, -561.73), ("VVV", 2, -214.35, -574.02)]


@pytest.mark.parametrize(("family", "k", "log_likelihood", "bic"), MCLUST)
def test_iris_gives_the_figures_of_mclust(family, k, log_likelihood, bic):
    """Law: on iris, likelihood and BIC (of the other sign) are those that mclust prints."""
    model = GaussianMixture(k, covariance_type=family, random_state=0, **EXACT).fit(IRIS)
    assert model.score(IRIS) * 150 == pytest.approx(log_likelihood, abs=0.006)
    assert -model.bic(IRIS) == pytest.approx(bic, abs=0.006)
    assert model.icl(IRIS) >= model.bic(IRIS)


MCLUST_OF_TWO = {
    "EII": -1123.4117,
    "VII": -1012.2352,
    "EEI": -1042.9679,
    "VEI": -956.2823,
    "EVI": -1007.3082,
    "VVI": -857.5515,
    "EEE": -688.0972,
    "VEE": -656.3270,
    "EVE": -657.2263,
    "VVE": -605.1841,
    "EEV": -644.5997,
    "VEV": -561.7285,
    "EVV": -658.3306,
    "VVV": -574.0178,
}


@pytest.mark.parametrize("family", MCLUST_OF_TWO)
def test_two_groups_of_iris_have_the_figures_of_mclust(family):
    """Law: every family of mclust reaches its BIC on iris; where its axes stop early, a better one."""
    model = GaussianMixture(2, covariance_type=family, random_state=0, **EXACT).fit(IRIS)
    if family == "VVE":
        assert MCLUST_OF_TWO[family] < -model.bic(IRIS) < MCLUST_OF_TWO[family] + 1
    else:
        assert -model.bic(IRIS) == pytest.approx(MCLUST_OF_TWO[family], abs=0.002)


@pytest.mark.parametrize("family", FAMILIES)
def test_families_have_the_covariances_that_their_letters_promise(family):
    """Law: equal volumes, shapes and axes are equal, and axes of the identity are those of the columns."""
    model = GaussianMixture(3, covariance_type=family, random_state=0, reg_covar=1e-3).fit(clouds(k=3))
    found = matrices(model)
    volume, shape, axes = {"full": "VVV", "tied": "EEE", "diag": "VVI", "spherical": "VII"}.get(
        family, family
    )
    variances = np.linalg.eigvalsh(found)
    volumes = np.exp(np.log(variances).mean(axis=1))
    shapes = np.diagonal(found, axis1=1, axis2=2) if axes == "I" else variances
    if volume == "E":
        np.testing.assert_allclose(volumes, volumes[0])
    if shape in "EI":
        np.testing.assert_allclose(shapes / volumes[:, None], (shapes / volumes[:, None])[[0] * 3], rtol=1e-6)
    if axes == "E":
        np.testing.assert_allclose(found[0] @ found[1], found[1] @ found[0], atol=1e-6)
    if axes == "I":
        np.testing.assert_allclose(found, found * np.eye(3))


@pytest.mark.parametrize("family", FAMILIES)
def test_wider_families_are_likelier(family):
    """Law: from the same assignment, one step of a family is never likelier than one of the widest."""
    X = clouds(k=3)
    start = {"init_params": "kmeans", "random_state": 0, "max_iter": 0, "reg_covar": 0.0}
    narrow = GaussianMixture(1, covariance_type=family, **start).fit(X)
    wide = GaussianMixture(1, covariance_type="VVV", **start).fit(X)
    assert narrow.score(X) <= wide.score(X) + 1e-12
    assert narrow._n_parameters() <= wide._n_parameters()
