"""The classes that may be saved and loaded: the public ones of Coterie's own rooms, nothing else."""

from __future__ import annotations

from dataclasses import is_dataclass
from functools import cache
from importlib import import_module

from coterie._support import hooks
from coterie._support.scikit_learn import BaseEstimator
from coterie._support.validation.schema import shown
from coterie.errors import MissingDependency, ModelFileError

# Names that files written before know: what is left of the dot, or the whole, has moved.
MOVED = {
    "coterie.groups": "coterie.pipeline",
    "coterie.prepare": "coterie.data",
    "coterie.read": "coterie.data",
    "coterie.select.Candidate": "coterie.pipeline.Candidate",
    "coterie.select.Clustering": "coterie.pipeline.Clustering",
    "coterie.select.Fact": "coterie.pipeline.Fact",
    "coterie.select.MethodComparison": "coterie.pipeline.MethodComparison",
}


@cache
def savable_classes() -> dict[str, type]:
    """Return the classes that a file may name, by their public names.

    A class is found when its room lists it in ``__all__``, it says in ``_schema`` what its state holds, and
    it is an estimator, a dataclass, or has the two methods ``__coterie_state__`` and ``__coterie_restore__``.
    """
    found: dict[str, type] = {}
    for room in hooks.ask("savable_rooms"):
        found |= _classes_of(room)
    return found


@cache
def _classes_of(room: str) -> dict[str, type]:
    """Return the classes of a room that a file may name, by their public names."""
    module, found = import_module(room), {}
    for name in module.__all__:
        value = getattr(module, name)
        if isinstance(value, type) and is_savable(value):
            found[f"{room}.{name}"] = value
    return found


def _on_demand(name: str) -> dict[str, type]:
    """Return the classes of a room that is imported only where a name is of it: it needs other packages."""
    rooms = [room for room in hooks.ask("rooms_on_demand") if name.startswith(f"{room}.")]
    try:
        return _classes_of(rooms[0]) if rooms else {}
    except MissingDependency as error:
        raise ModelFileError(f"it holds a {shown(name)}: {error}") from None


def is_savable(kind: type) -> bool:
    """Return whether the class has a state that can be written."""
    has_state = is_estimator(kind) or is_dataclass(kind) or has_hook(kind)
    return has_state and hasattr(kind, "_schema")


def is_estimator(kind: type) -> bool:
    """Return whether the class follows scikit-learn: parameters by get_params, the rest in attributes."""
    return issubclass(kind, BaseEstimator) and hasattr(kind, "fit")


def has_hook(kind: type) -> bool:
    """Return whether the class writes and restores its own state."""
    return hasattr(kind, "__coterie_state__") and hasattr(kind, "__coterie_restore__")


def name_of(value: object) -> str:
    """Return the name under which an object's class is known, or refuse it."""
    kind = type(value)
    for name, known in (savable_classes() | _on_demand(f"{kind.__module__}.")).items():
        if known is kind:
            return name
    raise ModelFileError(
        f"a {kind.__module__}.{kind.__qualname__} cannot be saved: only Coterie's own estimators and values "
        f"can, because loading must never import foreign code."
    )


def class_named(name: object) -> type:
    """Return the class that a file names, or refuse the file."""
    kind = None
    if isinstance(name, str):
        kind = savable_classes().get(_present_name(name)) or _on_demand(name).get(name)
    if kind is None:
        raise ModelFileError(f"it holds a {shown(name)}, which this version of Coterie does not know")
    return kind


def _present_name(name: str) -> str:
    """Return what a class is called now that an earlier version called `name`.

    Examples
    --------
    >>> _present_name("coterie.groups.Groups"), _present_name("coterie.cluster.KMeans")
    ('coterie.pipeline.Groups', 'coterie.cluster.KMeans')
    """
    room, _, last = name.rpartition(".")
    return MOVED.get(name) or f"{MOVED.get(room, room)}.{last}"
