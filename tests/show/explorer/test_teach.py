"""Lessons: the steps are what estimators and the engine did, and end where these end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage as scipy_linkage
from sklearn.mixture import GaussianMixture as Peer

from coterie.cluster import DBSCAN, KMeans
from coterie.errors import InvalidParameter
from coterie.show.explorer.teach import LESSONS, teach
from workbook_cases import blobs

X = blobs(15)
POINTS = X.tolist()


def steps_of(method, **parameters):
    """Return the steps of a lesson."""
    return teach({"method": method, "points": POINTS, "parameters": parameters})["steps"]


def test_kmeans_falls_to_its_answer():
    """The SSE never rises from step to step, and the last step is the answer of `KMeans`."""
    steps = steps_of("kmeans", k=3, seed=1)
    values = [step["objective"] for step in steps if step.get("objective") is not None]
    assert all(later <= earlier + 1e-9 for earlier, later in itertools.pairwise(values))
    assert (
        steps[-1]["labels"] == KMeans(3, n_init=1, random_state=1, algorithm="lloyd").fit(X).labels_.tolist()
    )
    assert [step["kind"] for step in steps][:4] == ["pick", "pick", "pick", "start"]


def test_kmeans_plus_plus_tells_its_chances():
    """The first centre is drawn alike; the next by squared distance to the nearest centre so far."""
    first, second, third = steps_of("kmeans++", k=3, seed=2)
    np.testing.assert_allclose(first["chances"], 1 / len(X))
    for before, step in ((first, second), (second, third)):
        squares = np.square(X[:, None] - np.array(before["centres"])[None]).sum(axis=2).min(axis=1)
        np.testing.assert_allclose(step["chances"], squares / squares.sum(), atol=1e-9)
        assert step["picked"] == step["active"]


def test_em_climbs_and_its_shares_are_those_of_its_parameters():
    """The likelihood never falls; shares of points follow from weights, means and covariances of the step."""
    steps = steps_of("em", k=3)
    values = [step["objective"] for step in steps]
    assert all(later >= earlier - 1e-9 for earlier, later in itertools.pairwise(values))
    for step in steps:
        peer = Peer(3)
        covariances = []
        for one in step["ellipses"]:
            turn = np.array(
                [[np.cos(one["angle"]), -np.sin(one["angle"])], [np.sin(one["angle"]), np.cos(one["angle"])]]
            )
            covariances.append(turn @ np.diag([one["rx"] ** 2, one["ry"] ** 2]) @ turn.T)
        peer.weights_, peer.means_ = np.array(step["weights"]), np.array(step["centres"])
        peer.covariances_ = np.array(covariances)
        peer.precisions_cholesky_ = np.linalg.cholesky(np.linalg.inv(covariances))
        np.testing.assert_allclose(step["responsibilities"], peer.predict_proba(X), atol=2e-3)


def test_dbscan_grows_to_its_answer():
    """Every wave adds rows within eps of core points; the end is the answer of `DBSCAN`."""
    steps = steps_of("dbscan", eps=1.0, min_samples=4)
    model = DBSCAN(eps=1.0, min_samples=4).fit(X)
    assert steps[-1]["labels"] == model.labels_.tolist()
    assert np.flatnonzero(steps[0]["core"]).tolist() == sorted(model.core_sample_indices_.tolist())
    assert steps[-2]["labels"] == model.labels_.tolist()  # noise is what was never reached
    for before, step in itertools.pairwise(steps[:-1]):
        changed = np.flatnonzero(np.array(before["labels"]) != np.array(step["labels"]))
        assert sorted(step["front"]) == changed.tolist()


@pytest.mark.parametrize("rule", ["single", "average", "complete", "ward"])
def test_linkage_merges_as_scipy(rule):
    """Heights are SciPy's; each step has one group fewer; the last is the cut."""
    steps = steps_of("linkage", linkage=rule, k=3)
    np.testing.assert_allclose([one[2] for one in steps[-1]["merges"]], scipy_linkage(X, rule)[:, 2])
    counts = [len(set(step["labels"])) for step in steps[:-1]]
    assert counts == list(range(45, 0, -1))
    assert len(set(steps[-1]["labels"])) == 3


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"method": "magic", "points": POINTS}, "method must be one of"),
        ({"method": "kmeans", "points": [[0, 0]]}, "at least two points"),
        ({"method": "kmeans", "points": [[0, 0]] * 3_000}, "at most 2,000"),
        ({"method": "kmeans", "points": [[0, 0], [1]]}, "pairs of finite numbers"),
        ({"method": "kmeans", "points": [[0, 0], [1, "a"]]}, "pairs of finite numbers"),
        ({"method": "kmeans", "points": [[0, 0], [1, 1e300]]}, "pairs of finite numbers"),
        ({"method": "kmeans", "points": [[0, 0], [1, 10**400]]}, "pairs of finite numbers"),
        ({"method": "kmeans", "points": [[0, 0], [1, float("nan")]]}, "pairs of finite numbers"),
        ({"method": "kmeans", "points": POINTS, "parameters": {"k": 0}}, "k must be a whole number"),
        ({"method": "kmeans", "points": POINTS, "parameters": {"memory": "/x"}}, "has no parameter"),
        ({"method": "dbscan", "points": POINTS, "parameters": {"eps": -1}}, "above 0"),
        ({"method": "linkage", "points": POINTS, "parameters": {"linkage": "x"}}, "linkage must be one of"),
        ({"method": "linkage", "points": POINTS, "parameters": {"linkage": []}}, "linkage must be one of"),
    ],
)
def test_lessons_that_cannot_be_given(asked, match):
    """Bad points and parameters are refused in words."""
    with pytest.raises(InvalidParameter, match=match):
        teach(asked)


@pytest.mark.parametrize("method", LESSONS)
def test_points_that_are_all_alike(method):
    """Lessons end also where there is nothing to see."""
    found = teach({"method": method, "points": [[0.5, 0.5]] * 6, "parameters": {}})
    assert found["steps"]
