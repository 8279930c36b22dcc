"""The pages of docs/applications run from top to bottom, and show the pictures that they make."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from test_documentation import names_of_pages
from test_documentation_commands import files, folder  # noqa: F401  (fixtures: what other pages speak of)

MAKE = runpy.run_path(str(Path(__file__).resolve().parent.parent / "docs" / "make_applications.py"))


@pytest.mark.parametrize("page", MAKE["pages"](), ids=lambda page: page.stem)
def test_pages_run_from_top_to_bottom(page, files, capfd):  # noqa: F811  (the fixture)
    """Law: all blocks of a page run in their order, print what it shows and save its pictures."""
    MAKE["run_page"](page, names_of_pages())
    assert capfd.readouterr().err == ""
    assert [name for name in MAKE["pictures_of"](page) if not (files / name).exists()] == []


def test_text_and_failing_commands_are_noticed(tmp_path, monkeypatch):
    """Law: a page that prints something else than it shows, or whose command fails, is refused."""
    monkeypatch.chdir(tmp_path)
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n```text\n2\n```\n")
    with pytest.raises(AssertionError, match="prints:\n1"):
        MAKE["run_page"](page, {})
    page.write_text("```\ncoterie fit nowhere.csv\n```\n")
    with pytest.raises(AssertionError, match=r"coterie fit nowhere\.csv"):
        MAKE["run_page"](page, {})


def test_the_index_names_every_page():
    """Law: the index of the applications names every page."""
    text = (MAKE["FOLDER"] / "README.md").read_text()
    assert [page.name for page in MAKE["pages"]() if page.name not in text] == []
