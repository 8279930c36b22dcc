"""Laws that every measure of data and a labeling obeys, read from its facts."""

import importlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import measures

INTERNAL = measures("data")
WEIGHTED = [measure for measure in INTERNAL if measure.takes_sample_weight]
WITH_PEER = [measure for measure in INTERNAL if measure.peer is not None]
ANY_NUMBER_OF_GROUPS = {"sse", "bss", "ball_hall"}  # defined for one cluster, and for singletons
ROUNDING = 1e-9

few = settings(max_examples=15)
every_measure = pytest.mark.parametrize("measure", INTERNAL, ids=lambda measure: measure.name)
every_weighted = pytest.mark.parametrize("measure", WEIGHTED, ids=lambda measure: measure.name)
every_peer = pytest.mark.parametrize("measure", WITH_PEER, ids=lambda measure: measure.name)


FOUR_LABELS = st.integers(0, 3)


@st.composite
def clusterings(draw, *, labels=FOUR_LABELS):
    """Small data on a grid, with ties and equal rows, and two clusters or more."""
    n = draw(st.integers(5, 24))
    d = draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(-6, 7, (n, d)) / 2
    found = np.array(draw(st.lists(labels, min_size=n, max_size=n)))
    found[:4] = [0, 0, 1, 1]
    return X, found


@pytest.fixture(scope="module")
def example():
    """Three round clusters that hardly overlap."""
    rng = np.random.default_rng(8)
    labels = np.repeat([0, 1, 2], [30, 20, 10])
    return rng.normal(size=(60, 2)) + 6 * np.array([[0, 0], [1, 0], [0, 1]])[labels], labels


@every_measure
def test_range(measure):
    """Law: values lie in the stated range and are Python floats."""

    @few
    @given(clusterings())
    def check(clustering):
        value = measure(*clustering)
        assert type(value) is float
        assert measure.low - ROUNDING <= value <= measure.high + ROUNDING

    check()


@every_measure
def test_direction(measure, example):
    """Law: clusters that are there score better than the same sizes at random."""
    X, labels = example
    shuffled = np.random.default_rng(0).permutation(labels)
    good, bad = measure(X, labels), measure(X, shuffled)
    assert good > bad if measure.greater_is_better else good < bad


@every_measure
def test_names_and_order_do_not_matter(measure, example):
    """Law: text, gaps, another order of names, and another order of samples leave the value as it is."""
    X, labels = example
    value = measure(X, labels)
    for renamed in (np.array(["delta", "beta", "alpha"])[labels], -5 - 7 * labels, (2.0 - labels).tolist()):
        assert measure(X, renamed) == pytest.approx(value, rel=1e-10)
    order = np.random.default_rng(1).permutation(60)
    assert measure(X[order], labels[order]) == pytest.approx(value, rel=1e-10)


@every_measure
def test_place_does_not_matter(measure, example):
    """Law: moving all data leaves every measure as it is."""
    X, labels = example
    assert measure(X + 100.0, labels) == pytest.approx(measure(X, labels), rel=1e-8)


@every_measure
def test_scale_is_as_claimed(measure, example):
    """Law: a change of unit changes nothing where the catalogue says so, and something otherwise."""
    X, labels = example
    is_same = measure(X * 1024.0, labels) == pytest.approx(measure(X, labels), rel=1e-9)
    assert is_same == measure.is_scale_free


@every_measure
def test_float32(measure, example):
    """Law: single precision gives the value of double precision of the same numbers."""
    X, labels = example
    single = X.astype(np.float32)
    assert measure(single, labels) == pytest.approx(measure(single.astype(np.float64), labels), rel=2e-4)


def test_which_measures_take_weights():
    """Law: all but those that put single pairs or core distances in order, where copies are not weights."""
    without = {measure.name for measure in INTERNAL} - {measure.name for measure in WEIGHTED}
    assert without == {"c_index", "gamma", "tau", "dbcv"}


