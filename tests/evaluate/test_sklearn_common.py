"""scikit-learn's own laws over all of its clustering measures, run on ours."""

import itertools
from types import SimpleNamespace

from measure_suites import SUPERVISED, UNSUPERVISED, assert_calls_ours, borrowed_from, load_suite

REPLACED = (*SUPERVISED, *UNSUPERVISED)
LEFT_OUT = {"test_array_api_compliance": "arrays of other libraries are not computed with"}
ARRAY_API_CHECKS = "sklearn.metrics.tests.test_common", SimpleNamespace(check_array_api_metric=None)
LISTS = (
    itertools,
    "chain",
    lambda *parts: [each for part in parts for each in part],
)  # no iterators

_MODULE = load_suite("test_common", REPLACED, patches=[LISTS], stubs=[ARRAY_API_CHECKS])
globals().update(borrowed_from(_MODULE, LEFT_OUT))


def test_the_suite_runs_on_ours():
    """Law: every measure of the suite's tables is ours."""
    assert_calls_ours(_MODULE, REPLACED)
    tables = [*_MODULE.SUPERVISED_METRICS.values(), *_MODULE.UNSUPERVISED_METRICS.values()]
    functions = [getattr(entry, "func", entry) for entry in tables]
    assert all(function.__module__.startswith("coterie.") for function in functions)
