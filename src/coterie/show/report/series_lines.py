"""Time series of a group as lines for its card: some of its members, and the one in their middle."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Labels
from coterie.series import resample
from coterie.show.report.facts import LinesFacts

WIDTH, HEIGHT, MARGIN = 240.0, 72.0, 3.0
MOST_LINES = 16
MOST_POINTS = 60
OUTSIDE = 0.002  # share of the values at either end that the picture may cut


def card_lines(rows: Any, labels: Labels, group: int, name: str = "") -> LinesFacts:
    """Return the lines of a group: up to 16 members, spread over the group, and its medoid.

    Parameters
    ----------
    rows : SeriesRows
        The series and their distances.
    labels : array of int
        Groups of all series.
    group : int
        Which one.
    name : str
        What the medoid is called.
    """
    members = np.flatnonzero(np.asarray(labels) == group)
    shown = members[np.unique(np.linspace(0, len(members) - 1, min(MOST_LINES, len(members))).astype(int))]
    longest = int(rows.series.lengths.max())
    low, high = np.quantile(rows.series.values, [OUTSIDE, 1 - OUTSIDE])

    def drawn(at: int) -> tuple[str, ...]:
        return _paths(rows.series[int(at)], longest, float(low), float(high))

    return LinesFacts(
        members=tuple(path for at in shown for path in drawn(at)),
        middle=drawn(rows.medoid(labels, group)),
        name=name,
    )


def _paths(one: FloatArray, longest: int, low: float, high: float) -> tuple[str, ...]:
    """Return the line of each column of a series; a shorter series ends earlier."""
    width = (WIDTH - 2 * MARGIN) * (len(one) - 1) / max(1, longest - 1)
    points = resample([one], min(len(one), MOST_POINTS)).values
    across = MARGIN + np.linspace(0, width, len(points))
    shares = np.clip((points - low) / (high - low if high > low else 1.0), 0, 1)
    up = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * shares
    return tuple(
        "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in zip(across, column, strict=True)) for column in up.T
    )
