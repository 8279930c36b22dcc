"""One server and one Chromium for the tests of the explorer's page, and what they ask of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import coterie
from coterie.workbook import Workbook

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
)
PATIENCE = 60.0  # seconds: a limit for a hanging test, not a mark
HOSTILE = '<img src=x onerror="document.title=1">'


@dataclass
class Explorer:
    """A running `coterie explore`."""

    process: subprocess.Popen[str]
    url: str

    @property
    def base(self) -> str:
        """The address without its token."""
        return self.url.split("/?")[0]


def launch(what: str | Path | None, folder: Path, port: int = 0) -> Explorer:
    """Start `coterie explore` and return it with its address, which is its first line."""
    command = [sys.executable, "-m", "coterie", "explore", *([str(what)] if what else [])]
    environment = {
        **os.environ,
        "PYTHONPATH": str(Path(coterie.__file__).parents[1]),
        "COTERIE_STATE": str(folder / "state"),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_WAIT_POLICY": "passive",
    }
    process = subprocess.Popen(
        [*command, "--port", str(port), "--no-open"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=folder,
        env=environment,
    )
    assert process.stdout is not None
    return Explorer(process, process.stdout.readline().strip())


def end(explorer: Explorer) -> None:
    """Stop a server that `launch` started."""
    explorer.process.terminate()
    try:
        explorer.process.wait(15)
    except subprocess.TimeoutExpired:
        explorer.process.kill()
        explorer.process.wait(15)
    if explorer.process.stdout is not None:
        explorer.process.stdout.close()


def eventually(claim: Callable[[], object]) -> None:
    """Wait until a claim holds: rendering may be a frame behind, files are written in the background."""
    limit = time.monotonic() + PATIENCE
    while not claim():
        assert time.monotonic() < limit, "this never came to be"
        time.sleep(0.02)


def write_clouds(path: Path, n: int = 150, k: int = 3) -> Path:
    """Write a table of k clouds: three numbers, a category and a key, one column with a hostile name."""
    rng = np.random.default_rng(0)
    labels = np.sort(np.arange(n) % k)
    centres = 10 * np.column_stack([np.arange(k) % 8, np.arange(k) // 8 + (np.arange(k) % 2) * 0.5])
    X = centres[labels] + rng.normal(size=(n, 2))
    kinds = np.array(["red", "green", HOSTILE])[labels % 3]
    quoted = ['"' + str(kind).replace('"', '""') + '"' for kind in kinds]
    title = '"' + HOSTILE.replace('"', '""') + '"'
    lines = [f"width,height,{title},kind"]
    lines += [
        f"{x:.6f},{y:.6f},{z:.6f},{kind}" for (x, y), z, kind in zip(X, X.sum(axis=1), quoted, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_book(folder: Path, n: int = 150, k: int = 3) -> Path:
    """Write a workbook of such clouds with k groups by k-means, which opens at once."""
    book = Workbook.open(write_clouds(folder / "clouds.csv", n, k))
    book.apply({"op": "fit", "method": "kmeans", "k": k, "believe": False, "columns": ["width", "height"]})
    path = folder / "clouds.coterie.json"
    book.save(path)
    return path


def start_browser(running: Any) -> Any:
    """Yield a Chromium with software WebGL."""
    launched = running.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
    yield launched
    launched.close()


@dataclass
class Visit:
    """A page of the explorer, and what it complained about."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def until(self, claim: str) -> None:
        """Wait for a claim about the page; the Content-Security-Policy forbids Playwright's own way."""
        limit = time.monotonic() + PATIENCE
        while not self.page.evaluate(claim):
            assert time.monotonic() < limit, f"still not true: {claim}"
            self.page.wait_for_timeout(20)

    def state(self) -> dict[str, Any]:
        """Return what the page says about itself."""
        return self.page.evaluate("coterie.state()")

    def do(self, action: Any) -> dict[str, Any]:
        """Do something that changes the log, and return the state once it has."""
        before = self.state()["log_length"]
        action()
        self.until(f"coterie.state().log_length !== {before} && !coterie.page.store.job")
        self.until("!coterie.page.store.isBusy")
        return self.state()

    def apply(self, operation: dict[str, Any]) -> dict[str, Any]:
        """Do an operation as the page's own buttons do."""
        return self.do(lambda: self.page.evaluate("one => void coterie.page.store.apply(one)", operation))

    def get(self, testid: str) -> Any:
        """Return the elements with a test id."""
        return self.page.get_by_test_id(testid)

    def settle(self) -> None:
        """Wait until what is asked for has been drawn."""
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def open_page(browser: Any, explorer: Explorer, address: str = "", **how: Any) -> Visit:
    """Open the page in a context of its own; returns when its first frame has been drawn."""
    context = browser.new_context(
        accept_downloads=True, **({"viewport": {"width": 1280, "height": 860}} | how)
    )
    page = context.new_page()
    seen = Visit(page)
    page.on("console", lambda one: seen.errors.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))
    page.goto(explorer.url + address)
    seen.until("Boolean(globalThis.coterie && coterie.ready)")
    page.evaluate("coterie.ready")
    return seen
