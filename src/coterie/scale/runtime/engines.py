"""Engines that run passes over blocks: Dask, `concurrent.futures`, Ray. The same tasks, the same bits.

A pass is a graph: one task per block, which reads its own rows, and tasks that add up what these return, in
the order of the blocks. Dask's schedulers run such graphs by themselves. Whatever else can run a function
somewhere and hand its result to the next is an `Engine`.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Hashable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

import cloudpickle
import dask
from dask.core import flatten
from dask.order import order

from coterie._support.optional import require
from coterie._support.typing import AnyFunction
from coterie.errors import InvalidParameter, MissingDependency

if TYPE_CHECKING:
    from dask._task_spec import GraphNode

Handle = TypeVar("Handle")  # of a task: what its engine returns for it
DaskGraph: TypeAlias = Any  # layers of tasks, or, in newer versions of Dask, an expression
Keys: TypeAlias = Any  # a key of a task, or lists of keys, nested as Dask asks for them
ObjectRef: TypeAlias = Any  # Ray's handle of a task: Ray is optional
AHEAD = 2  # tasks in work or waiting, per processor: enough to keep it busy, few enough for memory


class Engine(Protocol[Handle]):
    """What can run the tasks of a pass.

    Attributes
    ----------
    at_once : int
        How many tasks may be in work or waiting.
    """

    at_once: int

    def put(self, value: object) -> Handle:
        """Return a handle of a value that many tasks need."""

    def submit(self, work: AnyFunction, *inputs: Handle) -> Handle:
        """Start ``work(*values)``, the values being those of finished handles; return a handle."""

    def wait(self, handles: Sequence[Handle]) -> Sequence[Handle]:
        """Return those of some handles that have finished, when at least one has."""

    def value(self, handle: Handle) -> object:
        """Return what a finished task returned, or raise what it raised."""


@contextmanager
def running_on(engine: Engine[Handle]) -> Iterator[None]:
    """Run the passes of a ``with`` statement on an engine; lazy results that are computed in it too.

    Parameters
    ----------
    engine : Engine
        `FuturesEngine`, `RayEngine`, or anything with the same four methods.

    Examples
    --------
    >>> import numpy as np
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> from coterie.scale import FuturesEngine, KMeans, running_on
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> with ThreadPoolExecutor(2) as pool, running_on(FuturesEngine(pool)):
    ...     KMeans(2, random_state=0).fit(X).cluster_sizes_
    array([3, 3])
    """
    missing = [name for name in ("put", "submit", "wait", "value", "at_once") if not hasattr(engine, name)]
    if missing:
        raise InvalidParameter(
            f"engine must have put, submit, wait, value and at_once, got a {type(engine).__name__} without "
            f"{missing[0]}. Wrap executors of concurrent.futures: FuturesEngine(executor)."
        )

    def get(graph: DaskGraph, keys: Keys, **_options: object) -> object:
        return run_graph(graph, keys, engine)

    with dask.config.set(scheduler=get):
        yield


def run_graph(graph: DaskGraph, keys: Keys, engine: Engine[Handle]) -> object:
    """Return the results of some tasks of a graph, in the nesting of their keys.

    Tasks start in the order that Dask would choose. What a task returned is let go when no other needs it.
    """
    nodes = _nodes_of(graph)
    wanted = set(flatten(keys)) if isinstance(keys, list | tuple) and not _is_key(keys, nodes) else {keys}
    run = _GraphRun(nodes, wanted, engine)
    try:
        while run.in_work or run.ready:
            run.start_some()
            run.finish_some()
    except BaseException:
        run.give_up()
        raise
    return _nested(keys, run.results, nodes)


def _nodes_of(graph: DaskGraph) -> Mapping[Hashable, GraphNode]:
    """Return the tasks of a graph as objects that know what they need."""
    try:
        from dask._task_spec import convert_legacy_graph
    except ImportError:
        raise MissingDependency("Engines other than Dask's need dask 2024.12 or newer.") from None
    # in newer versions a graph is an expression
    tasks = graph.__dask_graph__() if hasattr(graph, "__dask_graph__") else graph
    nodes: Mapping[Hashable, GraphNode] = convert_legacy_graph(dict(tasks))
    return nodes


class _GraphRun(Generic[Handle]):
    """Where a graph stands."""

    def __init__(
        self, nodes: Mapping[Hashable, GraphNode], wanted: set[Hashable], engine: Engine[Handle]
    ) -> None:
        self.nodes, self.wanted, self.engine = nodes, wanted, engine
        ranks = order(nodes)
        self.needs = {key: set(node.dependencies) for key, node in nodes.items()}
        self.users: dict[Hashable, set[Hashable]] = {key: set() for key in nodes}
        for key, needed in self.needs.items():
            for one in needed:
                self.users[one].add(key)
        self.ready = deque(sorted((key for key in nodes if not self.needs[key]), key=ranks.__getitem__))
        self.ranks = ranks
        self.handles: dict[Hashable, Handle] = {}
        self.in_work: dict[Hashable, Handle] = {}
        self.results: dict[Hashable, object] = {}

    def start_some(self) -> None:
        """Start tasks that wait for nothing, as many as the engine takes."""
        while self.ready and len(self.in_work) < self.engine.at_once:
            key = self.ready.popleft()
            node = self.nodes[key]
            inputs = sorted(node.dependencies, key=self.ranks.__getitem__)
            handles = [self.handles[one] for one in inputs]
            kind = type(node).__name__
            if kind == "Alias":  # another name for a result
                self._finish(key, handles[0])
            elif kind == "DataNode":  # a value, not a task
                self._finish(key, self.engine.put(node()))
            else:
                self.in_work[key] = self.engine.submit(NodeWork(node, inputs), *handles)

    def finish_some(self) -> None:
        """Wait until a task has finished."""
        if not self.in_work:
            return
        marks = {id(handle) for handle in self.engine.wait(list(self.in_work.values()))}
        for key in [key for key, handle in self.in_work.items() if id(handle) in marks]:
            self._finish(key, self.in_work.pop(key))

    def _finish(self, key: Hashable, handle: Handle) -> None:
        """Note that a task has finished: others may then be ready, and some results are needed no more."""
        self.handles[key] = handle
        if key in self.wanted:
            self.results[key] = self.engine.value(handle)
        ready = []
        for user in self.users[key]:
            self.needs[user].discard(key)
            if not self.needs[user]:
                ready.append(user)
        self.ready.extendleft(sorted(ready, key=self.ranks.__getitem__, reverse=True))
        self._let_go(key)

    def give_up(self) -> None:
        """Let tasks that were started end before an error is raised: nothing goes on behind it."""
        while self.in_work:
            marks = {id(handle) for handle in self.engine.wait(list(self.in_work.values()))}
            self.in_work = {key: one for key, one in self.in_work.items() if id(one) not in marks}

    def _let_go(self, key: Hashable) -> None:
        """Forget the results that all of their users have had."""
        for one in [*self.nodes[key].dependencies, key]:
            self.users[one].discard(key)
            if not self.users[one]:
                self.handles.pop(one, None)


class NodeWork:
    """A task and the names of its inputs."""

    def __init__(self, node: GraphNode, inputs: Sequence[Hashable]) -> None:
        self.node, self.inputs = node, list(inputs)

    def __call__(self, *values: object) -> object:
        """Return the task's result."""
        return self.node(dict(zip(self.inputs, values, strict=True)))


