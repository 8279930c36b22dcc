"""Laws that every measure of the catalogue obeys, read from its facts."""

import importlib
import math
import re
from inspect import getdoc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie import evaluate
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate import find_measure, measures
from external_oracles import two_labelings

REFERENCES = Path(__file__).parents[2] / "docs" / "references.md"
EXTERNAL = measures("labelings")
WITH_PEER = [measure for measure in EXTERNAL if measure.peer is not None]
ROUNDING = 1e-12
EXAMPLE = [0, 0, 0, 0, 1, 1, 1, 2, 2, 3], [0, 0, 0, 1, 1, 1, 2, 2, 2, 2]

few = settings(max_examples=25)  # per measure and law

every_measure = pytest.mark.parametrize("measure", measures(), ids=lambda measure: measure.name)
every_external = pytest.mark.parametrize("measure", EXTERNAL, ids=lambda measure: measure.name)
every_peer = pytest.mark.parametrize("measure", WITH_PEER, ids=lambda measure: measure.name)


def peer_of(measure):
    module, _, name = measure.peer.rpartition(".")
    return getattr(importlib.import_module(module), name)


def is_no_better(measure, value, other):
    """Whether `value` is at most as good as `other`, up to rounding."""
    return value <= other + ROUNDING if measure.greater_is_better else value >= other - ROUNDING


@every_measure
def test_facts_are_complete(measure):
    """Law: a measure is public, has a range, a sentence, an example, and a source that is listed."""
    assert getattr(evaluate, measure.name) is measure.function
    assert measure.low < measure.high
    assert re.fullmatch(r".{20,109}\.", measure.summary)
    assert re.search(r"^Examples\n-+\n>>> ", getdoc(measure.function), re.MULTILINE)
    assert f'<a id="{measure.reference}"></a>**{measure.reference}**' in REFERENCES.read_text()
    assert find_measure(measure.name) is measure is find_measure(measure.symbol)


def test_names_and_symbols_are_unique():
    """Law: a name or a symbol means one measure, and a source is listed once."""
    names = [measure.name for measure in measures()] + [measure.symbol for measure in measures()]
    assert len(set(names)) == len(names) - sum(measure.name == measure.symbol for measure in measures())
    keys = re.findall(r'<a id="([^"]+)">', REFERENCES.read_text())
    assert len(set(keys)) == len(keys)


def test_catalogue_answers_by_need():
    """Law: every measure needs one kind of input, and asking for it lists them all."""
    kinds = {measure.needs for measure in measures()}
    assert sum(len(measures(kind)) for kind in kinds) == len(measures())
    with pytest.raises(InvalidParameter, match='needs of measures must be one of "labelings", "memberships"'):
        measures("labels")


@every_external
def test_range(measure):
    """Law: values lie in the stated range and are Python floats."""

    @few
    @given(two_labelings())
    def check(labelings):
        value = measure(*labelings)
        assert type(value) is float
        assert measure.low - ROUNDING <= value <= measure.high + ROUNDING

    check()


@every_external
def test_direction(measure):
    """Law: against a truth, nothing is better than the truth itself."""

    @few
    @given(two_labelings())
    def check(labelings):
        truth, found = labelings
        assert is_no_better(measure, measure(truth, found), measure(truth, truth))

    check()


@every_external
def test_perfect_clustering_has_the_best_value(measure):
    """Law: where the best value is finite, the truth under other names reaches it."""
    truth = [0, 0, 0, 1, 1, 2, 2, 2]
    renamed = [7, 7, 7, 3, 3, 5, 5, 5]
    if math.isfinite(measure.best):
        assert measure(truth, renamed) == pytest.approx(measure.best, abs=1e-15)


@every_external
def test_names_do_not_matter(measure):
    """Law: text, gaps, negative numbers, floats and another order of samples leave the value as it is."""
    first, second = np.array(EXAMPLE)
    order = np.random.default_rng(0).permutation(first.size)
    value = measure(first, second)
    for rename in (
        lambda labels: np.array(["delta", "beta", "alpha", "gamma"])[labels],
        lambda labels: np.array(["delta", "beta", "alpha", "gamma"], dtype=object)[labels],
        lambda labels: -5 - 7 * labels,
        lambda labels: (labels * 2**55).astype(np.int64),
        lambda labels: (200 - labels).astype(np.uint8),
        lambda labels: labels.astype(np.float32),
        lambda labels: (3 - labels).tolist(),
    ):
        renamed = np.asarray(rename(first)), rename(second)
        assert measure(*renamed) == pytest.approx(value, abs=1e-14)
        assert measure(renamed[0][order], second[order]) == pytest.approx(value, abs=1e-14)


@every_external
def test_permutations_of_labels(measure):
    """Law: whatever the labelings, exchanging the names of clusters changes nothing."""

    @few
    @given(two_labelings(labels=st.integers(0, 4)), st.permutations(range(5)), st.permutations(range(5)))
    def check(labelings, renamed_classes, renamed_clusters):
        renamed = [renamed_classes[i] for i in labelings[0]], [renamed_clusters[i] for i in labelings[1]]
        assert measure(*renamed) == pytest.approx(measure(*labelings), abs=1e-9)

    check()


