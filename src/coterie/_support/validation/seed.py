"""Seeds: from what scikit-learn users pass to the one number that native code takes."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from coterie._support.validation.parameters import is_whole
from coterie.errors import InvalidParameter

SEED_LIMIT = 2**64


def check_seed(random_state: Any) -> int:
    """Return a seed in [0, 2**64) for the native generator.

    Parameters
    ----------
    random_state : int, RandomState, Generator or None
        An int is the seed itself. A generator is asked for one number, so that consecutive calls differ.
        None asks NumPy's global generator, as scikit-learn does.

    Examples
    --------
    >>> check_seed(42)
    42
    """
    if is_whole(random_state):
        seed = int(random_state)
        if 0 <= seed < SEED_LIMIT:
            return seed
    elif isinstance(random_state, np.random.Generator):
        return int(random_state.integers(SEED_LIMIT, dtype=np.uint64, endpoint=False))
    elif random_state is None or isinstance(random_state, np.random.RandomState) or random_state is np.random:
        generator = check_random_state(random_state)
        high, low = generator.randint(0, 2**32, size=2, dtype=np.uint64)
        return int(high) << 32 | int(low)
    raise InvalidParameter(
        "random_state must be None, a whole number in [0, 2**64), a numpy RandomState or a numpy Generator, "
        f"got {random_state!r}."
    )


def shift_seed(seed: int, by: int) -> int:
    """Return another seed of the same run: the largest is followed by 0.

    Examples
    --------
    >>> shift_seed(42, 1), shift_seed(2**64 - 1, 1)
    (43, 0)
    """
    return (seed + by) % SEED_LIMIT