def _is_key(keys: Keys, nodes: Mapping[Hashable, GraphNode]) -> bool:
    try:
        return keys in nodes
    except TypeError:  # a list
        return False


def _nested(keys: Keys, results: Mapping[Hashable, object], nodes: Mapping[Hashable, GraphNode]) -> object:
    if _is_key(keys, nodes):
        return results[keys]
    return tuple(_nested(one, results, nodes) for one in keys)


class FuturesEngine:
    """Tasks on an executor of `concurrent.futures`: threads, processes, or anything with the same interface.

    Parameters
    ----------
    executor : concurrent.futures.Executor
        Where tasks run; it is yours, and stays open.
    at_once : int, default=None
        How many tasks may be in work or waiting; None: two per processor.

    Examples
    --------
    >>> with ThreadPoolExecutor(2) as pool:
    ...     engine = FuturesEngine(pool)
    ...     engine.value(engine.submit(abs, engine.put(-3)))
    3
    """

    def __init__(self, executor: Executor, *, at_once: int | None = None) -> None:
        self.executor = executor
        self.at_once = at_once or AHEAD * (os.cpu_count() or 1)
        self._travels = not isinstance(executor, ThreadPoolExecutor)

    def put(self, value: object) -> Future[object]:
        """Return a handle of a value."""
        handle: Future[object] = Future()
        handle.set_result(cloudpickle.dumps(value) if self._travels else value)
        return handle

    def submit(self, work: AnyFunction, *inputs: Future[object]) -> Future[object]:
        """Start a task; what it needs is handed over with it."""
        values = [one.result() for one in inputs]
        if not self._travels:
            return self.executor.submit(work, *values)
        return self.executor.submit(_run_pickled, cloudpickle.dumps(work), *values)

    def wait(self, handles: Sequence[Future[object]]) -> Sequence[Future[object]]:
        """Return the tasks that have finished."""
        return list(wait(handles, return_when=FIRST_COMPLETED).done)

    def value(self, handle: Future[object]) -> object:
        """Return a task's result."""
        return cloudpickle.loads(handle.result()) if self._travels else handle.result()


