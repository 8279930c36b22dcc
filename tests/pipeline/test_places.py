"""Tables with latitude and longitude: one position on the Earth, through every door."""

import json
from dataclasses import replace

import numpy as np
import pandas
import polars
import pytest

import coterie
from coterie.cli.app import run
from coterie.data import Place, as_table, prepare_rows
from coterie.data.geography.places import find_places, named_pairs, with_places
from coterie.data.geography.positions import group_positions, in_degrees
from coterie.distance import pairwise_distances
from coterie.errors import InvalidData, InvalidParameter, ModelFileError
from coterie.evaluate import adjusted_rand_score
from coterie.pipeline import make_request
from coterie.pipeline.groups import check_groups
from coterie.pipeline.rows.opening import memory_rows
from coterie.workbook.dataset import weighted
from places import towns

TOWNS = {"Munich": (48.14, 11.58), "Berlin": (52.52, 13.40), "Suva": (-18.1, 178.9), "Nome": (64.5, -165.4)}


def visits(n=60, *, seed=0, names=("lat", "lon"), order=TOWNS):
    """Return places around towns, in degrees, some km about each; Suva lies at the date line."""
    rng = np.random.default_rng(seed)
    town = np.repeat(np.arange(len(order)), n)
    centres = np.array(list(order.values()))[town]
    latitude = centres[:, 0] + rng.normal(size=len(town)) * 0.5
    longitude = centres[:, 1] + rng.normal(size=len(town)) * 0.5 / np.cos(np.radians(centres[:, 0]))
    longitude = (longitude + 180) % 360 - 180
    return pandas.DataFrame({names[0]: latitude.round(5), names[1]: longitude.round(5)}), town


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (["lat", "lon"], [("lat", "lon")]),
        (["LNG", "Latitude"], [("Latitude", "LNG")]),
        (["geo.long", "geo.lat", "x"], [("geo.lat", "geo.long")]),
        (["pickupLatitude", "pickupLongitude", "dropoff_lat", "dropoff_lng"],
         [("pickupLatitude", "pickupLongitude"), ("dropoff_lat", "dropoff_lng")]),
        (["flat", "salon", "lat", "height"], []),
        (["start_lat", "end_lon"], []),
        (["lat", "lat_error", "lon"], [("lat", "lon")]),
    ],
)  # fmt: skip
def test_names_of_positions(columns, expected):
    """Law: two columns are a position if their names differ in latitude and longitude only."""
    assert [place.columns for place in named_pairs(columns)] == expected


def test_axes_have_the_distances_of_the_earth():
    """Law: distances of axes are chords: the haversine within 0.1 % up to 1,000 km, in its order beyond."""
    table = as_table(visits()[0])
    places, notes = find_places(table)
    X = with_places(table, places).matrix(places[0].axes)
    chords = pairwise_distances(X)
    arcs = pairwise_distances(
        table.matrix(["lat", "lon"]), metric="haversine", units="degrees", distances="km"
    )
    is_near = (arcs < 1000) & (arcs > 0)
    np.testing.assert_allclose(chords[is_near], arcs[is_near], rtol=1.1e-3)
    assert (np.diff(chords.ravel()[np.argsort(arcs.ravel())]) > -1e-6).all()
    assert "lat and lon (degrees) are used as one position on the Earth" in notes[0]
    names, degrees = in_degrees(places[0].axes, X, places)
    assert names == ("lat", "lon")
    turns = (degrees[:, 1] - table.matrix(["lon"])[:, 0]) / 360
    np.testing.assert_allclose(turns, np.rint(turns), atol=1e-9)


