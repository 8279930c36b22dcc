"""Tables of numbers and categories, with groups and without."""

from __future__ import annotations

import numpy as np
import polars

WITHOUT = ("independent", "correlated", "one trait", "skewed")
WITH = ("in categories", "in numbers", "in both", "with gaps", "with noise columns")
LETTERS = np.array(list("abcdef"))


def mixed_table(kind, seed, n=240):
    """Return a frame of numbers and text, and the group of each row (drawn, but not used, without groups)."""
    rng = np.random.default_rng([seed, len(kind)])
    group = rng.integers(0, 3, n)
    numbers, codes = {}, {}
    if kind == "independent":
        numbers = {f"x{at}": rng.normal(size=n) for at in range(3)}
        codes = {f"c{m}": drawn(rng, n, m) for m in (2, 3, 4)}
    elif kind in ("correlated", "one trait"):
        n_numbers, sizes = (3, (2, 3, 4, 3)) if kind == "correlated" else (0, (2, 3, 4, 3, 2, 3))
        d = n_numbers + len(sizes)
        axes = rng.normal(size=(d, 2 if n_numbers else 1))
        latent = rng.normal(size=(n, axes.shape[1])) @ axes.T + rng.normal(size=(n, d))
        numbers = {f"x{at}": latent[:, at] for at in range(n_numbers)}
        for at, m in enumerate(sizes):
            column = latent[:, n_numbers + at]
            cuts = np.sort(rng.uniform(-1, 1, m - 1)) * column.std()
            codes[f"c{at}"] = rng.permutation(m)[np.digitize(column, cuts)]
    elif kind == "skewed":
        numbers = {"x0": np.exp(rng.normal(size=n)), "x1": np.exp(0.5 * rng.normal(size=n))}
        codes = {"c2": drawn(rng, n, 2), "c3": drawn(rng, n, 3), "rare": (rng.random(n) < 0.07).astype(int)}
    elif kind == "in categories":
        codes = {f"c{at}": like(rng, group, 0.85) for at in range(6)}
    elif kind == "in numbers":
        numbers = dict(zip("xyz", clouds(rng, group, 5.0, 3), strict=True))
        codes = {f"c{m}": drawn(rng, n, m) for m in (2, 3, 4)}
    else:
        numbers = dict(zip("xy", clouds(rng, group, 3.5, 2), strict=True))
        codes = {f"c{at}": like(rng, group, 0.85) for at in range(3)}
        if kind == "with noise columns":
            numbers |= {"u": rng.normal(size=n), "v": rng.normal(size=n)}
            codes |= {"n3": drawn(rng, n, 3), "n4": drawn(rng, n, 4)}
    columns = {name: 40 + 12 * values for name, values in numbers.items()}
    columns |= {name: LETTERS[values].tolist() for name, values in codes.items()}
    frame = polars.DataFrame(columns)
    if kind == "with gaps":
        gaps = {name: rng.random(n) < 0.1 for name in frame.columns}
        frame = frame.with_columns(
            polars.when(polars.Series(gaps[name])).then(None).otherwise(polars.col(name)).alias(name)
            for name in frame.columns
        )
    return frame, group


def drawn(rng, n, m):
    """Return m categories of unequal shares that tell nothing."""
    return rng.choice(m, n, p=rng.dirichlet(np.full(m, 4.0)))


def like(rng, group, purity):
    """Return a category per group, which so many of its rows have; the others have any."""
    return np.where(rng.random(len(group)) < purity, group, rng.integers(0, 3, len(group)))


def clouds(rng, group, apart, d):
    """Return columns of round clouds."""
    centres = np.zeros((3, d))
    centres[1, 0] = centres[2, 1] = apart
    return (centres[group] + rng.normal(size=(len(group), d))).T


def customers(n=150, seed=3):
    """Return a table of customers of three kinds."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    plans, channels = np.array(["free", "pro", "team"]), np.array(["web", "app", "store"])
    return polars.DataFrame(
        {
            "customer_id": 1000 + 7 * np.arange(n),
            "age": rng.normal(np.array([28, 41, 52])[group], 6).round(),
            "spend": rng.normal(np.array([20, 90, 240])[group], 25).round(2),
            "plan": plans[like(rng, group, 0.85)],
            "channel": channels[like(rng, group, 0.75)],
            "member": np.where(rng.random(n) < np.array([0.2, 0.6, 0.9])[group], "yes", "no"),
            "remark": [f"remark {at}" for at in range(n)],
        }
    ), group
