"""Tables that are not CSV files: workbooks, JSON, archives, databases, frames of other packages."""

import datetime
import gc
import gzip
import json
import os
import pwd
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import coterie
from coterie.cli.app import run
from coterie.data import as_table, hide_passwords, read_table
from coterie.errors import FileProblem, InvalidData, InvalidFile, InvalidParameter, NotEnoughMemory

ROWS = [("Ada", 36, 1234.5, None), ("Bob", 41, 99.25, "x"), ("Cy", 28, 17.0, "y"), ("Di", 55, 8.5, "z")]
NAMES = ["name", "age", "spend", "note"]
FRAME = pl.DataFrame(ROWS, schema=NAMES, orient="row")


def numbers(table):
    return table.matrix(["age", "spend"]).tolist()


EXPECTED = [[36, 1234.5], [41, 99.25], [28, 17.0], [55, 8.5]]


# JSON and archives


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(FRAME.to_dicts()),
        "\n".join(json.dumps(row) for row in FRAME.to_dicts()) + "\n",
        json.dumps(FRAME.to_dict(as_series=False), indent=1),
        json.dumps({name: dict(enumerate(cells)) for name, cells in FRAME.to_dict(as_series=False).items()}),
        json.dumps({"customers": FRAME.to_dicts()}),
        "\ufeff" + json.dumps(FRAME.to_dicts(), indent=2),
    ],
    ids=["records", "lines", "columns", "columns by row", "inside", "byte order mark"],
)
@pytest.mark.parametrize("pack", ["plain", "gz", "zip"])
def test_json(tmp_path, text, pack):
    """Law: records, lines, columns (also by row) and the only table inside give one table, packed or not."""
    path = tmp_path / "t.json"
    path.write_bytes(text.encode() if pack == "plain" else gzip.compress(text.encode(), mtime=0))
    if pack == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("inside.json", text)
    table = read_table(path)
    assert table.columns == tuple(NAMES)
    assert numbers(table) == EXPECTED


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"a": 1}, {"a": ', r"is not whole JSON: line 1, column 17"),
        ('{"a": 1}\n{"a": 2}\n{"a": ', r"line 3 is not a whole JSON record"),
        ('{"a": [1, 2], "b": [1]}', r'columns must be equally long; "b" has 1 values, "a" 2'),
        ("[[1, 2], [3]]", "rows must be equally long"),
        ('[{"a": 1}, [2]]', "is JSON, but not a table"),
        ("[1, 2, 3]", "is JSON, but not a table"),
        ('"x"', "is JSON, but not a table"),
        (
            '{"data": [{"a": 1}], "results": [{"a": 1}], "n": 1}',
            r"several arrays of records \(data, results\)",
        ),
        ("[" * 100_000, "is JSON that is nested too deeply|is not whole JSON"),
    ],
)
def test_json_that_is_no_table(tmp_path, text, message):
    """Law: JSON that is broken or no table is refused with its place or with the shapes that are read."""
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(InvalidFile, match=message):
        read_table(tmp_path / "t.json")


@pytest.mark.parametrize(
    ("wrap", "way"),
    [
        (lambda rows: {"data": rows, "total": 4, "page": {"next": None}}, "data"),
        (lambda rows: {"response": {"status": "ok", "Results": rows}}, "response.Results"),
        (lambda rows: {"data": rows, "errors": []}, "data"),
    ],
)
def test_records_as_services_answer(tmp_path, wrap, way):
    """Law: records under a usual name, beside others, are the table, and a note says so."""
    (tmp_path / "t.json").write_text(json.dumps(wrap(FRAME.to_dicts())))
    table = read_table(tmp_path / "t.json")
    assert numbers(table) == EXPECTED
    assert f"the records under {way} are read" in table.notes
    (tmp_path / "t.json").write_text(json.dumps({"id": 1, "items": FRAME.to_dicts()}))
    assert read_table(tmp_path / "t.json").n_rows == 1  # "items" may be a field of a record


def test_rows_of_json_and_odd_cells(tmp_path):
    """Law: arrays are rows without names; absent keys are missing; mixed cells and objects are text."""
    (tmp_path / "t.json").write_text("[[1, 2.5], [3, 4]]")
    assert read_table(tmp_path / "t.json").matrix(["column_1", "column_2"]).tolist() == [[1, 2.5], [3, 4]]
    (tmp_path / "u.json").write_text(
        '[{"a": 1, "b": {"c": 2}, "d": 1}, {"a": 2, "d": "€5"}, {"a": 4, "b": []}]'
    )
    table = read_table(tmp_path / "u.json")
    assert table.choose().used == ("a",)
    assert table.content["b"].to_list() == ['{"c": 2}', None, "[]"]


