"""Names and modules that are imported when somebody asks for them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
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


class PostponedModule(ModuleType):
    """A module that is imported when one of its names is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


@contextmanager
def postponed(*names: str) -> Iterator[None]:
    """Let what is imported in the block do without some modules until it asks for one of their names.

    Those that are loaded already stay as they are, and nothing of this is left behind: after the block
    ``import`` finds the modules themselves.

    Parameters
    ----------
    *names : str
        The modules.

    Examples
    --------
    >>> with postponed("colorsys"):
    ...     import colorsys
    >>> colorsys.rgb_to_hls(0.0, 0.0, 0.0)
    (0.0, 0.0, 0.0)
    """
    stand_ins = {name: PostponedModule(name) for name in names if name not in sys.modules}
    sys.modules.update(stand_ins)
    try:
        yield
    finally:
        for name, stand_in in stand_ins.items():
            if sys.modules.get(name) is stand_in:
                del sys.modules[name]
