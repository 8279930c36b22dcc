"""One small protocol for progress: `progress=` is None, True, or a callable that takes a `Progress`."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from shutil import get_terminal_size
from types import TracebackType
from typing import TypeAlias

from coterie._printing import bare, visible
from coterie.errors import InvalidParameter

QUIET_SECONDS = 0.7  # work that ends sooner never shows a line
REFRESH_SECONDS = 0.2
BAR_SIGNS = 20


@dataclass(frozen=True)
class Progress:
    """How far a piece of work has come.

    Parameters
    ----------
    stage : str
        What is being done, in a user's words.
    done : int
        Steps finished.
    total : int or None
        Steps in all, None when nobody knows.
    seconds : float
        Time since the work began.
    share : float, default=0.0
        Part of the step under way that is done, where that is known.
    step_seconds : float, default=0.0
        Time since that step began.
    expected : str, default=""
        What to expect of the whole, told until the time left can be guessed from what is done.
    pass_share : float or None, default=None
        Part of the pass over all rows under way that is done; None: there is no such pass.
    pass_seconds : float, default=0.0
        Time since that pass began.
    """

    stage: str
    done: int
    total: int | None
    seconds: float
    share: float = 0.0
    step_seconds: float = 0.0
    expected: str = ""
    pass_share: float | None = None
    pass_seconds: float = 0.0

    @property
    def seconds_left(self) -> float | None:
        """Time left if the step under way goes on as it does, and the rest as fast as what is done."""
        return self._left(0.0)

    def _left(self, seconds_since: float) -> float | None:
        if not self.total or self.done <= 0:
            return None
        steps_left = self.total - self.done
        each = (self.seconds - self.step_seconds) / self.done
        if steps_left <= 0:
            return 0.0
        if self.share > 0:
            step = max(0.0, self.step_seconds * (1.0 - self.share) / self.share - seconds_since)
        else:  # a step that takes longer than those before is guessed to go on for as long as it is late
            step = abs(each - self.step_seconds - seconds_since)
        return each * (steps_left - 1) + step

    def __str__(self) -> str:
        return self.describe()

    def describe(self, *, seconds_since: float = 0.0) -> str:
        """Say it in one line, `seconds_since` after the report was made."""
        if self.pass_share is not None:
            return self._describe_pass(seconds_since)
        steps = f" {self.done:,} of {self.total:,}" if self.total else f" {self.done:,}" if self.done else ""
        left = self._left(seconds_since)
        if left is None:
            return f"{self.stage}{steps}  {self.expected or clock(self.seconds + seconds_since)}"
        return f"{self.stage}{steps}  about {clock(left)} left"

    def _describe_pass(self, seconds_since: float) -> str:
        """Say how far a pass over all rows has come: a bar, the fraction, the time left."""
        share = min(1.0, max(0.0, self.pass_share or 0.0))
        filled = int(BAR_SIGNS * share)
        bar = "#" * filled + "-" * (BAR_SIGNS - filled)
        line = f"[{bar}] {100 * share:3.0f} %  {self.stage}"
        if share <= 0:
            return line
        left = max(0.0, self.pass_seconds * (1 - share) / share - seconds_since)
        return f"{line}, about {clock(left)} left"


ProgressOption: TypeAlias = bool | Callable[[Progress], object] | None


class Tracker:
    """Hands the steps of one piece of work to whoever wants to see them.

    Examples
    --------
    >>> with track(print, "k-means", total=2) as tracker:
    ...     tracker.report(2)
    k-means 2 of 2  about 0 s left
    """

    def __init__(self, listener: Callable[[Progress], object] | None, stage: str, total: int | None) -> None:
        self._listener = listener
        self._others: list[Callable[[Progress], object]] = []
        self._line = listener if isinstance(listener, _TerminalLine) else None
        self._stage = stage
        self._total = total
        self._expected = ""
        self._began = time.monotonic()
        self._step, self._step_began = 0, self._began

    @property
    def is_watched(self) -> bool:
        """Whether anybody looks: when not, a loop may skip its reports."""
        return self._listener is not None or bool(self._others)

    def also(self, listener: Callable[[Progress], object] | None) -> Tracker:
        """Hand every report to one more listener, if it is one, and return the tracker."""
        if listener is not None:
            self._others.append(listener)
        return self

    def expect(self, words: str) -> None:
        """Let reports say what to expect of the whole, until the time left can be guessed."""
        self._expected = words

    def report(
        self, done: int, *, stage: str | None = None, total: int | None = None, share: float = 0.0
    ) -> None:
        """Say how many steps are done, and what share of the next; `stage` and `total` stay as they were."""
        if not self.is_watched:
            return
        now = time.monotonic()
        if done != self._step:
            self._step, self._step_began = done, now
        self._stage = stage if stage is not None else self._stage
        self._total = total if total is not None else self._total
        step_seconds = now - self._step_began
        progress = Progress(
            self._stage, done, self._total, now - self._began, share, step_seconds, self._expected
        )
        for listener in [self._listener, *self._others]:
            if listener is not None:
                listener(progress)

    def report_pass(self, stage: str, share: float, seconds: float) -> None:
        """Let the line on the terminal, and nobody else, show how far a pass over all rows has come."""
        if self._line is not None:
            now = time.monotonic() - self._began
            self._line(Progress(stage, 0, None, now, pass_share=share, pass_seconds=seconds))

    @property
    def has_line(self) -> bool:
        """Whether there is a line on a terminal."""
        return self._line is not None

    def __enter__(self) -> Tracker:
        if self._line is not None:
            self._line.start(self._stage)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._line is not None:
            self._line.stop()


def track(progress: ProgressOption, stage: str, *, total: int | None = None) -> Tracker:
    """Return a tracker for one piece of work, to be used in a ``with`` statement.

    Parameters
    ----------
    progress : None, bool or callable
        None or False: silent. True: one line on stderr that renews itself, when stderr is a terminal
        or a notebook. A callable is called with a `Progress` at every report.
    stage : str
        What is being done.
    total : int or None, default=None
        Steps in all, if known.
    """
    if progress is None or progress is False:
        return Tracker(None, stage, total)
    if progress is True:
        return Tracker(_TerminalLine() if _someone_watches() else None, stage, total)
    if callable(progress):
        return Tracker(progress, stage, total)
    raise InvalidParameter(f"progress must be None, True, False or a callable, got {progress!r}.")


class _TerminalLine:
    """One line that a thread keeps fresh, so that something moves even while native code runs."""

    def __init__(self) -> None:
        self._latest: Progress | None = None
        self._stage = ""
        self._began = 0.0
        self._width = 0
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, progress: Progress) -> None:
        self._latest = progress

    def start(self, stage: str) -> None:
        self._stage, self._began = stage, time.monotonic()
        self._thread = threading.Thread(target=self._keep_fresh, name="coterie-progress", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
        if self._width:
            self._write("")

    def _keep_fresh(self) -> None:
        wait = QUIET_SECONDS
        while not self._ended.wait(wait):
            wait = REFRESH_SECONDS
            seconds = time.monotonic() - self._began
            latest = self._latest or Progress(self._stage, 0, None, 0.0)
            self._write(latest.describe(seconds_since=seconds - latest.seconds))

    def _write(self, text: str) -> None:
        text = visible(text).replace("\n", " ")[: get_terminal_size().columns - 1]
        stream = bare(sys.stderr)
        stream.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
        stream.flush()
        self._width = len(text)


def _someone_watches() -> bool:
    return sys.stderr is not None and (sys.stderr.isatty() or is_notebook())


def is_notebook() -> bool:
    """Return whether this process is the kernel of a notebook, not one that merely knows of kernels."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


def clock(seconds: float) -> str:
    """Say how long something takes.

    Examples
    --------
    >>> clock(40.2), clock(75.0)
    ('40 s', '1 min 15 s')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
