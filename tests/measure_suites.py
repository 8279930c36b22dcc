"""scikit-learn's own test modules of clustering measures, loaded a second time so that they call ours.

While a test module is loaded, ours stand in for its functions in the modules that it imports from: also its
parametrizations see ours, and scikit-learn itself stays as it was.
"""

import importlib.util
import sys

import pytest
import sklearn.metrics.cluster as theirs

from coterie import evaluate

SUPERVISED = (
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "fowlkes_mallows_score",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "rand_score",
    "v_measure_score",
)
UNSUPERVISED = (
    "calinski_harabasz_score",
    "davies_bouldin_score",
    "silhouette_score",
)


def load_suite(name, replaced, *, patches=(), stubs=()):
    """Return the test module of that name with ours in place of scikit-learn's; stubs stand for modules."""
    spec = importlib.util.find_spec(f"sklearn.metrics.cluster.tests.{name}")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for function in replaced:
            patch.setattr(theirs, function, getattr(evaluate, function))
        for owner, attribute, value in patches:
            patch.setattr(owner, attribute, value)
        for module_name, stub in stubs:
            patch.setitem(sys.modules, module_name, stub)
        spec.loader.exec_module(module)
    return module


def borrowed_from(module, left_out):
    """Return the tests of a module by name; those left out are skipped with their reason."""
    tests = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    assert set(left_out) <= set(tests), "a test that is left out is no longer there"
    return tests | {name: _skipped(reason) for name, reason in left_out.items()}


def assert_calls_ours(module, replaced):
    """Check that every function that the module calls by a public name is ours, and only there."""
    for name in replaced:
        assert getattr(module, name) is getattr(evaluate, name)
        assert getattr(theirs, name) is not getattr(evaluate, name)


def _skipped(reason):
    @pytest.mark.skip(reason=reason)
    def nothing():
        pass

    return nothing
