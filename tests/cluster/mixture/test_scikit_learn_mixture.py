"""Scikit-learn's tests of its Gaussian mixtures, run on our class."""

import pytest
import sklearn.cluster
import sklearn.mixture

from coterie.cluster import GaussianMixture, KMeans
from scikit_learn_suites import borrowed, load_suite

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
KMEANS = (sklearn.cluster, {"KMeans": KMeans})  # one of the tests numbers the components as k-means does
THEIRS = load_suite(
    sklearn.mixture, "test_gaussian_mixture", {"GaussianMixture": GaussianMixture}, also=[KMEANS]
)
globals().update(borrowed(THEIRS, left_out=LEFT_OUT))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