def _run_pickled(work: bytes, *values: object) -> bytes:
    """Run a task in another process; functions that have no name there travel too."""
    found: bytes = cloudpickle.dumps(cloudpickle.loads(work)(*map(cloudpickle.loads, values)))
    return found


class RayEngine:
    """Tasks on a Ray cluster; results stay in Ray's object store until they are asked for.

    Parameters
    ----------
    at_once : int, default=None
        How many tasks may be in work or waiting; None: two per processor of the cluster.
    **options
        Of each task, as `ray.remote` takes them: ``num_cpus``, ``memory``, ``max_retries``.

    Raises
    ------
    MissingDependency
        Ray is not installed; ``coterie[ray]`` brings it.
    """

    def __init__(self, *, at_once: int | None = None, **options: object) -> None:
        self._ray = require("ray", extra="ray", purpose="RayEngine")
        if not self._ray.is_initialized():
            raise InvalidParameter("RayEngine needs a cluster: call ray.init() first, or ray.init(address).")
        self.at_once = at_once or AHEAD * max(int(self._ray.cluster_resources().get("CPU", 1)), 1)
        self._run = self._ray.remote(_run_work)
        self._run = self._run.options(**options) if options else self._run

    def put(self, value: object) -> ObjectRef:
        """Store a value once for all tasks."""
        return self._ray.put(value)

    def submit(self, work: AnyFunction, *inputs: ObjectRef) -> ObjectRef:
        """Start a task; Ray brings what it needs from wherever that is."""
        return self._run.remote(work, *inputs)

    def wait(self, handles: Sequence[ObjectRef]) -> Sequence[ObjectRef]:
        """Return the tasks that have finished."""
        done = set(self._ray.wait(list(handles), num_returns=1, fetch_local=False)[0])
        return [handle for handle in handles if handle in done]

    def value(self, handle: ObjectRef) -> object:
        """Return a task's result, or raise its own error rather than Ray's around it."""
        try:
            return self._ray.get(handle)
        except self._ray.exceptions.RayTaskError as error:
            raise (error.cause if isinstance(getattr(error, "cause", None), Exception) else error) from None


def _run_work(work: AnyFunction, *values: object) -> object:
    return work(*values)
