"""Workbook files: JSON that holds a log, and where the data are. Read as if they came from a stranger."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from coterie._printing import count_of, shortened
from coterie._support.config import configuration
from coterie._support.files import atomic_path
from coterie._support.typing import JsonObject
from coterie.errors import CoterieError, FileProblem, InvalidFile, InvalidParameter, MissingFile
from coterie.workbook.dataset import FILE, MEMORY, SET, Dataset, digest_of_file, open_dataset
from coterie.workbook.operations import check_operation
from coterie.workbook.sets import is_set
from coterie.workbook.state import State

if TYPE_CHECKING:
    from coterie.workbook.workbook import Workbook

FORMAT, FORMAT_VERSION = "coterie-workbook", 1
SUFFIX = ".coterie.json"
MOST_BYTES = 256 * 2**20
MOST_OPERATIONS = 100_000
FIELDS = ("format", "version", "data", "log", "position", "labels_hash", "versions", "seed")
DATA_FIELDS = ("kind", "path", "name", "sha256", "rows", "columns")


@dataclass(frozen=True, eq=False)
class StoredWorkbook:
    """What a file says, checked."""

    kind: str
    path: str | None
    name: str
    digest: str
    n_rows: int
    log: list[JsonObject]
    times: list[str]
    position: int
    labels_hash: str
    version: str


class _StoredData(TypedDict):
    """What a file says about the data of its workbook."""

    kind: str
    path: str | None
    name: str
    digest: str
    n_rows: int


def as_json(book: Workbook, folder: Path | None) -> JsonObject:
    """Return a workbook as plain values; the data's path relative to a folder where possible."""
    data = book.data
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "data": {
            "kind": data.kind,
            "path": _path_from(data, folder),
            "name": data.name,
            "sha256": data.digest,
            "rows": data.n_rows,
            "columns": len(data.table.columns),
        },
        "seed": 0,
        "position": book.position,
        "labels_hash": book.labels_hash,
        "versions": {
            "coterie": configuration()["engine"]["coterie"],
            **{name: known for name, known in configuration()["packages"].items() if known is not None},
        },
        "log": book.log,
    }


def _path_from(data: Dataset, folder: Path | None) -> str | None:
    if data.where is None or data.kind != FILE:
        return data.where
    if not Path(data.where).exists():
        return Path(data.where).name  # it was dropped on a page: whoever opens the workbook has it
    path = Path(data.where).resolve()
    if folder is not None and path.is_relative_to(folder.resolve()):
        return path.relative_to(folder.resolve()).as_posix()
    return str(path)


