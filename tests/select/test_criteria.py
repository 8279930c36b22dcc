"""Single criteria against slow obvious code, and the rules that read them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist

from coterie.cluster import SpectralClustering
from coterie.evaluate import dunn_score
from coterie.evaluate.belief import fit_pca_box, fit_uniform
from coterie.select import Curve, choose_k
from coterie.select.criteria.distortion import bend, knee
from coterie.select.criteria.gaps import log_dispersion
from coterie.select.criteria.resampling import kept_together, mean_jaccard
from coterie.select.rules import Measured, first_within_one_error
from coterie.select.verdict import judge

RNG = np.random.default_rng(5)
X = np.concatenate([RNG.normal(centre, 1.0, (25, 3)) for centre in ([0, 0, 0], [8, 0, 0], [0, 8, 0])])


def within(labels):
    return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


def test_hartigan_and_krzanowski_lai_are_their_formulas():
    """Law: both come from the sums of squares of neighbouring k; that of one cluster is always known."""
    found = choose_k(X, k=range(2, 7), criteria=["hartigan", "krzanowski_lai"], random_state=0)
    n, d = X.shape
    W = {k: within(labels) for k, labels in found.labelings.items()} | {1: within(np.zeros(n))}
    for k in range(2, 6):
        assert found.curve("hartigan").at(k) == pytest.approx((W[k] / W[k + 1] - 1) * (n - k - 1))
        diff = [(j - 1) ** (2 / d) * W[j - 1] - j ** (2 / d) * W[j] for j in (k, k + 1)]
        assert found.curve("krzanowski_lai").at(k) == pytest.approx(abs(diff[0] / diff[1]))
    assert np.isnan(found.curve("hartigan").at(6))


def test_dunn_is_the_measure():
    """Law: the criterion has the values of `coterie.evaluate.dunn_score`."""
    found = choose_k(X, k=range(2, 5), criteria=["dunn"], random_state=0)
    for k in found.ks:
        assert found.curve("dunn").at(k) == pytest.approx(dunn_score(X, found.labelings[k]))


def test_tree_gap_is_of_neighbouring_heights():
    """Law: (h - l) / h for the merge h above the cut and the merge l below it, as SciPy has them."""
    found = choose_k(X, "agglomerative", k=range(1, 6), criteria=["tree_gap"])
    heights = linkage(X, "ward")[:, 2][::-1]
    for k in range(2, 6):
        above, below = heights[k - 2], heights[k - 1]
        assert found.curve("tree_gap").at(k) == pytest.approx((above - below) / above)


def test_eigengap_is_the_estimators():
    """Law: the gap after the k-th eigenvalue, as SpectralClustering has it, is largest at the groups."""
    found = choose_k(X, SpectralClustering(gamma=0.1), k=range(1, 6), criteria=["eigengap"], random_state=0)
    model = SpectralClustering(5, gamma=0.1, random_state=0).fit(X)
    np.testing.assert_allclose(found.curve("eigengap").values, model.eigengaps_, atol=1e-4)
    assert found.k == 3


def test_log_dispersion_is_that_of_all_pairs():
    """Law: the sum over clusters of the distances of all pairs over twice the size; far from 0 as well."""
    labels = RNG.integers(4, size=len(X))
    expected = sum(pdist(X[labels == c]).sum() / (2 * (labels == c).sum()) for c in range(4))
    assert log_dispersion(X, labels, 4) == pytest.approx(np.log(expected), rel=1e-6)
    assert log_dispersion(X + 1e7, labels, 4) == pytest.approx(np.log(expected), rel=1e-4)


@pytest.mark.parametrize("reference", [fit_uniform, fit_pca_box])
def test_references_fill_the_box_of_the_data(reference):
    """Law: draws have the shape of the data and lie within their box, turned to the principal axes or not."""
    rows = X @ np.array([[1.0, 0.9, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 3.0]])
    drawn = reference(rows)(np.random.default_rng(0))
    axes = np.eye(3) if reference is fit_uniform else np.linalg.svd(rows - rows.mean(axis=0))[2].T
    mean = rows.mean(axis=0)
    inside, outline = (drawn - mean) @ axes, (rows - mean) @ axes
    assert drawn.shape == rows.shape
    assert (inside >= outline.min(axis=0) - 1e-9).all()
    assert (inside <= outline.max(axis=0) + 1e-9).all()


def test_kept_together_counts_pairs():
    """Law: the least share over clusters of pairs that the other labeling keeps together."""
    labels, placed = RNG.integers(3, size=30), RNG.integers(4, size=30)
    shares = []
    for c in range(3):
        pairs = list(combinations(np.flatnonzero(labels == c), 2))
        shares.append(np.mean([placed[i] == placed[j] for i, j in pairs]))
    assert kept_together(labels, placed, 3) == pytest.approx(min(shares))


def test_mean_jaccard_compares_sets():
    """Law: for each cluster the best intersection over union, weighted by size."""
    labels, again = RNG.integers(3, size=30), RNG.integers(4, size=30)
    total = 0.0
    for c in range(3):
        own = set(np.flatnonzero(labels == c))
        others = [set(np.flatnonzero(again == e)) for e in range(4)]
        total += len(own) * max(len(own & other) / len(own | other) for other in others)
    assert mean_jaccard(labels, again) == pytest.approx(total / 30)


def test_bends_and_knees():
    """Law: a curve that falls steeply to 4 and then hardly at all bends there; a straight one nowhere."""
    ks = tuple(range(1, 10))
    broken = np.array([100.0, 70, 40, 10, 8, 6, 4, 2, 0])
    assert bend(ks, Measured(broken)).k == 4
    difference = (1 - broken / 100) - (np.arange(9) / 8)
    assert knee(ks, Measured(difference)).k == 4
    straight = np.linspace(9.0, 1.0, 9)
    assert bend(ks, Measured(straight)).k is None
    assert knee(ks, Measured(np.zeros(9))).k is None
    assert bend((1, 2), Measured(np.array([2.0, 1.0]))).k is None


def test_the_rule_of_the_gap():
    """Law: the first k within one error of the next one, unless a later gap is far above."""
    errors = np.full(5, 0.01)
    rule = first_within_one_error
    assert rule((1, 2, 3, 4, 5), Measured(np.array([0.2, 0.5, 0.505, 0.5, 0.5]), errors)).k == 2
    assert rule((1, 2, 3, 4, 5), Measured(np.array([0.2, 0.19, 0.3, 0.6, 0.5]), errors)).k == 4
    assert rule((1, 2, 3, 4, 5), Measured(np.array([0.1, 0.2, 0.3, 0.4, 0.5]), errors)).k is None


def curve(name, choice, values=(0.0, 0.0, 0.0)):
    return Curve(name, name, (1, 2, 3), np.array(values), None, True, choice, "because")


def test_votes_decide():
    """Law: weights count, echoes do not, those who can say no decide on that, trivial numbers lose."""
    ks = (1, 2, 3)
    found = judge([curve("silhouette", 3), curve("sc", 3), curve("dunn", 2), curve("elbow", 2)], ks, set())
    assert (found.k, found.votes) == (2, {2: 2, 3: 2})
    found = judge([curve("silhouette", 3), curve("gap_pca", 1), curve("stability", 3)], ks, set())
    assert found.k == 1
    found = judge([curve("silhouette", 2), curve("elbow", 3)], ks, {2})
    assert (found.k, found.confidence) == (3, pytest.approx(1 / 3))
    assert found.disagreements == ("silhouette would choose 2: because",)
    assert judge([curve("elbow", None)], ks, set()).k == 1
    assert judge([curve("silhouette", 3), curve("sc", 1)], ks, set()).k == 1


@pytest.mark.parametrize("factor", [1e-140, 1e60, 1e150])
def test_dispersions_of_any_size(factor):
    """Law: rows times a factor have the same dispersion, plus its logarithm, though sums are in float32."""
    rows, labels = np.random.default_rng(0).normal(size=(50, 3)), np.repeat([0, 1], 25)
    expected = log_dispersion(rows, labels, 2) + np.log(factor)
    assert log_dispersion(rows * factor, labels, 2) == pytest.approx(expected, rel=1e-6)


def held_out(rows, ks):
    name = "held_out_distortion"
    return choose_k(rows, k=ks, criteria=[name], random_state=0).curve(name)


def test_distortions_of_any_size():
    """Law: the mean held-out distortion and its error have the unit of the squares, up to 1e300."""
    rows = np.random.default_rng(0).normal(size=(30, 2))
    one, huge = (held_out(rows * factor, [2, 3]) for factor in (1.0, 1e140))
    np.testing.assert_allclose(huge.values / 1e280, one.values, rtol=1e-6)
    np.testing.assert_allclose(huge.errors / 1e280, one.errors, rtol=1e-6)


def test_folds_without_enough_rows():
    """Law: where the rows that are left are fewer than the clusters, there is no value, and no error."""
    assert np.isnan(held_out(np.eye(3), [3]).values).all()
