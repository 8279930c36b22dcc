"""Scikit-learn's tests of affinity propagation and mean shift, and its checks of estimators, on ours."""

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster
from scikit_learn_suites import borrowed, load_suite, named

MESSAGES = named(cluster, "AffinityPropagation", "affinity_propagation")
SHIFTS = named(cluster, "MeanShift", "estimate_bandwidth", "get_bin_seeds", "mean_shift")
pytestmark = [
    pytest.mark.filterwarnings("ignore:All samples have mutually equal similarities"),
    pytest.mark.filterwarnings("ignore:Binning data failed"),
]
LEFT_OUT = {
    "test_equal_similarities_and_preferences": "tests a private function of scikit-learn, not the estimator",
}


THEIRS = [
    load_suite(sklearn.cluster, "test_affinity_propagation", MESSAGES),
    load_suite(sklearn.cluster, "test_mean_shift", SHIFTS),
]
globals().update(borrowed(*THEIRS, left_out=LEFT_OUT))


@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param


@pytest.mark.filterwarnings("ignore:Affinity propagation did not converge")
@pytest.mark.filterwarnings("ignore:This model does not have any cluster centers")
@parametrize_with_checks(
    [
        cluster.AffinityPropagation(max_iter=50, random_state=0),
        cluster.MeanShift(),
        cluster.MeanShift(bandwidth=1.0, bin_seeding=True, cluster_all=False),
    ]
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
