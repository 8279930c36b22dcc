"""Cells as people write them: missing marks, money, percent, units, durations, yes and no, dates, codes."""

import datetime
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

import coterie
from coterie._support.notes import worded
from coterie.data import as_table, prepare_rows, read_table
from coterie.errors import InvalidData, InvalidParameter

DISGUISES = {
    "money before": (["€1,234.50", "€9.99", "-€3", "€ 7"], [1234.5, 9.99, -3, 7], "money in €"),
    "money after": (["1.234,50 €", "12,00 €", "7 €", "-0,5 €"], [1234.5, 12, 7, -0.5], "money in €"),
    "round money": (["1.234 €", "12 €", "2.000 €", "3 €"], [1234, 12, 2000, 3], "money in €"),
    "dollars": (["$1,234", "$12", "$5,000,000", "($4)"], [1234, 12, 5e6, -4], "money in $"),
    "codes of money": (["5 EUR", "1,200 EUR", "7 EUR", "8.25 EUR"], [5, 1200, 7, 8.25], "money in EUR"),
    "percent": (["45%", "12.5 %", "-3%", "100%"], [45, 12.5, -3, 100], "percent"),
    "thousands": (["1,234", "12", "5,678,901", "7"], [1234, 12, 5678901, 7], "number"),
    "Swiss": (["1'234.50", "12", "7.5", "1'000"], [1234.5, 12, 7.5, 1000], "number"),
    "spaces": (["1 234,5", "12,1", "7", "10 000"], [1234.5, 12.1, 7, 10000], "number"),
    "accounts": (["(1,234.50)", "12.00", "3.00", "(7.00)"], [-1234.5, 12, 3, -7], "number"),
    "unit": (["170 cm", "165cm", "180 cm", "171.5 cm"], [170, 165, 180, 171.5], "cm"),
    "three decimals": (["1.234 kg", "2.5 kg", "3 kg", "0.125 kg"], [1.234, 2.5, 3, 0.125], "kg"),
    "temperature": (["12 °C", "-3 °C", "0 °C", "7 °C"], [12, -3, 0, 7], "°C"),
    "clock": (["1:30:00", "0:05:10", "12:00:00", "0:00:01"], [5400, 310, 43200, 1], "duration in s"),
    "minutes": (["73:12", "05:10", "00:30", "61:00"], [4392, 310, 30, 3660], "duration in s"),
    "spoken": (["2h 5m", "45m", "1 h", "1d 30s"], [7500, 2700, 3600, 86430], "duration in s"),
    "yes": (["yes", "No", "YES", "no"], [1, 0, 1, 0], "yes/no"),
    "ja": (["ja", "nein", "Ja", "ja"], [1, 0, 1, 1], "yes/no"),
    "wahr": (["Wahr", "FALSCH", "wahr", "falsch"], [1, 0, 1, 0], "yes/no"),
}


def column(cells, name="value"):
    frame = pl.DataFrame({name: pl.Series(cells, dtype=pl.String), "x": np.arange(len(cells)) * 1.5})
    return as_table(frame)


@pytest.mark.parametrize("name", DISGUISES)
def test_disguises_are_read(name, tmp_path):
    """Law: a number in disguise is that number, from a frame and from a file; a note says how it was read."""
    cells, expected, said = DISGUISES[name]
    column(cells).content.write_csv(tmp_path / "t.csv", separator="|")
    for table in (column(cells), read_table(tmp_path / "t.csv")):
        assert table.matrix(["value"])[:, 0].tolist() == expected
        shown = "text with separators" if said == "number" else said
        assert f"value ({shown}) read as numbers" in prepare_rows(table).notes


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        (["170 cm", "1.7 m", "180 cm"], "mixed units: cm (2), m (1)"),
        (["170 cm", "170", "180 cm"], "mixed units: cm (2), none (1)"),
        (["$5", "€6", "$7"], "mixed units: $ (2), € (1)"),
        (["3a", "4b", "5a"], "text"),
        (["3a", "4a", "5a"], "text"),
        (["12 Main", "14 Oak", "3 Elm"], "text"),
        (["1.2.3", "1.10.0", "2.0.0"], "text"),
        (["0171 1234567", "0172 7654321", "0173 1"], "text"),
        (["14:05", "08:30", "23:59"], "a time"),
        (["May 5, 2020", "Jun 7, 2021", "Jul 1, 2021"], "a date"),
        (["unknown", "NA", "?"], "empty"),
        (["Ulm", "Bonn", "unknown"], "text"),
    ],
)
def test_what_is_not_a_number_stays_out(cells, reason):
    """Law: what is not one number per cell in one unit is left out with its reason, and cannot be kept."""
    table = column(cells)
    assert [(one.name, one.reason) for one in table.choose().left_out] == [("value", reason)]
    with pytest.raises(InvalidParameter, match='column "value" cannot be kept: it is'):
        table.choose(keep=["value"])


