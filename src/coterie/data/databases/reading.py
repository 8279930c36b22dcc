"""Databases: SQLite and DuckDB files, PostgreSQL by its address. Read only, in batches, no password shown."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Protocol
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from coterie._printing import shortened
from coterie._support.optional import require
from coterie._support.stores import is_url, scrubbed, shown
from coterie._support.typing import PolarsFrame, PolarsSeries
from coterie._support.validation.memory import format_bytes
from coterie.data.databases.spool import Spool, SpooledRows, stacked
from coterie.data.files.source import read_limit
from coterie.data.intervals import intervals_as_durations
from coterie.errors import (
    CoterieError,
    FileProblem,
    InvalidData,
    InvalidFile,
    InvalidParameter,
    NotEnoughMemory,
    did_you_mean,
)

BATCH_ROWS = 50_000
BATCH_BYTES = 1 << 26  # of texts, after which a batch ends before it has that many rows
FETCHED = 64  # rows at once from SQLite
ARROW_ROWS = 8_192  # at once from DuckDB: four of its vectors, which it keeps within its own limit of memory
SHORTEST_LIMIT, LONGEST_OF_SQLITE = 1 << 20, 10**9
WAIT = 2.0  # seconds for a lock of somebody else
STEPS_BETWEEN_LOOKS = 200_000  # of SQLite's machine: some milliseconds
SHOWN = 8
SQLITE_MAGIC, DUCKDB_MAGIC = b"SQLite format 3\x00", b"DUCK"
LONG_TYPES = (str, bytes)  # of cells that may take any number of bytes
SCHEMES = ("postgresql", "postgres")
SECRETS = ("password", "sslpassword", "passfile")
_UNKNOWN = re.compile(
    r'no such (?:column|table): "?([\w.]+)|(?:column|relation) "?([\w.]+)"? does not exist'
    r'|Referenced column "([^"]+)" not found|Table with name "?([\w.]+)"? does not exist'
)


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a database: a table, or the rows of a query with the values of its parameters."""

    table: str | None = None
    query: str | None = None
    parameters: Sequence[object] = ()


class Database(Protocol):
    """An open connection that only reads."""

    def tables(self) -> list[str]:
        """Return the tables and views, by name."""

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""

    def quoted(self, table: str) -> str:
        """Return the name of a table as SQL writes it."""

    def rows(self, query: str, parameters: Sequence[object]) -> Iterator[PolarsFrame]:
        """Run a query and yield polars frames of at most `BATCH_ROWS` rows."""

    def close(self) -> None:
        """End the connection."""


def is_database(where: object) -> bool:
    """Return whether a place is a database: an address, or a file of SQLite or DuckDB by its first bytes."""
    if not isinstance(where, str | os.PathLike):
        return False
    if is_address(where):
        return True
    try:
        if not Path(where).is_file():
            return False
        with open(where, "rb") as file:
            head = file.read(16)
    except (OSError, ValueError):
        return False
    return head == SQLITE_MAGIC or head[8:12] == DUCKDB_MAGIC


def is_address(where: object) -> bool:
    """Return whether a text is the address of a database's server rather than a path or a file's address.

    Examples
    --------
    >>> is_address("postgresql://localhost/shop"), is_address("data/shop.csv")
    (True, False)
    """
    is_known = isinstance(where, str) and re.match(r"[a-z][a-z0-9+.-]+://", where) is not None
    return is_known and not is_url(where)


