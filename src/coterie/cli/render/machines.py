"""What ``--json`` prints."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any


def print_json(facts: Any) -> None:
    """Print facts as JSON: null for numbers that are not finite, which JSON does not know."""
    print(json.dumps(_finite(facts), indent=2, allow_nan=False))


def _finite(facts: Any) -> Any:
    if isinstance(facts, Mapping):
        return {name: _finite(value) for name, value in facts.items()}
    if isinstance(facts, (list, tuple)):
        return [_finite(value) for value in facts]
    return None if isinstance(facts, float) and not isfinite(facts) else facts
