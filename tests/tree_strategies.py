"""Random trees for hypothesis."""

import numpy as np
from hypothesis import strategies as st

from coterie.tree import Dendrogram


@st.composite
def random_trees(draw, monotone=True, most=12, unique=False):
    """Draw a binary tree of up to `most` leaves; heights may tie unless they are to be unique."""
    n = draw(st.integers(1, most))
    alive, merges = list(range(n)), []
    for i in range(n - 1):
        first = alive.pop(draw(st.integers(0, len(alive) - 1)))
        second = alive.pop(draw(st.integers(0, len(alive) - 1)))
        merges.append((first, second))
        alive.append(n + i)
    heights = draw(st.lists(st.integers(0, 40), min_size=n - 1, max_size=n - 1, unique=unique))
    scaled = np.array(heights, dtype=float) / 4
    return Dendrogram(np.array(merges).reshape(-1, 2), np.sort(scaled) if monotone else scaled)
