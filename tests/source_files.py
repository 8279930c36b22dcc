"""The same rows in files of every kind, in parts of unequal size."""

import numpy as np
import pandas as pd
import zarr

from coterie.scale.runtime.passes import compute, fold, tasks

CUTS = (3000, 3000, 3001, 11_000)  # an empty part, a part of one row, unequal parts
NAMES = ["x", "y", "z"]


def parts_of(rows):
    return np.split(rows, CUTS)


def frame_of(rows):
    return pd.DataFrame(rows, columns=NAMES)


def write_parquet(rows, folder):
    for number, part in enumerate(parts_of(rows)):
        frame_of(part).to_parquet(folder / f"{number}.parquet", row_group_size=4000)
    return str(folder / "*.parquet")


def write_csv(rows, folder):
    for number, part in enumerate(parts_of(rows)):
        frame_of(part).to_csv(folder / f"{number}.csv", index=False)
    return folder


def write_npy(rows, folder):
    for number, part in enumerate(parts_of(rows)):
        np.save(folder / f"{number}.npy", part if number % 2 else np.asfortranarray(part))
    return folder


def write_zarr(rows, folder):
    array = zarr.create_array(folder / "rows.zarr", shape=rows.shape, chunks=(4000, 2), dtype=rows.dtype)
    array[:] = rows
    return folder / "rows.zarr"


def write_feather(rows, folder):
    for number, part in enumerate(parts_of(rows)):
        frame_of(part).to_feather(folder / f"{number}.feather")
    return [folder / f"{number}.feather" for number in range(len(CUTS) + 1)]


def rows_in(blocks):
    """Return all rows, one block after the other."""
    return compute(fold(tasks(blocks, _read), _stack))


def _read(block, _weights):
    return block.read()


def _stack(total, found):
    return np.concatenate(found if total is None else [total, *found])
