"""The one place that imports optional packages."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from coterie.errors import MissingDependency


def require(module: str, *, extra: str, purpose: str) -> ModuleType:
    """Import an optional package, or say which extra brings it.

    Parameters
    ----------
    module : str
        What to import, e.g. ``"matplotlib.pyplot"``.
    extra : str
        The extra of Coterie that installs it, e.g. ``"plot"``.
    purpose : str
        What needs it, as the subject of a sentence, e.g. ``"Drawing"``.

    Examples
    --------
    >>> require("json", extra="cli", purpose="Writing JSON").dumps([1])
    '[1]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name is None or error.name.partition(".")[0] != package:
            raise  # the package is there, something inside it is broken: its own message helps more
        raise MissingDependency(
            f'{purpose} needs the package {package}, which is not installed: install "coterie[{extra}]".'
        ) from None
