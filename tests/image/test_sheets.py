"""Features of pictures, their groups, and contact sheets."""

import numpy as np
import pytest
from PIL import Image

from coterie.errors import InvalidData, InvalidFile, InvalidParameter, MissingFile
from coterie.evaluate import adjusted_rand_score
from coterie.image import contact_sheet, group_pictures, match_labels, picture_features, to_space

KINDS = 3


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write pictures of three kinds: sunsets, meadows, nights with a moon; and a file that is none."""
    place = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    (place / "more").mkdir()
    tops, bottoms = (
        ((230, 120, 60), (110, 170, 240), (10, 10, 40)),
        ((60, 20, 40), (60, 150, 50), (20, 20, 30)),
    )
    for at in range(24):
        kind, height, width = at % KINDS, int(rng.integers(30, 60)), int(rng.integers(40, 80))
        picture = np.empty((height, width, 3))
        picture[: height // 2], picture[height // 2 :] = tops[kind], bottoms[kind]
        picture += rng.normal(0, 12, picture.shape) + rng.normal(0, 8, 3)
        where = place / "more" if at % 5 == 0 else place
        Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8)).save(where / f"{at:02d}_{kind}.png")
    (place / "broken.png").write_bytes(b"not a picture")
    (place / "notes.txt").write_text("no picture at all")
    return place


def kinds_of(names):
    return np.array([int(name.removesuffix(".png")[-1]) for name in names])


@pytest.mark.parametrize("kind", ["layout", "edges"])
def test_features_of_a_folder(folder, kind):
    """Law: every picture of a folder and the folders in it has a row; what is none is a note."""
    found = picture_features(folder, kind)
    assert found.X.shape == (24, 192 if kind == "layout" else 128)
    assert len(found.columns) == len(set(found.columns)) == found.X.shape[1]
    assert np.isfinite(found.X).all()
    assert any(name.startswith("more/") for name in found.names)
    assert len(found.notes) == 1
    assert "broken.png" in found.notes[0]


def test_groups_are_the_kinds(folder):
    """Law: colour layouts tell three kinds of pictures apart; groups come by size."""
    found = picture_features(folder)
    labels, apart = group_pictures(found, KINDS)
    assert adjusted_rand_score(kinds_of(found.names), labels) == 1
    assert (np.diff(np.bincount(labels)) <= 0).all()
    assert apart.shape == (24,)
    with pytest.raises(InvalidParameter, match="n_clusters"):
        group_pictures(found, 0)
    with pytest.raises((InvalidParameter, InvalidData), match="n_samples"):
        group_pictures(found, 25)


def test_layout_is_the_mean_of_cells():
    """Law: the layout of a picture is the mean colour of each cell; tiny pictures have one too."""
    rng = np.random.default_rng(1)
    image = rng.integers(0, 256, (24, 40, 3), dtype=np.uint8)
    row = picture_features([image]).X[0].reshape(8, 8, 3)
    slow = to_space(image).reshape(8, 3, 8, 5, 3).mean(axis=(1, 3))
    assert np.allclose(row, slow)
    assert np.allclose(picture_features([image[:1, :1]]).X[0].reshape(8, 8, 3), to_space(image[:1, :1]))


def test_edges_know_directions():
    """Law: a picture and the same on its side have their edges in directions at a right angle."""
    stripes = np.zeros((64, 64))
    stripes[:, ::4] = stripes[:, 1::4] = 1
    rows = picture_features([stripes, stripes.T], "edges").X.reshape(2, 16, 8)
    assert rows[0].sum(axis=0).argmax() == 0
    assert rows[1].sum(axis=0).argmax() == 4


def test_pixels_of_equal_pictures():
    """Law: raw pixels are the lightness of each; other sizes and too many pixels are refused."""
    digits = [np.eye(4), np.ones((4, 4))]
    found = picture_features(digits, "pixels")
    assert np.allclose(found.X[0].reshape(4, 4), np.eye(4))
    with pytest.raises(InvalidData, match="must be of equal size"):
        picture_features([np.eye(4), np.eye(5)], "pixels")
    with pytest.raises(InvalidData, match="at most 4,096 become columns"):
        picture_features([np.zeros((100, 100))], "pixels")


def test_labels_are_matched_by_file(folder, tmp_path):
    """Law: labels are found by path or last name, in any order; pictures without one have no group."""
    found = picture_features(folder)
    lines = [f"{name},{kind}" for name, kind in zip(found.names, kinds_of(found.names), strict=True)]
    (tmp_path / "a.csv").write_text("\n".join(["file,label", *reversed(lines[:-1])]))
    labels, titles = match_labels(tmp_path / "a.csv", found.names)
    assert labels.tolist() == [*kinds_of(found.names)[:-1].tolist(), -1]
    assert titles == ("group 1", "group 2", "group 3")
    short = [line.rpartition("/")[2] for line in lines]
    (tmp_path / "b.csv").write_text("\n".join(["picture,kind", *short]))
    assert match_labels(tmp_path / "b.csv", found.names)[0].tolist() == kinds_of(found.names).tolist()
    (tmp_path / "c.csv").write_text("file,group\nx.png,1\ny.png,2\n")
    with pytest.raises(InvalidData, match=r"names \"x\.png\", the first picture is"):
        match_labels(tmp_path / "c.csv", found.names)
    (tmp_path / "d.csv").write_text("group\nred\nblue\n")
    with pytest.raises(InvalidData, match="has 2 rows for 24 pictures"):
        match_labels(tmp_path / "d.csv", found.names)
    assert match_labels(tmp_path / "d.csv", ["p", "q"])[1] == ("blue", "red")


def test_typical_pictures_come_first():
    """Law: groups by size, and in a group the pictures nearest to its mean; -1 comes last."""
    values = [0.9, 0.1, 0.2, 0.55, 0.5, 0.45, 0.7]
    pictures = [np.full((10, 10), value) for value in values]
    X = np.array(values)[:, None]
    sheet = contact_sheet(pictures, [1, 0, 0, 0, 0, 1, -1], features=X, columns=4, side=10)
    rows = [4 + 22 + 5 + at * (22 + 14) for at in range(3)]
    shades = [[int(sheet[y, 4 + 5 + x * 14, 0]) for x in range(4)] for y in rows]
    order = np.argsort(np.abs(X[1:5, 0] - X[1:5].mean()), kind="stable")
    assert shades[0] == [round(255 * values[1 + at]) for at in order]
    assert shades[1][2:] == [255, 255]
    assert shades[2][0] == round(255 * 0.7)
    few = contact_sheet(pictures, [0] * 7, columns=4, side=10, most=2)
    assert few.shape[0] == 4 + 22 + 14


def test_wrong_sheets(folder, tmp_path):
    """Law: wrong labels, folders and sizes say what is wrong."""
    pictures = [np.zeros((9, 9))] * 3
    for labels in ([0, 1], [0.5, 1, 2], [0, 0, -2], [0, 0, 9]):
        with pytest.raises(InvalidData, match="labels of contact_sheet must be"):
            contact_sheet(pictures, labels)
    with pytest.raises(InvalidData, match="features of contact_sheet must have 3 rows"):
        contact_sheet(pictures, [0, 0, 0], features=[[1.0], [2.0]])
    with pytest.raises(InvalidParameter, match="titles of contact_sheet must name 2"):
        contact_sheet(pictures, [0, 1, 1], titles=["a"])
    with pytest.raises(InvalidParameter, match="the sheet would have"):
        contact_sheet(pictures, [0, 0, 0], side=100_000)
    with pytest.raises(MissingFile, match="no such folder"):
        picture_features(tmp_path / "none")
    with pytest.raises(InvalidFile, match="holds no pictures"):
        picture_features(tmp_path)
    with pytest.raises(InvalidFile, match="must be a folder"):
        picture_features(folder / "notes.txt")
    with pytest.raises(InvalidData, match="at least one"):
        picture_features([])
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(InvalidFile, match="none of 1 files is a picture"):
        picture_features(tmp_path)
