"""Calls that wait for ever are given up; those that work are not, however long they take."""

import threading
import time

import polars
import pytest

from coterie._support import watched as module
from coterie._support.watched import Hung, watched
from coterie.data import read_table
from coterie.errors import InvalidFile


@pytest.fixture
def hasty(monkeypatch):
    """Give up after a quarter of a second."""
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(module, "IDLE_LOOKS", 5)


def test_answers_and_errors_come_through():
    assert watched(lambda: [1, 2]) == [1, 2]
    with pytest.raises(ZeroDivisionError):
        watched(lambda: 1 // 0)


def test_who_waits_for_ever_is_given_up(hasty):
    with pytest.raises(Hung):
        watched(threading.Event().wait)


def test_who_works_is_waited_for(hasty):
    def work() -> int:
        end = time.monotonic() + 1.0
        while time.monotonic() < end:
            pass
        return 3

    assert watched(work) == 3


def test_a_file_whose_reader_hangs_is_refused(hasty, tmp_path, monkeypatch):
    path = tmp_path / "table.parquet"
    polars.DataFrame({"a": [1.0, 2.0]}).write_parquet(path)
    monkeypatch.setattr(polars, "read_parquet", lambda stream: threading.Event().wait())
    with pytest.raises(InvalidFile, match="its reader waits for ever"):
        read_table(path)
