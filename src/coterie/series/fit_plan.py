"""What `coterie.fit` is told about time series: where they are in a table, and how they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from coterie._support.validation.parameters import is_whole
from coterie.data import AUTO
from coterie.errors import InvalidParameter, shown_in_shell
from coterie.series.catalogue import SeriesDistance, find_series_distance

ROWS = "rows"
WINDOW_SHARE = 0.1  # of the longest series: wider windows rarely help and take longer
NORMALISED = {"auto": "z", "standard": "z", "minmax": "range", "none": "none"}
NO_WINDOW = "none"


@dataclass(frozen=True)
class SeriesPlan:
    """Where series are in a table, and how they are compared."""

    # of a long table: id, time, and one or more columns of values. Empty: every row is a series
    columns: tuple[str, ...]
    distance: SeriesDistance  # with what it has been told; the window may still depend on the series
    window: int | str  # most steps in time between matched points, "auto" or "none"
    normalisation: str  # a name of `coterie.series.normalise`

    def settled(self, longest: int) -> SeriesDistance:
        """Return the distance with its window, for series of at most so many points."""
        if "window" not in {one.name for one in self.distance.parameters} or self.window == NO_WINDOW:
            return self.distance
        steps = max(1, round(WINDOW_SHARE * longest)) if self.window == AUTO else int(self.window)
        return find_series_distance(self.distance, window=steps)


def make_plan(series: Any, distance: Any, window: Any, scale: Any) -> SeriesPlan | None:
    """Return the plan, or None where no series are asked for."""
    if series is None:
        if window != AUTO:
            raise InvalidParameter("window of coterie.fit is for time series: add series=.").in_shell(
                "--window is for time series: add --series."
            )
        return None
    found = find_series_distance("dtw" if distance in (None, AUTO) else distance)
    if scale not in NORMALISED:
        raise InvalidParameter(
            f'scale of coterie.fit must be "standard", "minmax" or "none" for series, got {scale!r}.'
        ).in_shell(f"--scale must be standard, minmax or none with --series, got {shown_in_shell(scale)}.")
    return SeriesPlan(_columns(series), found, _window(window, found), NORMALISED[scale])


def _columns(series: Any) -> tuple[str, ...]:
    given = series.split(",") if isinstance(series, str) else series
    is_names = isinstance(given, Sequence) and all(isinstance(one, str) and one.strip() for one in given)
    names = tuple(one.strip() for one in given) if is_names else ()
    if names == (ROWS,):
        return ()
    if len(names) < 3 or len(set(names)) < len(names):
        raise InvalidParameter(
            "series of coterie.fit must name the columns of a long table, id, time and value (or several "
            f'values), or be "{ROWS}": every row is a series. Got {series!r}.'
        ).in_shell(
            "--series must be ID,TIME,VALUE, the columns of a long table (or several values), or rows: every "
            f"row is a series. Got {shown_in_shell(series)}."
        )
    return names


def _window(window: Any, distance: SeriesDistance) -> int | str:
    text = str(window).strip() if window is not None else NO_WINDOW
    if text in (AUTO, NO_WINDOW):
        return text
    takes = "window" in {one.name for one in distance.parameters}
    if not (is_whole(window) and window >= 0) and not (isinstance(window, str) and text.isdecimal()):
        raise InvalidParameter(
            f'window of coterie.fit must be a whole number from 0, "auto" or "none", got {window!r}.'
        ).in_shell(f"--window must be a whole number from 0, auto or none, got {shown_in_shell(window)}.")
    if not takes:
        raise InvalidParameter(f"the distance {distance.name} has no window: leave window out.").in_shell(
            f"the distance {distance.name} has no window: leave --window out."
        )
    return int(text)
