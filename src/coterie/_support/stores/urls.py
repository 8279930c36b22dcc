"""Addresses of files: which text is one, and how it is shown without anything secret."""

from __future__ import annotations

import os
import re
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import unquote, urlsplit, urlunsplit


class Scheme(NamedTuple):
    """What reads the addresses of a scheme."""

    package: str | None  # beside fsspec; None: nothing else
    extra: str | None  # of Coterie that installs it; None: nothing is needed
    credentials: str = ""  # where the environment names them


_S3 = "AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
_GS = "GOOGLE_APPLICATION_CREDENTIALS"
_AZ = "AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_STORAGE_CONNECTION_STRING"
SCHEMES = {
    "file": Scheme(None, None),
    "http": Scheme(None, None),
    "https": Scheme(None, None),
    "memory": Scheme(None, "remote"),
    "s3": Scheme("s3fs", "s3", _S3),
    "s3a": Scheme("s3fs", "s3", _S3),
    "gs": Scheme("gcsfs", "gs", _GS),
    "gcs": Scheme("gcsfs", "gs", _GS),
    "az": Scheme("adlfs", "az", _AZ),
    "abfs": Scheme("adlfs", "az", _AZ),
    "abfss": Scheme("adlfs", "az", _AZ),
}
CONTAINER_AT = ("az", "abfs", "abfss")  # container@account: what stands before the @ is not a user
# pathlib makes s3:/bucket of s3://bucket; no scheme has one letter, which would be a drive of Windows
_ADDRESS = re.compile(rf"({'|'.join(SCHEMES)}):/+(?P<rest>.*)", re.DOTALL)
_ANY = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://[^\s'\"<>]+")


def url_of(where: object) -> str | None:
    """Return the address of a file as it is written in full, None for paths and everything else.

    Examples
    --------
    >>> from pathlib import Path
    >>> url_of(Path("s3://bucket/rows.csv")), url_of("rows.csv"), url_of("postgresql://localhost/shop")
    ('s3://bucket/rows.csv', None, None)
    """
    if not isinstance(where, str | os.PathLike):
        return None
    found = _ADDRESS.match(os.fspath(where))
    return None if found is None else f"{found[1]}://{'/' if found[1] == 'file' else ''}{found['rest']}"


def is_url(where: object) -> bool:
    """Return whether a place is the address of a file, an object or a folder of these.

    Examples
    --------
    >>> is_url("https://example.org/rows.csv"), is_url("https.csv")
    (True, False)
    """
    return url_of(where) is not None


def scheme_of(url: str) -> str:
    """Return what an address begins with.

    Examples
    --------
    >>> scheme_of("s3://bucket/rows.csv")
    's3'
    """
    return url.partition("://")[0]


def local_path(where: str | os.PathLike[str]) -> str:
    """Return a path of this machine for ``file://``; anything else as it is, addresses in full.

    Examples
    --------
    >>> local_path("file:///data/my%20rows.csv"), local_path("memory://rows.csv")
    ('/data/my rows.csv', 'memory://rows.csv')
    """
    url = url_of(where)
    if url is None:
        return os.fspath(where)
    if scheme_of(url) != "file":
        return url
    from urllib.request import url2pathname  # here: it loads all that speaks HTTP

    return url2pathname(url.removeprefix("file://"))


def absolute(path: str) -> str:
    """Return a path from the root, for workers that were started in another folder; addresses as they are."""
    return path if is_url(path) else os.path.abspath(path)


def shown(where: str | os.PathLike[str]) -> str:
    """Return a place as it may be shown: of an address neither user nor query, which may be signatures.

    Examples
    --------
    >>> shown("https://ada:secret@example.org/rows.csv?X-Amz-Signature=abc"), shown("rows.csv")
    ('https://example.org/rows.csv', 'rows.csv')
    """
    url = url_of(where)
    return os.fspath(where) if url is None else _bare(url)


def _bare(url: str) -> str:
    scheme = scheme_of(url)
    if scheme not in ("http", "https"):
        rest = url.partition("://")[2]
        place, slash, path = rest.partition("/")
        return f"{scheme}://{place if scheme in CONTAINER_AT else place.rpartition('@')[2]}{slash}{path}"
    try:
        parts = urlsplit(url)
        return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))
    except ValueError:
        return f"{scheme}://..."


def scrubbed(text: str, url: str = "") -> str:
    """Return a text, perhaps of another package, in which addresses show nothing secret.

    Examples
    --------
    >>> scrubbed("GET https://example.org/rows.csv?sig=abc failed", "https://example.org/rows.csv?sig=abc")
    'GET https://example.org/rows.csv failed'
    """
    text = _ANY.sub(lambda found: _bare(found[0]) if url_of(found[0]) else found[0], text)
    for secret in secrets_of(url):
        text = text.replace(secret, "***")
    return text


def secrets_of(url: str) -> list[str]:
    """Return the parts of an address that are never shown, as they are written and as they are meant.

    Examples
    --------
    >>> secrets_of("https://ada:secret@example.org/rows.csv?sig=abc")
    ['ada:secret', 'secret', 'sig=abc']
    """
    if url_of(url) is None or scheme_of(url) in CONTAINER_AT:
        return []
    try:
        parts = urlsplit(url)
    except ValueError:
        return []
    user = parts.netloc.rpartition("@")[0]
    query = parts.query if parts.scheme in ("http", "https") else ""
    found = (user, user.partition(":")[2], unquote(user), unquote(user).partition(":")[2], query)
    return [secret for secret in dict.fromkeys(found) if secret]


def suffix_of(path: str | os.PathLike[str]) -> str:
    """Return the ending of a file's name in small letters, whatever follows it in an address.

    Examples
    --------
    >>> suffix_of("https://example.org/Rows.CSV?token=a.b"), suffix_of("rows.parquet")
    ('.csv', '.parquet')
    """
    return PurePosixPath(shown(path).replace(os.sep, "/")).suffix.lower()
