"""Which rows to label: typical rows, rows that cover the data, rows in doubt."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs

from coterie.errors import CoterieError, InvalidData, InvalidParameter
from coterie.label import STRATEGIES, select_to_label
from coterie.label.choose import fuzzy_margins

X, KINDS = make_blobs([26, 24, 22, 18, 16, 14], centers=np.eye(6) * 9, random_state=1)


def test_typical_rows_are_nearest_to_the_centres_of_kmeans():
    """Law: as in scikit-learn's k-means and argmin of `transform`, one row per group, by size."""
    chosen = select_to_label(X, 6, random_state=0)
    theirs = KMeans(6, n_init=10, random_state=0).fit(X)
    assert set(chosen.rows) == set(theirs.transform(X).argmin(axis=0))
    np.testing.assert_array_equal(chosen.groups[chosen.rows], np.arange(6))
    assert len({tuple(pair) for pair in zip(chosen.groups, theirs.labels_, strict=True)}) == 6
    sizes = np.bincount(chosen.groups)
    assert (np.diff(sizes) <= 0).all()


def farthest_first(rows, n):
    """Choose rows one after the other, the farthest from all before; slow and obvious."""
    chosen = [int(((rows - rows.mean(axis=0)) ** 2).sum(axis=1).argmin())]
    while len(chosen) < n:
        apart = [min(np.linalg.norm(row - rows[at]) for at in chosen) for row in rows]
        chosen.append(int(np.argmax(apart)))
    return chosen


def test_a_coreset_is_chosen_farthest_first():
    """Law: each row is the farthest from those before; their radius is at most twice the least possible."""
    chosen = select_to_label(X, 7, strategy="coreset").rows
    assert chosen.tolist() == farthest_first(X, 7)
    more = select_to_label(X, 3, strategy="coreset", labelled=chosen[:4]).rows
    np.testing.assert_array_equal(more, chosen[4:])


def test_rows_in_doubt_have_the_least_margins():
    """Law: the smallest difference of the two largest memberships is first; only shares are taken."""
    shares = np.array([[0.9, 0.1, 0.0], [0.4, 0.35, 0.25], [0.5, 0.0, 0.5], [0.2, 0.7, 0.1]])
    chosen = select_to_label(X[:4], 2, strategy="uncertainty", memberships=shares)
    assert chosen.rows.tolist() == [2, 1]
    again = select_to_label(X[:4], 2, strategy="uncertainty", memberships=shares, labelled=[2])
    assert again.rows.tolist() == [1, 3]
    with pytest.raises(InvalidData, match="memberships of select_to_label must be shares of 120 rows"):
        select_to_label(X, 2, strategy="uncertainty", memberships=shares)
    with pytest.raises(InvalidParameter, match=r'memberships .* are for strategy="uncertainty"'):
        select_to_label(X[:4], 2, memberships=shares)


def test_margins_are_those_of_fuzzy_memberships():
    """Law: margins are those of the memberships of fuzzy c-means with exponent 2, computed by its formula."""
    centers = X[[0, 5, 9, 9]]
    apart = np.linalg.norm(X[:, None] - centers, axis=2)
    inside = (apart > 0).all(axis=1)
    shares = 1 / ((apart[inside, :, None] / apart[inside, None]) ** 2).sum(axis=2)
    two = np.sort(shares, axis=1)[:, -2:]
    np.testing.assert_allclose(fuzzy_margins(X, centers)[inside], two[:, 1] - two[:, 0], atol=1e-12)
    assert fuzzy_margins(X, centers)[0] == 1.0
    assert fuzzy_margins(X, centers)[9] == 0.0  # two centres lie there


@settings(max_examples=30, deadline=None)
@given(st.sampled_from(STRATEGIES), st.integers(1, 12), st.integers(0, 99), st.booleans())
def test_rows_are_different_and_stand_for_all(strategy, n, seed, with_copies):
    """Law: n different rows without a label, the same for the same seed, and every row has one of them."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, 2 if with_copies else 1000, size=(20, 2)).astype(float)
    labelled = rng.choice(20, 5, replace=False)
    options = {"strategy": strategy, "labelled": labelled, "random_state": seed}
    one, other = (select_to_label(rows, n, **options) for _ in "12")
    assert len(set(one.rows)) == n == len(one)
    assert not set(one.rows) & set(labelled)
    np.testing.assert_array_equal(one.rows, other.rows)
    np.testing.assert_array_equal(one.groups[one.rows], np.arange(n))
    assert set(one.groups) == set(range(n))


def test_typical_rows_cover_the_classes():
    """Law: 20 typical rows of digits hold more of the classes than 20 random ones do on average."""
    rows, classes = load_digits(return_X_y=True)
    typical = len(np.unique(classes[select_to_label(rows, 20, random_state=0).rows]))
    seeds = range(20)
    random = [select_to_label(rows, 20, strategy="random", random_state=seed).rows for seed in seeds]
    assert typical > np.mean([len(np.unique(classes[some])) for some in random])


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((X, 0), {}, "n of select_to_label must be 1 to 120"),
        ((X, 121), {}, "n of select_to_label must be 1 to 120, the rows without a label, got 121"),
        ((X, 2.5), {}, "n of select_to_label must be"),
        ((X, 1), {"labelled": np.arange(120)}, "no row without a label"),
        ((X, 1), {"labelled": [120]}, "row numbers from 0 to 119"),
        ((X, 1), {"labelled": ["a"]}, "labelled of select_to_label must be row numbers"),
        ((X, 1), {"strategy": "best"}, "strategy of select_to_label must be"),
        ((np.full((3, 2), np.nan), 1), {}, "NaN"),
        ((X[:0], 1), {}, "0 sample"),
        ((["a", "b"], 1), {}, "."),
        ((np.full((3, 2), 1e200), 1), {}, "."),
    ],
    ids=str,
)
def test_wrong_input_is_refused(arguments, options, words):
    """Law: an error says what, where, allowed and got."""
    with pytest.raises(CoterieError, match=words):
        select_to_label(*arguments, **options)


def test_one_row_and_equal_rows():
    """Law: one row stands for itself; of equal rows any are chosen, each once."""
    assert select_to_label([[3.0]], 1).rows.tolist() == [0]
    for strategy in ("coreset", "random"):
        assert sorted(select_to_label(np.ones((4, 2)), 4, strategy=strategy).rows) == [0, 1, 2, 3]
