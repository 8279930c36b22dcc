"""Scikit-learn's tests of agglomerative clustering and its checks of estimators, run on our classes."""

from functools import partial

import pytest
import sklearn.cluster
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster
from scikit_learn_suites import borrowed, load_suite, named

PRIVATE = "tests private functions of scikit-learn's module, not the estimators"
LEFT_OUT = {
    "test_mst_linkage_core_memory_mapped": PRIVATE,
    "test_int_float_dict": PRIVATE,
}
pytestmark = pytest.mark.filterwarnings("ignore:the connectivity matrix of linkage_tree has 2 > 1")


BUILDERS = {name: partial(cluster.linkage_tree, linkage=name) for name in ("complete", "average", "single")}
TREES = load_suite(
    sklearn.cluster,
    "test_hierarchical",
    named(cluster, "AgglomerativeClustering", "FeatureAgglomeration", "ward_tree"),
    also=[
        (
            sklearn.cluster._agglomerative,
            {"linkage_tree": cluster.linkage_tree, "_TREE_BUILDERS": {"ward": cluster.ward_tree} | BUILDERS},
        )
    ],
)
FEATURES = load_suite(sklearn.cluster, "test_feature_agglomeration", named(cluster, "FeatureAgglomeration"))
globals().update(borrowed(TREES, FEATURES, left_out=LEFT_OUT))


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
