"""Files of web servers, by Python's own means: ranges of bytes, or a copy where a server has no ranges."""

from __future__ import annotations

import atexit
import base64
import errno
import os
import shutil
import tempfile
import threading
from email.message import Message
from http.client import HTTPResponse
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import Request, urlopen

from coterie._support.leftovers import folder_prefix
from coterie._support.stores.stamps import Stamp
from coterie._support.stores.urls import shown
from coterie.errors import FileProblem

TIMEOUT = 60.0  # seconds without a byte
COPIED_AT_ONCE = 1 << 20
FULL_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_HEAD = (403, 405, 501)  # servers that answer GET only, or sign addresses for one verb


class WebStore:
    """Files that servers give by http:// and https://."""

    is_listed = False  # whether a folder can be asked for its files

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._copies: dict[tuple[str, Stamp], str] = {}
        self._folder: str | None = None

    def stamp(self, url: str) -> Stamp:
        """Return the size of a file and what changes when it does; a size of -1 is unknown."""
        try:
            with _send(url, "HEAD") as answer:
                return _stamp(answer.headers, answer.headers.get("Content-Length"))
        except HTTPError as error:
            error.close()
            if error.code not in NO_HEAD:
                raise
        with _send(url, "GET", {"Range": "bytes=0-0"}) as answer:
            whole = answer.headers.get("Content-Range", "").rpartition("/")[2]
            size = whole if answer.status == 206 else answer.headers.get("Content-Length")
            return _stamp(answer.headers, size)

    def read(self, url: str, begin: int, end: int, stamp: Stamp) -> bytes:
        """Return some bytes of a file."""
        copy = self._copies.get((url, stamp))
        if copy is None:
            with _send(url, "GET", {"Range": f"bytes={begin}-{end - 1}"}) as answer:
                if answer.status == 206:
                    content: bytes = answer.read()
                    if len(content) != end - begin:
                        raise ConnectionError(f"{len(content)} of {end - begin} bytes came")
                    return content
                copy = self._kept(url, stamp, answer)
        with open(copy, "rb") as file:
            file.seek(begin)
            return file.read(end - begin)

    def read_all(self, url: str) -> bytes:
        """Return the whole of a file."""
        with _send(url, "GET") as answer:
            content: bytes = answer.read()  # http.client refuses fewer bytes than were announced
            return content

    def _kept(self, url: str, stamp: Stamp, answer: HTTPResponse) -> str:
        """Return the copy of a file whose server has no ranges; it is removed when the process ends."""
        with self._lock:
            if (url, stamp) in self._copies:
                return self._copies[url, stamp]
            if self._folder is None:
                self._folder = tempfile.mkdtemp(prefix=folder_prefix("web"))
                atexit.register(shutil.rmtree, self._folder, ignore_errors=True)
            handle, path = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(handle, "wb") as file:
                try:
                    shutil.copyfileobj(answer, file, COPIED_AT_ONCE)
                    file.flush()
                    if file.tell() != stamp.size:  # http.client does not say when parts end early
                        raise ConnectionError(f"{file.tell()} of {stamp.size} bytes came")
                except OSError as error:
                    os.unlink(path)
                    if error.errno in FULL_DISK:
                        raise _too_full(url, self._folder) from None
                    raise
            self._copies[url, stamp] = path
            return path

    def exists(self, url: str) -> bool:
        """Return whether there is a file at an address."""
        try:
            self.stamp(url)
        except HTTPError as error:
            error.close()
            if error.code in (404, 410):
                return False
            raise
        return True

    def is_folder(self, url: str) -> bool:
        """Return False: servers do not tell."""
        return False

    def write(self, local: str, url: str) -> None:
        """Refuse to write."""
        raise FileProblem("http:// and https:// are only read. Write to a file or a store such as s3://.")

    def remove(self, url: str) -> None:
        """Refuse to write."""
        self.write("", url)


def _too_full(url: str, folder: str) -> FileProblem:
    return FileProblem(
        f"{shown(url)}: its server gives no parts of files, so a copy is needed, and there is no space "
        f"for it in {os.path.dirname(folder)}. Set TMPDIR to a folder with more room."
    )


def _stamp(headers: Message, size: str | None) -> Stamp:
    version = headers.get("ETag") or headers.get("Last-Modified") or ""
    return Stamp(int(size) if size is not None and size.isdigit() else -1, version)


def _send(url: str, verb: str, headers: dict[str, str] | None = None) -> HTTPResponse:
    parts = urlsplit(url)
    user, _, host = parts.netloc.rpartition("@")
    request = Request(urlunsplit(parts._replace(netloc=host, fragment="")), method=verb)
    request.add_header("Accept-Encoding", "identity")
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    if user:  # not for the servers that this one may lead to
        token = base64.b64encode(unquote(user).encode()).decode()
        request.add_unredirected_header("Authorization", f"Basic {token}")
    answer: HTTPResponse = urlopen(request, timeout=TIMEOUT)
    return answer
