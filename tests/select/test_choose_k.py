"""How many clusters: every criterion against slow obvious code or a peer, and the verdict as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import calinski_harabasz_score, davies_bouldin_score, silhouette_score

from coterie.select import Evidence, choose_k, criteria

QUICK = ["elbow", "silhouette", "calinski_harabasz", "davies_bouldin"]


def blobs(k, *, n=40, d=2, seed=0, apart=12.0):
    rng = np.random.default_rng(seed)
    angles = 2 * np.pi * np.arange(k) / k
    centres = np.zeros((k, d))
    centres[:, 0], centres[:, 1] = apart * k / 3 * np.cos(angles), apart * k / 3 * np.sin(angles)
    return np.concatenate([rng.normal(centre, 1.0, (n, d)) for centre in centres])


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return choose_k(blobs(4), k=range(1, 9), random_state=0)


def test_separated_clusters_are_counted(evidence):
    """Law: for clusters far apart nearly every criterion finds their number, and the verdict is sure."""
    assert evidence.k == 4
    assert evidence.verdict.confidence > 0.7
    for name in ("elbow", "kneedle", "silhouette", "sc", "gap", "gap_pca", "prediction_strength", "dunn"):
        assert evidence.curve(name).choice == 4, name


def test_values_are_those_of_peers(evidence):
    """Law: silhouette, Calinski-Harabasz and Davies-Bouldin are scikit-learn's of the same labels."""
    X = blobs(4)
    peers = {
        "silhouette": silhouette_score,
        "calinski_harabasz": calinski_harabasz_score,
        "davies_bouldin": davies_bouldin_score,
    }
    for name, peer in peers.items():
        for k in evidence.ks[1:]:
            assert evidence.curve(name).at(k) == pytest.approx(peer(X, evidence.labelings[k]), rel=1e-9)


def test_gaps_are_those_of_r():
    """Law: R's clusGap of standardised iris, to what Monte Carlo leaves open."""
    X = load_iris().data
    X = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    found = choose_k(X, k=range(1, 5), criteria=["gap_pca"], n_draws=100, random_state=0).curve("gap_pca")
    assert found.values == pytest.approx([0.224, 0.468, 0.487, 0.441], abs=0.012)
    assert found.errors == pytest.approx([0.022, 0.025, 0.021, 0.021], abs=0.007)


def test_one_cluster_is_a_legal_answer():
    """Law: for data without clusters the verdict is one."""
    for X in (
        np.random.default_rng(1).normal(size=(300, 3)),
        np.random.default_rng(2).uniform(size=(300, 2)),
    ):
        found = choose_k(X, k=range(1, 7), random_state=0)
        assert found.k == 1, found


def test_distortion_never_rises(evidence):
    """Law: more clusters never have a larger sum of squares: each k starts also from the one before."""
    assert (np.diff(evidence.curve("elbow").values) <= 0).all()


def test_same_seed_same_evidence():
    """Law: the seed decides every draw."""
    first, second = (choose_k(blobs(3), k=range(1, 5), random_state=7) for _ in range(2))
    for one, other in zip(first.curves, second.curves, strict=True):
        np.testing.assert_array_equal(one.values, other.values)


def test_evidence_tells_itself(evidence):
    """Law: table, frame and dictionary have a row per criterion, and the words name the answer."""
    assert len(str(evidence.table()).splitlines()) == len(evidence.curves) + 1
    frame = evidence.to_frame()
    assert len(frame) == len(evidence.curves) * len(evidence.ks)
    assert evidence.to_dict()["k"] == 4
    assert "4 clusters" in repr(evidence)
    assert "<table>" in evidence._repr_html_()
    assert {curve.name for curve in evidence.curves} < {found.name for found in criteria()}
