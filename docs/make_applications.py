"""Runs the pages of docs/applications, keeps their pictures: ``python docs/make_applications.py [PAGE ...]``.

The blocks of a page run in their order in one empty folder: Python blocks, and lines for the shell. A block
``text`` right below a block of Python is what that block prints. Pictures that a page shows from `pictures/`
are files of the same names that its blocks save.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("MPLBACKEND", "Agg")
FOLDER = Path(__file__).resolve().parent / "applications"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[[^\]]*\]\(pictures/([^)]+)\)")
SHELL = ("", "sh", "console")
DPI, COLORS = 110, 128


def pages() -> list[Path]:
    """Return the pages, the index left out."""
    return [page for page in sorted(FOLDER.glob("*.md")) if page.name != "README.md"]


def pictures_of(page: Path) -> list[str]:
    """Return the names of the pictures that a page shows."""
    return PICTURE.findall(page.read_text())


def shell_lines(block: str) -> Iterator[list[str]]:
    """Yield the words of each command of a block for the shell, without what a comment says."""
    for line in re.split(r"; |\n", re.sub(r"^\$ | +#.*$", "", block, flags=re.MULTILINE)):
        if line:
            yield shlex.split(line)


def run_page(page: Path, namespace: dict[str, Any]) -> None:
    """Run the blocks of a page one after the other, in the folder that is the current one.

    Raises
    ------
    AssertionError
        A command failed, or a block of Python prints something else than the block of text below it.
    """
    from coterie.cli.app import run

    printed = ""
    for language, block in BLOCK.findall(page.read_text()):
        if language == "python":
            kept = io.StringIO()
            with contextlib.redirect_stdout(kept):
                exec(compile(block, page.name, "exec"), namespace)
            printed = kept.getvalue()
        elif language == "text":
            assert printed.split() == block.split(), f"{page.name} prints:\n{printed}"
        elif language in SHELL:
            for program, *words in shell_lines(block):
                with contextlib.redirect_stdout(io.StringIO()):
                    assert program == "coterie", f"{page.name}: {program}"
                    assert run(words) == 0, f"{page.name}: coterie {shlex.join(words)}"


def make(page: Path) -> None:
    """Run a page and keep its pictures, small."""
    import matplotlib.pyplot as plt
    from PIL import Image

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with plt.rc_context({"savefig.dpi": DPI}):
            run_page(page, {})
        plt.close("all")
        for name in pictures_of(page):
            small = Image.open(name).convert("RGB").quantize(COLORS)
            small.save(FOLDER / "pictures" / name, optimize=True)


if __name__ == "__main__":
    wanted = sys.argv[1:]
    for page in pages():
        if not wanted or page.stem in wanted:
            make(page)
