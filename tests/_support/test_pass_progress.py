"""The line of a pass over all rows: a bar, the fraction, the time left; on a terminal only."""

import logging
import sys

import numpy as np
import pytest

import coterie
from coterie._support.progress import Progress, _TerminalLine, track
from coterie.scale import KMeans, read_blocks
from coterie.scale.runtime.counters import PASS_PROGRESS


def test_line_of_a_pass():
    """Law: bar, percent, what is done, and time left in proportion; no promise before the first block."""
    made = Progress("assignment", 0, None, 9.0, pass_share=0.25, pass_seconds=10.0)
    assert str(made) == "[#####---------------]  25 %  assignment, about 30 s left"
    assert made.describe(seconds_since=10) == "[#####---------------]  25 %  assignment, about 20 s left"
    assert str(Progress("moments", 0, None, 0.0, pass_share=0.0)) == "[--------------------]   0 %  moments"
    assert "100 %" in str(Progress("moments", 0, None, 9.0, pass_share=1.0, pass_seconds=3.0))


class Terminal(list):
    def isatty(self):
        return True

    def write(self, text):
        self.append(text)
        return len(text)

    def flush(self):
        pass


def test_fraction_is_shown_on_a_terminal_only(monkeypatch):
    """Law: a terminal's line hears of every block of a pass; a callable hears of passes, as before."""
    shown = []
    monkeypatch.setattr(_TerminalLine, "__call__", lambda self, progress: shown.append(progress))
    monkeypatch.setattr(sys, "stderr", Terminal())
    rows = read_blocks(np.random.default_rng(0).normal(size=(30_000, 2)), block_rows=8192)
    KMeans(2, random_state=0, max_iter=3, progress=True).fit(rows)
    shares = [one.pass_share for one in shown if one.stage == "moments" and one.pass_share is not None]
    assert shares == [0.0, 0.25, 0.5, 0.75, 1.0]
    heard = []
    KMeans(2, random_state=0, max_iter=3, progress=heard.append).fit(rows)
    assert all(one.pass_share is None for one in heard)
    assert not PASS_PROGRESS._trackers


def test_nothing_is_written_without_a_terminal(capsys):
    """Law: progress=True writes nothing into a pipe."""
    with track(True, "k-means"):
        KMeans(2, random_state=0, progress=True).fit(np.random.default_rng(0).normal(size=(100, 2)))
    assert capsys.readouterr().err == ""


def test_fits_are_logged_under_coterie(caplog):
    """Law: at level INFO, `coterie.fit` tells of each fit in one record; by default nobody hears of it."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + np.repeat([[0.0], [9.0]], 30, axis=0)
    coterie.fit(X, "kmeans", 2, believe=False)
    assert not caplog.records
    with caplog.at_level(logging.INFO, logger="coterie"):
        coterie.fit(X, "kmeans", 2, believe=False)
    assert [record.name for record in caplog.records] == ["coterie.fit"]
    assert "2 groups by kmeans" in caplog.records[0].getMessage()


@pytest.mark.filterwarnings("ignore")
def test_dashboard_of_a_cluster():
    """Law: the address of a dashboard is what the client says; None where there is none."""
    from coterie.scale.runtime.passes import dashboard_of

    class Client:
        dashboard_link = "http://127.0.0.1:8787/status"

    assert dashboard_of(Client()) == "http://127.0.0.1:8787/status"
    assert dashboard_of(object()) is None
