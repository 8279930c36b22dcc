"""The report of many rows: when its words and a first picture are there, and when plotly's map is.

``python -m benchmarks.report_page --rows 1000000``. Marks: words and first picture within 2 s of a cold open.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.explorer_page import ARGUMENTS

GROUPS, COLUMNS, OPENS = 6, 8, 3
HAS_PICTURE = "document.querySelector('#map > canvas, #map .main-svg') !== null"


def write_page(folder: Path, n: int) -> Path:
    """Write the report of rows in six groups."""
    import polars

    from coterie.show.report import report_labels

    rng = np.random.default_rng(0)
    groups = rng.integers(0, GROUPS, n)
    X = rng.normal(size=(n, COLUMNS), scale=0.7) + rng.normal(size=(GROUPS, COLUMNS), scale=2.0)[groups]
    rows = polars.DataFrame({f"sensor {at}": X[:, at] for at in range(COLUMNS)})
    rows.write_parquet(folder / "rows.parquet")
    rows.select(group=polars.Series(groups)).write_parquet(folder / "labels.parquet")
    return report_labels(folder / "labels.parquet", folder / "rows.parquet", folder / "report.html")


def measure(path: Path) -> None:
    """Print the times of cold opens, each in a browser of its own."""
    from playwright.sync_api import sync_playwright

    print(f"{path.stat().st_size / 1e6:.1f} MB")
    with sync_playwright() as running:
        for _ in range(OPENS):
            browser = running.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS))
            page = browser.new_context(viewport={"width": 1280, "height": 860}).new_page()
            page.goto(path.as_uri(), wait_until="commit")
            page.wait_for_function(f"document.documentElement.dataset.readableAfter && {HAS_PICTURE}")
            page.wait_for_function("document.documentElement.dataset.ready === 'yes'")
            words, ready = (
                float(page.evaluate(f"document.documentElement.dataset.{name}")) / 1000
                for name in ("readableAfter", "readyAfter")
            )
            print(f"words and first picture: {words:.2f} s; plotly's map: {ready:.2f} s")
            browser.close()


def main() -> None:
    """Write the report, open it and measure."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.report_page", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    n = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        measure(write_page(Path(folder), n))


if __name__ == "__main__":
    main()
