"""Scikit-learn's own checks of estimators for k-medoids and kernel k-means, all of them."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import KernelKMeans, KMedoids

RANDOM_START = {
    "check_sample_weight_equivalence_on_dense_data": "the check shuffles the rows: the same random number "
    "then draws another start"
}


@pytest.mark.filterwarnings("ignore:.*distinct clusters:sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [
        KMedoids(n_clusters=2),
        KMedoids(n_clusters=2, method="pam", metric="manhattan"),
        KMedoids(n_clusters=2, method="onebatch", random_state=0, sample_size=20),
        KernelKMeans(n_clusters=2),
        KernelKMeans(n_clusters=2, method="nystroem", n_components=20),
    ],
    expected_failed_checks=lambda model: RANDOM_START if isinstance(model, KernelKMeans) else {},
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
