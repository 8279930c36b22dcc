"""The one place that knows where a path or an address leads: the local disk, the web, an object store."""

from __future__ import annotations

import glob as patterns
import io
import os
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Protocol, cast

from coterie._support.leftovers import folder_prefix
from coterie._support.stores.objects import ObjectStore
from coterie._support.stores.retries import ask
from coterie._support.stores.stamps import Stamp
from coterie._support.stores.urls import local_path, scheme_of, shown, url_of
from coterie.errors import FileProblem, InvalidFile, MissingFile

if TYPE_CHECKING:
    from coterie._support.stores.web import WebStore


class Store(Protocol):
    """What is asked of a store; errors are its own, `ask` explains them."""

    is_listed: bool

    def stamp(self, url: str) -> Stamp:
        """Return size and version."""

    def read(self, url: str, begin: int, end: int, stamp: Stamp) -> bytes:
        """Return some bytes."""

    def read_all(self, url: str) -> bytes:
        """Return all bytes."""

    def exists(self, url: str) -> bool:
        """Return whether something is there."""

    def is_folder(self, url: str) -> bool:
        """Return whether files lie below."""

    def write(self, local: str, url: str) -> None:
        """Write a file as a whole."""

    def remove(self, url: str) -> None:
        """Remove a file."""


_STORES: dict[str, WebStore | ObjectStore] = {}
_LOCK = threading.Lock()


def store_of(where: str | os.PathLike[str]) -> tuple[WebStore | ObjectStore | None, str]:
    """Return the store that holds a file, None for this machine's disk, and the file's address or path.

    Examples
    --------
    >>> store_of("file:///data/rows.csv")
    (None, '/data/rows.csv')
    """
    place = local_path(where)
    url = url_of(place)
    if url is None:
        return None, place
    scheme = scheme_of(url)
    kind = "web" if scheme in ("http", "https") else scheme
    with _LOCK:
        if kind not in _STORES:
            _STORES[kind] = _open_web() if kind == "web" else ObjectStore(scheme)
        return _STORES[kind], url


def _open_web() -> WebStore:
    from coterie._support.stores.web import WebStore  # here: local files need none of HTTP

    return WebStore()


def stamp_of(where: str | os.PathLike[str]) -> Stamp:
    """Return the size and the version of a file; of a local one, OSError as `os.stat` raises it."""
    store, place = store_of(where)
    if store is None:
        facts = os.stat(place)
        return Stamp(facts.st_size, str(facts.st_mtime_ns))
    stamp: Stamp = ask(place, lambda: store.stamp(place))
    return stamp


def listed_size(where: str | os.PathLike[str]) -> int:
    """Return the size of a file, in a store as it was when its folder was listed: one request for many."""
    store, place = store_of(where)
    known = getattr(store, "sizes", {}).get(place)
    return int(known) if known is not None else max(stamp_of(place).size, 0)


def exists(where: str | os.PathLike[str]) -> bool:
    """Return whether there is a file or a folder."""
    store, place = store_of(where)
    return os.path.exists(place) if store is None else bool(ask(place, lambda: store.exists(place)))


def is_folder(where: str | os.PathLike[str]) -> bool:
    """Return whether a place is a folder."""
    store, place = store_of(where)
    return os.path.isdir(place) if store is None else bool(ask(place, lambda: store.is_folder(place)))


def is_pattern(where: str | os.PathLike[str]) -> bool:
    """Return whether a place stands for the files that match it; in a web address ? begins a query.

    Examples
    --------
    >>> is_pattern("s3://bucket/*.csv"), is_pattern("https://example.org/rows.csv?id=1")
    (True, False)
    """
    return patterns.has_magic(shown(where))


def is_listed(where: str | os.PathLike[str]) -> bool:
    """Return whether folders can be asked for their files."""
    store, _ = store_of(where)
    return store is None or store.is_listed is True


def matching(where: str | os.PathLike[str]) -> list[str]:
    """Return the files that a pattern matches, in order."""
    store, place = store_of(where)
    if store is None:
        return sorted(name for name in patterns.glob(place, recursive=True) if os.path.isfile(name))
    listed = _listed(store, place)
    return sorted(ask(place, lambda: listed.glob(place), "list"))


def files_below(where: str | os.PathLike[str]) -> tuple[list[str], list[str]]:
    """Return all files below a folder, in order, and what is hidden among them, which is not looked into.

    Files and folders whose names begin with a dot or an underscore are hidden, as for Spark, Hive and Arrow.
    """
    store, place = store_of(where)
    hidden: set[str] = set()
    if store is None:
        return sorted(_visible(place, hidden)), sorted(hidden)
    listed = _listed(store, place)
    folder, visible = place.rstrip("/") + "/", []
    for url in ask(place, lambda: listed.find(place), "list"):
        parts = url.removeprefix(folder).split("/")
        first = next((at for at, part in enumerate(parts) if part[:1] in (".", "_")), None)
        if first is None:
            visible.append(url)
        else:
            hidden.add(folder + "/".join(parts[: first + 1]))
    return sorted(visible), sorted(hidden)


