"""scikit-learn's own tests of its measures of two labelings, run on ours."""

from sklearn.metrics.cluster import _supervised

from coterie import evaluate
from measure_suites import SUPERVISED, assert_calls_ours, borrowed_from, load_suite

REPLACED = (
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

_MODULE = load_suite("test_supervised", REPLACED, patches=[(_supervised, ENTROPY, evaluate.entropy)])
globals().update(borrowed_from(_MODULE, LEFT_OUT))


def test_the_suite_runs_on_ours():
    """Law: every function that the suite calls by a public name is ours."""
    assert_calls_ours(_MODULE, REPLACED)
    assert all(function.__module__.startswith("coterie.") for function in _MODULE.score_funcs)
