"""Clustering without questions on measurements whose classes are known, and on many columns."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import datasets
from sklearn.metrics import adjusted_rand_score

import coterie
from coterie.data import as_table, prepare_rows


def test_wine_has_three_kinds():
    """Law: three cultivars, thirteen columns in different units."""
    X, y = datasets.load_wine(return_X_y=True)
    found = coterie.fit(X)
    assert found.k == 3
    assert adjusted_rand_score(y, found.labels) > 0.7
    assert found.groups.recipe.scale == "standard"


def test_iris_has_two_and_perhaps_three():
    """Law: two species that no valley divides are one group, and the runners-up say that three are near."""
    X, _ = datasets.load_iris(return_X_y=True)
    found = coterie.fit(X)
    assert found.k == 2
    assert 3 in {candidate.k for candidate in found.runners_up}


@pytest.mark.parametrize(("k", "d"), [(4, 12), (5, 60)])
def test_many_columns(k, d):
    """Law: groups are found where neighbourhoods see little, and pictures are not standardised."""
    rng = np.random.default_rng(k)
    centres = rng.normal(size=(k, d))
    centres *= 6 / min(np.linalg.norm(a - b) for at, a in enumerate(centres) for b in centres[:at])
    X = np.concatenate([rng.normal(centre, 1, (80, d)) for centre in centres])
    found = coterie.fit(X, budget="fast")
    assert found.k == k
    assert adjusted_rand_score(np.repeat(np.arange(k), 80), found.labels) > 0.95


def test_pictures_are_not_standardised():
    """Law: columns of one unit stay as they are although some hardly vary; with one in another, not."""
    rows, _ = datasets.load_digits(return_X_y=True)
    salary = np.random.default_rng(0).normal(30_000, 9_000, (len(rows), 1))
    how = [prepare_rows(as_table(X)).scaling.how for X in (rows, np.c_[rows, salary])]
    assert how == ["none", "standard"]
