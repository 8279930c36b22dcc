"""The bundle that is shipped: up to date with its sources, without eval, without anything inline."""

import json
import re
import shutil
import subprocess
from importlib.resources import files
from pathlib import Path

import pytest

from coterie.show.palette import COLORS

ROOT = Path(__file__).parents[4]
STATIC = files("coterie.show.explorer") / "static"
PAGE = ROOT / "src" / "coterie" / "show" / "explorer" / "page"
NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None or not (ROOT / "node_modules" / "esbuild").exists(),
    reason="Node or node_modules are not there: install Node and run npm ci (`make test` does, where it may)",
)


@needs_node
def test_bundle_is_up_to_date():
    """Law: `make bundle` would change nothing."""
    done = subprocess.run(
        [NODE, str(PAGE / "build.mjs"), "--check"], capture_output=True, text=True, cwd=ROOT
    )
    assert (done.returncode, done.stderr) == (0, "")


@needs_node
def test_types_hold():
    """Law: the types that the scripts declare are right."""
    compiler = ROOT / "node_modules" / "typescript" / "bin" / "tsc"
    command = [NODE, str(compiler), "--noEmit", "-p", str(PAGE / "tsconfig.json")]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("name", ["explorer.js", "widget.js"])
def test_no_code_is_made_of_text(name):
    """Law: nothing is evaluated, no text becomes markup, nobody else is asked."""
    text = (STATIC / name).read_text(encoding="utf-8")
    assert not re.search(
        r"\beval\(|\bFunction\(|innerHTML|outerHTML|insertAdjacentHTML|document\.write", text
    )
    addresses = set(re.findall(r"https?://[^\"'`\s)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg"}


def test_page_has_nothing_inline():
    """Law: the Content-Security-Policy needs no exception: no inline script, style or handler."""
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)", text) == []
    assert not re.search(r"<style|style=|\bon\w+=|https?:", text)


def test_palette_is_that_of_plots_and_report():
    """Law: the page has the colours of the package, in their order."""
    text = (STATIC / "explorer.js").read_text(encoding="utf-8")
    found = json.loads("[" + re.search(r"\[(\"#0072b2\"(?:,\"#[0-9a-f]{6}\")+)\]", text).group(1) + "]")
    assert tuple(found) == COLORS
