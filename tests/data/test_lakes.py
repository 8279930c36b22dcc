"""Folders that are tables: columns from Hive's folders, Delta and Iceberg at their current version."""

import datetime
import importlib

import numpy as np
import polars as pl
import pyarrow
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coterie
from coterie._support import optional
from coterie.data import paths as data_paths
from coterie.data import read_table
from coterie.data.lakes.partitions import DATE, NUMBER, TEXT, WHOLE, folder_partitions, value_of
from coterie.errors import FileProblem, InvalidData, InvalidFile, MissingDependency, UnsupportedInput
from coterie.scale import fit as fit_blocks
from coterie.scale import read_blocks
from coterie.scale.columns import open_columns
from coterie.scale.runtime.cache import RECENT
from source_files import rows_in

WRITERS = {
    "parquet": pl.DataFrame.write_parquet,
    "csv": pl.DataFrame.write_csv,
    "arrow": pl.DataFrame.write_ipc,
}


def write_folders(
    root, kind="parquet", keys=("year", "month"), values=((2023, "01"), (2023, "11"), (2024, "02"))
):
    """Write a file of 40 rows per combination of folders."""
    rng = np.random.default_rng(0)
    for at, some in enumerate(values):
        folder = root.joinpath(*(f"{key}={value}" for key, value in zip(keys, some, strict=True)))
        folder.mkdir(parents=True)
        frame = pl.DataFrame({"x": rng.normal(size=40) + 9 * at, "y": rng.normal(size=40)})
        WRITERS[kind](frame, folder / f"part.{kind}")
    return root


@pytest.mark.parametrize("kind", WRITERS)
def test_folders_tell_columns_in_memory_and_in_blocks(tmp_path, kind):
    """Law: key=value folders are columns with their kinds; blocks, tables and polars agree on every row."""
    root = write_folders(tmp_path, kind)
    table = read_table(root)
    names = ("x", "y", "year", "month")
    assert table.columns == names
    assert rows_in(read_blocks(root)).tolist() == table.matrix(names).tolist()
    assert (
        rows_in(read_blocks(f"{root}/*/*/*.{kind}", columns=["month", "x"])).tolist()
        == table.matrix(["month", "x"]).tolist()
    )
    assert rows_in(read_blocks(root, columns=["month"])).tolist() == table.matrix(["month"]).tolist()
    if kind == "parquet":
        peer = pl.scan_parquet(root, hive_partitioning=True).select(names).collect()
        assert peer.equals(table.content.cast({"month": pl.Int64}))


def test_one_file_has_the_columns_that_it_has_among_others(tmp_path):
    """Law: a file's columns depend on the file, not on how it is named: new rows can be predicted."""
    root = write_folders(tmp_path)
    one = root / "year=2024" / "month=02" / "part.parquet"
    assert (
        read_table(one).columns
        == read_table([one]).columns
        == read_blocks(one).columns
        == ("x", "y", "year", "month")
    )
    found = coterie.fit(root, "kmeans", 3, believe=False)
    assert "month" in found.groups.columns
    assert len(found.predict(one)) == 40


def test_an_arrow_dataset_with_partitions_has_their_columns(tmp_path):
    """Law: a dataset that was opened with Hive's folders gives the rows of the folder."""
    root = write_folders(tmp_path)
    dataset = pyarrow.dataset.dataset(root, partitioning="hive")
    assert rows_in(read_blocks(dataset)).tolist() == rows_in(read_blocks(root)).tolist()


@pytest.mark.parametrize(
    ("values", "kind", "first"),
    [
        (["7", "08"], WHOLE, 7),
        (["-1", "2.5"], NUMBER, -1.0),
        (["2024-01-31", "2024-02-01"], DATE, datetime.date(2024, 1, 31)),
        (["north", "7"], TEXT, "north"),
        (["a%20b%2Fc", "d"], TEXT, "a b/c"),
        (["__HIVE_DEFAULT_PARTITION__", "3"], WHOLE, None),
        (["1" * 30, "2"], NUMBER, float("1" * 30)),
        (["2024-02-30", "2024-02-28"], TEXT, "2024-02-30"),
        (["0000-01-01"], TEXT, "0000-01-01"),
    ],
)
def test_kinds_of_folders(values, kind, first):
    """Law: a column is what all of its values are; Hive's mark is a missing value; names are decoded."""
    found = folder_partitions([f"/d/key={value}/a.csv" for value in values])
    assert found.kinds == {"key": kind}
    assert value_of(*found.of(f"/d/key={values[0]}/a.csv")[0][1:]) == first


@settings(max_examples=40)
@given(st.lists(st.integers(-(10**17), 10**17), min_size=1, max_size=5))
def test_whole_numbers_survive_folders(numbers):
    """Law: whole numbers written to folder names come back as they were."""
    found = folder_partitions([f"/d/k={number}/a.csv" for number in numbers])
    assert [value_of(*found.of(f"/d/k={number}/a.csv")[0][1:]) for number in numbers] == numbers


