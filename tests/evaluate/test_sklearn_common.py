"""scikit-learn's own laws over all of its clustering measures, run on ours."""

import itertools
from types import SimpleNamespace

import sklearn.metrics.cluster

from coterie import evaluate
from measure_suites import SUPERVISED, UNSUPERVISED
from scikit_learn_suites import borrowed, load_suite, named

LEFT_OUT = {"test_array_api_compliance": "arrays of other libraries are not computed with"}
ARRAY_API_CHECKS = "sklearn.metrics.tests.test_common", SimpleNamespace(check_array_api_metric=None)
LISTS = {"chain": lambda *parts: [each for part in parts for each in part]}  # no iterators
THEIRS = load_suite(
    sklearn.metrics.cluster,
    "test_common",
    named(evaluate, *SUPERVISED, *UNSUPERVISED),
    also=[(itertools, LISTS)],
    stubs=[ARRAY_API_CHECKS],
)
globals().update(borrowed(THEIRS, left_out=LEFT_OUT))


def test_the_suite_runs_on_ours():
    """Law: every measure of the suite's tables is ours."""
    tables = [*THEIRS.SUPERVISED_METRICS.values(), *THEIRS.UNSUPERVISED_METRICS.values()]
    functions = [getattr(entry, "func", entry) for entry in tables]
    assert all(function.__module__.startswith("coterie.") for function in functions)
