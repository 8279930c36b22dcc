"""Scikit-learn's tests of its density-based methods, run on our classes."""

import pytest
import sklearn.cluster

from coterie import cluster
from coterie.errors import InvalidData
from scikit_learn_suites import borrowed, load_suite, named

OURS = {
    "test_dbscan": ("DBSCAN", "dbscan"),
    "test_hdbscan": ("HDBSCAN",),
    "test_optics": ("DBSCAN", "OPTICS"),
}
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


THEIRS = [load_suite(sklearn.cluster, name, named(cluster, *ours)) for name, ours in OURS.items()]
globals().update(borrowed(*THEIRS, left_out=LEFT_OUT))


@pytest.fixture
def global_dtype():
    import numpy as np

    return np.float64