def test_mixed_units_are_refused_in_words():
    """Law: mixed units are never added up; the message and the note say what to do."""
    table = column(["170 cm", "1.7 m", "180 cm"])
    with pytest.raises(InvalidData, match=r"but is mixed units: cm \(2\), m \(1\). Convert it to one unit"):
        table.matrix(["value"])
    (note,) = prepare_rows(table).notes
    assert note == "left out: value (mixed units: cm (2), m (1)); convert to one unit first"


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$1,200", "35 USD", "US$ 7"], [1200, 35, 7]),
        (["€3", "4 EUR", "EUR 5"], [3, 4, 5]),
        (["1 day", "2 days", "3 days"], [1, 2, 3]),
        (["1 hour", "2 hrs", "3 h"], [1, 2, 3]),
        (["70 m2", "71 m²", "72 sqm"], [70, 71, 72]),
        (["1 person", "2 people", "3 people"], [1, 2, 3]),
    ],
)
def test_names_of_one_unit_are_one_unit(cells, numbers):
    """Law: a symbol and its code, a singular and its plural may stand in one column."""
    assert column(cells).matrix(["value"]).ravel().tolist() == numbers


def test_a_survey_with_answers_that_are_none_is_read(tmp_path):
    """Law: "don't know" and the code 99 among answers from 1 to 5 are missing values, and notes say so."""
    answers = [str(1 + at % 5) for at in range(60)]
    answers[7], answers[30], answers[31], answers[50] = "Don't know", "99", "99", "weiß nicht"
    (tmp_path / "t.csv").write_text("q1,x\n" + "".join(f"{one},{at}.5\n" for at, one in enumerate(answers)))
    prepared = prepare_rows(read_table(tmp_path / "t.csv"), missing="drop")
    assert prepared.choice.used == ("q1", "x")
    assert len(prepared.points) == 56
    assert 'q1: 1 cell "Don\'t know", 1 cell "weiß nicht" taken as missing' in prepared.notes
    assert 'q1: 2 cells 99 taken as missing (keep=["q1"] uses them)' in prepared.notes


def test_text_that_is_the_same_in_all_rows_is_constant():
    """Law: a column of one text is left out as constant, as one of numbers is."""
    table = as_table(pd.DataFrame({"currency": ["EUR"] * 9, "x": [0.5, 3.0, 1.5] * 3}))
    assert [(one.name, one.reason) for one in table.choose(categories=True).left_out] == [
        ("currency", "constant")
    ]


def test_marks_of_missing_values_are_said(tmp_path):
    """Law: a mark among numbers is a missing value, in files and in frames, and the note counts it."""
    rng = np.random.default_rng(0)
    ages = ["unknown" if at % 5 == 0 else str(20 + at % 50) for at in range(100)]
    sizes = ["NA" if at == 3 else "?" if at in (5, 7) else f"{rng.normal():.3f}" for at in range(100)]
    (tmp_path / "t.csv").write_text(
        "age,size\n" + "".join(f"{age},{size}\n" for age, size in zip(ages, sizes, strict=True))
    )
    for table in (read_table(tmp_path / "t.csv"), as_table(pd.DataFrame({"age": ages, "size": sizes}))):
        notes = prepare_rows(table, missing="drop").notes
        assert 'age: 20 cells "unknown" taken as missing' in notes
        assert 'size: 2 cells "?", 1 cell "NA" taken as missing' in notes
        assert np.isnan(table.matrix(["age"])).sum() == 20


