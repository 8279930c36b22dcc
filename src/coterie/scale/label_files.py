"""Labels of rows in blocks: Parquet files in a folder, which are kept if a run is ended."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import shutil
import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._support.files import PROGRESS, atomic_path, check_folder, make_folder, remove_parts
from coterie._support.leftovers import is_part
from coterie._support.optional import require
from coterie._support.stores import absolute, is_url, joined, local_path
from coterie._support.typing import AnyFunction
from coterie.data.paths import part_names
from coterie.errors import InvalidParameter
from coterie.pipeline.groups import group_name
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.passes import Given, chained, compute, fold, results, tasks, unique_name
from coterie.scale.sources.tables import TableFile, Tables

if TYPE_CHECKING:
    import pyarrow
    from dask.delayed import Delayed

MANIFEST = "_manifest.json"
PARTS = "part-*.parquet"
ROW, LABEL, GROUP = "row", "label", "group"


@dataclass(frozen=True)
class WrittenPart:
    """A part that is whole: its name within the folder, its rows and the checksum of its bytes."""

    name: str
    n_rows: int
    sha256: str


@dataclass(frozen=True)
class Target:
    """Where parts go, and what tells this run from others."""

    folder: str  # from the root, since a worker may have been started in another folder; or an address
    fingerprint: str  # of the rows, the model and the columns: a part of another run is not kept
    names: tuple[str, ...] | None = None  # of the groups; None: "group 1" and so on

    def _note(self, name: str) -> Path:
        return Path(self.folder) / PROGRESS / f"{name.replace(os.sep, '%')}.json"

    def finished(self, name: str) -> WrittenPart | None:
        """Return a part that an earlier run finished, if its bytes are still those."""
        if is_url(self.folder):
            return None
        try:
            said = json.loads(self._note(name).read_text(encoding="utf-8"))
            written = WrittenPart(name, int(said["rows"]), str(said["sha256"]))
            path = Path(self.folder) / name
            is_same = said["fingerprint"] == self.fingerprint and checksum_of(path) == written.sha256
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return written if is_same else None

    def write(self, name: str, tables: Iterable[pyarrow.Table]) -> WrittenPart:
        """Write a part, whole or not at all, and note its checksum."""
        parquet = require("pyarrow.parquet", extra="scale", purpose="Writing Parquet")
        n_rows = 0
        if not is_url(self.folder):
            (Path(self.folder) / name).parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(joined(self.folder, name), force=True) as temporary:
            writer = None
            try:
                for table in tables:
                    writer = writer or parquet.ParquetWriter(temporary, table.schema, **_encodings(table))
                    writer.write_table(table.cast(writer.schema))
                    n_rows += table.num_rows
            finally:
                if writer is not None:
                    writer.close()
            sha256 = checksum_of(temporary)
        if is_url(self.folder):
            return WrittenPart(name, n_rows, sha256)
        said = {"fingerprint": self.fingerprint, "rows": n_rows, "sha256": sha256}
        with atomic_path(self._note(name), force=True) as temporary:
            temporary.write_text(json.dumps(said), encoding="utf-8")
        return WrittenPart(name, n_rows, sha256)


def _encodings(table: pyarrow.Table) -> dict[str, Any]:
    """Return how columns are encoded: numbers of rows by their steps, which takes half the time."""
    if table.column_names != [ROW, LABEL, GROUP]:
        return {}
    return {"use_dictionary": [LABEL, GROUP], "column_encoding": {ROW: "DELTA_BINARY_PACKED"}}


def checksum_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_labels(
    blocks: Blocks,
    label: AnyFunction,
    *args: object,
    folder: str | os.PathLike[str],
    force: bool = False,
    carried: Blocks | None = None,
    layout: Tables | None = None,
    names: tuple[str, ...] | None = None,
) -> Path:
    """Write `label` and `group` of every block beside columns of the input, or `row`, counted from 1.

    Labels are ``label(block, None, *args)``; `carried` are the columns, cut like the blocks. With a `layout`
    there is a part for each of its files, by the same name. `names` are those of the groups. Parts that an
    earlier run of the same work finished are kept, except in a store; the manifest names all of them with
    their checksums.
    """
    path = check_folder(folder, force=force)
    make_folder(path)
    place = absolute(local_path(path))
    if not is_url(place):
        _begin(Path(place))
    target = Target(place, _fingerprint(blocks, label, (*args, names), carried, layout), names)
    if layout is None:
        made = tasks(blocks, _write_block, label, args, target, weights=carried)
    else:
        made = _file_tasks(blocks, label, args, target, carried, layout)
    written: list[WrittenPart] = compute(fold(made, chained))
    _finish(target, written)
    return path


def _begin(path: Path) -> None:
    """Make room for notes on finished parts; remove what a run that was killed had not finished."""
    if (path / PROGRESS).is_dir():
        for left in path.rglob(".*.part"):
            if is_part(left.name):
                left.unlink(missing_ok=True)
    (path / PROGRESS).mkdir(exist_ok=True)


def _finish(target: Target, written: list[WrittenPart]) -> None:
    """Name all parts in the manifest; remove those of other data, which would pass for labels of these."""
    names, place = {one.name for one in written}, target.folder
    if is_url(place):
        remove_parts(place, lambda name: name not in names)
    else:
        for older in _known_parts(Path(place)):
            if older not in names:
                (Path(place) / older).unlink(missing_ok=True)
    parts = [{"name": one.name, "rows": one.n_rows, "sha256": one.sha256} for one in written]
    said = {"rows": sum(one.n_rows for one in written), "fingerprint": target.fingerprint, "parts": parts}
    with atomic_path(joined(place, MANIFEST), force=True) as temporary:
        temporary.write_text(json.dumps(said, indent=1), encoding="utf-8")
    if not is_url(place):
        shutil.rmtree(Path(place) / PROGRESS, ignore_errors=True)


def _known_parts(path: Path) -> set[str]:
    """Return the parts that a run before this one left: by their names, and by its manifest."""
    found = {one.name for one in path.glob("part-??????.parquet")}
    try:
        parts = json.loads((path / MANIFEST).read_text(encoding="utf-8"))["parts"]
        found |= {str(one["name"]) for one in parts if ".." not in str(one["name"])}
    except (OSError, ValueError, KeyError, TypeError):
        pass
    return {name for name in found if not os.path.isabs(name)}


def _fingerprint(
    blocks: Blocks, label: AnyFunction, args: object, carried: Blocks | None, layout: Tables | None
) -> str:
    """Return what tells labels of these rows by this model from others; never the same if nobody can tell."""
    pieces = [(piece.name, piece.n_rows, *_identity(piece)) for piece in blocks.pieces]
    beside = (
        None if carried is None else (carried.columns, [type(one).__name__ for one in carried.pieces[:1]])
    )
    facts = (label.__module__, label.__qualname__, args, pieces, blocks.columns, beside, layout is not None)
    found, buffers = hashlib.sha256(), list[pickle.PickleBuffer]()
    try:
        found.update(pickle.dumps(facts, protocol=5, buffer_callback=buffers.append))
        for buffer in buffers:  # of large arrays, without a copy
            found.update(buffer.raw())
    except Exception:  # a model that cannot be pickled
        return uuid.uuid4().hex
    return found.hexdigest()


def _identity(piece: Any) -> tuple[object, ...]:
    """Return what tells the rows of a piece from others of the same name: times of files, or the rows."""
    if hasattr(piece, "selection"):
        return (piece.selection.bits, *_identity(piece.piece))
    if hasattr(piece, "piece"):
        return _identity(piece.piece)
    if hasattr(piece, "stamp"):
        return piece.path, piece.stamp
    if hasattr(piece, "array"):
        is_stored = not isinstance(piece.array, np.ndarray)  # zarr: nobody can tell
        return (uuid.uuid4().hex,) if is_stored else (piece.array,)
    if hasattr(piece, "promise"):
        return (str(piece.promise.key),)
    if hasattr(piece, "spooled"):
        return piece.spooled.files[piece.at]  # type: ignore[no-any-return]  # a path and a number
    path = getattr(piece, "path", "") or getattr(getattr(piece, "fragment", None), "path", "")
    return (path, os.stat(path).st_mtime_ns) if path and os.path.exists(path) else (uuid.uuid4().hex,)


def _write_block(
    block: Block, carried: Block | None, label: AnyFunction, args: tuple[object, ...], target: Target
) -> list[WrittenPart]:
    name = f"part-{block.index:06d}.parquet"
    kept = target.finished(name)
    return [kept or target.write(name, [_labelled(block, carried, label, args, target.names)])]


def _labelled(
    block: Block,
    carried: Block | None,
    label: AnyFunction,
    args: tuple[object, ...],
    named: tuple[str, ...] | None,
) -> pyarrow.Table:
    """Return the labels of a block's rows beside what names them."""
    arrow = require("pyarrow", extra="scale", purpose="Writing Parquet")
    labels = label(block, None, *args)
    rows = np.arange(block.first_row + 1, block.first_row + 1 + len(labels))
    beside = arrow.table({ROW: rows}) if carried is None else carried.stored()
    is_out = np.ma.getmaskarray(labels) if np.ma.isMaskedArray(labels) else None
    found = np.asarray(np.ma.filled(labels, -1) if is_out is not None else labels)
    labels_there = range(int(found.max(initial=-1)) + 1)
    names = arrow.array([group_name(-1), *(named or map(group_name, labels_there))])
    codes = arrow.array((found + 1).astype(np.int32), mask=is_out)
    groups = arrow.DictionaryArray.from_arrays(codes, names)
    return beside.append_column(LABEL, [arrow.array(found, mask=is_out)]).append_column(GROUP, groups)


