"""Scikit-learn's tests of its spectral clustering, run on our class and functions."""

import pytest
import sklearn.cluster

from coterie import cluster
from coterie.cluster.spectral import spectral
from scikit_learn_suites import borrowed, load_suite, named


class Marks:
    """pytest.mark, with the mark of scikit-learn's own test machinery left out."""

    no_check_spmatrix = staticmethod(lambda test: test)

    def __getattr__(self, name):
        return getattr(MARK, name)


MARK = pytest.mark
THEIRS = load_suite(
    sklearn.cluster,
    "test_spectral",
    named(cluster, "SpectralClustering", "spectral_clustering"),
    also=[
        (sklearn.cluster._spectral, named(spectral, "cluster_qr", "discretize")),
        (pytest, {"mark": Marks()}),
    ],
)
globals().update(borrowed(THEIRS))
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*not fully connected"),
    pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning"),
]
