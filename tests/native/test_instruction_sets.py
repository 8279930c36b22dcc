"""Every instruction set that was built and that this machine runs gives the same answers."""

from __future__ import annotations

import numpy as np
import pytest

from coterie import _core
from coterie.cluster import KMeans
from coterie.distance import distances, k_nearest, pairwise_distances
from coterie.evaluate import silhouette_samples
from places import as_places

DISTANCES = {distance.name: distance for distance in distances()}

CHOSEN = _core.instruction_set()
LEVELS = _core.instruction_sets().split()
rng = np.random.default_rng(3)
X = rng.normal(size=(700, 7)) + 4 * rng.normal(size=(5, 7))[rng.integers(5, size=700)]


@pytest.fixture(params=LEVELS)
def level(request):
    _core.use_instruction_set(request.param)
    yield request.param
    _core.use_instruction_set(CHOSEN)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances(level, dtype):
    """Law: distances agree with those of the chosen set to rounding, for the whole catalogue."""
    domain = {"boolean": X > 0, "categorical": np.rint(X), "places": as_places(X)}
    for name, distance in DISTANCES.items():
        rows = domain.get(distance.domain, X).astype(dtype)
        metric = distance.fit(rows) if distance.unlearned else name
        here = pairwise_distances(rows, rows[:50], metric)
        _core.use_instruction_set(CHOSEN)
        tolerance = 20 * np.sqrt(np.finfo(dtype).eps)
        np.testing.assert_allclose(
            here, pairwise_distances(rows, rows[:50], metric), rtol=tolerance, atol=tolerance
        )
        _core.use_instruction_set(level)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["clouds", "far apart", "whole numbers", "one row far away"])
def test_many_groups(level, kind, dtype):
    """Law: k-means that meets its centres as codes first gives the labels of every other instruction set."""
    random = np.random.default_rng(8)
    spread = 8.0 if kind == "far apart" else 2.0
    rows = (
        random.normal(size=(9000, 16)) + spread * random.normal(size=(40, 16))[random.integers(40, size=9000)]
    )
    if kind == "whole numbers":
        rows = np.rint(rows)
    if kind == "one row far away":
        rows[17] *= 1e5
    rows = rows.astype(dtype)

    def answer(algorithm):
        model = KMeans(40, init=rows[:40], n_init=1, max_iter=12, tol=0.0, algorithm=algorithm).fit(rows)
        return model.labels_, model.cluster_centers_, model.n_iter_

    here = [answer(algorithm) for algorithm in ("lloyd", "exponion")]
    _core.use_instruction_set(CHOSEN)
    there = answer("lloyd")
    for labels, centres, n_iter in here:
        np.testing.assert_array_equal(labels, there[0])
        np.testing.assert_array_equal(centres, there[1])
        assert n_iter == there[2]


@pytest.mark.parametrize("algorithm", ["lloyd", "hamerly", "exponion", "filter"])
def test_groups(level, algorithm):
    """Law: k-means, neighbours and silhouettes do not depend on the instruction set."""
    rows = X[:, :3].copy()

    def answers():
        model = KMeans(9, init=rows[:9], n_init=1, algorithm=algorithm).fit(rows)
        near = k_nearest(rows, n_neighbors=5, algorithm="kd_tree").index
        return model.labels_, near, silhouette_samples(rows, model.labels_)

    here = answers()
    _core.use_instruction_set(CHOSEN)
    there = answers()
    np.testing.assert_array_equal(here[0], there[0])
    np.testing.assert_array_equal(here[1], there[1])
    np.testing.assert_allclose(here[2], there[2], atol=1e-10)


def test_unknown_set_is_refused():
    """Law: an instruction set that cannot run is refused by name, with those that can."""
    with pytest.raises(ValueError, match=f"must be one of {' '.join(LEVELS)}, got v9"):
        _core.use_instruction_set("v9")
