"""How much of a table fits on a page."""

from __future__ import annotations

import math
from dataclasses import dataclass

MOST_BYTES = 8_000_000  # what a page may weigh, plotly's 4.8 MB included


@dataclass(frozen=True)
class Room:
    """What a page may hold.

    Parameters
    ----------
    rows : int
        Rows; of a larger table a sample.
    cells : int
        Values of these rows.
    cards : int
        Cards of groups at the stops of the slider other than the chosen one.
    """

    rows: int = 4_000
    cells: int = 60_000
    cards: int = 260

    def smaller(self, excess: float) -> Room:
        """Return a half of the room, or a fourth ... for tables whose names alone are longer than usual.

        Parameters
        ----------
        excess : float
            How many times too much the page holds.

        Examples
        --------
        >>> Room().smaller(1.2).rows, Room().smaller(2.5).rows
        (2000, 1000)
        """
        part = 2 ** max(1, math.ceil(math.log2(excess)))
        return Room(self.rows // part, self.cells // part, self.cards // part)


USUAL = Room()