def test_a_category_called_unknown_stays(tmp_path):
    """Law: in a column of text a word is a value: nothing is taken as missing, and nothing is said."""
    table = column(["pro", "basic", "unknown", "pro"], "plan")
    assert table.content["plan"].null_count() == 0
    assert not any("missing" in note for note in prepare_rows(table).notes)


@pytest.mark.parametrize("mark", [-999, 9999, 99999.0])
def test_sentinels_far_from_the_rest_are_missing(mark, tmp_path):
    """Law: -999 and the like are missing values if they lie far outside; `keep` takes them as numbers."""
    values = [*range(18, 90), mark, mark]
    frame = pl.DataFrame({"age": pl.Series(values, strict=False), "x": np.arange(len(values)) * 1.1})
    frame.write_csv(tmp_path / "t.csv")
    for table in (as_table(frame), read_table(tmp_path / "t.csv"), as_table(frame.to_pandas())):
        assert np.isnan(table.matrix(["age"])).sum() == 2
        prepared = prepare_rows(table, missing="drop")
        assert f'age: 2 cells {mark:.0f} taken as missing (keep=["age"] uses them)' in prepared.notes
        kept = prepare_rows(table, keep=["age"])
        assert kept.complete.X[:, 0].tolist() == values


def test_numbers_near_the_rest_are_no_sentinels():
    """Law: 9999 among thousands is a price; in a matrix of numbers nothing is looked for."""
    frame = pl.DataFrame({"price": [4999, 5999, 7999, 9999], "x": [1.0, 2.5, 3.0, 4.0]})
    assert not np.isnan(as_table(frame).matrix(["price"])).any()
    X = np.array([[1.0, 2.0], [2.0, 1.0], [-999.0, 3.0]])
    assert not np.isnan(as_table(X).matrix(["column_1"])).any()


