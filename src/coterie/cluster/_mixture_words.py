"""What a mixture's fit says on the way: lines on standard output, and progress."""

from __future__ import annotations

import time

from coterie._progress import Tracker
from coterie.cluster._mixture_fit import Run


class Teller:
    """Reports iterations to whoever listens, and prints them when asked to."""

    def __init__(self, tracker: Tracker, verbose: int, interval: int) -> None:
        self._tracker = tracker
        self._verbose = int(verbose)
        self._interval = interval
        self._began = self._last = time.monotonic()

    def begin_run(self, start: int) -> None:
        """Say that a start begins."""
        self._began = self._last = time.monotonic()
        if self._verbose:
            print(f"Initialization {start}")

    def report(self, iteration: int, bound: float, change: float) -> None:
        """Say that an iteration is done."""
        self._tracker.report(iteration)
        if self._verbose == 0 or iteration % self._interval:
            return
        now = time.monotonic()
        details = (
            f"\t time lapse {now - self._last:.5f}s\t ll change {change:.5f}" if self._verbose > 1 else ""
        )
        self._last = now
        print(f"  Iteration {iteration}{details}")

    def end_run(self, run: Run) -> Run:
        """Say how a run ended, and return it."""
        if self._verbose:
            words = "converged" if run.converged else "did not converge"
            seconds = time.monotonic() - self._began
            details = (
                f". time lapse {seconds:.5f}s\t lower bound {run.bound:.5f}" if self._verbose > 1 else "."
            )
            print(f"Initialization {words}{details}")
        return run
