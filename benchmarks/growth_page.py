"""The tables of growth: what was measured, the model fitted to it, and what it says of 1e10 rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from benchmarks.growth import Measured, Method

BEGIN, END = "<!-- growth: begin -->", "<!-- growth: end -->"
MANY, WORKERS = 10_000_000_000, 100
LARGE_BLOCK = 1 << 22  # rows: with more of them in a block the scheduler has fewer tasks
DBSCAN, SINGLE = 30, 250  # bytes per row where fit was called, while it works
DAY, YEAR = 86400.0, 3.15e7


def tables(methods: Sequence[Method], found: Sequence[Measured], per_task: float, machine: str) -> str:
    """Return all tables as Markdown."""
    lines = [
        f"Measured by `python -m benchmarks.growth` on {machine}:",
        "",
        "| class | rows | seconds | processor, ns per row | peak memory | reading, s | times reading |",
        "|---|---|---|---|---|---|---|",
        *(_line_of(one) for one in found),
        "",
        "**Model.** Processor seconds are *a + b n*, fitted to these lines by least squares of relative",
        "errors; for single linkage *n* counts a row once for each other block. The scheduler of a cluster",
        f"takes {1000 * per_task:.2g} ms per task (empty tasks, two workers).",
        "",
        f"**A projection, not a measurement:** {_power(MANY)} rows on {WORKERS} workers of one processor",
        f"each, in blocks and boxes of {LARGE_BLOCK / 1e6:.0f} million rows. Faults, slow workers and a",
        "network between files and workers are not in it.",
        "",
        "| class | a | b | work per worker | scheduler | together | memory where `fit` was called |",
        "|---|---|---|---|---|---|---|",
    ]
    for method in methods:
        mine = [one for one in found if one.method == method.name]
        if mine:
            lines.append(_projection(method, mine, per_task))
    works = "; ".join(f"`{method.name}`: {method.work}, {method.columns} columns" for method in methods)
    return "\n".join([*lines, "", f"{works}. Rows are float32 in plain Parquet files."])


def _line_of(one: Measured) -> str:
    reading = " | " if one.reading is None else f"{one.reading:.3g} | {one.seconds / one.reading:.1f}"
    per_row = 1e9 * one.processor / one.rows
    return (
        f"| `{one.method}` | {_power(one.rows)} | {one.seconds:.3g} | {per_row:.0f} | {one.peak:.0f} MiB | "
        f"{reading} |"
    )


def _projection(method: Method, found: Sequence[Measured], per_task: float) -> str:
    sizes = [_looked_at(method, one.rows, usual_block(method.columns)) for one in found]
    a, b = fit_line(sizes, [one.processor for one in found])
    work = (a + b * _looked_at(method, MANY, LARGE_BLOCK)) / WORKERS
    scheduler = n_tasks(method, -(-MANY // LARGE_BLOCK)) * per_task
    memory = f"{method.client_bytes * MANY / 1e12:.1f} TB" if method.client_bytes else "below 2 GB"
    return (
        f"| `{method.name}` | {a:.2g} s | {b * 1e9:,.0f} ns | {_duration(work)} | {_duration(scheduler)} | "
        f"{_duration(work + scheduler)} | {memory} |"
    )


def n_tasks(method: Method, n_blocks: int) -> int:
    """Return how many tasks the scheduler sees."""
    if method.is_paired:
        return n_blocks * (n_blocks - 1) // 2
    return n_blocks * (method.passes + (n_blocks if method.is_split else 0))


def usual_block(columns: int) -> int:
    """Return the rows of a block that was measured."""
    from coterie.scale.blocks import rows_per_block

    return rows_per_block(columns)


def _looked_at(method: Method, rows: int, block: int) -> float:
    """Return how many rows are worked on, those of single linkage once for each other block."""
    n_blocks = -(-rows // block)
    return float(rows * max(n_blocks - 1, 1)) if method.is_paired else float(rows)


def fit_line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return a and b, neither negative, of ``y = a + b x`` with the least sum of squared relative errors."""
    X, Y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if len(X) > 1:
        a, b = np.linalg.lstsq(np.stack([1 / Y, X / Y], axis=1), np.ones(len(X)), rcond=None)[0]
        if a >= 0 and b >= 0:
            return float(a), float(b)
    return 0.0, float(np.exp(np.mean(np.log(Y / X))))


def _duration(seconds: float) -> str:
    for size, unit in ((YEAR, "years"), (DAY, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds:.3g} s"


def _power(n: int) -> str:
    return f"{n:.0e}".replace("e+0", "e").replace("e+", "e")


def write(page: Path, text: str) -> None:
    """Put the tables between the marks of a page."""
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    if not rest or END not in rest:
        raise SystemExit(f"{page}: has no lines {BEGIN} and {END} to write between.")
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", encoding="utf-8")
