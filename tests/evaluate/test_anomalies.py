"""Unusual rows: local outlier factors as scikit-learn's, distances by the standards of the group."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import LocalOutlierFactor

import coterie
from coterie.errors import CoterieError
from coterie.evaluate import anomaly_scores

RNG = np.random.default_rng(0)
X = np.concatenate([RNG.normal(0, 1, (60, 3)), RNG.normal(12, 3, (40, 3))])
LABELS = np.repeat([0, 1], [60, 40])


def test_local_scores_are_scikit_learns_in_every_group():
    """Law: within a group the score is the local outlier factor of scikit-learn for its rows alone."""
    found = anomaly_scores(X, LABELS, how="local", n_neighbors=7)
    for group in (0, 1):
        peer = LocalOutlierFactor(7).fit(X[group == LABELS])
        expected = -peer.negative_outlier_factor_
        np.testing.assert_allclose(found.scores[group == LABELS], expected, rtol=1e-9)
    D = cdist(X, X)
    again = anomaly_scores(D, LABELS, how="local", metric="precomputed", n_neighbors=7)
    np.testing.assert_allclose(again.scores, found.scores, rtol=1e-7)


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_noise_is_scored_as_new_to_its_nearest_group(metric):
    """Law: a row of noise has the score that scikit-learn gives a new row of the nearest group."""
    rows = np.concatenate([X, [[5.0, 5.0, 5.0], [20.0, 0.0, 0.0]]])
    labels = np.concatenate([LABELS, [-1, -1]])
    given = cdist(rows, rows) if metric == "precomputed" else rows
    found = anomaly_scores(given, labels, how="local", metric=metric, n_neighbors=7)
    for at in (100, 101):
        nearest = LABELS[cdist(rows[[at]], X).argmin()]
        assert found.groups[at] == nearest
        peer = LocalOutlierFactor(7, novelty=True).fit(X[nearest == LABELS])
        np.testing.assert_allclose(found.scores[at], -peer.score_samples(rows[[at]])[0], rtol=1e-7)


def test_distances_to_means_by_the_median_of_the_group():
    """Law: the score is the distance to the mean over its median in the group; 1 in the middle of a group."""
    found = anomaly_scores(X, LABELS)
    for group in (0, 1):
        rows = X[group == LABELS]
        apart = np.linalg.norm(rows - rows.mean(axis=0), axis=1)
        np.testing.assert_allclose(found.scores[group == LABELS], apart / np.median(apart))
    lone = anomaly_scores(np.concatenate([X, [[5.0, 5.0, 5.0]]]), np.concatenate([LABELS, [7]]))
    assert lone.groups[100] in (0, 1)  # alone in its group: compared with the others
    assert lone.scores[100] > 1


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 999), st.sampled_from(["centre", "local"]), st.floats(0.01, 100))
def test_scores_do_not_depend_on_units_or_order(seed, how, unit):
    """Law: units and the order of rows change no score; shares are those of the ranks."""
    rng = np.random.default_rng(seed)
    rows, labels = rng.normal(size=(30, 2)), rng.integers(-1, 3, 30)
    found = anomaly_scores(rows, labels, how=how, n_neighbors=3)
    order = rng.permutation(30)
    other = anomaly_scores(rows[order] * unit, labels[order], how=how, n_neighbors=3)
    np.testing.assert_allclose(other.scores, found.scores[order], rtol=1e-6)
    expected = [(found.scores >= score).mean() for score in found.scores]
    np.testing.assert_allclose(found.shares, expected)
    assert found.top(1)[0] == found.scores.argmax()
    assert len(found.top(99)) == 30


def test_copies_make_no_infinite_scores():
    """Law: a group of equal rows has scores of 0 and 1, and a row beside them is the most unusual."""
    rows = np.array([[1.0], [1.0], [1.0], [1.0], [2.0], [9.0], [9.5]])
    found = anomaly_scores(rows, [0, 0, 0, 0, 0, 1, 1])
    assert np.isfinite(found.scores).all()
    assert found.top(1)[0] == 4
    assert (anomaly_scores(np.ones((3, 2)), [0, 0, 0]).scores == 0).all()
    np.testing.assert_allclose(anomaly_scores(np.ones((3, 2)), [0, 0, 0], how="local").scores, 1)


@pytest.mark.parametrize(
    ("rows", "labels", "options", "words"),
    [
        (X, LABELS[:5], {}, r"inconsistent numbers of samples: \[100, 5\]"),
        (X, np.full(100, -1), {}, "a group of two rows or more, got none"),
        (X, np.arange(100), {}, "a group of two rows or more, got none"),
        (X, LABELS, {"how": "far"}, "how of anomaly_scores must be"),
        (X, LABELS, {"metric": "cosine"}, 'how="local" takes any distance'),
        (X, LABELS, {"n_neighbors": 0}, "n_neighbors of anomaly_scores must be"),
        (np.full((4, 1), np.inf), [0, 0, 1, 1], {}, "inf"),
        (X[:0], [], {}, "0 sample"),
        (X, LABELS, {"how": "local", "metric": "precomputed"}, "square"),
    ],
    ids=str,
)
def test_wrong_input_is_refused(rows, labels, options, words):
    """Law: an error says what, where, allowed and got."""
    with pytest.raises(CoterieError, match=words):
        anomaly_scores(rows, labels, **options)


def test_answers_list_their_unusual_rows(tmp_path):
    """Law: an answer scores the rows of its table; rows left out have NaN, HDBSCAN its own scores."""
    rows = np.concatenate([X, [[5.0, 5.0, 5.0]]])
    rows[3, 1] = np.nan
    found = coterie.fit(rows, k=2, method="kmeans", missing="drop", budget="fast")
    scored = found.anomalies()
    assert (scored.how, len(scored.scores), scored.groups[3]) == ("centre", 101, -1)
    assert np.isnan([scored.scores[3], scored.shares[3]]).all()
    kept = np.delete(np.arange(101), 3)
    scaled = found.rows.points
    expected = anomaly_scores(scaled, np.asarray(found.labels)[kept])
    np.testing.assert_allclose(scored.scores[kept], expected.scores)
    np.testing.assert_array_equal(scored.groups[kept], found.labels[kept])
    assert 3 not in scored.top(101)
    with pytest.raises(CoterieError, match='how="glosh" is the score of HDBSCAN'):
        found.anomalies(how="glosh")
    found.save(tmp_path / "m")
    with pytest.raises(CoterieError, match="fit again"):
        coterie.load(tmp_path / "m").anomalies()
    dense = coterie.fit(X, method="hdbscan", budget="fast")
    glosh = dense.anomalies()
    assert glosh.how == "glosh"
    np.testing.assert_array_equal(glosh.scores, dense.model.outlier_scores_)
