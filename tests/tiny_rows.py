"""Rows for ``test_benchmarks.py``: each contestant behaves in one way that a real one may."""

import importlib
import os
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.agreement import anything, close
from benchmarks.data import DataMissingError
from benchmarks.measure import PeakMemory, Seconds
from benchmarks.problem import Answer, Contestant, Row


def make() -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).random(100)


def digest(problem: Any, result: Any) -> Answer:
    return {"sum": np.array(result)}


def adding(*, seconds: float = 0.0, error: float = 0.0) -> Callable[[Any], Callable[[], float]]:
    def enter(X: Any) -> Callable[[], float]:
        def call() -> float:
            print("a library that prints")
            time.sleep(seconds)
            return float(X.sum()) + error

        return call

    return enter


def missing(X: Any) -> Callable[[], float]:
    return importlib.import_module("a_library_that_nobody_has").sum


def raising(X: Any) -> Callable[[], float]:
    raise RuntimeError("refuses to start")


def dying(X: Any) -> Callable[[], float]:
    return os.abort


def holding(mebibytes: int) -> Callable[[Any], Callable[[], float]]:
    return lambda X: lambda: float(np.ones(mebibytes * 2**17).sum())


def skipping() -> None:
    raise DataMissingError("no data here")


OURS = Contestant("coterie", adding(seconds=0.01))
SLOW = Contestant("slow", adding(seconds=0.05))
MISSING = Contestant("missing", missing)
RULE = close("sum", tolerance=1e-9)


def row(name: str, *contestants: Contestant, **facts: Any) -> Row:
    common: dict[str, Any] = {"make": make, "digest": digest, "agree": RULE, "measure": Seconds(at_least=0.0)}
    return Row(name=name, work=f"tiny {name}", contestants=contestants, most_rounds=2, **(common | facts))


ROWS = (
    row("good", OURS, SLOW, bar=2, aim=1000),
    row("fallen", OURS, MISSING, Contestant("raising", raising), Contestant("dying", dying), SLOW, bar=1),
    row("wrong", OURS, Contestant("other", adding(error=1.0))),
    row("absent", Contestant("coterie", missing), SLOW, Contestant("other", adding())),
    row("skipped", OURS, SLOW, make=skipping),
    row(
        "memory",
        Contestant("coterie", holding(32)),
        Contestant("greedy", holding(128)),
        agree=anything,
        measure=PeakMemory(),
        limit=64.0,
    ),
)
