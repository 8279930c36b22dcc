"""Entropy, mutual information and its expectation."""

from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.metrics.cluster import expected_mutual_information as sklearn_expected

from coterie import _core
from coterie.errors import InvalidParameter
from coterie.evaluate import (
    ContingencyTable,
    adjusted_mutual_info_score,
    conditional_entropy,
    contingency_table,
    entropy,
    expected_mutual_information,
    homogeneity_completeness_v_measure,
    mutual_info_score,
    normalized_information_distance,
    normalized_mutual_info_score,
    v_measure_score,
    variation_of_information,
)
from external_oracles import conditional_entropy as slow_conditional
from external_oracles import overlaps, two_labelings

METHODS = ["min", "geometric", "arithmetic", "max"]


@given(two_labelings(least=1))
def test_entropies(labelings):
    """Law: H(T|C) is the mean of -log P(class | cluster), and I = H(T) - H(T|C)."""
    left = conditional_entropy(*labelings)
    assert left == pytest.approx(slow_conditional(*labelings), abs=1e-14)
    alone = slow_conditional(labelings[0], [0] * len(labelings[0]))
    assert entropy(labelings[0]) == pytest.approx(alone, abs=1e-14)
    assert mutual_info_score(*labelings) == pytest.approx(alone - left, abs=1e-14)


@given(two_labelings(least=1))
def test_distances(labelings):
    """Law: VI adds both conditional entropies; NID is 1 - I / max H, and 0 without any entropy."""
    both = slow_conditional(*labelings), slow_conditional(*labelings[::-1])
    assert variation_of_information(*labelings) == pytest.approx(sum(both), abs=1e-14)
    most = max(entropy(labelings[0]), entropy(labelings[1]))
    expected = 0.0 if most == 0 else 1 - mutual_info_score(*labelings) / most
    assert normalized_information_distance(*labelings) == pytest.approx(expected, abs=1e-13)


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=30))
def test_distances_are_metrics(samples):
    """Law: VI and NID obey the triangle inequality."""
    a, b, c = zip(*samples, strict=True)
    for distance in (variation_of_information, normalized_information_distance):
        assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-12


@given(two_labelings(least=1), st.sampled_from(METHODS))
def test_normalized_by_every_mean(labelings, method):
    """Law: NMI is that of scikit-learn for every mean."""
    ours = normalized_mutual_info_score(*labelings, average_method=method)
    theirs = metrics.normalized_mutual_info_score(*labelings, average_method=method)
    assert ours == pytest.approx(theirs, abs=1e-10)


@given(two_labelings(least=1), st.sampled_from(METHODS))
def test_adjusted_by_every_mean(labelings, method):
    """Law: AMI is that of scikit-learn for every mean, except where it divides rounding errors."""
    table = contingency_table(*labelings)
    ours = adjusted_mutual_info_score(*labelings, average_method=method)
    if method == "min" and max(table.shape) == table.n_samples > min(table.shape) > 1:
        assert ours == 1.0  # singletons only: chance and maximum are equal, scikit-learn gives about 1
    else:
        theirs = metrics.adjusted_mutual_info_score(*labelings, average_method=method)
        assert ours == pytest.approx(theirs, abs=1e-10)


@given(two_labelings(least=1), st.floats(0.1, 10))
def test_v_measure(labelings, beta):
    """Law: homogeneity, completeness and V are those of scikit-learn for every beta."""
    theirs = metrics.homogeneity_completeness_v_measure(*labelings, beta=beta)
    assert homogeneity_completeness_v_measure(*labelings, beta=beta) == pytest.approx(theirs, abs=1e-10)
    assert v_measure_score(*labelings, beta=beta) == pytest.approx(theirs[2], abs=1e-10)


def slow_expected_information(cells):
    """Sum over hypergeometric numbers with exact binomials."""
    n, total = int(cells.sum()), 0.0
    for a in cells.sum(axis=1).tolist():
        for b in cells.sum(axis=0).tolist():
            for x in range(max(1, a + b - n), min(a, b) + 1):
                chance = comb(a, x) * comb(n - a, b - x) / comb(n, b)
                total += chance * x / n * log(n * x / (a * b))
    return total


@given(two_labelings(least=1))
def test_expected_information_is_exact(labelings):
    """Law: the mean over hypergeometric cells, against exact binomials; only the margins matter."""
    cells = overlaps(*labelings)
    expected = slow_expected_information(cells)
    assert expected_mutual_information(cells) == pytest.approx(expected, abs=1e-14)
    assert expected_mutual_information(csr_array(cells), len(labelings[0])) == pytest.approx(
        expected, abs=1e-14
    )


