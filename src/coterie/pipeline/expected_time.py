"""How long a fit may take, told before it starts. The estimate decides words only, never what is done."""

from __future__ import annotations

from coterie._support.progress import clock
from coterie.pipeline.request import BUDGETS, Budget

LONG = 10.0  # seconds from which it is worth telling
# seconds on two cores: at least, per compared row, per pair of these and column, per value of the table
COSTS = {
    "fast": (1.0, 1.2e-3, 1e-9, 1.5e-7),
    "normal": (1.5, 2.2e-3, 1e-9, 1.5e-7),
    "thorough": (6.0, 6e-3, 1.5e-9, 1.5e-7),
}


def expected_seconds(n_rows: int, n_columns: int, budget: Budget) -> float:
    """Return about how many seconds it takes to compare methods on a table and to test the answer.

    Examples
    --------
    >>> expected_seconds(500, 5, BUDGETS["normal"]) < LONG < expected_seconds(20_000, 200, BUDGETS["normal"])
    True
    """
    n_compared = min(n_rows, budget.rows)
    least, per_row, per_pair, per_value = COSTS[budget.name]
    return least + per_row * n_compared + (per_pair * n_compared**2 + per_value * n_rows) * n_columns


def tell_long(n_rows: int, n_columns: int, budget: Budget, *, in_shell: bool) -> str:
    """Return what to tell about the time of a long fit, and how to have it sooner; nothing of a short one.

    Examples
    --------
    >>> tell_long(20_000, 200, BUDGETS["normal"], in_shell=True)
    'about 18 s; --budget fast takes 6 s'
    >>> tell_long(200, 2, BUDGETS["normal"], in_shell=True)
    ''
    """
    seconds = expected_seconds(n_rows, n_columns, budget)
    if seconds < LONG:
        return ""
    long = f"about {clock(_rounded(seconds))}"
    if budget.name == "fast":
        return long
    sooner = _rounded(expected_seconds(n_rows, n_columns, BUDGETS["fast"]))
    option = "--budget fast" if in_shell else 'budget="fast"'
    return f"{long}; {option} takes {clock(sooner)}"


def _rounded(seconds: float) -> float:
    """Return seconds as one would say them: an estimate has no more than one or two figures."""
    return 10.0 * round(seconds / 10.0) if seconds >= 20.0 else float(round(seconds))
