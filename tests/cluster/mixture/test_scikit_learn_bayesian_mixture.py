"""Scikit-learn's tests of its Bayesian Gaussian mixtures, run on our class."""

import pytest
import sklearn.mixture

from coterie.cluster import BayesianGaussianMixture
from scikit_learn_suites import borrowed, load_suite

PRIVATE = "tests private functions of scikit-learn's module; test_bayesian_mixture.py tests the same of ours"
LEFT_OUT = dict.fromkeys(
    ("test_log_dirichlet_norm", "test_log_wishart_norm", "test_compare_covar_type"), PRIVATE
)
OURS = {"BayesianGaussianMixture": BayesianGaussianMixture}
globals().update(borrowed(load_suite(sklearn.mixture, "test_bayesian_mixture", OURS), left_out=LEFT_OUT))
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
