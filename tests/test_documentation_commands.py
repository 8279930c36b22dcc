"""The lines for the shell on the pages of docs/ and in the README run."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie.cli.app import run

ROOT = Path(__file__).resolve().parent.parent
README, OVERVIEW = ROOT / "README.md", ROOT / "docs" / "overview.md"
PAGES = sorted((ROOT / "docs").glob("**/*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
IN_TEXT = re.compile(r"`(coterie [^`]*)`")
FILE = re.compile(r"\S\.(csv|html)\b")
ELSEWHERE = {"make demo": ".ci/run runs it"}  # lines of another program, and what runs them


def lines_of(page: Path) -> list[str]:
    """Return the commands of a page: the lines of its blocks, and those in the text that name a file."""
    text = page.read_text()
    shown = "".join(block for language, block in BLOCK.findall(text) if language in ("", "sh", "console"))
    shown = re.sub(r"^\$ | +#.*$", "", shown, flags=re.MULTILINE)
    told = [line for line in IN_TEXT.findall(BLOCK.sub("", text)) if FILE.search(line)]
    lines = dict.fromkeys([*re.split(r"; |\n", shown.strip()), *told])
    return [line for line in lines if line and line not in ELSEWHERE]


def type_lines(lines, monkeypatch):
    """Run lines one after the other, as a shell would, in this process."""
    for line in lines:
        program, *words = shlex.split(line)
        with open(words.pop() if "<" in words else os.devnull) as file:
            monkeypatch.setattr("sys.stdin", file)
            assert program == "coterie"
            assert run([word for word in words if word != "<"]) == 0, line


@pytest.fixture
def folder(tmp_path, monkeypatch, small_budget):
    """Work in an empty folder, without a browser and with the slowest steps made small."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))  # no line of a page may write to that of whoever runs the tests
    monkeypatch.setattr("webbrowser.open", lambda page: True)
    monkeypatch.setattr("coterie.show.explorer.server.ExplorerServer.run", lambda server: server.close())
    monkeypatch.setattr("coterie.show.layout.planes.MOST_TSNE_ROWS", 40)
    return tmp_path


