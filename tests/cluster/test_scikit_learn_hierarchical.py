"""Scikit-learn's tests of agglomerative clustering and its checks of estimators, run on our classes."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster

PRIVATE = "tests private functions of scikit-learn's module, not the estimators"
LEFT_OUT = {
    "test_linkage_misc": PRIVATE,
    "test_structured_linkage_tree": PRIVATE,
    "test_unstructured_linkage_tree": PRIVATE,
    "test_height_linkage_tree": PRIVATE,
    "test_zero_cosine_linkage_tree": PRIVATE,
    "test_sparse_scikit_vs_scipy": PRIVATE,
    "test_vector_scikit_single_vs_scipy_single": PRIVATE,
    "test_mst_linkage_core_memory_mapped": PRIVATE,
    "test_ward_tree_children_order": PRIVATE,
    "test_ward_linkage_tree_return_distance": PRIVATE,
    "test_int_float_dict": PRIVATE,
    "test_n_components": PRIVATE,
    "test_affinity_passed_to_fix_connectivity": PRIVATE,
}


def load_with_our_classes(name):
    path = Path(sklearn.cluster.__file__).parent / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"scikit_learn_{name}", path)
    module = importlib.util.module_from_spec(spec)
    ours = {name: getattr(cluster, name) for name in ("AgglomerativeClustering", "FeatureAgglomeration")}
    with mock.patch.multiple(sklearn.cluster, **ours):
        spec.loader.exec_module(module)
    return module


TREES, FEATURES = (
    load_with_our_classes("test_hierarchical"),
    load_with_our_classes("test_feature_agglomeration"),
)
globals().update(
    {
        name: test
        for module in (TREES, FEATURES)
        for name, test in vars(module).items()
        if name.startswith("test_") and name not in LEFT_OUT
    }
)


@pytest.fixture
def global_random_seed():
    return 42


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the classes under test are ours."""
    assert set(LEFT_OUT) <= set(vars(TREES))
    assert TREES.AgglomerativeClustering is cluster.AgglomerativeClustering
    assert FEATURES.FeatureAgglomeration is cluster.FeatureAgglomeration


@parametrize_with_checks(
    [
        cluster.AgglomerativeClustering(),
        cluster.AgglomerativeClustering(linkage="average", metric="manhattan", compute_distances=True),
        cluster.AgglomerativeClustering(linkage="single", metric="chebyshev"),
        cluster.FeatureAgglomeration(),
    ]
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
