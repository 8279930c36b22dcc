"""Small things that several plots draw: colours of labels, names that do not touch, words that stand out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.pipeline.groups import group_name
from coterie.show.palette import INK, LEAST_CONTRAST, color_of, contrast
from coterie.show.plots.drawing.canvas import drawing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.patheffects import AbstractPathEffect
    from matplotlib.typing import ColorType

LONGEST_NAME = 32
NOISE_LABEL = -1
POINTS_PER_INCH = 72
LINE_SPACING = 1.2
AMOUNTS = "Blues"  # colour map of amounts that are often 0, which is white


def plain(name: object, longest: int = LONGEST_NAME) -> str:
    r"""Return a name from the data on one line, not too long, and as text that is not taken for a formula.

    Examples
    --------
    >>> print(plain("cost $ and price $"))
    cost \$ and price \$
    >>> plain("the number of\nvisits of last year", 20)
    'the number of visit…'
    """
    text = " ".join(str(name).split())
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text.replace("$", r"\$")


def colors_of_labels(labels: Iterable[Any]) -> list[str]:
    """Return a colour per label: cluster i has the colour of cluster i, other names go by their place.

    Examples
    --------
    >>> colors_of_labels([-1, 0, 1]) == [color_of(-1), color_of(0), color_of(1)]
    True
    >>> colors_of_labels(["a", "b"]) == colors_of_labels([0, 1])
    True
    """
    names = list(labels)
    if all(isinstance(name, int | np.integer) for name in names):
        return [color_of(int(name)) for name in names]
    return [color_of(at) for at in range(len(names))]


def words_of_labels(
    labels: Iterable[Any],
    names: Sequence[str] | None = None,
    longest: int = LONGEST_NAME,
    *,
    is_short: bool = False,
) -> list[str]:
    """Return what to call each label, or the names of labels 0, 1, ... where these are given; -1 is noise.

    People count groups from 1, as in reports: label 0 is group 1. Labels that do not count from 0 were given
    by somebody and are names as they are. Where there is little room, the number is enough.

    Examples
    --------
    >>> words_of_labels([-1, 0, 1])
    ['noise', 'group 1', 'group 2']
    >>> words_of_labels([-1, 0], ["large"])
    ['noise', 'large']
    >>> words_of_labels([0, 1], is_short=True), words_of_labels([1, 2]), words_of_labels(["a", "b"])
    (['1', '2'], ['1', '2'], ['a', 'b'])
    """
    known = list(labels)
    if names is not None:
        words = [label if _is_noise(label) else names[label] for label in known]
    else:
        words = [group_name(label) for label in known] if count_from_0(known) else known
        if is_short:
            words = [str(word).removeprefix("group ") if not _is_noise(word) else word for word in words]
    return ["noise" if _is_noise(word) else plain(word, longest) for word in words]


def count_from_0(labels: Iterable[object]) -> bool:
    """Return whether labels are whole numbers that begin with 0, noise aside: those of a fitted model.

    Examples
    --------
    >>> count_from_0([-1, 0, 1]), count_from_0([1, 2]), count_from_0(["a"])
    (True, False, False)
    """
    known = list(labels)
    return all(isinstance(label, int | np.integer) and label >= -1 for label in known) and 0 in known


def names_that_fit(ax: Axes, places: Sequence[float], extent: float, points: float) -> list[int]:
    """Return which places along the y axis can be named in letters of so many points without touching.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> names_that_fit(axes_for(None), [0.0, 0.001, 0.5], 1.0, 9.0)
    [0, 2]
    """
    inches = ax.get_window_extent().height / ax.get_figure().dpi  # type: ignore[union-attr]  # has a figure
    least = extent * LINE_SPACING * points / (POINTS_PER_INCH * inches)
    shown: list[int] = []
    for at, place in enumerate(places):
        if not shown or place - places[shown[-1]] >= least:
            shown.append(at)
    return shown


def letters_on(color: ColorType) -> str:
    """Return the colour of letters that can be read on a colour: white on dark ones, black on middle ones.

    Examples
    --------
    >>> letters_on("#00204c"), letters_on("yellow")
    ('white', '#222222')
    """
    behind = drawing("colors").to_hex(color)
    if contrast(INK, behind) >= LEAST_CONTRAST:
        return INK
    return "white" if contrast("#ffffff", behind) >= LEAST_CONTRAST else "black"  # one of the two always can


def halo(width: float = 2.2) -> list[AbstractPathEffect]:
    """Return the path effects of a white rim, so that lines and letters stand out from any colour.

    Examples
    --------
    >>> len(halo())
    1
    """
    return [drawing("patheffects").withStroke(linewidth=width, foreground="white")]


def _is_noise(label: object) -> bool:
    return isinstance(label, int | np.integer) and label == NOISE_LABEL
