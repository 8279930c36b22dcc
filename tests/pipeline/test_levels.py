"""Levels of granularity: groups within groups are named, unions of equal groups are not."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.levels import is_nested, levels_of
from coterie.show.report import build_facts
from coterie.show.report.clusterings import subject_of_clustering


def nested(n=40, seed=0):
    """Return rows of three groups of three sub-groups each."""
    rng = np.random.default_rng(seed)
    centres = [
        a + b for a in np.array([[0, 0], [60, 0], [0, 60]]) for b in np.array([[0, 0], [9, 0], [0, 9]])
    ]
    return np.concatenate([rng.normal(centre, 1, (n, 2)) for centre in centres])


@pytest.fixture(scope="module")
def found():
    return coterie.fit(nested(), "kmeans", "1..12", budget="fast", believe=False)


def test_groups_within_groups_are_levels(found):
    """Law: three groups of three are two levels, nested, named in text, JSON and report."""
    assert [level.k for level in found.levels] == [3, 9]
    coarse, fine = found.levels
    assert is_nested(fine.labels, coarse.labels)
    other = 3 if found.k == 9 else 9
    said = {3: "also: 3 larger groups that these lie in", 9: "also: 9 groups inside these"}[other]
    assert said in found.summary()
    assert [level["k"] for level in found.to_dict()["levels"]] == [3, 9]
    page = build_facts(subject_of_clustering(found))
    assert said in page.lead
    assert {3, 9} <= {stop.k for stop in page.labelings}


def test_levels_are_saved(found, tmp_path):
    """Law: a saved answer has its levels."""
    found.save(tmp_path / "groups.safetensors")
    assert [level.k for level in coterie.load(tmp_path / "groups.safetensors").levels] == [3, 9]


def test_equal_groups_have_one_level():
    """Law: groups of which none lie closer together have no levels."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(9 * np.eye(4)[at], 1, (40, 4)) for at in range(4)])
    assert coterie.fit(X, "kmeans", "1..8", budget="fast", believe=False).levels == ()


def test_levels_are_supported():
    """Law: a partition with a border that is not significant, or that is not nested, is not a level."""
    fine = np.repeat([0, 1, 2, 3], 5)

    def candidate(labels, weakest):
        return Candidate("kmeans", int(labels.max()) + 1, labels, {"weakest_valley": weakest}, "", {})

    winner, coarse = candidate(fine, 1.0), candidate(fine // 2, 1.0)
    silhouettes = {1: np.nan, 2: 0.8, 3: 0.5, 4: 0.7}
    assert levels_of(winner, [winner, coarse], silhouettes) == (coarse, winner)
    assert levels_of(winner, [winner, candidate(fine // 2, -0.1)], silhouettes) == ()
    assert levels_of(winner, [winner, candidate(np.tile([0, 1], 10), 1.0)], silhouettes) == ()
    assert levels_of(winner, [winner, coarse], {**silhouettes, 3: 0.9}) == ()
    assert levels_of(None, [coarse], silhouettes) == ()