DAYS = ["2020-01-01", "2020-02-03", "2021-12-31", "2022-07-04"]
WRITTEN = {
    "ISO": DAYS,
    "German": ["01.01.2020", "03.02.2020", "31.12.2021", "04.07.2022"],
    "American": ["01/01/2020", "02/03/2020", "12/31/2021", "07/04/2022"],
    "British": ["01/01/2020", "03/02/2020", "31/12/2021", "04/07/2022"],
    "words": ["Jan 1, 2020", "Feb 3, 2020", "Dec 31, 2021", "Jul 4, 2022"],
    "moments": [f"{day} 00:00:00" for day in DAYS],
    "zones": [f"{day}T00:00:00Z" for day in DAYS],
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("part", ["as-number", "year", "month", "weekday"])
def test_dates_on_request(name, part, tmp_path):
    """Law: a date gives Python's ordinal, year, month or weekday, however it is written."""
    days = [datetime.date.fromisoformat(day) for day in DAYS]
    epoch = datetime.date(1970, 1, 1).toordinal()
    numbers = {
        "as-number": [day.toordinal() - epoch for day in days],
        "year": [day.year for day in days],
        "month": [day.month for day in days],
        "weekday": [day.isoweekday() for day in days],
    }
    frame = pl.DataFrame({"joined": WRITTEN[name], "x": [1.0, 2.0, 5.0, 4.0]})
    frame.write_csv(tmp_path / "t.csv", separator=";")
    for table in (as_table(frame, dates=part), read_table(tmp_path / "t.csv", dates=part)):
        assert table.matrix(["joined"])[:, 0].tolist() == numbers[part]
        assert any(note.startswith("joined (date, ") for note in prepare_rows(table).notes)
    typed = as_table(pl.DataFrame({"joined": days, "x": [1.0, 2.0, 5.0, 4.0]}), dates=part)
    assert typed.matrix(["joined"])[:, 0].tolist() == numbers[part]


def test_dates_are_left_out_with_the_option_that_uses_them():
    """Law: without the option a date is left out, and the note names the option; a wrong word is refused."""
    table = column(DAYS, "joined")
    note = 'left out: joined (a date); dates="year", "month", "weekday" or "as-number" uses it'
    assert note in prepare_rows(table).notes
    with pytest.raises(InvalidParameter, match=r"dates must be one of .* got 'yeer'. Did you mean \"year\""):
        coterie.fit(table, dates="yeer")
    hours = as_table(pl.DataFrame({"at": ["08:30", "14:45"], "x": [1.0, 2.0]}), dates="as-number")
    assert hours.matrix(["at"])[:, 0].tolist() == pytest.approx([8.5, 14.75])


@pytest.mark.parametrize(
    "written",
    [
        "%Y/%m/%d %H:%M",
        "%Y/%m/%d %H:%M:%S",
        "%b %d %Y",
        "%d-%b-%Y",
        "%d-%b-%y",
        "%m/%d/%Y %I:%M %p",
        "%d-%m-%Y",
    ],
)
def test_dates_as_programs_write_them(written):
    """Law: dates are told from text and read, however a program writes them."""
    days = [datetime.datetime(2003, 1 + at % 12, 1 + at % 28, at % 24, 30) for at in range(60)]
    frame = pl.DataFrame({"at": [f"{day:{written}}" for day in days], "x": np.arange(60.0)})
    assert any("at (a date)" in note for note in prepare_rows(as_table(frame)).notes)
    found = as_table(frame, dates="month").matrix(["at"])[:, 0]
    np.testing.assert_array_equal(found, [day.month for day in days])


def test_spans_of_time_are_numbers():
    """Law: a timedelta of pandas or polars counts seconds."""
    spans = pd.to_timedelta(["1h", "90s", "2min"])
    table = as_table(pd.DataFrame({"took": spans, "x": [1.0, 2.0, 4.0]}))
    assert table.matrix(["took"])[:, 0].tolist() == [3600, 90, 120]


def codes(n=200):
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "zip": rng.choice([89073, 10115, 53111, 20095, 80331], n),
            "store_id": rng.integers(1, 9, n),
            "target": rng.integers(0, 3, n),
            "year": rng.integers(2015, 2024, n),
            "spend": rng.normal(50, 9, n).round(2),
        }
    )


def test_codes_are_left_out_with_the_option_that_decides(tmp_path):
    """Law: postal codes, repeated ids and classes measure nothing; years are used, with a note."""
    frame = codes()
    frame.to_csv(tmp_path / "t.csv", index=False)
    for table in (as_table(frame), read_table(tmp_path / "t.csv")):
        prepared = prepare_rows(table)
        assert prepared.choice.used == ("year", "spend")
        reasons = [(one.name, one.reason) for one in prepared.choice.left_out]
        assert reasons == [
            ("zip", "a postal code"),
            ("store_id", "an id that repeats"),
            ("target", "classes"),
        ]
        assert any(
            worded(note, "shell").endswith("--keep zip,store_id,target uses them") for note in prepared.notes
        )
        assert 'year holds years, used as a number; drop=["year"] if they are labels' in prepared.notes
        assert prepare_rows(table, keep=["zip", "target"]).choice.used == ("zip", "target", "year", "spend")
        assert table.key_columns() == ()


def shop(n=400):
    rng = np.random.default_rng(3)
    group = rng.integers(3, size=n)
    spend = np.array([40, 900, 2500])[group] + rng.normal(0, 30, n)
    share = np.array([10, 50, 80])[group] + rng.normal(0, 3, n)
    days = [datetime.date(2015 + 3 * int(one), 1 + int(rng.integers(12)), 5) for one in group]
    return pl.DataFrame(
        {
            "spend": [f"€{value:,.2f}" for value in spend],
            "share": [f"{value:.1f}%" for value in share],
            "height": [f"{value:.0f} cm" for value in rng.normal(170, 9, n)],
            "member": ["yes" if one else "no" for one in rng.integers(2, size=n)],
            "joined": [f"{day:%d.%m.%Y}" for day in days],
            "zip": rng.integers(10_000, 10_030, n),
        }
    )


