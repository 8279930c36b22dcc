"""What a mixture's fit says on the way: lines on standard output, and progress."""

from __future__ import annotations

import time
import warnings

from coterie._support.caller import caller_level
from coterie._support.progress import Tracker
from coterie._support.typing import FloatArray
from coterie.cluster.mixture.em import Run
from coterie.errors import DataNotice

HIDING = 10  # times the largest variance: with so much added to all, no two components differ


def warn_if_hidden(spread: FloatArray, reg_covar: float) -> None:
    """Say so when `reg_covar` far exceeds the variance of every column: groups then look like one."""
    largest, reg_covar = float(spread.max()) ** 2, float(reg_covar)
    if 0 < HIDING * largest < reg_covar:
        warnings.warn(
            f"reg_covar={reg_covar:g} is far larger than the variance of every column (the largest is "
            f"{largest:.1g}) and hides the groups. Scale the columns, or choose a smaller reg_covar.",
            DataNotice,
            stacklevel=caller_level(),
        )


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
