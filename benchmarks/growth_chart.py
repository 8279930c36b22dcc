"""The table and the picture of growth: measured exponents beside the best known ones."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from benchmarks.growth_bounds import Bound
    from benchmarks.growth_methods import Measured

LEAST_SECONDS, LEAST_MEMORY = 0.02, 4.0  # processor seconds and MiB: below, it is the cost of a call
MARGIN = 0.2  # above the best known exponent by more than logarithms and caches explain
COLUMNS = 5  # of the picture


def table(
    found: Mapping[str, Sequence[Measured]],
    bounds: Mapping[str, Bound],
    where: str,
    most_seconds: float,
) -> str:
    """Return the table as Markdown; methods that were not measured have what is known about them."""
    lines = [
        f"Measured by `python -m benchmarks.growth_methods` on {where}: processor seconds of one fit",
        "of clustered float64 rows, and memory beyond them. Rows from 1e3 on with 8 columns and 8 groups,",
        f"until a fit would take more than {most_seconds:g} s; columns and groups from 4 to 256 at a number",
        "of rows that takes at most a second. Exponents are slopes over the three largest sizes; a dash: too",
        "small to tell from the cost of a call, or not measured.",
        "",
        "| method | rows up to | seconds | time in n | best known | memory in n | time in d | time in k "
        "| why |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_line(name, found.get(name, ()), bound) for name, bound in bounds.items()]
    return "\n".join(lines)


def _line(name: str, found: Sequence[Measured], bound: Bound) -> str:
    if not found:
        return f"| `{name}` | - | - | - | {bound.time:g} | - | - | - | {bound.reason} |"
    from benchmarks.growth_methods import exponent

    of_axis = {axis: [one for one in found if one.axis == axis] for axis in "ndk"}
    time, memory, columns, groups = (
        exponent(of_axis[axis], value, least)
        for axis, value, least in (
            ("n", "processor", LEAST_SECONDS),
            ("n", "peak", LEAST_MEMORY),
            ("d", "processor", LEAST_SECONDS),
            ("k", "processor", LEAST_SECONDS),
        )
    )
    largest = max(of_axis["n"], key=lambda one: one.n)
    is_above = time is not None and time > bound.time + MARGIN
    mark = "**" if is_above else ""
    return (
        f"| `{name}` | {_power(largest.n)} | {largest.processor:.3g} | {mark}{_number(time)}{mark} | "
        f"{bound.time:g} | {_number(memory)} | {_number(columns)} | {_number(groups)} | {bound.reason} |"
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _power(n: int) -> str:
    exponent = math.floor(math.log10(n))
    return f"{n / 10**exponent:.2g}e{exponent}"


def draw(found: Mapping[str, Sequence[Measured]], path: Path) -> None:
    """Draw processor seconds and memory against the rows, a small picture per method."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    n_lines = -(-len(found) // COLUMNS)
    figure, grid = plt.subplots(
        n_lines, COLUMNS, figsize=(2.4 * COLUMNS, 2.1 * n_lines), sharex=True, sharey=True, squeeze=False
    )
    for axes in grid.flat[len(found) :]:
        axes.set_axis_off()
    for axes, (name, measured) in zip(grid.flat, found.items(), strict=False):
        by_rows = [one for one in measured if one.axis == "n"]
        sizes = [one.n for one in by_rows]
        axes.loglog(
            sizes,
            [one.processor for one in by_rows],
            "o-",
            ms=3,
            lw=1.2,
            color="#0072b2",
            label="processor s",
        )
        axes.loglog(
            sizes,
            [max(one.peak, 0.1) / 1024 for one in by_rows],
            "s--",
            ms=3,
            lw=1,
            color="#d55e00",
            label="GiB",
        )
        axes.set_title(name, fontsize=8)
        axes.tick_params(labelsize=7)
        axes.grid(alpha=0.25, lw=0.5)
    grid.flat[0].legend(fontsize=6, frameon=False)
    figure.supxlabel("rows", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
