"""Functions of two rows: the order of the two must not matter."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from coterie._support.typing import Data, FloatArray
from coterie.errors import InvalidData

PAIRS_TURNED = 10  # looked at in both orders
SAME = 1e-5  # share by which two answers may differ: functions round


def refuse_order(between: Callable[[Data, Data], FloatArray], X: Data, what: str) -> None:
    """Refuse a function for which the order of its two rows matters, as far as a few pairs tell.

    Examples
    --------
    >>> refuse_order(lambda X, Y: X @ Y.T, np.eye(3), "kernel")
    """
    last = X[-PAIRS_TURNED - 1 : -1]
    if len(last) == 0:
        return
    there, back = between(X[-1:], last)[0], between(last, X[-1:])[:, 0]
    is_apart = np.abs(there - back) > SAME * np.maximum(np.abs(there), np.abs(back))
    if is_apart.any():
        at, row = int(np.argmax(is_apart)), len(X) - 1
        raise InvalidData(
            f"the {what} function must not depend on the order of its two rows, got {there[at]:g} for the "
            f"rows {row} and {row - len(last) + at}, and {back[at]:g} when they are swapped."
        )
