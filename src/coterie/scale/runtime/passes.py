"""Passes over blocks: a function runs where the rows are, and what it finds is added up in order."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Callable, Container, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import dask
import dask.array
import numpy as np
import numpy.typing as npt
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph, MaterializedLayer

from coterie._support.typing import AnyArray, AnyFunction, Data, Settings, ValuesByName, Weights
from coterie._support.validation.memory import format_bytes
from coterie._support.validation.weights import NEGLIGIBLE, SMALLEST_LARGEST
from coterie.errors import NotEnoughMemory
from coterie.scale.blocks import Block, Blocks
from coterie.scale.runtime.counters import COUNTERS, PASS_PROGRESS, one_pass, size_of
from coterie.scale.runtime.failing_chunk import name_culprit
from coterie.scale.sources.partitions import StoredRows

if TYPE_CHECKING:
    from distributed import Client

MERGED_AT_ONCE = 8  # results per task that adds them up
CONNECT_SECONDS = 10
WORKER_BYTES = 250 << 20  # a worker that has loaded its libraries, before it reads anything
COPIES_OF_BLOCK, COPIES_OF_PIECE = 3, 2  # as stored, as rows, and what the engine adds, at once
MORE_MEMORY = "Give workers more memory, or take smaller blocks: read_blocks(X, block_rows=8192)."
NEGLIGIBLE_WEIGHT = SMALLEST_LARGEST * NEGLIGIBLE  # beside the largest, whatever that is, it counts as 0
Found = TypeVar("Found")
Merge: TypeAlias = Callable[[Any, list[Any]], Any]  # adds what blocks gave to a total, None at first
ArrayPair: TypeAlias = tuple[AnyArray, AnyArray]  # rows and their weights, or numbers and rows
TITLES = {  # functions of blocks in the words of people
    "assign_block": "assignment",
    "classes_of_block": "expectation",
    "count_block": "counting",
    "count_labels": "counting",
    "draw": "drawing rows",
    "draw_alike": "drawing rows",
    "first_row": "first row",
    "levels_of_block": "counting categories",
    "look_at_block": "looking at new rows",
    "scatter_of_block": "scatter of groups",
    "shares_of_block": "expectation",
    "steps_of_block": "mini-batches",
    "summarise_block": "summaries",
    "sums_of_columns": "moments",
    "sums_of_groups": "sums of groups",
    "value_block": "inertia",
    "write_block": "writing labels",
}


class Given:
    """A value as it is: Dask does not look into it for tasks."""

    def __init__(self, value: Any) -> None:
        self.value = value


def unique_name(function: AnyFunction) -> str:
    """Return a name for the tasks that call a function, which no others have."""
    named = getattr(function, "func", function)  # of a partial
    title = getattr(named, "__name__", type(named).__name__).strip("_")
    return f"{title}-{uuid.uuid4().hex}"


def results(
    name: str,
    layer: Mapping[Any, object],
    promises: list[Delayed],
    values: Mapping[str, Given] | None = None,
    annotations: Settings | None = None,
) -> list[Delayed]:
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


def tasks(
    blocks: Blocks,
    function: Callable[..., Found],
    *args: object,
    weights: Blocks | None = None,
    chain: object = None,
    only: Container[int] | None = None,
) -> list[Delayed]:
    """Return one task per block: ``function(block, weights, *args)``.

    Parameters
    ----------
    blocks : Blocks
        The rows.
    function : callable
        Gets a `Block`, the `Block` of weights or None, and `args`; it must be found by name in its module.
    args : objects
        The same for all blocks.
    weights : Blocks, default=None
        One column, or columns that are carried along, cut like `blocks`.
    chain : object, default=None
        When given, blocks follow one another: the function gets it as its last argument for the first block,
        and what it returned for the block before for the others.
    only : container of int, default=None
        Indices of the blocks that tasks are made for; None: all.
    """
    check_worker_memory(blocks)
    name = unique_name(function)
    partners = iter(weights) if weights is not None else iter(lambda: None, 0)
    before: object = None if chain is None else Given(chain)
    layer: dict[Hashable, object] = {}
    promises: list[Delayed] = []
    for block, partner in zip(blocks, partners, strict=False):
        if only is not None and block.index not in only:
            continue
        key = (name, block.index)
        parcel, *made = _parted(function, block, partner)
        promises += made[0] + made[1]
        layer[key] = (_run, parcel, *map(_keys, made), f"args-{name}", before)
        before = None if chain is None else key
    return results(name, layer, promises, {f"args-{name}": Given(args)}, _annotations(blocks))


def pair_tasks(blocks: Blocks, function: Callable[..., Found], *args: object) -> list[Delayed]:
    """Return one task per pair of blocks: ``function(block, later block or None, *args)``."""
    name = unique_name(function)
    listed = list(blocks)
    pairs: list[tuple[Block, Block | None]] = [
        (listed[i], listed[j]) for j in range(len(listed)) for i in range(j)
    ]
    layer: dict[Hashable, object] = {}
    promises: list[Delayed] = []
    for number, pair in enumerate(pairs or [(listed[0], None)]):
        parcel, *made = _parted(function, *pair)
        promises += made[0] + made[1]
        layer[name, number] = (_run, parcel, *map(_keys, made), f"args-{name}", None)
    return results(name, layer, promises, {f"args-{name}": Given(args)})


def fold(made: list[Delayed], merge: Merge) -> Delayed:
    """Return the task that adds up results in the order of the blocks: ``merge(total or None, results)``."""
    return running(made, merge)[-1]


def chained(total: list[Found] | None, found: list[list[Found]]) -> list[Found]:
    """Add lists that blocks gave to a total, in their order: a `Merge`."""
    return [*(total or []), *(one for part in found for one in part)]


def stacked(total: ArrayPair | None, found: list[ArrayPair]) -> ArrayPair:
    """Add rows, and what belongs to each, that blocks gave to a total, in their order: a `Merge`."""
    parts = found if total is None else [total, *found]
    return np.concatenate([first for first, _ in parts]), np.concatenate([second for _, second in parts])


def running(made: list[Delayed], merge: Merge) -> list[Delayed]:
    """Return the tasks of the totals after every 8 blocks and after the last."""
    name = unique_name(merge)
    layer: dict[Hashable, object] = {}
    total = None
    for first in range(0, len(made), MERGED_AT_ONCE):
        key = (name, first)
        layer[key] = (merge, total, _keys(made[first : first + MERGED_AT_ONCE]))
        total = key
    return results(name, layer, made)


def added(total: Delayed, made: list[Delayed], merge: Merge) -> Delayed:
    """Return the task that adds results to the total of another task."""
    name = unique_name(merge)
    layer = {(name, 0): (merge, total.key, _keys(made))}
    return results(name, layer, [total, *made])[0]


def compute(task: Delayed) -> Any:
    """Return the result of a task: by the client of a cluster if there is one, else by threads."""
    return compute_all([task])[0]


def compute_all(wanted: list[Delayed]) -> list[Any]:
    """Return the results of tasks of one pass."""
    task = wanted[-1]
    try:
        name, n_rows, n_tasks = _title_of(task)
        PASS_PROGRESS.begin(name, n_tasks)
        with one_pass(name, n_rows):
            return list(dask.compute(*wanted))
    except Exception as error:
        if type(error).__name__ == "KilledWorker":
            raise NotEnoughMemory(
                "The workers of the cluster were killed repeatedly, as happens when they use more "
                f"memory than they may. {MORE_MEMORY}"
            ) from error
        name_culprit(_chunks_of(task), error)
        raise


def _title_of(task: Delayed) -> tuple[str, int, int]:
    """Return what a task does to blocks, in words, to how many rows, and in how many tasks."""
    for name, layer in reversed(list(task.dask.layers.items())):
        named = [layer[task.key]] if task.key in layer else layer.values()  # of one block, or of all
        work = [each for each in named if isinstance(each, tuple) and each and each[0] is _run]
        if work:
            title = str(name).rpartition("-")[0]
            name = TITLES.get(title, title.replace("_", " "))
            return name, sum(each[1].block.n_rows for each in work), len(work)
    return "other work", 0, 0


def _chunks_of(task: Delayed) -> dict[str, Delayed]:
    """Return the chunks of collections that a task needs, by their names."""
    parcels = [
        (name, parcel, made)
        for name, layer in task.dask.layers.items()
        for work in (layer.values() if isinstance(layer, MaterializedLayer) else ())
        if isinstance(work, tuple) and work[0] is _run
        for parcel, *made in (work[1:4],)
    ]
    return {
        span.name: Delayed(key, task.dask, layer=name)  # of a layer that needs the chunk
        for name, parcel, made in parcels
        for block, keys in zip((parcel.block, parcel.partner), made, strict=True)
        for span, key in zip(block.spans if block is not None else (), keys, strict=False)
    }


def read_weights(weights: Block | None) -> Weights | None:
    """Return the weights of a block's rows."""
    return None if weights is None else _vector(weights.read())