def test_groups_across_the_date_line():
    """Law: towns are found where they are; one at the date line is one group, with its centre and radius."""
    frame, town = visits()
    found = coterie.fit(frame, budget="fast", believe=False)
    assert adjusted_rand_score(town, found.labels) == 1
    assert found.groups.table_columns == ("lat", "lon")
    assert found.groups.left_out == ()
    (positions,) = found.profile.positions
    for number, centre in enumerate(TOWNS.values()):
        group = int(np.bincount(found.labels[town == number]).argmax())
        assert positions.centers[group] == pytest.approx(centre, abs=0.6)
        assert 20 < positions.radii[group, 0] < 120 < positions.radii[group, 1] < 400
        assert f"around {abs(positions.centers[group, 0]):.2f}° " in found.profile.words(group)
    assert any("one position on the Earth" in note for note in found.notes)
    assert "positions in km" in str(found)
    np.testing.assert_array_equal(found.predict(frame), found.labels)
    np.testing.assert_array_equal(found.predict(polars.from_pandas(frame)), found.labels)
    facts = found.profile.to_dict()[0]["positions"][0]
    assert facts["columns"] == ["lat", "lon"]
    assert facts["all_within_km"] >= facts["half_within_km"] > 0


def test_every_door_gives_the_same_groups(tmp_path, capsys):
    """Law: frame, file, shell and a loaded model agree, whatever the names and the order of the columns."""
    frame, _ = visits()
    path = tmp_path / "places.csv"
    frame.to_csv(path, index=False)
    by_frame = coterie.fit(frame, "kmeans", 4, believe=False)
    by_file = coterie.fit(str(path), "kmeans", 4, believe=False)
    turned = coterie.fit(frame[["lon", "lat"]].rename(columns={"lon": "LNG"}), "kmeans", 4, believe=False)
    np.testing.assert_array_equal(by_frame.labels, by_file.labels)
    np.testing.assert_array_equal(by_frame.labels, turned.labels)
    model = tmp_path / "groups.safetensors"
    shell = [
        "fit",
        str(path),
        "--method",
        "kmeans",
        "-k",
        "4",
        "--json",
        "--no-believe",
        "--save",
        str(model),
    ]
    assert run(shell) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["columns"] == ["lat", "lon"]
    assert [group["size"] for group in facts["groups"]] == by_frame.profile.sizes.tolist()
    assert facts["groups"][0]["positions"][0]["latitude"] == pytest.approx(
        by_frame.profile.positions[0].centers[0, 0]
    )
    np.testing.assert_array_equal(coterie.load(model).predict(str(path)), by_frame.labels)


def test_positions_beside_other_columns():
    """Law: a position counts as two columns with one unit; its three axes share a factor."""
    frame, _ = visits()
    frame["price"] = np.random.default_rng(1).normal(size=len(frame)) * 1000
    prepared = prepare_rows(as_table(frame), places="auto")
    assert prepared.scaling.how == "standard"
    axes = [prepared.choice.used.index(name) for name in prepared.places[0].axes]
    assert len(set(prepared.scaling.factor[axes])) == 1
    assert prepared.points[:, axes].var(axis=0).sum() == pytest.approx(2)
    found = coterie.fit(frame, "kmeans", 4, believe=False)
    assert found.groups.table_columns == ("price", "lat", "lon")
    assert found.profile.columns == ("price", "lat", "lon")
    np.testing.assert_array_equal(found.predict(frame), found.labels)


def test_positions_beside_categories():
    """Law: tables with categories take positions too, and place new rows."""
    frame, town = visits()
    frame["kind"] = np.array(["shop", "home", "work", "park"])[town]
    found = coterie.fit(frame, "kprototypes", 4, believe=False)
    assert adjusted_rand_score(town, found.labels) == 1
    assert found.profile.columns[-2:] == ("lat", "lon")
    np.testing.assert_array_equal(found.predict(frame), found.labels)


def test_two_positions():
    """Law: a trip has two positions, each described for itself."""
    start, town = visits(30, names=("pickup_lat", "pickup_lng"))
    end, _ = visits(30, seed=1, names=("dropoff_lat", "dropoff_lng"), order=dict(reversed(TOWNS.items())))
    found = coterie.fit(pandas.concat([start, end], axis=1), "kmeans", 4, believe=False)
    assert adjusted_rand_score(town, found.labels) == 1
    assert [each.columns for each in found.profile.positions] == [
        ("pickup_lat", "pickup_lng"),
        ("dropoff_lat", "dropoff_lng"),
    ]


