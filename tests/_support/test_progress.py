"""The one protocol for progress."""

import io
import re
import time

import pytest

from coterie._support import progress as _progress
from coterie._support.progress import Progress, track
from coterie.errors import InvalidParameter


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_callable_sees_every_report():
    """Law: a callable gets stage, done and total of each report, in order."""
    seen = []
    with track(seen.append, "k-means", total=3) as tracker:
        for done in range(1, 4):
            tracker.report(done)
        tracker.report(1, stage="polish", total=9)
    assert [(one.stage, one.done, one.total) for one in seen] == [
        ("k-means", 1, 3),
        ("k-means", 2, 3),
        ("k-means", 3, 3),
        ("polish", 1, 9),
    ]
    assert tracker.is_watched


def test_none_and_false_are_silent(capsys):
    """Law: without progress nothing is written and nobody is called."""
    for option in (None, False):
        with track(option, "work") as tracker:
            tracker.report(1)
        assert not tracker.is_watched
    assert capsys.readouterr() == ("", "")


def test_true_is_silent_when_piped(monkeypatch):
    """Law: stderr that is not a terminal stays empty."""
    pipe = io.StringIO()
    monkeypatch.setattr("sys.stderr", pipe)
    monkeypatch.setattr(_progress, "QUIET_SECONDS", 0.0)
    with track(True, "work"):
        time.sleep(0.02)
    assert pipe.getvalue() == ""


def wait_until(seen, most_seconds=30):
    """Wait for what another thread does, however busy the machine."""
    deadline = time.monotonic() + most_seconds
    while not seen() and time.monotonic() < deadline:
        time.sleep(0.005)


def test_line_on_a_terminal_shows_and_goes(monkeypatch):
    """Law: on a terminal one line shows stage, steps and time left, and is wiped at the end."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setattr(_progress, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(_progress, "REFRESH_SECONDS", 0.01)
    with track(True, "k-means", total=10) as tracker:
        wait_until(lambda: "k-means  0 s" in terminal.getvalue())
        tracker.report(5)
        wait_until(lambda: "k-means 5 of 10" in terminal.getvalue())
    written = terminal.getvalue()
    assert "k-means  0 s" in written
    assert re.search(r"k-means 5 of 10  about \d+ s left", written)
    assert "\n" not in written
    assert written.endswith("\r")
    assert written.split("\r")[-2].strip() == ""


def test_quick_work_shows_nothing(monkeypatch):
    """Law: work that ends at once never flashes a line."""
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with track(True, "k-means", total=10) as tracker:
        tracker.report(10)
    assert terminal.getvalue() == ""


def test_a_step_that_tells_its_share():
    """Law: the time left of a step under way follows from its own pace, not from that of quicker steps."""
    assert Progress("chance", 3, 4, 13.0, share=0.25, step_seconds=10.0).seconds_left == 30.0
    assert Progress("chance", 3, 5, 13.0, share=0.25, step_seconds=10.0).seconds_left == 31.0
    heard = []
    with track(heard.append, "work", total=2) as tracker:
        tracker.report(1)
        time.sleep(0.02)
        tracker.report(1, share=0.5)
    assert heard[-1].step_seconds >= 0.02
    assert heard[-1].seconds_left <= heard[-1].seconds


def test_time_left_is_proportional():
    """Law: a quarter done in 10 s leaves 30 s; ten seconds later, 20 s; what is late stays so as long."""
    quarter = Progress("work", 1, 4, 10.0)
    assert quarter.seconds_left == 30.0
    assert quarter.describe(seconds_since=10.0) == "work 1 of 4  about 20 s left"
    assert quarter.describe(seconds_since=25.0) == "work 1 of 4  about 35 s left"
    assert str(Progress("work", 1, 100, 60.0)).endswith("about 1 h 39 min left")
    assert str(Progress("work", 0, None, 75.0)) == "work  1 min 15 s"


def test_anything_else_is_refused():
    """Law: progress is None, True, False or a callable."""
    with pytest.raises(InvalidParameter, match="progress must be None, True, False or a callable, got 'bar'"):
        track("bar", "work")
