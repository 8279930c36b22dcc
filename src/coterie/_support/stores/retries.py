"""Requests to stores: tried again where that may help, and explained where it does not."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import TypeVar
from urllib.error import HTTPError

from coterie._printing import shortened
from coterie._support.stores.urls import SCHEMES, scheme_of, scrubbed, shown
from coterie.errors import CoterieError, FileProblem, MissingFile

PAUSES = (0.2, 1.0, 4.0)  # seconds before a request is tried again
DENIED, GONE, BUSY = (401, 403), (404, 410), (408, 425, 429)
LONGEST_REASON = 300
Got = TypeVar("Got")
_NO_BUCKET = re.compile(r"bucket does not exist|NoSuchBucket|ContainerNotFound", re.IGNORECASE)


class StoreProblem(FileProblem):
    """A store does not answer, or refuses to."""


def ask(url: str, request: Callable[[], Got], doing: str = "read") -> Got:
    """Return what a request gives; failures that may pass are tried again, others are explained.

    Parameters
    ----------
    url : str
        What the request is about; shown without anything secret.
    request : callable
        Does it.
    doing : str, default="read"
        What cannot be done to it, where it fails.
    """
    for pause in (*PAUSES, None):
        try:
            return request()
        except CoterieError:
            raise
        except Exception as error:  # every store has errors of its own
            if isinstance(error, HTTPError):
                error.close()  # it is an answer too
            if pause is None or not may_pass(error):
                raise explained(url, error, doing) from None
        time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def status_of(error: BaseException) -> int | None:
    """Return the number that a server answered with, None if it did not answer."""
    for one in _chain(error):
        answer = getattr(one, "response", None)  # of botocore
        if isinstance(answer, dict):
            number = answer.get("ResponseMetadata", {}).get("HTTPStatusCode")
        else:
            number = getattr(one, "status", None) or getattr(one, "code", None)
        if isinstance(number, int):
            return number
    return None


def may_pass(error: BaseException) -> bool:
    """Return whether trying again may help: no answer, an answer that was cut off, a server in trouble."""
    number = status_of(error)
    if number is not None:
        return number >= 500 or number in BUSY
    if any(
        isinstance(one, FileNotFoundError | PermissionError | NotImplementedError) for one in _chain(error)
    ):
        return False
    if any(type(one).__name__ == "NoCredentialsError" for one in _chain(error)):
        return False
    from http.client import HTTPException  # here: it loads what encrypts, for local files too

    return isinstance(error, OSError | HTTPException) or _is_of_network(error)


def _is_of_network(error: BaseException) -> bool:
    package = type(error).__module__.partition(".")[0]
    return package in (
        "aiohttp",
        "botocore",
        "aiobotocore",
        "urllib3",
        "requests",
        "azure",
        "google",
        "gcsfs",
    )


def explained(url: str, error: BaseException, doing: str) -> FileProblem:
    """Return a failure in plain words, without anything secret."""
    name, number = shown(url), status_of(error)
    reason = shortened(" ".join(scrubbed(str(error), url).split()), LONGEST_REASON) or type(error).__name__
    scheme = SCHEMES[scheme_of(url)]
    if isinstance(error, PermissionError) or number in DENIED or "credential" in reason.lower():
        where = f" Credentials come from the environment: {scheme.credentials}." if scheme.credentials else ""
        return StoreProblem(f"{name}: no permission to {doing} it ({reason}).{where}")
    if _NO_BUCKET.search(str(error)):
        bucket = "/".join(name.split("/")[:3])
        return MissingFile(f"{name}: there is no bucket {bucket}.")
    if isinstance(error, FileNotFoundError) or number in GONE:
        return MissingFile(f"{name}: there is no such file or folder.")
    tries = len(PAUSES) + 1
    if may_pass(error):
        return StoreProblem(
            f"{name}: cannot be {_past(doing)}, though tried {tries} times ({reason}). The store or the "
            f"network may be down or slow; try again later."
        )
    return StoreProblem(f"{name}: cannot be {_past(doing)} ({reason}).")


def _past(doing: str) -> str:
    return {"write": "written", "list": "listed", "remove": "removed"}.get(doing, doing)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an error and those that led to it."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
