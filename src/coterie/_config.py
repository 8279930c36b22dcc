"""What is installed and how it runs here."""

from __future__ import annotations

import platform
from importlib import metadata

RUNTIME_PACKAGES = ("numpy", "scipy", "scikit-learn", "safetensors")
OPTIONAL_PACKAGES = ("polars", "typer", "rich", "matplotlib", "dask")


def version() -> str:
    """Return the version of Coterie."""
    return metadata.version("coterie")


def configuration() -> dict[str, dict[str, str]]:
    """Return versions and machine facts, grouped, as plain strings.

    Examples
    --------
    >>> sorted(configuration())
    ['engine', 'packages', 'system']
    """
    from coterie import _core
    from coterie._threads import resolve_threads, usable_cpus

    return {
        "engine": {
            "coterie": version(),
            "instruction set": _core.instruction_set(),
            "built in": _core.instruction_sets(),
            "threads": str(resolve_threads()),
            "processors": str(usable_cpus()),
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
            print(f"  {name:<16} {value}")


def _installed(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
