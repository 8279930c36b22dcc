"""Numbers on their way into JSON and into sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coterie._support.typing import VectorLike

Numbers: TypeAlias = tuple[float | None, ...]  # None where there is no number: JSON has no NaN
DIGITS = 4  # a picture of 1,000 pixels cannot show more
MOST_DECIMALS = 4  # of a column of a table


def rounded(values: VectorLike, digits: int = DIGITS) -> Numbers:
    """Return the values with so many significant digits of the largest one; None where not finite.

    Examples
    --------
    >>> rounded([0.123456, 7.0, float("nan")])
    (0.123, 7.0, None)
    """
    array = np.asarray(values, dtype=np.float64)
    finite = array[np.isfinite(array)]
    largest = float(np.abs(finite).max(initial=0.0))
    decimals = digits - 1 - math.floor(math.log10(largest)) if largest > 0 else 0
    return tuple(round(value, decimals) if math.isfinite(value) else None for value in array.tolist())


def plain(value: float, digits: int = 3) -> str:
    """Return a number as people write it.

    Examples
    --------
    >>> plain(19075.3), plain(0.034567), plain(-2.5), plain(3.0)
    ('19,075', '0.0346', '−2.5', '3')
    """
    if not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    if magnitude >= 12 or magnitude < -5:
        return f"{value:.{digits - 1}e}".replace("-", "−")
    decimals = max(0, digits - 1 - magnitude)
    text = f"{value:,.{decimals}f}".replace("-", "−")
    return text.rstrip("0").rstrip(".") if "." in text else text


def aligned(values: Sequence[float | None]) -> tuple[str, ...]:
    """Return the numbers of a column, all with the decimals of the one that has most.

    Examples
    --------
    >>> aligned([5.54, 4.3, None, -1.0]), aligned([0.0693, 0.0000417])
    (('5.54', '4.30', '–', '−1.00'), ('0.0693', '<0.0001'))
    """
    plainly = [plain(float("nan") if value is None else value) for value in values]
    if any("e" in text for text in plainly):
        return tuple(plainly)
    decimals = min(max((len(text.partition(".")[2]) for text in plainly), default=0), MOST_DECIMALS)
    least = 10.0**-decimals

    def written(value: float) -> str:
        return f"<{least:.{decimals}f}" if 0 < value < least / 2 else f"{value:,.{decimals}f}"

    return tuple(
        text if value is None or not math.isfinite(value) else written(value).replace("-", "−")
        for value, text in zip(values, plainly, strict=True)
    )


def signed(value: float) -> str:
    """Return a number of standard deviations with its sign, 0 without one.

    Examples
    --------
    >>> signed(1.26), signed(-0.5), signed(-0.01)
    ('+1.3', '−0.5', '0.0')
    """
    text = f"{value:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def percent(share: float) -> str:
    """Return a share in percent, never 0 % for something nor 100 % for less than all.

    Examples
    --------
    >>> percent(0.3064), percent(0.0002), percent(0.9999), percent(1.0)
    ('30.6 %', '< 0.1 %', '> 99.9 %', '100 %')
    >>> percent(0.07)
    '7.0 %'
    """
    if 0 < share < 0.001:
        return "< 0.1 %"
    if 0.999 < share < 1:
        return "> 99.9 %"
    return f"{100 * share:.0f} %" if share in (0, 1) else f"{100 * share:.1f} %"
