"""scikit-learn's own tests of its measures of data and one labeling, run on ours."""

from measure_suites import UNSUPERVISED, assert_calls_ours, borrowed_from, load_suite

REPLACED = (*UNSUPERVISED, "silhouette_samples")
LEFT_OUT = {"test_silhouette_reduce": "tests a private helper of scikit-learn"}

_MODULE = load_suite("test_unsupervised", REPLACED)
globals().update(borrowed_from(_MODULE, LEFT_OUT))


def test_the_suite_runs_on_ours():
    """Law: every function that the suite calls by a public name is ours."""
    assert_calls_ours(_MODULE, REPLACED)
