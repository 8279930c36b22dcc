"""Pictures from arrays and files: every kind becomes the same bytes, and what is wrong is said in words."""

import io
import struct
import sys
import zlib

import numpy as np
import pytest
from PIL import Image

from coterie.errors import (
    CoterieError,
    ExistingFile,
    InvalidData,
    InvalidFile,
    InvalidParameter,
    MissingDependency,
    MissingFile,
)
from coterie.image import (
    draw_boundaries,
    find_boundaries,
    from_space,
    mean_colours,
    psnr,
    quantise,
    read_picture,
    to_space,
    write_picture,
)

RNG = np.random.default_rng(0)
COLOURS = RNG.integers(0, 256, (6, 9, 3), dtype=np.uint8)


def saved(path, image, **how):
    image.save(path, **how)
    return path


@pytest.mark.parametrize("suffix", ["png", "tif", "bmp", "ppm", "gif"])
def test_formats_that_keep_pixels(tmp_path, suffix):
    """Law: a file that keeps pixels is read as Pillow decodes it."""
    path = saved(tmp_path / f"a.{suffix}", Image.fromarray(COLOURS))
    with Image.open(path) as image:
        assert np.array_equal(read_picture(path).pixels, np.asarray(image.convert("RGB")))


def test_kinds_of_arrays():
    """Law: bytes, 16 bits, numbers from 0 to 1 and truth values of one picture are the same picture."""
    expected = read_picture(COLOURS).pixels
    assert np.array_equal(read_picture(COLOURS.astype(np.uint16) * 257).pixels, expected)
    assert np.array_equal(read_picture(COLOURS / 255).pixels, expected)
    assert np.array_equal(read_picture((COLOURS / 255).astype(np.float32)).pixels, expected)
    assert np.array_equal(read_picture(COLOURS.astype(int)).pixels, expected)
    assert np.array_equal(read_picture(Image.fromarray(COLOURS)).pixels, expected)
    grey = read_picture(np.array([[True, False]]))
    assert grey.is_grey
    assert grey.pixels[0, :, 0].tolist() == [255, 0]
    assert read_picture(COLOURS[:, :, :1]).is_grey


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "CMYK", "YCbCr", "I;16", "LAB", "HSV"])
def test_modes_of_files(tmp_path, mode):
    """Law: whatever the mode, bytes of the right shape come out; grey and alpha are known as such."""
    whole = Image.fromarray(np.dstack([COLOURS, np.full(COLOURS.shape[:2], 100, np.uint8)]))
    if mode == "I;16":
        image = Image.fromarray(COLOURS[:, :, 0].astype(np.uint16) * 257)
    else:
        image = (whole if mode in ("RGBA", "LA") else whole.convert("RGB")).convert(mode)
    path = saved(tmp_path / "a.tif", image) if mode != "HSV" else None
    picture = read_picture(image if path is None else path)
    assert picture.pixels.shape == (6, 9, 3)
    assert picture.pixels.dtype == np.uint8
    assert (picture.alpha is not None) == (mode in ("RGBA", "LA"))
    assert picture.is_grey == (mode in ("1", "L", "I;16"))
    if mode == "I;16":
        assert np.array_equal(picture.pixels[:, :, 0], COLOURS[:, :, 0])
    if mode == "CMYK":
        assert np.array_equal(picture.pixels, np.asarray(image.convert("RGB")))


def test_transparent_palettes(tmp_path):
    """Law: a palette with a transparent colour has alpha; what is transparent looks white on paper."""
    image = Image.fromarray(np.array([[0, 1]], np.uint8))
    image.putpalette([255, 0, 0, 0, 0, 255])
    picture = read_picture(saved(tmp_path / "a.png", image, transparency=0))
    assert picture.alpha.tolist() == [[0, 255]]
    assert picture.over_white().tolist() == [[[255, 255, 255], [0, 0, 255]]]


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(tmp_path, orientation):
    """Law: a picture is turned as its EXIF orientation says, for all eight of them."""
    exif = Image.Exif()
    exif[274] = orientation
    path = saved(tmp_path / "a.png", Image.fromarray(COLOURS), exif=exif)
    turned = {
        1: COLOURS,
        2: COLOURS[:, ::-1],
        3: COLOURS[::-1, ::-1],
        4: COLOURS[::-1],
        5: COLOURS.transpose(1, 0, 2),
        6: COLOURS[::-1].transpose(1, 0, 2),
        7: COLOURS[::-1, ::-1].transpose(1, 0, 2),
        8: COLOURS[:, ::-1].transpose(1, 0, 2),
    }
    assert np.array_equal(read_picture(path).pixels, turned[orientation])