def test_switched_off():
    """Law: places="off" uses two plain numbers; named columns are positions whatever they are called."""
    frame, _ = visits()
    off = coterie.fit(frame, "kmeans", 4, places="off", believe=False)
    assert off.groups.columns == ("lat", "lon")
    assert off.profile.positions == ()
    renamed = frame.rename(columns={"lat": "Breite", "lon": "Lage"})
    assert coterie.fit(renamed, "kmeans", 4, believe=False).profile.positions == ()
    named = coterie.fit(renamed, "kmeans", 4, places="Breite,Lage", believe=False)
    np.testing.assert_array_equal(named.labels, coterie.fit(frame, "kmeans", 4, believe=False).labels)
    assert coterie.fit(frame, "kmedoids", 4, distance="manhattan", believe=False).groups.places == ()
    for part in ({"drop": "lat"}, {"columns": "lon"}):
        assert (
            coterie.fit(
                frame.assign(x=1.0 * np.arange(240)), "kmeans", 2, believe=False, **part
            ).groups.places
            == ()
        )


def test_haversine_of_a_table():
    """Law: distance="haversine" takes the position alone, from degrees to radians, latitude first."""
    frame, town = visits()
    frame["price"] = 1.0 * np.arange(len(frame)) ** 2
    found = coterie.fit(frame[["lon", "price", "lat"]], "kmedoids", 4, distance="haversine", believe=False)
    assert adjusted_rand_score(town, found.labels) == 1
    assert found.groups.columns == ("lat", "lon")
    assert [one.name for one in found.groups.left_out] == ["price"]
    assert found.profile.positions[0].columns == ("lat", "lon")
    km = {"eps": 150, "metric_params": {"distances": "km"}}
    dense = coterie.fit(frame[["lat", "lon"]], "dbscan", distance="haversine", set=km, believe=False)
    assert adjusted_rand_score(town, dense.labels) > 0.95
    radians = np.radians(frame[["lat", "lon"]].to_numpy())
    assert (
        adjusted_rand_score(
            town, coterie.fit(radians, "kmedoids", 4, distance="haversine", believe=False).labels
        )
        == 1
    )
    with pytest.raises(InvalidData, match="the haversine takes latitude and longitude, got 3 columns"):
        coterie.fit(np.ones((9, 3)) * np.arange(9)[:, None], "kmedoids", 2, distance="haversine")


def test_haversine_names_the_row_that_is_beyond_degrees(tmp_path, capsys):
    """Law: in memory, in blocks and on the shell, a latitude beyond 90 is told by column, row and degrees."""
    frame, _ = visits()
    frame = frame.assign(lat=frame["lat"].mask(frame.index == 3, 95.0))
    said = "lat,lon is not a position: lat is 95 in row 4, beyond 90. Correct such rows, or leave them out."
    with pytest.raises(InvalidParameter, match=said):
        coterie.fit(frame, "kmedoids", 4, distance="haversine")
    for at in range(2):
        frame[at * 120 : (at + 1) * 120].to_csv(tmp_path / f"part{at}.csv", index=False)
    path = str(tmp_path / "part*.csv")
    with pytest.raises(InvalidParameter, match=said):
        coterie.fit(path, "dbscan", distance="haversine", set={"eps": 0.01})
    assert run(["fit", path, "--method", "dbscan", "--distance", "haversine", "--set", "eps=0.01"]) == 2
    told = capsys.readouterr().err
    assert said in told
    assert "X[" not in told


def test_what_is_no_position_is_said():
    """Law: swapped columns and impossible degrees stay plain numbers, with a note that says why."""
    frame, _ = visits()
    swapped = frame.rename(columns={"lat": "lon", "lon": "lat"})
    found = coterie.fit(swapped, "kmeans", 4, believe=False)
    assert found.groups.places == ()
    assert any("beyond 90; are the two columns swapped?" in note for note in found.notes)
    with pytest.raises(InvalidParameter, match=r"lat,lon is not a position: lat is .* in row .*swapped"):
        coterie.fit(swapped, places="lat,lon")
    far = frame.assign(lon=frame["lon"].mask(frame.index == 3, 400.0))
    assert any(
        "lon is 400 in row 4, beyond 360" in note
        for note in coterie.fit(far, "kmeans", 4, believe=False).notes
    )
    model = coterie.fit(frame, "kmeans", 4, believe=False)
    with pytest.raises(InvalidData, match=r"lat and lon are not positions: lat is .*beyond 90"):
        model.predict(swapped)
    with pytest.raises(InvalidParameter, match='no column "lat"'):
        model.predict(frame.rename(columns={"lat": "y"}))
    for wrong in (3, "lat", "a,b,c", None):
        with pytest.raises(InvalidParameter, match=r'places of coterie\.fit must be "auto", "off" or'):
            coterie.fit(frame, places=wrong)