@pytest.mark.parametrize("dates", [None, "year", "as-number"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_blocks_read_cells_as_memory_does(tmp_path, monkeypatch, dates, suffix):
    """Law: money, percent, units, words and dates give the same columns, notes and groups in blocks."""
    path = tmp_path / f"shop.{suffix}"
    frame = shop()
    frame.write_csv(path) if suffix == "csv" else frame.write_parquet(path)
    how = {"method": "kmeans", "k": 3, "believe": False, "dates": dates}
    expected = coterie.fit(path, **how)
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    found = coterie.fit(path, **how)
    assert hasattr(found, "blocks")
    assert found.groups.columns == expected.groups.columns
    assert found.groups.left_out == expected.groups.left_out
    np.testing.assert_array_equal(found.labels.compute(), expected.labels)
    read = [note for note in expected.notes if "read as numbers" in note or "left out" in note]
    assert set(read) <= set(found.notes)


def test_a_late_cell_that_does_not_fit_is_named_in_blocks(tmp_path, monkeypatch):
    """Law: a column of which a late cell is not a number is left out with that cell, as in memory."""
    path = tmp_path / "t.csv"
    rows = "".join(f"${at}.50,{at}\n" for at in range(40_000))
    path.write_text(f"price,x\n{rows}a lot,1\n")
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    reason = 'text in 1 of 40,001 rows, such as "a lot" in row 40001'
    with pytest.raises(InvalidData, match=rf"no column of numbers to cluster by: price \({reason}\)"):
        coterie.fit(path, "kmeans", 2, believe=False)


def test_sentinels_are_missing_in_blocks(tmp_path, monkeypatch):
    """Law: -999 anywhere is a missing value in blocks, with a note that names the option that takes it."""
    path = tmp_path / "t.csv"
    rows = "".join(f"{-999 if at == 4000 else 20 + at % 60},{at % 7}.5\n" for at in range(5000))
    path.write_text(f"age,x\n{rows}")
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    found = coterie.fit(path, "kmeans", 2, believe=False)
    assert 'age: 1 cell -999 taken as missing (keep=["age"] uses it)' in found.notes
    assert np.flatnonzero(np.ma.getmaskarray(found.labels.compute())).tolist() == [4000]
    assert coterie.fit(path, "kmeans", 2, believe=False, keep="age").k == 2


def test_dates_in_several_forms_are_told_when_they_are_asked_for(tmp_path, monkeypatch):
    """Law: the option that uses dates is not named again where it cannot read them, in blocks neither."""
    frame = pl.DataFrame(
        {
            "when": ["2021-06-07", "3-Mar-21", "04/05/2021"] * 20,
            "late": ["2021-06-07"] * 59 + ["04/05/2021"],
            "x": [float(at % 7) for at in range(60)],
            "y": [float(at % 2) for at in range(60)],
        }
    )
    reasons = {
        "when": "dates in several forms, or in one that is not known",
        "late": 'dates written differently in 1 of 60 rows, such as "04/05/2021" in row 60',
    }
    table = as_table(frame, dates="year")
    assert {one.name: one.reason for one in table.choose().left_out} == reasons
    (tmp_path / "rows").mkdir()
    frame[:30].write_csv(tmp_path / "rows" / "a.csv")
    frame[30:].write_csv(tmp_path / "rows" / "b.csv")
    for data in (frame, str(tmp_path / "rows")):
        found = coterie.fit(data, "kmeans", 2, dates="year", believe=False)
        note = next(note for note in found.notes if "when" in note)
        assert note == f"left out: when ({reasons['when']}), late ({reasons['late']}); write them in one form"
    inspected = {one.column: one for one in coterie.inspect(frame, dates="year").columns}
    assert (inspected["when"].kind, str(inspected["when"].remedy)) == (
        "date",
        "Write all of them in one form, such as 2024-12-31.",
    )


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        (["Total"], '"Total" looks like a row of sums and counts as any other row; remove it first'),
        (["Summe:"], '"Summe:" looks like a row of sums and counts as any other row; remove it first'),
        (
            ["Grand Total", "Subtotal North"],
            '"Grand Total", "Subtotal North" look like rows of sums and count as any other row; '
            "remove them first",
        ),
        (["Totally Fine Ltd", "Sumo", "Summer"], None),
    ],
)
@pytest.mark.parametrize("several", [False, True])
def test_rows_of_sums_are_told(tmp_path, texts, told, several):
    """Law: sums below a table are pointed at, whether it is one file or several; like words are not."""
    names = [f"shop {at}" for at in range(40)] + texts
    frame = pl.DataFrame({"where": names, "x": [float(at % 2) for at in range(len(names))]})
    frame[:20].write_csv(tmp_path / "a.csv")
    frame[20:].write_csv(tmp_path / "b.csv")
    found = coterie.fit(str(tmp_path / "*.csv") if several else frame, "kmeans", 2, believe=False)
    notes = [str(note) for note in found.notes if "of sums" in str(note)]
    assert notes == ([] if told is None else [f"where: {told}"])
    assert [str(note) for note in coterie.inspect(frame).notes if "of sums" in str(note)] == notes