def test_broken_exif_turns_nothing(tmp_path):
    """Law: pixels are read where only EXIF is damaged."""
    path = saved(tmp_path / "a.png", Image.fromarray(COLOURS), exif=b"Exif\x00\x00MM\x00*\xff\xff\xff\xff")
    assert np.array_equal(read_picture(path).pixels, COLOURS)


def test_frames(tmp_path):
    """Law: of several frames the first is used, with a note."""
    frames = [Image.fromarray(np.full((4, 4), value, np.uint8)) for value in (10, 200, 90)]
    path = tmp_path / "a.gif"
    frames[0].save(path, save_all=True, append_images=frames[1:])
    picture = read_picture(path)
    assert picture.pixels[0, 0, 0] == 10
    assert picture.notes == (f"{path} has 3 frames; the first is used",)


def bomb(width, height):
    """Return a PNG of some bytes that promises many pixels."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(b"\0" * 99))
        + chunk(b"IEND", b"")
    )


def test_decompression_bombs(tmp_path):
    """Law: too many pixels are refused before decoding, with the way to raise the limit; Pillow's stays."""
    path = tmp_path / "bomb.png"
    path.write_bytes(bomb(60_000, 60_000))
    before = Image.MAX_IMAGE_PIXELS
    with pytest.raises(
        InvalidFile, match=r"60,000 x 60,000 pixels, more than the limit of 100,000,000"
    ) as told:
        quantise(path)
    assert "max_pixels=3600000000" in str(told.value)
    assert "--max-pixels 3600000000" in told.value.shell_text
    with pytest.raises(CoterieError):
        read_picture(path, max_pixels=10**10)  # decoded, it is cut off, or needs too much memory
    assert before == Image.MAX_IMAGE_PIXELS
    with pytest.raises(InvalidFile, match="more than the limit of 53"):
        read_picture(COLOURS, max_pixels=53)


def test_a_bomb_in_an_icon(tmp_path):
    """Law: no format is read whose header does not tell the size of what is decoded when it is opened."""
    picture = bomb(60_000, 60_000)
    entry = struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(picture), 22)
    path = tmp_path / "bomb.ico"
    path.write_bytes(struct.pack("<HHH", 0, 1, 1) + entry + picture)
    with pytest.raises(InvalidFile, match="not a picture of a known format"):
        read_picture(path)


def test_damaged_files(tmp_path):
    """Law: every cut of a file and much other damage is read as pixels, or refused in words."""
    for kind in ("PNG", "JPEG", "TIFF", "WEBP", "GIF", "BMP"):
        stream = io.BytesIO()
        Image.fromarray(np.tile(COLOURS, (4, 4, 1))).save(stream, kind)
        whole = stream.getvalue()
        path = tmp_path / "a.bin"
        n_refused = 0
        for end in {*range(1, 40, 7), len(whole) // 2, len(whole) - 9}:
            path.write_bytes(whole[:end])
            try:
                assert read_picture(path).pixels.shape == (24, 36, 3)
            except InvalidFile:
                n_refused += 1
        assert n_refused >= 6
    path.write_bytes(b"")
    with pytest.raises(InvalidFile, match="the file is empty"):
        read_picture(path)
    with pytest.raises(MissingFile, match="no such file"):
        read_picture(tmp_path / "none.png")


def test_postscript_is_not_run(tmp_path):
    """Law: formats for which Pillow would start a program are not read."""
    path = tmp_path / "a.eps"
    path.write_bytes(b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(x) run showpage\n")
    with pytest.raises(InvalidFile, match="not a picture of a known format"):
        read_picture(path)


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros((3, 3, 2)),
        np.zeros((0, 3)),
        np.zeros(5),
        np.full((2, 2), 2.0),
        np.full((2, 2), np.nan),
        np.full((2, 2), np.inf),
        np.full((2, 2), -1),
        np.full((2, 2), 256),
        np.array([["a"]]),
        [[1, 2], [3]],
        None,
    ],
    ids=str,
)
def test_arrays_that_are_no_pictures(wrong):
    """Law: other shapes and values are refused with what is allowed and what came."""
    with pytest.raises((InvalidData, ValueError), match=r"image of quantise must be|inhomogeneous"):
        quantise(wrong)


