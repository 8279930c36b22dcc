"""Scikit-learn's own checks of estimators, for the density-based methods."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS

# test_hdbscan_weights.py holds the law up to the numbers of the clusters
NUMBERS = "the check shuffles the rows, and clusters are numbered by the tree that grows from the first row"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "HDBSCAN": {f"check_sample_weight_equivalence_on_{kind}_data": NUMBERS for kind in ("dense", "sparse")}
}


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@parametrize_with_checks(
    [DBSCAN(), HDBSCAN(min_samples=1), OPTICS()],
    expected_failed_checks=lambda model: EXPECTED_FAILURES.get(type(model).__name__, {}),
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
