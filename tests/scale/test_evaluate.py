"""Measures of labels of any number are those of the local functions."""

import dask.array
import numpy as np
import pytest

from coterie import evaluate as local
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale import evaluate, read_blocks


@pytest.fixture(scope="module")
def labels(rows):
    rng = np.random.default_rng(0)
    truth = (rows[:, 0] > 0).astype(int) + 2 * (rows[:, 1] > 0)
    found = np.where(rng.random(len(rows)) < 0.2, rng.integers(5, size=len(rows)), truth) - 1
    return truth, found


def lazy(labels, rows=3001):
    return dask.array.from_array(labels, chunks=rows)


@pytest.mark.parametrize("noise", ["cluster", "exclude"])
def test_external_measures_are_exact(labels, noise):
    """Law: every external measure of lazy labels is that of the labels in memory."""
    truth, found = labels
    expected = local.compare(truth, found, noise=noise)
    compared = evaluate.compare(lazy(truth), lazy(found, 777), noise=noise)
    assert compared.to_dict() == pytest.approx(expected.to_dict(), rel=1e-12)
    assert evaluate.compare(truth.tolist(), found, noise=noise).to_dict() == compared.to_dict()


@pytest.mark.parametrize("noise", ["cluster", "exclude"])
def test_internal_measures_are_exact(rows, labels, noise):
    """Law: sums of squares, Davies-Bouldin, Calinski-Harabasz, simplified silhouette are the local ones."""
    X, (_, found) = rows + 100, labels
    assessed = evaluate.assess(dask.array.from_array(X, chunks=(4001, 3)), lazy(found), noise=noise)
    for name in (
        "sse",
        "bss",
        "calinski_harabasz_score",
        "davies_bouldin_score",
        "simplified_silhouette_score",
    ):
        expected = getattr(local, name)(X, found, noise=noise)
        assert assessed[name] == pytest.approx(expected, rel=1e-9), name
    assert {finding.how for finding in assessed.findings[:5]} == {"exact"}


def test_a_row_alone_in_its_group():
    """Law: its simplified silhouette is 0, as on one machine."""
    X, found = np.array([[0.0], [1.0], [5.0]]), np.array([0, 0, 1])
    assessed = evaluate.assess(X, found)
    expected = local.simplified_silhouette_score(X, found)
    assert assessed["simplified_silhouette_score"] == pytest.approx(expected)


def test_silhouette_is_estimated_with_its_error(rows, labels):
    """Law: the estimate is within four standard errors of the truth, exact when all rows are drawn."""
    truth, _ = labels
    exact = local.silhouette_score(rows, truth)
    estimate = evaluate.assess(rows, lazy(truth), random_state=1)["silhouette_score"]
    assert 900 < estimate.n_drawn < 1100
    assert abs(estimate - exact) < 4 * estimate.standard_error < 0.1
    some, some_labels = rows[:3000], truth[:3000]
    whole = evaluate.assess(some, some_labels, silhouette_rows=3000)["silhouette_score"]
    assert whole == pytest.approx(local.silhouette_score(some, some_labels), rel=1e-9)
    assert whole.standard_error == pytest.approx(0, abs=1e-12)


def test_estimate_depends_on_the_rows_alone(rows, labels):
    """Law: however rows and labels are cut, the same rows are drawn."""
    truth, _ = labels
    values = [
        evaluate.assess(source, lazy(truth, cut))["silhouette_score"]
        for source, cut in ((read_blocks(rows, block_rows=8192), 5000), (lazy(rows, (999, 2)), 123))
    ]
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_what_is_refused(rows, labels):
    """Law: labels of another length, one group, unknown policies are refused."""
    truth, _ = labels
    with pytest.raises(
        InvalidData, match=r"^labels_pred must be one number for each of 20000 rows, got 5\.$"
    ):
        evaluate.compare(truth, np.arange(5))
    with pytest.raises(InvalidData, match=r"^labels must be one number for each of 20000 rows, got 5\.$"):
        evaluate.assess(rows, np.arange(5))
    with pytest.raises(InvalidData, match=r"Number of labels is 1\. Valid values are 2 to n_samples - 1"):
        evaluate.assess(rows, np.zeros(len(rows), dtype=int))
    with pytest.raises(InvalidParameter, match="noise must be one of cluster, exclude"):
        evaluate.compare(truth, truth, noise="singletons")


@pytest.mark.parametrize(
    "wrong", [np.array([0, 1, np.inf]), np.array([0, 1, 2**63 + 5], dtype=np.uint64), np.array([0, 1, 0.5])]
)
def test_what_is_no_whole_number_is_no_label(wrong):
    """Law: labels in blocks are whole numbers that a float holds exactly."""
    with pytest.raises(InvalidData, match=r"labels in blocks must be whole numbers .* at row 2"):
        evaluate.compare(wrong, np.array([0, 1, 1]))