@every_external
def test_symmetry_is_as_claimed(measure):
    """Law: symmetric measures may be turned round; the others differ at least once."""
    if not measure.is_symmetric:
        assert measure(*EXAMPLE) != pytest.approx(measure(*EXAMPLE[::-1]))
        return

    @few
    @given(two_labelings())
    def check(labelings):
        assert measure(*labelings) == pytest.approx(measure(*labelings[::-1]), abs=1e-9)

    check()


@every_external
def test_adjustment_is_as_claimed(measure):
    """Law: of random labelings, adjusted measures are 0 on average, or little more if they end at 0."""
    if not measure.is_adjusted:
        return
    rng = np.random.default_rng(1)
    values = [measure(*rng.integers(0, 8, (2, 400))) for _ in range(60)]
    assert abs(np.mean(values)) < (0.01 if measure.low < 0 else 0.1)


@every_peer
def test_peer(measure):
    """Law: the peer gives the same values, to 1e-10."""
    peer = peer_of(measure)

    @few
    @given(two_labelings(least=1, most=60))
    def check(labelings):
        assert measure(*labelings) == pytest.approx(peer(*labelings), abs=1e-10)

    check()


@every_peer
def test_peer_on_many_samples(measure):
    """Law: as with the peer for thousands of samples and uneven clusters."""
    rng = np.random.default_rng(2)
    truth = np.minimum(rng.geometric(0.2, 4_000), 12)
    found = np.where(rng.random(4_000) < 0.6, truth, rng.integers(0, 20, 4_000))
    assert measure(truth, found) == pytest.approx(peer_of(measure)(truth, found), abs=1e-10)


@every_external
def test_noise_policies(measure):
    """Law: "exclude" leaves noise out, "singletons" gives each its own cluster, "cluster" is the default."""
    assert measure.noise == "cluster"

    @few
    @given(two_labelings(labels=st.integers(-1, 3)))
    def check(labelings):
        kept = [pair for pair in zip(*labelings, strict=True) if -1 not in pair]
        without = [first for first, _ in kept], [second for _, second in kept]
        alone = [[c if c != -1 else 100 + i for i, c in enumerate(labels)] for labels in labelings]
        assert measure(*labelings, noise="cluster") == measure(*labelings)
        assert measure(*labelings, noise="exclude") == pytest.approx(measure(*without), abs=1e-9)
        assert measure(*labelings, noise="singletons") == pytest.approx(measure(*alone), abs=1e-9)

    check()
    with pytest.raises(InvalidParameter, match='must be one of "cluster", "exclude", "singletons"'):
        measure([0, 1], [0, 1], noise="outlier")


@every_external
@pytest.mark.parametrize("n", [1, 2, 9])
def test_one_cluster_and_singletons(measure, n):
    """Law: the trivial labelings have finite values in range, and agree with themselves."""
    together, apart = [0] * n, list(range(n))
    for truth in (together, apart):
        best = measure(truth, truth)
        for found in (together, apart):
            value = measure(truth, found)
            assert measure.low <= value <= measure.high
            assert is_no_better(measure, value, best)


@every_external
def test_empty_labelings(measure):
    """Law: nothing is wrong with nothing; the peer decides where it has a value, no information is shared."""
    value = measure([], [])
    if measure.name == "fowlkes_mallows_score":
        assert value == peer_of(measure)([], []) == 0.0
    else:
        assert value == (measure.best if math.isfinite(measure.best) else 0.0)


@every_external
@pytest.mark.parametrize(
    ("labelings", "message"),
    [
        (([0, 1], [0, 1, 1]), r"inconsistent numbers of samples: \[2, 3\]"),
        (([[0, 1], [1, 0]], [0, 1]), r"labels_true must be 1D: shape is \(2, 2\)"),
        (([0, 1], [[0], [1]]), r"labels_pred must be 1D: shape is \(2, 1\)"),
        (([0.0, math.nan], [0, 1]), "labels_true contains NaN"),
        (([0, 1], [math.nan, 1.0]), "labels_pred contains NaN"),
    ],
    ids=["lengths", "true 2-D", "pred 2-D", "true NaN", "pred NaN"],
)
def test_wrong_labels_are_refused(measure, labelings, message):
    """Law: every measure refuses what is not a pair of labelings, in the same words."""
    with pytest.raises(InvalidData, match=message):
        measure(*labelings)


@every_external
def test_labels_are_left_alone(measure):
    """Law: inputs are not changed, also when they are views or read-only."""
    first, second = np.array(EXAMPLE)
    first.flags.writeable = False
    strided = np.repeat(second, 2)[::2]
    value = measure(first, strided)
    assert value == measure(*EXAMPLE)
    assert strided.tolist() == EXAMPLE[1]
