"""Warnings that name the line of the caller, not one of ours."""

from __future__ import annotations

import sys
import warnings

_OURS = ("coterie.", "sklearn.", "joblib.", "contextlib.", "functools.")  # and what our code runs inside of


def warn_caller(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn whoever called into the package, naming their line."""
    warnings.warn(message, category, stacklevel=caller_level())


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
