"""What is judged: no copies, no codes of categories, no numbers whose squares vanish."""

from __future__ import annotations

import numpy as np
import pytest

import coterie
from coterie.cluster import KMeans
from coterie.errors import InvalidData
from coterie.pipeline.judge.rounding import spread_rounded
from coterie.pipeline.rows.sampling import without_copies


def test_copies_are_one_observation():
    """Rows that a join repeated make no groups, and have the label of the row they copy."""
    rng = np.random.default_rng(0)
    one = rng.normal(size=(80, 2))
    found = coterie.fit(np.repeat(one, 5, axis=0), budget="fast")
    assert found.k == 1
    assert any("320 of 400 rows repeat others" in note for note in found.notes)
    two = np.r_[one, one + 9]
    labels = coterie.fit(np.repeat(two, 3, axis=0), budget="fast").labels.reshape(-1, 3)
    assert (labels == np.repeat([labels[0, 0], labels[-1, 0]], 80)[:, None]).all()
    assert labels[0, 0] != labels[-1, 0]


def test_equal_rows_of_whole_numbers_stay():
    """Rows of rounded numbers are equal by rounding; a few copies change nothing."""
    rng = np.random.default_rng(0)
    assert len(without_copies(rng.integers(0, 6, (400, 2)).astype(float))) == 400
    X = rng.normal(size=(400, 2))
    assert len(without_copies(np.r_[X, X[:9]])) == 409
    assert len(without_copies(np.r_[X, X])) == 400


def test_a_category_in_columns_makes_no_groups():
    """One-hot columns are spread over the shares that they round: a category by itself is not a valley."""
    rng = np.random.default_rng(0)
    X = np.c_[rng.normal(size=(400, 2)), np.eye(4)[rng.integers(0, 4, 400)]]
    spread = spread_rounded(X)
    assert (spread[:, 2:].argmax(axis=1) == X[:, 2:].argmax(axis=1)).all()
    assert np.allclose(spread[:, 2:].sum(axis=1), 1.0)
    assert np.allclose(spread[:, 2:].std(axis=0), X[:, 2:].std(axis=0), rtol=0.2)
    assert coterie.fit(X, budget="fast").k == 1


def test_numbers_whose_squares_vanish_are_refused():
    """Tiny data are refused with the way out, not given one group; new rows may be tiny."""
    X = np.r_[np.zeros((5, 2)), np.ones((5, 2))]
    with pytest.raises(
        InvalidData, match=r'column "column_1" has no value above 1e-200.*Multiply the column'
    ):
        coterie.fit(1e-200 * X)
    with pytest.raises(InvalidData, match=r"only values too small for float64: the largest is 1e-200, in"):
        KMeans(2).fit(1e-200 * X)
    assert KMeans(2).fit(1e-140 * X).inertia_ == 0.0
    assert KMeans(1).fit(np.zeros((5, 2))).inertia_ == 0.0
    model = KMeans(2, random_state=0).fit(X)
    assert (model.predict(1e-200 * X) == model.labels_[0]).all()


def test_groups_of_ten_rows():
    """Three groups of ten rows, far apart, are found."""
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.normal(centre, 1, (10, 2)) for centre in ([0, 0], [12, 0], [0, 12])])
    assert coterie.fit(X, budget="fast").k == 3
