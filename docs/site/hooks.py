"""Pages that are made while the site is built: from the code, and from files outside of docs/."""

from __future__ import annotations

import inspect
import re
import tempfile
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from latex2mathml.converter import convert
from method_facts import FACTS  # beside this file, where MkDocs looks while it loads it
from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url
from pictures import draw

ROOT = Path(__file__).resolve().parent.parent.parent

# Files beside docs/ that are pages of the site, and what they are called there.
OUTSIDE = {
    "benchmarks/RESULTS.md": "benchmarks.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
ROOMS = {
    "coterie": "`fit`, `match`, `load` and `save`, `inspect`",
    "coterie.cluster": "estimators, with the parameters and attributes of scikit-learn's",
    "coterie.distance": "distances between rows, neighbours, neighbour graphs",
    "coterie.tree": "linkages and the trees that they make",
    "coterie.evaluate": "measures of groups, stability, significance",
    "coterie.select": "how many groups: criteria, evidence, verdict",
    "coterie.pipeline": "what `coterie.fit` returns, and comparisons of methods",
    "coterie.data": "tables, columns, scaling",
    "coterie.text": "documents as vectors, groups of documents with names",
    "coterie.image": "pictures: few colours, superpixels and segments, contact sheets",
    "coterie.series": "time series: distances, barycentres, k-means and k-Shape",
    "coterie.label": "which rows to label, labels for the others, what that saves",
    "coterie.phylogeny": "sequences, the distances between them, trees with branch lengths and support",
    "coterie.scale": "the same over blocks of rows, on threads or a Dask cluster",
    "coterie.show.plots": "every plot",
    "coterie.workbook": "groups that people edit",
    "coterie.errors": "what can go wrong",
}
FORMULA = re.compile(r"^\$\$(.+?)\$\$$", re.MULTILINE | re.DOTALL)
SHIM = re.compile(r"src=\"?https://unpkg\.com/iframe-worker/shim\"?")
LINK = re.compile(r"(\]\()(\.\./)?([^)#\s]+)")


def on_config(config: Any) -> Any:
    """Add a line to the navigation for every method and every module."""
    from coterie.cluster import methods

    sections = {title: pages for entry in config.nav for title, pages in entry.items()}
    each = [{_title(method): f"methods/{method.name}.md"} for method in methods()]
    sections["Methods"].append({"Each method": each})
    sections["Reference"].extend({room: f"reference/{room}.md"} for room in ROOMS)
    return config


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made, and the pictures of methods."""
    folder = Path(tempfile.mkdtemp(prefix="coterie-site-"))
    config.extra["folder_of_pictures"] = str(folder)
    for source, name in OUTSIDE.items():
        files.append(File.generated(config, name, content=_from_outside(source)))
    for name, text in {**method_pages(folder), **reference_pages()}.items():
        files.append(File.generated(config, name, content=text))
    for picture in sorted(folder.glob("*.png")):
        files.append(File.generated(config, f"methods/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Let links to files outside of docs/ lead to their pages, and turn formulas into MathML."""
    for source, name in OUTSIDE.items():
        markdown = markdown.replace(f"](../{source}", f"]({name}")
    return FORMULA.sub(lambda found: convert(found[1].strip(), display="block"), markdown)


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Let the search of pages on the disk use our script: the theme would fetch one from elsewhere."""
    return SHIM.sub(f'src="{get_relative_url("worker.js", page.url)}"', output)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    """Do the same for the page that says that there is none."""
    return SHIM.sub('src="/worker.js"', output_content)


def on_post_build(config: Any) -> None:
    """Remove the pictures that were drawn for this build."""
    for picture in Path(config.extra["folder_of_pictures"]).glob("*.png"):
        picture.unlink()
    Path(config.extra["folder_of_pictures"]).rmdir()


def _from_outside(source: str) -> str:
    """Return a file of the project with its links as they are seen from docs/; others become names."""
    base = (ROOT / source).parent

    def moved(found: re.Match[str]) -> str:
        if found[3].startswith(("http", "mailto")):
            return found[0]
        target = (base / (found[2] or "") / found[3]).resolve().relative_to(ROOT).as_posix()
        if target in OUTSIDE:
            return f"](../{target}"
        return f"]({target.removeprefix('docs/')}" if target.startswith("docs/") else f"](../{target}"

    text = LINK.sub(moved, (ROOT / source).read_text(encoding="utf-8"))
    pages = "|".join(map(re.escape, OUTSIDE))
    return re.sub(rf"\[([^\]]+)\]\(\.\./(?!(?:{pages}))[^)]*\)", r"\1", text)


def method_pages(folder: Path) -> dict[str, str]:
    """Return a page for every method of the catalogue and the page that lists them; draw their pictures."""
    from coterie.cluster import methods

    pages, lines = {}, ["# All methods\n", "| method | class | good for |", "|---|---|---|"]
    for method in methods():
        facts = FACTS[method.name]
        draw(method, facts, folder / f"{method.name}.png")
        pages[f"methods/{method.name}.md"] = method_page(method, facts)
        lines.append(f"| [{method.title}]({method.name}.md) | `{method.class_name}` | {method.summary} |")
    lines.append(
        "\n`coterie methods` prints this table. `coterie.fit` compares the methods that suit the data.\n"
    )
    return {**pages, "methods/index.md": "\n".join(lines)}


def method_page(method: Any, facts: Any) -> str:
    """Return the page of one method."""
    title = _title(method)
    k = "It needs the number of groups." if method.needs_k else "It finds the number of groups itself."
    return f"""# {title}
{inspect.getdoc(method.load()).splitlines()[0]} {k}

![{title} on a small table]({method.name}.png){{ .method-picture }}

$${facts.formula}$$

**Use it for**: {facts.use}

**Not for**: {facts.avoid}

| cost | grows with |
|---|---|
| time | {facts.time} |
| memory | {facts.memory} |

n rows, d columns, k groups; [measured times](../benchmarks.md).
More: [{facts.page.removesuffix(".md")}](../{facts.page}).
On the shell: `coterie fit FILE --method {method.name}`.

::: {method.module}.{method.class_name}
    options:
      heading: {method.class_name}
"""


def _title(method: Any) -> str:
    return str(method.title[0].upper() + method.title[1:])


def reference_pages() -> dict[str, str]:
    """Return a page for every room and one that lists them."""
    lines = ["# Reference\n", "| module | what it has |", "|---|---|"]
    pages = {}
    for room, words in ROOMS.items():
        hidden = [name for name in public_names(room) if is_hidden(room, name)]
        names = "\n".join(f"        - {name}" for name in public_names(room) if name not in hidden)
        pages[f"reference/{room}.md"] = (
            f"# `{room}`\n::: {room}\n    options:\n      show_root_heading: false\n"
            f"      show_root_toc_entry: false\n      members:\n{names}\n"
        )
        for name in hidden:
            home = getattr(import_module(room), name).__module__
            pages[f"reference/{room}.md"] += f"\n::: {home}.{name}\n    options:\n      heading: {name}\n"
        lines.append(f"| [`{room}`]({room}.md) | {words} |")
    return {**pages, "reference/index.md": "\n".join(lines) + "\n"}


def public_names(room: str) -> list[str]:
    """Return what a room offers, without the rooms within it."""
    module = import_module(room)
    names = getattr(module, "__all__", None) or [name for name in vars(module) if not name.startswith("_")]
    return [name for name in names if not inspect.ismodule(getattr(module, name, None))]


def is_hidden(room: str, name: str) -> bool:
    """Return whether a file has the name too, which a reader of the sources alone takes for it."""
    module = import_module(room)
    home = str(getattr(getattr(module, name), "__module__", ""))
    has_file = hasattr(module, "__path__") and find_spec(f"{room}.{name}") is not None
    return has_file or home.rpartition(".")[2] == name
