"""One question, one answer: whatever the door (shell, Python) and however the same rows are stored."""

from __future__ import annotations

import json
from dataclasses import dataclass

import dask.array
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import datasets

import coterie
from coterie._support.notes import render_notes
from coterie.cli.app import run
from coterie.scale import fit as fit_in_blocks

PARTS = 3


@dataclass(frozen=True)
class Case:
    """A table, how it is written, and what is asked."""

    frame: pl.DataFrame
    request: dict
    separator: str = ","
    decimal_comma: bool = False
    numbers_alone: bool = True  # whether Dask can hold it: numbers without gaps


def clouds(n=60, k=3, seed=0):
    rng = np.random.default_rng(seed)
    centres = 9.0 * np.eye(max(k, 2))[:k]
    X = np.concatenate([rng.normal(centre, 1, (n, centres.shape[1])) for centre in centres])
    return X[rng.permutation(len(X))].round(4)


def named(X, prefix="x"):
    return {f"{prefix}{at + 1}": X[:, at] for at in range(X.shape[1])}


def toy(loader):
    found = loader()
    return pl.DataFrame(
        {name.replace(" ", "_"): found.data[:, at] for at, name in enumerate(found.feature_names)}
    )


def customers():
    from importlib.resources import as_file, files

    with as_file(files("coterie.data") / "customers.csv") as path:
        return pl.read_csv(path)


def gaps():
    X = clouds()
    columns = named(X)
    columns["x1"] = [None if at % 40 == 7 else value for at, value in enumerate(columns["x1"].tolist())]
    return pl.DataFrame(columns)


