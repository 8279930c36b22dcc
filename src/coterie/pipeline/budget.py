"""How much time a fit without questions may take."""

from __future__ import annotations

from dataclasses import dataclass

from coterie.errors import InvalidParameter, did_you_mean, shown_in_shell


@dataclass(frozen=True)
class Budget:
    """What one word buys.

    Parameters
    ----------
    name : str
        The word.
    rows : int
        Rows that methods are compared on; a sample when there are more.
    methods : tuple of str
        Methods that are tried.
    most_clusters : int
        The largest number of clusters tried.
    starts : int
        Starts of k-means.
    resamples : int
        Of the stability.
    draws : int
        Data sets without clusters, for the p-value.
    draw_rows : int
        Rows of each.
    """

    name: str
    rows: int
    methods: tuple[str, ...]
    most_clusters: int
    starts: int
    resamples: int
    draws: int
    draw_rows: int


QUICK = ("modes", "kmeans", "mixture", "agglomerative")
ALL = (*QUICK, "hdbscan", "spectral")
BUDGETS = {
    "fast": Budget("fast", 2_500, QUICK, 30, 3, 10, 39, 300),
    "normal": Budget("normal", 5_000, ALL, 50, 4, 20, 99, 500),
    "thorough": Budget("thorough", 12_000, ALL, 80, 10, 50, 199, 1_000),
}


def find_budget(name: object) -> Budget:
    """Return the budget of that name.

    Examples
    --------
    >>> find_budget("fast").rows
    2500
    """
    if isinstance(name, str) and name in BUDGETS:
        return BUDGETS[name]
    allowed = ", ".join(f'"{word}"' for word in BUDGETS)
    near = did_you_mean(name, BUDGETS) if isinstance(name, str) else ""
    raise InvalidParameter(f"budget of coterie.fit must be one of {allowed}, got {name!r}.{near}").in_shell(
        f"--budget must be one of {', '.join(BUDGETS)}, got {shown_in_shell(name)}.{near}"
    )
