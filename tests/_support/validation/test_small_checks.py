"""Weights, seeds, parameters, memory."""

import numpy as np
import pytest

from coterie._support import validation as _validation
from coterie._support.validation import (
    AnArray,
    Anything,
    Choice,
    Flag,
    Function,
    Nothing,
    Number,
    Seed,
    Whole,
    check_parameters,
    check_sample_weight,
    check_seed,
    format_bytes,
    memory,
    require_memory,
)
from coterie.errors import InvalidData, InvalidParameter, NotEnoughMemory


def test_weights_pass_as_a_contiguous_vector():
    """Law: weights come back C-ordered in the wanted type; None stays None; a number is repeated."""
    weights = check_sample_weight(np.arange(10)[::2], 5, dtype=np.float32)
    assert weights.dtype == np.float32
    assert weights.flags.c_contiguous
    np.testing.assert_array_equal(weights, [0, 2, 4, 6, 8])
    assert check_sample_weight(None, 5) is None
    np.testing.assert_array_equal(check_sample_weight(2, 3), [2, 2, 2])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ([1, np.nan, 1], "Input sample_weight contains NaN: 1 of 3, the first at row 1"),
        ([1, 1, np.inf], "Input sample_weight contains infinity: 1 of 3, the first at row 2"),
        ([1, -1, -2], "Negative values in data passed to `sample_weight`: 2 of 3, the first at row 1"),
        ([0, 0, 0], "all weights of KMeans are zero"),
        ([1, 1], r"sample_weight.shape == \(2,\), expected \(3,\)!"),
        ([[1, 1, 1]], "Sample weights must be 1D array or scalar, got 2D"),
        (["a", "b", "c"], "sample_weight of KMeans must be numbers"),
    ],
)
def test_wrong_weights_are_refused(wrong, message):
    """Law: weights are finite, at least 0, not all 0, one per row."""
    with pytest.raises(InvalidData, match=message):
        check_sample_weight(wrong, 3, who="KMeans")


def test_seeds():
    """Law: an int is itself; equal generators give equal seeds; consecutive draws differ."""
    assert check_seed(np.int32(7)) == 7
    assert check_seed(np.random.default_rng(1)) == check_seed(np.random.default_rng(1))
    assert check_seed(np.random.RandomState(1)) == check_seed(np.random.RandomState(1))
    generator = np.random.RandomState(1)
    assert check_seed(generator) != check_seed(generator)
    for kind in (np.random.default_rng(3), np.random.RandomState(3), None, np.random):
        assert 0 <= check_seed(kind) < 2**64


@pytest.mark.parametrize("wrong", [-1, 2**64, 1.0, "0", True])
def test_wrong_seeds_are_refused(wrong):
    """Law: what is not a seed is refused with the allowed kinds."""
    with pytest.raises(
        InvalidParameter, match=r"random_state must be None, a whole number in \[0, 2\*\*64\)"
    ):
        check_seed(wrong)


CONSTRAINTS = {
    "n_clusters": Whole(1),
    "share": Number(0, 1, open_below=True),
    "init": Choice("k-means++", "random") | Function() | AnArray(),
    "copy": Flag(),
    "tol": Number(0) | Nothing(),
    "random_state": Seed(),
    "geometry": Anything(),
}
GOOD = {
    "n_clusters": np.int64(3),
    "share": 1,
    "init": "random",
    "copy": np.True_,
    "tol": None,
    "random_state": None,
    "geometry": object(),
}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_clusters", 0, "n_clusters of KMeans must be a whole number of at least 1, got 0."),
        ("n_clusters", 2.0, "n_clusters of KMeans must be a whole number of at least 1, got 2.0."),
        ("n_clusters", True, "n_clusters of KMeans must be a whole number of at least 1, got True."),
        ("share", 0.0, "share of KMeans must be a number in (0, 1], got 0.0."),
        ("share", np.nan, "share of KMeans must be a number in (0, 1], got nan."),
        (
            "init",
            "k-mean++",
            'init of KMeans must be one of "k-means++", "random", a callable or an array, got \'k-mean++\'. '
            'Did you mean "k-means++"?',
        ),
        ("copy", 1, "copy of KMeans must be True or False, got 1."),
        ("tol", -1.0, "tol of KMeans must be a number of at least 0 or None, got -1.0."),
    ],
)
def test_parameters_are_refused_by_their_constraint(name, value, message):
    """Law: the message is made of the parameter, its owner, constraint, value and the nearest name."""
    check_parameters(GOOD, CONSTRAINTS, who="KMeans")
    with pytest.raises(InvalidParameter) as caught:
        check_parameters(GOOD | {name: value}, CONSTRAINTS, who="KMeans")
    assert str(caught.value) == message


