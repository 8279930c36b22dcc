"""Writes docs/gallery.md and its pictures: ``python docs/make_gallery.py [--check | --only PLOT]``.

`--check` draws nothing: it tells whether the page and the files are those of the catalogue.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["MPLBACKEND"] = "Agg"
DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS))

from gallery_entries import PRELUDE, SECTIONS, Entry  # noqa: E402  # found beside this file
from gallery_values import VALUE_SECTIONS  # noqa: E402

ALL_SECTIONS = {**SECTIONS, **VALUE_SECTIONS}
PAGE, PICTURES = DOCS / "gallery.md", DOCS / "gallery"
MOVING = ("kmeans_animation",)
DPI, COLORS = 160, 64
MOST_BYTES = 2_000_000  # of all pictures together
HEAD = """# Gallery
Every plot of `coterie.show.plots` with its code (made by `docs/make_gallery.py`). A plot function takes a
value and `ax=None` and returns the Axes, or a Figure if there are several panels; it neither shows nor saves:
`ax.figure.savefig("groups.png")`. All rows are drawn, as a density when there are many.
`coterie plot KIND DATA -o out.png` draws the same on the command line. The examples below start with:

```py
"""


def entries() -> Iterator[Entry]:
    """Yield the pictures in the order of the page."""
    for section in ALL_SECTIONS.values():
        yield from section


def file_of(entry: Entry) -> str:
    """Return the name of a picture's file."""
    return entry.plot + (".gif" if entry.plot in MOVING else ".png")


def files() -> list[Path]:
    """Return every picture of the gallery, and that of the README."""
    return [*(PICTURES / file_of(entry) for entry in entries()), PICTURES / "readme.png"]


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD + PRELUDE.strip() + "\n```\n"]
    for title, section in ALL_SECTIONS.items():
        parts.append(f"\n## {title}\n")
        for entry in section:
            picture = f"![{entry.plot}](gallery/{file_of(entry)})"
            parts.append(f"### {entry.plot}\n{entry.says}\n\n{picture}\n\n```py\n{entry.code.strip()}\n```\n")
    return "".join(parts)


def prepare(entry: Entry, namespace: dict[str, Any]) -> ast.Expression:
    """Run all lines of an entry but the last, which draws, and return that one."""
    *lines, last = ast.parse(entry.code).body
    assert isinstance(last, ast.Expr), f"the last line of {entry.plot} must be an expression"
    exec(compile(ast.Module(lines, []), entry.plot, "exec"), namespace)
    return ast.Expression(last.value)


def draw(entry: Entry, namespace: dict[str, Any]) -> Any:
    """Run the lines of an entry and return the value of the last one."""
    return eval(compile(prepare(entry, namespace), entry.plot, "eval"), namespace)


def picture_of(drawn: Any) -> bytes:
    """Return a small PNG of Axes or a Figure, or the content of a file that was written."""
    if isinstance(drawn, Path):
        return drawn.read_bytes()
    from PIL import Image

    figure = drawn if hasattr(drawn, "savefig") else drawn.figure
    whole, small = io.BytesIO(), io.BytesIO()
    figure.savefig(whole, format="png", dpi=DPI)
    Image.open(whole).convert("RGB").quantize(COLORS).save(small, format="png", optimize=True)
    return small.getvalue()


README = """
from importlib.resources import files

import coterie
import matplotlib.pyplot as plt
from coterie.data import read_table

table = read_table(files("coterie.data") / "customers.csv")
groups = coterie.fit(table, "kmeans", 5, believe=False).groups
rows = groups.scaling.apply(table.matrix(groups.columns))
five = Dendrogram.from_linkage(linkage(rows, "ward"))
figure, (left, middle, right) = plt.subplots(1, 3, figsize=(15, 4.2), layout="constrained")
labels = groups.labels
own = table.content.select(groups.columns)
plots.scatter(own, labels, columns=("age", "income"), centers=groups.centers, ax=left)
plots.clusplot(rows, labels, ax=middle)
cut = five.cut(5)
alike = np.array([np.bincount(labels[cut == cluster]).argmax() for cluster in range(5)])
plots.dendrogram(five, cut=alike[cut], max_leaves=40, ax=right)
titles = ("800 customers in 5 groups", "The same, in principal components", "Ward linkage, cut into 5")
for ax, title in zip((left, middle, right), titles, strict=True):
    ax.set_title(title, loc="left")
left.get_legend().remove()
left.yaxis.set_major_formatter("{x:,.0f}")
figure
"""


def make(only: tuple[str, ...] = ()) -> None:
    """Draw every picture, or only some, and write the page."""
    import matplotlib.pyplot as plt

    PICTURES.mkdir(exist_ok=True)
    namespace: dict[str, Any] = {}
    exec(compile(PRELUDE, "prelude", "exec"), namespace)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for entry, file in zip((*entries(), Entry("readme", "", README)), files(), strict=True):
            if only and entry.plot not in only:
                prepare(entry, namespace)  # later pictures use what its lines made
                continue
            file.write_bytes(picture_of(draw(entry, namespace)))
            plt.close("all")
    PAGE.write_text(page())
    for old in set(PICTURES.iterdir()) - set(files()):
        old.unlink()


def problems() -> list[str]:
    """Return what is wrong with the page and the files, without drawing anything."""
    from coterie.show import plots

    found = [] if PAGE.exists() and PAGE.read_text() == page() else [f"{PAGE.name} is old"]
    shown = {entry.plot for entry in entries()}
    found += [f"no picture of {name}" for name in sorted(set(plots.__all__) - shown)]
    found += [f"{name} is not a plot" for name in sorted(shown - set(plots.__all__))]
    found += [f"{file.name} is missing" for file in files() if not file.exists()]
    size = sum(file.stat().st_size for file in files() if file.exists())
    too_much = [f"the pictures take {size:,} bytes, {MOST_BYTES:,} allowed"] if size > MOST_BYTES else []
    return found + too_much


def main() -> None:
    """Write the gallery, or tell what is old."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="draw nothing; fail if the page is old")
    parser.add_argument("--only", nargs="+", default=[], metavar="PLOT", help="draw these only, or readme")
    arguments = parser.parse_args()
    if not arguments.check:
        make(tuple(arguments.only))
    if problems():
        sys.exit(f"gallery: {'; '.join(problems())}. python docs/make_gallery.py draws it.")


if __name__ == "__main__":
    main()
