"""Facts as plain values, which JSON can hold."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie._support.typing import JsonObject


def facts_of(value: object, *names: str) -> JsonObject:
    """Return attributes of a value by their names, as plain values.

    Examples
    --------
    >>> facts_of(np.float64(2.5), "real", "shape")
    {'real': 2.5, 'shape': []}
    """
    return {name: plain(getattr(value, name)) for name in names}


def plain(value: Any) -> Any:
    """Return a value with lists for arrays and tuples, and with what ``to_dict`` of a value gives.

    Examples
    --------
    >>> plain({"sizes": np.array([2, 3]), "names": ("a", None)})
    {'sizes': [2, 3], 'names': ['a', None]}
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(one) for key, one in value.items()}
    return [plain(one) for one in value] if isinstance(value, tuple | list) else value


def finite(value: Any) -> Any:
    """Return a plain value with None for each number that is not finite: JSON has none of these.

    Examples
    --------
    >>> finite({"scores": [0.5, math.nan], "cluster": 1})
    {'scores': [0.5, None], 'cluster': 1}
    """
    if isinstance(value, Mapping):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
