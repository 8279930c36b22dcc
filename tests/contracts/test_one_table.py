"""One schema: a table gives the same columns, kinds, notes and groups however it is stored and read."""

from __future__ import annotations

import gzip
import random
import zipfile
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import polars as pl
import pytest
from distributed import Client, LocalCluster

import coterie
from coterie.pipeline import make_request
from coterie.pipeline.rows import sampling, starting
from coterie.scale import blocks as blocks_module
from coterie.scale.rows import run_in_blocks

PARTS = 3
NAMES = [
    "customer_id", "spend", "orders", "discount", "height", "visit", "member", "joined", "zip", "age", "city",
    "plan",
]  # fmt: skip
KINDS = ((450, 12, 5, 25, 0.95, "free"), (120, 6, 35, 50, 0.05, "pro"), (2400, 30, 12, 9, 0.9, "team"))
REQUESTS = {
    "k-means": {"method": "kmeans", "k": 3},
    "observed cells": {"method": "kmeans", "k": 3, "missing": "observed", "dates": "year"},
    "medians": {"method": "mixture", "k": 3, "missing": "median", "truth": "city"},
    "k-prototypes": {"method": "kprototypes", "k": 3, "truth": "plan"},
    "of itself": {"budget": "fast"},
}


def shop(n, seed=7):
    """Return rows with money, percents, units, durations, yes and no, dates, codes, marks and categories."""
    draw, rows = random.Random(seed), []
    for number in range(n):
        spend, orders, discount, visit, member, plan = draw.choice(KINDS)
        money = f"{max(5, draw.gauss(spend, spend / 9)):,.2f}".translate(str.maketrans(",.", ".,"))
        age = "unknown" if draw.random() < 0.06 else -999 if draw.random() < 0.02 else draw.randrange(19, 80)
        rows.append(
            [
                10_000 + 7 * number,
                f"{money} €",
                "" if draw.random() < 0.03 else max(1, round(draw.gauss(orders, 2))),
                f"{max(0, draw.gauss(discount, 2)):.1f}%",
                f"{draw.gauss(171, 8):.0f} cm",
                f"0:{max(1, round(draw.gauss(visit, 3))):02}:{draw.randrange(60):02}",
                "yes" if draw.random() < member else "no",
                f"{date(2019, 1, 1) + timedelta(days=draw.randrange(1800)):%d.%m.%Y}",
                draw.choice([89073, 10115, 53111]),
                age,
                draw.choice(["Ulm", "Berlin", "Köln"]),
                plan if draw.random() < 0.97 else "NA",
            ]
        )
    return rows


def text_of(rows):
    return "".join(";".join(map(str, row)) + "\n" for row in [NAMES, *rows])


