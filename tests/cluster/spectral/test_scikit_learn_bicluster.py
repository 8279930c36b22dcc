"""Scikit-learn's tests of its biclustering, run on our classes and functions."""

import pytest
import sklearn.cluster
import sklearn.cluster._bicluster

from coterie import cluster
from coterie.cluster.spectral import singular
from scikit_learn_suites import borrowed, load_suite, named

PRIVATE = {
    "_scale_normalize": singular.scale_normalize,
    "_bistochastic_normalize": singular.bistochastic_normalize,
    "_log_normalize": singular.log_normalize,
}
THEIRS = load_suite(
    sklearn.cluster,
    "test_bicluster",
    named(cluster, "SpectralBiclustering", "SpectralCoclustering"),
    also=[(sklearn.cluster._bicluster, PRIVATE)],
)
globals().update(borrowed(THEIRS))
pytestmark = pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(params=[42, 7])
def global_random_seed(request):
    return request.param