def test_zipped_csv(tmp_path):
    """Law: a zip with one table is that table; with several, none, or a password it is refused in words."""
    path = tmp_path / "t.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data/people.csv", FRAME.write_csv())
    assert numbers(read_table(path)) == EXPECTED
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("more.csv", "a\n1\n")
    with pytest.raises(InvalidFile, match=r"holds several files \(data/people.csv, more.csv\); one table"):
        read_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("empty") if hasattr(archive, "mkdir") else None
    with pytest.raises(InvalidFile, match="holds no files"):
        read_table(path)


def test_a_zip_that_unpacks_to_very_much(tmp_path, monkeypatch):
    """Law: what is small packed and large unpacked is refused before it fills the memory."""
    monkeypatch.setenv("COTERIE_READ_LIMIT", "1M")
    with zipfile.ZipFile(tmp_path / "t.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("t.csv", "1,2\n" * 1_000_000)
    with pytest.raises(NotEnoughMemory, match=r"when unpacked"):
        read_table(tmp_path / "t.zip")


# workbooks


@pytest.fixture
def book(tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="the dev extra installs it")
    pytest.importorskip("fastexcel", reason="the dev extra installs it")

    def write(sheets, name="t.xlsx", change=None):
        workbook = openpyxl.Workbook()
        workbook.remove(workbook.active)
        for title, rows in sheets.items():
            sheet = workbook.create_sheet(title)
            for row in rows:
                sheet.append(row)
        if change is not None:
            change(workbook)
        workbook.save(tmp_path / name)
        return tmp_path / name

    return write


def test_a_sheet_is_a_table(book):
    """Law: a sheet gives the table of its cells; whole numbers are whole, dates are dates."""
    day = datetime.date(2020, 1, 2)
    path = book({"people": [[*NAMES, "joined"], *([*row, day] for row in ROWS)]})
    table = read_table(path)
    assert table.notes == ()
    assert numbers(table) == EXPECTED
    assert table.content["age"].dtype.is_integer()
    assert ("joined", "a date") in [(one.name, one.reason) for one in table.choose().left_out]
    assert read_table(path, dates="year").matrix(["joined"])[0, 0] == 2020


def test_sheets_are_chosen_by_name(book):
    """Law: of several sheets the first with cells is read, with a note; a wrong name offers the nearest."""
    path = book({"empty": [], "people": [NAMES, *ROWS], "prices": [["a", "b"], [1, 2], [3, 5]]})
    assert read_table(path).notes == ('sheet "people" is read; others: empty, prices (--sheet NAME)',)
    assert read_table(path, sheet="prices").matrix(["a", "b"]).tolist() == [[1, 2], [3, 5]]
    with pytest.raises(InvalidParameter, match=r'no sheet "price". Did you mean "prices"\?'):
        read_table(path, sheet="price")
    with pytest.raises(InvalidFile, match='sheet "empty" is empty'):
        read_table(path, sheet="empty")
    plain = path.with_suffix(".csv")
    plain.write_text("a,b\n1,2\n")
    with pytest.raises(InvalidParameter, match="sheet is for workbooks"):
        read_table(plain, sheet="x")


def test_a_cover_page_is_not_the_table(book):
    """Law: without a name of a sheet, the first that holds a table is read, not a title page before it."""
    sales = [["shop", "revenue", "staff"], ["a", 1, 2], ["b", 3, 4], ["c", 5, 6]]
    path = book({"Cover": [["Sales 2024"], ["by", "Ada"]], "Sales": sales})
    table = read_table(path)
    assert table.columns == ("shop", "revenue", "staff")
    assert table.notes == ('sheet "Sales" is read; others: Cover (--sheet NAME)',)
    assert read_table(book({"Cover": [["Sales 2024"], ["x"], ["y"]]})).n_rows == 2


def test_titles_merged_cells_and_formulas(book):
    """Law: rows above a table are skipped; merged cells and formulas without a result are told."""

    def merge(workbook):
        workbook.active.merge_cells("A1:D1")
        workbook.active.merge_cells("A4:A5")

    rows = [["Customers of 2024"], [], NAMES, *ROWS, ["Ed", "=B4+1", 5.5, None]]
    table = read_table(book({"people": rows}, change=merge))
    assert table.columns == tuple(NAMES)
    assert table.n_rows == 5
    assert np.isnan(table.matrix(["age"])[4, 0])
    assert [note.partition(":")[0] for note in table.notes] == [
        "2 rows above the table skipped",
        "2 merged areas",
        "1 formula has no stored result and read as empty",
    ]


def test_broken_and_empty_workbooks(book, tmp_path):
    """Law: a workbook that is cut off, has no cells, or no rows is refused in words."""
    path = book({"people": [NAMES, *ROWS]})
    (tmp_path / "cut.xlsx").write_bytes(path.read_bytes()[:1500])
    with pytest.raises(InvalidFile, match="not a whole Excel workbook, cut off or damaged"):
        read_table(tmp_path / "cut.xlsx")
    with zipfile.ZipFile(tmp_path / "hollow.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    with pytest.raises(InvalidFile, match=r"not a whole Excel workbook|no sheet with cells"):
        read_table(tmp_path / "hollow.xlsx")
    with pytest.raises(InvalidFile, match="has no sheet with cells"):
        read_table(book({"a": [], "b": []}))
    with pytest.raises(InvalidFile, match='has no rows: sheet "a" has a header'):
        read_table(book({"a": [NAMES]}))


# SQLite


def fill(connection):
    connection.execute("create table customers (name text, age integer, spend real, note text)")
    connection.executemany("insert into customers values (?, ?, ?, ?)", ROWS)
    connection.commit()


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        fill(connection)
    connection.close()
    return path


def run_sql(path, *statements):
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_sqlite(shop, monkeypatch):
    """Law: a table or a query of an SQLite file is a table, however many batches it takes."""
    table = read_table(shop)
    assert table.columns == tuple(NAMES)
    assert numbers(table) == EXPECTED
    assert table.notes == ("table customers is read",)
    monkeypatch.setattr("coterie.data.databases.reading.BATCH_ROWS", 3)
    assert numbers(read_table(shop, table="customers")) == EXPECTED
    found = read_table(
        shop, query="select age, spend from customers where age > ? order by age", parameters=[40]
    )
    assert numbers(found) == [[41, 99.25], [55, 8.5]]


def test_several_tables_are_asked_for(shop):
    """Law: of several tables none is guessed; a wrong table or column offers the nearest."""
    run_sql(shop, "create table orders (id integer, total real)", "create table none (x real)")
    with pytest.raises(
        InvalidParameter, match=r"which table\? It has: customers, orders, none. Use table="
    ) as info:
        read_table(shop)
    assert "--table NAME or --query SQL" in info.value.shell_text
    for wrong, message in [
        ({"table": "custmers"}, r'no table "custmers". Did you mean "customers"\?'),
        ({"query": "select agee from customers"}, r'names "agee", which is not there. Did you mean "age"\?'),
        ({"query": "select * from custmers"}, r'"custmers", which is not there. Did you mean "customers"\?'),
        ({"query": "select age frm customers"}, "the query failed"),
        ({"query": " "}, "the query is empty"),
        ({"table": "customers", "query": "select 1"}, "table and query exclude each other"),
        ({"table": 'x"; drop table customers; --'}, "no table"),
    ]:
        with pytest.raises(InvalidParameter, match=message):
            read_table(shop, **wrong)
    for empty in ({"query": "select * from customers where age > 99"}, {"table": "none"}):
        with pytest.raises(InvalidData, match=r"has no rows|returned no rows"):
            read_table(shop, **empty)


@pytest.mark.parametrize(
    "query",
    [
        "delete from customers",
        "drop table customers",
        "update customers set age = 1",
        "attach database 'other.db' as other",
        "create table x (a)",
        "pragma journal_mode = delete",
        "select age from customers; drop table customers",
    ],
)
def test_databases_are_only_read(shop, query, tmp_path, monkeypatch):
    """Law: a query that is not a select is refused, and nothing changes, nothing is made."""
    monkeypatch.chdir(tmp_path)
    before = shop.read_bytes()
    with pytest.raises(InvalidParameter, match=r"is refused|the query failed"):
        read_table(shop, query=query)
    assert shop.read_bytes() == before
    assert sorted(os.listdir(tmp_path)) == ["shop.db"]


def test_odd_cells_of_sqlite(tmp_path):
    """Law: SQLite keeps any type in any cell: mixed ones are text, in which numbers in disguise are found."""
    path = tmp_path / "odd.db"
    run_sql(
        path,
        "create table t (a, b, c, a2)",
        "insert into t values (1, '€5', x'00', 1), (2.5, '€1,000', x'01', 'n/a'), (null, '€7', null, 3)",
    )
    table = read_table(path, query="select a, b, c, a2, a2 as a from t")
    assert table.columns == ("a", "b", "c", "a2", "a_5")
    assert table.choose().used == ("a", "b", "a2", "a_5")
    assert table.matrix(["b"])[:, 0].tolist() == [5, 1000, 7]


def test_locked_broken_and_empty_databases(shop, tmp_path, monkeypatch):
    """Law: a database that somebody writes to, is damaged or has no tables is refused in words."""
    monkeypatch.setattr("coterie.data.databases.reading.WAIT", 0.05)
    writer = sqlite3.connect(shop, isolation_level=None)
    writer.execute("begin exclusive")
    with pytest.raises(FileProblem, match="another program is writing to the database"):
        read_table(shop)
    writer.execute("rollback")
    writer.close()
    broken = tmp_path / "broken.db"
    content = bytearray(shop.read_bytes())
    content[100:] = b"\xff" * (len(content) - 100)
    broken.write_bytes(content)
    with pytest.raises(InvalidFile, match="the database is damaged"):
        read_table(broken)
    empty = tmp_path / "empty.db"
    run_sql(empty, "create table t (a)", "drop table t")
    with pytest.raises(InvalidFile, match="the database has no tables"):
        read_table(empty)
    (tmp_path / "nothing.db").write_bytes(b"")
    with pytest.raises(InvalidFile, match="the file is empty"):
        read_table(tmp_path / "nothing.db")


ENDLESS = "with recursive t(n) as (select 1 union all select n + 1 from t) select count(*) from t"
INTERRUPTED = """
import os, signal, sys, threading
from coterie.data import read_table
threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    read_table(sys.argv[1], query=sys.argv[2])
except KeyboardInterrupt:
    print("stopped")
"""


def test_a_query_without_end_is_stopped_by_ctrl_c(shop):
    """Law: Ctrl-C is heard within a query, and stops it."""
    command = [sys.executable, "-c", INTERRUPTED, str(shop), ENDLESS]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("stopped\n", "")


def test_a_result_beyond_memory_is_refused(shop, monkeypatch):
    """Law: batches are counted as they come; more than may be read is refused with what to do."""
    monkeypatch.setenv("COTERIE_READ_LIMIT", "1K")
    numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1000)"
    with pytest.raises(NotEnoughMemory, match=r"take more than .* Select fewer rows or columns"):
        read_table(shop, query=f"{numbers} select i, i * 1.5 from n")


def test_the_shell_and_python_read_databases_alike(tmp_path, capsys):
    """Law: `coterie fit shop.db --table t`, `coterie.fit("shop.db", table="t")` and a CSV give one answer."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (40, 2)) for centre in ([0, 0], [12, 0], [0, 12])]).round(3)
    frame = pl.DataFrame(X, schema=["a", "b"])
    frame.write_csv(tmp_path / "t.csv")
    path = tmp_path / "shop.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table t (a real, b real)")
        connection.executemany("insert into t values (?, ?)", X.tolist())
        connection.execute("create table other (a real)")
    connection.close()
    expected = coterie.fit(tmp_path / "t.csv", "kmeans", 3, believe=False)
    found = coterie.fit(path, "kmeans", 3, believe=False, table="t")
    np.testing.assert_array_equal(found.labels, expected.labels)
    capsys.readouterr()
    for option in (["--table", "t"], ["--query", "select a, b from t"]):
        assert (
            run(["fit", str(path), *option, "-k", "3", "--method", "kmeans", "--no-believe", "--json"]) == 0
        )
        assert json.loads(capsys.readouterr().out)["sizes"] == expected.profile.sizes.tolist()
    assert run(["fit", str(path)]) == 2
    assert "which table? It has: t, other. Use --table NAME or --query SQL." in capsys.readouterr().err
    assert run(["inspect", str(tmp_path / "t.csv"), "--table", "t"]) == 2
    assert "--table is for databases" in capsys.readouterr().err
    (tmp_path / "empty.db").touch()
    assert run(["fit", str(tmp_path / "empty.db"), "--table", "t"]) == 2
    assert "empty.db: the file is empty." in capsys.readouterr().err
    assert run(["fit", str(tmp_path / "missing.db"), "--table", "t"]) == 2
    assert "missing.db" in (said := capsys.readouterr().err)
    assert "--table" not in said


# DuckDB


@pytest.fixture
def ducks(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="the dev extra installs it")
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", FRAME.to_arrow())
        connection.execute("create table customers as select * from frame")
        connection.execute("create schema old")
        connection.execute("create table old.prices as select 1.5::decimal(8, 2) as price, 2 as pieces")
    return path


def test_duckdb_files(ducks, tmp_path):
    """Law: tables, schemas, queries with parameters and wrong names work as in SQLite."""
    assert numbers(read_table(ducks, table="customers")) == EXPECTED
    assert read_table(ducks, table="old.prices").matrix(["price", "pieces"]).tolist() == [[1.5, 2]]
    query = "select age, spend from customers where age > ? order by age"
    assert numbers(read_table(ducks, query=query, parameters=[40])) == [[41, 99.25], [55, 8.5]]
    for wrong, message in [
        ({}, r"which table\? It has: customers, old.prices"),
        ({"table": "custmers"}, r'no table "custmers". Did you mean "customers"\?'),
        ({"query": "select agee from customers"}, r'"agee", which is not there. Did you mean "age"\?'),
        ({"query": "select * from custmers"}, r'"custmers", which is not there. Did you mean "customers"\?'),
        ({"query": "drop table customers"}, "is refused"),
        ({"query": f"select * from read_csv('{__file__}')"}, "is refused"),
        ({"query": f"copy customers to '{tmp_path}/x.csv'"}, "is refused"),
    ]:
        with pytest.raises(InvalidParameter, match=message):
            read_table(ducks, **wrong)
    with pytest.raises(InvalidData, match="the query returned no rows"):
        read_table(ducks, query="select * from customers where age > 99")
    assert not (tmp_path / "x.csv").exists()


def test_duckdb_files_that_are_damaged_or_in_use(ducks, tmp_path):
    """Law: a file that is cut off, or that another process writes to, is refused in words."""
    (tmp_path / "cut.duckdb").write_bytes(ducks.read_bytes()[:5000])
    with pytest.raises((InvalidFile, InvalidParameter), match=r"cut.duckdb: "):
        read_table(tmp_path / "cut.duckdb")
    code = (
        f"import duckdb, sys; c = duckdb.connect({str(ducks)!r}); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        other.stdout.readline()
        with pytest.raises(FileProblem, match="another program is writing to the database"):
            read_table(ducks)
        other.stdin.close()


def test_calendar_intervals_are_durations(tmp_path):
    """Law: intervals, which frames do not have, are durations from any source: relation, table, files."""
    duckdb = pytest.importorskip("duckdb", reason="the dev extra installs it")
    feather = pytest.importorskip("pyarrow.feather", reason="the dev extra installs it")
    query = "select i as a, to_minutes(i) + to_days(1) as waited from range(1, 9) as t(i)"
    path = tmp_path / "waits.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"create table waits as {query}")
        rows = connection.sql("select * from waits").to_arrow_table()
    feather.write_feather(rows, tmp_path / "waits.arrow")
    feather.write_feather(rows.slice(3), tmp_path / "later.arrow", chunksize=2)
    expected = [24 * 60 + i for i in range(1, 9)]
    for source in (path, duckdb.sql(query), rows, tmp_path / "waits.arrow"):
        assert as_table(source).content["waited"].dt.total_minutes().to_list() == expected
    for source in (rows.slice(3), tmp_path / "later.arrow"):
        assert as_table(source).content["waited"].dt.total_minutes().to_list() == expected[3:]
    blocks = coterie.fit(str(tmp_path / "*.arrow"), "kmeans", 2, checkpoint=tmp_path / "state", believe=False)
    at_once = coterie.fit(str(tmp_path / "*.arrow"), "kmeans", 2, believe=False)
    np.testing.assert_array_equal(blocks.labels.compute(), at_once.labels)
    assert any("waited (duration in s)" in note for note in blocks.notes)


def test_short_passwords_do_not_mark_words():
    """Law: letters of a short password within other words stay: they would tell it."""
    address = "mysql://ada:b@localhost/x"
    assert hide_passwords("no database for b", ["fit", address]) == "no database for ***"
    long = "mysql://ada:geheim@localhost/x"
    assert hide_passwords("xgeheimx", ["fit", long]) == "x***x"


def test_relations_of_duckdb():
    """Law: a relation is the table of its rows."""
    duckdb = pytest.importorskip("duckdb", reason="the dev extra installs it")
    with duckdb.connect() as connection:
        connection.register("frame", FRAME.to_arrow())
        assert numbers(as_table(connection.sql("select * from frame"))) == EXPECTED


# PostgreSQL


def postgres_program(name):
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    found = [str(folder / name) for folder in folders if (folder / name).exists()]
    return found[0] if found else shutil.which(name)


@pytest.fixture(scope="module")
def server():
    """Start a PostgreSQL of its own, and return its address with a password."""
    pytest.importorskip("adbc_driver_postgresql", reason="the dev extra installs it")
    initdb, postgres = postgres_program("initdb"), postgres_program("postgres")
    if initdb is None or postgres is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql; the CI installs it")
    folder = Path(tempfile.mkdtemp(prefix="coterie-pg-"))  # short: the path of a socket is at most 107 bytes
    who = {}
    if os.geteuid() == 0:  # the server refuses to run as root
        try:
            account = pwd.getpwnam("postgres")
        except KeyError:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres")
        os.chown(folder, account.pw_uid, account.pw_gid)
        who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    secret = folder / "secret"
    secret.write_text("geh:eim\n")
    if who:
        os.chown(secret, who["user"], who["group"])
    data = folder / "data"
    made = subprocess.run(
        [initdb, "-D", data, "-U", "ada", "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8", "-N"],
        capture_output=True, text=True, cwd="/", **who,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    process = subprocess.Popen(
        [postgres, "-D", data, "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, cwd="/", **who,
    )  # fmt: skip
    address = f"postgresql://ada:geh%3Aeim@/postgres?host={folder}"
    try:
        _wait(address)
        yield address
    finally:
        process.terminate()
        process.wait(30)
        process.stderr.close()
        shutil.rmtree(folder, ignore_errors=True)


def _wait(address):
    from adbc_driver_postgresql import dbapi

    for _ in range(100):
        try:
            with dbapi.connect(address) as connection, connection.cursor() as cursor:
                cursor.execute(
                    "create table customers (name text, age integer, spend numeric(10, 2), note text, "
                    "joined date, active boolean)"
                )
                for row in ROWS:
                    cursor.execute(
                        "insert into customers values ($1, $2, $3::double precision, $4, '2020-01-02', true)",
                        [*row[:2], float(row[2]), row[3] or ""],
                    )
                cursor.execute("create schema old")
                cursor.execute("create table old.prices (price double precision)")
                connection.commit()
            return
        except dbapi.OperationalError:
            time.sleep(0.1)
    raise AssertionError("the server did not start")


def test_postgresql(server):
    """Law: tables and queries of a PostgreSQL server give the table that SQLite gives; types are kept."""
    table = read_table(server, table="customers")
    assert numbers(table) == EXPECTED
    reasons = {one.name: one.reason for one in table.choose().left_out}
    assert reasons["joined"] == "a date"
    assert table.content["active"].dtype == pl.Boolean
    query = "select age, spend from customers where age > $1 order by age"
    assert numbers(read_table(server, query=query, parameters=[40])) == [[41, 99.25], [55, 8.5]]
    many = read_table(server, query="select i as a, i * 0.5 as b from generate_series(1, 200000) as i")
    assert many.n_rows == 200_000


def test_postgresql_types_of_its_own(server):
    """Law: money counts in its unit, not in cents, and intervals are durations: a month has 30 days."""
    query = (
        "select i, (i * 1.5)::numeric::money as price, make_interval(mins => i) as waited, "
        "make_interval(months => i) as kept from generate_series(1, 4) as i"
    )
    table = read_table(server, query=query)
    assert table.content["price"].to_list() == [1.5, 3.0, 4.5, 6.0]
    assert table.content["waited"].dt.total_minutes().to_list() == [1, 2, 3, 4]
    assert table.content["kept"].dt.total_days().to_list() == [30, 60, 90, 120]


def test_postgresql_in_blocks(server, monkeypatch):
    """Law: a large result of a server goes to files and gives the groups that it gives in memory."""
    kinds = "select i % 2 * 100 + i % 7 as a, (i % 2 * 50 + i % 5)::numeric as b"
    query = f"{kinds} from generate_series(1, 3000) as i"
    expected = coterie.fit(server, "kmeans", 2, query=query, believe=False)
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    found = coterie.fit(server, "kmeans", 2, query=query, believe=False)
    np.testing.assert_array_equal(found.labels.compute(), expected.labels)
    assert "geh" not in found.summary()


def test_postgresql_in_words(server):
    """Law: wrong names offer the nearest, writing is refused, nothing is made, an empty result is said."""
    for wrong, message in [
        ({}, r"which table\? It has: customers, old.prices"),
        ({"table": "custmers"}, r'no table "custmers". Did you mean "customers"\?'),
        ({"query": "select agee from customers"}, r'"agee", which is not there. Did you mean "age"\?'),
        ({"query": "select * from custmers"}, r'"custmers", which is not there. Did you mean "customers"\?'),
        ({"query": "create table x (a integer)"}, "is refused"),
        ({"query": "delete from customers"}, "is refused"),
    ]:
        with pytest.raises(InvalidParameter, match=message):
            read_table(server, **wrong)
    for empty in ({"query": "select * from customers where age > 99"}, {"table": "old.prices"}):
        with pytest.raises(InvalidData, match=r"has no rows|returned no rows"):
            read_table(server, **empty)
    assert read_table(server, table="customers").n_rows == 4


def test_no_password_in_any_output(server, tmp_path, capsys, monkeypatch):
    """Law: neither answers, files, reports nor errors show the password of an address."""
    arguments = [
        "fit",
        server,
        "--query",
        "select i as a, i % 7 as b from generate_series(1, 60) as i",
        "-k",
        "2",
    ]
    arguments += ["--method", "kmeans", "--no-believe", "--save", str(tmp_path / "m.safetensors")]
    arguments += ["--report", str(tmp_path / "r.html")]
    monkeypatch.setattr(sys, "argv", ["coterie", *arguments])
    assert run(arguments) == 0
    assert (
        run(
            [
                "predict",
                str(tmp_path / "m.safetensors"),
                server,
                "--query",
                "select 1.5 as a, 2 as b",
                "--json",
            ]
        )
        == 0
    )
    assert run(["inspect", server, "--table", "nowhere"]) == 2
    assert run(["fit", server.replace("eim@", "eim2@"), "--table", "customers"]) == 2
    printed = "".join(capsys.readouterr())
    assert "cannot be reached" in printed
    written = "".join(path.read_bytes().decode("utf-8", "ignore") for path in tmp_path.iterdir())
    for secret in ("geh:eim", "geh%3Aeim"):
        assert secret not in printed
        assert secret not in written


def test_addresses_of_others_are_refused(capsys, tmp_path, monkeypatch):
    """Law: only PostgreSQL is reached by an address; the password of any address stays hidden."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(InvalidParameter, match=r"mysql://ada@host/db: mysql:// is not read") as info:
        read_table("mysql://ada:secret@host/db")
    assert "secret" not in str(info.value)
    address = "postgresql://ada:secret@host/db"
    for words in (
        ["fit", address, "--checkpoint", "x"],
        ["evaluate", "t.csv", "--truth", address],
        [address],
    ):
        assert run(words) == 2
        said = capsys.readouterr().err
        assert said.startswith("coterie: ")
        assert "secret" not in said


# frames of other packages


def test_frames_of_every_kind():
    """Law: Arrow tables and batches, lazy frames, dictionaries and frames give one table."""
    arrow = FRAME.to_arrow()
    columns = FRAME.to_dict(as_series=False)
    sources = [
        arrow,
        arrow.to_batches()[0],
        FRAME.lazy(),
        columns,
        {name: pa.array(v) for name, v in columns.items()},
    ]
    for source in (*sources, FRAME, FRAME.to_pandas()):
        assert numbers(as_table(source)) == EXPECTED
    with pytest.raises(InvalidData, match=r"columns must be equally long, got a \(2\), b \(1\)"):
        as_table({"a": [1, 2], "b": [1]})
    with pytest.raises(InvalidParameter, match="table is for files and databases, not for a DataFrame"):
        as_table(FRAME, table="customers")


def test_an_arrow_table_is_fitted_in_memory():
    """Law: a small Arrow table, with text and money, is answered as the frame is."""
    rng = np.random.default_rng(1)
    groups = rng.integers(3, size=150)
    frame = pl.DataFrame(
        {
            "x": groups * 10 + rng.normal(size=150),
            "price": [f"${value:,.2f}" for value in groups * 900 + rng.normal(100, 20, size=150)],
            "town": ["Ulm", "Bonn", "Rom"] * 50,
        }
    )
    expected = coterie.fit(frame, "kmeans", 3, believe=False)
    found = coterie.fit(frame.to_arrow(), "kmeans", 3, believe=False)
    assert not hasattr(found, "blocks")
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.notes == expected.notes


def test_halves_of_characters_in_json(tmp_path):
    """Law: half of a character, which no file can hold, becomes a question mark in names and cells."""
    path = tmp_path / "x.json"
    path.write_text(r'[{"a\ud83e": 1, "b": "\udd8a"}, {"a\ud83e": 2, "b": ["\udd8a"]}]')
    table = read_table(path)
    assert table.columns == ("a?", "b")
    assert table.n_rows == 2


# databases in blocks


def customers(n=1500):
    """Return customers of three kinds, with money in words, a key, an amount that may be whole, and text."""
    rng = np.random.default_rng(4)
    kind = np.arange(n) % 3
    spend = np.array([450.0, 120, 2400])[kind] * rng.normal(1, 0.05, n)
    return pl.DataFrame(
        {
            "id": np.arange(n) * 7 + 3,
            "spend": [f"€{value:,.2f}" for value in spend],
            "orders": np.array([12, 6, 30])[kind] + rng.integers(0, 3, n),
            "visit": np.round(np.array([25.0, 50, 9])[kind] + rng.normal(0, 1, n), 1),
        }
    )


def fill_sqlite(path, frame):
    with sqlite3.connect(path) as connection:
        connection.execute(f"create table customers ({', '.join(frame.columns)})")
        places = ", ".join("?" * frame.width)
        connection.executemany(f"insert into customers values ({places})", frame.rows())
    connection.close()
    return path


def fill_duckdb(path, frame):
    duckdb = pytest.importorskip("duckdb", reason="the dev extra installs it")
    with duckdb.connect(str(path)) as connection:
        connection.register("frame", frame.to_arrow())
        connection.execute(
            "create table customers as select id, spend, orders, visit::decimal(9, 1) as visit from frame"
        )
    return path


@pytest.fixture
def in_small_batches(monkeypatch):
    """Batches of 400 rows, of which none stays in memory."""
    monkeypatch.setattr("coterie.data.databases.reading.BATCH_ROWS", 400)
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)


