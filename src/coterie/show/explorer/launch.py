"""The ways into the explorer: data, an answer, a workbook or nothing; from shell, Python and notebooks."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import webbrowser
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from coterie._support.progress import is_notebook
from coterie.errors import InvalidParameter
from coterie.pipeline.answer import Clustering
from coterie.show.explorer.server import ExplorerServer, bind
from coterie.show.explorer.session import Session
from coterie.workbook import Workbook
from coterie.workbook.autosave import answer_of, find_autosave
from coterie.workbook.dataset import FILE
from coterie.workbook.files import SUFFIX, StoredWorkbook, open_data_of, read_workbook

MODEL_ENDINGS = (".model", ".safetensors")


def open_session(what: object = None, *, data: object = None, fit: bool = True) -> Session:
    """Return the session of data, an answer, a file of either, a workbook or its file, or nothing.

    Unsaved changes of the same data are taken up again.
    """
    session = Session()
    try:
        _open_in(session, what, data, fit)
    except BaseException:
        session.close()
        raise
    return session


def _open_in(session: Session, what: object, data: object, fit: bool) -> None:
    if what is None:
        session.worker.warm_up()
        return
    is_path = isinstance(what, str | os.PathLike)
    path = Path(os.fspath(what)) if isinstance(what, str | os.PathLike) else Path()
    if is_path and path.name.endswith(SUFFIX):
        _open_file(session, path, data)
        return
    if is_path and path.suffix in MODEL_ENDINGS:
        book = _of_model(path, data)
    else:
        book = what if isinstance(what, Workbook) else Workbook.open(what)
    session.open(book, folder=_folder_of(book, path if is_path else None))
    begins_empty = not book.log
    session.autosave()
    found = find_unsaved(book)
    if found is not None:
        session.replay.start(found, is_resumed=True)
    elif fit and begins_empty:
        session.operate({"op": "fit"})
    else:
        session.worker.warm_up()


def find_unsaved(book: Workbook) -> StoredWorkbook | None:
    """Return what was done with data or an answer and not saved; None: nothing, or the workbook goes on."""
    n_begun = len(book.log)
    answer = answer_of(book)
    if n_begun > 1 or (n_begun and answer is None):
        return None
    found = find_autosave(book.data, book.saved_as, answer)
    if found is None or len(found.log) <= n_begun:
        return None
    return replace(found, log=found.log[n_begun:], times=found.times[n_begun:])


def _folder_of(book: Workbook, path: Path | None) -> Path | None:
    """Return where a workbook may be saved: beside what was opened; None: nowhere."""
    if path is not None and path.exists():
        return path.resolve().parent
    where = book.saved_as or (book.data.where if book.data.kind == FILE else None)
    return None if where is None else Path(where).resolve().parent


def _open_file(session: Session, path: Path, data: object) -> None:
    """Open a workbook file, or what was changed in it and not saved."""
    stored = read_workbook(path)
    book = Workbook(open_data_of(stored, path, data))
    book.saved_as = str(path)
    session.open(book, folder=path.resolve().parent)
    session.autosave()
    unsaved = find_autosave(book.data, path)
    session.replay.start(stored if unsaved is None else unsaved, is_resumed=unsaved is not None)


def _of_model(path: Path, data: object) -> Workbook:
    """Return a workbook that begins with a saved answer; its data are where it says, or beside it."""
    from coterie.persist import load

    answer = load(path)
    if not isinstance(answer, Clustering):
        raise InvalidParameter(
            f"{path}: holds a {type(answer).__name__}, the explorer needs an answer of coterie.fit."
        )
    beside = path.parent / Path(answer.groups.source).name
    if data is None and not Path(answer.groups.source).is_file() and beside.is_file():
        data = beside
    return Workbook.of_answer(answer, data)


def start(what: object = None, *, data: object = None, port: int = 0, fit: bool = True) -> ExplorerServer:
    """Return a server that is bound to its port, not running yet."""
    listening = bind(port)  # first: a port that is taken should not cost the time of a fit
    try:
        return ExplorerServer(open_session(what, data=data, fit=fit), listening)
    except BaseException:
        listening.close()
        raise


def serve(what: object = None, *, data: object = None, port: int = 0, opens: bool = True) -> None:
    """Serve until Ctrl-C; prints the address first."""
    server = start(what, data=data, port=port)
    print(server.url, flush=True)
    if opens:
        _open(server.url)
    server.run()
    if server.was_ended:  # all is written, and the worker is gone: what Python would tidy up takes longer
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _open(url: str) -> None:
    """Open the page in a browser, or say that there is none."""
    try:
        is_open = webbrowser.open(url)
    except webbrowser.Error:
        is_open = False
    if not is_open:
        print("No browser could be opened: open the address above yourself.", file=sys.stderr, flush=True)


class Explorer:
    """A page that is being served from this process.

    Parameters
    ----------
    server : ExplorerServer
        Running in the background.
    """

    def __init__(self, server: ExplorerServer) -> None:
        self._server = server

    @property
    def url(self) -> str:
        """The address that opens the page."""
        return self._server.url

    @property
    def workbook(self) -> Workbook:
        """The workbook as it is now, whoever changed it."""
        return self._server.session.need()

    def close(self) -> None:
        """End the server and what it computes."""
        self._server.close()

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Explorer at {self.url}>"


def explore(
    what: object = None,
    *,
    data: object = None,
    port: int = 0,
    opens: bool = True,
    waits: bool | None = None,
    widget: bool | None = None,
) -> Any:
    """Open the explorer: see, edit, test and export groups.

    Parameters
    ----------
    what : Clustering, Workbook, path, DataFrame or array, default=None
        An answer, a workbook, data, or a file of one of these; None: the page offers embedded sets.
    data : path, DataFrame or array, default=None
        The data of a saved answer or workbook, where they are not where it says.
    port : int, default=0
        On this machine; 0 takes a free one.
    opens : bool, default=True
        Whether to open a browser.
    waits : bool, default=None
        Whether to return only after Ctrl-C; None: in a script, since the page would end with it.
    widget : bool, default=None
        Whether to show it in the notebook; None: in a notebook with anywidget.

    Returns
    -------
    Explorer or widget
        Both have `workbook`, the groups as they are now.
    """
    if widget or (widget is None and _in_notebook()):
        from coterie.show.explorer.widget import make_widget

        return make_widget(open_session(what, data=data))
    found = Explorer(start(what, data=data, port=port).start())
    print(found.url, flush=True)
    if opens:
        _open(found.url)
    if waits or (waits is None and not _is_interactive()):
        with contextlib.suppress(KeyboardInterrupt), found:
            threading.Event().wait()
    return found


def _in_notebook() -> bool:
    return is_notebook() and find_spec("anywidget") is not None


def _is_interactive() -> bool:
    return hasattr(sys, "ps1") or bool(sys.flags.interactive) or "IPython" in sys.modules