def dates():
    X = clouds()
    days = pl.date_range(pl.date(2020, 1, 1), pl.date(2020, 1, 1) + pl.duration(days=len(X) - 1), eager=True)
    return pl.DataFrame({"joined": days, **named(X), "town": ["Ulm", "Bonn"] * (len(X) // 2)})


def keys():
    X = clouds()
    rng = np.random.default_rng(1)
    return pl.DataFrame({"customer_id": rng.permutation(9000)[: len(X)], **named(X), "one": np.ones(len(X))})


def shares():
    rng = np.random.default_rng(2)
    parts = rng.gamma(np.geomspace(9, 0.05, 12), size=(240, 12))
    parts[::2, 3] += 8.0
    return pl.DataFrame(named((parts / parts.sum(axis=1, keepdims=True)).round(6)))


def many():
    rng = np.random.default_rng(0)
    truth = rng.integers(4, size=200_000)
    centres = np.array([[0, 0, 0], [9, 0, 3], [0, 9, 6], [12, 12, 12]])
    return pl.DataFrame(named((centres[truth] + rng.normal(size=(200_000, 3))).round(3)))


def stops():
    """Places around three towns, one of them across the date line, some of unknown position."""
    rng = np.random.default_rng(3)
    towns = np.array([[48.1, 11.6], [52.5, 13.4], [-16.8, 179.9]])
    places = towns[rng.integers(0, 3, 240)] + rng.normal(scale=0.3, size=(240, 2))
    places[:, 1] = (places[:, 1] + 180.0) % 360.0 - 180.0
    latitude, longitude = places.round(4).T.tolist()
    longitude[17] = longitude[90] = None
    names = [f"stop {at}" for at in range(240)]
    return pl.DataFrame({"stop_name": names, "stop_lat": latitude, "stop_lon": longitude})


def trips():
    """Places beside numbers and categories; other columns are called like places, and are none."""
    frame = stops().drop("stop_name").drop_nulls()
    rng = np.random.default_rng(4)
    line = np.where(frame["stop_lat"].to_numpy() > 50, "S1", "S2")
    return frame.with_columns(
        pl.Series("speed", (rng.normal(30, 3, frame.height) + 20 * (line == "S1")).round(2)),
        pl.Series("line", line),
        pl.Series("grid_lat", rng.integers(100, 900, frame.height)),
        pl.Series("grid_lon", rng.integers(100, 900, frame.height)),
    )


FAST = {"budget": "fast", "believe": False}
CASES = {
    "iris": lambda: Case(toy(datasets.load_iris), {"budget": "fast", "k": 3}),
    "wine": lambda: Case(toy(datasets.load_wine), {**FAST, "k": 3}),
    "customers": lambda: Case(customers(), FAST, numbers_alone=False),
    "decimal commas": lambda: Case(pl.DataFrame(named(clouds())), FAST, ";", decimal_comma=True),
    "gaps": lambda: Case(gaps(), {**FAST, "missing": "drop"}, numbers_alone=False),
    "dates": lambda: Case(dates(), FAST, numbers_alone=False),
    "keys": lambda: Case(keys(), FAST, numbers_alone=False),
    "shares of a whole": lambda: Case(shares(), {**FAST, "method": "kmeans", "k": 2}),
    "one column": lambda: Case(pl.DataFrame(named(clouds(k=2)[:, :1])), FAST),
    "2e5 rows": lambda: Case(many(), {**FAST, "method": "kmeans", "k": 4}),
    "2e5 rows, a mixture": lambda: Case(many(), {**FAST, "method": "mixture", "k": 7}),
    "2e5 rows, few passes": lambda: Case(
        many(), {**FAST, "method": "kmeans", "k": 9, "set": {"tol": 0.01, "max_iter": 3}}
    ),
    "positions": lambda: Case(stops(), {**FAST, "missing": "drop"}, numbers_alone=False),
    "positions, k-means": lambda: Case(
        stops(), {**FAST, "missing": "median", "method": "kmeans", "k": 3}, numbers_alone=False
    ),
    "positions beside others": lambda: Case(trips(), FAST, numbers_alone=False),
    "positions, haversine": lambda: Case(
        stops(),
        {**FAST, "missing": "drop", "distance": "haversine", "method": "kmedoids", "k": 3},
        numbers_alone=False,
    ),
    "distances": lambda: Case(square(), {**FAST, "distance": "precomputed"}, numbers_alone=False),
}


def square():
    X = clouds(n=30)
    D = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2)).round(6)
    return pl.DataFrame(named((D + D.T) / 2, "row"))


def write(case, path):
    frame = case.frame
    if case.decimal_comma:
        texts = [pl.col(name).cast(pl.String).str.replace(".", ",", literal=True) for name in frame.columns]
        frame = frame.with_columns(texts)
    frame.write_csv(path, separator=case.separator)
    return path


@pytest.fixture(scope="module", params=CASES)
def case(request):
    return request.param, CASES[request.param]()


@pytest.fixture(scope="module")
def stored(case, tmp_path_factory):
    """Return the table as a file, and cut into the files of a folder."""
    _, found = case
    folder = tmp_path_factory.mktemp("parts")
    path = write(found, tmp_path_factory.mktemp("whole") / "table.csv")
    n_rows = -(-found.frame.height // PARTS)
    for part in range(PARTS):
        rows = found.frame.slice(part * n_rows, n_rows)
        write(Case(rows, {}, found.separator, found.decimal_comma), folder / f"{part}.csv")
    return path, folder


@pytest.fixture(scope="module")
def expected(case, stored):
    """Return the answer for the one file, in Python."""
    return coterie.fit(stored[0], **case[1].request)


def options(request):
    words = []
    for name, value in request.items():
        if name == "believe":
            words += ["--believe" if value else "--no-believe"]
            continue
        if name == "set":
            words += [word for setting in value.items() for word in ("--set", "{}={}".format(*setting))]
            continue
        words += ["-k" if name == "k" else f"--{name}", str(value)]
    return words


def same(found, expected):
    np.testing.assert_array_equal(np.ma.getmaskarray(found.labels), np.ma.getmaskarray(expected.labels))
    np.testing.assert_array_equal(np.asarray(found.labels), np.asarray(expected.labels))
    assert found.method == expected.method
    assert found.groups.columns == expected.groups.columns
    assert found.groups.left_out == expected.groups.left_out
    assert found.groups.recipe == expected.groups.recipe
    assert found.headline == expected.headline
    np.testing.assert_allclose(found.groups.scaling.factor, expected.groups.scaling.factor, rtol=1e-12)


def test_files_frames_folders_and_patterns(case, stored, expected):
    """Law: file, pandas and polars frame, folder, pattern and list of files give one answer."""
    _, found = case
    _, folder = stored
    same(coterie.fit(found.frame, **found.request), expected)
    same(coterie.fit(found.frame.to_pandas(), **found.request), expected)
    for source in (folder, f"{folder}/*.csv", sorted(folder.glob("*.csv"))):
        answer = coterie.fit(source, **found.request)
        same(answer, expected)
        assert answer.notes == expected.notes


def test_shell(case, stored, expected, capsys):
    """Law: the shell gives the answer that Python gives, its options named as the shell writes them."""
    _, found = case
    path, folder = stored
    for source in (path, f"{folder}/*.csv"):
        capsys.readouterr()
        assert run(["fit", str(source), *options(found.request), "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["k"] == expected.k
        assert told["method"] == expected.method
        assert told["sizes"] == expected.profile.sizes.tolist()
        assert told["scale"] == expected.groups.recipe.scale
        assert told["headline"] == expected.headline
        assert told["columns"] == list(expected.groups.table_columns)
        assert told["notes"] == list(render_notes(expected.notes, "shell"))


def test_blocks(case, expected):
    """Law: a Dask array, and the same rows forced into blocks, give the answer of the table in memory."""
    _, found = case
    if not found.numbers_alone:
        pytest.skip("text, keys, gaps or distances: a Dask array holds numbers alone")
    X = found.frame.to_numpy()
    lazy = coterie.fit(dask.array.from_array(X, chunks=(7000, X.shape[1])), **found.request)
    forced = fit_in_blocks(X, **found.request)
    for answer in (lazy, forced):
        assert (answer.k, answer.method) == (expected.k, expected.method)
        np.testing.assert_array_equal(answer.labels.compute(), expected.labels)
        assert answer.headline == expected.headline


def test_dask_frames(case, expected):
    """Law: a Dask DataFrame gives the answer of the table in memory: columns, categories, positions."""
    import dask.dataframe

    name, found = case
    if name == "distances":
        pytest.skip("data in blocks are not a matrix of distances")
    frame = found.frame.to_pandas()
    answer = coterie.fit(dask.dataframe.from_pandas(frame, npartitions=PARTS, sort=False), **found.request)
    assert hasattr(answer, "blocks")
    assert answer.groups.columns == expected.groups.columns
    assert answer.groups.left_out == expected.groups.left_out
    assert answer.groups.levels == expected.groups.levels
    labels = answer.labels.compute()
    np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
    assert set(expected.notes) <= set(answer.notes)
    same_places(answer, expected)


def same_places(found, expected):
    ours, theirs = (
        [place.words(group) for place in one.profile.positions for group in range(one.k)]
        for one in (found, expected)
    )
    assert ours == theirs
    assert found.groups.places == expected.groups.places
    assert found.profile.columns == expected.profile.columns
    np.testing.assert_allclose(found.profile.means, expected.profile.means, rtol=1e-6, atol=1e-9)


def test_large_files_are_the_same_table(case, stored, expected, monkeypatch):
    """Law: a file, and a folder of its parts, in blocks give the columns and groups of the table."""
    name, found = case
    if name == "distances":
        pytest.skip("data in blocks are not a matrix of distances")
    monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", 1)
    for source in stored:
        answer = coterie.fit(source, **found.request)
        assert hasattr(answer, "blocks")
        assert answer.groups.columns == expected.groups.columns
        assert answer.groups.left_out == expected.groups.left_out
        labels = answer.labels.compute()
        np.testing.assert_array_equal(np.ma.getmaskarray(labels), np.ma.getmaskarray(expected.labels))
        np.testing.assert_array_equal(np.ma.filled(labels, -9), np.ma.filled(expected.labels, -9))
        assert set(expected.notes) <= set(answer.notes)
        same_places(answer, expected)


def test_tree_and_select_see_positions(tmp_path, capsys, monkeypatch):
    """Law: `tree`, `select` and `fit` use latitude and longitude as one position, in memory and in blocks."""
    path = tmp_path / "stops.csv"
    stops().drop_nulls().write_csv(path)
    told = {}
    for large in (1 << 30, 1):
        monkeypatch.setattr("coterie.data.paths.LARGE_BYTES", large)
        for command in (["tree", str(path), "--cut", "3"], ["select", str(path), "-k", "2..4"]):
            assert run([*command, "--json"]) == 0
            told[command[0], large] = json.loads(capsys.readouterr().out)
            assert run([*command, "--places", "off", "--json"]) == 0
            plain = json.loads(capsys.readouterr().out)
            assert not any("position" in note for note in plain["notes"])
    for facts in told.values():
        assert facts["columns"] == ["stop_lat", "stop_lon"]
        assert any("used as one position on the Earth" in note for note in facts["notes"])
    assert told["select", 1]["k"] == told["select", 1 << 30]["k"] == 3
    assert run(["tree", str(path), "--places", "nowhere"]) == 2
    assert "--places must be auto, off or LAT,LON" in capsys.readouterr().err


def test_frames_of_pandas_and_dask_name_columns_alike():
    """Law: the columns that a frame leaves out, and why, do not depend on who made the frame."""
    import dask.dataframe

    frame = pd.DataFrame({"id": np.arange(100, 280), **named(clouds()), "town": ["Ulm"] * 180})
    local = coterie.fit(frame, **FAST)
    lazy = coterie.fit(dask.dataframe.from_pandas(frame, npartitions=3, sort=False), **FAST)
    assert lazy.groups.left_out == local.groups.left_out
    assert lazy.groups.columns == local.groups.columns


def test_a_square_is_recognised(tmp_path, capsys):
    """Law: `fit` and `tree` recognise a square of distances and ask; distance="precomputed" takes it."""
    path = tmp_path / "d.csv"
    square().write_csv(path)
    with pytest.raises(
        coterie.errors.InvalidData, match=r"looks like distances\. If so, use distance='precomputed'"
    ):
        coterie.fit(path)
    assert run(["tree", str(path)]) == 2
    assert "use --distance precomputed" in capsys.readouterr().err
    assert run(["tree", str(path), "--distance", "precomputed", "--cut", "3"]) == 0
    assert coterie.fit(path, "kmedoids", 3, distance="precomputed").k == 3
    rounded = np.loadtxt(path, delimiter=",", skiprows=1)
    rounded[4, 1] *= 1 + 1e-15  # as scikit-learn's pairwise_distances leaves it
    np.savetxt(path, rounded, delimiter=",")
    with pytest.raises(coterie.errors.InvalidData, match=r"looks like distances\. If so, use"):
        coterie.fit(path)


def test_words_of_paths(tmp_path):
    """Law: folders that Spark, Hive and notebooks leave behind are not read."""
    frame = pl.DataFrame(named(clouds()))
    for place in ("", "_temporary", ".ipynb_checkpoints", "_delta_log"):
        (tmp_path / "data" / place).mkdir(parents=True, exist_ok=True)
        frame.write_csv(tmp_path / "data" / place / "rows.csv")
    assert coterie.fit(tmp_path / "data", **FAST).groups.n_rows == frame.height
