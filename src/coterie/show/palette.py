"""The colours of clusters: one set for every plot and for the report, stable per cluster.

The first eight are told apart with red-green blindness too. The other fifty-two were added one by one, each
as far as possible from those before it as people with full, protanopic and deuteranopic vision see them, and
from the grey of noise; markers change every ten clusters, for what colour alone no longer tells.
"""

from __future__ import annotations

from coterie._support.validation import Whole, check_parameter

# fmt: off
COLORS: tuple[str, ...] = (
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#882255", "#332288",
    "#7c7afe", "#4ae590", "#834e07", "#1842cf", "#b72187", "#2cdde6", "#791b01", "#62bd78",
    "#a05253", "#5459ef", "#3b95d9", "#dfc354", "#7727a4", "#28647e", "#e65860", "#db8126",
    "#144e34", "#710863", "#5278d4", "#739cfb", "#d194cb", "#768546", "#93d4bd", "#c039ba",
    "#a46e98", "#8ac3ff", "#e59760", "#a32d66", "#5c387f", "#f3929a", "#aa77c0", "#106931",
    "#c57d83", "#99449f", "#966976", "#cfabca", "#6b5cd3", "#5104a0", "#6db898", "#bd3233",
    "#c971dd", "#97c97b", "#2427bb", "#5ec9e1", "#af89c0", "#7341b5", "#659b90", "#ba580b",
    "#84370a", "#4abb54", "#ab519a", "#7f1c30",
)
# fmt: on
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
CLUSTERS_PER_MARKER = 10

NOISE_COLOR, NOISE_MARKER = "#b0b0b0", "."
INK, FAINT = "#222222", "#d0d0d0"  # text and lines; grids and what stands back
EMPHASIS = "#c1121f"  # the one thing to look at: a chosen k, a cut, an observed value
LEAST_CONTRAST = 4.5  # of small letters, by the Web Content Accessibility Guidelines
SEQUENTIAL, DIVERGING = "cividis", "RdBu_r"  # colour maps of amounts, and of what lies about zero


def cluster_colors(k: int) -> list[str]:
    """Return the colours of clusters 0 to k - 1; cluster i has the same colour whatever k is.

    Sixty are different, then they come again with other markers.

    Examples
    --------
    >>> cluster_colors(3)
    ['#0072b2', '#e69f00', '#009e73']
    """
    check_parameter(k, Whole(0), name="k", who="cluster_colors")
    return [color_of(label) for label in range(k)]


def cluster_markers(k: int) -> list[str]:
    """Return the markers of clusters 0 to k - 1: another one every ten clusters.

    Examples
    --------
    >>> cluster_markers(12)[8:]
    ['o', 'o', 's', 's']
    """
    check_parameter(k, Whole(0), name="k", who="cluster_markers")
    return [marker_of(label) for label in range(k)]


def color_of(label: int) -> str:
    """Return the colour of a label; below 0 stands noise, which is grey.

    Examples
    --------
    >>> color_of(0), color_of(-1)
    ('#0072b2', '#b0b0b0')
    """
    return COLORS[label % len(COLORS)] if label >= 0 else NOISE_COLOR


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21, as the Web Content Accessibility Guidelines define it.

    Examples
    --------
    >>> contrast("#ffffff", "#000000")
    21.0
    """
    bright, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


def letters_in(color: str) -> str:
    """Return a colour as letters on white can have it: the same hue, darker until it can be read.

    Examples
    --------
    >>> letters_in("#0072b2"), letters_in("#e69f00")
    ('#0072b2', '#9b6b00')
    """
    parts = _parts(color)
    while contrast(_hex(parts), "#ffffff") < LEAST_CONTRAST:
        parts = [0.97 * part for part in parts]
    return _hex(parts)


def _parts(color: str) -> list[float]:
    return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]


def _hex(parts: list[float]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)


def _luminance(color: str) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in _parts(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def marker_of(label: int) -> str:
    """Return the marker of a label; noise is a dot.

    Examples
    --------
    >>> marker_of(0), marker_of(10), marker_of(-1)
    ('o', 's', '.')
    """
    return MARKERS[label // CLUSTERS_PER_MARKER % len(MARKERS)] if label >= 0 else NOISE_MARKER
