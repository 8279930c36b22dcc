"""Rooms of the package and their doors."""

from __future__ import annotations

import ast
import re
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

import coterie

ROOT = Path(coterie.__file__).parent
SHARED = ("_support", "_core")  # what every room uses
# Public names that two rooms have: a method in memory and over blocks, of rows and of series.
IN_TWO_ROOMS = {
    *("DBSCAN", "GaussianMixture", "KMeans", "KMedoids", "LatentClasses", "MiniBatchKMeans"),
    "Barycentre",
}


def imports():
    """Yield module, imported module and imported name of every import between modules of the package."""
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(["coterie", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
            ".__init__"
        )
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("coterie"):
                for alias in node.names:
                    yield module, node.module, alias.name


def room_of(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def test_nobody_imports_private_parts_of_another_room():
    """Law: a module or a name that begins with an underscore is used in its own room only."""
    wrong = [
        f"{module} imports {name} of {target}"
        for module, target, name in imports()
        if room_of(target) not in ("", room_of(module), *SHARED)
        and any(part.startswith("_") for part in [*target.split(".")[2:], name])
    ]
    assert wrong == []


def test_nobody_reaches_upward_by_a_string():
    """Law: what is imported or read by name lies in the same layer or below; the root alone knows all."""
    contract = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text())["tool"]
    layers = contract["importlinter"]["contracts"][0]["layers"]
    rank = {room: at for at, layer in enumerate(layers) for room in re.findall(r"\w+", layer)}
    wrong = [
        f"{path.relative_to(ROOT)} reaches {argument.value}"
        for path in sorted(ROOT.rglob("*.py"))
        if path.parent != ROOT
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in ("files", "import_module")
        for argument in node.args
        if isinstance(argument, ast.Constant) and str(argument.value).startswith("coterie.")
        if rank[room_of(argument.value)] < rank[path.relative_to(ROOT).parts[0]]
    ]
    assert wrong == []


def test_other_rooms_come_through_the_door_of_a_family():
    """Law: what is used of a family of methods or measures by another room is listed by its package."""
    families = {
        f"coterie.{folder.parent.name}.{folder.name}"
        for room in ("cluster", "evaluate", "select")
        for folder in (ROOT / room).iterdir()
        if folder.is_dir() and (folder / "__init__.py").exists()
    }
    wrong = [
        f"{module} imports {target}"
        for module, target, _ in imports()
        if target.rpartition(".")[0] in families and room_of(module) != room_of(target)
    ]
    assert wrong == []


@pytest.mark.parametrize("stub", sorted(ROOT.rglob("__init__.pyi")), ids=lambda stub: stub.parent.name)
def test_a_package_has_what_its_stub_lists(stub):
    """Law: a lazy package offers every name of its stub and no other, each from where the stub says."""
    package = import_module(".".join(["coterie", *stub.parent.relative_to(ROOT).parts]))
    listed = {
        alias.asname: f"{package.__name__}.{node.module}"
        for node in ast.parse(stub.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ImportFrom) and node.level
        for alias in node.names
    }
    assert package.__all__ == dir(package) == sorted(listed)
    for name, home in listed.items():
        assert getattr(package, name) is getattr(import_module(home), name)


def test_one_name_is_one_thing():
    """Law: a class has a name that no class of another module has, unless it is the same method elsewhere."""
    homes = {}
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: places for name, places in homes.items() if len(places) > 1}.keys() == IN_TWO_ROOMS


def test_warnings_name_the_line_of_the_caller():
    """Law: nobody counts frames by hand: every warning goes through `warn_caller`."""
    own = [
        str(path.relative_to(ROOT))
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "warnings.warn"
    ]
    assert own == ["_support/caller.py"]


def test_no_folder_is_crowded():
    """Law: no folder has more than 25 modules."""
    crowded = {
        str(folder.relative_to(ROOT)): count
        for folder in [ROOT, *(path for path in ROOT.rglob("*") if path.is_dir())]
        if (count := len({path.name for path in folder.glob("*.py")} - {"__init__.py"})) > 25
    }
    assert crowded == {}


def test_contributing_lists_every_folder():
    """Law: the tree in CONTRIBUTING.md names every folder of the engine, the package and its families."""
    home = Path(__file__).resolve().parent.parent
    drawn = (home / "CONTRIBUTING.md").read_text().split("```")[1]
    engine, package = drawn.split("src/coterie/\n")
    for text, folder in ((engine, home / "native"), (package, ROOT), (package, ROOT / "cluster")):
        names = {path.name for path in folder.iterdir() if path.is_dir() and path.name != "__pycache__"}
        assert {name for name in names if f"{name}/" not in text} == set()
    families = {path.name for path in (ROOT / "cluster").iterdir() if path.is_dir()}
    listed = package.split("  cluster/")[1].split("  persist/")[0].replace("(", " ").split()
    assert {word.strip("/,:") for word in listed if word.endswith("/")} <= families
