"""s_dbw and dbcv against loops over the papers' formulas."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

import internal_oracles as oracle
from coterie import evaluate
from coterie.errors import InvalidParameter


def clustering(seed, *, noise=False):
    """Return thirty rows in three uneven clusters that overlap."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat([0, 1, 2], [15, 10, 5]))
    X = rng.normal(size=(30, int(rng.integers(1, 4)))) + 2.5 * labels[:, None]
    return X, np.where(rng.random(30) < 0.2, -1, labels) if noise else labels


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_s_dbw_is_its_definition(seed):
    """Law: scatter and density between clusters as the loops over the paper's formulas give them."""
    X, labels = clustering(seed)
    assert evaluate.s_dbw(X, labels) == pytest.approx(oracle.s_dbw(X, labels), rel=1e-12)


@pytest.mark.parametrize("power", [-600, -300, 300, 480])
def test_s_dbw_has_no_unit(power):
    """Law: in any unit it is the same number, where squares of variances leave the range of numbers too."""
    X, labels = clustering(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate.s_dbw(np.ldexp(X, power), labels) == evaluate.s_dbw(X, labels)


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_dbcv_is_its_definition(seed):
    """Law: core distances, trees, sparseness and separation as loops over the definitions give."""
    X, labels = clustering(seed, noise=True)
    expected = oracle.dbcv(cdist(X, X), labels.tolist(), X.shape[1])
    assert evaluate.dbcv(X, labels) == pytest.approx(expected, abs=1e-12)


def test_dbcv_of_equal_rows_and_grids():
    """Law: where distances are equal or 0 the loops give the same."""
    X = np.array(
        [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1], [6, 6], [6, 7], [7, 6], [7, 7], [8, 8]], dtype=float
    )
    labels = [0] * 5 + [1] * 5
    assert evaluate.dbcv(X, labels) == pytest.approx(oracle.dbcv(cdist(X, X), labels, 2), abs=1e-12)


def test_dbcv_of_distances_needs_the_dimension():
    """Law: distances do not tell the dimension of the data, so it is asked for; `assess` leaves dbcv out."""
    X, labels = clustering(0)
    D = cdist(X, X)
    with pytest.raises(InvalidParameter, match='n_features of dbcv must be given with metric="precomputed"'):
        evaluate.dbcv(D, labels, metric="precomputed")
    how = {"metric": "precomputed", "n_features": X.shape[1]}
    assert evaluate.dbcv(D, labels, **how) == pytest.approx(evaluate.dbcv(X, labels), abs=1e-12)
    assert "dbcv" not in evaluate.assess(D, labels, metric="precomputed")
    assert evaluate.assess(D, labels, **how)["dbcv"] == pytest.approx(evaluate.dbcv(X, labels), abs=1e-12)
