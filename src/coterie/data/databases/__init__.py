"""Databases: tables and queries are read in batches, and go to files where they are too large for memory."""

from coterie.data.databases.reading import (
    Wanted,
    hide_passwords,
    is_address,
    is_database,
    read_database,
    shown_name,
    without_password,
)
from coterie.data.databases.spool import Folder, SpooledRows

__all__ = [
    "Folder",
    "SpooledRows",
    "Wanted",
    "hide_passwords",
    "is_address",
    "is_database",
    "read_database",
    "shown_name",
    "without_password",
]