def _vector(column: Data) -> Weights:
    weights = np.ascontiguousarray(column[:, 0], dtype=np.float64)
    is_lost = (weights > 0) & (weights < NEGLIGIBLE_WEIGHT)
    return np.where(is_lost, 0.0, weights) if is_lost.any() else weights


class Parcel:
    """A function and its blocks. Not a dataclass: Dask would look into it for promises, one by one."""

    def __init__(self, function: AnyFunction, block: Block, partner: Block | None) -> None:
        self.function, self.block, self.partner = function, block, partner


def _parted(
    function: AnyFunction, block: Block, partner: Block | None
) -> tuple[Parcel, list[Delayed], list[Delayed]]:
    """Return the blocks, and lists of what Dask must make for them, empty if nothing."""
    promises = [
        [] if one is None or not any(map(dask.is_dask_collection, one.sources)) else one.sources
        for one in (block, partner)
    ]
    kept = [
        replace(one, sources=[]) if one is not None and promised else one
        for one, promised in zip((block, partner), promises, strict=True)
    ]
    assert kept[0] is not None
    return Parcel(function, kept[0], kept[1]), promises[0], promises[1]


def _run(
    parcel: Parcel, made: list[StoredRows], made_for_partner: list[StoredRows], args: Given, before: object
) -> object:
    block = replace(parcel.block, sources=made) if made else parcel.block
    partner = parcel.partner
    if partner is not None and made_for_partner:
        partner = replace(partner, sources=made_for_partner)
    more = () if before is None else (before.value if isinstance(before, Given) else before,)
    found = parcel.function(block, partner, *args.value, *more)
    COUNTERS.add(tasks=1, moved_bytes=size_of(found))
    PASS_PROGRESS.finish_one()
    return found