def test_folders_without_values_are_folders():
    """Law: only the folders right above a file count, and only names with =."""
    assert folder_partitions(["/a=1/plain/x.csv", "/plain/x.csv", "/b/=3/x.csv"]).kinds == {}


def test_text_and_dates_of_folders_are_treated_as_columns(tmp_path):
    """Law: text from folders is left out or carried along as text of files is."""
    root = write_folders(
        tmp_path, keys=("day", "city"), values=(("2024-01-31", "Bern"), ("2024-02-01", "Chur"))
    )
    opened = open_columns(str(root))
    assert {one.name: one.reason for one in opened.left_out}["day"] == "a date"
    assert opened.columns == ("x", "y")
    carried = opened.beside((), with_data=True, with_file=False)
    assert carried is not None
    stored = next(iter(carried)).stored()
    assert stored.column("city").to_pylist() == ["Bern"] * 40 + ["Chur"] * 40
    assert stored.column("day").to_pylist()[0] == datetime.date(2024, 1, 31)


@pytest.fixture
def delta(tmp_path):
    deltalake = pytest.importorskip("deltalake", reason="deltalake is not installed: coterie[delta]")
    path = tmp_path / "sales"
    old = pyarrow.table({"x": [100.0] * 30, "region": ["old"] * 30, "year": [1999] * 30})
    deltalake.write_deltalake(path, old, partition_by=["year", "region"])
    rng = np.random.default_rng(0)
    new = {"x": rng.normal(size=60), "region": ["a b", "c"] * 30, "year": np.repeat([2023, 2024], 30)}
    deltalake.write_deltalake(path, pyarrow.table(new), mode="overwrite", partition_by=["year", "region"])
    return path


def test_delta_tables_are_read_at_their_current_version(delta):
    """Law: rows are those that deltalake reads, never old ones, in memory and in blocks."""
    import deltalake

    table = deltalake.DeltaTable(delta)
    peer = pl.from_arrow(table.to_pyarrow_table()).sort("x")
    for source in (delta, str(delta), f"file://{delta}", table):
        read = coterie.data.as_table(source)
        assert read.content.select("x", "region", "year").sort("x").equals(peer.select("x", "region", "year"))
        blocks = read_blocks(source, columns=["x", "year"])
        assert rows_in(blocks).tolist() == read.matrix(["x", "year"]).tolist()
    before = deltalake.DeltaTable(delta, version=0)
    assert set(rows_in(read_blocks(before, columns=["x"])).ravel()) == {100.0}


def test_delta_tables_are_never_read_as_plain_files(delta, monkeypatch):
    """Law: without the package, above the table, or by a pattern within, all files are refused in words."""
    for place in (delta.parent, f"{delta}/*/*/*.parquet", str(delta.parent)):
        with pytest.raises(FileProblem, match=r"holds a Delta or Iceberg table in .*sales.*older versions"):
            read_blocks(place)
        with pytest.raises(FileProblem, match="holds a Delta or Iceberg table"):
            read_table(place)
    one = next(delta.rglob("*.parquet"))
    assert read_table(one).n_rows > 0  # named by itself, it is what is wanted

    def without(name):
        if name == "deltalake":
            raise ModuleNotFoundError(name=name)
        return importlib.import_module(name)

    monkeypatch.setattr(optional, "import_module", without)
    for read in (read_table, read_blocks):
        with pytest.raises(MissingDependency, match=r'is a Delta table.*"coterie\[delta\]"'):
            read(delta)


def test_delta_tables_that_files_do_not_tell_are_refused(delta, monkeypatch):
    """Law: deleted rows and renamed columns that are in the log alone are refused, never read wrongly."""
    import deltalake

    class Renamed:
        partition_columns = ()
        configuration = {"delta.columnMapping.mode": "name"}  # noqa: RUF012  # as the table's own

    with monkeypatch.context() as patch:
        patch.setattr(deltalake.DeltaTable, "metadata", lambda self: Renamed)
        with pytest.raises(UnsupportedInput, match=r"column mapping.*Write its rows to a new table"):
            read_blocks(delta)

    class Features:
        reader_features = ("deletionVectors",)

    monkeypatch.setattr(deltalake.DeltaTable, "protocol", lambda self: Features)
    assert read_blocks(delta, columns=["x"]).n_rows == 60  # allowed, but none is there
    marked = pyarrow.table({"filepath": ["a"], "selection_vector": [[True, False]]})
    monkeypatch.setattr(deltalake.DeltaTable, "deletion_vectors", lambda self: marked)
    with pytest.raises(UnsupportedInput, match="deletion vectors"):
        read_blocks(delta)


