"""Scikit-learn's tests of its Birch, and its checks of estimators, run on our class."""

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import Birch, KMeans
from scikit_learn_suites import borrowed, load_suite

pytestmark = pytest.mark.filterwarnings("ignore:Number of subclusters:sklearn.exceptions.ConvergenceWarning")
ORDER = (
    "the check shuffles the rows, and repeats them one by one: subclusters depend on the order of the rows"
)
EXPECTED_FAILURES = {
    "check_sample_weight_equivalence_on_dense_data": ORDER,
    "check_sample_weight_equivalence_on_sparse_data": ORDER,
}


globals().update(borrowed(load_suite(sklearn.cluster, "test_birch", {"Birch": Birch})))


@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param


@parametrize_with_checks(
    [Birch(), Birch(n_clusters=None, threshold=0.1), Birch(n_clusters=KMeans(1))],
    expected_failed_checks=lambda model: EXPECTED_FAILURES,
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
