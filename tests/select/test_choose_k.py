"""How many clusters: every criterion against slow obvious code or a peer, and the verdict as a whole."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import (
    adjusted_rand_score,
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

from coterie._support.notes import worded
from coterie.cluster import GaussianMixture, KMedoids, find_method, methods
from coterie.distance import pairwise_distances
from coterie.errors import InvalidParameter
from coterie.select import Evidence, choose_k, criteria
from coterie.select.partitioners import find_partitioner

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


# numbers are names to k-modes: no two rows share one
METHODS = [method.name for method in methods() if method.needs_k and method.name != "kmodes"]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_that_takes_a_number(method):
    """Law: each method of the catalogue that takes k has evidence, and finds clusters that are far apart."""
    chosen = QUICK if method == "consensus" else None  # one fit of it is fifty fits
    found = choose_k(blobs(3, n=16), method, k=range(1, 5), criteria=chosen, n_draws=3, random_state=0)
    assert found.method == method
    assert found.k == 3
    for k, labels in found.labelings.items():
        if labels is None:  # a class that no row is in
            assert k > 3
            assert method in ("latent-classes", "bayesian-mixture")
        else:
            assert set(labels) == set(range(k))


@pytest.mark.parametrize(
    "method", ["agglomerative", "genie", "diana", "bisecting-kmeans", "hierarchical-kmeans"]
)
def test_trees_are_cut_as_the_estimator_would(method):
    """Law: the labels of each k are those of the estimator with that number of clusters."""
    X = blobs(4, n=15, apart=3.0)
    found = choose_k(X, method, k=range(2, 7), criteria=["silhouette"], random_state=3)
    kind = find_method(method).load()
    for k in found.ks:
        model = kind(n_clusters=k)
        if "random_state" in model.get_params():
            model.set_params(random_state=3)
        assert adjusted_rand_score(model.fit(X).labels_, found.labelings[k]) == 1


def test_new_rows_are_placed_as_the_tree_has_them():
    """Law: rows of the fit, placed anew at the finest cut, stay in their clusters at every coarser one."""
    X = blobs(4, n=15)
    partitions = find_partitioner("agglomerative").run(X, range(1, 5), 0)
    for k in range(1, 5):
        np.testing.assert_array_equal(partitions.place(k, X), partitions.labels[k])


def test_mixtures_have_information_criteria():
    """Law: BIC, AIC and ICL are the estimator's own, and BIC finds the components."""
    X = blobs(3, n=40)
    found = choose_k(X, "mixture", k=range(1, 5), criteria=["bic", "aic", "icl"], random_state=0)
    model = GaussianMixture(2, random_state=0).fit(X)
    assert found.curve("bic").at(2) == pytest.approx(model.bic(X))
    assert found.curve("icl").at(2) == pytest.approx(model.icl(X))
    assert found.curve("aic").at(2) == pytest.approx(model.aic(X))
    assert found.curve("bic").choice == 3


def test_distances_are_taken_by_methods_that_take_them():
    """Law: a matrix of distances has the criteria that need no rows, with the values that rows have."""
    X = blobs(3, n=20)
    names = ["silhouette", "dunn"]
    given = choose_k(
        pairwise_distances(X), KMedoids(metric="precomputed"), k=range(2, 5), criteria=names, random_state=0
    )
    rows = choose_k(X, KMedoids(), k=range(2, 5), criteria=names, random_state=0)
    for name in names:
        np.testing.assert_allclose(given.curve(name).values, rows.curve(name).values, rtol=1e-9)
    with pytest.raises(InvalidParameter, match="gap needs rows without categories"):
        choose_k(pairwise_distances(X), KMedoids(metric="precomputed"), criteria=["gap"])


def test_many_rows_are_sampled_and_that_is_said():
    """Law: beyond the sample size criteria of pairs are estimates near the exact value, and say so."""
    X = blobs(4, n=500)
    few = choose_k(X, k=range(2, 6), criteria=["silhouette", "dunn"], sample_size=300, random_state=0)
    all_rows = choose_k(X, k=range(2, 6), criteria=["silhouette", "dunn"], random_state=0)
    assert few.curve("silhouette").note == "estimated from 300 of 2,000 rows"
    assert any("estimated from 300 of 2,000 rows" in note for note in few.notes)
    assert not all_rows.curve("silhouette").is_estimate
    gap = np.abs(few.curve("silhouette").values - all_rows.curve("silhouette").values)
    assert (gap < 5 * few.curve("silhouette").errors).all()
    assert few.curve("dunn").values[2] >= all_rows.curve("dunn").values[2]


def test_trivial_clusterings_are_flagged_and_not_chosen():
    """Law: a far row that makes a cluster of its own is flagged, and does not win by its silhouette."""
    X = np.concatenate([blobs(1, n=200), [[500.0, 500.0]]])
    found = choose_k(X, "agglomerative", k=range(2, 5), criteria=["silhouette"], random_state=0)
    assert "k = 2: one cluster holds 99.5% of the rows" in found.flags


def test_progress_is_told():
    """Law: every criterion is a step, named in the user's words."""
    heard = []
    choose_k(blobs(2), k=[2, 3], criteria=QUICK, random_state=0, progress=heard.append)
    assert [step.done for step in heard] == [1, 2, 3, 4]
    assert heard[1].stage == "choosing k: Silhouette"


def test_the_largest_number_compared_is_said():
    """Law: if the largest number compared wins, a note says so, with the option that compares more."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(20, 2)) + 40 * np.array([i % 3, i // 3]) for i in range(9)])
    few, enough = (choose_k(X, k=range(1, most), criteria=["silhouette"], random_state=0) for most in (6, 14))
    assert few.k == 5
    assert few.notes[0] == "5 is the largest number compared: k=range(1, 11) compares more"
    assert worded(few.notes[0], "shell").endswith("-k 1..10 compares more")
    assert enough.k == 9
    assert not enough.notes
