"""What ``coterie update`` does: read new rows as those of the fit were read, take them in, save."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from coterie._support.files import check_output
from coterie._support.progress import track
from coterie.cli.fitting import refuse_options
from coterie.cli.options import TextOptions
from coterie.cli.render.terminal import is_watched
from coterie.data import Table
from coterie.data.databases import SpooledRows
from coterie.data.frames import read_table_or_blocks
from coterie.data.paths import expand_all, is_in_blocks
from coterie.persist import load
from coterie.persist import save as save_model
from coterie.pipeline import Arrival, Clustering, Update, column_readings, examine, update


class NewFiles(TextOptions):
    """How new files are read, and what is done about gaps in them."""

    missing: str


def examine_files(model: Path, data: Sequence[str], **how: Unpack[NewFiles]) -> Arrival:
    """Return what the rows of new files are like, beside those of a saved model."""
    found = load(model)
    source, missing = _read(found, data, **how)
    return examine(found, source, missing=missing)


def update_files(
    model: Path, data: Sequence[str], *, save: Path | None, force: bool, **how: Unpack[NewFiles]
) -> Update:
    """Take the rows of new files into a saved model, and save it: in its place, or to another file."""
    if save is not None:
        check_output(save, force=force)
    found = load(model)
    source, missing = _read(found, data, **how)
    with track(is_watched(), "taking in rows"):
        grown = update(found, source, missing=missing)
    save_model(grown.clustering, model if save is None else save, force=force or save is None)
    return grown


def _read(
    found: Clustering, data: Sequence[str], **how: Unpack[NewFiles]
) -> tuple[str | list[str] | Table | SpooledRows, str]:
    """Return the new rows as a table, or their paths where they are read in blocks; and what about gaps."""
    missing, header, encoding = how["missing"], how["header"], how["encoding"]
    policy = "error" if missing == "refuse" else missing
    paths = expand_all(list(data)) if len(data) > 1 else data[0]
    if is_in_blocks(paths):
        refuse_options(encoding=encoding, header=header is not None, missing=missing != "refuse")
        return paths, policy
    readings = column_readings(found)
    return read_table_or_blocks(paths, header=header, encoding=encoding, readings=readings), policy