@every_weighted
def test_whole_weights_are_copies(measure):
    """Law: a weight of n is n equal rows, a weight of 0 is none; weights of 1 change nothing."""

    @few
    @given(clusterings(), st.integers(0, 2**32 - 1))
    def check(clustering, seed):
        X, labels = clustering
        rng = np.random.default_rng(seed)
        # no two centroids at one place, and no two medians of a line: there rounding decides
        X = np.column_stack([X + 0.1 * rng.random(X.shape), rng.random(labels.size)])
        weights = rng.integers(0, 4, labels.size)
        weights[:4] += 1
        rows = np.repeat(np.arange(labels.size), weights)
        weighted, copied = measure(X, labels, sample_weight=weights), measure(X[rows], labels[rows])
        assert type(weighted) is float
        assert weighted == pytest.approx(copied, rel=1e-9, abs=1e-9)
        ones = measure(X, labels, sample_weight=np.ones(labels.size))
        assert ones == pytest.approx(measure(X, labels), rel=1e-9, abs=1e-9)

    check()


@every_weighted
def test_wrong_weights_are_refused(measure, example):
    """Law: weights are one number per sample, none negative, not all 0."""
    X, labels = example
    for weights, message in (
        (np.ones(3), "needs a weight per row"),
        (-np.ones(60), "Negative values in data passed to `sample_weight`"),
        (np.zeros(60), "at least one non-zero number"),
    ):
        with pytest.raises(InvalidData, match=message):
            measure(X, labels, sample_weight=weights)


@every_peer
def test_peer(measure):
    """Law: the peer gives the same values."""
    module, _, name = measure.peer.rpartition(".")
    peer = getattr(importlib.import_module(module), name)

    @few
    @given(clusterings())
    def check(clustering):
        assert measure(*clustering) == pytest.approx(peer(*clustering), rel=1e-7, abs=1e-7)

    check()


@every_measure
def test_noise_policies(measure):
    """Law: "exclude" leaves noise out, "singletons" gives each its own cluster, "cluster" makes one of it."""

    @few
    @given(clusterings(labels=st.integers(-1, 2)))
    def check(clustering):
        X, labels = clustering
        kept = labels != -1
        alone = np.where(kept, labels, 100 + np.arange(labels.size))
        for noise, rows, same in (
            ("cluster", slice(None), np.where(kept, labels, 50)),
            ("exclude", kept, labels[kept]),
            ("singletons", slice(None), alone),
        ):
            assert measure(X, labels, noise=noise) == pytest.approx(
                measure(X[rows], same), rel=1e-9, abs=1e-9
            )

    check()
    with pytest.raises(InvalidParameter, match='must be one of "cluster", "exclude", "singletons"'):
        measure([[0.0], [1.0], [2.0]], [0, 0, 1], noise="outlier")


@every_measure
@pytest.mark.parametrize("labels", [[0] * 6, list(range(6))], ids=["one cluster", "singletons"])
def test_one_cluster_and_singletons(measure, labels):
    """Law: trivial labelings have a value or are refused in the words of scikit-learn."""
    X = np.random.default_rng(2).normal(size=(6, 2))
    if measure.name in ANY_NUMBER_OF_GROUPS:
        assert measure.low <= measure(X, labels) <= measure.high
        return
    with pytest.raises(InvalidData, match=r"Number of labels is \d\. Valid values are 2 to n_samples - 1"):
        measure(X, labels)


@every_measure
def test_some_singletons(measure, example):
    """Law: clusters of one sample have no extent, and nothing breaks."""
    X, labels = example
    labels = labels.copy()
    labels[:3] = [7, 8, 9]
    assert np.isfinite(measure(X, labels))


@every_measure
def test_equal_rows(measure):
    """Law: data without any distance have a value, and no warning."""
    value = measure(np.ones((10, 2)), [0] * 5 + [1] * 5)
    assert measure.low <= value <= measure.high


@every_measure
def test_inputs_are_left_alone(measure, example):
    """Law: inputs are not changed, also when they are read-only or not contiguous."""
    X, labels = example
    value = measure(X, labels)
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    assert measure(frozen, labels.astype(np.int8)) == pytest.approx(value, rel=1e-12)
    assert np.array_equal(frozen, X)


@every_measure
@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        ([[0.0], [1.0], [2.0]], [0, 0, 1, 1], "inconsistent numbers of samples"),
        ([[0.0], [np.nan], [2.0]], [0, 0, 1], "contains NaN"),
        ([[0.0], [1.0], [2.0]], [[0], [0], [1]], "labels must be 1D"),
        ([[0.0], [1.0], [2.0]], [], "0 sample"),
    ],
    ids=["lengths", "NaN", "2-D labels", "no labels"],
)
def test_wrong_input_is_refused(measure, X, labels, message):
    """Law: every measure refuses what it cannot use, in the same words."""
    with pytest.raises(InvalidData, match=message):
        measure(X, labels)
