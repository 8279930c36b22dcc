"""Names of a module that are imported when somebody asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    module: str,
    homes: Mapping[str, Iterable[str]],
    missing: Callable[[str], AttributeError] | None = None,
) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module some of whose names live in other modules.

    A name is looked up once: then it is an attribute like any other.

    Parameters
    ----------
    module : str
        ``__name__`` of the module.
    homes : mapping of str to iterable of str
        The names that live in each of the other modules.
    missing : callable, default=None
        The error for a name that is nowhere; None: Python's own.

    Examples
    --------
    >>> get = lazy_names("coterie._support.lazy", {"math": ["sqrt"]})
    >>> get("sqrt")(9.0)
    3.0
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            raise missing(name) if missing else AttributeError(f"module {module!r} has no attribute {name!r}")
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return get
