"""Which chunk of a user's collection failed: Dask tells what went wrong, not whose rows were being made."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from functools import partial

import dask
from dask.delayed import Delayed
from dask.optimization import cull

from coterie.errors import CoterieError, InvalidData

AT_ONCE = 64  # chunks that are tried together, then one by one
DEEPEST, MOST_LOOKED_AT = 12, 20_000  # within the tasks of a chunk, where files are looked for
MOST_FILES = 3  # that a message names
PARTS = ("args", "kwargs", "keywords", "value", "path", "filename", "fragment", "keys", "store", "root")
Chunks = Mapping[str, Delayed]


def name_culprit(chunks: Chunks, error: Exception) -> None:
    """Raise an error that names the first chunk that cannot be made; return if all can be."""
    if isinstance(error, CoterieError | MemoryError) or type(error).__module__.startswith("distributed"):
        return  # it says what is the matter, or trying again would do harm
    listed = list(chunks.items())
    for first in range(0, len(listed), AT_ONCE):
        some = listed[first : first + AT_ONCE]
        if _failure_of([promise for _, promise in some]) is None:
            continue
        for name, promise in some:
            failure = _failure_of([promise])
            if failure is not None:
                reason = " ".join(str(failure).split())
                raise InvalidData(
                    f"{name}{_made_from(promise)}: cannot be made ({type(failure).__name__}: {reason})."
                ) from failure


def _failure_of(promises: list[Delayed]) -> Exception | None:
    """Return what goes wrong when chunks are made, None if nothing does."""
    look = dask.delayed(_nothing, pure=False)
    try:
        dask.compute(*[look(promise) for promise in promises])
    except Exception as error:  # whatever the user's code raises
        return error
    return None


def _nothing(_chunk: object) -> None:
    """Stand for a chunk that could be made."""


def _made_from(promise: Delayed) -> str:
    """Return the words about the files that a chunk's tasks name, empty if there are none."""
    if not isinstance(promise, Delayed):
        return ""
    graph = cull(promise.dask.to_dict(), [promise.key])[0]
    files = list(dict.fromkeys(path for path in _paths(graph) if os.path.exists(path)))
    more = f" and {len(files) - MOST_FILES} more" if len(files) > MOST_FILES else ""
    return f", from {', '.join(files[:MOST_FILES])}{more}" if files else ""


def _paths(graph: Mapping[Hashable, object]) -> Iterator[str]:
    """Yield what can be a path of a file anywhere in tasks."""
    seen = 0
    waiting: deque[tuple[object, int]] = deque([(graph, 0)])
    while waiting and seen < MOST_LOOKED_AT:
        thing, depth = waiting.popleft()
        seen += 1
        if isinstance(thing, str | os.PathLike):
            if os.sep in (text := str(thing)):
                yield text.removeprefix("file://")
        elif depth < DEEPEST:
            waiting += [(part, depth + 1) for part in _parts(thing)]


def _parts(thing: object) -> list[object]:
    if isinstance(thing, Mapping):
        return list(thing.values())
    if isinstance(thing, list | tuple | set):
        return list(thing)
    if isinstance(thing, partial):
        return [thing.func, thing.args, thing.keywords]
    found = [getattr(thing, name, None) for name in PARTS]
    return [part for part in found if part is not None and not callable(part)]
