"""The site: it builds without a warning, has a page for every method and module, and a search."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib import import_module
from inspect import ismodule
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mkdocs", reason="the site needs coterie[docs]")

from coterie.cluster import methods
from explorer_pages import start_browser

ROOT = Path(__file__).resolve().parent.parent.parent
FROM_ELSEWHERE = re.compile(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=\"?(?:https?:)?//(?!localhost)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site; a warning, such as a link that leads nowhere, is a failure."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    built = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_every_method_has_a_page_with_formula_picture_and_parameters(site: Path) -> None:
    """Law: the page of a method has its formula, its picture, what it costs, and its parameters."""
    for method in methods():
        text = (site / "methods" / f"{method.name}.html").read_text(encoding="utf-8")
        assert "<math" in text, method.name
        assert (site / "methods" / f"{method.name}.png").stat().st_size > 5000
        assert "grows with" in text, method.name
        assert "Parameters:" in text, method.name


def test_the_reference_has_what_the_modules_offer(site: Path) -> None:
    """Law: every public name of a module has an entry on its page."""
    missing = []
    for page in (site / "reference").glob("coterie*.html"):
        module, text = import_module(page.stem), page.read_text(encoding="utf-8")
        offered = getattr(module, "__all__", [])
        names = [name for name in offered if not ismodule(getattr(module, name))]
        for name in names:
            homes = {page.stem, getattr(getattr(module, name), "__module__", page.stem)}
            if not any(f'id="{home}.{name}"' in text for home in homes):
                missing.append(f"{page.stem}.{name}")
    assert missing == []


def test_the_reference_has_what_decorators_write(site: Path) -> None:
    """Law: parameters and attributes that a docstring leaves to its bases, or to all, are on the page."""
    text = (site / "methods" / "spectral.html").read_text(encoding="utf-8")
    for entry in ("Same number, same data: same result", "Coordinates of each row", "Names of the columns"):
        assert text.count(entry) == 1, entry
    measures = (site / "reference" / "coterie.evaluate.html").read_text(encoding="utf-8")
    purity = measures.partition('id="coterie.evaluate.purity_score"')[2].partition("<h2")[0]
    assert "Classes and clusters of any kind of label" in purity


def test_the_search_knows_the_pages(site: Path) -> None:
    """Law: the index of the search has methods and help, and works without a server."""
    found = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))
    titles = {entry["title"] for entry in found["docs"]}
    assert {"Glossary", "Troubleshooting", "Genie"} <= titles
    assert (site / "search" / "search_index.js").exists()


def test_no_page_asks_for_anything_from_elsewhere(site: Path) -> None:
    """Law: scripts, styles, fonts and pictures are all of the site itself."""
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 60
    asking = [page.name for page in pages if FROM_ELSEWHERE.search(page.read_text(encoding="utf-8"))]
    assert asking == []


def test_the_search_works_from_the_disk(site: Path, playwright_running: Any) -> None:
    """Law: a page that is opened as a file finds a word, and asks nobody for anything."""
    asked: list[str] = []
    for browser in start_browser(playwright_running):
        page = browser.new_page(viewport={"width": 1300, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.goto((site / "methods" / "genie.html").as_uri())
        page.wait_for_function("!document.documentElement.classList.contains('no-js')")
        page.locator("input[name=query]").click()
        page.locator("input[name=query]").press_sequentially("silhouette", delay=20)
        page.locator(".md-search-result__item a[href*=silhouette]").first.wait_for(timeout=60_000)
    assert all(url.startswith(("file:", "data:", "about:")) for url in asked)
