"""Scikit-learn's tests of its k-means, run on our classes."""

import importlib.util
from pathlib import Path
from unittest import mock

import sklearn.cluster

from coterie import cluster

PRIVATE = "tests a private function of scikit-learn's module, not the estimators"
LEFT_OUT = {
    "test_euclidean_distance": PRIVATE,
    "test_inertia": PRIVATE,
    "test_is_same_clustering": PRIVATE,
    "test_minibatch_reassign": PRIVATE,
    "test_minibatch_update_consistency": PRIVATE,
    "test_relocate_empty_clusters": PRIVATE,
    "test_sample_weight_init": PRIVATE + "; test_starts.py tests the same of ours",
    "test_sample_weight_zero": PRIVATE + "; test_starts.py tests the same of ours",
}


def load_with_our_classes():
    path = Path(sklearn.cluster.__file__).parent / "tests" / "test_k_means.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_k_means", path)
    module = importlib.util.module_from_spec(spec)
    ours = {
        name: getattr(cluster, name) for name in ("KMeans", "MiniBatchKMeans", "k_means", "kmeans_plusplus")
    }
    with mock.patch.multiple(sklearn.cluster, **ours):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_classes()
globals().update(
    {name: test for name, test in vars(THEIRS).items() if name.startswith("test_") and name not in LEFT_OUT}
)


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the classes under test are ours."""
    assert set(LEFT_OUT) <= set(vars(THEIRS))
    assert THEIRS.KMeans is cluster.KMeans
