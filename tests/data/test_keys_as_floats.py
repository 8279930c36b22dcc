"""Keys, codes and years that a reader stored as floats: 123.0."""

import numpy as np
import polars
import pytest

import coterie
from coterie.data import read_table
from coterie.data.schema import is_number_of_names, kind_of_code, kind_of_key
from coterie.errors import InvalidParameter
from coterie.pipeline import make_request
from coterie.pipeline.fit import open_rows

N = 240


def content(*, as_floats):
    rng = np.random.default_rng(0)
    whole = {
        "customer id": 101 + 7 * np.arange(N),
        "zip": rng.integers(10_000, 99_999, N),
        "year": 2019 + rng.integers(0, 5, N),
        "visits": rng.poisson(9, N),
    }
    kind = np.float64 if as_floats else np.int64
    return polars.DataFrame(
        {name: values.astype(kind) for name, values in whole.items()} | {"spend": rng.normal(size=N)}
    )


@pytest.mark.parametrize("where", ["frame", "csv", "blocks"])
def test_floats_are_read_as_whole_numbers_are(tmp_path, where):
    """Law: the same keys and codes are left out, and the same years noted, whatever type holds them."""
    found = []
    for as_floats in (False, True):
        frame, folder = content(as_floats=as_floats), tmp_path / str(as_floats)
        folder.mkdir()
        if where == "blocks":
            frame[: N // 2].write_parquet(folder / "a.parquet")
            frame[N // 2 :].write_parquet(folder / "b.parquet")
        data = {"frame": frame, "csv": folder / "t.csv", "blocks": str(folder)}[where]
        if where == "csv":
            frame.write_csv(data)
        rows = open_rows(data, make_request("kmeans", 2), None)
        found.append(({one.name: one.reason for one in rows.left_out}, list(map(str, rows.notes))))
    assert found[1] == found[0]
    assert found[1][0] == {"customer id": "a key", "zip": "a postal code"}
    assert any("year holds years" in note for note in found[1][1])


def test_measurements_stay_measurements():
    """Law: whole floats under other names are measured, even if they count rows; so are parts of an id."""
    frame = polars.DataFrame({"x": np.arange(20.0), "id": np.arange(20.0) / 8, "y": np.arange(20.0) ** 2})
    assert coterie.fit(frame, "kmeans", 2, believe=False).groups.columns == ("x", "id", "y")


def test_text_keys_cannot_be_kept():
    """Law: the error does not suggest what was just tried."""
    frame = polars.DataFrame({"id": [f"v{at}" for at in range(60)], "x": np.arange(60.0) ** 2})
    with pytest.raises(InvalidParameter, match='"id" cannot be kept: its texts name the rows') as raised:
        coterie.fit(frame, keep="id")
    assert "keep=" not in str(raised.value)


def test_plain_decimals_are_not_text_with_separators(tmp_path):
    """Law: a column whose missing cells are words is a column of numbers; brackets and commas are said."""
    cells = ["1.5", "2.25", "missing", "3.5", "7.0", "Unknown"] * 5
    money = ["1,200.50", "(30.00)", "4.00", "7.25", "1.00", "2.00"] * 5
    lines = ["height\tamount", *("\t".join(pair) for pair in zip(cells, money, strict=True))]
    (tmp_path / "t.tsv").write_text("\n".join(lines))
    notes = " ".join(
        map(str, open_rows(read_table(tmp_path / "t.tsv"), make_request("kmeans", 2), None).notes)
    )
    assert "amount (text with separators) read as numbers" in notes
    assert "height (text" not in notes


HEADERS = {
    "a postal code": [
        "ZIP Code",
        "Zip Code",
        "zip-code",
        "Postal Code",
        "BillingZip",
        "Postleitzahl",
        "code postal",
    ],
    "an id that repeats": [
        "Store ID",
        "STORE_ID",
        "storeId",
        "Customer No.",
        "Invoice Number",
        "Kunden-Nr.",
        "Order #",
    ],
    "a code": ["Product Code", "product-code", "CountryCode"],
    "a phone number": ["Phone Number", "phone_number", "Tel.", "Telefonnummer"],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, one) for kind, names in HEADERS.items() for one in names])
def test_headers_are_read_as_words(kind, name):
    """Law: blanks, dots, hyphens and capitals in a header change nothing: "Zip Code" is zip_code."""
    assert kind_of_code(name, 30, 400) == kind
    assert is_number_of_names(name)


@pytest.mark.parametrize(
    "name",
    ["Kundennummer", "Customer Number", "Unnamed: 0", "ID_Patient", "N° client", "Staff No.", "USERID"],
)
def test_headers_that_name_rows(name):
    """Law: whole numbers under a header that names rows are a key, in any spelling."""
    rows = np.arange(200)
    assert kind_of_key(name, 1000.0 + 7 * rows, rows, 200) == "a key"


@pytest.mark.parametrize(
    "name",
    [
        "number of children",
        "No. of rooms",
        "Order",
        "Item",
        "pH",
        "piano",
        "paid",
        "width",
        "iPhone",
        "Order Total",
    ],
)
def test_headers_of_measurements(name):
    """Law: words within other words, and counts, name no rows."""
    assert not is_number_of_names(name)