@pytest.mark.parametrize("fill", [fill_sqlite, fill_duckdb])
@pytest.mark.parametrize(
    "wanted", [{"table": "customers"}, {"query": "select * from customers where orders < 40"}]
)
def test_databases_in_blocks_give_the_answer_of_memory(tmp_path, monkeypatch, fill, wanted):
    """Law: rows of a database that go to files are read by the one schema: same columns, notes, groups."""
    path = fill(tmp_path / "shop.db", customers())
    how = {"method": "kmeans", "k": 3, "believe": False, **wanted}
    expected = coterie.fit(str(path), **how)
    monkeypatch.setattr("coterie.data.databases.reading.BATCH_ROWS", 400)
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    found = coterie.fit(str(path), **how)
    assert hasattr(found, "blocks")
    assert found.groups.source == expected.groups.source
    assert found.groups.columns == expected.groups.columns == ("spend", "orders", "visit")
    assert found.groups.left_out == expected.groups.left_out
    np.testing.assert_array_equal(found.labels.compute(), expected.labels)
    assert set(expected.notes) <= set(found.notes)


def test_rows_of_databases_leave_no_files_behind(tmp_path, in_small_batches, monkeypatch):
    """Law: the files that rows went to are gone with the answer, and hold nothing for others to read."""
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    path = fill_sqlite(tmp_path / "shop.db", customers())
    found = coterie.fit(str(path), "kmeans", 3, believe=False)
    (folder,) = (tmp_path / "temporary").glob("coterie-rows-*")
    assert folder.stat().st_mode & 0o077 == 0
    assert len(found.labels.compute()) == 1500
    del found
    gc.collect()
    assert not folder.exists()


