"""The pictures of the pages of methods: each on rows that suit it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

SEED = 5


def clouds() -> Any:
    """Four round groups."""
    random = np.random.default_rng(SEED)
    centres = np.array([[0, 0], [4, 0.5], [1, 4], [5, 4.5]])
    return np.concatenate([centre + random.normal(0, 0.8, (80, 2)) for centre in centres])


def ellipses() -> Any:
    """Three long clouds of different directions."""
    random = np.random.default_rng(SEED)
    shapes = [[[1.6, 0], [0, 0.3]], [[1.0, 0.8], [-0.25, 0.3]], [[0.5, 0], [0, 1.4]]]
    centres = [[0, 0], [1, 3], [5, 1]]
    return np.concatenate(
        [random.normal(size=(110, 2)) @ shape + centre for shape, centre in zip(shapes, centres, strict=True)]
    )


def moons() -> Any:
    """Two crescents."""
    random = np.random.default_rng(SEED)
    angle = random.uniform(0, np.pi, (2, 150))
    upper = np.column_stack([np.cos(angle[0]), np.sin(angle[0])])
    lower = np.column_stack([1 - np.cos(angle[1]), 0.4 - np.sin(angle[1])])
    return np.concatenate([upper, lower]) + random.normal(0, 0.08, (300, 2))


def noisy_moons() -> Any:
    """Two crescents among scattered rows."""
    random = np.random.default_rng(SEED)
    return np.concatenate([moons(), random.uniform([-1.6, -1.1], [2.6, 1.6], (45, 2))])


def rings() -> Any:
    """One ring about a ball."""
    random = np.random.default_rng(SEED)
    angle, radius = random.uniform(0, 2 * np.pi, 200), random.normal(2, 0.12, 200)
    ring = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return np.concatenate([ring, random.normal(0, 0.4, (100, 2))])


def directions() -> Any:
    """Three groups of directions, of any length."""
    random = np.random.default_rng(SEED)
    angle = np.concatenate([random.normal(centre, 0.18, 90) for centre in (0.3, 1.3, 2.6)])
    length = random.uniform(0.4, 2.5, (270, 1))
    return length * np.column_stack([np.cos(angle), np.sin(angle)])


def table() -> Any:
    """Two columns of numbers and three of categories, of three groups."""
    random = np.random.default_rng(SEED)
    group = np.repeat(np.arange(3), 90)
    numbers = np.array([[0, 0], [2.2, 0.6], [0.8, 2.2]])[group] + random.normal(0, 0.7, (270, 2))
    names = np.array(["basic", "plus", "pro"])
    drawn = [np.where(random.random(270) < 0.8, names[group], random.choice(names, 270)) for _ in range(3)]
    return [[*pair, *words] for pair, words in zip(numbers.tolist(), zip(*drawn, strict=True), strict=True)]


def draw(method: Any, facts: Any, path: Path) -> None:
    """Fit the method to its rows and draw the groups that it finds."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    from coterie.show.plots import scatter

    rows = globals()[facts.data]()
    if method.name == "kmodes":
        labels = method.load()(**facts.settings).fit([row[2:] for row in rows]).labels_
    else:
        labels = method.load()(**facts.settings).fit(rows).labels_
    seen = np.array([row[:2] for row in rows], dtype=float) if facts.data == "table" else rows
    figure, axes = plt.subplots(figsize=(5, 3.6), layout="constrained")
    scatter(seen, labels, ax=axes)
    figure.savefig(path, dpi=160)
    plt.close(figure)
