"""How much of a table fits on a page."""

from __future__ import annotations

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

    def smaller(self) -> Room:
        """Return half the room, for tables whose names alone are longer than usual.

        Examples
        --------
        >>> Room().smaller().rows
        2000
        """
        return Room(self.rows // 2, self.cells // 2, self.cards // 2)


USUAL = Room()
