"""The pages of docs/ and the README say what runs."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [page for page in PAGES if BLOCK.search(page.read_text())], ids=named)
def test_python_blocks_run(page, tmp_path, monkeypatch):
    """Law: the Python blocks of a page run one after the other, given rows, truth and new rows."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    y_true = np.repeat(np.arange(8), 25)
    X = rng.normal(size=(200, 4)) + 6 * rng.normal(size=(8, 4))[y_true]
    namespace = {"np": np, "X": X, "y_true": y_true, "new_rows": X[::10] + 0.1}
    for block in BLOCK.findall(page.read_text()):
        exec(compile(block, named(page), "exec"), namespace)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    """Law: every link of a page to a file of the project leads to one."""
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert missing == []