def write_workbook(book: Workbook, path: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write a workbook, whole or not at all."""
    target = Path(path)
    if not target.name.endswith(".json"):
        raise InvalidParameter(f"{target}: the name of a workbook must end in {SUFFIX}.")
    text = json.dumps(as_json(book, target.parent), ensure_ascii=True, indent=1, allow_nan=False)
    with atomic_path(target, force=force) as temporary:
        temporary.write_text(text, encoding="ascii")
    return target


def read_workbook(path: str | os.PathLike[str]) -> StoredWorkbook:
    """Read a workbook file and check every part of it; nothing in it is run or opened."""
    target = Path(path)
    try:
        size = target.stat().st_size
        if size > MOST_BYTES:
            raise InvalidFile(
                f"{target}: a workbook has at most {MOST_BYTES >> 20} MiB, this has {size >> 20}."
            )
        content = target.read_bytes()
    except FileNotFoundError:
        raise MissingFile(f"{target}: there is no such file.") from None
    except OSError as error:
        raise FileProblem(f"{target}: cannot be read ({error.strerror}).") from None
    return parse_workbook(content, str(target))


def parse_workbook(content: bytes, name: str) -> StoredWorkbook:
    """Check the content of a workbook file."""
    try:
        found = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise InvalidFile(f"{name}: is not a workbook: it is not JSON.") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InvalidFile(f'{name}: is not a workbook: "format" must be "{FORMAT}".')
    if found.get("version") != FORMAT_VERSION:
        got = shortened(repr(found.get("version")))
        raise InvalidFile(f"{name}: is a workbook of version {got}, this reads {FORMAT_VERSION}.")
    strange = [key for key in found if key not in FIELDS]
    if strange:
        raise InvalidFile(f'{name}: a workbook has no field "{shortened(strange[0])}".')
    data = _checked_data(found.get("data"), name)
    log = found.get("log")
    if not isinstance(log, list) or len(log) > MOST_OPERATIONS:
        raise InvalidFile(f"{name}: log must be a list of at most {MOST_OPERATIONS:,} operations.")
    for at, operation in enumerate(log):
        try:
            check_operation(operation)
        except CoterieError as error:
            raise InvalidFile(f"{name}: operation {at + 1}: {error}") from None
    position = found.get("position", len(log))
    if type(position) is not int or not 0 <= position <= len(log):
        raise InvalidFile(f"{name}: position must be from 0 to {len(log)}, got {shortened(repr(position))}.")
    return StoredWorkbook(
        **data,
        log=[{key: value for key, value in one.items() if key not in ("at", "said")} for one in log],
        times=[_text(one.get("at"), 40) for one in log],
        position=position,
        labels_hash=_text(found.get("labels_hash"), 64),
        version=_text((found.get("versions") or {}).get("coterie"), 40)
        if isinstance(found.get("versions"), dict)
        else "",
    )


def _refuse_constant(text: str) -> None:
    raise ValueError(text)


def _text(value: object, longest: int) -> str:
    return value if isinstance(value, str) and len(value) <= longest else ""


def _checked_data(data: object, name: str) -> _StoredData:
    if not isinstance(data, dict) or any(key not in DATA_FIELDS for key in data):
        raise InvalidFile(f"{name}: data must hold {', '.join(DATA_FIELDS)}, and nothing else.")
    kind, path = data.get("kind"), data.get("path")
    if kind not in (FILE, SET, MEMORY):
        raise InvalidFile(f"{name}: data.kind must be file, set or memory, got {shortened(repr(kind))}.")
    if kind == MEMORY:
        path = None
    elif not isinstance(path, str) or not path or len(path) > 4096 or "\0" in path:
        raise InvalidFile(f"{name}: data.path must be the path of the data, got {shortened(repr(path))}.")
    elif kind == SET and not is_set(path):
        raise InvalidFile(f'{name}: data.path must name a set such as "set:iris", got {shortened(path)}.')
    elif kind == FILE and (".." in Path(path).parts or "://" in path or is_set(path)):
        raise InvalidFile(f"{name}: data.path must not leave its folder, got {shortened(path)}.")
    rows = data.get("rows")
    if type(rows) is not int or not 0 < rows < 2**31:
        raise InvalidFile(f"{name}: data.rows must be a number of rows, got {shortened(repr(rows))}.")
    return {
        "kind": kind,
        "path": path,
        "name": _text(data.get("name"), 4096),
        "digest": _text(data.get("sha256"), 64),
        "n_rows": rows,
    }


def open_data_of(stored: StoredWorkbook, path: str | os.PathLike[str], data: object = None) -> Dataset:
    """Return the data of a workbook: those given, an embedded set, or the file that it names.

    A workbook may come from anybody. A file outside of its folder is opened only if its content has the hash
    that the workbook says: who wrote it knew the content already.
    """
    name = Path(path).name
    if data is not None:
        return open_dataset(data)
    if stored.kind == SET and stored.path is not None:
        return open_dataset(stored.path)
    if stored.kind == MEMORY or stored.path is None:
        raise InvalidParameter(
            f"{name}: its data were not in a file. Give them: Workbook.load(path, data=X)."
        ).in_shell(f"{name}: its data were not in a file. Give them: --data FILE.")
    folder = Path(path).resolve().parent
    where = folder / stored.path  # an absolute path stays one
    beside = folder / Path(stored.name or "none").name
    if not where.is_file() and beside.is_file():
        where = beside
    if not where.is_file():
        raise MissingFile(
            f"{where}: the data of the workbook are not there. Give them: Workbook.load(path, data=FILE)."
        ).in_shell(f"{where}: the data of the workbook are not there. Give them: --data FILE.")
    if not where.resolve().is_relative_to(folder) and digest_of_file(where) != stored.digest:
        fact = f"{name}: {where} is outside of its folder, and has changed since the workbook was saved."
        raise InvalidParameter(f"{fact} To use it as it is: Workbook.load(path, data=FILE).").in_shell(
            f"{fact} To use it as it is: --data FILE."
        )
    return open_dataset(where)


def changes_since(stored: StoredWorkbook, data: Dataset, state: State) -> str | None:
    """Return what is not as it was when the workbook was saved; None: nothing."""
    if stored.digest and stored.digest != data.digest:
        done = count_of(len(stored.log), "operation was", "operations were")
        return (
            f"{data.name} has changed since this workbook was saved; {done} done again on the data as they "
            f"are now. Check the groups, then save, or start over."
        )
    if stored.labels_hash and stored.labels_hash != state.labels_hash:
        return (
            f"The groups are not those that were saved: the workbook was written by Coterie "
            f"{stored.version or 'of another version'}."
        )
    return None
