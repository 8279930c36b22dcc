"""What the engine measures about groups, against the slow way."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie.pipeline.judge.density_valleys import ENOUGH, MIXED, Valleys
from coterie.pipeline.judge.discriminant_valleys import sums_of_halves

RNG = np.random.default_rng(0)


def squares(one, other):
    return ((one[:, None] - other[None]) ** 2).sum(axis=2)


def test_border_extents_against_the_slow_way():
    """The rows next to the border have a share of the spread of their group: 1 / (1 - share) directions."""
    one, other = RNG.normal(size=(60, 2)) * [3, 1], RNG.normal(size=(40, 2)) + np.array([9, 0])
    shares = []
    for rows, others in ((one, other), (other, one)):
        near = rows[np.argsort(squares(rows, others).min(axis=1), kind="stable")[: round(0.15 * len(rows))]]
        spread, offset = rows.var(axis=0).sum(), ((near.mean(axis=0) - rows.mean(axis=0)) ** 2).sum()
        shares.append(near.var(axis=0).sum() / spread if offset > spread else 1.0)
    found = _core.border_extents(
        np.concatenate([one, other]), np.arange(100), np.array([0, 60, 100]), np.array([[0, 1]])
    )
    assert found[0] == pytest.approx(1.0 / (1.0 - min(max(shares), 0.9)))


def test_joint_extents_against_the_slow_way():
    """A third of the rows is further away than half as many, by the power that the dimension tells."""
    X = RNG.normal(size=(90, 3))
    extents = []
    for anchors in (X[:16], X[50:66]):
        far = np.sort(squares(anchors, X), axis=1)[:, [15, 30]]
        extents.append(np.log(2.0) / (np.median(np.log(far[:, 1] / far[:, 0])) / 2.0))
    found = _core.joint_extents(X, np.arange(90), np.array([0, 50, 90]), np.array([[0, 1]]))
    assert found[0] == pytest.approx(max(extents))


def test_line_valleys_against_the_slow_way():
    """The depth at a place is that of the lower of the two peaks beside it; the deepest counts."""
    along, window = np.sort(RNG.normal(size=80)), 9
    density = -np.log(along[window:] - along[:-window])
    place = (along[window:] + along[:-window]) / 2
    depths = [
        min(density[: at + 1].max(), density[at:].max()) - density[at]
        for at in np.flatnonzero((place >= -1) & (place <= 1))
    ]
    found = _core.line_valleys(along[None], np.array([-1.0]), np.array([1.0]), np.array([window]), -3.0)
    assert found[0, 0] == pytest.approx(max(depths) * np.sqrt(window / 2))
    beyond = _core.line_valleys(along[None], np.array([50.0]), np.array([60.0]), np.array([window]), -3.0)
    assert beyond[0, 0] == -3.0


def test_mean_log_reach_against_the_slow_way():
    """The row itself is no neighbour, and copies are no nearer than the least square."""
    X = RNG.normal(size=(50, 3))
    slow = np.log(np.sort(squares(X, X), axis=1)[:, 4]).mean() / 2
    assert _core.mean_log_reach(X, 4, 1e-12) == pytest.approx(slow)
    assert _core.mean_log_reach(np.zeros((9, 2)), 4, 1e-12) == pytest.approx(np.log(1e-12) / 2)


def test_sums_of_halves_against_the_slow_way():
    """Number, mean and scatter of the rows of each half; of none they are 0."""
    X, halves = RNG.normal(size=(40, 3)), RNG.random((4, 40)) < 0.5
    halves[3] = True
    counts, means, scatters = sums_of_halves(X, halves)
    for split, half in enumerate(halves):
        for at, own in enumerate((X[half], X[~half])):
            assert counts[split, at] == len(own)
            mean = own.mean(axis=0) if len(own) else np.zeros(3)
            np.testing.assert_allclose(means[split, at], mean, atol=1e-12)
            np.testing.assert_allclose(scatters[split, at], (own - mean).T @ (own - mean), atol=1e-12)


@pytest.mark.parametrize("d", [2, 4, 12])
def test_borders_that_are_not_asked_change_nothing(d, monkeypatch):
    """Law: the weakest borders are those of all pairs measured along lines and neighbourhoods."""
    X = RNG.normal(size=(240, d)) + 2.5 * RNG.integers(0, 3, (240, 1))
    labels = (np.argsort(np.argsort(X[:, 0])) // 40).astype(np.int32)
    valleys, asked = Valleys(X), {}
    weakest = valleys._weakest
    monkeypatch.setattr(
        valleys, "_weakest", lambda *given: asked.setdefault("given", given) and weakest(*given)
    )
    found = valleys.judge(labels).evidence
    borders, near, mixed = asked["given"]
    doubtful = np.flatnonzero(near < ENOUGH)
    evidence = near.copy()
    for at, trust in zip(doubtful, valleys._trust_in_lines(borders, doubtful), strict=True):
        if trust:
            evidence[at] = valleys._along_line(borders, at, near[at], trust)
    evidence = np.where(mixed, np.minimum(evidence, MIXED), evidence)
    groups, slow = list(range(6)), []
    for at in np.argsort(evidence, kind="stable"):
        one, other = groups[borders.low[at]], groups[borders.high[at]]
        if one != other:
            groups = [one if each == other else each for each in groups]
            slow.append(evidence[at])
    np.testing.assert_array_equal(found, slow)


def test_names_of_groups_do_not_matter():
    """Law: a partition is judged once, whatever its groups are called."""
    X = np.concatenate([RNG.normal(centre, 1, (50, 2)) for centre in ([0, 0], [8, 0], [0, 8])])
    labels, valleys = np.repeat([0, 1, 2], 50), Valleys(X)
    first = valleys.judge(labels)
    assert valleys.judge((labels + 1) % 3) is first
    assert valleys.judge(np.where(labels == 2, -1, labels)) is not first


def test_parts_of_a_forest_are_numbered_as_their_rows_come():
    """Law: rows that kept edges join have one number, and a part that begins earlier has the lower one."""
    rng = np.random.default_rng(4)
    for n_rows in (1, 2, 40):
        edges = np.array([(rng.integers(child), child) for child in range(1, n_rows)]).reshape(-1, 2)
        is_kept = rng.random(len(edges)) < 0.7
        graph = csr_array((np.ones(is_kept.sum()), edges[is_kept].T), shape=(n_rows, n_rows))
        expected = connected_components(graph, directed=False)[1]
        found = _core.forest_parts(edges.astype(np.int64), is_kept.astype(np.uint8), n_rows)
        np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="edges"):
        _core.forest_parts(np.array([[0, 5]]), np.ones(1, dtype=np.uint8), 2)
