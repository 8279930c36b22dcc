"""Settings that all tests share."""

import os
import signal
import sys
from dataclasses import replace

import pytest
from hypothesis import settings

os.environ["MPLBACKEND"] = "Agg"  # before anything imports matplotlib: no window is ever opened

# a shell lets what it runs in the background ignore Ctrl-C, which tests send to themselves
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the same examples in every run, and no clock: a busy machine is not a failure
settings.register_profile("coterie", deadline=None, derandomize=True)
settings.load_profile("coterie")


@pytest.fixture
def small_budget(monkeypatch):
    """Let "normal" buy little, where it matters that a search for groups runs, not what it finds."""
    from coterie.pipeline.request import BUDGETS

    little = {"most_clusters": 8, "starts": 2, "resamples": 5, "draws": 19, "draw_rows": 100}
    monkeypatch.setitem(BUDGETS, "normal", replace(BUDGETS["normal"], **little))


@pytest.fixture(autouse=True)
def _close_figures():
    """Close what a test drew: matplotlib warns, and keeps the memory, when many figures stay open."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
