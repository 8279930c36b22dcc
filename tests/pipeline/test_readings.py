"""A model reads the cells of new tables as those that it was found in, however few rows there are."""

import numpy as np
import pandas
import polars
import pytest

import coterie
from coterie.data import ColumnReading, read_table
from coterie.errors import DataNotice, InvalidData, InvalidParameter
from coterie.persist import load, save
from coterie.pipeline import column_readings, predict_table
from coterie.scale import rows as _in_blocks  # noqa: F401  # coterie.fit asks for it
from coterie.scale.placing import write_groups

HEADER = "spend;share;height;visit;member;joined;age;plan"
KINDS = ((450, 5, 25, "pro", "yes"), (120, 35, 50, "1", "no"), (2400, 12, 9, "2", "yes"))


def lines(n_rows=90, *, with_plan=True):
    """Return customers of three kinds: decimal commas, units, day/month/year, -999, plans called 1 and 2."""
    rng = np.random.default_rng(3)
    found = []
    for at in range(n_rows):
        spend, share, minutes, plan, member = KINDS[at % 3]
        money = f"{rng.normal(spend, spend / 20):,.2f}".translate(str.maketrans(",.", ".,"))
        age = "unknown" if at % 11 == 0 else -999 if at % 13 == 0 else int(rng.integers(20, 70))
        cells = [
            f"{money} €",
            f"{rng.normal(share, 1):.1f}".replace(".", ",") + "%",
            f"{rng.normal(171, 8):.0f} cm",
            f"0:{minutes + int(rng.integers(0, 3)):02}:{rng.integers(0, 60):02}",
            member,
            f"{rng.integers(1, 29):02}/{rng.integers(1, 13):02}/20{rng.integers(19, 24)}",
            str(age),
        ]
        found.append(";".join([*cells, plan] if with_plan else cells))
    return found


def written(path, rows, *, with_plan=True):
    """Return the path of a file of these rows."""
    header = HEADER if with_plan else HEADER.removesuffix(";plan")
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(("method", "with_plan"), [("kmeans", False), ("kprototypes", True)])
def test_rows_placed_one_by_one_get_the_groups_that_they_get_together(tmp_path, method, with_plan):
    """Law: a saved model gives a row of a file the same group, whether the file has that row or all rows.

    Alone, "1.234 €" may have decimals, "03/04/2021" may be a day in April, -999 is not an outlier, the plans
    "1" and "2" are numbers, and a lone "yes" could be a name.
    """
    rows = lines(with_plan=with_plan)
    table = written(tmp_path / "all.csv", rows, with_plan=with_plan)
    found = coterie.fit(table, method, 3, dates="month", missing="median", believe=False)
    save(found, tmp_path / "model.safetensors")
    model = load(tmp_path / "model.safetensors")
    assert model.groups.readings == found.groups.readings
    together = np.asarray(model.predict(str(table), missing="median"))
    assert np.array_equal(together, found.labels)
    for at in (0, 1, 2, 11, 12, 13, 14, 26, 39):
        one = written(tmp_path / "one.csv", [rows[at]], with_plan=with_plan)
        alone = predict_table(model, read_table(one, readings=column_readings(model)), missing="median")
        assert alone[0] == together[at], rows[at]


def test_few_rows_in_frames_and_other_sources_are_read_alike(tmp_path):
    """Law: text in frames of pandas and polars and in JSON is read as the model's table was."""
    rows = lines()
    found = coterie.fit(written(tmp_path / "all.csv", rows), "kprototypes", 3, missing="auto", believe=False)
    names = HEADER.split(";")
    few = {name: [row.split(";")[at] for row in rows[1:4]] for at, name in enumerate(names)}
    (tmp_path / "few.json").write_text(pandas.DataFrame(few).to_json(orient="records"), encoding="utf-8")
    expected = np.asarray(found.labels)[1:4]
    for new in (pandas.DataFrame(few), polars.DataFrame(few), str(tmp_path / "few.json")):
        assert np.array_equal(found.predict(new, missing="auto"), expected), type(new)


