"""From a few labels to many: by group, and over the graph of neighbours."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_moons
from sklearn.semi_supervised import LabelSpreading

from coterie.cluster import KMeans
from coterie.distance import neighbour_graph
from coterie.errors import CoterieError
from coterie.label import propagate_labels, select_to_label

MOONS, SIDES = make_moons(200, noise=0.05, random_state=0)


def few(classes, rows):
    """Return labels of some rows, -1 for the others."""
    given = np.full(len(classes), -1)
    given[rows] = classes[rows]
    return given


def test_groups_take_the_most_frequent_label():
    """Law: unlabelled rows get the most frequent label of their group; ties go to the smaller; noise none."""
    X = np.arange(9.0)[:, None]
    groups = [0, 0, 0, 0, 1, 1, 1, -1, 2]
    found = propagate_labels(X, [5, 5, 7, -1, 9, 2, -1, -1, -1], groups=groups)
    assert found.labels.tolist() == [5, 5, 7, 5, 9, 2, 2, -1, -1]
    assert found.n_unlabelled == 2
    np.testing.assert_allclose(found.confidence, [0.5, 0.5, 0, 2 / 3, 0, 0, 0.5, 0, 0])
    assert found.contradictions.tolist() == [2, 4, 5]
    assert found.suggestions.tolist() == [5, 2, 9]
    assert found.classes.tolist() == [2, 5, 7, 9]


def test_a_share_of_each_group_nearest_its_mean():
    """Law: with share=0.5 the half of each group that is nearest to its mean gets the label."""
    X = np.array([[0.0], [1.0], [2.0], [10.0], [50.0], [51.0], [52.0], [53.0]])
    found = propagate_labels(X, [1, -1, -1, -1, -1, -1, 2, -1], groups=[0] * 4 + [1] * 4, share=0.5)
    nearest = np.argsort(np.abs(X[:4, 0] - X[:4].mean()), kind="stable")[:2]
    assert set(np.flatnonzero(found.labels[:4] == 1)) == set(nearest) | {0}


def test_labels_follow_the_shape_of_the_data():
    """Law: one label in each moon is enough for all rows."""
    given = few(SIDES, [np.flatnonzero(side == SIDES)[0] for side in (0, 1)])
    found = propagate_labels(MOONS, given, n_neighbors=8)
    np.testing.assert_array_equal(found.labels, SIDES)
    assert not len(found.contradictions)


def test_the_graph_gives_the_answer_of_a_linear_system():
    """Law: shares solve F = alpha S F + (1 - alpha) Y, as NumPy's dense solution says."""
    given = few(SIDES, [0, 1, 7, 50])
    found = propagate_labels(MOONS, given, n_neighbors=6, alpha=0.8)
    W = neighbour_graph(MOONS, 6).weights.toarray()
    roots = 1 / np.sqrt(W.sum(axis=1))
    start = np.stack([given == 0, given == 1], axis=1).astype(float)
    start /= start.sum(axis=0)
    F = np.linalg.solve(np.eye(200) - 0.8 * roots[:, None] * W * roots, start)
    unknown = given == -1
    np.testing.assert_array_equal(found.labels[unknown], F.argmax(axis=1)[unknown])
    expected = (F / F.sum(axis=1, keepdims=True)).max(axis=1)
    np.testing.assert_allclose(found.confidence[unknown], expected[unknown], atol=1e-3)


@pytest.mark.filterwarnings("ignore:max_iter")
def test_as_right_as_scikit_learns_spreading():
    """Law: with 50 labels of digits the graph is right as often as scikit-learn's, the groups less."""
    X, classes = load_digits(return_X_y=True)
    X, chosen = X[:900], select_to_label(X[:900], 50, random_state=0)
    given = few(classes[:900], chosen.rows)
    ours = (propagate_labels(X, given).labels == classes[:900]).mean()
    theirs = LabelSpreading(kernel="knn", n_neighbors=15, alpha=0.9).fit(X, given).transduction_
    by_group = (propagate_labels(X, given, groups=chosen.groups).labels == classes[:900]).mean()
    assert ours >= (theirs == classes[:900]).mean()
    assert ours > by_group > 0.9


@pytest.mark.parametrize("by_group", [True, False])
def test_wrong_labels_are_reported(by_group):
    """Law: given labels stay; those that the others contradict are listed, with what the others say."""
    known = np.arange(0, 200, 4)
    given = few(SIDES, known)
    wrong = known[::10]
    given[wrong] = 1 - given[wrong]
    groups = SIDES if by_group else None
    found = propagate_labels(MOONS, given, groups=groups)
    np.testing.assert_array_equal(found.labels[known], given[known])
    assert set(found.contradictions) == set(wrong)
    np.testing.assert_array_equal(found.suggestions, SIDES[found.contradictions])


def test_parts_that_no_label_reaches_stay_without():
    """Law: rows of a part of the graph without a label stay -1."""
    X = np.concatenate([np.arange(6.0), 100 + np.arange(6.0)])[:, None]
    found = propagate_labels(X, [3] + [-1] * 11, n_neighbors=2)
    assert found.labels.tolist() == [3] * 6 + [-1] * 6
    assert (found.confidence[6:] == 0).all()


@pytest.mark.parametrize(
    ("y", "options", "words"),
    [
        ([-1] * 200, {}, "must have a label other than -1"),
        (["a"] * 200, {}, "must be whole numbers in one dimension"),
        ([0, 1], {}, "for each of the 200 rows of X, got 2"),
        (SIDES, {"groups": [0, 1]}, "groups of propagate_labels must have a group for each"),
        (SIDES, {"share": 0.0, "groups": SIDES}, "share of propagate_labels must be"),
        (SIDES, {"alpha": 1.0}, "alpha of propagate_labels must be"),
        (SIDES, {"n_neighbors": 0}, "n_neighbors of propagate_labels must be"),
    ],
    ids=str,
)
def test_wrong_input_is_refused(y, options, words):
    """Law: an error says what, where, allowed and got."""
    with pytest.raises(CoterieError, match=words):
        propagate_labels(MOONS, y, **options)


def test_rows_that_are_not_finite_are_refused_and_one_row_is_fine():
    """Law: NaN is refused with its place; a single row keeps its label."""
    with pytest.raises(CoterieError, match="NaN"):
        propagate_labels([[np.nan], [1.0], [2.0]], [0, -1, -1])
    with pytest.raises(CoterieError, match="NaN"):
        propagate_labels([[np.nan], [1.0], [2.0]], [0, -1, -1], groups=[0, 0, 0])
    assert propagate_labels([[1.0]], [4]).labels.tolist() == [4]
    for X in (None, 3.0, "rows", [], [[]]):
        with pytest.raises(CoterieError):
            propagate_labels(X, [0, -1])
    labels = KMeans(1).fit_predict(np.ones((5, 2)))
    assert propagate_labels(np.ones((5, 2)), [2, -1, -1, -1, -1], groups=labels).labels.tolist() == [2] * 5