@pytest.mark.parametrize("sizes", [([900, 80, 20], [500, 300, 200]), ([1] * 500 + [500], [250] * 4)])
def test_expected_information_of_uneven_clusters(sizes):
    """Law: large, small and equal clusters give scikit-learn's expectation."""
    labelings = [np.repeat(np.arange(len(side)), side) for side in sizes]
    cells = contingency_table(*labelings)
    theirs = sklearn_expected(cells.to_sparse(), 1000)
    assert expected_mutual_information(cells) == pytest.approx(theirs, abs=1e-10)


def test_expected_information_of_many_samples():
    """Law: with a million samples the exact binomials still agree, to 12 digits, on one thread or several."""
    sizes = np.array([400_000, 350_000, 250_000]), np.array([600_000, 399_999, 1])
    ones = np.ones(3, dtype=np.int64)
    values = {_core.expected_mutual_information(sizes[0], ones, sizes[1], ones, 10**6, t) for t in (1, 2, 3)}
    assert len(values) == 1
    # for large clusters (K - 1)(K' - 1) / 2n, and the singleton adds what it costs exactly
    from scipy.stats import hypergeom

    exact = 0.0
    for a in sizes[0].tolist():
        for b in sizes[1].tolist():
            law = hypergeom(10**6, a, b)
            centre, width = law.mean(), 12 * law.std() + 2
            x = np.arange(max(1, int(centre - width)), min(a, b, int(centre + width)) + 1)
            exact += np.dot(law.pmf(x), x / 1e6 * np.log(1e6 * x / (a * b)))
    assert values.pop() == pytest.approx(exact, rel=1e-7)  # SciPy's probabilities are good to about 1e-9


def test_large_random_labelings_have_no_adjusted_information():
    """Law: chance gives 0."""
    rng = np.random.default_rng(6)
    scores = [adjusted_mutual_info_score(*rng.integers(0, 30, (2, 2_000))) for _ in range(20)]
    assert abs(np.mean(scores)) < 0.005


def test_given_tables():
    """Law: a table is as good as labels; weights are taken as probabilities, but chance needs counts."""
    table = contingency_table([0, 0, 1, 1], [0, 1, 1, 1])
    value = mutual_info_score([0, 0, 1, 1], [0, 1, 1, 1])
    for form in (table, table.toarray(), table.to_sparse(), table.toarray() * 0.25):
        assert mutual_info_score(None, None, contingency=form) == pytest.approx(value, abs=1e-15)
    with pytest.raises(InvalidParameter, match="Chance is computed from numbers of samples"):
        expected_mutual_information([[0.5, 0.5], [1.0, 2.0]])
    with pytest.raises(InvalidParameter, match="must be 4, the sum of the counts, got 5"):
        expected_mutual_information(table, 5)
    with pytest.raises(InvalidParameter, match="needs labels_true and labels_pred, or contingency"):
        mutual_info_score(None, [0, 1])


def test_weightless_labels_have_no_part():
    """Law: samples of weight 0 change nothing."""
    weighted = contingency_table([0, 0, 1, 1, 2], [0, 1, 1, 1, 0], sample_weight=[1, 1, 1, 1, 0])
    plain = ContingencyTable.from_matrix([[1, 1], [0, 2]])
    assert mutual_info_score(None, None, contingency=weighted) == pytest.approx(
        mutual_info_score(None, None, contingency=plain)
    )


def test_entropy_of_noise():
    """Law: noise is a cluster, left out, or singletons."""
    labels = [0, 0, -1, -1]
    assert entropy(labels) == pytest.approx(log(2))
    assert entropy(labels, noise="exclude") == 0.0
    assert entropy(labels, noise="singletons") == pytest.approx(1.5 * log(2))
    assert entropy([]) == 1.0


def test_parameters_are_checked():
    """Law: means and betas that do not exist are refused."""
    for score in (normalized_mutual_info_score, adjusted_mutual_info_score):
        with pytest.raises(InvalidParameter, match=f"average_method of {score.__name__} must be one of"):
            score([0, 1], [0, 1], average_method="harmonic")
    with pytest.raises(InvalidParameter, match="beta of homogeneity_completeness_v_measure must be"):
        v_measure_score([0, 1], [0, 1], beta=-1)


def test_v_measure_of_nothing_shared():
    """Law: the harmonic mean with 0 is 0, whatever the weight of either."""
    for beta in (0.0, 1.0, 5.0):
        assert v_measure_score([0, 0, 0], [0, 1, 2], beta=beta) == 0.0
        assert v_measure_score([0, 1, 2], [0, 0, 0], beta=beta) == 0.0