def without_password(address: str) -> str:
    """Return an address as it may be shown: without the password, wherever it stands.

    Examples
    --------
    >>> without_password("postgresql://ada:secret@db.example.org:5432/shop?password=secret&sslmode=require")
    'postgresql://ada@db.example.org:5432/shop?sslmode=require'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return f"{address.partition('://')[0]}://..."
    user, at, host = parts.netloc.rpartition("@")
    query = urlencode([pair for pair in parse_qsl(parts.query) if pair[0].lower() not in SECRETS])
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{host}", query=query))


def hide_passwords(text: str, words: Sequence[str]) -> str:
    """Return a text in which no address among the words that were typed shows its password.

    Examples
    --------
    >>> hide_passwords("x: secret is wrong", ["fit", "postgresql://ada:secret@localhost/shop"])
    'x: *** is wrong'
    """
    for word in filter(is_address, words):
        text = text.replace(word, without_password(word))
        text = _masked(text, _secrets(word))
    for word in words:
        start = word.find("=") + 1 if word.startswith("-") else 0  # --truth=https://...
        text = scrubbed(text, word[start:])
    return text


def shown_name(where: str | os.PathLike[str]) -> str:
    """Return what a place is called in output: an address without its password.

    Examples
    --------
    >>> shown_name("postgresql://ada:secret@localhost/shop"), shown_name("shop.csv")
    ('postgresql://ada@localhost/shop', 'shop.csv')
    """
    return without_password(str(where)) if is_address(where) else shown(where)


def read_database(
    where: str | os.PathLike[str], wanted: Wanted, *, most: int | None = None
) -> tuple[str, PolarsFrame | SpooledRows, list[str]]:
    """Return the name, the rows and the notes of a table or a query.

    Parameters
    ----------
    where : str or path
        A file of SQLite or DuckDB, or ``postgresql://...``.
    wanted : Wanted
        The table or the query; a database with one table needs neither.
    most : int, default=None
        Bytes of rows that are held in memory: the rows are a frame, or `SpooledRows` if they take more. None:
        always a frame, and what memory cannot take is refused.
    """
    name = shown_name(where)
    if wanted.table is not None and wanted.query is not None:
        raise InvalidParameter("table and query exclude each other: name one.").in_shell(
            "--table and --query exclude each other: use one."
        )
    with closing(_open(where, name)) as database:
        query, notes = wanted.query, []
        if query is None:
            table = wanted.table
            if table is None:
                table = _only_table(database, name)
                notes.append(f"table {shortened(table)} is read")
            _check_table(database, table, name)
            query = f"select * from {database.quoted(table)}"  # quoted: a name is data, never SQL
        elif not query.strip():
            raise InvalidParameter(f"{name}: the query is empty.")
        rows = _collected(database, name, query, wanted, most)
    return name, replace(rows, notes=tuple(notes)) if isinstance(rows, SpooledRows) else rows, notes


def _open(where: str | os.PathLike[str], name: str) -> Database:
    if is_address(where):
        scheme = str(where).partition("://")[0]
        if scheme not in SCHEMES:
            raise InvalidParameter(
                f"{name}: {scheme}:// is not read. Give s3://, gs://, az:// or https:// for "
                f"files in stores, postgresql:// for a database, or the path of a file."
            )
        return PostgresServer(str(where), name)
    with open(where, "rb") as file:
        is_sqlite = file.read(16) == SQLITE_MAGIC
    return SqliteFile(os.fspath(where)) if is_sqlite else DuckdbFile(os.fspath(where))


def _only_table(database: Database, name: str) -> str:
    tables = _listing(database, name)
    if not tables:
        raise InvalidFile(f"{name}: the database has no tables.")
    if len(tables) > 1:
        listed = ", ".join(map(shortened, tables[:SHOWN])) + (" ..." if len(tables) > SHOWN else "")
        text = f"{name}: which table? It has: {listed}."
        raise InvalidParameter(f"{text} Use table= or query=.").in_shell(
            f"{text} Use --table NAME or --query SQL."
        )
    return tables[0]


def _check_table(database: Database, table: str, name: str) -> None:
    tables = _listing(database, name)
    if table not in tables:
        listed = ", ".join(map(shortened, tables[:SHOWN])) + (" ..." if len(tables) > SHOWN else "")
        near = did_you_mean(table, tables) or f" It has: {listed or 'none'}."
        raise InvalidParameter(f'{name}: no table "{shortened(table)}".{near}')


def _listing(database: Database, name: str) -> list[str]:
    try:
        return database.tables()
    except CoterieError:
        raise
    except Exception as error:  # every driver has errors of its own
        raise _explained(database, name, error) from None


def _collected(
    database: Database, name: str, query: str, wanted: Wanted, most: int | None
) -> PolarsFrame | SpooledRows:
    """Return all rows of a query, read in batches; what is too large for memory goes to files."""
    limit = read_limit()
    frames: list[PolarsFrame] = []
    spool, size, n_rows = None, 0, 0
    try:
        for frame in database.rows(query, wanted.parameters):
            size, n_rows = size + int(frame.estimated_size()), n_rows + frame.height
            if most is None and size > limit:
                raise NotEnoughMemory(
                    f"{name}: the rows take more than {format_bytes(limit)}. Select fewer rows or columns "
                    f"with a query, or export them to Parquet files in a folder, which are read in blocks."
                )
            frames.append(frame)
            if most is not None and size > min(most, limit):
                spool = spool or Spool(name)
                while frames:
                    spool.add(frames.pop(0))
    except CoterieError:
        raise
    except Exception as error:  # every driver has errors of its own
        raise _explained(database, name, error) from None
    if spool is None and (not frames or not frames[0].width):
        raise InvalidParameter(f"{name}: the query gives no table; it must be one select.")
    if not n_rows:
        what = "the query returned no rows" if wanted.query is not None else "the table has no rows"
        raise InvalidData(f"{name}: {what}.")
    return stacked([frame for frame in frames if frame.height]) if spool is None else spool.rows()


def _explained(database: Database, name: str, error: Exception) -> CoterieError:
    """Return an error of a driver in our words: which name is unknown, who holds the file, what is broken."""
    text = database.safe(str(error)) if isinstance(database, PostgresServer) else str(error)
    reason = shortened(" ".join(text.split()), 300)
    found = _UNKNOWN.search(text)
    if found is not None:
        unknown = next(group for group in found.groups() if group)
        return InvalidParameter(
            f'{name}: the query names "{unknown}", which is not there.{_near(database, unknown)}'
        )
    if isinstance(error, MemoryError) or "string or blob too big" in text or "Out of Memory" in text:
        return NotEnoughMemory(
            f"{name}: a cell or some rows take more memory than there is. Select other columns with a query."
        )
    lower = reason.lower()
    if "locked" in lower or "set lock" in lower or "conflicting lock" in lower:
        return FileProblem(
            f"{name}: another program is writing to the database. Try again when it has finished."
        )
    if (
        "malformed" in lower
        or "not a database" in lower
        or "corrupt" in lower
        or "not a valid duckdb" in lower
    ):
        return InvalidFile(f"{name}: the database is damaged ({reason}).")
    if any(
        word in lower
        for word in (
            "readonly",
            "read-only",
            "read only",
            "not authorized",
            "prohibited",
            "disabled by configuration",
        )
    ):
        return InvalidParameter(
            f"{name}: the query is refused ({reason}). Databases are only read: use one select."
        )
    return InvalidParameter(f"{name}: the query failed ({reason}).")


def _near(database: Database, unknown: str) -> str:
    """Return the sentence that offers the nearest table or column."""
    try:
        tables = database.tables()
        columns = [column for table in tables[:SHOWN] for column in database.columns(table)]
    except Exception:  # the connection may be gone: then there is no offer
        return ""
    return did_you_mean(unknown.rpartition(".")[2], [*columns, *tables]) or (
        f" Tables: {', '.join(map(shortened, tables[:SHOWN]))}." if tables else ""
    )


def _double_quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class SqliteFile:
    """A file of SQLite, opened for reading; nothing but select is allowed."""

    def __init__(self, path: str) -> None:
        address = f"file:{quote(os.path.abspath(path))}?mode=ro"
        try:
            self.connection = sqlite3.connect(address, uri=True, timeout=WAIT)
            self.connection.set_authorizer(_only_reading)
            self.longest = max(read_limit() // FETCHED, SHORTEST_LIMIT)  # of a cell: so many come at once
            self.connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(self.longest, LONGEST_OF_SQLITE))
            self.connection.set_progress_handler(_look_up, STEPS_BETWEEN_LOOKS)
        except sqlite3.Error as error:
            raise FileProblem(f"{path}: cannot be opened ({error}).") from None

    def tables(self) -> list[str]:
        """Return the tables and views, by name."""
        found = self.connection.execute(
            "select name from sqlite_master where type in ('table', 'view') and name not like 'sqlite@_%' "
            "escape '@' order by rowid"
        )
        return [str(name) for (name,) in found]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        cursor = self.connection.execute(f"select * from {self.quoted(table)} limit 0")
        return [column[0] for column in cursor.description]

    def quoted(self, table: str) -> str:
        """Return the name of a table as SQL writes it."""
        return _double_quoted(table)

    def rows(self, query: str, parameters: Sequence[object]) -> Iterator[PolarsFrame]:
        """Run a query and yield polars frames of at most `BATCH_ROWS` rows."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        with _hearing_interrupts():
            cursor = self.connection.execute(query, parameters)
            names = _different([column[0] for column in cursor.description or ()])
            columns = _fetched(cursor, len(names))
        while True:
            yield polars.DataFrame(
                [_sqlite_series(polars, *column) for column in zip(names, columns, strict=True)]
            )
            with _hearing_interrupts():
                columns = _fetched(cursor, len(names))
            if not columns or not columns[0]:
                return

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


