"""Generated sets of the kinds that automatic clustering gets wrong, for rates.

Each kind is drawn anew from a seed: numbers of rows, groups and columns, distances, spreads and directions
vary. What `coterie.fit` is tuned on are other draws than those it is scored on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from benchmarks.auto_sets import Sets, centres_apart

Rows: TypeAlias = tuple[Any, Any]  # rows, and the group of each; -1 is noise


def touching_clouds(rng: Any) -> Rows:
    """Return normal clouds of one spread, so near that they overlap, on a grid or anywhere."""
    d, apart = int(rng.choice([2, 2, 3])), rng.uniform(3.2, 4.6)
    if rng.random() < 0.5:
        centres = np.array(np.meshgrid(*[[0.0, 1.0]] * d)).reshape(d, -1).T[: 2**d] * apart
    else:
        centres = centres_apart(rng, int(rng.integers(3, 6)), d, apart)
    return _clouds(rng, centres, int(rng.integers(60, 250)))


def overlapping_ellipses(rng: Any) -> Rows:
    """Return long normal clouds in a few columns that overlap at their sides, as species of flowers do."""
    d, k = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    centres = centres_apart(rng, k, d, rng.uniform(3.5, 5.0))
    shape = np.linalg.qr(rng.normal(size=(d, d)))[0] * rng.uniform(0.4, 1.6, d)
    n = int(rng.integers(50, 150))
    X = np.concatenate([centre + rng.normal(size=(n, d)) @ shape for centre in centres])
    return X, np.repeat(np.arange(k), n)


def rings(rng: Any) -> Rows:
    """Return rings about a cloud or about each other, or linked, or a ball within a shell."""
    n, noise = int(rng.integers(150, 500)), rng.uniform(0.02, 0.08)
    kind = int(rng.integers(4))
    if kind == 0:
        return _join(_ring(rng, 2 * n, 3.0, noise * 3), rng.normal(0, rng.uniform(0.3, 0.6), (n, 2)))
    if kind == 1:
        radii = np.cumsum(rng.uniform(1.0, 1.6, int(rng.integers(2, 4))))
        return _join(*(_ring(rng, int(n * radius), radius, noise) for radius in radii))
    if kind == 2:
        flat = np.c_[_ring(rng, n, 1.0, noise), noise * rng.normal(size=n)]
        upright = np.c_[_ring(rng, n, 1.0, noise), noise * rng.normal(size=n)][:, [0, 2, 1]]
        return _join(flat, upright + np.array([1.0, 0.0, 0.0]))
    shell = rng.normal(size=(n, 3))
    shell *= (4.0 + 0.2 * rng.normal(size=(n, 1))) / np.linalg.norm(shell, axis=1, keepdims=True)
    return _join(rng.normal(0, rng.uniform(0.3, 0.7), (n, 3)), shell)


def lines(rng: Any) -> Rows:
    """Return straight lines side by side, end to end or about a corner, thin and long."""
    k, n, noise = int(rng.integers(2, 5)), int(rng.integers(80, 250)), rng.uniform(0.03, 0.1)
    found, angle = [], rng.uniform(0, np.pi)
    for at in range(k):
        along = rng.uniform(-3, 3, n)
        turn = angle + (rng.uniform(-0.15, 0.15) if k > 2 else 0.0)
        axis, across = (
            np.array([np.cos(turn), np.sin(turn)]),
            np.array([-np.sin(angle), np.cos(angle)]),
        )
        start = across * at * rng.uniform(1.0, 1.6) + axis * rng.uniform(-1, 1)
        found.append(start + along[:, None] * axis + noise * rng.normal(size=(n, 2)))
    return _join(*found)


def trajectories(rng: Any) -> Rows:
    """Return long wound curves in two or three columns, unevenly dense along their way."""
    d, k = int(rng.integers(2, 4)), int(rng.integers(2, 5))
    found = []
    for at in range(k):
        n = int(rng.integers(150, 350))
        t = np.sort(rng.beta(*rng.uniform(0.7, 1.5, 2), n))
        waves = rng.uniform(0.5, 1.2, d - 1), rng.uniform(1, 2.5, d - 1), rng.uniform(0, 6, d - 1)
        curve = np.c_[10 * t, *(a * np.sin(w * 2 * np.pi * t + p) for a, w, p in zip(*waves, strict=True))]
        curve[:, 1] += at * 3.2
        found.append(curve + 0.08 * rng.normal(size=curve.shape))
    return _join(*found)


def densities(rng: Any) -> Rows:
    """Return three clouds in a row, dense ones beside sparse ones."""
    n, spreads = int(rng.integers(100, 300)), rng.choice([0.3, 0.5, 1.0, 1.6], 3, replace=False)
    gaps = spreads[:-1] + spreads[1:]
    places = np.r_[0.0, np.cumsum(gaps) * rng.uniform(2.4, 3.0)]
    return _join(*([at, 0.0] + s * rng.normal(size=(n, 2)) for at, s in zip(places, spreads, strict=True)))


def dense_spot(rng: Any) -> Rows:
    """Return a dense cloud within a sparse background, which no valley divides from it."""
    n, place = int(rng.integers(100, 300)), rng.uniform(-2, 2, 2)
    broad = rng.uniform(-5, 5, (n, 2))
    broad = broad[np.linalg.norm(broad - place, axis=1) > 1.0]
    return _join(broad, place + rng.normal(0, 0.25, (2 * n, 2)))


def few_rows(rng: Any) -> Rows:
    """Return three to five plain clouds of 8 to 40 rows each."""
    d, k = int(rng.integers(2, 6)), int(rng.integers(3, 6))
    return _clouds(rng, centres_apart(rng, k, d, rng.uniform(5.5, 8.0)), int(rng.integers(8, 40)))


def noisy(rng: Any) -> Rows:
    """Return clouds with a tenth of the rows spread over everything."""
    k = int(rng.integers(3, 9))
    X, y = _clouds(rng, centres_apart(rng, k, 2, rng.uniform(6.5, 9.0)), int(rng.integers(60, 180)))
    low, high = X.min(axis=0) - 2, X.max(axis=0) + 2
    stray = rng.uniform(low, high, (len(X) // 10, 2))
    return np.concatenate([X, stray]), np.r_[y, np.full(len(stray), -1)]


def elongated(rng: Any) -> Rows:
    """Return many long groups, each in its own direction."""
    k, n = int(rng.integers(6, 14)), int(rng.integers(40, 120))
    centres = centres_apart(rng, k, 2, 8.0)
    found = []
    for centre in centres:
        angle, ratio = rng.uniform(0, np.pi), rng.uniform(2.5, 5.0)
        turned = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        found.append(centre + rng.normal(size=(n, 2)) * [1.6, 1.6 / ratio] @ turned)
    return _join(*found)


def many(rng: Any) -> Rows:
    """Return fifteen to forty clouds."""
    k = int(rng.integers(15, 41))
    return _clouds(rng, centres_apart(rng, k, 2, rng.uniform(5.0, 6.5)), int(rng.integers(25, 70)))


def wide(rng: Any) -> Rows:
    """Return clouds in 15 to 80 columns, some of which say nothing."""
    d, k = int(rng.integers(15, 80)), int(rng.integers(2, 8))
    X, y = _clouds(rng, centres_apart(rng, k, d, rng.uniform(5.5, 7.5)), int(rng.integers(40, 150)))
    return np.c_[X, rng.normal(size=(len(X), d // 4))], y


def mixed_shapes(rng: Any) -> Rows:
    """Return crescents, boxes, rings, clouds and bars on one plane, apart."""
    k = int(rng.integers(3, 8))
    found = []
    for centre in centres_apart(rng, k, 2, 4.2):
        n = int(rng.integers(80, 300))
        shape = rng.choice(["cloud", "box", "ring", "bar", "crescent"])
        found.append(centre + _shape(rng, str(shape), n))
    return _join(*found)


def spirals(rng: Any) -> Rows:
    """Return two or three arms of a spiral, or moons about each other."""
    k, n = int(rng.integers(2, 4)), int(rng.integers(100, 300))
    if rng.random() < 0.4:
        upper, lower = rng.uniform(0, np.pi, (2, n))
        one, other = np.c_[np.cos(upper), np.sin(upper)], np.c_[1 - np.cos(lower), 0.5 - np.sin(lower)]
        return _join(*(arc + rng.uniform(0.05, 0.1) * rng.normal(size=(n, 2)) for arc in (one, other)))
    arms = []
    for at in range(k):
        t = np.sqrt(rng.uniform(0.08, 1.0, n)) * 2.2 * np.pi
        turn = t + at * 2 * np.pi / k
        arms.append(np.c_[t * np.cos(turn), t * np.sin(turn)] + 0.18 * rng.normal(size=(n, 2)))
    return _join(*arms)


def hierarchy(rng: Any) -> Rows:
    """Return three groups of two to four groups each; the finer level is the truth."""
    found, parents = [], centres_apart(rng, 3, 2, 26.0)
    n = int(rng.integers(40, 120))
    for parent in parents:
        found += list(parent + centres_apart(rng, int(rng.integers(2, 5)), 2, 6.5))
    return _clouds(rng, np.array(found), n)


def table(rng: Any) -> Rows:
    """Return groups of customers: columns in other units, skewed, some of them telling nothing."""
    k, n = int(rng.integers(3, 6)), int(rng.integers(80, 250))
    X, y = _clouds(rng, centres_apart(rng, k, 3, rng.uniform(4.8, 6.5)), n)
    X = np.c_[X, rng.normal(size=(len(X), 2))]
    X[:, 0] = np.exp(0.25 * X[:, 0])
    return X * 10 ** rng.uniform(-2, 3, X.shape[1]), y


def crossing_lines(rng: Any) -> Rows:
    """Return two or three thin lines through one place, at large angles; each line is a group."""
    k, n, noise = int(rng.integers(2, 4)), int(rng.integers(100, 250)), rng.uniform(0.02, 0.06)
    found, first = [], rng.uniform(0, np.pi)
    for at in range(k):
        turn = first + at * np.pi / k
        axis = np.array([np.cos(turn), np.sin(turn)])
        along = rng.uniform(-3, 3, n)
        found.append(along[:, None] * axis + noise * rng.normal(size=(n, 2)))
    return _join(*found)


def dominant_direction(rng: Any) -> Rows:
    """Return groups in a table most of whose variance is along one direction, which tells nothing of them."""
    d, k = int(rng.integers(4, 8)), int(rng.integers(4, 8))
    X, y = _clouds(rng, centres_apart(rng, k, d, rng.uniform(6.0, 8.0)), int(rng.integers(40, 120)))
    axis = rng.normal(size=d)
    axis /= np.linalg.norm(axis)
    return X + rng.normal(0, 2 * np.sqrt(X.var(axis=0).sum()), (len(X), 1)) * axis, y


def few_samples(rng: Any) -> Rows:
    """Return two to four groups of 8 to 25 rows, apart in a fifth of hundreds of columns."""
    d, k, n = int(rng.integers(100, 1000)), int(rng.integers(2, 5)), int(rng.integers(8, 25))
    centres = rng.normal(size=(k, d)) * (rng.random(d) < 0.2) * rng.uniform(1.2, 2.0)
    shared = rng.normal(size=(k * n, 3)) @ rng.normal(size=(3, d)) * 0.3  # what groups have in common
    y = np.repeat(np.arange(k), n)
    return centres[y] + shared + rng.normal(size=(k * n, d)), y


KINDS: dict[str, Callable[[Any], Rows]] = {
    make.__name__.replace("_", " "): make
    for make in (
        touching_clouds,
        overlapping_ellipses,
        rings,
        lines,
        trajectories,
        densities,
        dense_spot,
        few_rows,
        noisy,
        elongated,
        many,
        wide,
        mixed_shapes,
        spirals,
        hierarchy,
        table,
        crossing_lines,
        dominant_direction,
        few_samples,
    )
}


def _clouds(rng: Any, centres: Any, n: int) -> Rows:
    sizes = np.maximum((n * rng.uniform(0.6, 1.4, len(centres))).astype(int), 6)
    return _join(*(c + rng.normal(size=(size, len(c))) for c, size in zip(centres, sizes, strict=True)))


def _join(*groups: Any) -> Rows:
    return np.concatenate(groups), np.repeat(np.arange(len(groups)), [len(own) for own in groups])


def _ring(rng: Any, n: int, radius: float, noise: float) -> Any:
    turn = rng.uniform(0, 2 * np.pi, n)
    return np.c_[np.cos(turn), np.sin(turn)] * radius + noise * rng.normal(size=(n, 2))


def _shape(rng: Any, shape: str, n: int) -> Any:
    angle = rng.uniform(0, 2 * np.pi)
    turned = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    if shape == "cloud":
        return 0.45 * rng.normal(size=(n, 2))
    if shape == "box":
        return rng.uniform(-1, 1, (n, 2)) @ turned
    if shape == "ring":
        return _ring(rng, n, 1.2, 0.08)
    if shape == "bar":
        return np.c_[rng.uniform(-1.5, 1.5, n), 0.12 * rng.normal(size=n)] @ turned
    half = rng.uniform(0, np.pi, n)
    return np.c_[1.3 * np.cos(half), 1.3 * np.sin(half) - 0.6] @ turned + 0.08 * rng.normal(size=(n, 2))


def kinds(seed: int, n_each: int = 4) -> Sets:
    """Yield sets of each kind."""
    for at, (kind, make) in enumerate(KINDS.items()):
        for draw in range(n_each):
            yield f"{kind} {draw + 1}", *make(np.random.default_rng([seed, at, draw]))