@pytest.fixture
def iceberg(tmp_path):
    sql = pytest.importorskip("pyiceberg.catalog.sql", reason="pyiceberg is not installed: coterie[iceberg]")
    catalogue = sql.SqlCatalog(
        "test", uri=f"sqlite:///{tmp_path}/catalogue.db", warehouse=f"file://{tmp_path}/house"
    )
    catalogue.create_namespace("shop")
    rng = np.random.default_rng(0)
    rows = pyarrow.table({"x": rng.normal(size=50), "n": np.arange(50), "name": ["a", "b"] * 25})
    table = catalogue.create_table("shop.sales", schema=rows.schema)
    table.append(rows)
    table.append(rows)
    table.delete("n >= 40")
    with table.update_schema() as change:
        change.rename_column("x", "height")
    return catalogue.load_table("shop.sales")


def test_iceberg_tables_are_read_at_their_current_snapshot(iceberg, tmp_path):
    """Law: rows are those that pyiceberg reads, by table, folder and metadata file."""
    peer = pl.from_arrow(iceberg.scan().to_arrow()).sort("height", "n")
    folder = tmp_path / "house" / "shop" / "sales"
    for source in (iceberg, folder, iceberg.metadata_location):
        read = coterie.data.as_table(source)
        assert read.content.sort("height", "n").select(peer.columns).equals(peer)
        assert (
            rows_in(read_blocks(source, columns=["height", "n"])).tolist()
            == read.matrix(["height", "n"]).tolist()
        )
    found = fit_blocks(iceberg, "kmeans", 2, believe=False)
    assert (found.k, found.groups.n_rows) == (2, 80)
    assert not data_paths.is_in_blocks(iceberg)


def test_iceberg_tables_are_never_read_as_plain_files(iceberg, tmp_path, monkeypatch):
    """Law: the folder above is refused; without the package so is the table; two current versions are too."""
    with pytest.raises(FileProblem, match=r"holds a Delta or Iceberg table in .*sales"):
        read_blocks(tmp_path / "house")
    metadata = tmp_path / "house" / "shop" / "sales" / "metadata"
    latest = sorted(metadata.glob("*.metadata.json"))[-1]
    (metadata / f"{latest.name[:5]}-other.metadata.json").write_bytes(latest.read_bytes())
    with pytest.raises(InvalidFile, match="which version of this Iceberg table is current"):
        read_blocks(metadata.parent)

    def without(name):
        if name.startswith("pyiceberg"):
            raise ModuleNotFoundError(name="pyiceberg")
        return importlib.import_module(name)

    monkeypatch.setattr(optional, "import_module", without)
    for read in (read_table, read_blocks):
        with pytest.raises(MissingDependency, match=r'is an Iceberg table.*"coterie\[iceberg\]"'):
            read(metadata.parent)


@pytest.mark.parametrize("damage", ["gone", "empty", "bytes"])
def test_iceberg_tables_with_damaged_files_are_refused_in_words(iceberg, tmp_path, damage):
    """Law: a data file that is gone or damaged is named, in memory and in blocks; no library speaks."""
    folder = tmp_path / "house" / "shop" / "sales"
    path = sorted((folder / "data").rglob("*.parquet"))[-1]
    content = path.read_bytes()
    path.unlink() if damage == "gone" else path.write_bytes(b"" if damage == "empty" else content[::-1])
    with pytest.raises(InvalidFile, match="cannot be read, a data file of an Iceberg table"):
        read_table(folder)
    with pytest.raises(InvalidFile, match="cannot be read, a data file of an Iceberg table"):
        rows_in(read_blocks(folder, columns=["height"]))


def test_iceberg_tables_have_the_rows_that_are_in_their_files(iceberg, tmp_path):
    """Law: what was kept of a data file is not taken for one that was written in its place."""
    folder = tmp_path / "house" / "shop" / "sales"
    columns = ["height", "n"]
    before = rows_in(read_blocks(folder, columns=columns))
    path = sorted((folder / "data").rglob("*.parquet"))[-1]
    table = pyarrow.parquet.read_table(path)
    at = table.column_names.index("x" if "x" in table.column_names else "height")
    higher = pyarrow.array(table.column(at).to_numpy() + 1)
    pyarrow.parquet.write_table(table.set_column(at, table.schema.field(at), higher), path)
    opened = read_blocks(folder, columns=columns)
    after = rows_in(opened)
    assert after.tolist() == read_table(folder).matrix(columns).tolist()
    assert after.tolist() != before.tolist()
    pyarrow.parquet.write_table(table, path)
    RECENT.clear()
    with pytest.raises(InvalidFile, match="has changed since it was opened"):
        rows_in(opened)


def test_tables_without_rows_are_said(iceberg):
    """Law: a table from which all rows were deleted has no rows, and that is said."""
    iceberg.delete("n >= 0")
    with pytest.raises((InvalidData, InvalidFile), match="no rows"):
        read_blocks(iceberg, columns=["n"])
    with pytest.raises((InvalidData, InvalidFile), match="no rows"):
        fit_blocks(iceberg)
    with pytest.raises((InvalidData, InvalidFile), match="no rows"):
        read_table(iceberg)
