"""Native functions keep the precision of the arrays they are given, whatever the type of other arguments."""

import numpy as np
import pytest

from coterie import _core
from coterie.cluster import SpectralClustering
from coterie.distance import find_distance


def test_a_whole_number_does_not_change_the_precision():
    """Law: a factor, scale or threshold that is a whole number means what the same float means."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    V = np.random.default_rng(1).normal(size=(40, 2))
    np.testing.assert_array_equal(_core.affinity_product(X, X, V, 2), _core.affinity_product(X, X, V, 2.0))
    scaled = X.copy()
    _core.exponentiate(scaled, -3)
    np.testing.assert_allclose(scaled, np.exp(-3 * X), rtol=1e-13)
    just_beyond = np.array([[0.0], [1.0 + 1e-12]])
    metric = find_distance("euclidean").metric
    assert _core.count_below(just_beyond, just_beyond, metric, 1).tolist() == [1, 1]


def test_other_types_and_orders_are_refused():
    """Law: what would have to be copied first is refused: a copy in float32 is not the array."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    metric = find_distance("euclidean").metric
    for other in (np.asfortranarray(X), X.astype(int), X.astype(np.float16)):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            _core.pairwise_self(other, metric)


@pytest.mark.parametrize("affinity", ["rbf", "self_tuning"])
@pytest.mark.parametrize("gamma", [3, 3.0])
def test_eigenvalues_of_affinities_that_are_not_stored(affinity, gamma):
    """Law: they are those of I - D^(-1/2) W D^(-1/2), without weights of rows with themselves."""
    X = np.random.default_rng(0).normal(size=(150, 2))
    model = SpectralClustering(3, affinity=affinity, gamma=gamma, random_state=0, eigen_tol=1e-9).fit(X)
    W = model.affinity_matrix_.copy()
    np.fill_diagonal(W, 0.0)
    roots = np.sqrt(W.sum(axis=1))
    expected = np.linalg.eigvalsh(np.eye(len(X)) - W / np.outer(roots, roots))[:4]
    np.testing.assert_allclose(model.eigenvalues_, expected, atol=1e-9)
