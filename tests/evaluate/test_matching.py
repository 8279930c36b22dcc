"""Matched clusters: accuracy, pair sets, centroid index."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie.errors import InvalidData
from coterie.evaluate import (
    ContingencyTable,
    centroid_index,
    centroid_index_of_centers,
    contingency_table,
    matched_accuracy,
    normalized_clustering_accuracy,
    pair_sets_index,
)
from coterie.evaluate.external import matching
from coterie.evaluate.external import matching as _matching
from external_oracles import best_matching, orphans, overlaps, two_labelings

FEW = two_labelings(least=1, most=30, labels=st.integers(0, 4))


@given(FEW)
def test_matched_accuracy(labelings):
    """Law: the best of all one-to-one matchings, tried one by one."""
    expected = best_matching(overlaps(*labelings)) / len(labelings[0])
    assert matched_accuracy(*labelings) == pytest.approx(expected)


@given(FEW)
def test_normalized_clustering_accuracy(labelings):
    """Law: the best mean recall of the classes, 1/K moved to 0, never below."""
    cells = overlaps(*labelings)
    n_classes = cells.shape[0]
    if n_classes == 1:
        expected = float(cells.shape[1] == 1)
    else:
        best = best_matching(cells / cells.sum(axis=1, keepdims=True))
        expected = max(0.0, (best - 1) / (n_classes - 1))
    assert normalized_clustering_accuracy(*labelings) == pytest.approx(expected)


@given(FEW)
def test_pair_sets_index(labelings):
    """Law: the formula of the paper, padding the shorter list of sizes with zeros."""
    cells = overlaps(*labelings)
    most = max(cells.shape)
    classes, clusters = cells.sum(axis=1), cells.sum(axis=0)
    similarity = best_matching(cells / np.maximum.outer(classes, clusters))
    padded = [sorted([*sizes, *[0] * (most - len(sizes))], reverse=True) for sizes in (classes, clusters)]
    expected = sum(min(pair) for pair in zip(*padded, strict=True)) / cells.sum()
    value = 1.0 if most == 1 else max(0.0, (similarity - expected) / (most - expected))
    assert pair_sets_index(*labelings) == pytest.approx(value)


@given(two_labelings(least=1, most=40, labels=st.integers(0, 12)))
def test_matchings_of_large_tables_are_as_good_as_those_of_small_ones(labelings):
    """Law: large tables are cut in parts and another solver may run; the weight is the same."""
    table = contingency_table(*labelings)
    for weights in (table.counts.astype(float), table.counts / table.class_sizes[table.rows]):
        cells = table.rows, table.columns, weights
        dense = _matching.heaviest_matching(*cells, table.shape)
        assert _matching._by_parts(*cells, table.shape) == pytest.approx(dense, abs=1e-12)
        assert _matching._sparse(*cells, table.shape) == pytest.approx(dense, abs=1e-12)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(_matching, "DENSE_CELLS", 0)
            assert _matching.heaviest_matching(*cells, table.shape) == pytest.approx(dense, abs=1e-12)


def test_many_clusters_are_matched():
    """Law: thirty thousand clusters of each labeling are no matrix of a billion cells."""
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 30_000, 60_000)
    found = np.where(rng.random(60_000) < 0.9, truth, rng.integers(0, 30_000, 60_000))
    assert 0.9 <= matched_accuracy(truth, found) <= 0.93


@given(FEW)
def test_centroid_index_without_ties(labelings):
    """Law: the number of orphans of the worse direction; with ties, at most what the first choice leaves."""
    expected = max(orphans(*labelings), orphans(*labelings[::-1]))
    cells = overlaps(*labelings)
    jaccard = cells / (cells.sum(axis=1, keepdims=True) + cells.sum(axis=0) - cells)
    is_tied = any((line == line.max()).sum() > 1 for line in (*jaccard, *jaccard.T))
    if is_tied:
        assert 0 <= centroid_index(*labelings) <= expected
    else:
        assert centroid_index(*labelings) == expected


def test_centroid_index_counts_wrongly_placed_clusters():
    """Law: one cluster split and two merged is one mistake, whatever the borders."""
    truth = np.repeat([0, 1, 2, 3], 100)
    shifted = np.roll(truth, 5)
    assert centroid_index(truth, shifted) == 0
    wrong = np.concatenate([np.repeat([0, 1], 50), np.repeat(2, 200), np.repeat(3, 100)])
    assert centroid_index(truth, wrong) == 1
    assert centroid_index(truth, np.zeros(400)) == 3


def test_centroid_index_does_not_depend_on_names_when_similarities_are_equal():
    """Law: equally similar clusters are chosen so that fewest are orphans."""
    cells = np.array([[1, 1], [1, 1]])
    assert ContingencyTable.from_matrix(cells).shape == (2, 2)
    assert matching.centroid_index_of(ContingencyTable.from_matrix(cells)) == 0


def test_centroid_index_of_centers():
    """Law: a centre that is nearest to none of the others is an orphan; both directions count."""
    truth = [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]]
    assert centroid_index_of_centers(truth, [[0.0, 11.0], [9.0, 1.0], [1.0, 0.0]]) == 0
    assert centroid_index_of_centers(truth, [[0.0, 0.1], [0.1, 0.0], [5.0, 5.1]]) == 1
    assert centroid_index_of_centers(truth, [[1.0, 1.0]]) == 2
    assert centroid_index_of_centers([[1.0, 1.0]], truth) == 2
    with pytest.raises(InvalidData, match="must have the same features, got 2 and 1"):
        centroid_index_of_centers(truth, [[1.0]])
