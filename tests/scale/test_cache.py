"""Rows that are decoded once and read back from disk."""

import numpy as np
import pandas as pd
import pytest

from coterie.scale import KMeans, read_blocks
from coterie.scale import blocks as scale_blocks
from coterie.scale.methods import kmeans_passes as _kmeans_passes
from coterie.scale.runtime import cache as _cache
from coterie.scale.runtime.cache import Recent, RowFile, RowFiles, Shelf, folder_on_disk
from coterie.scale.sources import arrow as _arrow


@pytest.fixture
def folder(rows, tmp_path):
    for number, part in enumerate(np.array_split(rows, 3)):
        pd.DataFrame(part, columns=list("abc")).to_parquet(
            tmp_path / f"{number}.parquet", row_group_size=3000
        )
    return tmp_path


@pytest.fixture
def no_shelf(monkeypatch):
    """Memory has no room for rows: every pass must read."""
    monkeypatch.setattr(_kmeans_passes, "SHELF", Shelf(room=0))


def test_kept_rows_are_the_rows(folder, rows):
    """The second reading gives the bits of the first, and decodes nothing."""
    with scale_blocks.decoded_once(read_blocks(folder, block_rows=8192), spill=True) as blocks:
        first = np.concatenate([block.read() for block in blocks])
        for path in folder.glob("*.parquet"):
            path.unlink()
        np.testing.assert_array_equal(np.concatenate([block.read() for block in blocks]), first)
    np.testing.assert_array_equal(first, rows)


def test_the_disk_is_given_back(folder):
    """After the block, nothing is kept: rows whose file is gone cannot be read any more."""
    with scale_blocks.decoded_once(read_blocks(folder), spill=True) as blocks:
        block = next(iter(blocks))
        block.read()
        assert blocks.run in _cache.ROW_FILES._files
    assert blocks.run not in _cache.ROW_FILES._files


def test_only_what_must_be_decoded_is_kept(rows, folder, tmp_path):
    """Rows of arrays and memory maps are as quick to read as a copy would be; spill=False keeps nothing."""
    np.save(tmp_path / "rows.npy", rows)
    sources = [(rows, True), (tmp_path / "rows.npy", True), (folder / "0.parquet", False)]
    for source, spill in sources:
        blocks = read_blocks(source)
        with scale_blocks.decoded_once(blocks, spill=spill) as same:
            assert same is blocks


def test_a_full_disk_is_left_alone(tmp_path, monkeypatch):
    """A file that would take more than it leaves free keeps nothing."""
    usage = _cache.shutil.disk_usage(tmp_path)
    monkeypatch.setattr(_cache.shutil, "disk_usage", lambda _: usage._replace(free=5000))
    file = RowFile(str(tmp_path))
    file.keep(0, np.ones((10, 10)))
    file.keep(1, np.ones((100, 10)))
    assert file.get(1) is None
    np.testing.assert_array_equal(file.get(0), np.ones((10, 10)))
    assert list(tmp_path.iterdir()) == []


def test_runs_that_nobody_reads_are_let_go(tmp_path, monkeypatch):
    """A run whose client was killed gives the disk back when another one has gone on for long enough."""
    files = RowFiles()
    files.of("old", str(tmp_path)).keep(0, np.ones((2, 2)))
    files.of("new", str(tmp_path))
    monkeypatch.setattr(_cache, "IDLE_SECONDS", -1.0)
    files.of("new", str(tmp_path))
    monkeypatch.undo()
    assert files.of("old", str(tmp_path)).get(0) is None


def test_memory_is_no_disk(monkeypatch, tmp_path):
    """A folder for temporary files that lies in memory is not used, nor one that is not there."""
    mounts = tmp_path / "mounts"
    mounts.write_text(f"disk / ext4 rw 0 0\nnone {tmp_path.resolve()} tmpfs rw 0 0\n")
    monkeypatch.setattr(_cache, "MOUNTS", str(mounts))
    monkeypatch.setattr(_cache.tempfile, "gettempdir", lambda: str(tmp_path))
    _cache._is_memory.cache_clear()
    assert folder_on_disk() is None
    monkeypatch.setattr(_cache.tempfile, "gettempdir", lambda: "/nowhere/at/all")
    assert folder_on_disk() is None
    _cache._is_memory.cache_clear()


@pytest.mark.usefixtures("no_shelf")
def test_k_means_does_not_depend_on_it(folder, rows, start, monkeypatch):
    """With and without spilled rows k-means gives the same bits, and with them a file is decoded once."""
    decoded = _parquet_reads(monkeypatch)
    plain = KMeans(7, init=start, spill=False).fit(folder)
    without = len(decoded)
    decoded.clear()
    spilled = KMeans(7, init=start).fit(folder)
    np.testing.assert_array_equal(spilled.cluster_centers_, plain.cluster_centers_)
    assert spilled.inertia_ == plain.inertia_
    assert spilled.n_iter_ == plain.n_iter_ > 2
    assert len(decoded) == 9 < without  # row groups


def _parquet_reads(monkeypatch):
    """Return a list that grows by a name whenever a row group is decoded."""
    decoded, value = [], _arrow.ParquetPiece.value

    def counted(self, start, stop):
        decoded.append(self.name)
        return value(self, start, stop)

    monkeypatch.setattr(_arrow.ParquetPiece, "value", counted)
    monkeypatch.setattr(scale_blocks, "RECENT", Recent(kept_bytes=0))
    return decoded
