"""Files that are not text, and files that are not there."""

import builtins
import io
import json
import zipfile

import numpy as np
import pandas
import polars as pl
import pytest
from scipy import sparse

from coterie._support.validation import memory
from coterie.data import as_table, read_table
from coterie.errors import CoterieError, FileProblem, InvalidData, InvalidFile, MissingFile, NotEnoughMemory

FRAME = pl.DataFrame({"x": [1.0, 2.0, 4.0], "y": [5, 6, 8], "city": ["a", "b", "c"]})
X = np.random.default_rng(0).normal(size=(6, 3))


@pytest.mark.parametrize("kind", ["parquet", "arrow", "feather", "arrows"])
def test_columnar_files(tmp_path, kind):
    """Law: Parquet, Arrow files and Arrow streams give the table they were written from."""
    path = tmp_path / f"t.{kind}"
    {"parquet": FRAME.write_parquet, "arrows": FRAME.write_ipc_stream}.get(kind, FRAME.write_ipc)(path)
    table = read_table(path)
    assert table.columns == ("x", "y", "city")
    np.testing.assert_array_equal(table.matrix(["y", "x"]), [[5, 1], [6, 2], [8, 4]])
    assert table.choose().used == ("x", "y")


def test_arrays(tmp_path):
    """Law: .npy and .npz give their matrix; float32 stays float32; columns are numbered from 1."""
    np.save(tmp_path / "t.npy", X.astype(np.float32))
    np.savez(tmp_path / "one.npz", anything=X)
    np.savez(tmp_path / "several.npz", y=np.arange(6), X=X)
    table = read_table(tmp_path / "t.npy")
    assert table.columns == ("column_1", "column_2", "column_3")
    assert table.matrix(table.columns).dtype == np.float32
    for name in ("one.npz", "several.npz"):
        np.testing.assert_array_equal(
            read_table(tmp_path / name).matrix(["column_3", "column_1"]), X[:, [2, 0]]
        )


def test_sparse_matrices(tmp_path):
    """Law: SciPy's .npz stays sparse, whatever its format was."""
    matrix = sparse.random_array((20, 5), density=0.3, rng=np.random.default_rng(0)).tocsc()
    sparse.save_npz(tmp_path / "t.npz", matrix)
    table = read_table(tmp_path / "t.npz")
    read = table.matrix(table.choose(drop=["column_2"]).used)
    assert read.format == "csr"
    np.testing.assert_array_equal(read.toarray(), matrix.toarray()[:, [0, 2, 3, 4]])


def objects():
    stream = io.BytesIO()
    np.save(stream, np.array([[{}]], dtype=object), allow_pickle=True)
    return stream.getvalue()


SPARSE = {
    "format": np.array(b"csr"),
    "shape": [3, 3],
    "data": np.ones(4),
    "indices": [0, 1, 0, 2],
    "indptr": [0, 1, 3, 4],
}


WHOLE = {
    "format": np.array("csc"),
    "data": np.ones(2),
    "indices": [0, 1],
    "indptr": [0, 1, 2],
    "shape": [2, 2],
}


def npz(**arrays):
    stream = io.BytesIO()
    np.savez(stream, **arrays)
    return stream.getvalue()


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def parquet():
    stream = io.BytesIO()
    FRAME.write_parquet(stream)
    return stream.getvalue()


