"""Colour quantisation: k-means of colours, weighed by their pixels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from PIL import Image

from benchmarks.scenes import make_scene
from coterie import _core
from coterie.cluster import KMeans
from coterie.errors import ExistingFile, InvalidData, InvalidParameter
from coterie.image import quantisation as module
from coterie.image import quantise, to_space

PICTURE, TRUTH = make_scene(3, 60, 80)
SMALL = st.one_of(
    array_shapes(min_dims=2, max_dims=2, max_side=6),
    st.tuples(st.integers(1, 6), st.integers(1, 6), st.sampled_from([3, 4])),
)


@given(arrays(np.uint8, SMALL), st.integers(1, 9), st.sampled_from(["cielab", "oklab", "rgb"]), st.booleans())
@settings(max_examples=60, deadline=None)
def test_laws(image, k, space, dither):
    """Law: at most k colours, labels that point at them, shares that sum to 1, the shape of the input."""
    if image.ndim == 3 and image.shape[2] == 4 and not image[:, :, 3].any():
        with pytest.raises(InvalidData, match="every pixel is transparent"):
            quantise(image, k, space=space, dither=dither)
        return
    found = quantise(image, k, space=space, dither=dither)
    assert found.k == len(found.palette) == len(found.hex) <= k
    assert found.labels.shape == image.shape[:2]
    assert 0 <= found.labels.min() <= found.labels.max() < found.k
    assert found.shares.sum() == pytest.approx(1)
    assert (np.diff(found.shares) <= 1e-12).all()
    assert found.image.shape == image.shape
    if image.ndim == 3 and image.shape[2] == 4:
        assert np.array_equal(found.image[:, :, 3], image[:, :, 3])
    if not dither and found.n_colours <= k and image.shape[2:] != (4,):
        assert np.array_equal(found.image, image)
        assert found.psnr == np.inf


def test_every_pixel_has_the_nearest_colour():
    """Law: without dithering every pixel takes the colour of the palette that is nearest in the space."""
    for space in ("cielab", "oklab", "rgb"):
        found = quantise(PICTURE, 7, space=space)
        apart = ((to_space(PICTURE, space)[:, :, None] - to_space(found.palette, space)) ** 2).sum(axis=3)
        own = np.take_along_axis(apart, found.labels[:, :, None], axis=2)[:, :, 0]
        assert (own <= apart.min(axis=2) + 1e-12).all()


def test_weights_are_pixels():
    """Law: colours weighed by pixels are k-means of all pixels, with no larger error than scikit-learn's."""
    from sklearn.cluster import KMeans as Peer

    rows = PICTURE.reshape(-1, 3) / 255
    found = quantise(PICTURE, 8, space="rgb")
    own = ((rows - found.palette[found.labels.ravel()] / 255) ** 2).sum()
    peer = Peer(8, n_init=3, random_state=0).fit(rows).inertia_
    assert own <= 1.02 * peer
    colours, weights, index = map(np.asarray, _core.count_colours(PICTURE.reshape(-1, 3), None, 1))
    expected, inverse, counts = np.unique(
        PICTURE.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    assert np.array_equal(colours, expected)
    assert np.array_equal(weights, counts)
    assert np.array_equal(index, inverse.ravel())


def test_many_colours_are_joined(monkeypatch):
    """Law: joining near colours first costs little: the error is within 2 % of that of all colours."""
    whole = quantise(PICTURE, 12)
    monkeypatch.setattr(module, "MOST_COLOURS", 100)
    assert quantise(PICTURE, 12).psnr == pytest.approx(whole.psnr, abs=0.3)


@pytest.mark.parametrize("space", ["rgb", "cielab"])
def test_a_search_among_cells_finds_what_a_search_among_colours_finds(monkeypatch, space):
    """Law: the palette of a photo is as good as the best of scikit-learn's ten starts, within 2 %."""
    from sklearn.cluster import KMeans as Peer
    from sklearn.datasets import load_sample_image

    photo = load_sample_image("china.jpg")[::2, ::2].reshape(-1, 3)
    colours, weights, _ = map(np.asarray, _core.count_colours(np.ascontiguousarray(photo), None, 1))
    points = to_space(colours[None], space)[0]
    searched = []
    real = module._joined
    monkeypatch.setattr(module, "_joined", lambda *given: searched.append(real(*given)) or searched[-1])
    centres = module._fit_colours(points, colours, weights, 8, 0)
    assert len(searched[-1][0]) < len(colours) / 4  # cells, many fewer than colours
    assert searched[-1][1].sum() == len(photo)
    apart = ((points[:, None] - centres) ** 2).sum(axis=2).min(axis=1) @ weights
    peer = Peer(8, n_init=10, random_state=0).fit(points, sample_weight=weights).inertia_
    assert apart <= 1.02 * peer


def test_alpha_does_not_count():
    """Law: what cannot be seen gives no colour, and half of what is seen by half counts by half."""
    image = np.zeros((2, 4, 4), np.uint8)
    image[:, :2] = (250, 0, 0, 255)
    image[:, 2] = (0, 0, 250, 85)
    image[:, 3] = (0, 250, 0, 0)
    found = quantise(image, 5)
    assert found.n_colours == 2
    assert found.hex == ("#fa0000", "#0000fa")
    assert found.shares.tolist() == pytest.approx([6 / 7, 1 / 7])
    assert found.notes == ("the image has 2 colours, fewer than 5: all are kept",)
    assert found.psnr == np.inf


def test_dithering_keeps_the_light():
    """Law: error diffusion keeps the mean light of a smooth ramp better, by the palette's colours alone."""
    ramp = np.tile(np.linspace(0, 255, 64).astype(np.uint8), (48, 1))
    plain, dithered = quantise(ramp, 3), quantise(ramp, 3, dither=True)
    light = np.asarray(_core.lights(np.arange(256) / 255))
    blocks = [
        light[each].reshape(6, 8, 8, 8).mean(axis=(1, 3)) for each in (ramp, plain.image, dithered.image)
    ]
    apart = [np.abs(each - blocks[0])[:, 1:-1].mean() for each in blocks]  # the ends are beyond the palette
    assert apart[2] < 0.2 * apart[1]
    assert set(np.unique(dithered.image)) <= set(np.unique(dithered.palette))
    assert dithered.psnr < plain.psnr


def test_diffusion_is_floyd_and_steinberg():
    """Law: the engine's diffusion is that of a slow loop over pixels, row by row to and fro."""
    picture, palette = PICTURE[:9, :13], quantise(PICTURE, 5, space="rgb").palette
    values, wanted = picture / 255, np.zeros(picture.shape[:2], int)
    rows, columns = wanted.shape
    for y in range(rows):
        step = 1 if y % 2 == 0 else -1
        for x in range(columns)[::step]:
            own = np.clip(values[y, x], 0, 1)
            wanted[y, x] = ((palette / 255 - own) ** 2).sum(axis=1).argmin()
            error = own - palette[wanted[y, x]] / 255
            for dx, dy, share in ((step, 0, 7), (-step, 1, 3), (0, 1, 5), (step, 1, 1)):
                if 0 <= x + dx < columns and y + dy < rows:
                    values[y + dy, x + dx] += share / 16 * error
    pixels = np.ascontiguousarray(picture.reshape(-1, 3))
    assert np.array_equal(_core.diffuse_errors(pixels, columns, palette, _core.ColourSpace.rgb), wanted)


def test_same_answer_for_any_threads():
    """Law: threads change nothing, nor does asking again."""
    one, two = quantise(PICTURE, 9, n_jobs=1), quantise(PICTURE, 9, n_jobs=3)
    assert np.array_equal(one.labels, two.labels)
    assert np.array_equal(one.palette, two.palette)


def test_files_of_palettes(tmp_path):
    """Law: a saved picture has the colours, as a palette where that is possible; nothing is replaced."""
    found = quantise(PICTURE, 6)
    found.save(tmp_path / "a.png")
    with Image.open(tmp_path / "a.png") as image:
        assert image.mode == "P"
        assert np.array_equal(np.asarray(image.convert("RGB")), found.image)
    with pytest.raises(ExistingFile):
        found.save(tmp_path / "a.png")
    many = quantise(PICTURE, 300)
    many.save(tmp_path / "b.png")
    with Image.open(tmp_path / "b.png") as image:
        assert np.array_equal(np.asarray(image), many.image)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"k": 0}, "k of quantise must be a whole number"),
        ({"k": 2.5}, "k of quantise must be a whole number"),
        ({"k": "8"}, "k of quantise must be a whole number"),
        ({"space": "cmyk"}, "space of quantise must be one of"),
        ({"dither": "yes"}, "dither of quantise must be True or False"),
        ({"random_state": -1}, "random_state of quantise"),
        ({"n_jobs": 0}, "n_jobs must be"),
        ({"max_pixels": 0}, "max_pixels of quantise must be"),
    ],
)
def test_wrong_parameters(wrong, words):
    """Law: each parameter says what it takes and what it got."""
    with pytest.raises(InvalidParameter, match=words):
        quantise(PICTURE, **wrong)


def test_one_colour_and_one_pixel():
    """Law: pictures of one colour, and of one pixel, are themselves."""
    for image in (np.full((5, 7, 3), 9, np.uint8), np.array([[200]], np.uint8)):
        found = quantise(image, 1)
        assert np.array_equal(found.image, image)
        assert found.shares.tolist() == [1.0]
    assert quantise(PICTURE, np.int8(3)).k == 3  # a number of 8 bits is a number like any other
    assert KMeans(1).fit(to_space(PICTURE).reshape(-1, 3)).n_clusters == 1
