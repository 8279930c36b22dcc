"""The data of a workbook: a table in memory, where it came from, and its rows as methods see them."""

from __future__ import annotations

import hashlib
import json
import math
import os
import threading
from collections import OrderedDict
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from scipy.sparse import issparse

from coterie._printing import listed
from coterie._support import hooks
from coterie._support.progress import track
from coterie._support.stores import is_url
from coterie._support.typing import Settings
from coterie.data import Table, as_table
from coterie.data.paths import is_in_blocks
from coterie.errors import InvalidParameter
from coterie.pipeline.request import FitRequest, make_request
from coterie.pipeline.rows.memory import MemoryRows
from coterie.pipeline.rows.opening import memory_rows
from coterie.workbook.sets import PREFIX, is_set, open_set

KEPT_PREPARATIONS = 3  # of the same table, most recently used
FILE, SET, MEMORY = "file", "set", "memory"


@dataclass(frozen=True)
class Sample:
    """Which rows of data in blocks a workbook holds."""

    n_rows: int
    n_of: int

    @property
    def text(self) -> str:
        """Say it in a sentence."""
        return (
            f"These are {self.n_rows:,} of {self.n_of:,} rows, drawn at random: the data are too large to be "
            f"shown whole. Labels and tests are of these rows."
        )


@dataclass(frozen=True, eq=False)
class Dataset:
    """A table, and how to find it again.

    Parameters
    ----------
    table : Table
        The data.
    kind : {"file", "set", "memory"}
        Whether the data can be found again by a path or the name of an embedded set.
    where : str or None
        That path or name.
    digest : str
        SHA-256 of the file, or of the values of data in memory.
    sample : Sample or None
        Of data in blocks, which rows these are.
    stamp : tuple
        Size and time of change of the file when it was read.
    """

    table: Table
    kind: str
    where: str | None
    digest: str
    sample: Sample | None = None
    stamp: tuple[int, int] | None = None
    _prepared: OrderedDict[str, MemoryRows] = field(default_factory=OrderedDict, repr=False)
    _lock: AbstractContextManager[bool] = field(
        default_factory=threading.RLock, repr=False
    )  # a server asks from several threads

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.table.n_rows

    @property
    def name(self) -> str:
        """What to call the data."""
        if self.kind == FILE and self.where is not None:
            return Path(self.where).name
        return str(self.where).removeprefix(PREFIX) if self.kind == SET else self.table.source

    def rows_for(self, preparation: Settings) -> MemoryRows:
        """Return the prepared rows, as `request_of` the same arguments asks for; kept for the next time."""
        key = json.dumps(preparation, sort_keys=True)
        with self._lock:
            if key not in self._prepared:
                weights = preparation.get("weights") or {}
                rows = memory_rows(self.table, request_of(preparation))
                self._prepared[key] = weighted(rows, weights) if weights else rows
                while len(self._prepared) > KEPT_PREPARATIONS:
                    self._prepared.popitem(last=False)
            self._prepared.move_to_end(key)
            return self._prepared[key]

    def has_changed(self) -> bool:
        """Return whether the file is another one than when it was read, by its size and time of change."""
        return self.stamp is not None and self.stamp != stamp_of(self.where)

    def __reduce__(self) -> tuple[object, ...]:
        parts = (self.table, self.kind, self.where, self.digest, self.sample, self.stamp)
        return Dataset, parts  # prepared rows are found again where they are needed


def request_of(preparation: Settings) -> FitRequest:
    """Return the request of a fit whose arguments are plain values; `weights` are not part of it."""
    return make_request(**{name: value for name, value in preparation.items() if name != "weights"})