def workbook():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("xl/workbook.xml", "<x/>")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.parquet", parquet()[:200], "t.parquet: not a whole Parquet file: its end is missing"),
        (
            "t.parquet",
            parquet()[:60] + parquet()[-40:],
            "t.parquet: not a whole Parquet file, cut off or damaged",
        ),
        ("t.parquet", b"hello there", "is not a .parquet file: it begins with b'hello th'"),
        ("t.npy", npy(X)[:100], "not a whole .npy file, cut off or damaged"),
        ("t.npy", npy(X)[:7], "not a whole .npy file"),
        ("t.npy", objects(), "holds Python objects, which are never loaded because they could run code"),
        ("t.npy", npy(X[0]), r"has shape \(3,\); rows and columns are needed.*reshape\(-1, 1\)"),
        ("t.npy", npy(X[None]), r"has shape \(1, 6, 3\).*reshape\(len\(array\), -1\)"),
        ("t.npy", npy(X[:0]), r"has no rows \(shape \(0, 3\)\)"),
        ("t.npy", npy(X[:, :0]), "has no columns"),
        ("t.npy", npy(X + 1j), "holds complex numbers, not real numbers"),
        ("t.npy", npy(np.array([["a"]])), "holds text, not real numbers"),
        ("t.npy", npy(np.zeros(2, dtype=[("a", float)])), "holds records with fields a"),
        ("t.npz", npz(a=X, b=X), r"holds several arrays \(a, b\): name the one to use X"),
        ("t.npz", npz(X=X)[:300], "not a whole .npz file, cut off or damaged"),
        ("t.npz", npz(format=np.array("csr"), shape=np.array([2, 2])), "not a whole sparse matrix"),
        *(
            (
                "t.npz",
                npz(**WHOLE | other),
                "not a whole sparse matrix .format must be one word and shape two",
            )
            for other in (
                {"shape": [[2, 2], [2, 2]]},
                {"shape": 2},
                {"shape": ["a", "b"]},
                {"format": ["csc"] * 2},
            )
        ),
        *(
            ("t.npz", npz(**SPARSE | changes), f"not a .* sparse matrix.*{words}")
            for changes, words in [
                ({"indices": [0, 1, 10**9, 2]}, "entry 2 has column 1000000000, but there are 3 columns"),
                ({"indices": [0, 1, -1, 2]}, "entry 2 has column -1"),
                ({"indices": [0, 1, 10**9, 2], "format": np.array(b"csc")}, "entry 2 has row 1000000000"),
                (
                    {"indices": [0, 1, 2, 3], "format": np.array(b"bsr"), "data": np.ones((4, 1, 1))},
                    "column 3",
                ),
                ({"indptr": [0, 3, 1, 4]}, "indptr falls from 3 to 1 at row 1"),
                ({"indices": [0.0, 1.5, 2.0, 1.0]}, "indices must hold whole numbers, got float64"),
                ({"data": np.array(list("abcd"))}, "its values must be numbers"),
                ({"format": np.array(b"dia"), "data": np.ones((2, 3)), "offsets": [0, 10**9]}, "no diagonal"),
                ({"format": np.array(b"coo"), "row": [0, 1, 2, 10**9], "col": [0, 1, 2, 2]}, "exceeds"),
            ]
        ),
        ("t.xlsx", workbook()[:80], "not a whole Excel workbook, cut off or damaged"),
        ("t.zip", workbook()[:80], "not a whole zip archive, cut off or damaged"),
    ],
    ids=lambda value: "bytes" if isinstance(value, bytes) else str(value),  # a zip file holds the time
)
def test_broken_files_are_named(tmp_path, name, content, message):
    """Law: a file that is not what it should be raises InvalidFile in one sentence."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InvalidFile, match=message):
        read_table(tmp_path / name)


def test_empty_parquet(tmp_path):
    """Law: a whole file without rows is told so."""
    FRAME.clear().write_parquet(tmp_path / "t.parquet")
    with pytest.raises(InvalidFile, match="has no rows"):
        read_table(tmp_path / "t.parquet")


def test_absent_files(tmp_path):
    """Law: a missing file offers the nearest name; a missing folder is said to be missing."""
    (tmp_path / "customers.csv").write_text("a\n1\n")
    with pytest.raises(MissingFile, match=r'custmers.csv: no such file. Did you mean "customers.csv"\?'):
        read_table(tmp_path / "custmers.csv")
    with pytest.raises(MissingFile, match=r"The folder .* does not exist either"):
        read_table(tmp_path / "nowhere" / "x.csv")


def test_directory(tmp_path):
    """Law: a directory is the table of its files, one below the other; without any it is refused."""
    with pytest.raises(FileProblem, match=r"holds no file that ends in one of .parquet, .csv"):
        read_table(tmp_path)
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("x\n1\n2\n")
    assert read_table(tmp_path).n_rows == 4
    (tmp_path / "c.csv").write_text("y\n1\n")
    with pytest.raises(InvalidData, match=r"c.csv: has no column in common with .*a.csv"):
        read_table(tmp_path)


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (PermissionError(13, "denied"), "no permission to read it"),
        (OSError(5, "I/O error"), "cannot be read"),
    ],
)
def test_unreadable_file(tmp_path, monkeypatch, failure, message):
    """Law: what the system refuses is told with the file's name (acted: the tests may run as root)."""
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")

    def refuse(*args, **options):
        raise failure

    monkeypatch.setattr(io, "open", refuse)
    monkeypatch.setattr(builtins, "open", refuse)
    monkeypatch.setattr("pathlib.Path.open", refuse)
    with pytest.raises(FileProblem, match=rf"t.csv: {message}"):
        read_table(path)


def test_standard_input(monkeypatch):
    """Law: "-" reads what is piped in, and says so when nothing is."""

    class Pipe(io.TextIOWrapper):
        terminal = False

        def isatty(self):
            return self.terminal

    pipe = Pipe(io.BytesIO(b"x,y\n1,2\n3,4\n"))
    monkeypatch.setattr("sys.stdin", pipe)
    assert read_table("-").columns == ("x", "y")
    pipe.terminal = True
    with pytest.raises(FileProblem, match="nothing is piped in"):
        read_table("-")


