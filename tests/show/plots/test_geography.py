"""The map: every place where the projection puts it, areas kept, lines of latitude and longitude."""

import numpy as np
import pandas
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._support.sphere import EARTH_KM, arcs_to, vectors_of
from coterie.errors import InvalidData, InvalidParameter
from coterie.show import plots
from coterie.show.layout.globe import Extent, Projection, bar_length, extent_of, graticule, projection_for

RNG = np.random.default_rng(0)
AROUND = np.array([48.1, 11.6]) + RNG.normal(size=(60, 2))
LABELS = np.repeat([0, 1, -1], 20)
WORLD = Projection(0.0, 0.0, True)


def drawn(ax):
    return {cloud.get_label(): cloud.get_offsets() for cloud in ax.collections}


def area_ratio(projection, latitude, longitude):
    """Return the area of a small square on the map over that on the Earth."""
    step = 1e-4
    corner, east, north = projection.project(
        np.array([[latitude, longitude], [latitude, longitude + step], [latitude + step, longitude]])
    )
    on_map = abs(np.linalg.det(np.array([east - corner, north - corner])))
    return on_map / (np.radians(step) ** 2 * EARTH_KM**2 * np.cos(np.radians(latitude + step / 2)))


@settings(max_examples=60, deadline=None)
@given(latitude=st.floats(-80, 80), longitude=st.floats(-170, 170))
def test_both_projections_keep_areas(latitude, longitude):
    """Law: a square of the Earth has the area on the map that it has on the Earth, up to its own size."""
    assert area_ratio(WORLD, latitude, longitude) == pytest.approx(1, rel=1e-4)
    around = Projection(max(-80.0, latitude - 20), longitude + 15, False)
    assert area_ratio(around, latitude, longitude) == pytest.approx(1, rel=1e-4)


def test_distances_around_the_centre():
    """Law: around its centre the map has the distances of the Earth, at the date line and at a pole too."""
    for centre in ([48.0, 11.0], [-17.0, 179.9], [89.5, 40.0]):
        places = np.array(centre) + RNG.uniform(-0.3, 0.3, (40, 2))
        places[:, 0] = np.minimum(places[:, 0], 90)
        projection = projection_for(places)
        assert not projection.is_world
        middle = np.array([[projection.latitude, projection.longitude]])
        arcs = arcs_to(vectors_of(places), vectors_of(middle)[0])
        np.testing.assert_allclose(
            np.linalg.norm(projection.project(places), axis=1), arcs, rtol=1e-3, atol=1e-6
        )


def test_every_place_is_drawn_in_its_group():
    """Law: the clouds are the projected places of each group; noise is one of them; the scale is round."""
    ax = plots.map(AROUND, LABELS)
    plane = projection_for(AROUND).project(AROUND)
    for label, name in ((0, "group 1"), (1, "group 2"), (-1, "noise")):
        np.testing.assert_allclose(drawn(ax)[name], plane[label == LABELS])
    texts = {text.get_text() for text in ax.texts}
    assert {"48° N", "12° E"} <= texts
    assert any(text.endswith(" km") for text in texts)
    assert ax.get_aspect() == 1
    assert ax.get_title(loc="left") == "2 clusters of 60 rows, 20 of them noise"


def test_degrees_are_written_as_on_maps():
    """Law: degrees have a side instead of a sign; the equator, Greenwich and the date line have none."""
    extent = Extent(-900.0, 900.0, -900.0, 900.0)
    names = {line.name for line in graticule(Projection(0.0, 180.0, False), extent)}
    assert {"0°", "180°", "5° N", "5° S", "175° E", "175° W"} <= names
    assert not any(name.startswith("-") for name in names)


def test_frames_and_radians():
    """Law: columns that are called latitude and longitude are found among others; radians are degrees."""
    frame = pandas.DataFrame({"price": 1.0, "lng": AROUND[:, 1], "lat": AROUND[:, 0]})
    by_frame, by_radians = plots.map(frame, LABELS), plots.map(np.radians(AROUND), LABELS, units="radians")
    for name, places in drawn(plots.map(AROUND, LABELS)).items():
        np.testing.assert_allclose(drawn(by_frame)[name], places)
        np.testing.assert_allclose(drawn(by_radians)[name], places, atol=1e-9)


def test_places_far_apart_are_drawn_on_the_world():
    """Law: places that no hemisphere holds are on a map of the world, all of them within its outline."""
    places = np.column_stack([RNG.uniform(-90, 90, 200), RNG.uniform(-180, 180, 200)])
    assert projection_for(places) == WORLD
    extent = extent_of(WORLD, WORLD.project(places))
    x, y = WORLD.project(places).T
    assert ((x >= extent.left) & (x <= extent.right) & (y >= extent.low) & (y <= extent.high)).all()
    assert len(graticule(WORLD, extent)) == 11
    assert any("at the centre" in text.get_text() for text in plots.map(places, np.zeros(200, int)).texts)


@pytest.mark.parametrize("reach", [0.01, 1.0, 30.0, 800.0, 4000.0])
@pytest.mark.parametrize("centre", [(0.0, 0.0), (48.1, 11.6), (-17.0, 179.9), (89.9, 10.0)])
def test_lines_at_every_scale(reach, centre):
    """Law: from a yard to a continent a few lines cross the map, named where they cross its edges."""
    extent = Extent(-reach, reach, -reach, reach)
    lines = graticule(Projection(*centre, False), extent)
    assert 2 <= len(lines) <= 45
    named = [line for line in lines if line.at is not None]
    for line in named:
        at = line.at[0] if line.is_parallel else line.at[1]
        assert at == pytest.approx(-reach)
    assert 0.08 * reach <= bar_length(extent) <= 0.4 * reach


def test_many_places_one_place_and_many_groups():
    """Law: many places are a density, a single place has a map, sixty groups are named where they are."""
    many = np.array([48.0, 11.0]) + RNG.normal(size=(30_000, 2))
    assert len(plots.map(many, (many[:, 0] > 48).astype(int)).images) == 1
    assert len(plots.map([[48.1, 11.6]] * 3, [0, 0, 0]).collections) == 1
    sixty = np.arange(3000) % 60
    assert "60" in {text.get_text() for text in plots.map(many[:3000], sixty).texts}


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[120.0, 10.0]], {}, "latitude is 120 in row 1, beyond 90; are the two columns swapped"),
        ([[1.0, 2.0, 3.0]], {}, "two columns, latitude and longitude, got 3"),
        ([[1.0, np.nan]], {}, "NaN"),
        ([[1.0, 700.0]], {}, "longitude is 700 in row 1, beyond 360"),
    ],
)
def test_what_is_no_place_is_refused(X, options, message):
    """Law: rows that are not places are refused in words."""
    with pytest.raises(InvalidData, match=message):
        plots.map(X, [0], **options)


def test_units_are_named():
    """Law: units other than degrees and radians are refused."""
    with pytest.raises(InvalidParameter, match="units of map must be"):
        plots.map(AROUND, LABELS, units="gon")