def test_another_unit_is_refused_and_no_unit_is_said(tmp_path):
    """Law: cells in another unit are refused by name and row; without units they are taken with a notice."""
    rows = lines(with_plan=False)
    table = written(tmp_path / "all.csv", rows, with_plan=False)
    found = coterie.fit(table, "kmeans", 3, drop=["joined", "age"], believe=False)
    cells = rows[2].split(";")
    metres = written(
        tmp_path / "m.csv", [rows[1], ";".join([*cells[:2], "1,71 m", *cells[3:]])], with_plan=False
    )
    with pytest.raises(InvalidData, match='column "height" is read as cm, but row 2 holds "1,71 m"'):
        found.predict(str(metres))
    bare = written(tmp_path / "bare.csv", [";".join([*cells[:2], "171", *cells[3:]])], with_plan=False)
    with pytest.warns(DataNotice, match="height: numbers without a unit are taken as cm"):
        assert found.predict(str(bare))[0] == found.labels[2]


def test_dates_are_read_as_the_model_does(tmp_path):
    """Law: a model knows what was made of dates; asking for something else is refused."""
    table = written(tmp_path / "all.csv", lines(with_plan=False), with_plan=False)
    found = coterie.fit(table, "kmeans", 3, dates="year", missing="median", believe=False)
    assert "joined" in found.groups.columns
    assert np.array_equal(found.predict(str(table), missing="median"), found.labels)
    with pytest.raises(InvalidParameter, match='found with date, year in column "joined": leave dates out'):
        column_readings(found, dates="month")


def test_files_written_before_readings_were_kept_still_load(tmp_path, monkeypatch):
    """Law: a file without readings loads, and cells are then found by looking, as they were."""
    table = written(tmp_path / "all.csv", lines(with_plan=False), with_plan=False)
    found = coterie.fit(table, "kmeans", 3, missing="median", believe=False)
    state = {name: value for name, value in found.groups.__coterie_state__().items() if name != "readings"}
    with monkeypatch.context() as patched:
        patched.setattr(type(found.groups), "__coterie_state__", lambda self: state)
        save(found.groups, tmp_path / "old.safetensors")
    model = load(tmp_path / "old.safetensors")
    assert column_readings(model) == {}
    assert np.array_equal(model.predict(str(table), missing="median"), found.labels)


def test_blocks_are_read_as_the_model_was_and_its_marks_of_missing_values_are_known(tmp_path):
    """Law: rows in blocks are converted by the model's readings; its sentinels are missing values."""
    rows = [row for row in lines(with_plan=False) if "unknown" not in row]
    table = written(tmp_path / "all.csv", rows, with_plan=False)
    found = coterie.fit(table, "kmeans", 3, missing="median", believe=False)
    whole = [at for at, row in enumerate(rows) if "-999" not in row]
    new = written(tmp_path / "new.csv", [rows[at] for at in whole], with_plan=False)
    folder = write_groups(found, str(new), tmp_path / "labels")
    placed = polars.read_parquet(folder / "part-*.parquet")["label"].to_numpy()
    assert np.array_equal(placed, np.asarray(found.labels)[whole])
    at = next(at for at, row in enumerate(rows) if "-999" in row)
    last = written(tmp_path / "last.csv", [*(rows[one] for one in whole[:3]), rows[at]], with_plan=False)
    with pytest.raises(InvalidData, match='row 4 of it has no value in column "age"'):
        write_groups(found, str(last), tmp_path / "refused", missing="refuse")
    filled = polars.read_parquet(write_groups(found, str(last), tmp_path / "filled") / "part-*.parquet")
    assert filled["label"].to_list() == np.asarray(found.labels)[[*whole[:3], at]].tolist()


def test_delimiter_of_a_file_with_decimal_commas_is_what_divides_its_header(tmp_path):
    """Law: one comma in every row does not divide cells if the header has none."""
    path = tmp_path / "money.csv"
    path.write_text("spend;name\n" + "1,5 €;a\n" * 30, encoding="utf-8")
    assert read_table(path).columns == ("spend", "name")


def test_cells_of_categories_are_as_written(tmp_path):
    """Law: columns of categories keep the zeros of their cells, the first column as well."""
    path = tmp_path / "codes.csv"
    path.write_text("area,tone\n007,01\n012,02\n")
    as_written = {name: ColumnReading(is_category=True) for name in ("area", "tone")}
    assert read_table(path, readings=as_written).content.rows() == [("007", "01"), ("012", "02")]
