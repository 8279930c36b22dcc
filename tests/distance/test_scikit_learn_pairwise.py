"""scikit-learn's own tests of `pairwise_distances`, run on ours."""

import importlib.util
import inspect

import numpy as np
import pytest
import sklearn.metrics.pairwise
from sklearn.utils import _array_api

from coterie.distance import pairwise_distances

pytestmark = pytest.mark.filterwarnings("ignore:Could not adhere to working_memory")  # of scikit-learn's own
SETS = "rows are read as sets without a warning; test_pairwise.py has the distances"
LEFT_OUT = {  # by the name of the test, or its name and the value of its only parameter
    "test_pairwise_boolean_distance[dice]": SETS,
    "test_pairwise_boolean_distance[jaccard]": SETS,
    "test_pairwise_precomputed[pairwise_distances]": "a matrix of distances must be square, and takes no Y",
    "test_pairwise_precomputed_non_negative": "the message has other words; test_input.py tests it",
    "test_pairwise_callable_nonstrict_metric": "the distance of a row to itself is 0 without a call",
}


def load_with_our_function():
    """Return scikit-learn's test module, loaded once more so that it calls ours."""
    spec = importlib.util.find_spec("sklearn.metrics.tests.test_pairwise")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sklearn.metrics.pairwise, "pairwise_distances", pairwise_distances)
        cases = list(_array_api.yield_namespace_device_dtype_combinations())  # pytest wants no generators
        patch.setattr(_array_api, "yield_namespace_device_dtype_combinations", lambda: cases)
        spec.loader.exec_module(module)
    return module


def calls_ours(test):
    """Return whether a test names `pairwise_distances`, itself or in its parameters."""
    text = inspect.getsource(test)
    return "pairwise_distances(" in text or "pairwise_distances," in text or "check_pairwise_" in text


THEIRS = load_with_our_function()
globals().update(
    {name: test for name, test in vars(THEIRS).items() if name.startswith("test_") and calls_ours(test)}
)


@pytest.fixture(autouse=True)
def _leave_out(request):
    name = request.node.name
    if name in LEFT_OUT:
        pytest.skip(LEFT_OUT[name])


@pytest.fixture
def global_dtype():
    return np.float64  # in float32 the suite asserts a defect of scikit-learn's manhattan_distances


def test_the_suite_runs_on_ours():
    """Law: the suite calls our function, scikit-learn keeps its own, and what is left out exists."""
    assert THEIRS.pairwise_distances is pairwise_distances
    assert sklearn.metrics.pairwise.pairwise_distances is not pairwise_distances
    assert {name.partition("[")[0] for name in LEFT_OUT} <= set(globals())
