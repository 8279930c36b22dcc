"""``coterie image``: answers, files, exit codes, and one line for whatever goes wrong."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image

from benchmarks.scenes import make_scene


@pytest.fixture
def album(tmp_path, monkeypatch):
    """Return a folder with a picture and a folder of pictures, and work in it."""
    monkeypatch.chdir(tmp_path)
    Image.fromarray(make_scene(2, 60, 80)[0]).save("photo.png")
    (tmp_path / "photos").mkdir()
    rng = np.random.default_rng(0)
    for at in range(12):
        values = np.clip(rng.normal(60 + 120 * (at % 2), 9, (20, 30, 3)), 0, 255)
        Image.fromarray(values.astype(np.uint8)).save(tmp_path / "photos" / f"{at:02d}.png")
    return tmp_path


def test_quantise(album, cli):
    """Law: the colours are listed with their shares; the picture has them; JSON says the same."""
    code, out, err = cli("image", "quantise", "photo.png", "-k", 4, "-o", "out.png")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("photo.png   80 x 60 pixels, ")
    assert lines[2].startswith("  4 colours   k-means in cielab, PSNR ")
    assert lines[-1] == "picture   written to out.png"
    with Image.open("out.png") as image:
        colours = {"#" + bytes(colour).hex() for _, colour in image.convert("RGB").getcolors()}
    facts = json.loads(cli("image", "quantise", "photo.png", "-k", 4, "--json")[1])
    assert (
        {each["colour"] for each in facts["palette"]} == colours == {line.split()[0] for line in lines[4:8]}
    )
    assert facts["output"] is None
    code, out, _ = cli("image", "quantise", "photo.png", "-k", 4, "--dither", "-o", "d.png")
    assert "dithered" in out


def test_segment(album, cli):
    """Law: the picture with borders, labels as picture and array; the same regions in each."""
    args = ("image", "segment", "photo.png", "-k", 5, "-o", "lines.jpg")
    code, out, err = cli(*args, "--labels", "l.png")
    assert (code, err) == (0, "")
    assert "  5 regions   Ward, until 5 regions are left, from " in out
    assert cli(*args, "--labels", "l.npy", "--force")[0] == 0
    with Image.open("l.png") as image:
        assert np.array_equal(np.asarray(image), np.load("l.npy"))
    assert np.unique(np.load("l.npy")).tolist() == [0, 1, 2, 3, 4]
    facts = json.loads(cli("image", "segment", "photo.png", "--method", "spectral", "-k", 3, "--json")[1])
    assert facts["k"] == 3
    code, out, _ = cli(
        "image", "segment", "photo.png", "--method", "slic", "--superpixels", 400, "--labels", "m.png"
    )
    assert code == 0
    with Image.open("m.png") as image:
        assert int(np.asarray(image).max()) > 255


def test_from_a_folder_to_a_sheet(album, cli):
    """Law: features, fit and sheet go together; -k is the short way."""
    code, out, err = cli("image", "features", "photos", "-o", "features.csv")
    assert (code, err) == (0, "")
    assert "12 pictures, 192 columns" in out
    code, _, err = cli(
        "fit", "features.csv", "-k", 2, "--method", "kmeans", "--no-believe", "-o", "labels.csv"
    )
    assert (code, err) == (0, "")
    code, out, err = cli("image", "sheet", "photos", "--labels", "labels.csv", "-o", "sheet.png")
    assert (code, err) == (0, "")
    assert "12 pictures, 2 groups" in out
    assert cli("image", "sheet", "photos", "-k", 2, "-o", "short.png")[0] == 0
    with Image.open("sheet.png") as one, Image.open("short.png") as other:
        assert one.size == other.size


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("quantise", "quantise needs PICTURE"),
        (
            "quantize photo.png",
            'no such command "quantize". Did you mean "quantise"? (coterie image --help lists all)',
        ),
        ("quantise none.png", "none.png: no such file."),
        ("quantise photos", "photos: is a directory"),
        (
            "quantise photo.png -k 0",
            "-k must be a whole number from 1, got 0. (coterie image quantise --help)",
        ),
        ("quantise photo.png -o photo.png", "photo.png exists. Use --force to replace it."),
        ("quantise photo.png -o photo.png --force", "photo.png is the input: it is never overwritten."),
        ("quantise photo.png -o out.jpg", "JPEG and WebP would change colours"),
        ("quantise photo.png -o no/out.png", "the folder no does not exist"),
        ("quantise photo.png --space hsv", "space of quantise must be one of"),
        ("quantise photo.png --max-pixels 10", "Use --max-pixels 4800 if you trust it."),
        ("segment photo.png --share x", "--share must be a number above 0, got x."),
        ("segment photo.png --method spectral", "--method spectral needs -k N: how many regions."),
        ("segment photo.png -k 3 --threshold 9", "-k and --threshold exclude each other. Leave one out."),
        ("segment photo.png -k 9999", "-k must be at most the number of superpixels"),
        (
            "segment photo.png --superpixels 99999",
            "--superpixels must be at most the number of pixels, 4,800",
        ),
        ("segment photo.png --labels l.csv", "l.csv: the name must end in one of .png, .tif, .tiff, .npy"),
        ("segment photo.png -o a.png --labels a.png", "--output and --labels both name a.png"),
        ("features photos", "features needs --output"),
        ("features photos -o f.txt", "the name must end in one of .csv, .tsv, .parquet"),
        ("features none -o f.csv", "none: no such folder."),
        (
            "sheet photos -o s.png",
            "sheet needs groups: --labels FILE, or -k N to make them here; got neither.",
        ),
        ("sheet photos -o s.png -k 2 --labels l.csv", "got both"),
        ("sheet photos -o s.png -k 2 --column a", "--column goes with --labels FILE."),
        ("sheet photos -o s.png --labels none.csv", "none.csv: no such file."),
        ("sheet photos -o s.gif -k 2", "s.gif: the name must end in one of"),
    ],
)
def test_wrong_lines(album, refused, line, words):
    """Law: one line says what is wrong, with exit code 2, and nothing is written."""
    before = sorted(path.name for path in album.iterdir())
    err = refused("image", *line.split())
    assert words in err
    assert sorted(path.name for path in album.iterdir()) == before


@pytest.mark.parametrize("command", [None, "quantise", "segment", "features", "sheet"])
def test_help_fits_on_one_screen(cli, command):
    """Law: help is at most 54 lines of 80 columns, with examples; the bare command shows it too."""
    code, out, _ = cli("image", *([command] if command else []), "--help")
    assert code == 0
    assert len(out.splitlines()) <= 54
    assert max(map(len, out.splitlines())) <= 86
    assert "Examples:" in out
    if command is None:
        assert cli("image")[1] == out


def test_tab_completion():
    """Law: a shell is offered the commands of the group, and the words that an option takes."""

    def offered(*typed):
        asked = {"COMP_WORDS": " ".join(typed), "COMP_CWORD": str(len(typed) - 1)}
        environment = os.environ | asked | {"_COTERIE_COMPLETE": "complete_bash"}
        command = [sys.executable, "-m", "coterie"]
        return subprocess.run(command, env=environment, capture_output=True, text=True).stdout.split()

    assert offered("coterie", "image", "") == ["quantise", "segment", "features", "sheet"]
    assert offered("coterie", "image", "segment", "--method", "s") == ["spectral", "slic"]