def test_several_answers_in_a_cell_are_told():
    """Law: where cells list answers, every combination is a category of its own, and a note says so."""
    tools = ["R;Python", "Python", "Excel;R", "R", "Excel; Python;R"] * 20
    frame = pl.DataFrame({"tools": tools, "remark": [f"{at}; see {at + 1}" for at in range(100)]})
    frame = frame.with_columns(x=pl.Series([0.0, 0.1, 5.0, 0.2, 5.1] * 20))
    found = coterie.fit(frame, budget="fast", believe=False)
    told = (
        'tools ("R;Python") has several answers in a cell; split it into one yes/no column per answer first'
    )
    assert [str(note) for note in found.notes if "answers" in str(note)] == [told]
    assert told in coterie.inspect(frame).notes
    dropped = coterie.fit(frame, budget="fast", believe=False, drop="tools")
    assert not any("answers" in str(note) for note in dropped.notes)


def test_a_column_may_be_called_count():
    """Law: no name of a column collides with those of tables that are made while looking at it."""
    frame = pl.DataFrame(
        {"count": ["unknown", "12", "15"] * 20, "value": ["a", "b", "c"] * 20, "x": [0.0, 5.0, 9.0] * 20}
    )
    assert [one.column for one in coterie.inspect(frame).columns] == frame.columns
    text = frame.with_columns(count=pl.Series([f"n{at}" for at in range(60)]))
    assert coterie.inspect(text).columns[0].role == "left out"
    assert coterie.fit(frame, budget="fast", believe=False).k > 0


@pytest.mark.parametrize(
    ("cells", "kind"),
    [
        (["12kg", "15 kg", "20 KG", "9 Kg"], "kg"),
        (["1 km", "2 Km"], "k"),
        (["5 USD", "7 usd"], "money in USD"),
    ],
)
def test_units_in_other_letters_are_the_same(cells, kind):
    """Law: spellings of a unit that differ in capitals alone are one unit, where no other is meant."""
    look = as_table({"weight": cells * 30, "x": list(range(30 * len(cells)))}).looks["weight"]
    assert str(look.reading).lower().startswith(kind.lower())
    assert look.numbers.to_list()[: len(cells)] == [float(re.search(r"\d+", cell)[0]) for cell in cells]


def test_units_that_capitals_tell_apart_stay_apart():
    """Law: "mW" and "MW" are two units."""
    look = as_table({"power": ["5 mW", "7 MW"] * 30}).looks["power"]
    assert look.reading is None
