"""Files that a page drops: kept in a folder of the session, read as tables, or replayed as workbooks."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

from coterie._support.typing import JsonObject
from coterie.errors import CoterieError, InvalidParameter, in_page
from coterie.show.explorer.session import Session
from coterie.workbook import Workbook
from coterie.workbook.files import SUFFIX, parse_workbook
from coterie.workbook.sets import is_set

ENDINGS = (
    ".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson", ".parquet", ".arrow", ".feather", ".xlsx", ".npy",
    ".npz", ".gz", ".zip",
)  # fmt: skip
UNSAFE = re.compile(r"[^\w .()+-]", re.UNICODE)


def name_of_upload(given: str | None) -> str:
    """Return a plain name for an uploaded file, or refuse it.

    Examples
    --------
    >>> name_of_upload("my%20table.csv"), name_of_upload("..%2F..%2Fetc%2Fx.csv")
    ('my table.csv', 'x.csv')
    """
    name = unquote(given or "")[:1_000].replace("\\", "/").rpartition("/")[2]
    name = UNSAFE.sub("_", name).lstrip(".")[-200:]
    if not name.lower().endswith(ENDINGS):
        raise InvalidParameter(f"a file must end in one of {', '.join(ENDINGS)}, got {name or 'no name'}.")
    return name


def open_upload(session: Session, given: str | None, content: bytes) -> JsonObject:
    """Open a dropped table; a dropped workbook is replayed on the data at hand, or on its embedded set."""
    name = name_of_upload(given)
    if not content:
        raise InvalidParameter(f"{name}: is empty.")
    if name.endswith(SUFFIX):
        return _open_workbook(session, name, content)
    path = session.upload_folder() / name
    path.write_bytes(content)
    try:
        book = Workbook.open(path)
    except CoterieError as error:
        path.unlink(missing_ok=True)
        text = in_page(error).replace(f"{session.upload_folder()}/", "")  # where it lies is nobody's business
        raise InvalidParameter(text) from None
    # its name is what a workbook or a script should say, not where it lies in this session
    session.open(Workbook(replace(book.data, where=name, stamp=None)), folder=None)
    return session.operate({"op": "fit"})


def _open_workbook(session: Session, name: str, content: bytes) -> JsonObject:
    """Replay a workbook; a path in it is never opened: it was not the user who typed it."""
    stored = parse_workbook(content, name)
    if stored.path is not None and is_set(stored.path):
        session.open(Workbook.open(stored.path), folder=None)
    elif session.book is not None and session.book.data.digest == stored.digest:
        session.open(Workbook(session.book.data), folder=session.folder)
    else:
        raise InvalidParameter(
            f"{name}: is about {Path(stored.name).name or 'other data'}. Drop that file first, then the "
            f"workbook; or type coterie explore {name}."
        )
    session.replay.start(stored)
    return session.state()
