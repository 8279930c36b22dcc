"""Scikit-learn's tests of its k-means, run on our classes."""

import sklearn.cluster

from coterie import cluster
from scikit_learn_suites import borrowed, load_suite, named

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
OURS = named(cluster, "KMeans", "MiniBatchKMeans", "k_means", "kmeans_plusplus")
globals().update(borrowed(load_suite(sklearn.cluster, "test_k_means", OURS), left_out=LEFT_OUT))
