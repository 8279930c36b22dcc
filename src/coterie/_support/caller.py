"""Where the caller stands: warnings name their line, not one of ours."""

from __future__ import annotations

import sys

_OURS = (
    "coterie.",
    "sklearn.",
    "joblib.",
    "contextlib.",
    "functools.",
)  # ours, and what our code runs inside of


def caller_level() -> int:
    """Return the `stacklevel` at which `warnings.warn` names the line that called into the package.

    Examples
    --------
    >>> elsewhere = {"__name__": "somebody.elses", "caller_level": caller_level}
    >>> eval("caller_level()", elsewhere)
    1
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and f"{frame.f_globals.get('__name__', '')}.".startswith(_OURS):
        level, frame = level + 1, frame.f_back
    return level
