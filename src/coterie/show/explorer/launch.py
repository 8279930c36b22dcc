"""The ways into the explorer: data, an answer, a workbook or nothing; from the shell, Python and notebooks."""

from __future__ import annotations

import os
import sys
import webbrowser
from pathlib import Path
from typing import Any

from coterie._support.progress import ProgressOption
from coterie.errors import InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.show.explorer.server import ExplorerServer
from coterie.show.explorer.session import Session
from coterie.workbook import Workbook
from coterie.workbook.files import SUFFIX

MODEL_ENDINGS = (".model", ".safetensors")


def open_workbook(
    what: Any, *, data: Any = None, progress: ProgressOption = None
) -> tuple[Workbook | None, Path | None]:
    """Return the workbook of data, an answer, a file of either, or a workbook file; and where to save."""
    if what is None:
        return None, None
    if isinstance(what, Workbook):
        where = what.saved_as or (what.data.where if what.data.kind == "file" else None)
        return what, None if where is None else Path(where).resolve().parent
    if isinstance(what, Clustering):
        return Workbook.open(what, progress=progress), None
    if not isinstance(what, str | os.PathLike):
        return Workbook.open(what), None
    path = Path(os.fspath(what))
    if path.name.endswith(SUFFIX):
        return Workbook.load(path, data=data, progress=progress), path.resolve().parent
    if path.suffix in MODEL_ENDINGS:
        return _of_model(path, data, progress), path.resolve().parent
    return Workbook.open(os.fspath(what)), path.resolve().parent if path.exists() else None


def _of_model(path: Path, data: Any, progress: ProgressOption) -> Workbook:
    from coterie.persist import load
    from coterie.workbook.opening import dataset_of_answer, first_operation

    answer = load(path)
    if not isinstance(answer, Clustering):
        raise InvalidParameter(
            f"{path}: holds a {type(answer).__name__}, the explorer needs an answer of coterie.fit."
        )
    beside = path.parent / Path(answer.groups.source).name
    if data is None and not Path(answer.groups.source).is_file() and beside.is_file():
        data = beside
    book = Workbook(dataset_of_answer(answer, data))
    book.apply(first_operation(answer), progress=progress)
    book.saved_digest = book.state.digest
    return book


def start(
    what: Any = None, *, data: Any = None, port: int = 0, fit: bool = True, progress: ProgressOption = None
) -> ExplorerServer:
    """Return a server that is bound to its port, not running yet."""
    book, folder = open_workbook(what, data=data, progress=progress)
    session = Session(book, folder=folder)
    server = ExplorerServer(session, port)
    if fit and book is not None and not book.log:
        session.operate({"op": "fit"})
    elif book is not None:
        session.worker.warm_up()
    return server


def serve(what: Any = None, *, data: Any = None, port: int = 0, opens: bool = True) -> None:
    """Serve until Ctrl-C; prints the address first."""
    server = start(what, data=data, port=port)
    print(server.url, flush=True)
    if opens and not _open(server.url):
        print("no browser could be opened: open the address above yourself", file=sys.stderr, flush=True)
    server.run()


def _open(url: str) -> bool:
    try:
        return webbrowser.open(url)
    except webbrowser.Error:
        return False
