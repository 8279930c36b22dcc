"""A tab goes on after its server was started again on the same port: it proves that it knows a secret.

The secret is given to pages that have the token, and kept in a file that only its user can read. It is never
sent back: whoever takes the port of a server that crashed learns nothing that opens the next one.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from collections import deque
from pathlib import Path

from coterie.workbook.autosave import state_folder

SECRET_BYTES = 32
MOST_NONCES = 16  # that wait for their proof
MOST_FILES = 50  # ports of which the secret is remembered


class PageSecret:
    """What pages of one port know, whichever process serves them.

    Parameters
    ----------
    port : int
        Of the server.

    Examples
    --------
    >>> import hashlib, hmac
    >>> known = PageSecret(0)
    >>> nonce = known.ask()
    >>> known.accepts(nonce, hmac.new(known.value, nonce.encode(), hashlib.sha256).hexdigest())
    True
    """

    def __init__(self, port: int) -> None:
        self.value = secrets.token_bytes(SECRET_BYTES)
        self._nonces = deque[str](maxlen=MOST_NONCES)
        if port:
            with contextlib.suppress(OSError):  # without a file, pages of this server alone know it
                self.value = _kept(state_folder() / f"port-{port}.secret", self.value)

    def ask(self) -> str:
        """Return what the next proof has to be made for."""
        self._nonces.append(secrets.token_hex(SECRET_BYTES))
        return self._nonces[-1]

    def accepts(self, nonce: object, proof: object) -> bool:
        """Return whether a proof fits; what it was made for counts once."""
        if not isinstance(nonce, str) or not isinstance(proof, str) or nonce not in self._nonces:
            return False
        self._nonces.remove(nonce)
        wanted = hmac.new(self.value, nonce.encode(), hashlib.sha256).hexdigest()
        return hmac.compare_digest(wanted.encode(), proof.encode("utf-8", "replace"))


def _kept(path: Path, fresh: bytes) -> bytes:
    """Return the secret of a file, or write the fresh one."""
    found = _private(path)
    if found is not None:
        return found
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(fresh)
    files = sorted(path.parent.glob("port-*.secret"), key=lambda one: one.stat().st_mtime)
    for old in files[:-MOST_FILES]:
        old.unlink(missing_ok=True)
    return fresh


def _private(path: Path) -> bytes | None:
    """Return a secret that only this user could read or write; None: there is none."""
    try:
        with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            about, found = os.fstat(file.fileno()), file.read(SECRET_BYTES + 1)
    except OSError:
        return None
    is_ours = not hasattr(os, "getuid") or (about.st_uid == os.getuid() and not about.st_mode & 0o077)
    return found if is_ours and len(found) == SECRET_BYTES else None