def connect(address: str) -> Client:
    """Return a client of the cluster at an address, to be used in a ``with`` statement."""
    from distributed import Client

    return Client(address, timeout=CONNECT_SECONDS)


def dashboard_of(client: Client) -> str | None:
    """Return the address of the dashboard of a cluster, None if it has none."""
    link = getattr(client, "dashboard_link", None)
    return str(link) if link else None


def client_of() -> Client | None:
    """Return the client of a Dask cluster that is in use, None if there is none."""
    if "distributed" not in sys.modules:
        return None  # nobody can have made one
    from distributed.client import get_client

    try:
        return get_client()
    except ValueError:
        return None


def uses_threads() -> bool:
    """Return whether Dask would run tasks in threads of this process."""
    return client_of() is None and dask.config.get("scheduler", None) in (None, "threads", "threading")


def _keys(promises: list[Delayed]) -> list[object]:
    return [promise.key if dask.is_dask_collection(promise) else promise for promise in promises]


def check_worker_memory(blocks: Blocks) -> None:
    """Refuse blocks that a worker of the cluster has no memory for: it would be ended and restarted."""
    client = client_of()
    if client is None:
        return
    cell = blocks.dtype.itemsize * blocks.n_columns
    block = min(blocks.block_rows, blocks.n_rows) * cell
    # a row group or a range of text is decoded as a whole
    piece = max((piece.n_rows for piece in blocks.pieces if not piece.is_sliced), default=0) * cell
    needed = WORKER_BYTES + COPIES_OF_BLOCK * block + COPIES_OF_PIECE * piece
    workers = client.scheduler_info(n_workers=-1)["workers"]
    least = min((one["memory_limit"] for one in workers.values() if one["memory_limit"]), default=None)
    if least is None or needed <= least:
        return
    raise NotEnoughMemory(
        f"A worker needs about {format_bytes(needed)} for blocks of {blocks.block_rows:,} rows and "
        f"{blocks.n_columns:,} columns, but one of them may use {format_bytes(least)}. {MORE_MEMORY}"
    )


class Placement:
    """Which worker gets a block: the same rows go to the same worker in every pass."""

    def __init__(self, workers: list[str], n_blocks: int) -> None:
        self.workers, self.n_blocks = workers, n_blocks

    def __call__(self, key: tuple[str, int]) -> list[str]:
        return [self.workers[key[1] * len(self.workers) // self.n_blocks]]


def _annotations(blocks: Blocks) -> ValuesByName | None:
    """Return which workers shall have the blocks, if blocks may choose theirs; others may take over."""
    client = client_of() if blocks.is_stored else None
    workers = sorted(client.ncores()) if client is not None else []
    if not workers:
        return None
    return {"workers": Placement(workers, blocks.n_blocks), "allow_other_workers": True}


def lazy_array(
    blocks: Blocks,
    function: AnyFunction,
    *args: object,
    dtype: npt.DTypeLike,
    n_columns: int | None = None,
    weights: Blocks | None = None,
) -> dask.array.Array:
    """Return ``function(block, weights, *args)`` of all blocks as one Dask array."""
    made = tasks(blocks, function, *args, weights=weights)
    tail = () if n_columns is None else (n_columns,)
    parts = [
        dask.array.from_delayed(task, shape=(size, *tail), dtype=np.dtype(dtype))
        for task, size in zip(made, blocks.sizes(), strict=True)
    ]
    return dask.array.concatenate(parts)
