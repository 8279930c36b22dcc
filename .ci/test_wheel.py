"""Tries the wheels of dist/ as a user would: an empty environment, no compiler, far from the checkout.

For each wheel and each interpreter that it is for: install, run ``coterie demo --report``, run two OpenMP
libraries side by side, open the explorer's page in Chromium (no Node in sight), run a selection of the tests
with the sources out of sight.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from interpreters import OLDEST, STABLE, interpreters

ROOT = Path(__file__).parent.parent
TEST_TOOLS = ["pandas", "pytest", "pytest-xdist", "hypothesis", "pillow", "playwright"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PROGRAMS = ("cat", "env", "sh", "uname")  # what libraries and tests call; no compiler is among them
TESTS = [
    "tests/test_package.py",
    "tests/test_start_up.py",
    "tests/_support/test_scikit_learn.py",
    "tests/native",
    "tests/distance/test_pairwise.py",
    "tests/cluster/kmeans/test_kmeans_laws.py",
    "tests/cluster/density/test_dbscan.py",
    "tests/cluster/test_scikit_learn_checks.py",
    "tests/tree/test_dendrogram.py",
    "tests/persist/test_files.py",
    "tests/cli/test_completion.py",
    "tests/cli/test_errors.py",
    "--deselect=tests/test_package.py::test_public_names_resolve",  # coterie.scale needs its extra
    "--deselect=tests/tree/test_dendrogram.py::test_examples_of_the_page_run",  # docs/ is not there
]
OPENMP = """
import threading
import numpy as np
import sklearn.cluster
from threadpoolctl import threadpool_info
import coterie, coterie.cluster

assert "site-packages" in coterie.__file__, coterie.__file__
X = np.random.default_rng(0).normal(size=(20_000, 8))
start = X[:16]
def fit(module, found):
    found.append(module.KMeans(16, init=start, n_init=1, max_iter=20, tol=0).fit(X).labels_)
ours, theirs = [], []
threads = [threading.Thread(target=fit, args=(module, found))
           for _ in range(4) for module, found in ((coterie.cluster, ours), (sklearn.cluster, theirs))]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(ours) == len(theirs) == 4
assert all((labels == ours[0]).all() for labels in ours)
assert (np.asarray(ours[0]) == theirs[0]).mean() > 0.999
loaded = [info for info in threadpool_info() if info["user_api"] == "openmp"]
libraries = sorted({info["filepath"].rpartition("/")[2] for info in loaded})
print("OpenMP libraries side by side:", *libraries)
assert len(libraries) == 2, libraries
"""


def interpreters_of(wheel: Path, found: dict[int, str]) -> list[int]:
    """Return the versions to try a wheel with: its own, or the oldest and the newest of the stable ABI."""
    if "abi3" not in wheel.name:
        return [minor for minor in found if minor == OLDEST]
    newer = [minor for minor in found if minor >= STABLE]
    return sorted({newer[0], newer[-1]}) if newer else []


def link_programs(folder: Path) -> Path:
    """Make a folder with the few programs that may be called, and return it."""
    folder.mkdir()
    for name in PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            (folder / name).symlink_to(found)
    return folder


def try_wheel(wheel: Path, python: str, folder: Path) -> None:
    """Install a wheel and run it."""
    subprocess.run([python, "-m", "venv", str(folder / "venv")], check=True)
    binaries = folder / "venv" / "bin"
    kept = {n: v for n, v in os.environ.items() if n.startswith(("PIP_", "SSL_", "LANG", "http", "HTTP"))}
    path = f"{binaries}{os.pathsep}{link_programs(folder / 'programs')}"
    environment = kept | {"PATH": path, "HOME": str(folder), "OPENBLAS_NUM_THREADS": "1"}
    for program in ("cc", "gcc", "g++", "clang++", "cmake", "ninja", "node", "npm"):
        assert shutil.which(program, path=path) is None, program

    def run(*command: str) -> float:
        began = time.monotonic()
        subprocess.run([str(binaries / command[0]), *command[1:]], check=True, env=environment, cwd=folder)
        return time.monotonic() - began

    pip = ("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    taken = run(*pip, "--only-binary=:all:", f"{wheel}[cli,explore,report]")
    print(f"{wheel.name}: installed in {taken:.0f} s", flush=True)
    taken = run("coterie", "demo", "--report", "customers.html")
    page = folder / "customers.html"
    assert page.stat().st_size > 100_000, page.stat().st_size
    print(f"coterie demo --report: {taken:.0f} s, {page.stat().st_size / 1e6:.1f} MB", flush=True)
    run("python", "-c", OPENMP)
    run(*pip, *TEST_TOOLS)
    open_explorer(run, folder)
    shutil.copytree(ROOT / "tests", folder / "tests")
    shutil.copy(ROOT / "pyproject.toml", folder)  # the settings of pytest
    run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TESTS)


def open_explorer(run: Callable[..., float], folder: Path) -> None:
    """Open the explorer's page in a browser of this machine, if it has one."""
    browser = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if browser is None:
        print("no Chromium on the PATH: the page of the explorer is not opened", flush=True)
        return
    shutil.copy(ROOT / ".ci" / "explorer_page.py", folder)
    run("python", "explorer_page.py", browser)


def main() -> None:
    """Try every wheel of dist/."""
    found, n_tried = interpreters(), 0
    for wheel in sorted((ROOT / "dist").glob("*.whl")):
        for minor in interpreters_of(wheel, found):
            print(f"== {wheel.name} with Python 3.{minor}", flush=True)
            with tempfile.TemporaryDirectory(prefix="wheel-") as folder:
                try_wheel(wheel, found[minor], Path(folder))
            n_tried += 1
    if not n_tried:
        sys.exit("dist/ has no wheel for an interpreter of this machine: run make wheel first.")


if __name__ == "__main__":
    main()
