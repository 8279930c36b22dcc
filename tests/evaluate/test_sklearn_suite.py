"""scikit-learn's own tests of its clustering measures, run on ours.

Its test module is loaded a second time while its functions are replaced by ours in the modules it imports
from, so that also its parametrizations see ours. What it takes from private modules is listed below with the
reason.
"""

import importlib.util

import pytest
import sklearn.metrics.cluster as theirs
from sklearn.metrics.cluster import _supervised

from coterie import evaluate

REPLACED = (
    "adjusted_mutual_info_score",
    "adjusted_rand_score",
    "completeness_score",
    "contingency_matrix",
    "expected_mutual_information",
    "fowlkes_mallows_score",
    "homogeneity_completeness_v_measure",
    "homogeneity_score",
    "mutual_info_score",
    "normalized_mutual_info_score",
    "pair_confusion_matrix",
    "rand_score",
    "v_measure_score",
)
PRIVATE = {
    "test_generalized_average": "tests a private helper of scikit-learn",
    "test_check_clustering_error": "tests a private helper; test_labelings.py has the warning of ours",
    "test_entropy_array_api": "tests how a private helper treats arrays of other libraries",
    "test_public_entropy_deprecation": "tests that scikit-learn deprecates its own function",
}


def _load():
    spec = importlib.util.find_spec("sklearn.metrics.cluster.tests.test_supervised")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        for name in REPLACED:
            patch.setattr(theirs, name, getattr(evaluate, name))
        entropy = "_entropy" if hasattr(_supervised, "_entropy") else "entropy"
        patch.setattr(_supervised, entropy, evaluate.entropy)
        spec.loader.exec_module(module)
    return module


def _skipped(reason):
    @pytest.mark.skip(reason=reason)
    def nothing():
        pass

    return nothing


_MODULE = _load()
for _name, _test in list(vars(_MODULE).items()):
    if _name.startswith("test_"):
        globals()[_name] = _skipped(PRIVATE[_name]) if _name in PRIVATE else _test


def test_the_suite_runs_on_ours():
    """Law: every function that the suite calls by a public name is ours."""
    for name in REPLACED:
        assert getattr(_MODULE, name) is getattr(evaluate, name)
    assert all(function.__module__.startswith("coterie.") for function in _MODULE.score_funcs)
    assert theirs.rand_score is not evaluate.rand_score  # and scikit-learn itself is as it was