def store(folder, rows):
    """Write the table as one file and in other ways; return where each is, and how it is read."""
    parts = [rows[at * len(rows) // PARTS : (at + 1) * len(rows) // PARTS] for at in range(PARTS)]
    whole = folder / "whole.csv"
    whole.write_text(text_of(rows), encoding="utf-8")
    for name in ("parts", "packed", "parquet"):
        (folder / name).mkdir()
    for at, part in enumerate(parts):
        (folder / "parts" / f"{at}.csv").write_text(text_of(part), encoding="utf-8")
        (folder / "packed" / f"{at}.csv.gz").write_bytes(gzip.compress(text_of(part).encode()))
        columns = {name: [str(row[i]) or None for row in part] for i, name in enumerate(NAMES)}
        columns["customer_id"] = [row[0] for row in part]
        columns["zip"] = [row[8] for row in part]
        nothing = [None if row[11] == "NA" else row[11] for row in part]
        pl.DataFrame(columns | {"plan": nothing}).write_parquet(folder / "parquet" / f"{at}.parquet")
    (folder / "windows.csv").write_bytes(f"# from the till\n{text_of(rows)}".encode("cp1252"))
    (folder / "wide.csv").write_bytes(text_of(rows).encode("utf-16"))
    with zipfile.ZipFile(folder / "whole.csv.zip", "w") as archive:
        archive.write(whole, "whole.csv")
    return {
        "file": (str(whole), {}),
        "folder": (str(folder / "parts"), {}),
        "pattern": (str(folder / "parts" / "*.csv"), {}),
        "gzip": (str(folder / "packed"), {}),
        "zip": (str(folder / "whole.csv.zip"), {}),
        "parquet": (str(folder / "parquet"), {}),
        "cp1252, comments": (str(folder / "windows.csv"), {"encoding": "cp1252"}),
        "UTF-16": (str(folder / "wide.csv"), {}),
    }


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    return store(tmp_path_factory.mktemp("shop"), shop(600))


@pytest.fixture(scope="module", params=REQUESTS)
def wanted(request):
    return dict(REQUESTS[request.param], believe=False)


@pytest.fixture(scope="module")
def expected(stored, wanted):
    """Return the answer for the one file, read into memory."""
    return coterie.fit(stored["file"][0], **wanted)


def in_blocks(place, how, wanted):
    request = make_request(**wanted)
    return run_in_blocks(place, replace(request, reading={**request.reading, **how}))


def same(found, expected, *, notes=True):
    labels = found.labels.compute()
    np.testing.assert_array_equal(np.ma.getmaskarray(labels), np.ma.getmaskarray(expected.labels))
    np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
    assert found.method == expected.method
    assert found.groups.columns == expected.groups.columns
    assert found.groups.left_out == expected.groups.left_out
    assert found.groups.levels == expected.groups.levels
    assert found.groups.n_grouped == expected.groups.n_grouped
    assert found.groups.profile.sizes.tolist() == expected.groups.profile.sizes.tolist()
    np.testing.assert_allclose(found.groups.scaling.factor, expected.groups.scaling.factor, rtol=1e-12)
    np.testing.assert_allclose(found.groups.centers, expected.groups.centers, rtol=1e-9, atol=1e-9)
    if expected.groups.medians is not None:
        np.testing.assert_array_equal(found.groups.medians, expected.groups.medians)
    if notes:
        assert found.notes == expected.notes
        assert found.groups.readings == expected.groups.readings
    if expected.comparison is not None:
        ours, theirs = (one.comparison["adjusted_rand_score"] for one in (found, expected))
        np.testing.assert_allclose(ours, theirs, rtol=1e-12)


def test_blocks_are_the_table(stored, wanted, expected):
    """Law: file, folder, pattern, gzip, zip and other encodings in blocks are the table in memory."""
    few = ("folder", "gzip") if "method" not in wanted else (*stored,)  # a contest takes seconds
    for name, (place, how) in stored.items():
        if name != "parquet" and name in few:
            same(in_blocks(place, how, wanted), expected)


def test_text_in_parquet_is_read_alike(stored, wanted):
    """Law: cells of text in Parquet files are money, percents and marks in blocks as they are in memory."""
    place, _ = stored["parquet"]
    same(in_blocks(place, {}, wanted), coterie.fit(place, **wanted))


def test_a_cluster_gives_the_table(stored, wanted, expected):
    """Law: workers of a cluster read cells and gaps as threads do."""
    if "method" not in wanted:
        pytest.skip("a contest runs where the sample is; the other requests run on the workers")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0", processes=False) as cluster,
        Client(cluster),
    ):
        same(in_blocks(*stored["folder"], wanted), expected)


@pytest.mark.parametrize("name", ["k-means", "medians"])
def test_many_blocks(tmp_path, monkeypatch, name):
    """Law: of more rows than a block and a sample have, exact methods give the groups of the table."""
    monkeypatch.setattr(blocks_module, "BLOCK_BYTES", 1)
    for module in (sampling, starting):
        monkeypatch.setattr(module, "SAMPLE_ROWS", 3000)
    rows = shop(20_000)
    (tmp_path / "parts").mkdir()
    for at in range(PARTS):
        part = rows[at * len(rows) // PARTS : (at + 1) * len(rows) // PARTS]
        (tmp_path / "parts" / f"{at}.csv").write_text(text_of(part), encoding="utf-8")
    wanted = {**REQUESTS[name], "method": "kmeans", "believe": False}
    expected = coterie.fit(tmp_path / "parts", **wanted)
    found = in_blocks(str(tmp_path / "parts"), {}, wanted)
    assert found.rows.blocks.n_blocks >= 2
    same(found, expected, notes=False)
    assert set(expected.notes) - set(found.notes) <= {note for note in expected.notes if "rules" in note}


@pytest.mark.parametrize("name", ["observed cells", "k-prototypes"])
def test_many_blocks_with_gaps(tmp_path, monkeypatch, name):
    """Law: methods that take gaps find nearly the same groups in blocks, and say what they began with."""
    monkeypatch.setattr(blocks_module, "BLOCK_BYTES", 1)
    for module in (sampling, starting):
        monkeypatch.setattr(module, "SAMPLE_ROWS", 3000)
    path = tmp_path / "shop.csv"
    path.write_text(text_of(shop(20_000)), encoding="utf-8")
    wanted = {**REQUESTS[name], "believe": False}
    wanted.pop("truth", None)
    expected, found = coterie.fit(path, **wanted), in_blocks(str(path), {}, wanted)
    assert found.rows.blocks.n_blocks == 3
    assert found.groups.columns == expected.groups.columns
    labels = found.labels.compute()
    np.testing.assert_array_equal(np.ma.getmaskarray(labels), np.ma.getmaskarray(expected.labels))
    agreement = coterie.evaluate.adjusted_rand_score(
        np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9)
    )
    assert agreement > 0.95
    assert found.groups.model.inertia_ <= 1.01 * expected.groups.model.inertia_
    assert any(note.startswith("started from 5,000 of 20,000 rows") for note in found.notes)


def test_lists_and_decimals(tmp_path):
    """Law: lists of one length are a column per element and decimals are numbers, in memory and in blocks."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (60, 3)) for centre in ([0, 0, 0], [9, 0, 3], [0, 9, 6])])
    frame = pl.DataFrame(
        {
            "at": pl.Series(X[:, :2].tolist(), dtype=pl.List(pl.Float64)),
            "price": pl.Series(X[:, 2].round(3)).cast(pl.Decimal(10, 3)),
            "ragged": pl.Series([[1.0] * (1 + at % 2) for at in range(len(X))]),
        }
    )
    path = tmp_path / "rows.parquet"
    frame.write_parquet(path)
    wanted = {"method": "kmeans", "k": 3, "believe": False}
    expected = coterie.fit(path, **wanted)
    assert expected.groups.columns == ("at_1", "at_2", "price")
    same(in_blocks(str(path), {}, wanted), expected)
    same(in_blocks(str(path), {}, wanted), coterie.fit(frame, **wanted), notes=False)


def test_a_cell_that_the_first_rows_do_not_show(tmp_path):
    """Law: words for missing values, strays and empty beginnings are what they are in memory, wherever."""
    rows = [[at, 1.5 * (at % 7), (at * 37) % 101, "" if at < 1500 else at % 5] for at in range(3000)]
    rows[2500][1], rows[2600][2] = "unknown", "broken"
    path = tmp_path / "late.csv"
    path.write_text("".join(",".join(map(str, row)) + "\n" for row in [["id", "a", "b", "c"], *rows]))
    wanted = {"method": "kmeans", "k": 3, "believe": False, "keep": ["c"], "missing": "median"}
    expected, found = coterie.fit(path, **wanted), in_blocks(str(path), {}, wanted)
    assert found.groups.columns == expected.groups.columns == ("a", "c")
    assert [one.name for one in found.groups.left_out] == ["id", "b"]
    assert found.groups.left_out[1].reason.startswith("text in 1 of 3,000 rows, such as")
    same(found, expected, notes=False)
    assert 'a: 1 cell "unknown" taken as missing' in found.notes
    assert 'a: 1 cell "unknown" taken as missing' in expected.notes
