"""A new file does not make a checkpoint void: fits go on from it, old files are not measured again."""

import os

import numpy as np
import pandas as pd
import pytest

from coterie.errors import InvalidParameter
from coterie.scale import GaussianMixture, KMeans, MiniBatchKMeans, moments, read_blocks
from coterie.scale.runtime.cache import RECENT
from coterie.scale.runtime.counters import account

COLUMNS = list("abc")


def write(folder, name, rows):
    pd.DataFrame(rows, columns=COLUMNS).to_parquet(folder / f"{name}.parquet", row_group_size=3000)


@pytest.fixture
def folder(rows, tmp_path):
    (tmp_path / "data").mkdir()
    for month in range(2):
        write(tmp_path / "data", month, rows[month * 9000 : (month + 1) * 9000])
    return tmp_path / "data"


def test_kmeans_goes_on_with_more_files(folder, rows, tmp_path):
    """Law: it starts from the centres that it had, and ends to the bit where a fit from them ends."""
    how = {"n_clusters": 7, "random_state": 0}
    before = KMeans(**how, checkpoint=tmp_path / "state").fit(folder)
    write(folder, 2, rows[18_000:])
    grown = KMeans(**how, checkpoint=tmp_path / "state").fit(folder)
    assert grown.start_ == "an earlier fit to 2 of these 3 files"
    expected = KMeans(7, init=before.cluster_centers_).fit(folder)
    np.testing.assert_array_equal(grown.cluster_centers_, expected.cluster_centers_)
    assert grown.inertia_ == expected.inertia_
    again = KMeans(**how, checkpoint=tmp_path / "state").fit(
        folder
    )  # now it is the checkpoint of these files
    np.testing.assert_array_equal(again.cluster_centers_, grown.cluster_centers_)


@pytest.mark.parametrize("change", ["touched", "gone", "parameters"])
def test_other_data_are_refused_as_before(folder, rows, tmp_path, change):
    """Law: more files alone are growth; a file that changed or went away, or another k, is another fit."""
    KMeans(7, random_state=0, checkpoint=tmp_path / "state").fit(folder)
    k = 7
    if change == "touched":
        write(folder, 0, rows[:9000] + 1)
        write(folder, 2, rows[18_000:])
    elif change == "gone":
        (folder / "0.parquet").unlink()
    else:
        write(folder, 2, rows[18_000:])
        k = 6
    with pytest.raises(InvalidParameter, match="belongs to a fit of other data or parameters"):
        KMeans(k, random_state=0, checkpoint=tmp_path / "state").fit(folder)


def test_mixtures_and_streams_go_on(folder, rows, tmp_path):
    """Law: mixtures go on from their parameters, mini-batches with the blocks that have new rows."""
    GaussianMixture(4, random_state=0, checkpoint=tmp_path / "a").fit(folder)
    stream = MiniBatchKMeans(5, random_state=0, checkpoint=tmp_path / "b").fit(folder)
    write(folder, 2, rows[18_000:])
    mixture = GaussianMixture(4, random_state=0, checkpoint=tmp_path / "a").fit(folder)
    assert mixture.start_ == "an earlier fit to 2 of these 3 files"
    assert mixture.n_iter_ <= 5  # it began next to where it ends
    grown = MiniBatchKMeans(5, random_state=0, checkpoint=tmp_path / "b").fit(folder)
    assert grown.start_ == "an earlier fit to 2 of these 3 files"
    assert grown.n_steps_ > stream.n_steps_


def test_old_files_are_not_measured_again(folder, rows, tmp_path):
    """Law: sums over whole blocks of old files are kept; moments are to the bit those of all rows."""
    moments.measure(read_blocks(folder, block_rows=8192), None, who="test", kept_in=tmp_path / "state")
    write(folder, 2, rows[18_000:])
    blocks = read_blocks(folder, block_rows=8192)
    RECENT.clear()
    with account() as made:
        grown = moments.measure(blocks, None, who="test", kept_in=tmp_path / "state")
    assert sum(one.n_rows for one in made.passes) == len(rows) - 16_384  # two blocks of old rows are not read
    plain = moments.measure(blocks, None, who="test")
    assert list(grown.columns) == list(plain.columns)
    np.testing.assert_array_equal(grown.origin, plain.origin)
    os.utime(folder / "0.parquet", (1e9, 1e9))  # another file by that name
    RECENT.clear()
    with account() as made:
        moments.measure(read_blocks(folder, block_rows=8192), None, who="test", kept_in=tmp_path / "state")
    assert sum(one.n_rows for one in made.passes) >= len(rows)
    (tmp_path / "state" / "moments.safetensors").write_bytes(b"damaged")
    blocks = read_blocks(folder, block_rows=8192)
    again = moments.measure(blocks, None, who="test", kept_in=tmp_path / "state")
    assert list(again.columns) == list(plain.columns)
