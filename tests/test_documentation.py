"""The pages of docs/ and the README say what runs."""

from __future__ import annotations

import doctest
import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_circles

from coterie.distance import pairwise_distances

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
SESSION = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


def names_of_pages():
    """Return what the pages speak of without making it."""
    rng = np.random.default_rng(0)
    y_true = np.repeat(np.arange(8), 25)
    X = rng.normal(size=(200, 4)) + 6 * rng.normal(size=(8, 4))[y_true]
    D = pairwise_distances(X)
    rings, _ = make_circles(300, factor=0.3, noise=0.03, random_state=0)
    return {
        "np": np,
        "X": X,
        "y_true": y_true,
        "labels": y_true,
        "new_rows": X[::10] + 0.1,
        "million_rows": X,
        "D": D,
        "K": X @ X.T,
        "rings": rings,
        "adjacency": csr_array((np.quantile(D, 0.8) > D).astype(float)),
    }


APPLICATIONS = ROOT / "docs" / "applications"  # test_documentation_applications.py runs all of their blocks


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if BLOCK.search(page.read_text()) and page.parent != APPLICATIONS],
    ids=named,
)
def test_python_blocks_run(page, tmp_path, monkeypatch, small_budget):
    """Law: the Python blocks of a page run one after the other."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("coterie.show.layout.planes.MOST_TSNE_ROWS", 40)
    namespace = names_of_pages()
    for block in BLOCK.findall(page.read_text()):
        exec(compile(block, named(page), "exec"), namespace)


@pytest.mark.parametrize("page", [page for page in PAGES if SESSION.search(page.read_text())], ids=named)
def test_sessions_show_what_comes_out(page):
    """Law: the sessions of a page print exactly what they show."""
    text = "\n".join(SESSION.findall(page.read_text()))
    session = doctest.DocTestParser().get_doctest(text, names_of_pages(), named(page), named(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(session).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    """Law: every link of a page to a file of the project leads to one."""
    missing = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert missing == []


def test_the_readme_promises_tables_of_peers_that_are_there():
    """Law: every peer for which the README promises a table of equivalents has a heading in switching.md."""
    text = " ".join((ROOT / "README.md").read_text().split())
    promised = re.search(r"equivalents and differences for (.*?)\.", text)[1]
    peers = re.split(r", | and ", promised)
    headings = re.findall(r"^## (\S+)", (ROOT / "docs" / "switching.md").read_text(), re.MULTILINE)
    names = {heading.partition(".")[0].lower() for heading in headings}
    assert {peer.lower() for peer in peers} == names


def test_the_readme_names_every_lost_row():
    """Law: each measured row in which a peer is faster is named in the README, with its ratio."""
    made = runpy.run_path(str(ROOT / "docs" / "make_tables.py"))
    lost = made["_named"](made["_records"](), 0.0, 1.0)
    text = (ROOT / "README.md").read_text()
    assert all(row in text for row in lost)
    assert f"in {len(lost)} of" in text


def test_tables_are_those_of_the_catalogues():
    """Law: the tables of the pages are those of the catalogues; `python docs/make_tables.py` makes them."""
    with_tables = runpy.run_path(str(ROOT / "docs" / "make_tables.py"))["with_tables"]
    old = [
        named(page)
        for page in [*PAGES, ROOT / "paper.md"]
        if with_tables(page.read_text()) != page.read_text()
    ]
    assert old == []
