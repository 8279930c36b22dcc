"""Distances of time series as their definitions say: slow and obvious."""

import numpy as np


def points(one):
    """Return a series with its points in rows."""
    one = np.asarray(one, dtype=float)
    return one[:, None] if one.ndim == 1 else one


def band(i, n, m, window):
    """Return the columns that row i of the table may use."""
    if window is None:
        return range(m)
    low, high = i - window - max(0, n - m), i + window + max(0, m - n)
    return range(max(0, low), min(m, high + 1))


def dtw(x, y, window=None, begin=(0, 0), end=(0, 0)):
    """Return the DTW distance."""
    x, y = points(x), points(y)
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), np.inf)
    table[0, : begin[1] + 1] = 0
    table[: begin[0] + 1, 0] = 0
    for i in range(n):
        for j in band(i, n, m, window):
            cost = ((x[i] - y[j]) ** 2).sum()
            table[i + 1, j + 1] = cost + min(table[i, j], table[i, j + 1], table[i + 1, j])
    ends = [table[n, m]]
    ends += [table[i, m] for i in range(max(1, n - end[0]), n)]
    ends += [table[n, j] for j in range(max(1, m - end[1]), m)]
    return np.sqrt(min(ends))


def slopes(one):
    """Return the slopes that derivative DTW compares."""
    one = points(one)
    return ((one[1:-1] - one[:-2]) + (one[2:] - one[:-2]) / 2) / 2


def soft_dtw(x, y, gamma):
    """Return soft-DTW."""
    x, y = points(x), points(y)
    table = np.full((len(x) + 1, len(y) + 1), np.inf)
    table[0, 0] = 0
    for i in range(len(x)):
        for j in range(len(y)):
            three = np.array([table[i, j], table[i, j + 1], table[i + 1, j]])
            least = three.min()
            soft = least - gamma * np.log(np.exp(-(three - least) / gamma).sum())
            table[i + 1, j + 1] = ((x[i] - y[j]) ** 2).sum() + soft
    return table[-1, -1]


def erp(x, y, gap=0.0, window=None):
    """Return the edit distance with real penalty."""
    x, y, size = points(x), points(y), np.linalg.norm
    n, m = len(x), len(y)
    table = np.full((n + 1, m + 1), np.inf)
    table[:, 0] = np.cumsum([0, *(size(one - gap) for one in x)])
    table[0] = np.cumsum([0, *(size(one - gap) for one in y)])
    if window is not None:
        table[0, max(band(0, n, m, window)) + 2 :] = np.inf
    for i in range(n):
        for j in band(i, n, m, window):
            left = table[i + 1, j] if j == 0 or j - 1 in band(i, n, m, window) else np.inf
            table[i + 1, j + 1] = min(
                table[i, j] + size(x[i] - y[j]), table[i, j + 1] + size(x[i] - gap), left + size(y[j] - gap)
            )
    return table[n, m]


def msm(x, y, cost=1.0):
    """Return move-split-merge."""
    x, y, size = points(x), points(y), np.linalg.norm

    def split(moved, one, other):
        if size(moved - (one + other) / 2) <= size(one - other) / 2:
            return cost
        return cost + min(size(moved - one), size(moved - other))

    table = np.zeros((len(x), len(y)))
    table[0, 0] = size(x[0] - y[0])
    for i in range(1, len(x)):
        table[i, 0] = table[i - 1, 0] + split(x[i], x[i - 1], y[0])
    for j in range(1, len(y)):
        table[0, j] = table[0, j - 1] + split(y[j], x[0], y[j - 1])
    for i in range(1, len(x)):
        for j in range(1, len(y)):
            table[i, j] = min(
                table[i - 1, j - 1] + size(x[i] - y[j]),
                table[i - 1, j] + split(x[i], x[i - 1], y[j]),
                table[i, j - 1] + split(y[j], x[i], y[j - 1]),
            )
    return table[-1, -1]


def sbd(x, y):
    """Return one minus the best correlation over all shifts."""
    x, y = points(x), points(y)
    norm = np.linalg.norm(x) * np.linalg.norm(y)
    if not norm:
        return 1.0
    best = max(
        sum(float(x[i] @ y[i - shift]) for i in range(len(x)) if 0 <= i - shift < len(y))
        for shift in range(-len(y) + 1, len(x))
    )
    return 1 - best / norm


def some_series(n, n_columns=1, *, seed=0, longest=24, least=1):
    """Return random walks of different lengths."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(least, longest + 1, n)
    return [rng.normal(size=(length, n_columns)).cumsum(axis=0) for length in lengths]


def waves(n, *, n_points=40, seed=0):
    """Return noisy series of three shapes, shifted in time, and their shapes."""
    rng = np.random.default_rng(seed)
    t, kinds = np.linspace(0, 1, n_points), np.arange(n) % 3
    shapes = (
        lambda u: np.sin(4 * np.pi * u),
        lambda u: np.exp(-(((u - 0.5) / 0.08) ** 2)) * 3,
        lambda u: 6 * u - 3,
    )
    found = [shapes[kind](t + rng.uniform(-0.05, 0.05)) + rng.normal(0, 0.15, n_points) for kind in kinds]
    return np.array(found), kinds


def tslearn(name):
    """Return a module of tslearn, whose loops run as they are: compiling them takes a minute."""
    import importlib

    import pytest

    pytest.importorskip("tslearn", reason="a peer of the benchmarks")
    from numba import config

    before, config.DISABLE_JIT = config.DISABLE_JIT, True
    try:
        return importlib.import_module(f"tslearn.{name}")
    finally:
        config.DISABLE_JIT = before