@pytest.fixture
def files(folder):
    """Write what the pages speak of: a table, flowers with classes and groups, scores between few things."""
    flowers = load_iris()
    rows = flowers.data[::3] + np.random.default_rng(0).normal(scale=0.02, size=(50, 4))
    species = [str(flowers.target_names[at]) for at in flowers.target[::3]]
    cells = [",".join(f"{value:.3f}" for value in row) for row in rows]
    for name in ("table.csv", "data.csv", "customers.csv"):
        (folder / name).write_text("a,b,c,d\n" + "".join(f"{row}\n" for row in cells))
    lines = [f"f{at},{row},{kind}\n" for at, (row, kind) in enumerate(zip(cells, species, strict=True))]
    (folder / "flowers.csv").write_text("id,a,b,c,d,species\n" + "".join(lines))
    (folder / "groups.csv").write_text("id,group\n" + "".join(f"f{at},{at // 17}\n" for at in range(50)))
    (folder / "truth.csv").write_text(
        "id,class\n" + "".join(f"f{at},{kind}\n" for at, kind in enumerate(species))
    )
    towns = np.array([[48.1, 11.6], [52.5, 13.4], [-18.1, 179.9]])[np.arange(60) % 3]
    degrees = towns + np.random.default_rng(2).normal(scale=0.1, size=(60, 2))
    np.savetxt(folder / "places.csv", degrees, "%.4f", ",", header="lat,lon", comments="")
    (folder / "same_household.csv").write_text("one,other\n1,2\n5,9\n")
    (folder / "rivals.csv").write_text("one,other\n1,50\n")
    exec(PYTHON.search((ROOT / "docs" / "tables.md").read_text())[1], {})  # shop.csv and shop.db
    edges = [f"{a},{b}" for part in (0, 6, 12) for a in range(part, part + 6) for b in range(part, a)]
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{e}\n" for e in [*edges, "0,6", "6,12"]))
    (folder / "links.csv").write_text((folder / "edges.csv").read_text())
    calls = "".join(f"{edge},{at + 1}\n" for at, edge in enumerate(edges))
    (folder / "calls.csv").write_text("caller,callee,minutes\n" + calls)
    links = [dict(zip(("source", "target"), e.split(","), strict=True)) for e in edges]
    nodes = [{"id": name} for name in sorted({end for link in links for end in link.values()})]
    (folder / "network.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    words = [["ripe apples", "sweet pears", "red plums"], ["old engine", "new brakes", "fast cars"]]
    texts = [" and ".join(words[at % 2][(at // 2 + i) % 3] for i in range(2)) for at in range(40)]
    (folder / "news.csv").write_text("body\n" + "".join(f"{text}\n" for text in texts))
    (folder / "more.csv").write_text("body\nripe pears and red plums\n")
    vectors = np.random.default_rng(1).normal(size=(60, 5)).round(3)
    (folder / "vectors.csv").write_text(
        "a,b,c,d,e\n" + "".join(",".join(map(str, row)) + "\n" for row in vectors)
    )
    waves = [np.sin(np.linspace(0, 6, 16) + 2 * (at % 2)) + 0.01 * at for at in range(24)]
    lines = [
        f"s{at:02d},{hour},{kwh:.3f}\n" for at, wave in enumerate(waves) for hour, kwh in enumerate(wave)
    ]
    (folder / "sensors.csv").write_text("sensor,hour,kwh\n" + "".join(lines))
    (folder / "letters").mkdir()
    for at, text in enumerate(texts):
        (folder / "letters" / f"{at}.txt").write_text(text)
    shutil.copy(ROOT / "docs" / "applications" / "outbreak.fasta", folder)
    np.savetxt(folder / "scores.csv", np.exp(-np.abs(np.subtract.outer(*[rows[:8, 0]] * 2))), delimiter=",")
    return folder


@pytest.mark.parametrize(
    ("page", "heading", "n_lines", "made"),
    [
        (README, "Quick start", 3, "customers.csv groups.html"),
        (
            OVERVIEW,
            "On the shell",
            22,
            "customers.csv groups.html groups.csv customers.model kmeans.model kmeans.model.seen "
            "branches.csv groups.png labels",
        ),
    ],
    ids=["README", "overview"],
)
def test_commands_of_the_first_pages_run(page, heading, n_lines, made, folder, monkeypatch, capfd):
    """Law: the lines for the shell run one after the other, as they stand, in an empty folder."""
    pattern = rf"^## {heading}\n```\n(.*?)^```"
    (block,) = re.findall(pattern, page.read_text(), re.MULTILINE | re.DOTALL)
    lines = re.split(r"; |\n", re.sub(r"^\$ | +#.*$", "", block, flags=re.MULTILINE).strip())
    assert len(lines) == n_lines
    type_lines(lines, monkeypatch)
    assert capfd.readouterr().err == ""
    shown = {path.name for path in folder.iterdir() if not path.name.startswith(".")}  # Matplotlib's own
    assert shown == set(made.split())


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if page != OVERVIEW and page.parent.name != "applications" and lines_of(page)],
    ids=lambda page: page.stem,
)
def test_commands_of_the_pages_run(page, files, monkeypatch, capfd):
    """Law: every line for the shell of a page runs, on files such as it speaks of."""
    lines = lines_of(page)
    written = re.findall(r"(?:-o|--newick|--report) (\S+)", "\n".join(lines))
    read = {line.split()[2] for line in lines if len(line.split()) > 2}
    for name in set(written) - read:
        (files / name).unlink(missing_ok=True)
    type_lines(lines, monkeypatch)
    assert capfd.readouterr().err == ""
    assert all((files / name).exists() for name in written)


def test_every_command_is_shown_somewhere():
    """Law: the README and the pages show every command of the program."""
    shown = {line.split()[1] for page in (README, *PAGES) for line in lines_of(page)}
    from coterie.cli.app import app

    named = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert named - shown == set()
