"""How many labels clustering saves, and clusters as features in scikit-learn's pipelines."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from coterie.cluster import KMeans
from coterie.errors import CoterieError
from coterie.label import LabelSavings, label_savings
from coterie.show import plots

PIXELS, DIGITS = load_digits(return_X_y=True)
PIXELS = PIXELS / 16


def test_typical_digits_save_labels():
    """Law: 50 typical digits teach more than 50 random ones, and more with propagation."""
    options = {"strategies": ["typical", "random"], "n_repeats": 2, "random_state": 0}
    plain = label_savings(PIXELS, DIGITS, [50, 100], **options)
    spread = label_savings(PIXELS, DIGITS, [50], propagate=True, **options)
    assert plain.means[0, 0] > plain.means[1, 0] + 0.03
    assert spread.means[0, 0] > plain.means[0, 0]
    assert plain.saved(50) > 0
    assert plain.all_labels.mean() > plain.means.max()
    assert plain.n_rows == 1198
    again = label_savings(PIXELS, DIGITS, [50, 100], **options)
    np.testing.assert_array_equal(again.accuracy, plain.accuracy)


def test_any_classifier_and_any_labels():
    """Law: names of classes are as good as numbers; the classifier given is the one that learns."""
    X, kinds = make_blobs(60, centers=3, cluster_std=0.2, random_state=0)
    names = np.array(["a", "b", "c"])[kinds]
    model = KNeighborsClassifier(1)
    found = label_savings(X, names, [3], strategies=["typical", "coreset"], estimator=model, random_state=0)
    np.testing.assert_array_equal(found.means, 1.0)
    assert not hasattr(model, "classes_")


CURVE = LabelSavings(
    np.array([10, 20, 40]),
    ("typical", "random"),
    np.array([[[0.6], [0.8], [0.9]], [[0.5], [0.6], [0.8]]]),
    np.array([0.95]),
    100,
    False,
)


def test_numbers_of_labels_are_read_off_the_curve():
    """Law: between two numbers the curve is straight; what is not reached needs infinitely many labels."""
    assert CURVE.labels_for(0.7, "typical") == pytest.approx(15)
    assert CURVE.labels_for(0.1, "random") == 10
    assert CURVE.labels_for(0.85, "random") == np.inf
    assert CURVE.saved(20) == pytest.approx(20)
    assert str(CURVE).splitlines()[1].split() == ["typical", "60.0%", "80.0%", "90.0%"]
    with pytest.raises(CoterieError, match=r"n of saved must be one of \[10, 20, 40\], got 11"):
        CURVE.saved(11)
    with pytest.raises(CoterieError, match="strategy must be one of typical, random"):
        CURVE.saved(10, "best")


def test_the_picture_shows_every_curve():
    """Law: a line per strategy with its means, and one for all labels."""
    ax = plots.label_savings(CURVE)
    lines = {line.get_label(): line for line in ax.lines}
    np.testing.assert_allclose(lines["typical"].get_ydata(), [0.6, 0.8, 0.9])
    np.testing.assert_allclose(lines["random"].get_xdata(), [10, 20, 40])
    assert [text.get_text() for text in ax.texts] == ["all 100 labels"]


@pytest.mark.parametrize(
    ("y", "numbers", "options", "words"),
    [
        (DIGITS[:5], [2], {}, "must have a class for each of the 60 rows, got 5"),
        (DIGITS[:60], [50], {}, "at most 40, the rows that are not held out, got 50"),
        (DIGITS[:60], [], {}, "whole numbers from 1 on"),
        (DIGITS[:60], [0], {}, "whole numbers from 1 on"),
        (DIGITS[:60], ["a"], {}, "numbers of label_savings must be"),
        (DIGITS[:60], [5], {"strategies": ["best"]}, "must be some of typical, coreset"),
        (np.zeros(60, dtype=int), [5], {}, "two classes or more, got one"),
        (DIGITS[:60], [5], {"n_repeats": 0}, "n_repeats of label_savings must be"),
        (DIGITS[:60], [5], {"test_share": 1.5}, "test_share of label_savings must be"),
    ],
    ids=str,
)
def test_wrong_input_is_refused(y, numbers, options, words):
    """Law: an error says what, where, allowed and got."""
    with pytest.raises(CoterieError, match=words):
        label_savings(PIXELS[:60], y, numbers, **options)


def test_clusters_are_features_in_a_pipeline():
    """Law: distances to centres are features; a grid search over the number of groups finds what helps."""
    train, test, learned, truth = train_test_split(PIXELS, DIGITS, test_size=0.5, random_state=0)
    model = make_pipeline(KMeans(random_state=0, n_init=1), LogisticRegression(max_iter=3000))
    search = GridSearchCV(model, {"kmeans__n_clusters": [5, 60]}, cv=2).fit(train, learned)
    assert search.best_params_ == {"kmeans__n_clusters": 60}
    plain = LogisticRegression(max_iter=3000).fit(train, learned).score(test, truth)
    assert search.score(test, truth) >= plain - 0.01
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert (names[0], len(names)) == ("kmeans0", 60)
