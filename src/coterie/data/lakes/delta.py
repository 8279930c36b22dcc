"""Delta tables: the files of the current version, and never those of older ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from coterie._support.optional import require
from coterie._support.stores import (
    files_below,
    is_folder,
    is_listed,
    is_url,
    joined,
    local_path,
    scrubbed,
    shown,
    suffix_of,
)
from coterie._support.typing import JsonObject
from coterie.data.lakes.partitions import DATE, NUMBER, TEXT, WHOLE, Partitions
from coterie.errors import InvalidFile, UnsupportedInput

LOG = "_delta_log"
_ENTRY = re.compile(r"/\d{20}(\.[^/]*)?\.(json|parquet)$")  # a version, or all up to one
KINDS = {
    "long": WHOLE, "integer": WHOLE, "short": WHOLE, "byte": WHOLE,
    "double": NUMBER, "float": NUMBER, "date": DATE,
}  # fmt: skip


def is_delta(where: object) -> bool:
    """Return whether a place is a Delta table: a folder with a log, or an object of `deltalake`."""
    if is_delta_object(where):
        return True
    if not isinstance(where, str | os.PathLike):
        return False
    place = local_path(where)
    log = joined(place, LOG)
    if is_url(place) and (suffix_of(place) or not is_listed(place)):
        return False
    if not is_folder(log):
        return False
    return any(_ENTRY.search(path.replace(os.sep, "/")) for path in files_below(log)[0])


def delta_roots(paths: Sequence[str]) -> list[str]:
    """Return the folders above files that are Delta tables: those right above, or above key=value folders."""
    folders = {_table_folder(path) for path in paths}
    return sorted(folder for folder in folders if is_delta(folder))


def _table_folder(path: str) -> str:
    folder = path.rpartition("/")[0]
    while "=" in folder.rpartition("/")[2]:
        folder = folder.rpartition("/")[0]
    return folder or "."


def is_delta_object(where: object) -> bool:
    """Return whether something is a table of `deltalake`."""
    return type(where).__module__.partition(".")[0] == "deltalake" and hasattr(where, "file_uris")


def delta_files(where: Any) -> tuple[list[str], Partitions]:
    """Return the files of the version that a table is at, in order, and the columns that the log tells."""
    if is_delta_object(where):
        table, root = where, local_path(where.table_uri)
    else:
        root = local_path(where)
        deltalake = require("deltalake", extra="delta", purpose=f"{shown(root)} is a Delta table: reading it")
        try:
            table = deltalake.DeltaTable(root)
        except Exception as error:  # of various types
            reason = " ".join(scrubbed(str(error)).split())
            raise InvalidFile(f"{shown(root)}: cannot be read as a Delta table ({reason}).") from None
    _refuse_features(table, shown(root))
    texts = {_place(root, one["path"]): one.get("partition") or {} for one in _actions(table)}
    names = list(table.metadata().partition_columns)
    fields = {one["name"]: one["type"] for one in json.loads(table.schema().to_json())["fields"]}
    kinds = {name: KINDS.get(fields[name] if isinstance(fields[name], str) else "", TEXT) for name in names}
    as_written = {
        path: {name: None if values.get(name) is None else str(values[name]) for name in names}
        for path, values in texts.items()
    }
    return sorted(texts), Partitions(as_written if names else {}, kinds)


def _actions(table: Any) -> list[JsonObject]:
    """Return path and values of each file."""
    import pyarrow

    rows: list[JsonObject] = pyarrow.table(table.get_add_actions(flatten=False)).to_pylist()
    return rows


def _place(root: str, path: str) -> str:
    """Return where a file of a table is; a clone names files of another table in full."""
    place = unquote(path)
    return local_path(place) if "://" in place else joined(root, place)


def _refuse_features(table: Any, name: str) -> None:
    """Refuse tables whose files alone do not say which rows and columns they have."""
    configured = table.metadata().configuration or {}
    if configured.get("delta.columnMapping.mode", "none") != "none":
        problem = "renames its columns in the log (column mapping)"
    elif "deletionVectors" in (table.protocol().reader_features or ()) and _has_deletions(table):
        problem = "marks deleted rows in the log (deletion vectors)"
    else:
        return
    raise UnsupportedInput(
        f"{name}: this Delta table {problem}, which is not read. Write its rows to a new table first: "
        f"in Spark, REORG TABLE ... APPLY (PURGE), or CREATE TABLE ... AS SELECT."
    )


def _has_deletions(table: Any) -> bool:
    import pyarrow

    return bool(pyarrow.table(table.deletion_vectors()).num_rows)
