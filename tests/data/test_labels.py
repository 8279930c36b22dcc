"""Two labels per row: from one table, from two, matched by order or by key."""

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from coterie.data import read_label_pair
from coterie.data.labels import read_labels_table
from coterie.errors import InvalidData, InvalidFile, InvalidParameter, MissingFile


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Work in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(name, text):
    with open(name, "w") as file:
        file.write(text)
    return name


def test_two_columns_of_one_table():
    """Law: the truth is a column by its name, the clusters the usual column or the one named."""
    write("flowers.csv", "species,group,colour\nrose,1,red\nlily,2,red\nlily,2,white\n")
    pair = read_label_pair("flowers.csv", "species")
    assert (pair.true.tolist(), pair.pred.tolist()) == (["rose", "lily", "lily"], [1, 2, 2])
    assert (pair.true_name, pair.pred_name, pair.source) == ("species", "group", "flowers.csv")
    assert read_label_pair("flowers.csv", "species", column="colour").pred.tolist() == ["red", "red", "white"]


def test_two_files_in_the_same_order():
    """Law: without names of rows, rows go together by their order, whatever the formats."""
    write("groups.csv", "row,group\n1,7\n2,7\n3,8\n")
    pl.DataFrame({"class": ["x", "x", "y"], "note": ["a", "b", "c"]}).write_parquet("truth.parquet")
    pair = read_label_pair("groups.csv", "truth.parquet")
    assert (pair.true.tolist(), pair.pred.tolist()) == (["x", "x", "y"], [7, 7, 8])
    assert pair.true_name == "class of truth.parquet"


def test_rows_are_matched_by_their_names():
    """Law: a column that names the rows in both files decides; more rows of the truth do no harm."""
    write("groups.csv", "id,group\nA1,1\nB2,1\nC3,2\n")
    write("truth.csv", "id,kind\nC3,y\nZ9,z\nA1,x\nB2,x\n")
    pair = read_label_pair("groups.csv", "truth.csv")
    assert (pair.true.tolist(), pair.pred.tolist()) == (["x", "x", "y"], [1, 1, 2])
    assert pair.notes == ("rows matched by id",)
    write("truth.csv", "id,kind\nC3,y\nA1,x\nQ4,x\n")
    with pytest.raises(
        InvalidData, match=r'truth.csv: no row for 1 of 3 rows of groups.csv, such as id "B2"'
    ):
        read_label_pair("groups.csv", "truth.csv")


def test_arrays_of_labels():
    """Law: the .npy files that fit writes, and texts, are labels; matrices have columns."""
    np.save("pred.npy", np.array([0, 0, 1], dtype=np.int32))
    np.save("true.npy", np.array(["x", "x", "y"]))
    pair = read_label_pair("pred.npy", "true.npy")
    assert (pair.true.tolist(), pair.pred.tolist()) == (["x", "x", "y"], [0, 0, 1])
    np.save("both.npy", np.array([[0, 5], [0, 5], [1, 6]]))
    assert read_label_pair("both.npy", "column_1").pred.tolist() == [5, 5, 6]
    np.save("objects.npy", np.array([None, 1, 2]))
    with pytest.raises(InvalidFile, match="holds Python objects, which are never loaded"):
        read_label_pair("objects.npy", "column_1")


def test_missing_labels():
    """Law: rows without a label are refused with their numbers, or left out when asked."""
    write("flowers.csv", "species,group\nrose,1\n,1\nlily,\nlily,2\n")
    with pytest.raises(
        InvalidData, match=r"2 rows lack a label in group or species \(rows 2, 3\)\."
    ) as caught:
        read_label_pair("flowers.csv", "species")
    assert caught.value.shell_text.endswith("Use --missing drop.")
    pair = read_label_pair("flowers.csv", "species", missing="drop")
    assert (pair.true.tolist(), pair.pred.tolist(), pair.n_dropped) == (["rose", "lily"], [1, 2], 2)
    with pytest.raises(
        InvalidParameter, match='missing must be one of "error", "drop" for labels, got "median"'
    ):
        read_label_pair("flowers.csv", "species", missing="median")


def test_what_cannot_be_found():
    """Law: what is not there is named, with the nearest name and the way out."""
    write("flowers.csv", "species,a,b\nrose,1,2\nlily,2,2\n")
    with pytest.raises(
        InvalidParameter, match=r"which column holds the labels\? It has: a, b. Use --column NAME"
    ):
        read_label_pair("flowers.csv", "species")
    with pytest.raises(
        InvalidParameter, match=r'neither a column of flowers.csv nor a file. Did you mean "species"'
    ):
        read_label_pair("flowers.csv", "specis")
    write(
        "wide.csv", ",".join(f"column {'x' * 500} {i}" for i in range(40)) + "\n" + ",".join("1" * 40) + "\n"
    )
    with pytest.raises(InvalidParameter, match=r"neither a column of wide.csv .* and 35 more") as caught:
        read_label_pair("wide.csv", "truth")
    assert len(str(caught.value)) < 2000
    with pytest.raises(InvalidParameter, match=r'flowers\.csv: no column "c"'):
        read_label_pair("flowers.csv", "species", column="c")
    with pytest.raises(InvalidParameter, match="is a column there") as caught:
        read_label_pair("flowers.csv", "species", column="a", truth_column="b")
    assert caught.value.shell_text.startswith("--truth-column needs a file after --truth")
    with pytest.raises(MissingFile, match=r"none\.csv: no such file"):
        read_label_pair("none.csv", "species")


def test_files_of_different_lengths():
    """Law: without names of rows the lengths must agree."""
    write("groups.csv", "group\n1\n1\n2\n")
    write("truth.csv", "class\nx\ny\n")
    with pytest.raises(
        InvalidData, match=r"groups.csv has 3 rows, truth.csv has 2: they must label the same"
    ):
        read_label_pair("groups.csv", "truth.csv")


def test_a_sparse_matrix_holds_no_labels():
    """Law: a sparse matrix is refused as such, with the way out."""
    sparse.save_npz("matrix.npz", sparse.csr_array(np.eye(4)))
    with pytest.raises(InvalidFile, match=r"matrix\.npz: must be a table that holds labels, got a sparse"):
        read_label_pair("matrix.npz", "truth")


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ((b"(3,)", b"(9999999999999,)"), "promises more numbers than fit in memory"),
        ((b"(3,)", b"(3, "), "not a whole .npy file"),
        ((b"(3,)", b'"3,)'), "not a whole .npy file"),
    ],
)
def test_a_damaged_vector_is_refused(damage, message):
    """Law: what a damaged header promises is neither read nor believed."""
    np.save("labels.npy", np.arange(3))
    with open("labels.npy", "r+b") as file:
        content = file.read().replace(*damage)
        file.seek(0)
        file.write(content)
    with pytest.raises(InvalidFile, match=message):
        read_label_pair("labels.npy", "labels.npy")


def test_an_archive_called_npy(tmp_path):
    """Law: a file is what it holds, not what it is called: an archive is not a vector of labels."""
    path = tmp_path / "labels.npz"
    np.savez(path, labels=np.arange(3))
    other = path.rename(tmp_path / "labels.npy")
    with pytest.raises(InvalidFile, match=r"labels\.npy"):
        read_labels_table(other, None, None)