def _fetched(cursor: sqlite3.Cursor, n_columns: int) -> list[list[object]]:
    """Return the next rows by columns: a batch, or fewer where their texts are long."""
    columns: list[list[object]] = [[] for _ in range(n_columns)]
    n_rows = n_bytes = 0
    while n_rows < BATCH_ROWS and n_bytes < BATCH_BYTES:
        usual = n_bytes // max(n_rows, 1) + 1  # bytes of a row so far
        portion = max(1, min(FETCHED, BATCH_BYTES // usual, BATCH_ROWS - n_rows))
        some = cursor.fetchmany(portion if n_rows else 1)
        if not some:
            break
        n_rows += len(some)
        for column, cells in zip(columns, zip(*some, strict=True), strict=True):
            column.extend(cells)
            if not {*map(type, cells)}.isdisjoint(LONG_TYPES):
                n_bytes += sum(len(cell) for cell in cells if isinstance(cell, LONG_TYPES))
    return columns


def _look_up() -> None:
    """Let Python look for signals within a query: what Ctrl-C raises here ends the query."""


@contextmanager
def _hearing_interrupts() -> Iterator[None]:
    """Raise what ended a query again, which SQLite has swallowed."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise


def _only_reading(action: int, *_: object) -> int:
    """Allow what a select does; SQLite asks before every part of a statement."""
    allowed = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    return sqlite3.SQLITE_OK if action in allowed else sqlite3.SQLITE_DENY


def _sqlite_series(polars: ModuleType, name: str, values: list[object]) -> PolarsSeries:
    """Return a column, whose cells may be of several types: then it is text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float} or len(kinds) == 1:
        return polars.Series(name, values, strict=False)
    texts = [None if value is None else str(value) for value in values]
    return polars.Series(name, texts, dtype=polars.String)


def _different(names: Sequence[str]) -> list[str]:
    """Return names of which none occurs twice."""
    taken: dict[str, None] = {}
    for at, name in enumerate(names):
        taken[name if name not in taken else f"{name}_{at + 1}"] = None
    return list(taken)


class DuckdbFile:
    """A file of DuckDB, opened for reading, which reaches no other file."""

    def __init__(self, path: str) -> None:
        duckdb = require("duckdb", extra="duckdb", purpose="Reading DuckDB files")
        require("pyarrow", extra="duckdb", purpose="Reading DuckDB files")
        try:
            self.connection = duckdb.connect(path, read_only=True)
            self.connection.execute("set enable_external_access = false")
            self.connection.execute("set lock_configuration = true")
        except Exception as error:  # of various types
            raise _explained(self, path, error) from None

    def tables(self) -> list[str]:
        """Return the tables and views, by name."""
        found = self.connection.execute(
            "select case when table_schema = 'main' then '' else table_schema || '.' end || table_name "
            "from information_schema.tables order by 1"
        )
        return [str(name) for (name,) in found.fetchall()]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        self.connection.execute(f"select * from {self.quoted(table)} limit 0")
        return [column[0] for column in self.connection.description]

    def quoted(self, table: str) -> str:
        """Return the name of a table as SQL writes it."""
        return _quoted_with_schema(table)

    def rows(self, query: str, parameters: Sequence[object]) -> Iterator[PolarsFrame]:
        """Run a query and yield polars frames of at most `BATCH_ROWS` rows."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        relation = self.connection.sql(query, params=list(parameters) or None)
        if relation is None:
            return
        reader = (
            relation.to_arrow_reader(ARROW_ROWS)
            if hasattr(relation, "to_arrow_reader")
            else (relation.fetch_arrow_reader(ARROW_ROWS))
        )
        names = _different(list(relation.columns))
        yield polars.from_arrow(intervals_as_durations(reader.schema.empty_table())).rename(
            dict(zip(reader.schema.names, names, strict=True))
        )
        waiting: list[PolarsFrame] = []
        for batch in reader:
            waiting.append(polars.from_arrow(intervals_as_durations(batch)))
            n_bytes = sum(frame.estimated_size() for frame in waiting)
            if sum(frame.height for frame in waiting) >= BATCH_ROWS or n_bytes >= BATCH_BYTES:
                yield stacked(waiting)
                waiting = []
        if waiting:
            yield stacked(waiting)

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


def _quoted_with_schema(table: str) -> str:
    schema, dot, name = table.rpartition(".")
    return f"{_double_quoted(schema)}.{_double_quoted(name)}" if dot else _double_quoted(table)


class PostgresServer:
    """A database of PostgreSQL, in a transaction that only reads."""

    def __init__(self, address: str, name: str) -> None:
        driver = require("adbc_driver_postgresql.dbapi", extra="sql", purpose="Reading PostgreSQL")
        self.secrets = _secrets(address)
        try:
            self.connection = driver.connect(address)
            self.cursor = self.connection.cursor()
            self.cursor.execute("set transaction read only")
            self.cursor.execute("select 1::numeric::money")
            self.units_of_money: int = self.cursor.fetchone()[0]  # the driver gives cents, without a word
        except Exception as error:  # of various types
            reason = shortened(" ".join(self.safe(str(error)).split()), 300)
            raise FileProblem(f"{name}: cannot be reached ({reason}).") from None

    def safe(self, text: str) -> str:
        """Return a text without the password."""
        return _masked(text, self.secrets)

    def tables(self) -> list[str]:
        """Return the tables and views, by name; those outside of "public" with their schema."""
        self.cursor.execute(
            "select case when table_schema = 'public' then '' else table_schema || '.' end || table_name "
            "from information_schema.tables where table_schema not in ('pg_catalog', 'information_schema') "
            "order by 1"
        )
        return [str(name) for (name,) in self.cursor.fetchall()]

    def columns(self, table: str) -> list[str]:
        """Return the columns of a table."""
        self.cursor.execute(f"select * from {self.quoted(table)} limit 0")
        return [column[0] for column in self.cursor.description]

    def quoted(self, table: str) -> str:
        """Return the name of a table as SQL writes it."""
        return _quoted_with_schema(table)

    def rows(self, query: str, parameters: Sequence[object]) -> Iterator[PolarsFrame]:
        """Run a query and yield polars frames, batch by batch."""
        polars = require("polars", extra="cli", purpose="Reading tables")
        try:
            self.cursor.execute(query, list(parameters) or None)
            reader = self.cursor.fetch_record_batch()
            names = _different(reader.schema.names)
            money = [
                name
                for name, field in zip(names, reader.schema, strict=True)
                if (field.metadata or {}).get(b"POSTGRESQL:type") == b"money"
            ]
            amounts = polars.col(money) / self.units_of_money
            yield _plain(polars, reader.schema.empty_table(), names).with_columns(amounts)
            for batch in reader:
                yield _plain(polars, batch, names).with_columns(amounts)
        except Exception:
            self.connection.rollback()  # a transaction that failed answers nothing more
            raise

    def close(self) -> None:
        """End the connection."""
        self.cursor.close()
        self.connection.close()


def _plain(polars: ModuleType, batch: PolarsFrame, names: Sequence[str]) -> PolarsFrame:
    """Return a batch as a frame; types that Arrow does not have, such as numeric, are text there."""
    arrays = [
        column.storage if hasattr(column, "storage") else column
        for column in _columns(intervals_as_durations(batch))
    ]
    return polars.DataFrame(
        [polars.from_arrow(array).alias(name) for name, array in zip(names, arrays, strict=True)]
    )


def _columns(batch: PolarsFrame) -> list[PolarsSeries]:
    return [
        column.combine_chunks() if hasattr(column, "combine_chunks") else column for column in batch.columns
    ]


def _masked(text: str, secrets: Sequence[str]) -> str:
    """Return a text without passwords; a short one may also be a part of other words."""
    for secret in secrets:
        edge = r"\b" if len(secret) < 5 and secret.isalnum() else ""
        text = re.sub(f"{edge}{re.escape(secret)}{edge}", "***", text)
    return text


def _secrets(address: str) -> list[str]:
    """Return the passwords of an address, as they are and as they are written there."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return []
    written = (parts.netloc.rpartition("@")[0]).partition(":")[2]
    named = [value for key, value in parse_qsl(parts.query) if key.lower() in SECRETS]
    return [secret for secret in (written, unquote(written), *named) if secret]
