"""What passes cost: rows decoded and read, bytes kept and moved, tasks, seconds; and what each pass did."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass

import numpy as np

from coterie._support.progress import Tracker

LOGGER = logging.getLogger("coterie.scale")


@dataclass
class Costs:
    """Counts of what was done."""

    # rows that were made from files: Parquet, CSV, Arrow, zarr, databases, or mapped pages of npy files
    decoded_rows: int = 0
    decoded_bytes: int = 0  # bytes of these rows as they came out of the decoder
    read_rows: int = 0  # rows that a pass looked at, decoded or kept
    kept_bytes: int = 0  # bytes of decoded rows that were put into memory or onto the disk for later passes
    # bytes of what tasks returned: what travels from the rows to where they are added up
    moved_bytes: int = 0
    tasks: int = 0  # tasks, one per block and pass

    def __sub__(self, other: Costs) -> Costs:
        return Costs(*(getattr(self, each.name) - getattr(other, each.name) for each in fields(Costs)))

    def __add__(self, other: Costs) -> Costs:
        return Costs(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Costs)))


class Counters:
    """The counts of this process, which threads add to."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._costs = Costs()

    def add(self, **counts: int) -> None:
        """Add to some counts."""
        with self._lock:
            for name, count in counts.items():
                setattr(self._costs, name, getattr(self._costs, name) + count)

    def now(self) -> Costs:
        """Return the counts so far."""
        with self._lock:
            return Costs(**asdict(self._costs))


COUNTERS = Counters()


@dataclass(frozen=True)
class Pass:
    """One pass over blocks: what was done, to how many rows, at what cost."""

    name: str
    n_rows: int
    seconds: float
    costs: Costs

    def __str__(self) -> str:
        decoded = (
            f"{self.costs.decoded_bytes / 1e6:,.0f} MB decoded" if self.costs.decoded_rows else "kept rows"
        )
        return f"{self.name}: {self.n_rows:,} rows, {decoded}, {self.seconds:.2f} s"


@dataclass
class Account:
    """The passes of one piece of work."""

    passes: list[Pass] = field(default_factory=list)

    @property
    def total(self) -> Costs:
        """What all passes cost together."""
        total = Costs()
        for one in self.passes:
            total = total + one.costs
        return total

    def decodes(self, n_rows: int) -> float:
        """Return how often each row was decoded, on average."""
        return self.total.decoded_rows / n_rows

    def lines(self, n_rows: int) -> list[str]:
        """Return what was done as lines for people: pass, rows, megabytes, seconds; passes alike are one."""
        together: dict[str, list[Pass]] = {}
        for one in self.passes:
            together.setdefault(one.name, []).append(one)
        found = [f"{'pass':<22} {'times':>5} {'rows':>14} {'decoded MB':>11} {'moved MB':>9} {'seconds':>8}"]
        for name, several in together.items():
            costs = sum((one.costs for one in several), Costs())
            found.append(
                f"{name:<22} {len(several):>5} {sum(one.n_rows for one in several):>14,} "
                f"{costs.decoded_bytes / 1e6:>11,.1f} {costs.moved_bytes / 1e6:>9,.1f} "
                f"{sum(one.seconds for one in several):>8.2f}"
            )
        return [*found, f"every row was decoded {self.decodes(n_rows):.1f} times"]


_ACCOUNTS: list[Account] = []


@contextmanager
def account() -> Iterator[Account]:
    """Give an account of the passes that are made inside.

    Examples
    --------
    >>> from coterie.scale import Summaries
    >>> with account() as made:
    ...     model = Summaries(2).fit(np.ones((10, 2)))
    >>> [one.name for one in made.passes]
    ['first row', 'moments', 'summaries']
    """
    made = Account()
    _ACCOUNTS.append(made)
    try:
        yield made
    finally:
        _ACCOUNTS.remove(made)


def counts_everywhere() -> Costs:
    """Return the counts of this process and of the workers of a cluster, if there is one."""
    from coterie.scale.runtime.passes import client_of

    client = client_of()
    found = COUNTERS.now()
    if client is not None:
        for other in client.run(_counts_here, on_error="ignore").values():
            found = found + other if isinstance(other, Costs) else found
    return found


def _counts_here() -> Costs:
    return COUNTERS.now()


@contextmanager
def one_pass(name: str, n_rows: int) -> Iterator[None]:
    """Enter a pass into all accounts, and log it."""
    if not _ACCOUNTS and not LOGGER.isEnabledFor(logging.INFO):
        yield
        return
    before, began = counts_everywhere(), time.perf_counter()
    yield
    made = Pass(name, n_rows, time.perf_counter() - began, counts_everywhere() - before)
    for one in _ACCOUNTS:
        one.passes.append(made)
    LOGGER.info("%s", made)


class PassProgress:
    """How far the pass under way has come, for lines on terminals; of threads of this process only."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._trackers: list[Tracker] = []
        self._name, self._done, self._total, self._began = "", 0, 0, 0.0

    def begin(self, name: str, n_tasks: int) -> None:
        """Show a new pass, of so many tasks."""
        with self._lock:
            self._name, self._done, self._total, self._began = name, 0, n_tasks, time.monotonic()
        self._tell()

    def finish_one(self) -> None:
        """Count a task that has ended."""
        if not self._trackers:
            return
        with self._lock:
            self._done += 1
        self._tell()

    def _tell(self) -> None:
        for tracker in self._trackers:
            share = self._done / self._total if self._total else 0.0
            tracker.report_pass(self._name, share, time.monotonic() - self._began)

    @contextmanager
    def shown_by(self, tracker: Tracker) -> Iterator[None]:
        """Let the line of a tracker, if it has one, show how far passes have come."""
        if not tracker.has_line:
            yield
            return
        self._trackers.append(tracker)
        try:
            yield
        finally:
            self._trackers.remove(tracker)


PASS_PROGRESS = PassProgress()


def size_of(value: object) -> int:
    """Return about how many bytes a result of a task takes when it travels.

    Examples
    --------
    >>> size_of((np.zeros(4), [1.0, "ab"]))
    42
    """
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, list | tuple):
        return sum(size_of(item) for item in value)
    if isinstance(value, Mapping):
        return sum(size_of(item) for item in value.values())
    if isinstance(value, str | bytes):
        return len(value)
    if is_dataclass(value):
        return sum(size_of(getattr(value, each.name)) for each in fields(value))
    return 8
