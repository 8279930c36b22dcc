"""Where the lines of the small pictures go: numbers to coordinates, in a box that CSS stretches."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from coterie.show.report.facts import ChanceFacts, CurveFacts
from coterie.show.report.numbers import Numbers, plain

WIDTH, HEIGHT = 240.0, 96.0
MARGIN = 10.0
MOST_NAMED = 14  # numbers in a row that a phone has room for
NARROWEST = 0.15  # share of the picture below which the draws get an axis of their own
THINNEST = 3.0  # of a bar: less cannot be seen on a small screen


def named_every(n: int) -> int:
    """Return of how many numbers of groups one is written, so that they do not touch.

    Examples
    --------
    >>> named_every(14), named_every(70)
    (1, 5)
    """
    return max(1, math.ceil(n / MOST_NAMED))


@dataclass(frozen=True)
class Dot:
    """A value of a curve: where it is drawn, what it says."""

    x: float
    y: float
    k: int
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Spark:
    """A curve as dots and as the paths between those that follow each other."""

    dots: tuple[Dot, ...]
    paths: tuple[str, ...]


def spark(curve: CurveFacts, ks: tuple[int, ...]) -> Spark:
    """Return where a curve over numbers of groups goes.

    Examples
    --------
    >>> curve = CurveFacts("s", "silhouette", (None, 0.0, 1.0), None, 3, "largest")
    >>> [(dot.k, dot.y) for dot in spark(curve, (1, 2, 3)).dots]
    [(2, 86.0), (3, 10.0)]
    """
    errors = curve.errors or (None,) * len(ks)
    known = [
        (value, error or 0.0) for value, error in zip(curve.values, errors, strict=True) if value is not None
    ]
    low = min((value - error for value, error in known), default=0.0)
    high = max((value + error for value, error in known), default=1.0)
    dots: list[Dot | None] = []
    for at, (k, value, error) in enumerate(zip(ks, curve.values, errors, strict=True)):
        if value is None:
            dots.append(None)
            continue
        band = (None, None) if not error else (_up(value - error, low, high), _up(value + error, low, high))
        dots.append(Dot(place(at, len(ks)), _up(value, low, high), k, value, *band))
    return Spark(tuple(dot for dot in dots if dot), _paths(dots))


def place(at: int, n: int) -> float:
    """Return how far to the right the value number `at` of `n` is drawn."""
    return round(MARGIN + (WIDTH - 2 * MARGIN) * (at / (n - 1) if n > 1 else 0.5), 2)


def _up(value: float, low: float, high: float) -> float:
    share = (value - low) / (high - low) if high > low else 0.5
    return round(HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * share, 2)


def _paths(dots: list[Dot | None]) -> tuple[str, ...]:
    runs: list[list[Dot]] = [[]]
    for dot in dots:
        if dot is None:
            runs.append([])
        else:
            runs[-1].append(dot)
    return tuple("M" + " L".join(f"{dot.x:g} {dot.y:g}" for dot in run) for run in runs if len(run) > 1)


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram."""

    x: float
    y: float
    width: float
    height: float
    count: int


@dataclass(frozen=True)
class Histogram:
    """What chance gives as bars, and where the data stand; `gap` is where the axis is broken, if it is."""

    bars: tuple[Bar, ...]
    observed: float
    ticks: tuple[tuple[float, str], ...]
    gap: float | None = None


def histogram(chance: ChanceFacts) -> Histogram:
    """Return where the bars of the null distribution and the observed value go.

    Where the data stand so far away that the draws would be one bar, the axis between them is broken.
    """
    low = min(chance.edges[0], chance.observed)
    high = max(chance.edges[-1], chance.observed)
    whole, spread = high - low, chance.edges[-1] - chance.edges[0]
    if whole > 0 and 0 < spread < NARROWEST * whole:
        return _broken_histogram(chance)

    def right(value: float) -> float:
        share = (value - low) / whole if whole > 0 else 0.5
        return round(MARGIN + (WIDTH - 2 * MARGIN) * share, 2)

    edges, counts = _wide_enough(chance, (WIDTH - 2 * MARGIN) / whole if whole > 0 else 0.0)
    bars = _bars(edges, counts, right)
    return Histogram(bars, right(chance.observed), _ticks(((right(low), low), (right(high), high))))


def _broken_histogram(chance: ChanceFacts) -> Histogram:
    """Return the draws on two thirds of the picture, and the data at its other end."""
    start, end = chance.edges[0], chance.edges[-1]
    is_above = chance.observed > end
    room = 2 / 3 * (WIDTH - 2 * MARGIN)
    left = MARGIN if is_above else WIDTH - MARGIN - room

    def right(value: float) -> float:
        return round(left + room * (value - start) / (end - start), 2)

    at = WIDTH - MARGIN if is_above else MARGIN
    near = right(end) if is_above else right(start)
    edges, counts = _wide_enough(chance, room / (end - start))
    ticks = _ticks(sorted(((right(start), start), (right(end), end), (at, chance.observed))))
    return Histogram(_bars(edges, counts, right), at, ticks, round((at + near) / 2, 2))


def _ticks(places: Sequence[tuple[float, float]]) -> tuple[tuple[float, str], ...]:
    """Return the places with their numbers, of as many digits as tell them apart.

    Examples
    --------
    >>> _ticks([(10.0, -147.0), (170.0, -146.96), (230.0, 123.4)])
    ((10.0, '−147'), (170.0, '−146.96'), (230.0, '123.4'))
    """
    for digits in range(3, 8):
        texts = [plain(value, digits) for _, value in places]
        if len(set(texts)) == len(texts):
            break
    return tuple((x, text) for (x, _), text in zip(places, texts, strict=True))


def _bars(edges: Sequence[float], counts: Sequence[int], right: Callable[[float], float]) -> tuple[Bar, ...]:
    most = max(counts, default=1) or 1
    return tuple(
        Bar(
            right(start),
            round(HEIGHT - 76 * n / most, 2),
            round(max(right(end) - right(start) - 0.5, 0.5), 2),
            round(76 * n / most, 2),
            n,
        )
        for start, end, n in zip(edges[:-1], edges[1:], counts, strict=True)
        if n
    )


def _wide_enough(chance: ChanceFacts, scale: float) -> tuple[list[float], list[int]]:
    """Return edges and counts of bars that can be seen: neighbours are joined where bars would be hairs."""
    width = (chance.edges[-1] - chance.edges[0]) * scale / max(1, len(chance.counts))
    n_joined = min(len(chance.counts), math.ceil(THINNEST / width)) if width > 0 else 1
    starts = range(0, len(chance.counts), n_joined)
    counts = [sum(chance.counts[start : start + n_joined]) for start in starts]
    return [*(chance.edges[start] for start in starts), chance.edges[-1]], counts


def least_and_most(values: Numbers) -> tuple[float, float]:
    """Return the ends of the values that are numbers."""
    known = [value for value in values if value is not None]
    return (min(known), max(known)) if known else (0.0, 0.0)
