"""Scikit-learn's own checks of estimators, for the density-based methods."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie.cluster import DBSCAN, HDBSCAN, OPTICS

EXPECTED_FAILURES: dict[str, dict[str, str]] = {}


@pytest.mark.filterwarnings("ignore::coterie.errors.DataNotice")
@parametrize_with_checks(
    [DBSCAN(), HDBSCAN(min_samples=1), OPTICS()],
    expected_failed_checks=lambda model: EXPECTED_FAILURES.get(type(model).__name__, {}),
)
def test_checks(estimator, check):
    """Law: what scikit-learn asks of an estimator holds."""
    check(estimator)
