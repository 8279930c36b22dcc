"""Scikit-learn's tests of affinity propagation and mean shift, and its checks of estimators, on ours."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster

OURS = (
    "AffinityPropagation",
    "MeanShift",
    "affinity_propagation",
    "estimate_bandwidth",
    "get_bin_seeds",
    "mean_shift",
)
pytestmark = [
    pytest.mark.filterwarnings("ignore:All samples have mutually equal similarities"),
    pytest.mark.filterwarnings("ignore:Binning data failed"),
]
LEFT_OUT = {
    "test_equal_similarities_and_preferences": "tests a private function of scikit-learn, not the estimator",
}


def load_with_our_classes(name):
    path = Path(sklearn.cluster.__file__).parent / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"scikit_learn_{name}", path)
    module = importlib.util.module_from_spec(spec)
    with mock.patch.multiple(sklearn.cluster, **{known: getattr(cluster, known) for known in OURS}):
        spec.loader.exec_module(module)
    return module


MESSAGES, SHIFTS = (
    load_with_our_classes("test_affinity_propagation"),
    load_with_our_classes("test_mean_shift"),
)
for module in (MESSAGES, SHIFTS):
    found = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    globals().update({name: test for name, test in found.items() if name not in LEFT_OUT})


@pytest.fixture(params=[0, 42])
def global_random_seed(request):
    return request.param


def test_ours_are_tested():
    """Law: the classes and functions under test are ours, and what is left out exists."""
    assert set(LEFT_OUT) <= set(vars(MESSAGES))
    assert MESSAGES.AffinityPropagation is cluster.AffinityPropagation
    assert MESSAGES.affinity_propagation is cluster.affinity_propagation
    assert SHIFTS.MeanShift is cluster.MeanShift
    assert SHIFTS.get_bin_seeds is cluster.get_bin_seeds


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
