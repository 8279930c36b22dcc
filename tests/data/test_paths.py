"""Which data go to `coterie.scale`."""

import numpy as np
import pytest

from coterie.data import paths
from coterie.data.paths import is_in_blocks


def test_small_data_are_read_as_a_whole(tmp_path):
    """Law: arrays, lists of rows and small files are not read in blocks."""
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    (tmp_path / "a.csv").write_text("x\n1\n")
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    for data in (np.ones((3, 2)), [[1.0], [2.0]], [], mapped, tmp_path / "a.csv", "nowhere.csv", "-"):
        assert not is_in_blocks(data)


@pytest.mark.parametrize("suffix", [".csv", ".npy"])
def test_large_files_are_read_in_blocks(tmp_path, monkeypatch, suffix):
    """Law: a file or memory map of more than a limit is, if it can be, and if there is Dask."""
    path = tmp_path / f"a{suffix}"
    np.save(path.with_suffix(".npy"), np.ones((300, 2)))
    (tmp_path / "a.csv").write_text("x\n" + "1\n" * 900)
    monkeypatch.setattr(paths, "LARGE_BYTES", 1000)
    assert is_in_blocks(path)
    assert is_in_blocks(np.load(tmp_path / "a.npy", mmap_mode="r"))
    (tmp_path / "a.gz").write_bytes(b"0" * 2000)
    assert not is_in_blocks(tmp_path / "a.gz")
    monkeypatch.setattr(paths, "find_spec", lambda name: None)
    assert not is_in_blocks(path)


def test_folders_patterns_and_lists_count_all_their_files(tmp_path, monkeypatch):
    """Law: several files are read in blocks if they are large together; small ones are one table."""
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("x\n" + "1\n" * 300)
    several = (tmp_path, f"{tmp_path}/*.csv", [tmp_path / "a.csv", str(tmp_path / "b.csv")])
    assert not any(map(is_in_blocks, several))
    monkeypatch.setattr(paths, "LARGE_BYTES", 1000)
    assert all(map(is_in_blocks, several))
    assert not is_in_blocks(tmp_path / "a.csv")
    assert not is_in_blocks(f"{tmp_path}/*.parquet")
    (tmp_path / "odd[1].csv").write_text("x\n1\n")
    assert not is_in_blocks(tmp_path / "odd[1].csv")
