"""Names of SciPy that are called otherwise here."""

from __future__ import annotations

import re
from importlib import import_module

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial import distance
from sklearn import metrics

from coterie._support.hints import EQUIVALENTS

OTHERS = {"coterie.tree": (hierarchy,), "coterie.distance": (distance, metrics)}
NAMES = [(module, name) for module, table in EQUIVALENTS.items() for name in table]


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_a_name_of_scipy_says_what_to_write(module, name):
    """Law: a well-known name that is absent says its equivalent, which begins with a name that exists."""
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute '{name}': write ") as found:
        getattr(import_module(module), name)
    instead = str(found.value).partition(": write ")[2]
    first = re.match(r"[\w.]+", instead).group()
    if first.startswith(("coterie.", "scipy.")):
        home, _, first = first.rpartition(".")
        assert hasattr(import_module(home), first)
    else:
        assert hasattr(import_module(module), first.partition(".")[0])


@pytest.mark.parametrize(("module", "name"), NAMES)
def test_the_names_are_those_of_others(module, name):
    """Law: every name of the table is one of SciPy, scikit-learn or fastcluster."""
    assert name == "linkage_vector" or any(hasattr(other, name) for other in OTHERS[module])


def test_any_other_name_gets_the_nearest():
    """Law: a misspelt name gets the nearest one, and no module grows names by being asked."""
    with pytest.raises(AttributeError, match=r"has no attribute 'linkages'\. Did you mean \"linkage\"\?"):
        _ = import_module("coterie.tree").linkages
    assert not hasattr(import_module("coterie.distance"), "nothing_of_the_kind")


# what these two learn from rows is given where there are two sets of them
LEARNED = {
    "seuclidean": lambda X: {"V": X.var(axis=0, ddof=1)},
    "mahalanobis": lambda X: {"VI": np.linalg.inv(np.cov(X.T))},
}


def test_distances_by_name_are_those_of_scipy():
    """Law: where the table sends a distance of SciPy, its matrix is SciPy's."""
    rows = np.random.default_rng(0).normal(size=(30, 12))
    pairwise_distances = import_module("coterie.distance").pairwise_distances
    for name, instead in EQUIVALENTS["coterie.distance"].items():
        if instead == f'pairwise_distances(X, Y, "{name}")':
            X = rows > 0 if name in ("dice", "jaccard") else rows
            learned = LEARNED.get(name, lambda X: {})(X)
            assert pairwise_distances(X, X[:5], name, **learned) == pytest.approx(
                distance.cdist(X, X[:5], name, **learned), abs=1e-12, nan_ok=True
            )
