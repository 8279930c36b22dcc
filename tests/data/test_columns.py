"""Which columns are used, and what happens to holes in them."""

from datetime import date

import numpy as np
import polars as pl
import pytest
from scipy import sparse

from coterie.data import Table, read_table, settle_missing
from coterie.errors import InvalidData, InvalidParameter

FRAME = pl.DataFrame(
    {
        "customer_id": [17, 4, 99, 3],
        "nr": [1, 2, 3, 4],
        "age": [30, 41, 25, 60],
        "spend": [1.5, 2.5, 3.5, 1.5],
        "member": [True, False, True, True],
        "city": ["a", "b", "a", "b"],
        "joined": [date(2020, 1, day) for day in (1, 2, 3, 4)],
        "born": ["1990-01-01", "1991-02-02", "1992-03-03", "1993-04-04"],
        "year": [2020, 2020, 2020, 2020],
        "void": [None, None, None, None],
        "tags": [["x"], ["y"], [], ["z"]],
    }
)
TABLE = Table("t.csv", tuple(FRAME.columns), True, FRAME.height, FRAME)


def test_numbers_are_used_and_the_rest_is_explained():
    """Law: numbers and booleans that vary are used; each other column is left out with its reason."""
    choice = TABLE.choose()
    assert choice.used == ("age", "spend", "member")
    assert [str(column) for column in choice.left_out] == [
        "customer_id (a key)",
        "nr (row numbers)",
        "city (text)",
        "joined (a date)",
        "born (a date)",
        "year (constant)",
        "void (empty)",
        "tags (List(String), not numbers)",
    ]
    assert TABLE.key_columns() == ("customer_id", "nr")


def test_drop_and_keep():
    """Law: the user's word beats the automatic choice, as far as there are numbers."""
    choice = TABLE.choose(drop=["age"], keep=["customer_id", "year"])
    assert choice.used == ("customer_id", "spend", "member", "year")
    assert "age (dropped)" in [str(column) for column in choice.left_out]
    with pytest.raises(
        InvalidParameter, match=r't.csv: column "city" cannot be kept: it is text, numbers are needed'
    ):
        TABLE.choose(keep=["city"])


def test_unknown_columns_offer_the_nearest():
    """Law: a column that is not there is answered with the nearest, or with what there is."""
    with pytest.raises(InvalidParameter, match=r't.csv: no column "spnd". Did you mean "spend"\?'):
        TABLE.choose(drop=["spnd"])
    with pytest.raises(
        InvalidParameter, match=r'no column "zzzz". It has: customer_id, nr, age, spend, member \.\.\.'
    ):
        TABLE.matrix(["zzzz"])


def test_only_text_is_refused():
    """Law: a table without numbers is refused with every column's reason."""
    frame = FRAME.select("city", "joined")
    with pytest.raises(
        InvalidData, match=r"t.csv: no column of numbers to cluster by: city \(text\), joined \(a date\)"
    ):
        Table("t.csv", tuple(frame.columns), True, 4, frame).choose()


def test_matrix_needs_numbers():
    """Law: a column asked for by name must hold numbers."""
    with pytest.raises(InvalidData, match=r't.csv: column "city" must hold numbers, but is text'):
        TABLE.matrix(["age", "city"])
    np.testing.assert_array_equal(TABLE.matrix(["member", "age"])[:2], [[1, 30], [0, 41]])


HOLES = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0], [np.nan, np.nan, 9.0], [7.0, 1.0, 2.0]])
NAMES = ("age", "income", "spend")


def test_missing_values_are_refused_with_their_place():
    """Law: by default the columns, the counts and the rows (counted from 1) are named, with the way out."""
    message = r't.csv: columns "age" \(1\), "income" \(2\) have missing values \(rows 1, 3\). Use missing='
    with pytest.raises(InvalidData, match=message) as caught:
        settle_missing(HOLES, NAMES, source="t.csv")
    assert "--missing observed|drop|median" in caught.value.shell_text
    with pytest.raises(InvalidData, match=r'column "income" has 1 missing value \(row 1\)'):
        settle_missing(HOLES[:1], NAMES)


