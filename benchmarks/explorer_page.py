"""The page of the explorer with many rows: time to the first frame, time of a lasso, time of a frame.

``python -m benchmarks.explorer_page --rows 1000000``. Chromium renders in software (SwiftShader).
Marks: the first frame within 3 s of the data being there, a lasso of 100,000 rows within 0.5 s.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ARGUMENTS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
GROUPS = 8
FIRST_FRAME = """() => {
  const fetched = performance.getEntriesByType("resource").filter(one => /api\\/(map|labels)/.test(one.name));
  return Math.max(...fetched.map(one => one.responseEnd));
}"""
LASSO = """share => {
  const {store, map} = coterie.page, grid = map.grid(), line = [];
  for (let at = 0; at < 300; at += 1) {
    const turn = at / 300 * 2 * Math.PI;
    line.push([share * Math.cos(turn), share * Math.sin(turn)]);
  }
  const begin = performance.now();
  const rows = grid.inside(line);
  store.select(rows);
  map.paintNow();
  return [rows.length, performance.now() - begin];
}"""
FRAME = """() => {
  const begin = performance.now();
  coterie.page.map.paintNow();
  return performance.now() - begin;
}"""


def write_rows(path: Path, n: int) -> None:
    """Write rows of eight clouds in five columns."""
    import polars

    rng = np.random.default_rng(0)
    centres = rng.uniform(-8, 8, size=(GROUPS, 5))
    X = centres[rng.integers(0, GROUPS, n)] + rng.normal(size=(n, 5))
    polars.DataFrame({f"x{at}": X[:, at].astype(np.float32) for at in range(5)}).write_parquet(path)


def until(page: Any, claim: str, seconds: float = 900.0) -> None:
    """Wait for a claim about the page."""
    limit = time.monotonic() + seconds
    while not page.evaluate(claim):
        if time.monotonic() > limit:
            raise TimeoutError(claim)
        page.wait_for_timeout(50)


def measure(url: str) -> None:
    """Print what was measured."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
        page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
        page.goto(url)
        until(page, "Boolean(globalThis.coterie?.ready)")
        page.evaluate("coterie.ready")
        ready = page.evaluate("performance.now()")
        print(f"first frame: {(ready - page.evaluate(FIRST_FRAME)) / 1000:.2f} s after map and labels came")
        for share in (0.2, 0.35, 0.5, 0.5):
            rows, took = page.evaluate(LASSO, share)
            print(f"lasso of {rows:,} rows: {took / 1000:.3f} s until it is painted")
        page.evaluate("coterie.select([])")
        page.wait_for_timeout(300)
        kind = page.evaluate("coterie.page.map.element.dataset.drawn")
        print(f"frame of everything ({kind}): {page.evaluate(FRAME):.0f} ms")
        page.evaluate("() => coterie.page.map.camera.zoomBy(20)")
        print(f"frame, zoomed in ({page.evaluate(FRAME):.0f} ms to ask, software rendering follows)")
        page.screenshot(path=str(Path(tempfile.gettempdir()) / "explorer_page.png"))
        browser.close()


def main() -> None:
    """Serve the rows and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write_rows(path, n)
        command = [sys.executable, "-m", "coterie", "explore", str(path), "--port", "0", "--no-open"]
        environment = {**os.environ, "COTERIE_STATE": folder}
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        try:
            assert server.stdout is not None
            measure(server.stdout.readline().strip())
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main()
