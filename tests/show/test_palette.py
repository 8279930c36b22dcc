"""The colours of clusters: stable, told apart, also with red-green blindness."""

import numpy as np
import pytest

from coterie.errors import InvalidParameter
from coterie.show.palette import (
    COLORS,
    NOISE_COLOR,
    cluster_colors,
    cluster_markers,
    color_of,
    contrast,
    letters_in,
    marker_of,
)

# Machado, Oliveira and Fernandes 2009, severity 1
PROTANOPIA = [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
]
DEUTERANOPIA = [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
]
VISIONS = {"full": np.eye(3), "protanopia": np.array(PROTANOPIA), "deuteranopia": np.array(DEUTERANOPIA)}


def lab(colors, vision):
    """Return OKLab coordinates (Ottosson 2020) of colours as this vision sees them."""
    rgb = np.array([[int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)] for color in colors])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(linear @ VISIONS[vision].T, 0, 1)
    to_cones = [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
    to_lab = [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
    return np.cbrt(seen @ np.array(to_cones).T) @ np.array(to_lab).T


def least_gap(colors, vision):
    places = lab(colors, vision)
    gaps = np.linalg.norm(places[:, None] - places[None], axis=2)
    return gaps[~np.eye(len(colors), dtype=bool)].min()


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize(("k", "gap"), [(8, 0.07), (20, 0.065), (60, 0.035)])
def test_colours_are_told_apart(vision, k, gap):
    """Law: any two of the first k colours differ enough for full, protanopic and deuteranopic vision.

    About 0.02 in OKLab is just noticeable.
    """
    assert least_gap(cluster_colors(k), vision) > gap


def test_a_cluster_keeps_its_colour():
    """Law: the colour of cluster i does not depend on how many there are."""
    assert cluster_colors(60)[:5] == cluster_colors(5)
    assert [color_of(label) for label in range(70)] == cluster_colors(70)


def test_sixty_clusters_differ_and_more_differ_by_marker():
    """Law: 60 colours are distinct; up to 420 clusters no two share both colour and marker."""
    assert len(set(COLORS)) == 60
    looks = list(zip(cluster_colors(420), cluster_markers(420), strict=True))
    assert len(set(looks)) == 420


def test_noise_is_grey_and_no_cluster_is():
    """Law: noise has one grey that no cluster comes near."""
    assert color_of(-1) == NOISE_COLOR
    assert marker_of(-1) == "."
    for vision in VISIONS:
        places = lab([NOISE_COLOR, *COLORS], vision)
        assert np.linalg.norm(places[1:] - places[0], axis=1).min() > 0.03


def test_a_negative_number_is_refused():
    """Law: a number of clusters is at least 0."""
    with pytest.raises(
        InvalidParameter, match=r"k of cluster_colors must be a whole number of at least 0, got -1"
    ):
        cluster_colors(-1)


def test_letters_in_any_colour_can_be_read_on_white():
    """Law: letters in a cluster's colour have a contrast of 4.5 or more; colours that have it stay."""
    for color in COLORS:
        assert contrast(letters_in(color), "#ffffff") >= 4.5
        assert (letters_in(color) == color) == (contrast(color, "#ffffff") >= 4.5)
