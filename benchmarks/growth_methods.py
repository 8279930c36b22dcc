"""How every method of the catalogue grows: exponents of time and memory in rows, columns and groups.

``python -m benchmarks.growth_methods --write docs/growth.md`` measures all of them, each in a process of its
own, writes the table and the picture beside it (``docs/growth.svg``). ``--methods kmeans dbscan`` measures
some, ``--most-seconds 2`` stops earlier.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import growth_chart, growth_page, machine
from benchmarks.data import overlapping_mixture
from benchmarks.growth_bounds import BOUNDS, CATEGORICAL, LINKAGES
from benchmarks.measure import PeakMemory

ROWS = tuple(int(round(10 ** (3 + step / 2), -2)) for step in range(9))  # 1e3 to 1e7
COLUMNS = (4, 16, 64, 256)
GROUPS = (4, 16, 64, 256)
USUAL_COLUMNS, USUAL_GROUPS = 8, 8
CLUSTERS_OF_DATA = 20
MOST_BYTES = 4 << 30  # of the next size, by the growth so far
SECONDS_FOR_OTHER_AXES = 1.0  # the largest number of rows that takes less is used for columns and groups
PATIENCE = 1800.0


@dataclass(frozen=True)
class Measured:
    """One fit: which method, what was varied, and what it took."""

    method: str
    axis: str  # "n", "d" or "k"
    n: int
    d: int
    k: int
    seconds: float
    processor: float
    peak: float  # MiB beyond the input

    @property
    def size(self) -> int:
        """The number that was varied."""
        return {"n": self.n, "d": self.d, "k": self.k}[self.axis]


def rows_for(method: str, n: int, d: int) -> NDArray[Any]:
    """Return clusters of numbers of unit variance, or codes of categories where the method wants them."""
    X = overlapping_mixture(n, d, components=CLUSTERS_OF_DATA, seed=91, dtype=np.float64)
    return np.clip(np.round(X / 4) + 3, 0, 5) if method in CATEGORICAL else X / X.std(axis=0)


def make_model(method: str, d: int, k: int) -> Any:
    """Return the estimator with the settings of the command line, and k groups where it takes a number."""
    from coterie.cluster.catalogue import find_method

    name, _, linkage = method.partition(" ")
    found = find_method(name)
    settings: dict[str, Any] = dict(found.settings)
    known = found.load()().get_params()
    if linkage:
        settings["linkage"] = linkage
    if name == "kprototypes":
        settings["categorical"] = list(range(d // 2, d))
    if found.needs_k:
        settings[
            "n_components" if "n_components" in known and "n_clusters" not in known else "n_clusters"
        ] = k
    if "random_state" in known:
        settings["random_state"] = 0
    return found.load()(**settings)


def measure(method: str, axis: str, n: int, d: int, k: int) -> Measured:
    """Fit once in this process."""
    X = rows_for(method, n, d)
    model = make_model(method, d, k)
    began, before = time.perf_counter(), time.process_time()
    peak = PeakMemory()(lambda: model.fit(X)).value
    seconds, processor = time.perf_counter() - began, time.process_time() - before
    return Measured(method, axis, n, d, k, seconds, processor, peak)


def measure_all(method: str, most_seconds: float, tell: Callable[[Measured], object]) -> None:
    """Measure rows up to what takes too long, then columns and groups at a size that takes about a second."""
    warnings.simplefilter("ignore")  # some do not converge, or say that they are slow
    measure(method, "n", 300, USUAL_COLUMNS, USUAL_GROUPS)  # what is imported at the first call
    base = ROWS[0]
    found: list[Measured] = []
    for n in ROWS:
        if found and not _is_affordable(found, n, most_seconds):
            break
        found.append(measure(method, "n", n, USUAL_COLUMNS, USUAL_GROUPS))
        tell(found[-1])
        base = n if found[-1].processor < SECONDS_FOR_OTHER_AXES else base
    for axis, sizes in (("d", COLUMNS), ("k", GROUPS)):
        if axis == "k" and not _takes_a_number(method):
            continue
        for size in sizes:
            columns, groups = (size, USUAL_GROUPS) if axis == "d" else (USUAL_COLUMNS, size)
            one = measure(method, axis, base, columns, groups)
            tell(one)
            if one.processor > most_seconds:
                break


def _takes_a_number(method: str) -> bool:
    from coterie.cluster.catalogue import find_method

    return find_method(method.partition(" ")[0]).needs_k


def _is_affordable(found: Sequence[Measured], n: int, most_seconds: float) -> bool:
    """Say whether the next size, by the growth of the last two, stays within time and memory."""
    last = found[-1]
    before = found[-2] if len(found) > 1 else last
    step = n / last.n
    grown = last.processor * max(step, last.processor / before.processor if before.processor else step)
    bytes_then = last.peak * 2**20 * max(step, last.peak / before.peak if before.peak > 1 else step)
    return grown <= most_seconds and bytes_then + n * USUAL_COLUMNS * 8 <= MOST_BYTES


def exponent(found: Sequence[Measured], value: str, least: float) -> float | None:
    """Return the slope of the logarithms over the three largest sizes whose figure is at least ``least``."""
    points = [(one.size, getattr(one, value)) for one in found if getattr(one, value) >= least][-3:]
    if len(points) < 2:
        return None
    x, y = np.log(np.array(points, dtype=float)).T
    return float(np.polyfit(x, y, 1)[0])


def names() -> Iterator[str]:
    """Yield every method of the catalogue; agglomerative clustering once per linkage."""
    from coterie.cluster.catalogue import methods

    for method in methods():
        yield from (
            (f"{method.name} {linkage}" for linkage in LINKAGES)
            if method.name == "agglomerative"
            else (method.name,)
        )


def measure_apart(method: str, most_seconds: float) -> list[Measured]:
    """Measure in a process of its own; what it had found when it failed is kept, and the reason printed."""
    words = [sys.executable, "-m", "benchmarks.growth_methods", "--measure", method]
    done = subprocess.run(
        [*words, "--most-seconds", str(most_seconds)], capture_output=True, text=True, timeout=PATIENCE
    )
    found = [Measured(**json.loads(line)) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode:
        print(f"{method}: failed, {done.stderr.strip().splitlines()[-1:]}", flush=True)
    if found:
        largest = max((one for one in found if one.axis == "n"), key=lambda one: one.n)
        print(f"{method}: up to {largest.n:,} rows, {largest.processor:.3g} processor s", flush=True)
    return found


def main(words: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth_methods", description=__doc__)
    parser.add_argument(
        "--methods", nargs="+", help='names of the catalogue, such as kmeans or "agglomerative ward"'
    )
    parser.add_argument(
        "--most-seconds", type=float, default=10.0, help="no fit of more processor seconds is begun"
    )
    parser.add_argument("--write", type=Path, help="the page that gets the table; the picture goes beside it")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.measure:
        measure_all(
            options.measure, options.most_seconds, lambda one: print(json.dumps(asdict(one)), flush=True)
        )
        return 0
    chosen = options.methods or list(names())
    if unknown := sorted(set(chosen) - set(names())):
        parser.error(f"no method {', '.join(unknown)}; there are {', '.join(names())}")
    found = {name: measure_apart(name, options.most_seconds) for name in chosen}
    found = {name: measured for name, measured in found.items() if measured}
    text = growth_chart.table(found, BOUNDS, machine.one_line(), options.most_seconds)
    print(text)
    if options.write is not None:
        picture = options.write.with_suffix(".svg")
        growth_chart.draw(found, picture)
        words = "Processor seconds and memory against rows, a picture per method"
        growth_page.write(options.write, f"![{words}]({picture.name})\n\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
