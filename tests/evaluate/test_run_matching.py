"""Matching runs: names kept, births, deaths, splits, merges, drift."""

import json

import numpy as np
import pytest

import coterie
from coterie.cluster import KMeans
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import match

rng = np.random.default_rng(0)
X = np.concatenate([rng.normal(at, 1.0, (40, 2)) for at in (0, 10, 20)])
LABELS = np.repeat([0, 1, 2], 40)


def test_other_numbers_same_clusters():
    """Law: a renumbering is undone, and nothing else is reported."""
    found = coterie.match(LABELS, np.array([2, 0, 1])[LABELS])
    np.testing.assert_array_equal(found.labels, LABELS)
    assert found.names == {2: 0, 0: 1, 1: 2}
    assert found.is_unchanged
    assert found.births == found.deaths == ()
    assert found.splits == found.merges == {}
    assert [each.jaccard for each in found.drift] == [1.0, 1.0, 1.0]


def test_most_rows_keep_their_name():
    """Law: the matching keeps the names of as many rows as can be (against all permutations)."""
    from itertools import permutations

    for seed in range(20):
        random = np.random.default_rng(seed)
        new = np.where(random.random(120) < 0.3, random.integers(3, size=120), (LABELS + 1) % 3)
        best = max(int((np.array(order)[new] == LABELS).sum()) for order in permutations(range(3)))
        assert int((match(LABELS, new).labels == LABELS).sum()) == best


def test_split_and_merge():
    """Law: parts of a cluster are a split, clusters that go into one a merge; the largest keeps the name."""
    parts = LABELS.copy()
    parts[:15] = 7
    split = match(LABELS, parts)
    assert split.splits == {0: (0, 3)}
    assert split.births == split.deaths == ()
    assert set(split.labels) == {0, 1, 2, 3}
    assert (split.labels[:15] == 3).all()
    merge = match(parts, LABELS)
    assert merge.merges == {0: (0, 7)}
    assert merge.deaths == ()
    assert "0 split into 0, 3" in repr(split)
    assert "0, 7 merged into 0" in repr(merge)


def test_births_deaths_and_noise():
    """Law: a cluster out of noise is born, one that turns into noise is gone; noise is not a cluster."""
    before = np.concatenate([LABELS, np.full(30, -1)])
    after = np.concatenate([np.where(LABELS == 2, -1, LABELS), np.full(30, 5)])
    found = match(before, after)
    assert found.births == (3,)
    assert found.deaths == (2,)
    assert found.names == {0: 0, 1: 1, 5: 3}
    assert set(found.labels) == {-1, 0, 1, 3}
    assert "born: 3" in repr(found)
    assert "gone: 2" in repr(found)


def test_crumbs_are_no_split():
    """Law: less than a tenth of a cluster is not part of a split, it is a birth."""
    after = LABELS.copy()
    after[:2] = 9
    found = match(LABELS, after)
    assert found.splits == {}
    assert found.births == (3,)


def test_drift():
    """Law: rows gained and lost are counted, and centres measured in standard deviations."""
    after = LABELS.copy()
    after[35:40] = 1
    found = match(LABELS, after, X=X)
    first = found.drift[0]
    assert (first.cluster, first.before, first.after, first.shared) == (0, 40, 35, 35)
    moved = (X[:35].mean(axis=0) - X[:40].mean(axis=0)) / X.std(axis=0)
    assert first.shift == pytest.approx(np.sqrt(np.mean(moved**2)))
    assert found.drift[2].shift == 0.0
    assert not found.is_unchanged
    assert match(LABELS, after).drift[0].shift is None


def test_models_of_different_rows():
    """Law: models are compared by what they predict for the same rows; without X by their labels."""
    first, second = KMeans(3, random_state=0).fit(X[::2]), KMeans(3, random_state=5).fit(X[1::2])
    found = match(first, second, X=X)
    np.testing.assert_array_equal(found.labels, first.predict(X))
    again = match(first, first.labels_)
    assert again.is_unchanged


def test_names_of_any_kind():
    """Law: names may be text; new clusters get names that are free."""
    text = np.array(["north", "new 1", "south"])[LABELS]
    after = LABELS.copy()
    after[:20] = 3
    found = match(text, after)
    assert found.splits == {"north": ("north", "new 2")}
    with_noise = match(text, np.where(LABELS == 0, -1, LABELS))
    assert with_noise.labels.tolist()[0] == -1
    assert with_noise.deaths == ("north",)


def test_exchange():
    """Law: the value goes to JSON, to pandas and to print."""
    found = match(LABELS, (LABELS + 1) % 3, X=X)
    assert json.loads(json.dumps(found.to_dict()))["drift"][0]["jaccard"] == 1.0
    assert list(found.to_frame().index) == [0, 1, 2]
    assert repr(found).startswith("120 rows: 3 clusters continue")


def test_only_noise():
    """Law: without clusters there is nothing to match."""
    found = match([-1, -1], [-1, -1])
    assert found.drift == found.births == found.deaths == ()


def test_wrong_input():
    """Law: labelings of different rows are refused, with the way out."""
    with pytest.raises(InvalidData, match=r"must label the same rows, got 120 and 3 labels.*give X"):
        match(LABELS, [0, 1, 2])
    with pytest.raises(InvalidData, match="and 2 rows of X"):
        match(LABELS, LABELS, X=[[1.0], [2.0]])
    with pytest.raises(InvalidParameter, match="new of match must be fitted"):
        match(LABELS, KMeans(3))
    with pytest.raises(InvalidData, match="new must be 1D"):
        match(LABELS, X)
