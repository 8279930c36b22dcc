"""Graphs of tasks for Dask, made at once: one by one they would take longer than the work of a small pass."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import Any

from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer


class Given:
    """A value as it is: Dask does not look into it for tasks."""

    def __init__(self, value: Any) -> None:
        self.value = value


def unique_name(function: Callable[..., Any]) -> str:
    """Return a name for the tasks that call a function, which no others have."""
    named = getattr(function, "func", function)  # of a partial
    title = getattr(named, "__name__", type(named).__name__).strip("_")
    return f"{title}-{uuid.uuid4().hex}"


def results(
    name: str,
    layer: Mapping[Any, Any],
    promises: list[Any],
    values: Mapping[str, Given] | None = None,
    annotations: Mapping[str, Any] | None = None,
) -> list[Any]:
    """Return the promises of the results of a layer of tasks, in its order.

    Parameters
    ----------
    name : str
        Of the layer.
    layer : mapping
        From keys to tuples of a function and its arguments; keys among these stand for results.
    promises : list of Delayed
        Whose results are among the arguments; others than promises are passed over.
    values : mapping, default=None
        Further arguments by key.
    annotations : mapping, default=None
        What Dask shall know of the tasks.
    """
    graphs = {id(promise.dask): promise.dask for promise in promises if isinstance(promise, Delayed)}
    before = HighLevelGraph.merge(*graphs.values())
    layers, needs = dict(before.layers), dict(before.dependencies)
    for key, value in (values or {}).items():
        layers[key], needs[key] = MaterializedLayer({key: value}), set()
    needs[name] = set(layers)
    layers[name] = MaterializedLayer(layer, annotations=annotations)
    graph = HighLevelGraph(layers, needs)
    return [Delayed(key, graph, layer=name) for key in layer]
