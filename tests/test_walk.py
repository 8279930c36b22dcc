"""The walk from a file to an answer that CONTRIBUTING.md describes."""

import re
import sys
from pathlib import Path

import coterie
from coterie.cli.app import run

ROOT = Path(coterie.__file__).parent
CONTRIBUTING = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"


def test_the_walk_is_what_happens(tmp_path, monkeypatch):
    """Law: the files that CONTRIBUTING.md lists are at most a dozen, and are entered in its order."""
    listed = re.findall(r"^\d+\. `([a-z_/]+\.py)`:", CONTRIBUTING.read_text(), re.MULTILINE)
    entered = {}

    def note(frame, event, _):
        if event == "call" and frame.f_code.co_name[0] != "<":
            entered.setdefault(frame.f_code.co_filename, frame.f_code.co_name)

    monkeypatch.chdir(tmp_path)
    assert run(["demo", "--copy", "customers.csv"]) == 0
    sys.setprofile(note)
    try:
        code = run(["fit", "customers.csv", "--budget", "fast", "--method", "kmeans,modes", "-k", "2..6"])
    finally:
        sys.setprofile(None)
    assert code == 0
    files = [Path(name).relative_to(ROOT).as_posix() for name in entered if Path(name).is_relative_to(ROOT)]
    assert 8 <= len(listed) <= 12
    assert set(listed) <= set(files)
    assert [one for one in files if one in listed] == listed