def _file_tasks(
    blocks: Blocks,
    label: AnyFunction,
    args: tuple[object, ...],
    target: Target,
    carried: Blocks | None,
    layout: Tables,
) -> list[Delayed]:
    """Return a task per file of the input."""
    name, layer, first = unique_name(_write_file), {}, 0
    files = [table for table in layout.filled if table.n_rows]
    parts = part_names([table.name for table in files])
    both = zip(_by_file(blocks, files), _by_file(carried, files), strict=True)
    for at, (of_file, beside) in enumerate(both):
        work = Given((of_file, beside, first, parts[at], label, target))
        layer[name, at] = (_write_file, work, f"args-{name}")
        first += files[at].n_rows
    return results(name, layer, [], {f"args-{name}": Given(args)})


def _by_file(blocks: Blocks | None, files: Sequence[TableFile]) -> Iterator[Blocks | None]:
    """Yield the blocks of each file by itself."""
    if blocks is None:
        yield from [None] * len(files)
        return
    pieces = iter(blocks.pieces)
    for table in files:
        some, n_rows = [], 0
        while n_rows < table.n_rows:
            some.append(next(pieces))
            n_rows += some[-1].n_rows
        if n_rows != table.n_rows:
            raise InvalidParameter("the layout of the input can be kept for files and folders of files only.")
        yield blocks.of_pieces(some)


def _write_file(work: Given, args: Given) -> list[WrittenPart]:
    blocks, carried, first, name, label, target = work.value
    kept = target.finished(name)
    if kept is not None:
        return [kept]
    beside: Iterable[Block | None] = [None] * blocks.n_blocks if carried is None else carried
    moved = (replace(block, first_row=block.first_row + first) for block in blocks)
    both = zip(moved, beside, strict=True)
    tables = (_labelled(one, other, label, args.value, target.names) for one, other in both)
    return [target.write(name, tables)]