def _visible(folder: str, hidden: set[str]) -> Iterator[str]:
    """Yield the files below a folder, links to folders not followed."""
    try:
        entries = os.scandir(folder)
    except PermissionError:
        raise FileProblem(f"{folder}: no permission to list its files.") from None
    with entries:
        for entry in entries:
            if entry.name[0] in "._":
                hidden.add(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                yield from _visible(entry.path, hidden)
            elif entry.is_file():
                yield entry.path


def _listed(store: WebStore | ObjectStore, place: str) -> ObjectStore:
    if not isinstance(store, ObjectStore):
        raise FileProblem(
            f"{shown(place)}: a web server does not list its files. Give each by its own address, in a list."
        )
    return store


def read_all(where: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file."""
    store, place = store_of(where)
    if store is None:
        with open(place, "rb") as file:
            return file.read()
    content: bytes = ask(place, lambda: store.read_all(place))
    return content


def open_binary(where: str | os.PathLike[str], stamp: Stamp | None = None) -> BinaryIO:
    """Return a file to be read, from anywhere; of a store, only the ranges that are read travel.

    Parameters
    ----------
    where : str or path
        The file.
    stamp : Stamp, default=None
        What it is known to be; None: asked for, where that is needed.
    """
    store, place = store_of(where)
    if store is None:
        return open(place, "rb")
    known = stamp if stamp is not None else stamp_of(place)
    if known.size < 0:  # a server that does not say: the whole is needed to know
        return cast(BinaryIO, _as_whole(store, place))
    return cast(
        BinaryIO,
        RangeFile(known.size, lambda begin, end: ask(place, lambda: store.read(place, begin, end, known))),
    )


def _as_whole(store: Store, place: str) -> io.BytesIO:
    return io.BytesIO(ask(place, lambda: store.read_all(place)))


@contextmanager
def local_copy(where: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a file of this machine with the content of a place, for packages that read nothing else."""
    store, place = store_of(where)
    if store is None:
        yield Path(place)
        return
    with tempfile.TemporaryDirectory(prefix=folder_prefix("copy")) as folder:
        copy = Path(folder) / "copy"
        copy.write_bytes(read_all(place))
        yield copy


def write_file(local: str | os.PathLike[str], where: str | os.PathLike[str]) -> None:
    """Copy a file of this machine to a store, which has it as a whole or not at all."""
    store, place = store_of(where)
    assert store is not None
    ask(place, lambda: store.write(os.fspath(local), place), "write")


def remove_file(where: str | os.PathLike[str]) -> None:
    """Remove a file."""
    store, place = store_of(where)
    if store is None:
        os.unlink(place)
    else:
        ask(place, lambda: store.remove(place), "remove")


@contextmanager
def unchanged(where: str, stamp: Stamp | None) -> Iterator[None]:
    """Refuse what was read in the block if the file is not what it was when it was opened.

    An error in the block is replaced if the change explains it. Without a stamp nothing is refused.
    """
    if stamp is None:
        yield
        return
    try:
        yield
    except Exception:
        _refuse_change(where, stamp, may_be_gone=True)
        raise
    _refuse_change(where, stamp, may_be_gone=False)


def _refuse_change(where: str, stamp: Stamp, *, may_be_gone: bool) -> None:
    try:
        now = stamp_of(where)
    except (OSError, FileProblem):
        if may_be_gone:
            return  # what went wrong says more
        now = None
    if now == stamp:
        return
    if now is None:
        raise MissingFile(f"{_shown_here(where)}: has vanished while it was read.")
    size = f": it had {stamp.size:,} bytes and has {now.size:,}" if now.size != stamp.size else ""
    raise InvalidFile(
        f"{_shown_here(where)}: has changed since it was opened{size}. Results would mix two versions. "
        f"Start again when nothing writes to it."
    )


def _shown_here(where: str) -> str:
    return shown(where).removeprefix(os.path.join(os.getcwd(), ""))


def joined(folder: str | os.PathLike[str], name: str) -> str:
    """Return the place of a file in a folder.

    Examples
    --------
    >>> joined("memory://out", "part.parquet")
    'memory://out/part.parquet'
    """
    place = local_path(folder)
    return f"{place.rstrip('/')}/{name}" if url_of(place) else os.path.join(place, name)


class RangeFile(io.RawIOBase):
    """Bytes that come in ranges.

    Parameters
    ----------
    size : int
        Of the whole.
    fetch : callable
        Returns the bytes from one place to another.
    """

    def __init__(self, size: int, fetch: Callable[[int, int], bytes]) -> None:
        self._size, self._fetch, self._at = size, fetch, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def size(self) -> int:
        """Return how many bytes there are."""
        return self._size

    def tell(self) -> int:
        """Return where the next byte is read."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        """Go to a place."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        return self._at

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes, all that are left without a number."""
        left = max(self._size - self._at, 0)
        count = left if size is None or size < 0 else min(size, left)
        if count == 0:
            return b""
        content = self._fetch(self._at, self._at + count)
        self._at += len(content)
        return content

    def readall(self) -> bytes:
        """Return all that is left."""
        return self.read()

    def readinto(self, buffer: bytearray | memoryview, /) -> int:  # type: ignore[override]
        """Fill a buffer."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)
