"""The plane on which rows with any number of columns are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coterie._support.typing import FloatArray
from coterie.show.layout.planes import GOLDEN, Components, principal_components
from coterie.show.plots.drawing.canvas import tidy
from coterie.show.plots.drawing.marks import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Plane(NamedTuple):
    """Where rows are drawn: in two columns, on the first two components, or along the only column."""

    places: FloatArray
    words: tuple[str, str]
    components: Components | None

    def project(self, rows: FloatArray) -> FloatArray:
        """Return the places of other rows of the same columns, such as centres."""
        if self.components is not None:
            return self.components.project(rows)
        return rows if rows.shape[1] == 2 else np.column_stack([rows[:, 0], np.zeros(len(rows))])

    def lift(self, places: FloatArray) -> FloatArray:
        """Return rows of the data's columns that are drawn at these places: those on the plane itself."""
        if self.components is not None:
            found = self.components
            return (places @ found.axes.T) * found.scale + found.center
        return places if self.words[1] else places[:, :1]


def plane_of(rows: FloatArray, names: list[str] | None) -> Plane:
    """Return the plane on which rows with any number of columns are drawn.

    Examples
    --------
    >>> plane_of(np.zeros((3, 2)), ["age", "income"]).words
    ('age', 'income')
    >>> plane_of(np.arange(6.0).reshape(2, 3), None).words
    ('component 1 (100.0 %)', 'component 2 (0.0 %)')
    """
    if rows.shape[1] == 2:
        known = [plain(name) for name in names or ("column 0", "column 1")]
        return Plane(rows, (known[0], known[1]), None)
    if rows.shape[1] == 1:
        spread = (np.arange(len(rows)) * GOLDEN) % 1.0 - 0.5
        return Plane(np.column_stack([rows[:, 0], spread]), (plain((names or ["column 0"])[0]), ""), None)
    found = principal_components(rows, standardise=False)
    across, up = (f"component {i + 1} ({100 * found.shares[i]:.1f} %)" for i in range(2))
    return Plane(found.places, (across, up), found)


def label_plane(ax: Axes, plane: Plane, title: str) -> None:
    """Set the title and the names of the axes; one column has no second axis.

    Examples
    --------
    >>> from coterie.show.plots.drawing.canvas import axes_for
    >>> ax = axes_for(None)
    >>> label_plane(ax, plane_of(np.zeros((3, 1)), ["age"]), "3 rows")
    >>> ax.get_xlabel(), ax.get_yticks().size
    ('age', 0)
    """
    tidy(ax, title=title, x=plane.words[0], y=plane.words[1])
    if not plane.words[1]:
        ax.set_yticks([])