def test_all_columns_dropped(tmp_path):
    """Law: dropping every column of an array leaves nothing, and is told so."""
    np.save(tmp_path / "t.npy", X)
    with pytest.raises(InvalidData, match="all 3 columns are dropped"):
        read_table(tmp_path / "t.npy").choose(drop=["column_1", "column_2", "column_3"])


def test_sparse_tables_wider_than_memory(tmp_path, monkeypatch):
    """Law: a small file of a thousand million columns is refused before each of them gets a name."""
    monkeypatch.setattr(memory, "available_memory", lambda: 20 * 2**30)
    path = tmp_path / "wide.npz"
    path.write_bytes(npz(**SPARSE | {"shape": [3, 10**9]}))
    with pytest.raises(
        NotEnoughMemory, match=r"wide.npz, a table of 1,000,000,000 columns, needs .*are free"
    ):
        read_table(path)
    with pytest.raises(NotEnoughMemory, match=r"the data, a table of 1,000,000,000 columns, needs"):
        as_table(sparse.load_npz(path))


def test_json_of_names_and_cells_apart(tmp_path):
    """Law: what pandas writes with orient="split" or "table" is named, with what to write instead."""
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.5, 3.5]})
    for orient in ("split", "table"):
        path = tmp_path / f"{orient}.json"
        frame.to_json(path, orient=orient)
        with pytest.raises(CoterieError, match=f'orient="{orient}".*Write it with orient="records"'):
            read_table(path)
    (tmp_path / "names.json").write_text('{"columns": [1, 2], "data": [3, 4]}')
    assert read_table(tmp_path / "names.json").columns == ("columns", "data")


def sheet_of(path, *rows):
    """Write a workbook of one sheet, whose rows are given in their XML."""
    names = "http://schemas.openxmlformats.org"
    main = f'xmlns="{names}/spreadsheetml/2006/main"'
    office = f"{names}/officeDocument/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    link = (
        '<Relationships xmlns="{0}/package/2006/relationships"><Relationship Id="r1" Type="{1}/{2}" '
        'Target="{3}"/></Relationships>'
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{names}/package/2006/content-types">'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/></Types>',
        "_rels/.rels": link.format(names, office, "officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook {main} xmlns:r="{office}"><sheets>'
        '<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": link.format(names, office, "worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": f"<worksheet {main}><sheetData>{''.join(rows)}</sheetData></worksheet>",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return path


@pytest.mark.parametrize(
    "rows",
    [
        ['<row r="1"><c r="A1"><v>1</v></c></row>', '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'],
        ['<row r="1"><c r="A1"><v>1</v></c></row>', "<row><c r = 'xfd1048576'><v>1</v></c></row>"],
        [f"<row>{'<c><v>1</v></c>' * 16_000}</row>", "<row><c><v>1</v></c></row>" * 1_000_000],
    ],
    ids=["far", "odd", "without places"],
)
def test_a_sheet_whose_cells_are_far_apart(tmp_path, rows):
    """Law: what the reader would need terabytes for, and abort, is refused in words before it reads."""
    with pytest.raises(
        NotEnoughMemory, match=r"cells 1,0\d\d,\d\d\d rows and 16,\d\d\d columns apart needs"
    ) as told:
        read_table(sheet_of(tmp_path / "far.xlsx", *rows))
    assert "Delete the cells that are far from the table" in str(told.value)


def test_a_sheet_without_places_of_cells(tmp_path):
    """Law: cells and rows follow each other where they do not say where they are."""
    rows = [f"<row>{f'<c><v>{i}</v></c>' * 3}</row>" for i in range(9)]
    table = read_table(sheet_of(tmp_path / "plain.xlsx", *rows))
    assert (table.n_rows, len(table.columns)) == (9, 3)


def test_json_of_whole_numbers_of_thousands_of_digits(tmp_path):
    """Law: what Python does not turn into whole numbers is read as JSON's own 1e999 is."""
    path, lines = tmp_path / "long.json", tmp_path / "long.ndjson"
    path.write_text('[{"a": 1, "b": 2}, {"a": ' + "9" * 5000 + ', "b": 3}]')
    lines.write_text('{"a": 1}\n{"a": ' + "9" * 5000 + "}\n")
    assert np.isinf(read_table(path).content["a"][1])
    assert np.isinf(read_table(lines).content["a"][1])


def test_json_of_many_columns(tmp_path):
    """Law: records that share no field are read as columns, however many these are."""
    path = tmp_path / "wide.json"
    path.write_text(json.dumps([{f"k{i}_{j}": j for j in range(200)} for i in range(50)]))
    table = read_table(path)
    assert (table.n_rows, len(table.columns)) == (50, 10_000)