def test_without_pillow(tmp_path, monkeypatch):
    """Law: arrays need no Pillow; a file names the extra that brings it."""
    for name in [name for name in sys.modules if name == "PIL" or name.startswith("PIL.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert quantise(COLOURS, 2).k == 2
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(MissingDependency, match=r"install \"coterie\[images\]\""):
        read_picture(tmp_path / "a.png")
    with pytest.raises(MissingDependency, match="Writing pictures"):
        write_picture(COLOURS, tmp_path / "b.png")


def test_writing(tmp_path):
    """Law: what is written is read again; files are not replaced, nor written under other names."""
    write_picture(COLOURS, tmp_path / "a.png")
    assert np.array_equal(read_picture(tmp_path / "a.png").pixels, COLOURS)
    with pytest.raises(ExistingFile, match="exists"):
        write_picture(COLOURS, tmp_path / "a.png")
    write_picture(COLOURS[:, :, 0], tmp_path / "a.png", force=True)
    assert read_picture(tmp_path / "a.png").is_grey
    write_picture(COLOURS, tmp_path / "a.jpg")
    with pytest.raises(InvalidParameter, match="must end in one of"):
        write_picture(COLOURS, tmp_path / "a.docx")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.jpg", "a.png"]


def test_colour_spaces():
    """Law: CIELAB is scikit-image's; OKLab has its published values; every colour comes back from each."""
    from skimage.color import rgb2lab

    ends = np.vstack(
        [np.eye(3, dtype=np.uint8) * 255, np.zeros((1, 3), np.uint8), np.full((1, 3), 255, np.uint8)]
    )
    colours = np.vstack([COLOURS.reshape(-1, 3), ends])
    assert np.abs(to_space(colours, "cielab") - rgb2lab(colours / 255)).max() < 0.01
    published = {  # B. Ottosson: A perceptual color space for image processing (2020), and CSS Color 4
        (255, 0, 0): (0.62796, 0.22486, 0.12585),
        (0, 255, 0): (0.86644, -0.23389, 0.17950),
        (0, 0, 255): (0.45201, -0.03246, -0.31153),
        (255, 255, 255): (1, 0, 0),
    }
    for colour, place in published.items():
        assert np.abs(to_space(np.array([colour], np.uint8))[0] - place).max() < 2e-5
    steps = np.arange(0, 256, 15)
    lattice = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3).astype(np.uint8)
    for space in ("oklab", "cielab", "rgb"):
        assert np.array_equal(from_space(to_space(lattice, space), space), lattice)
    with pytest.raises(InvalidParameter, match='must be one of "oklab", "cielab", "rgb", got'):
        to_space(colours, "hsv")


def test_errors_and_borders():
    """Law: the PSNR is that of its formula; borders are where neighbours differ; means are means."""
    other = np.clip(COLOURS.astype(int) + 3, 0, 255).astype(np.uint8)
    error = ((COLOURS.astype(float) - other) ** 2).mean()
    assert psnr(COLOURS, other) == pytest.approx(10 * np.log10(255**2 / error))
    assert psnr(COLOURS, COLOURS) == np.inf
    labels = RNG.integers(0, 3, (6, 9))
    slow = [
        [
            (x > 0 and labels[y, x] != labels[y, x - 1]) or (y > 0 and labels[y, x] != labels[y - 1, x])
            for x in range(9)
        ]
        for y in range(6)
    ]
    assert find_boundaries(labels).tolist() == slow
    drawn = draw_boundaries(COLOURS, labels, colour=(1, 2, 3))
    assert np.array_equal(drawn[~np.array(slow)], COLOURS[~np.array(slow)])
    assert (drawn[np.array(slow)] == (1, 2, 3)).all()
    wide = draw_boundaries(COLOURS, labels, width=3)
    assert ((wide == (255, 214, 10)).all(axis=2) >= np.array(slow)).all()
    means = mean_colours(COLOURS / 255, labels)
    assert np.allclose(means[labels == 1], (COLOURS[labels == 1] / 255).mean(axis=0))
    with pytest.raises(InvalidData, match="the shape of the picture"):
        draw_boundaries(COLOURS, labels[:3])


def test_damage_is_told_in_our_words(tmp_path):
    """Law: numbers in a header that are none are told in our words, not in those of Python."""
    path = tmp_path / "a.ppm"
    path.write_bytes(b"P5 3 x2 255\n" + bytes(6))
    with pytest.raises(InvalidFile, match=r"a damaged or cut-off picture|not a picture") as told:
        read_picture(path)
    assert "literal" not in str(told.value)