def test_missing_positions():
    """Law: a row without latitude or longitude has no position, whatever is done about missing values."""
    frame, town = visits()
    holes = frame.mask(np.random.default_rng(2).random(frame.shape) < 0.05)
    found = coterie.fit(holes, "kmeans", 4, believe=False)
    assert int(np.ma.getmaskarray(found.labels).sum()) == int(holes.isna().any(axis=1).sum())
    assert any("lat and lon" in note and "missing" in note for note in found.notes)
    assert adjusted_rand_score(town[~np.ma.getmaskarray(found.labels)], found.labels.compressed()) == 1


def test_one_place_and_equal_places():
    """Law: a single place is refused as any single row is; equal places are one group."""
    frame = pandas.DataFrame({"lat": [48.1] * 50, "lon": [11.6] * 50})
    found = coterie.fit(frame, "kmeans", 1, believe=False)
    assert found.profile.positions[0].radii.max() == pytest.approx(0, abs=1e-4)
    with pytest.raises(InvalidData, match="has one row"):
        coterie.fit(frame[:1])


def test_positions_of_groups_by_definition():
    """Law: the centre is the mean direction, the radii are quantiles of scikit-learn's haversines from it."""
    from sklearn.metrics.pairwise import haversine_distances

    X, town = towns(300, k=3, seed=4)
    from coterie._support.sphere import vectors_of

    centers, radii = group_positions(vectors_of(X, in_degrees=False), town, 3)
    for group in range(3):
        arcs = haversine_distances(X[town == group], np.radians(centers[[group]]))[:, 0] * 6371.0088
        np.testing.assert_allclose(radii[group], [np.median(arcs), arcs.max()], rtol=1e-9)


def test_weights_of_a_position():
    """Law: in the explorer a weight of latitude or longitude weighs the position, all axes alike."""
    frame, _ = visits()
    rows = memory_rows(as_table(frame.assign(price=np.sqrt(np.arange(240)))), make_request())
    heavy = weighted(rows, {"lat": 4.0, "price": 3.0})
    ratio = rows.scaling.factor / heavy.scaling.factor
    assert dict(zip(rows.columns, ratio, strict=True)) == pytest.approx(
        {"price": 3.0, "lat, lon: x": 2.0, "lat, lon: y": 2.0, "lat, lon: z": 2.0}
    )
    assert any("weights of columns: lat x 4" in note for note in heavy.prepared.said)


def test_damaged_model_files_are_refused():
    """Law: positions that do not fit the columns or the groups of a model file are refused."""
    groups = coterie.fit(visits()[0], "kmeans", 4, believe=False).groups
    state = groups.__coterie_state__()
    sizes = {"columns": 3, "groups": 4, "described": 2, "clusters": 4}
    check_groups(state, sizes, who="Groups")
    with pytest.raises(ModelFileError, match="places of Groups must be positions"):
        check_groups(state | {"places": (Place("y", "x"),)}, sizes, who="Groups")
    fewer = replace(groups.profile.positions[0], centers=groups.profile.positions[0].centers[:2])
    with pytest.raises(ModelFileError, match="positions of 4 groups"):
        check_groups(state | {"profile": replace(groups.profile, positions=(fewer,))}, sizes, who="Groups")


def test_update_is_refused():
    """Law: groups of positions say that they take in no more rows."""
    frame, _ = visits()
    found = coterie.fit(frame, "kmeans", 4, believe=False)
    with pytest.raises(InvalidParameter, match="groups of positions cannot be updated with new rows"):
        coterie.pipeline.update(found, frame)
