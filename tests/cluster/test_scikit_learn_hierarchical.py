"""Scikit-learn's tests of agglomerative clustering and its checks of estimators, run on our classes."""

import importlib.util
from functools import partial
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster

OURS = ("AgglomerativeClustering", "FeatureAgglomeration", "linkage_tree", "ward_tree")
PRIVATE = "tests private functions of scikit-learn's module, not the estimators"
LEFT_OUT = {
    "test_mst_linkage_core_memory_mapped": PRIVATE,
    "test_int_float_dict": PRIVATE,
}
pytestmark = pytest.mark.filterwarnings("ignore:the connectivity matrix of linkage_tree has 2 > 1")


def load_with_our_classes(name):
    path = Path(sklearn.cluster.__file__).parent / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"scikit_learn_{name}", path)
    module = importlib.util.module_from_spec(spec)
    ours = {name: getattr(cluster, name) for name in OURS}
    builders = {
        name: partial(cluster.linkage_tree, linkage=name) for name in ("complete", "average", "single")
    }
    private = {"linkage_tree": cluster.linkage_tree, "_TREE_BUILDERS": {"ward": cluster.ward_tree} | builders}
    with (
        mock.patch.multiple(sklearn.cluster, **ours),
        mock.patch.multiple(sklearn.cluster._agglomerative, **private),
    ):
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


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the classes under test are ours."""
    assert set(LEFT_OUT) <= set(vars(TREES))
    assert TREES.AgglomerativeClustering is cluster.AgglomerativeClustering
    assert TREES.ward_tree is cluster.ward_tree
    assert TREES.linkage_tree is cluster.linkage_tree
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
