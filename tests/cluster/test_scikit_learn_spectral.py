"""Scikit-learn's tests of its spectral clustering, run on our class and functions."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster

from coterie.cluster import SpectralClustering, spectral_clustering
from coterie.cluster.spectral import spectral as _spectral_labels


class Marks:
    """pytest.mark, with the mark of scikit-learn's own test machinery left out."""

    no_check_spmatrix = staticmethod(lambda test: test)

    def __getattr__(self, name):
        return getattr(MARK, name)


MARK = pytest.mark


def load_with_our_classes():
    path = Path(sklearn.cluster.__file__).parent / "tests" / "test_spectral.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_spectral", path)
    module = importlib.util.module_from_spec(spec)
    theirs = sklearn.cluster._spectral
    with (
        mock.patch.object(pytest, "mark", Marks()),
        mock.patch.multiple(
            sklearn.cluster, SpectralClustering=SpectralClustering, spectral_clustering=spectral_clustering
        ),
        mock.patch.multiple(
            theirs, cluster_qr=_spectral_labels.cluster_qr, discretize=_spectral_labels.discretize
        ),
    ):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_classes()
globals().update({name: test for name, test in vars(THEIRS).items() if name.startswith("test_")})
pytestmark = [
    pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:.*not fully connected"),
    pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning"),
]


def test_the_class_under_test_is_ours():
    """Law: scikit-learn's tests see our names."""
    assert THEIRS.SpectralClustering is SpectralClustering
    assert THEIRS.cluster_qr is _spectral_labels.cluster_qr
