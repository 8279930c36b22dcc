"""Where files are: this machine's disk, web servers, object stores. Credentials come from the environment."""

from coterie._support.stores.retries import StoreProblem
from coterie._support.stores.stamps import Stamp
from coterie._support.stores.store import (
    exists,
    files_below,
    is_folder,
    is_listed,
    is_pattern,
    joined,
    matching,
    open_binary,
    read_all,
    remove_file,
    stamp_of,
    store_of,
    unchanged,
    write_file,
)
from coterie._support.stores.urls import (
    absolute,
    is_url,
    local_path,
    scheme_of,
    scrubbed,
    secrets_of,
    shown,
    suffix_of,
    url_of,
)

__all__ = [
    "Stamp",
    "StoreProblem",
    "absolute",
    "exists",
    "files_below",
    "is_folder",
    "is_listed",
    "is_pattern",
    "is_url",
    "joined",
    "local_path",
    "matching",
    "open_binary",
    "read_all",
    "remove_file",
    "scheme_of",
    "scrubbed",
    "secrets_of",
    "shown",
    "stamp_of",
    "store_of",
    "suffix_of",
    "unchanged",
    "url_of",
    "write_file",
]
