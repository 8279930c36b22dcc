"""Scikit-learn's tests of its Gaussian mixtures, run on our class."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
import sklearn.mixture

from coterie.cluster import GaussianMixture, KMeans

PRIVATE = "tests private functions of scikit-learn's module, not the estimator"
LEFT_OUT = {
    "test_suffstat_sk_full": PRIVATE,
    "test_suffstat_sk_tied": PRIVATE,
    "test_suffstat_sk_diag": PRIVATE,
    "test_gaussian_suffstat_sk_spherical": PRIVATE,
    "test_compute_log_det_cholesky": PRIVATE,
    "test_gaussian_mixture_log_probabilities": PRIVATE + "; test_gaussian_mixture.py compares with SciPy",
    "test_gaussian_mixture_precisions_init": PRIVATE + "; test_gaussian_mixture.py tests the same of ours",
    "test_gaussian_mixture_all_init_does_not_estimate_gaussian_parameters": PRIVATE,
    "test_gaussian_mixture_array_api_compliance": "arrays of other libraries on other devices are not taken",
    "test_gaussian_mixture_raises_where_array_api_not_implemented": "asks that k-means starts be refused",
}


def load_with_our_classes():
    path = Path(sklearn.mixture.__file__).parent / "tests" / "test_gaussian_mixture.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_gaussian_mixture", path)
    module = importlib.util.module_from_spec(spec)
    # one of the tests numbers the components as k-means does
    with (
        mock.patch.object(sklearn.mixture, "GaussianMixture", GaussianMixture),
        mock.patch.object(sklearn.cluster, "KMeans", KMeans),
    ):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_classes()
globals().update(
    {name: test for name, test in vars(THEIRS).items() if name.startswith("test_") and name not in LEFT_OUT}
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the class under test is ours."""
    assert set(LEFT_OUT) <= set(vars(THEIRS))
    assert THEIRS.GaussianMixture is GaussianMixture
