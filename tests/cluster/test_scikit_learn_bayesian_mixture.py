"""Scikit-learn's tests of its Bayesian Gaussian mixtures, run on our class."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.mixture

from coterie.cluster import BayesianGaussianMixture

PRIVATE = "tests private functions of scikit-learn's module; test_bayesian_mixture.py tests the same of ours"
LEFT_OUT = dict.fromkeys(
    ("test_log_dirichlet_norm", "test_log_wishart_norm", "test_compare_covar_type"), PRIVATE
)


def load_with_our_class():
    path = Path(sklearn.mixture.__file__).parent / "tests" / "test_bayesian_mixture.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_bayesian_mixture", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.mixture, "BayesianGaussianMixture", BayesianGaussianMixture):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_class()
globals().update(
    {name: test for name, test in vars(THEIRS).items() if name.startswith("test_") and name not in LEFT_OUT}
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the class under test is ours."""
    assert set(LEFT_OUT) <= set(vars(THEIRS))
    assert THEIRS.BayesianGaussianMixture is BayesianGaussianMixture