def test_missing_values_are_dropped_or_filled():
    """Law: "drop" keeps complete rows and says which; "median" fills with the median, or a given one."""
    dropped = settle_missing(HOLES, NAMES, policy="drop")
    np.testing.assert_array_equal(dropped.X, HOLES[[1, 3]])
    assert dropped.rows.tolist() == [1, 3]
    assert dropped.n_dropped == 2
    filled = settle_missing(HOLES, NAMES, policy="median")
    np.testing.assert_array_equal(filled.X[0], [1, 3, 3])
    np.testing.assert_array_equal(filled.medians, [4, 3, 4.5])
    again = settle_missing(HOLES[:1], NAMES, policy="median", medians=filled.medians)
    np.testing.assert_array_equal(again.X, [[1, 3, 3]])


def test_complete_data_pass_unharmed():
    """Law: without holes every policy returns the same matrix."""
    for policy in ("auto", "observed", "error", "drop", "median", "refuse"):
        assert settle_missing(HOLES[1::2], NAMES, policy=policy).X.tolist() == HOLES[1::2].tolist()


@pytest.mark.parametrize(
    ("X", "policy", "message"),
    [
        (
            np.where(np.isnan(HOLES), np.inf, HOLES),
            "drop",
            r'columns "age" \(1\), "income" \(2\) have infinite values',
        ),
        (np.full((2, 3), np.nan), "drop", "every row has a missing value"),
        (
            np.array([[1e300, 1.0, 1.0]]),
            "error",
            r'column "age" has values up to 1e\+300, whose squares overflow float64',
        ),
        (np.array([[1.0, 1e30, 1.0]], dtype=np.float32), "error", 'column "income" .*overflow float32'),
        (sparse.csr_array(HOLES), "drop", "3 stored values are NaN"),
        (sparse.csr_array([[0.0, np.inf, 0.0]]), "error", 'column "income" has 1 infinite value'),
    ],
)
def test_what_cannot_be_settled_is_refused(X, policy, message):
    """Law: infinite and huge values, empty results and sparse holes are refused by name."""
    with pytest.raises(InvalidData, match=message):
        settle_missing(X, NAMES, policy=policy)


def test_unknown_policy():
    """Law: a slip in the policy's name is answered with the nearest."""
    with pytest.raises(
        InvalidParameter,
        match=r"missing must be one of auto, observed, drop, median, refuse, got 'dorp'. Did you mean",
    ):
        settle_missing(HOLES, NAMES, policy="dorp")


def test_a_column_without_values_has_no_median():
    """Law: a column that is missing altogether is refused, not filled with nothing."""
    X = np.array([[1.0, np.nan], [2.0, np.nan]])
    with pytest.raises(InvalidData, match='column "b" has no values, so it has no median'):
        settle_missing(X, ["a", "b"], policy="median")
    assert settle_missing(X, ["a", "b"], policy="median", medians=np.array([0.0, 7.0])).X[0, 1] == 7


def test_whole_numbers_of_128_bits_are_numbers(tmp_path):
    """Law: a column of more digits than 64 bits hold is read, and looked at, as the floats it is used as."""
    path = tmp_path / "wide.csv"
    path.write_text("id,x\n10000000000000000000000001,1.5\n10000000000000000000000002,2.5\n")
    table = read_table(path)
    table.key_columns()
    assert table.matrix(("id", "x")).tolist() == [[1e25, 1.5], [1e25, 2.5]]


def test_names_of_files_are_a_key():
    """Law: texts that are all different and all names of files name the rows, whatever they are called."""
    names = [f"photos/{number:03d}.jpg" for number in range(20)]
    size = np.random.default_rng(0).normal(size=20)

    def keys(texts):
        frame = pl.DataFrame({"size": size, "shot": texts})
        return Table("t.csv", tuple(frame.columns), True, frame.height, frame).key_columns()

    assert keys(names) == ("shot",)
    assert keys([f"{name}.gz" for name in names]) == ("shot",)
    assert keys([*names[:19], names[0]]) == ()
    assert keys([*names[:19], "none"]) == ()
    assert keys([*names[:19], None]) == ()
    assert keys([f"Version {number}.0" for number in range(20)]) == ()
