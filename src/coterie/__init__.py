"""A clustering library: it picks the method and number of clusters, tests the result and reports it."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from coterie._support import hooks

if TYPE_CHECKING:
    from coterie._support.config import show_config
    from coterie.data import inspect
    from coterie.evaluate import match
    from coterie.persist import load, save
    from coterie.pipeline.fit import fit
    from coterie.pipeline.update import update

    __version__: str

# Where each public name lives. Nothing is imported before it is asked for: `import coterie` stays light.
_HOMES = {
    "fit": "coterie.pipeline",
    "inspect": "coterie.data",
    "load": "coterie.persist",
    "match": "coterie.evaluate",
    "save": "coterie.persist",
    "show_config": "coterie._support.config",
    "update": "coterie.pipeline",
}
_ROOMS = (
    "cluster",
    "data",
    "distance",
    "errors",
    "evaluate",
    "groups",
    "image",
    "label",
    "phylogeny",
    "pipeline",
    "prepare",
    "read",
    "scale",
    "select",
    "series",
    "show",
    "text",
    "tree",
    "workbook",
)

_SAVABLE_ROOMS = tuple(
    f"coterie.{room}"
    for room in ("cluster", "data", "distance", "evaluate", "pipeline", "select", "series", "text", "tree")
)

_ROOMS_ON_DEMAND = ("coterie.scale",)  # whose classes are savable too, where their packages are there

# What lower rooms ask of higher ones, and where names went that had another home.
hooks.provide("rows_in_blocks", "coterie.scale.rows:block_rows")
hooks.provide("new_rows_in_blocks", "coterie.scale.updating:new_rows_in_blocks")
hooks.provide("with_features", "coterie.pipeline.update:with_features")
hooks.provide("explore", "coterie.show.explorer.launch:explore")
hooks.provide("rooms_on_demand", "coterie:_ROOMS_ON_DEMAND")
hooks.provide("savable_rooms", "coterie:_SAVABLE_ROOMS")
hooks.provide("write_report", "coterie.show.report:write_report")
hooks.move(
    "coterie.select",
    dict.fromkeys(
        ["Candidate", "Clustering", "Fact", "MethodComparison", "compare_methods", "fit"], "coterie.pipeline"
    ),
)

__all__ = ["fit", "inspect", "load", "match", "save", "show_config", "update"]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value: object = import_module("coterie._support.config").version()
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        return import_module(f"coterie.{name}")  # the import system sets the attribute
    else:
        from coterie.errors import did_you_mean

        near = did_you_mean(name, __dir__())
        raise AttributeError(f"module 'coterie' has no attribute {name!r}.{near}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_ROOMS, "__version__"])
