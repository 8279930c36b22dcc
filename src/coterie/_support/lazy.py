"""Names and modules that are imported when somebody asks for them."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

_LISTED = re.compile(r"^from (\S+) import (\w+) as \2$", re.MULTILINE)


def lazy_names(module: str, homes: Mapping[str, Iterable[str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module some of whose names live in other modules.

    A name is looked up once: then it is an attribute like any other. The error for a name that is nowhere
    says which one of ``__all__`` may be meant.

    Parameters
    ----------
    module : str
        ``__name__`` of the module.
    homes : mapping of str to iterable of str
        The names that live in each of the other modules.

    Examples
    --------
    >>> get = lazy_names("coterie._support.lazy", {"math": ["sqrt"]})
    >>> get("sqrt")(9.0)
    3.0
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        if name not in home_of:
            from coterie._support.hints import no_such_name

            raise no_such_name(module, name, getattr(sys.modules[module], "__all__", ()))
        value = getattr(import_module(home_of[name]), name)
        setattr(sys.modules[module], name, value)
        return value

    return get


class LazyPackage(NamedTuple):
    """What a package sets of itself: ``__getattr__, __dir__, __all__ = lazy_package(__name__)``."""

    get: Callable[[str], Any]
    dir: Callable[[], list[str]]
    names: list[str]


def lazy_package(package: str) -> LazyPackage:
    """Return how a package finds the names that its stub lists, each when somebody asks for it.

    The stub beside ``__init__.py`` is the one list: a line ``from .module import name as name`` per name.
    Type checkers, editors and the site read it, too.

    Examples
    --------
    >>> import coterie.image
    >>> lazy_package("coterie.image").names[:2]
    ['Picture', 'PictureFeatures']
    """
    stub = Path(str(sys.modules[package].__file__)).with_suffix(".pyi").read_text(encoding="utf-8")
    homes: dict[str, list[str]] = {}
    for module, name in _LISTED.findall(stub):
        homes.setdefault(package + module, []).append(name)
    names = sorted(name for listed in homes.values() for name in listed)
    return LazyPackage(lazy_names(package, homes), lambda: list(names), names)


class PostponedModule(ModuleType):
    """Stands in for a module, which is imported when one of its names is asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module(self.__name__), name)


class _PostponingLoader(SourceFileLoader):
    """Loads a module whose ``import NAME`` of some names gives a stand-in."""

    names: frozenset[str] = frozenset()

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__["__builtins__"] = vars(builtins) | {"__import__": self._import}
        super().exec_module(module)

    def _import(self, name: str, *scope: Any) -> ModuleType:
        is_whole = not any(scope[2:])  # no `from`, and no dots before the name
        if name not in self.names or not is_whole or name in sys.modules or find_spec(name) is None:
            return builtins.__import__(name, *scope)
        package, dot, _ = name.partition(".")
        return import_module(package) if dot else PostponedModule(name)


class _PostponingFinder:
    """Finds one module, for the loader above."""

    def __init__(self, module: str, names: frozenset[str]) -> None:
        self._module, self._names = module, names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._module:
            return None
        spec = PathFinder.find_spec(name, path, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _PostponingLoader(spec.loader.name, spec.loader.path)
            spec.loader.names = self._names
        return spec


@contextmanager
def postponed_in(module: str, *names: str) -> Iterator[None]:
    """Let one module, if it is imported in the block, do without others until it uses them.

    Only its own ``import NAME`` gives a stand-in; of ``import a.b`` it is the package, which must import its
    parts when they are asked for, as SciPy does. `sys.modules` never holds one: nobody else can meet it.

    Parameters
    ----------
    module : str
        The module that imports the others.
    *names : str
        The others. Those that are loaded already, or not installed, are imported as ever.

    Examples
    --------
    >>> with postponed_in("colorsys", "math"):
    ...     import colorsys
    >>> colorsys.rgb_to_hls(0.0, 0.0, 0.0)
    (0.0, 0.0, 0.0)
    """
    finder = _PostponingFinder(module, frozenset(names))
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