def test_long_values_are_shortened_and_catalogues_are_asked_late():
    """Law: a message never prints a whole array; names come from the catalogue when needed."""
    constraint = Choice(among=lambda: [f"name{i}" for i in range(30)])
    with pytest.raises(InvalidParameter, match=r'one of "name0", .* \.\.\., got \[0, 1') as caught:
        _validation.check_parameter(list(range(1000)), constraint, name="metric", who="KMedoids")
    assert len(str(caught.value)) < 400


def test_memory_is_refused_before_it_is_used(monkeypatch):
    """Law: more than is free raises with need, limit and way out; less passes; unknown never refuses."""
    monkeypatch.setattr(memory, "available_memory", lambda: 21 * 2**30)
    require_memory(20 * 2**30, "x", "y")
    message = r"^average linkage of 400,000 rows needs 298 GiB, 21.0 GiB are free. Use --linkage ward.$"
    with pytest.raises(NotEnoughMemory, match=message):
        require_memory(298 * 2**30, "average linkage of 400,000 rows", "Use --linkage ward.")
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    require_memory(2**60, "x", "y")


def test_little_memory_is_not_asked_for(monkeypatch):
    """Law: the system is asked for more than a mebibyte only: its files take time to read."""
    asked = []
    monkeypatch.setattr(memory, "available_memory", lambda: asked.append(None))
    require_memory(2**20, "x", "y")
    assert not asked
    require_memory(2**20 + 1, "x", "y")
    assert len(asked) == 1


def test_the_tightest_limit_counts(monkeypatch, tmp_path):
    """Law: a container's limit beats the host's memory; page cache that can go counts as free."""
    meminfo = tmp_path / "meminfo"
    meminfo.write_text("MemTotal: 100 kB\nMemAvailable:    1000000 kB\n")
    group = tmp_path / "cgroup" / "pod" / "job"
    group.mkdir(parents=True)
    (tmp_path / "self").write_text("0::/pod/job\n")
    for folder, limit in ((group, "max"), (group.parent, "500000000")):
        (folder / "memory.max").write_text(limit)
        (folder / "memory.current").write_text("300000000")
        (folder / "memory.stat").write_text("anon 5\ninactive_file 100000000\n")
    monkeypatch.setattr(memory, "MEMINFO", meminfo)
    monkeypatch.setattr(memory, "CGROUP_OF_PROCESS", tmp_path / "self")
    monkeypatch.setattr(memory, "CGROUP_ROOT", tmp_path / "cgroup")
    assert memory.available_memory() == 300_000_000
    (group.parent / "memory.max").write_text("max")
    assert memory.available_memory() == 1_024_000_000


def test_memory_without_proc_falls_back(monkeypatch, tmp_path):
    """Law: without /proc the system is asked otherwise, and an answer is still a positive number or None."""
    monkeypatch.setattr(memory, "MEMINFO", tmp_path / "none")
    monkeypatch.setattr(memory, "CGROUP_OF_PROCESS", tmp_path / "none")
    free = memory.available_memory()
    assert free is None or free > 0


def test_sizes_read_well():
    """Law: sizes are shown in the unit that suits them."""
    assert [format_bytes(n) for n in (5, 2048, 3 * 2**20, 298 * 2**30, 2**41)] == [
        "5 bytes",
        "2.0 KiB",
        "3.0 MiB",
        "298 GiB",
        "2.0 TiB",
    ]
