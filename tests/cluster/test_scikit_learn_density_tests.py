"""Scikit-learn's tests of its density-based methods, run on our classes."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster

from coterie import cluster
from coterie.errors import InvalidData

OURS = ("DBSCAN", "HDBSCAN", "OPTICS", "dbscan")
PRIVATE = "tests a private function of scikit-learn's module, not the estimators"
LEFT_OUT = {
    "test_labelling_distinct": PRIVATE,
    "test_labelling_thresholding": PRIVATE,
    "test_extend_downward": PRIVATE,
    "test_extend_upward": PRIVATE,
    "test_the_extract_xi_labels": PRIVATE,
    "test_hdbscan_default_copy_warning": "announces that copy will be True, which it always was here",
}

NO_PLACES = "its rows are clouds, not places: latitudes beyond the poles are refused here"
REFUSED = "test_hdbscan_algorithms[haversine-ball_tree]"

pytestmark = [
    pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice"),
    pytest.mark.filterwarnings("ignore:Data was converted to boolean"),
    pytest.mark.filterwarnings("ignore:The minimum spanning tree contains edge weights with value infinity"),
    pytest.mark.filterwarnings("ignore:.*p is found in metric_params:SyntaxWarning"),
]


@pytest.fixture(autouse=True)
def refused(request):
    """Expect that rows which are not places are refused."""
    if request.node.name == REFUSED:
        request.applymarker(pytest.mark.xfail(reason=NO_PLACES, raises=InvalidData, strict=True))


def load_with_our_classes(name):
    path = Path(sklearn.cluster.__file__).parent / "tests" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"scikit_learn_{name}", path)
    module = importlib.util.module_from_spec(spec)
    module.__package__ = "sklearn.cluster.tests"
    ours = {known: getattr(cluster, known) for known in OURS}
    with mock.patch.multiple(sklearn.cluster, **ours):
        spec.loader.exec_module(module)
    return module


THEIRS = [load_with_our_classes(name) for name in ("test_dbscan", "test_hdbscan", "test_optics")]
for module in THEIRS:
    found = {name: test for name, test in vars(module).items() if name.startswith("test_")}
    globals().update({name: test for name, test in found.items() if name not in LEFT_OUT})


@pytest.fixture
def global_dtype():
    import numpy as np

    return np.float64


def test_nothing_is_left_out_by_a_name_that_no_longer_exists():
    """Law: every test left out exists, and the classes under test are ours."""
    assert all(any(name in vars(module) for module in THEIRS) for name in LEFT_OUT)
    assert THEIRS[0].DBSCAN is cluster.DBSCAN
