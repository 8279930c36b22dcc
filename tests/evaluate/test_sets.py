"""Purity, BCubed, and the scores of single clusters."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.errors import InvalidParameter
from coterie.evaluate import (
    bcubed_f,
    bcubed_precision,
    bcubed_recall,
    cluster_f,
    cluster_f_score,
    cluster_precision,
    cluster_precision_score,
    cluster_recall,
    cluster_recall_score,
    impurity,
    inverse_impurity,
    inverse_purity_score,
    pair_f_score,
    pair_recall_score,
    purity_f_score,
    purity_score,
)
from external_oracles import bcubed_precision as slow_bcubed
from external_oracles import purity, sets_of, two_labelings


def harmonic(first, second, beta=1.0):
    return (1 + beta**2) * first * second / (beta**2 * first + second)


@given(two_labelings(least=1))
def test_purity(labelings):
    """Law: the share of samples of the largest class of their cluster; its inverse exchanges the roles."""
    assert purity_score(*labelings) == pytest.approx(purity(*labelings), abs=1e-15)
    assert inverse_purity_score(*labelings) == pytest.approx(purity(*labelings[::-1]), abs=1e-15)
    assert impurity(*labelings) == pytest.approx(1 - purity(*labelings), abs=1e-15)
    assert inverse_impurity(*labelings) == pytest.approx(1 - purity(*labelings[::-1]), abs=1e-15)


@given(two_labelings(least=1), st.floats(0.1, 10))
def test_f_of_purity_and_of_bcubed(labelings, beta):
    """Law: F is the weighted harmonic mean of the two directions."""
    both = purity_score(*labelings), inverse_purity_score(*labelings)
    assert purity_f_score(*labelings, beta=beta) == pytest.approx(harmonic(*both, beta))
    both = bcubed_precision(*labelings), bcubed_recall(*labelings)
    assert bcubed_f(*labelings, beta=beta) == pytest.approx(harmonic(*both, beta))


@given(two_labelings(least=1))
def test_bcubed(labelings):
    """Law: the mean over samples of what their cluster, or class, shares with them."""
    assert bcubed_precision(*labelings) == pytest.approx(slow_bcubed(*labelings))
    assert bcubed_recall(*labelings) == pytest.approx(slow_bcubed(*labelings[::-1]))


@given(two_labelings(least=1))
def test_scores_of_clusters(labelings):
    """Law: a cluster is compared with the class it shares most with; the larger, then the first."""
    classes, clusters = sets_of(labelings[0]), sets_of(labelings[1])
    precision, recall, f = (score(*labelings) for score in (cluster_precision, cluster_recall, cluster_f))
    assert precision.clusters.tolist() == list(clusters)
    for at, cluster in enumerate(clusters.values()):
        ranked = sorted(classes, key=lambda c: (-len(classes[c] & cluster), -len(classes[c]), c))
        matched = classes[ranked[0]]
        assert precision.classes[at] == recall.classes[at] == f.classes[at] == ranked[0]
        assert precision.values[at] == len(matched & cluster) / len(cluster)
        assert recall.values[at] == len(matched & cluster) / len(matched)
        assert f.values[at] == pytest.approx(2 * len(matched & cluster) / (len(cluster) + len(matched)))
        assert f.sizes[at] == len(cluster)


@given(two_labelings(least=1))
def test_averages_of_clusters(labelings):
    """Law: macro is the plain mean, weighted that by size; precision weighted by size is the purity."""
    recall = cluster_recall(*labelings)
    assert recall.macro == pytest.approx(np.mean(recall.values))
    assert recall.weighted == pytest.approx(np.dot(recall.values, recall.sizes) / recall.sizes.sum())
    assert cluster_recall_score(*labelings) == recall.weighted
    assert cluster_recall_score(*labelings, average="macro") == recall.macro
    assert cluster_precision_score(*labelings) == pytest.approx(purity_score(*labelings))
    macro = purity_score(*labelings, average="macro")
    assert cluster_precision_score(*labelings, average="macro") == pytest.approx(macro)
    assert cluster_f_score(*labelings) == cluster_f(*labelings).macro


def test_forms_of_cluster_scores():
    """Law: scores of clusters print, and convert to a dict and a DataFrame."""
    scores = cluster_f(["x", "x", "y"], ["a", "b", "b"])
    assert scores.to_dict() == pytest.approx({"a": 2 / 3, "b": 1 / 2})
    assert scores.to_frame().loc["a", "class"] == "x"
    assert repr(scores).splitlines()[0].split() == ["cluster", "class", "size", "F"]
    assert repr(scores).splitlines()[-1].split() == ["macro", "3", "0.5833"]


def test_beta_of_cluster_f():
    """Law: beta = 0 leaves precision alone."""
    labelings = [0, 0, 1, 1, 1], [0, 0, 0, 1, 1]
    assert cluster_f(*labelings, beta=0.0).values.tolist() == cluster_precision(*labelings).values.tolist()


@pytest.mark.parametrize("score", [purity_score, inverse_purity_score, impurity, cluster_f_score])
def test_average_is_checked(score):
    """Law: there are two averages."""
    with pytest.raises(
        InvalidParameter, match=r'average of .* must be one of "weighted", "macro", got "micro"|\'micro\''
    ):
        score([0, 1], [0, 1], average="micro")


@pytest.mark.parametrize("score", [purity_f_score, bcubed_f, cluster_f])
def test_beta_is_checked(score):
    """Law: beta is at least 0."""
    with pytest.raises(InvalidParameter, match=f"beta of {score.__name__} must be a number of at least 0"):
        score([0, 1], [0, 1], beta=-0.5)


@pytest.mark.parametrize("beta", [1e308, np.float64(1e200), 10**300])
def test_any_beta_gives_a_score(beta):
    """Law: the larger beta is, the nearer is F to recall."""
    truth, found = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1]
    np.testing.assert_allclose(cluster_f(truth, found, beta=beta).values, cluster_recall(truth, found).values)
    assert bcubed_f(truth, found, beta=beta) == pytest.approx(bcubed_recall(truth, found))
    assert pair_f_score(truth, found, beta=beta) == pytest.approx(pair_recall_score(truth, found))
