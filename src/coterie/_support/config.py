"""What is installed and how it runs here."""

from __future__ import annotations

import platform
from importlib import metadata
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # it loads NumPy, which the version does without
    from coterie._support.typing import JsonObject

RUNTIME_PACKAGES = ("numpy", "scipy", "scikit-learn", "safetensors")
OPTIONAL_PACKAGES = ("polars", "typer", "rich", "matplotlib", "pillow", "dask")


def version() -> str:
    """Return the version of Coterie."""
    return metadata.version("coterie")


def configuration() -> dict[str, JsonObject]:
    """Return versions and machine facts, grouped; None for a package that is not installed.

    Examples
    --------
    >>> sorted(configuration())
    ['engine', 'packages', 'system']
    """
    from coterie import _core
    from coterie._support.threads import resolve_threads, usable_cpus

    return {
        "engine": {
            "coterie": version(),
            "instruction_set": _core.instruction_set(),
            "built_in": _core.instruction_sets().split(),
            "threads": resolve_threads(),
            "processors": usable_cpus(),
        },
        "packages": {name: _installed(name) for name in RUNTIME_PACKAGES + OPTIONAL_PACKAGES},
        "system": {"python": platform.python_version(), "platform": platform.platform()},
    }


def show_config() -> None:
    """Print versions, instruction set and threads: what a report of a problem should contain.

    Examples
    --------
    >>> show_config()  # doctest: +ELLIPSIS
    engine
      coterie          ...
    """
    for group, facts in configuration().items():
        print(group)
        for name, value in facts.items():
            print(f"  {name.replace('_', ' '):<16} {_words(value)}")


def _words(value: object) -> str:
    if value is None:
        return "not installed"
    return " ".join(value) if isinstance(value, list) else str(value)


def _installed(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
