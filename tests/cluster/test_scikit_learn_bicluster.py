"""Scikit-learn's tests of its biclustering, run on our classes and functions."""

import importlib.util
from pathlib import Path
from unittest import mock

import pytest
import sklearn.cluster
import sklearn.cluster._bicluster

from coterie.cluster import SpectralBiclustering, SpectralCoclustering
from coterie.cluster.spectral import singular


def load_with_our_classes():
    path = Path(sklearn.cluster.__file__).parent / "tests" / "test_bicluster.py"
    spec = importlib.util.spec_from_file_location("scikit_learn_test_bicluster", path)
    module = importlib.util.module_from_spec(spec)
    with (
        mock.patch.multiple(
            sklearn.cluster,
            SpectralBiclustering=SpectralBiclustering,
            SpectralCoclustering=SpectralCoclustering,
        ),
        mock.patch.multiple(
            sklearn.cluster._bicluster,
            _scale_normalize=singular.scale_normalize,
            _bistochastic_normalize=singular.bistochastic_normalize,
            _log_normalize=singular.log_normalize,
        ),
    ):
        spec.loader.exec_module(module)
    return module


THEIRS = load_with_our_classes()
globals().update({name: test for name, test in vars(THEIRS).items() if name.startswith("test_")})
pytestmark = pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(params=[42, 7])
def global_random_seed(request):
    return request.param


def test_the_classes_under_test_are_ours():
    """Law: scikit-learn's tests see our names."""
    assert THEIRS.SpectralBiclustering is SpectralBiclustering
    assert THEIRS._log_normalize is singular.log_normalize
