"""The worked examples of the lectures, to the digit."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from coterie import evaluate

# deck 003: reference blocks and clusters of twelve objects
BLOCKS = [1, 3, 2, 2, 3, 1, 2, 2, 3, 1, 3, 2]
CLUSTERS = [2, 3, 2, 1, 3, 1, 3, 2, 3, 1, 3, 1]

# deck 002: clusters of (5, 1, 0), (1, 4, 1) and (0, 2, 3). Its pairs come out only if the two of the third
# cluster are of the first class (the deck lists counts, not classes).
MIXED = np.array([[5, 1, 0], [1, 4, 1], [2, 0, 3]])
MIXED_CLUSTERS = np.repeat([0, 0, 0, 1, 1, 1, 2, 2, 2], MIXED.ravel())
MIXED_CLASSES = np.repeat([0, 1, 2, 0, 1, 2, 0, 1, 2], MIXED.ravel())


def test_contingency_matrix_of_deck_003():
    """Law: rows are reference blocks, columns clusters, with their sums."""
    table = evaluate.contingency_table(BLOCKS, CLUSTERS)
    assert table.toarray().tolist() == [[2, 1, 0], [2, 2, 1], [0, 0, 4]]
    assert table.class_sizes.tolist() == [3, 5, 4]
    assert table.cluster_sizes.tolist() == [4, 3, 5]
    assert table.n_samples == 12


def test_precision_recall_and_f_of_deck_003():
    """Law: the tie of the first cluster goes to the larger block, the second."""
    precision = evaluate.cluster_precision(BLOCKS, CLUSTERS)
    recall = evaluate.cluster_recall(BLOCKS, CLUSTERS)
    f = evaluate.cluster_f(BLOCKS, CLUSTERS)
    assert precision.classes.tolist() == recall.classes.tolist() == f.classes.tolist() == [2, 2, 3]
    assert precision.values.tolist() == pytest.approx([2 / 4, 2 / 3, 4 / 5], abs=1e-15)
    assert recall.values.tolist() == pytest.approx([2 / 5, 2 / 5, 4 / 4], abs=1e-15)
    assert f.values.tolist() == pytest.approx([4 / 9, 1 / 2, 8 / 9], abs=1e-15)


def test_averages_of_deck_003():
    """Law: precision is averaged by size, F plainly."""
    assert evaluate.cluster_precision_score(BLOCKS, CLUSTERS) == pytest.approx(2 / 3, abs=1e-15)
    assert evaluate.cluster_f_score(BLOCKS, CLUSTERS) == pytest.approx(11 / 18, abs=1e-15)
    assert evaluate.purity_score(BLOCKS, CLUSTERS) == pytest.approx(2 / 3, abs=1e-15)


def test_purities_of_deck_002():
    """Law: 5/6, 4/6 and 3/5; averaged plainly 0.7, weighted by size 12/17."""
    purities = evaluate.cluster_precision(MIXED_CLASSES, MIXED_CLUSTERS).values
    assert purities.tolist() == pytest.approx([5 / 6, 4 / 6, 3 / 5], abs=1e-15)
    assert evaluate.purity_score(MIXED_CLASSES, MIXED_CLUSTERS, average="macro") == pytest.approx(
        0.7, abs=1e-15
    )
    assert evaluate.purity_score(MIXED_CLASSES, MIXED_CLUSTERS) == pytest.approx(12 / 17, abs=1e-15)
    assert evaluate.impurity(MIXED_CLASSES, MIXED_CLUSTERS) == pytest.approx(5 / 17, abs=1e-15)


def test_pairs_of_deck_002():
    """Law: A=20, B=20, C=24, D=72, Rand 92/136, precision 0.5, recall 20/44."""
    counts = evaluate.pair_counts(MIXED_CLASSES, MIXED_CLUSTERS)
    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (20, 20, 24, 72)
    assert evaluate.rand_score(MIXED_CLASSES, MIXED_CLUSTERS) == 92 / 136
    assert evaluate.pair_precision_score(MIXED_CLASSES, MIXED_CLUSTERS) == 0.5
    assert evaluate.pair_recall_score(MIXED_CLASSES, MIXED_CLUSTERS) == 20 / 44
    assert evaluate.pair_jaccard_score(MIXED_CLASSES, MIXED_CLUSTERS) == 20 / 64
    assert evaluate.pair_dice_score(MIXED_CLASSES, MIXED_CLUSTERS) == 40 / 84
    assert evaluate.fowlkes_mallows_score(MIXED_CLASSES, MIXED_CLUSTERS) == pytest.approx(
        (0.5 * 20 / 44) ** 0.5
    )


def test_inverse_purity_is_purity_with_the_roles_exchanged():
    """Law of deck 000: IP(C, L) = P(L, C), and each impurity is what its purity leaves."""
    assert evaluate.inverse_purity_score(BLOCKS, CLUSTERS) == evaluate.purity_score(CLUSTERS, BLOCKS)
    assert evaluate.inverse_impurity(BLOCKS, CLUSTERS) == evaluate.impurity(CLUSTERS, BLOCKS)


def test_normalized_mutual_information_of_deck_004():
    """Law: NMI = 2 I / (H + H), and homogeneity (deck 001) is 1 - H(true | predicted) / H(true)."""
    shared = evaluate.mutual_info_score(BLOCKS, CLUSTERS)
    entropies = evaluate.entropy(BLOCKS), evaluate.entropy(CLUSTERS)
    nmi = evaluate.normalized_mutual_info_score(BLOCKS, CLUSTERS)
    assert nmi == pytest.approx(2 * shared / sum(entropies), abs=1e-15)
    left = evaluate.conditional_entropy(BLOCKS, CLUSTERS)
    assert evaluate.homogeneity_score(BLOCKS, CLUSTERS) == pytest.approx(1 - left / entropies[0], abs=1e-14)


def test_davies_bouldin_of_deck_003():
    """Law: with SSE as dispersion, (2 + 2) / 6 for the good clusters and (18 + 18) / 2 for the bad ones."""
    points = [[2, 1], [2, 3], [8, 1], [8, 3]]
    assert evaluate.dispersions(points, [0, 0, 1, 1], kind="sse").tolist() == [2, 2]
    assert evaluate.davies_bouldin_score(points, [0, 0, 1, 1], dispersion="sse") == pytest.approx(4 / 6)
    assert evaluate.davies_bouldin_score(points, [0, 1, 0, 1], dispersion="sse") == pytest.approx(18)


def test_silhouette_of_pam_on_iris_of_deck_003():
    """Law: with medoids 8, 79, 113 (from 1) sizes are 50, 62, 38; silhouettes 0.798, 0.417, 0.451, 0.5528."""
    X = load_iris().data
    medoids = [7, 78, 112]
    labels = cdist(X, X[medoids]).argmin(axis=1)
    found = evaluate.silhouette(X, labels)
    assert found.sizes.tolist() == [50, 62, 38]
    assert found.cluster_values == pytest.approx([0.798, 0.417, 0.451], abs=5e-4)
    assert found.score == pytest.approx(0.5528, abs=5e-5)


@pytest.mark.parametrize(
    ("medoids", "score"),
    [
        ([7, 126], 0.6858),
        ([7, 78, 112], 0.5528),
        ([7, 99, 120, 126], 0.4897),
        ([7, 63, 69, 105, 112], 0.4867),
        ([7, 58, 69, 105, 112, 138], 0.4704),
    ],
    ids=lambda value: f"k={len(value)}" if isinstance(value, list) else "",
)
def test_silhouettes_over_k_of_deck_003(medoids, score):
    """Law: with the medoids that PAM finds (rows from 0), the mean silhouettes of k = 2..6 are the deck's."""
    X = load_iris().data
    labels = cdist(X, X[medoids]).argmin(axis=1)
    assert evaluate.silhouette_score(X, labels) == pytest.approx(score, abs=5e-5)


def test_silhouette_of_deck_000():
    """Law: the own mean leaves the sample itself out, and a sample alone scores 0."""
    found = evaluate.silhouette([[0.0], [2.0], [6.0]], [0, 0, 1])
    assert found.a.tolist() == [2, 2, 0]
    assert found.b.tolist() == [6, 4, 5]
    assert found.values == pytest.approx([4 / 6, 2 / 4, 0])


def test_silhouette_chooses_three_of_deck_003():
    """Law: of 50 N(0,1), 50 N(5,1) and 30 N(15,1) numbers, the silhouette chooses three clusters."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1, 50), rng.normal(5, 1, 50), rng.normal(15, 1, 30)])[:, None]
    scores = {
        k: evaluate.silhouette_score(X, KMeans(k, n_init=5, random_state=0).fit_predict(X))
        for k in range(2, 7)
    }
    assert max(scores, key=scores.get) == 3
