"""Places on the sphere for tests."""

import numpy as np


def as_places(X):
    """Return two columns of any rows as latitudes and longitudes in radians, groups and ties kept."""
    Z = np.asarray(X, dtype=np.float64)[:, [0, -1]]
    Z = (Z - Z.min(axis=0)) / np.maximum(np.ptp(Z, axis=0), 1e-9) - 0.5
    return Z * [2.4, 5.0]


def over_the_globe(n, seed=0):
    """Return places in radians, uniform on the sphere, with poles, antipodes and the date line."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([np.arcsin(rng.uniform(-1, 1, n)), rng.uniform(-np.pi, np.pi, n)])
    odd = [[np.pi / 2, 0.3], [-np.pi / 2, 1.0], [0.2, np.pi], [0.2, -np.pi], [-0.2, 0.0], [0.0, 0.0]]
    X[: min(n, 6)] = odd[: min(n, 6)]
    return X


def towns(n, k=8, seed=0, spread=0.004):
    """Return places in radians around k towns, one at the date line, one near a pole, and the towns."""
    rng = np.random.default_rng(seed)
    centres = over_the_globe(k + 6, seed)[6:]
    centres[0], centres[1] = [0.4, np.pi], [1.5, 0.0]
    town = rng.integers(k, size=n)
    latitude = centres[town, 0] + rng.normal(size=n) * spread
    longitude = centres[town, 1] + rng.normal(size=n) * spread / np.cos(centres[town, 0])
    longitude = (longitude + np.pi) % (2 * np.pi) - np.pi
    return np.column_stack([np.clip(latitude, -np.pi / 2, np.pi / 2), longitude]), town
