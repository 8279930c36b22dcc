"""Runs cases in child processes, notices how children die, and reports every kind of finding once."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300.0  # by the clock: a child that waits uses no processor time, and one on a busy machine little
START_SECONDS = 360.0  # to import everything on a busy machine
REMEMBERED = 12  # cases before a death that are repeated with it: damage to the heap shows later
NOT_REPEATED = " (not repeated in a new process)"
OWN_ERROR = "the fuzzer's own error"
PACKAGE = str(Path(importlib.util.find_spec("coterie").origin).parent)  # type: ignore[union-attr, arg-type]
FRAME = re.compile(rf'File "{re.escape(PACKAGE)}/([^"]+)", line \d+ in (\w+)')


@dataclass
class Outcome:
    """How one case ended."""

    part: str
    seed: int
    outcome: str  # accepted, refused, failed
    kind: str = ""
    text: str = ""
    doing: str = ""
    seconds: float = 0.0
    before: tuple[int, ...] = ()  # seeds that the same process had run before, where they are needed

    @property
    def command(self) -> str:
        """The line that repeats it."""
        seeds = ",".join(map(str, [*self.before, self.seed]))
        return f"python -m tests.fuzz --part {self.part} --seed {seeds}"


@dataclass
class Tally:
    """What a part's cases came to."""

    cases: int = 0
    accepted: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, Outcome] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)  # kinds as first seen; repeated, one may show as another

    def add(self, outcome: Outcome) -> bool:
        """Count a case; return whether it is a finding of a new kind."""
        self.cases += 1
        self.seconds += outcome.seconds
        setattr(self, outcome.outcome, getattr(self, outcome.outcome) + 1)
        if outcome.outcome != "failed":
            return False
        self.kinds[outcome.kind] += 1
        is_new = outcome.kind not in self.first
        self.first.setdefault(outcome.kind, outcome)
        return is_new


class Child:
    """A process that runs case after case, replaced when it dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._folder = ""
        self._seeds: deque[int] = deque(maxlen=REMEMBERED)

    def run(self, part: str, seed: int) -> Outcome:
        """Return how a case ended, also when the child died of it."""
        if self._process is None:
            self._start()
        process = self._process
        assert process is not None
        assert process.stdin is not None
        before = tuple(self._seeds)
        began = time.monotonic()
        try:
            process.stdin.write(f"{part} {seed}\n")
            process.stdin.flush()
            line = self._answer(SECONDS if before else START_SECONDS)
        except BrokenPipeError:
            line = ""
        if not line:
            return self._death(part, seed, before, time.monotonic() - began)
        self._seeds.append(seed)
        return Outcome(part, seed, **json.loads(line))

    def close(self) -> None:
        """End the child."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            shutil.rmtree(self._folder, ignore_errors=True)
        self._process = None
        self._seeds.clear()

    def _start(self) -> None:
        self._folder = tempfile.mkdtemp(prefix="coterie-fuzz-")
        quiet = {"OMP_WAIT_POLICY": "passive", "OPENBLAS_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        # freed memory is overwritten: who reads it gets an answer that differs
        own = {"MALLOC_PERTURB_": "165", "POLARS_MAX_THREADS": "2", "OMP_NUM_THREADS": "2"}
        own["PYTHONHASHSEED"] = "0"  # a case depends on its seed alone
        with open(os.path.join(self._folder, "stderr"), "w") as stderr:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.fuzz.worker", self._folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                text=True,
                cwd=ROOT,
                env=os.environ | quiet | own,
            )

    def _answer(self, seconds: float) -> str:
        """Return the child's next line, nothing where it died or was stopped for being late."""
        process = self._process
        assert process is not None
        assert process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            if not selector.select(seconds):
                process.send_signal(signal.SIGUSR1)  # it says where it is, and dies of it
                selector.select(5.0)
                process.kill()
                return ""
        return process.stdout.readline()

    def _death(self, part: str, seed: int, before: tuple[int, ...], seconds: float) -> Outcome:
        process = self._process
        assert process is not None
        code = process.wait()
        said = Path(self._folder, "stderr").read_text(errors="replace")
        note = Path(self._folder, "doing")
        doing = note.read_text(errors="replace") if note.exists() else ""
        self.close()
        kind = f"{_cause(code, said)} in {_innermost(said)}"
        return Outcome(part, seed, "failed", kind, said[-3000:], doing, seconds, before)


