"""Scikit-learn's own checks of estimators, all of them."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import cluster
from coterie.cluster import (
    BayesianGaussianMixture,
    FuzzyCMeans,
    GaussianMixture,
    KMeans,
    LaplacianEigenmap,
    MiniBatchKMeans,
    SelfOrganizingMap,
    SpectralClustering,
)


class FixedStart:
    """A start that does not look at the rows; its name is the same in every test process."""

    def __call__(self, X, n_clusters, random_state):
        return np.outer(np.linspace(0.3, 0.7, n_clusters), np.ones(X.shape[1]))

    def __repr__(self):
        return "FixedStart()"


RANDOM_START = (
    "the check shuffles the rows: the same random number then draws another row for the start. "
    "Scikit-learn's own classes are listed as failing for the same reason; with a fixed start ours pass"
)
COUNTED_ROWS = (
    "neighbours are counted by rows, whatever these weigh: copies of a row would leave it no others. "
    "With affinities of pairs alone ours pass"
)
CHECKS_OF_COPIES = (
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
)


def expected_failures(model):
    if getattr(model, "affinity", None) in ("nearest_neighbors", "self_tuning"):
        return dict.fromkeys(CHECKS_OF_COPIES, COUNTED_ROWS)
    has_fixed_start = isinstance(getattr(model, "init", None), FixedStart)
    if has_fixed_start or isinstance(model, LaplacianEigenmap | SelfOrganizingMap):
        return {}
    if isinstance(model, SpectralClustering) and model.assign_labels == "cluster_qr":
        return {}
    return dict.fromkeys(CHECKS_OF_COPIES, RANDOM_START)


@pytest.mark.filterwarnings("ignore:.*not fully connected")
@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        KMeans(n_clusters=2, max_iter=5),
        KMeans(n_clusters=2, init=FixedStart(), n_init=1),
        KMeans(n_clusters=3, improve="breathing", history=True),
        MiniBatchKMeans(n_clusters=2, max_iter=5, batch_size=10),
        FuzzyCMeans(n_clusters=2),
        FuzzyCMeans(n_clusters=2, m=1.3, init=FixedStart(), n_init=1),
        BayesianGaussianMixture(n_components=2, max_iter=1000),
        SelfOrganizingMap(2, 3, n_epochs=5),
        SelfOrganizingMap(2, 2, layout="hexagonal", n_clusters=2, n_epochs=5),
        GaussianMixture(n_components=2),
        GaussianMixture(n_components=2, covariance_type="VEV", acceleration="squarem", history=True),
        SpectralClustering(n_clusters=2, n_init=1),
        SpectralClustering(
            n_clusters=2, affinity="nearest_neighbors", n_neighbors=5, assign_labels="cluster_qr"
        ),
        SpectralClustering(n_clusters=2, assign_labels="cluster_qr", eigen_tol=1e-12),
        LaplacianEigenmap(affinity="self_tuning"),
        LaplacianEigenmap(affinity="rbf", eigen_tol=1e-12),
    ],
    expected_failed_checks=expected_failures,
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)


HERE = Path(__file__).parent
CHECKED = [path for path in sorted(HERE.rglob("test_*.py")) if "@parametrize_with_checks" in path.read_text()]


def test_every_estimator_is_checked():
    """Law: each estimator of the package stands in one of the lists of checks."""
    classes = [getattr(cluster, name) for name in cluster.__all__]
    estimators = {
        kind.__name__ for kind in classes if inspect.isclass(kind) and issubclass(kind, BaseEstimator)
    }
    lists = "".join(path.read_text().partition("@parametrize_with_checks")[2] for path in CHECKED)
    lists += "".join(
        text for text in map(Path.read_text, HERE.rglob("test_*.py")) if "check_estimator(" in text
    )
    assert {name for name in estimators if not re.search(rf"\b{name}\(", lists)} == set()


def test_checks_that_need_another_process():
    """Law: the checks of array namespaces, which SciPy decides on at import, hold for every estimator."""
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-k", "array_api", "-p", "no:cacheprovider", *CHECKED],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout
    assert "skipped" not in answer.stdout