def test_cells_of_several_types_over_batches(tmp_path, in_small_batches):
    """Law: a column that is whole, broken or empty in different batches is numbers; of late text, text."""
    frame = customers()
    path = fill_sqlite(tmp_path / "shop.db", frame)
    with sqlite3.connect(path) as connection:
        connection.execute("update customers set orders = orders + 0.5 where rowid > 800")
    connection.close()
    found = coterie.fit(str(path), "kmeans", 3, believe=False)
    assert found.k == 3
    with sqlite3.connect(path) as connection:
        connection.execute("update customers set orders = 'many' where rowid = 1300")
    connection.close()
    found = coterie.fit(str(path), "kmeans", 3, believe=False)
    reasons = {one.name: one.reason for one in found.groups.left_out}
    assert reasons["orders"].endswith('such as "many" in row 1300')


def test_databases_in_blocks_on_the_shell(tmp_path, in_small_batches, capsys):
    """Law: fit and predict of a large table write labels in a folder; nothing selected is said in words."""
    path = fill_sqlite(tmp_path / "shop.db", customers())
    model, labels = tmp_path / "m", tmp_path / "labels"
    wanted = ["--table", "customers"]
    code = run(
        ["fit", str(path), *wanted, "-k", "3", "--method", "kmeans", "--no-believe", "--save", str(model)]
    )
    assert code == 0
    assert run(["predict", str(model), str(path), *wanted, "-o", str(labels)]) == 0
    placed = pl.read_parquet(labels / "part-*.parquet")["label"]
    assert sorted(placed.value_counts()["count"]) == [500, 500, 500]
    capsys.readouterr()
    assert run(["predict", str(model), str(path), *wanted]) == 2
    assert "need -o FOLDER" in capsys.readouterr().err
    assert run(["fit", str(path), "--query", "select * from customers where orders > 900"]) == 2
    assert "the query returned no rows" in capsys.readouterr().err


def test_a_checkpoint_of_a_database_is_resumed(tmp_path):
    """Law: with a checkpoint even a small table goes in blocks; a second fit begins where the first ended."""
    path = fill_sqlite(tmp_path / "shop.db", customers())
    how = {"method": "kmeans", "k": 3, "believe": False, "table": "customers"}
    expected = coterie.fit(str(path), **how)
    for _ in range(2):
        found = coterie.fit(str(path), checkpoint=tmp_path / "saved", **how)
        np.testing.assert_array_equal(found.labels.compute(), expected.labels)
