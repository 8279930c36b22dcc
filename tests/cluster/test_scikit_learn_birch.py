"""Scikit-learn's tests of its Birch, and its checks of estimators, run on our class."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster
from coterie.cluster import Birch, KMeans

pytestmark = pytest.mark.filterwarnings("ignore:Number of subclusters:sklearn.exceptions.ConvergenceWarning")
ORDER = (
    "the check shuffles the rows, and repeats them one by one: subclusters depend on the order of the rows"
)
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


def load_with_our_class():
    path = Path(sklearn.cluster.__file__).parent / "tests" / "test_birch.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_birch", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.object(sklearn.cluster, "Birch", cluster.Birch):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_class()
globals().update({name: test for name, test in vars(THEIRS).items() if name.startswith("test_")})


@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param


def test_ours_is_tested():
    """Law: the class under test is ours."""
    assert THEIRS.Birch is cluster.Birch


@parametrize_with_checks(
    [Birch(), Birch(n_clusters=None, threshold=0.1), Birch(n_clusters=KMeans(1))],
    expected_failed_checks=lambda model: EXPECTED_FAILURES,
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
