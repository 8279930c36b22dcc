"""Object stores and whatever else fsspec knows: s3://, gs://, az://, memory://."""

from __future__ import annotations

import re
from collections.abc import Mapping

from coterie._support.optional import require
from coterie._support.stores.stamps import Stamp
from coterie._support.stores.urls import CONTAINER_AT, SCHEMES, scheme_of, shown
from coterie._support.typing import Settings
from coterie.errors import InvalidParameter

TAGS = (
    "ETag",
    "etag",
    "content_md5",
    "generation",
    "LastModified",
    "last_modified",
    "updated",
    "mtime",
    "created",
)
S3_SECONDS = {"connect_timeout": 20, "read_timeout": 60}


class ObjectStore:
    """The files of one scheme, through fsspec; credentials come from the environment."""

    is_listed = True

    def __init__(self, scheme: str) -> None:
        about = SCHEMES[scheme]
        purpose = f"{scheme}://"
        extra = about.extra or "remote"
        fsspec = require("fsspec", extra=extra, purpose=purpose)
        if about.package is not None:
            require(about.package, extra=extra, purpose=purpose)
        # a listing that is kept would hide what was written since
        options: dict[str, object] = {"use_listings_cache": False}
        if about.package == "s3fs":
            options["config_kwargs"] = {
                **S3_SECONDS,
                "retries": {"max_attempts": 1},
            }  # we try again ourselves
        self.scheme = scheme
        self.sizes: dict[str, int] = {}  # of the objects that were listed last
        self.files = fsspec.filesystem(scheme, **options)

    def stamp(self, url: str) -> Stamp:
        """Return the size and the tag or time of an object."""
        return _stamp(self._info(url))

    def read(self, url: str, begin: int, end: int, stamp: Stamp) -> bytes:
        """Return some bytes of an object."""
        content: bytes = self.files.cat_file(self._path(url), start=begin, end=end)
        if len(content) != end - begin:
            raise ConnectionError(f"{len(content)} of {end - begin} bytes came")
        return content

    def read_all(self, url: str) -> bytes:
        """Return the whole of an object."""
        content: bytes = self.files.cat_file(self._path(url))
        return content

    def exists(self, url: str) -> bool:
        """Return whether there is an object or a folder."""
        try:
            self._info(url)
        except FileNotFoundError:
            return False
        return True

    def is_folder(self, url: str) -> bool:
        """Return whether objects lie below an address."""
        try:
            return bool(self._info(url)["type"] == "directory")
        except FileNotFoundError:
            return False

    def find(self, url: str) -> dict[str, Stamp]:
        """Return all objects below a folder, by address."""
        return self._listed(self.files.find(self._path(url), detail=True))

    def glob(self, url: str) -> dict[str, Stamp]:
        """Return the objects that a pattern matches, by address."""
        path = self._path(url)
        found = self.files.glob(path, detail=True)
        if not found and self.scheme != "memory":
            self.files.ls(path.partition("/")[0], detail=False)  # fails where the bucket is not there
        return self._listed(found)

    def write(self, local: str, url: str) -> None:
        """Write an object: whole or not at all."""
        self.files.put_file(local, self._path(url))

    def remove(self, url: str) -> None:
        """Remove an object."""
        self.files.rm_file(self._path(url))

    def _listed(self, found: Mapping[str, Settings]) -> dict[str, Stamp]:
        stamps = {
            f"{self.scheme}://{path.lstrip('/')}": _stamp(facts)
            for path, facts in found.items()
            if facts["type"] == "file" and not path.endswith("/")
        }
        self.sizes = {url: stamp.size for url, stamp in stamps.items()}
        return stamps

    def _info(self, url: str) -> Settings:
        fresh = {"refresh": True} if self.scheme in ("s3", "s3a") else {}
        facts: Settings = self.files.info(self._path(url), **fresh)
        return facts

    def _path(self, url: str) -> str:
        place = url.partition("://")[2]
        if self.scheme not in CONTAINER_AT and re.match(r"[^/]*@", place):
            raise InvalidParameter(
                f"{shown(url)}: do not put credentials in a URL. Set them in the environment: "
                f"{SCHEMES[scheme_of(url)].credentials or 'this scheme needs none'}."
            )
        path: str = self.files._strip_protocol(url)
        return path


def _stamp(facts: Settings) -> Stamp:
    version = next((str(facts[name]) for name in TAGS if facts.get(name)), "")
    return Stamp(int(facts.get("size") or 0), version)