def _cause(code: int, said: str) -> str:
    if code == -signal.SIGXCPU:
        return "no end within its processor time"
    if code in (-signal.SIGUSR1, -signal.SIGKILL):  # a lock that nobody opens, or a machine that was held up
        return "no end by the clock"
    native = re.search(
        r"^(double free|free\(\)|malloc|corrupted|munmap|libgomp|terminate|memory allocation)[^\n]*",
        said,
        re.M,
    )
    name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
    return f"{name} ({native.group()[:60]})" if native else name


def _innermost(said: str) -> str:
    """Return where in our package the current thread was, from the traceback that faulthandler wrote."""
    current = said[said.rfind("Current thread") :] if "Current thread" in said else said
    found = FRAME.search(current) or FRAME.search(said)
    return f"{found.group(1)}:{found.group(2)}" if found else "an unknown place"


def confirmed(outcome: Outcome) -> Outcome:
    """Repeat a finding in a new process, alone and else after its predecessors, so that its line is true."""
    child = Child()
    try:
        alone = child.run(outcome.part, outcome.seed)
        if alone.outcome == "failed":
            alone.before = ()
            return alone
        child.close()
        if outcome.before:
            for seed in outcome.before:
                again = child.run(outcome.part, seed)
                if again.outcome == "failed" and child._process is None:
                    return again
            again = child.run(outcome.part, outcome.seed)
            if again.outcome == "failed":
                again.before = outcome.before
                return again
    finally:
        child.close()
    outcome.kind += NOT_REPEATED
    return outcome


def run_cases(requests: Iterable[tuple[str, int]], tallies: dict[str, Tally]) -> Iterator[Outcome]:
    """Run cases one after the other; yield every finding of a new kind, confirmed.

    Each part has processes of its own: the libraries and threads of all parts together need most of the
    memory that a case is allowed, and what is repeated with a death are cases of its part.
    """
    child = Child()
    running = ""
    try:
        for part, seed in requests:
            if part != running:
                child.close()
                running = part
            outcome = child.run(part, seed)
            if outcome.outcome == "failed" and outcome.kind not in tallies[part].known:
                tallies[part].known.add(outcome.kind)
                outcome = confirmed(outcome)
            if tallies[part].add(outcome):
                yield outcome
    finally:
        child.close()


def requests_for(parts: list[str], first_seed: int, seconds: float) -> Iterator[tuple[str, int]]:
    """Give every part the same time, a slice at a time, until the time is over."""
    end = time.monotonic() + seconds
    piece = min(60.0, seconds / len(parts))
    seeds = dict.fromkeys(parts, first_seed)
    while time.monotonic() < end:
        for part in parts:
            until = min(time.monotonic() + piece, end)
            while time.monotonic() < until:
                yield part, seeds[part]
                seeds[part] += 1


def finding_text(outcome: Outcome, *, full: bool = False) -> str:
    """Return a finding: the line that repeats it, what it is, what was done."""
    lines = [outcome.command, f"    {outcome.kind}", f"    {outcome.doing[:600]}"]
    if full or outcome.kind == OWN_ERROR or outcome.kind.endswith(NOT_REPEATED):
        lines += ["", outcome.text]
    return "\n".join(lines)


def table(tallies: dict[str, Tally]) -> str:
    """Return the summary: one line per part."""
    lines = [f"{'part':<14}{'cases':>9}{'accepted':>10}{'refused':>9}{'failed':>8}{'kinds':>7}{'seconds':>9}"]
    for part, tally in tallies.items():
        counts: list[Any] = [tally.cases, tally.accepted, tally.refused, tally.failed, len(tally.kinds)]
        widths = (9, 10, 9, 8, 7)
        cells = "".join(f"{n:>{w},}" for n, w in zip(counts, widths, strict=True))
        lines.append(f"{part:<14}{cells}{tally.seconds:>9.0f}")
    return "\n".join(lines)
