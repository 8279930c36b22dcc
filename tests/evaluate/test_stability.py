"""Stability: scores against slow obvious code, schemes, bad input."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.cluster import AgglomerativeClustering, SpectralClustering
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture as TheirMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie.cluster import DBSCAN, HDBSCAN, KMeans, KMedoids
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import adjusted_rand_score, stability
from coterie.evaluate.belief.stability import Stability, verdict_of

rng = np.random.default_rng(0)
BLOBS = np.concatenate([rng.normal(at, 1.0, (40, 2)) for at in (0, 12, 24)])
CLOUD = rng.normal(size=(150, 2))


class Remember(TheirKMeans):
    """K-means that keeps what it was fitted to."""

    seen: list = []  # noqa: RUF012  # shared by the clones on purpose

    def fit(self, X, y=None, sample_weight=None):
        super().fit(X, sample_weight=sample_weight)
        self.seen.append((X, sample_weight, self.labels_.copy()))
        return self


def obvious_scores(whole, part, rows):
    """Greatest Jaccard similarity of each cluster among the rows, with sets."""
    scores = []
    for cluster in sorted(set(whole[whole >= 0])):
        ours = {row for row in rows if whole[row] == cluster}
        theirs = [
            {row for row, label in zip(rows, part, strict=True) if label == other}
            for other in set(part) - {-1}
        ]
        scores.append(
            max((len(ours & each) / len(ours | each) for each in theirs), default=0.0) if ours else np.nan
        )
    return scores


def test_scores_are_the_greatest_jaccard_similarities():
    """Law: each score is the greatest Jaccard similarity among the drawn rows; the Rand index is adjusted."""
    Remember.seen = []
    estimator = Remember(4, n_init=1, random_state=0)
    found = stability(estimator, CLOUD, n_resamples=8, random_state=3)
    (whole_X, _, whole), *resamples = Remember.seen
    assert whole_X is CLOUD
    by_rand = {}
    for X, _, labels in resamples:
        rows = [int(np.flatnonzero((row == CLOUD).all(axis=1))[0]) for row in X]
        by_rand[round(adjusted_rand_score(whole[rows], labels), 12)] = obvious_scores(whole, labels, rows)
    assert len(resamples) == 8
    for scores, rand in zip(found.scores, found.rand, strict=True):  # fits may end in any order
        np.testing.assert_allclose(scores, by_rand[round(rand, 12)])
    np.testing.assert_allclose(found.per_cluster, found.scores.mean(axis=0))
    assert found.overall == pytest.approx(np.average(found.per_cluster, weights=np.bincount(whole)))
    assert found.agreement == pytest.approx(found.rand.mean())


def test_bootstrap_weights_are_the_draws():
    """Law: the weights of a bootstrap sum to the number of rows, and each drawn row is given once."""
    Remember.seen = []
    stability(Remember(2, n_init=1), CLOUD, n_resamples=5, random_state=0)
    for X, weights, _ in Remember.seen[1:]:
        assert weights.sum() == len(CLOUD)
        assert weights.min() >= 1
        assert len(np.unique(X, axis=0)) == len(X)
        assert 0.5 < len(X) / len(CLOUD) < 0.75


def test_separate_clusters_are_strong_and_arbitrary_ones_are_not():
    """Law: clusters that are there come back; parts of one cloud do not."""
    strong = stability(KMeans(3, n_init=5), BLOBS, n_resamples=20, random_state=0)
    assert strong.verdicts == ("strong",) * 3
    assert strong.verdict == "strong"
    assert strong.overall > 0.99
    weak = stability(KMeans(5, n_init=5), CLOUD, n_resamples=20, random_state=0)
    assert set(weak.verdicts) & {"doubtful", "dissolved"}
    assert weak.overall < strong.overall


@pytest.mark.parametrize("scheme", ["bootstrap", "subsample", "noise"])
def test_same_seed_same_answer(scheme, monkeypatch):
    """Law: the answer depends on the seed, not on the number of threads or what ran before."""
    first = stability(KMeans(4), CLOUD, scheme=scheme, n_resamples=6, random_state=5)
    monkeypatch.setattr("coterie.evaluate.belief.refitting.resolve_threads", lambda: 1)
    again = stability(KMeans(4), CLOUD, scheme=scheme, labels=None, n_resamples=6, random_state=5)
    whole = KMeans(4, random_state=0).fit(CLOUD).labels_
    other = stability(KMeans(4), CLOUD, scheme=scheme, labels=whole, n_resamples=6, random_state=6)
    known = [
        stability(KMeans(4), CLOUD, scheme=scheme, labels=whole, n_resamples=6, random_state=5)
        for _ in range(2)
    ]
    np.testing.assert_array_equal(known[0].scores, known[1].scores)
    assert not np.array_equal(known[0].scores, other.scores)
    assert first.n_resamples == again.n_resamples == 6


def test_threads_do_not_matter(monkeypatch):
    """Law: fits side by side and one after the other give the same bits."""
    estimator = KMeans(4, random_state=0)
    side_by_side = stability(estimator, CLOUD, n_resamples=8, random_state=1)
    monkeypatch.setattr("coterie.evaluate.belief.refitting.SIDE_BY_SIDE_ROWS", 10)
    one_by_one = stability(estimator, CLOUD, n_resamples=8, random_state=1)
    np.testing.assert_array_equal(side_by_side.scores, one_by_one.scores)
    np.testing.assert_array_equal(side_by_side.rand, one_by_one.rand)


def test_noise_is_no_cluster():
    """Law: rows labelled -1 are neither a cluster of the whole nor one to be found again."""
    X = np.concatenate([BLOBS, [[100.0, 100.0], [-80.0, 5.0]]])
    found = stability(DBSCAN(eps=3.0), X, n_resamples=10, random_state=0)
    assert found.clusters == (0, 1, 2)
    assert found.verdicts == ("strong",) * 3
    nothing = stability(KMeans(2), X, labels=np.full(len(X), -1), n_resamples=3, random_state=0)
    assert nothing.clusters == ()
    assert np.isnan(nothing.overall)
    assert nothing.to_dict()["overall"] is None


def test_lonely_rows_that_are_not_drawn_do_not_count():
    """Law: a cluster of which no row is drawn has no score in that resample."""
    labels = np.zeros(len(CLOUD), dtype=int)
    labels[0] = 1
    found = stability(KMeans(2), CLOUD, scheme="subsample", labels=labels, n_resamples=20, random_state=0)
    is_absent = np.isnan(found.scores[:, 1])
    assert 0 < is_absent.sum() < 20
    assert found.per_cluster[1] == pytest.approx(found.scores[~is_absent, 1].mean())


@pytest.mark.parametrize(
    ("estimator", "X"),
    [
        (KMedoids(3, metric="precomputed"), pairwise_distances(BLOBS)),
        (AgglomerativeClustering(3), BLOBS),
        (TheirMixture(3, random_state=0), BLOBS),
        (make_pipeline(StandardScaler(), TheirKMeans(3, n_init=3)), pd.DataFrame(BLOBS, columns=["a", "b"])),
        (KMeans(3, n_init=3), csr_array(BLOBS)),
        (SpectralClustering(3, affinity="precomputed"), np.exp(-pairwise_distances(BLOBS))),
        (KMeans(3, n_init=3), BLOBS.tolist()),
    ],
    ids=["distances", "without weights", "labels by predict", "pipeline", "sparse", "affinity", "lists"],
)
def test_any_estimator_will_do(estimator, X):
    """Law: whatever has fit and then labels_ or predict can be judged, whatever its input."""
    found = stability(estimator, X, n_resamples=4, random_state=0)
    assert found.verdicts == ("strong",) * 3


def test_how_is_said():
    """Law: the result says what was done about rows drawn twice."""
    weighted = stability(KMeans(2), BLOBS, n_resamples=2, random_state=0)
    once = stability(AgglomerativeClustering(2), BLOBS, n_resamples=2, random_state=0)
    assert weighted.how == "bootstrap, rows weighted by their draws"
    assert once.how == "bootstrap, each drawn row once"
    dense = stability(HDBSCAN(), BLOBS, n_resamples=2, random_state=0)  # copies would be dense spots
    assert dense.how == "bootstrap, each drawn row once"
    assert stability(KMeans(2), BLOBS, scheme="subsample", n_resamples=2).how == "50% of the rows"
    noisy = stability(KMeans(2), BLOBS, scheme="noise", noise=0.05, n_resamples=2)
    assert noisy.how == "normal noise of 0.05 standard deviations"


def test_estimator_is_left_alone():
    """Law: the given estimator is neither fitted nor changed."""
    estimator = KMeans(3, random_state=7)
    stability(estimator, BLOBS, n_resamples=2)
    assert not hasattr(estimator, "labels_")
    assert estimator.random_state == 7


def test_warnings_are_said_once():
    """Law: what every fit warns of is said once, with how often."""
    X = np.repeat([[0.0], [1.0]], 20, axis=0)
    with pytest.warns(ConvergenceWarning) as caught:
        stability(KMeans(3), X, labels=[0] * 20 + [1] * 20, n_resamples=4, random_state=0)
    assert [str(each.message)[-9:] for each in caught] == ["(4 times)"]


def test_exchange():
    """Law: the value goes to JSON, to pandas and to print."""
    found = stability(KMeans(3, n_init=3), BLOBS, n_resamples=3, random_state=0)
    assert json.loads(json.dumps(found.to_dict()))["clusters"][0]["verdict"] == "strong"
    assert found.to_frame().shape == (3, 4)
    assert "strong: mean Jaccard 1.00 over 3 resamples" in str(found)
    assert isinstance(found, Stability)
    assert verdict_of(0.7451) == "stable"
    assert verdict_of(0.7449) == "doubtful"
    assert [verdict_of(value) for value in (0.85, 0.75, 0.6, 0.59, np.nan)] == [
        "strong",
        "stable",
        "doubtful",
        "dissolved",
        "dissolved",
    ]


def test_progress_counts_resamples():
    """Law: progress is told after every resample."""
    heard = []
    stability(KMeans(2), BLOBS, n_resamples=3, progress=heard.append)
    assert [report.done for report in heard] == [1, 2, 3]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"scheme": "bootstrapp"}, r'scheme of stability must be one of .*"bootstrap"\?'),
        ({"n_resamples": 0}, "n_resamples of stability must be a whole number of at least 1, got 0"),
        (
            {"scheme": "noise", "noise": 0},
            "noise of stability must be None or a number greater than 0, got 0",
        ),
        ({"noise": 0.1}, 'noise of stability belongs to scheme="noise", got scheme="bootstrap"'),
        ({"fraction": 0.1}, 'fraction of stability belongs to scheme="subsample"'),
        (
            {"scheme": "subsample", "fraction": 1.5},
            r"fraction of stability must be None or a number in \(0, 1\]",
        ),
        ({"random_state": "x"}, "random_state of stability must be None"),
        ({"progress": 3}, "progress must be None"),
    ],
)
def test_wrong_parameters(options, message):
    """Law: a wrong parameter is refused with the allowed values."""
    with pytest.raises(InvalidParameter, match=message):
        stability(KMeans(2), BLOBS, **options)


def test_wrong_input():
    """Law: what cannot be resampled is refused."""
    with pytest.raises(InvalidParameter, match="estimator of stability must be an estimator"):
        stability("kmeans", BLOBS)
    with pytest.raises(InvalidParameter, match="estimator of stability must be an estimator"):
        stability(KMeans, BLOBS)
    with pytest.raises(InvalidData, match="X of stability must be a matrix"):
        stability(KMeans(2), np.arange(5.0))
    with pytest.raises(
        InvalidData, match=r"X of stability must be a matrix, .* got rows of different lengths"
    ):
        stability(KMeans(2), [[1.0, 2.0], [3.0], [4.0, 5.0]])
    with pytest.raises(InvalidData, match="labels of stability must name a cluster for each of the 120 rows"):
        stability(KMeans(2), BLOBS, labels=[0, 1])
    with pytest.raises(InvalidParameter, match="must have labels_ or predict after fit, StandardScaler"):
        stability(StandardScaler(), BLOBS)
    with pytest.raises(InvalidParameter, match='scheme="noise" of stability needs rows of features'):
        stability(KMedoids(2, metric="precomputed"), pairwise_distances(BLOBS), scheme="noise")
    with pytest.raises(ValueError, match="NaN"):
        stability(KMeans(2), np.full((5, 2), np.nan))
