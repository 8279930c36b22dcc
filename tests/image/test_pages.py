"""The pages about pictures run from top to bottom, blocks of Python and lines for the shell in turns."""

import re
import shlex
from pathlib import Path

import pytest

from coterie.cli.app import run

PAGES = Path(__file__).resolve().parents[2] / "docs" / "applications"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([^)]+)\)")


@pytest.mark.parametrize("name", ["images", "segmentation"])
def test_pages_run_from_top_to_bottom(name, tmp_path, monkeypatch, small_budget, capfd):
    """Law: every block runs in its order, commands end well, and the pictures that are shown are made."""
    monkeypatch.chdir(tmp_path)
    text, namespace = (PAGES / f"{name}.md").read_text(), {}
    for language, block in BLOCK.findall(text):
        if language == "python":
            exec(compile(block, name, "exec"), namespace)
            continue
        assert language == ""
        for line in block.splitlines():
            program, *words = shlex.split(line)
            assert program == "coterie"
            assert run(words) == 0, line
    assert capfd.readouterr().err == ""
    pictures = PICTURE.findall(text)
    assert len(pictures) >= 1
    assert all(
        (tmp_path / picture).exists() and (PAGES / "pictures" / picture).exists() for picture in pictures
    )
