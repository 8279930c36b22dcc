"""scikit-learn's own tests of its measures of two labelings, run on ours."""

import sklearn.metrics.cluster
from sklearn.metrics.cluster import _supervised

from coterie import evaluate
from measure_suites import SUPERVISED
from scikit_learn_suites import borrowed, load_suite, named

OURS = named(
    evaluate,
    *SUPERVISED,
    "contingency_matrix",
    "expected_mutual_information",
    "homogeneity_completeness_v_measure",
    "pair_confusion_matrix",
)
LEFT_OUT = {
    "test_generalized_average": "tests a private helper of scikit-learn",
    "test_check_clustering_error": "tests a private helper; test_labelings.py has the warning of ours",
    "test_entropy_array_api": "tests how a private helper treats arrays of other libraries",
    "test_public_entropy_deprecation": "tests that scikit-learn deprecates its own function",
}
ENTROPY = "_entropy" if hasattr(_supervised, "_entropy") else "entropy"

ALSO = [(_supervised, {ENTROPY: evaluate.entropy})]
THEIRS = load_suite(sklearn.metrics.cluster, "test_supervised", OURS, also=ALSO)
globals().update(borrowed(THEIRS, left_out=LEFT_OUT))


def test_the_suite_runs_on_ours():
    """Law: every function in the list of the suite is ours."""
    assert all(function.__module__.startswith("coterie.") for function in THEIRS.score_funcs)
