"""A chunk of a user's collection that fails is named: number, rows, and the file it comes from."""

import dask
import dask.array
import dask.dataframe
import numpy as np
import pandas as pd
import pytest

from coterie.errors import InvalidData
from coterie.scale import DBSCAN, KMeans, MiniBatchKMeans, SingleLinkage, evaluate, read_blocks
from coterie.scale import predict as place


def _fail(part, block_info=None):
    if block_info and block_info[0]["chunk-location"][0] == 2:
        raise RuntimeError("the disk\nis gone")
    return part


def failing(rows, **options):
    chunks = dask.array.from_array(rows, chunks=(3000, 3))
    return chunks.map_blocks(_fail, dtype=rows.dtype, meta=rows[:0], **options)


NAMED = r"chunk 2 of the Dask array \(rows 6000 to 8999\): cannot be made \(RuntimeError: the disk is gone\)"


@pytest.mark.parametrize(
    "model",
    [KMeans(3), MiniBatchKMeans(3), DBSCAN(0.5), SingleLinkage(3)],
    ids=lambda model: str(model)[:6],
)
def test_failing_chunk_is_named(model, rows):
    """Law: whatever a method needs of a chunk, the one that fails is named with its rows and the reason."""
    with pytest.raises(InvalidData, match=NAMED) as caught:
        model.fit(read_blocks(failing(rows), block_rows=8192))
    assert isinstance(caught.value.__cause__, RuntimeError)


def test_failing_chunk_of_labels_and_weights_is_named(rows):
    """Law: labels that are compared and weights are chunks too."""
    labels = failing(rows)[:, 0].astype(int)
    with pytest.raises(InvalidData, match=r"chunk 2 of the Dask array \(rows 6000 to 8999\)"):
        evaluate.compare(labels, np.zeros(len(rows), dtype=int))
    with pytest.raises(InvalidData, match=r"chunk 2 of the Dask array \(rows 6000 to 8999\)"):
        KMeans(3).fit(rows, sample_weight=failing(rows)[:, 0])


def test_failing_chunk_on_workers_is_named(client, rows):
    """Law: the same where workers make the chunks."""
    with pytest.raises(InvalidData, match=NAMED):
        KMeans(3).fit(failing(rows))


def test_failing_chunk_of_unknown_length_is_named(rows):
    """Law: a chunk that fails while rows are counted is named by its number."""
    array = failing(rows)
    with pytest.raises(InvalidData, match=r"chunk 2 of the Dask array: cannot be made \(RuntimeError"):
        read_blocks(array[array[:, 0] > 0])


@pytest.mark.parametrize("kind", ["parquet", "csv", "npy"])
def test_file_of_a_failing_chunk_is_named(kind, rows, tmp_path):
    """Law: where the tasks of a chunk name a file, the message does."""
    for number, part in enumerate(np.array_split(rows, 3)):
        frame, path = pd.DataFrame(part, columns=list("xyz")), tmp_path / f"{number}.{kind}"
        {"parquet": frame.to_parquet, "csv": frame.to_csv, "npy": lambda p, a=part: np.save(p, a)}[kind](path)
    if kind == "npy":
        parts = [
            dask.array.from_delayed(dask.delayed(np.load)(str(tmp_path / f"{number}.npy")), (6667, 3), float)
            for number in range(3)
        ]
        source = dask.array.concatenate(parts)
    else:
        source = getattr(dask.dataframe, f"read_{kind}")(str(tmp_path / f"*.{kind}"))
    (tmp_path / f"1.{kind}").write_bytes(b"no,such\n\xff,thing,at all\n")
    with pytest.raises(
        InvalidData, match=rf"(chunk|partition) 1 of the Dask .*, from .*1\.{kind}(, .*)?: cannot"
    ):
        KMeans(3).fit(source)


@pytest.mark.parametrize("shape", [(6667, 2), (6000, 3), (7000, 3)])
def test_chunk_of_another_shape_is_named(shape, rows):
    """Law: a chunk that is not what its collection promises is refused, never cut or mixed up."""
    parts = [dask.delayed(np.ones)(s) for s in ((6667, 3), shape)]
    source = dask.array.concatenate([dask.array.from_delayed(part, (6667, 3), float) for part in parts])
    with pytest.raises(
        InvalidData,
        match=rf"chunk 1 of the Dask array \(rows 6667 to 13333\): must have 6667 rows and 3 columns.*got "
        rf"{shape[0]} and {shape[1]}",
    ):
        KMeans(3).fit(source)


def test_error_that_does_not_come_back_stays_as_it_is(rows, monkeypatch):
    """Law: if every chunk can be made when tried again, the first error is what the user sees."""
    failed = []

    def once(part):
        if not failed:
            failed.append(True)
            raise OSError("for a moment")
        return part

    chunks = dask.array.from_array(rows, chunks=(9000, 3)).map_blocks(once, dtype=rows.dtype, meta=rows[:0])
    with pytest.raises(OSError, match="for a moment"):
        KMeans(3).fit(chunks)


def test_lazy_predictions_say_what_dask_says(rows):
    """Law: a lazy result is computed by its user, with the error that Dask gives."""
    model = KMeans(3, random_state=0).fit(rows)
    lazy = place(model.local_, failing(rows))
    with pytest.raises(RuntimeError, match="the disk"):
        lazy.compute()