def weighted(rows: MemoryRows, weights: Mapping[str, float]) -> MemoryRows:
    """Return rows whose columns count more or less: distances along them are multiplied by the weights."""
    prepared = rows.prepared
    strange = [name for name in weights if name not in prepared.table.columns]
    if strange:
        raise InvalidParameter(f'{rows.source}: there is no column "{strange[0]}" to weigh.')
    levels = prepared.levels or (None,) * len(prepared.choice.used)
    categories = [
        name
        for name, known in zip(prepared.choice.used, levels, strict=True)
        if known is not None and weights.get(name, 1.0) != 1.0
    ]
    if categories:
        raise InvalidParameter(
            f'{rows.source}: "{categories[0]}" holds categories, which take no weight. Set it to 1.'
        )
    by_name = dict(weights)
    for place in prepared.places:  # one weight for the position: the mean of those of its two columns
        both = math.sqrt(weights.get(place.latitude, 1.0) * weights.get(place.longitude, 1.0))
        by_name |= dict.fromkeys(place.axes, both)
    factors = np.array([by_name.get(name, 1.0) for name in prepared.choice.used])
    if (factors == 1.0).all():
        return rows
    scaling = replace(prepared.scaling, factor=prepared.scaling.factor / factors)
    points = scaling.apply(prepared.complete.X)
    used = {*prepared.choice.used, *(name for place in prepared.places for name in place.columns)}
    told = [f"{name} x {weight:g}" for name, weight in weights.items() if weight != 1 and name in used]
    said = (*prepared.said, f"weights of columns: {listed(told)}")
    return replace(rows, prepared=replace(prepared, scaling=scaling, points=points, said=said))


def open_dataset(data: object, *, seed: int = 0, base: str | os.PathLike[str] | None = None) -> Dataset:
    """Return the data behind a path, the name of an embedded set, a table, a frame or an array.

    Data in blocks, and files of more than 1 GiB, are represented by a sample of their rows.
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, str) and is_set(data):
        table = open_set(data)
        return Dataset(table, SET, data, digest_of_table(table))
    if is_in_blocks(data):
        return _sampled(data, seed)
    if isinstance(data, str | os.PathLike) and not _is_elsewhere(os.fspath(data)):
        path = Path(os.fspath(data)) if base is None else Path(base) / os.fspath(data)
        table = _dense(as_table(path, may_be_distances=True))
        if path.is_file():
            return Dataset(
                replace(table, source=path.name), FILE, str(path), digest_of_file(path), None, stamp_of(path)
            )
        return Dataset(table, FILE, str(path), digest_of_table(table))
    table = _dense(as_table(data, may_be_distances=True))
    return Dataset(table, MEMORY, None, digest_of_table(table))


def _is_elsewhere(text: str) -> bool:
    return text == "-" or "://" in text or any(sign in text for sign in "*?")


def _dense(table: Table) -> Table:
    """Return the table with a sparse matrix made dense, as `coterie.fit` does."""
    from coterie.pipeline.rows.tables import dense

    return dense(table)


def _sampled(data: object, seed: int) -> Dataset:
    """Return a sample of data in blocks."""
    with track(None, "drawing rows") as tracker:
        rows = hooks.ask("rows_in_blocks")(data, make_request(random_state=seed), tracker)
    table: Table = rows.table
    # an address may hold something secret
    where = os.fspath(data) if isinstance(data, str | os.PathLike) and not is_url(data) else None
    found = Sample(table.n_rows, int(rows.n_rows))
    return Dataset(table, MEMORY if where is None else FILE, where, digest_of_table(table), found)


def stamp_of(path: str | os.PathLike[str] | None) -> tuple[int, int] | None:
    """Return size and time of change of a file; None: there is none."""
    if path is None:
        return None
    try:
        facts = os.stat(path)
    except OSError:
        return (-1, -1)
    return facts.st_size, facts.st_mtime_ns


def digest_of_file(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def digest_of_table(table: Table) -> str:
    """Return the SHA-256 of names and values of a table.

    Examples
    --------
    >>> one, other = as_table([[1.0, 2.0]]), as_table([[1.0, 3.0]])
    >>> digest_of_table(one) == digest_of_table(other)
    False
    """
    found = hashlib.sha256(json.dumps([list(table.columns), table.n_rows]).encode())
    if table.is_matrix:
        content = table.content.toarray() if issparse(table.content) else np.asarray(table.content)
        found.update(np.ascontiguousarray(content, dtype=np.float64).tobytes())
    else:
        found.update(table.content.hash_rows(seed=0).to_numpy().tobytes())
    return found.hexdigest()
