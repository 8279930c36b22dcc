"""The answer of `coterie.fit`: groups, how sure they are, and what else was considered."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, fields
from html import escape
from pathlib import Path
from typing import Any

from coterie._support import hooks
from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.optional import require
from coterie._support.typing import JsonObject, Labels, Model, Settings, ValuesByName
from coterie._support.validation.schema import (
    COUNT,
    FLAG,
    DictOf,
    Instance,
    ListOf,
    Maybe,
    Real,
    Sometimes,
    Text,
    wrong,
)
from coterie.cluster import find_method
from coterie.errors import InvalidParameter
from coterie.evaluate import Anomalies, Comparison, Significance, Stability
from coterie.persist import save
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.groups import Groups, Profile
from coterie.pipeline.other_numbers import OtherNumbers, partitions_of
from coterie.pipeline.partition import anomalies_of
from coterie.pipeline.text import summary
from coterie.pipeline.verdict import FitVerdict, decide
from coterie.select.evidence import Evidence

EVERY_ROW = "from every row"
MOST_DECIMALS = 6  # an error below that is rounding
_NOT_SAVED = ("rows", "arguments")


@saved()
class Fact:
    """A number about groups, and how far it can be off.

    Examples
    --------
    >>> print(Fact("silhouette", 0.6213, is_exact=False, error=0.011, how="1,000 rows against all"))
    silhouette 0.621 ± 0.011 (estimated: 1,000 rows against all)
    """

    name: str = held(Text(), "What it is.")
    value: float = held(Real(nan=True), "The number.")
    is_exact: bool = held(Sometimes(FLAG), "Whether every row was taken into account.", default=True)
    error: float | None = held(
        Sometimes(Maybe(Real(nan=True))), "Standard error of an estimate, where it is known.", default=None
    )
    how: str = held(Sometimes(Text()), "Where the number comes from.", default=EVERY_ROW)

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return facts_of(self, "name", "value", "is_exact", "error", "how")

    def __str__(self) -> str:
        how = "exact" if self.is_exact else "estimated"
        return f"{self.name} {with_error(self.value, self.error)} ({how}: {self.how})"


def with_error(value: float, error: float | None) -> str:
    """Return a value with its standard error, two digits of it, and as many decimals of the value.

    An error of 0 is left out: the draws did not differ, which does not make the value exact.

    Examples
    --------
    >>> with_error(0.645095, 0.0029), with_error(1.0, 0.0), with_error(12345.6, 210.4), with_error(0.5, None)
    ('0.6451 ± 0.0029', '1', '12,350 ± 210', '0.5')
    """
    if error is None or not math.isfinite(error) or not math.isfinite(value) or error <= 0:
        return f"{value:.4g}"
    decimals = 1 - math.floor(math.log10(error))
    shown = max(0, decimals)
    if decimals > MOST_DECIMALS:
        return f"{value:.4g}"
    return f"{round(value, decimals):,.{shown}f} ± {round(error, decimals):,.{shown}f}"


@saved(eq=False)
class Clustering:
    """Groups of the rows of a table, and whether to believe them.

    Parameters
    ----------
    groups : Groups
        The groups themselves: labels, columns, scaling, model, profile.
    stability : Stability or None
        Whether they come back in resamples; None without groups.
    significance : Significance or None
        Test against null data: one Gaussian.
    runners_up : tuple of Candidate
        What else was considered, best first.
    comparison : Comparison or None
        Agreement with the truth, where it was given.
    rows : MemoryRows, rows in blocks, or None
        The prepared rows, for a report; None after loading.
    arguments : mapping
        What `coterie.fit` was asked, so that a report can say how to ask again.
    facts : tuple of Fact
        Of data in blocks: numbers, each exact or estimated with its error; else empty.
    winner : Candidate or None
        The candidate that won, with its scores; None: nothing was compared, or there are no groups.
    is_apart : bool or None
        Whether the borders between the groups are significant; None: nothing was compared.
    levels : tuple of Candidate
        Coarser and finer partitions that are supported as well, each nested in the next, coarsest first, the
        answer among them; empty where the data have one granularity. Labels are of the rows compared.

    Examples
    --------
    >>> import coterie
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = coterie.fit(X, budget="fast")
    >>> found.k, np.bincount(found.labels).tolist()
    (3, [60, 60, 60])
    """

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        find_method(state["method"])
        if state["comparison"] is not None and "adjusted_rand_score" not in state["comparison"]:
            raise wrong("comparison", cls.__name__, "hold the adjusted_rand_score", "none")
        stability, n_groups = state["stability"], state["groups"].k
        if stability is not None and len(stability.clusters) != n_groups:
            raise wrong("stability", cls.__name__, f"be of {n_groups} groups", len(stability.clusters))

    groups: Groups = held(Instance(Groups))
    method: str = held(Text(), "The method that found them.")
    evidence: Evidence = held(Instance(Evidence), "What speaks for their number.", repr=False)
    stability: Stability | None = held(Maybe(Instance(Stability)))
    significance: Significance | None = held(Maybe(Instance(Significance)))
    runners_up: tuple[Candidate, ...] = held(ListOf(Instance(Candidate), kind=tuple))
    comparison: Comparison | None = held(Maybe(DictOf(Text(), Real(nan=True))))
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What the reader should know.")
    budget: str = held(Text(), "What was allowed.")
    seed: int = held(COUNT, "Same seed, same data, same answer.")
    seconds: float = held(Real(), "Time it took.")
    rows: Any = field(default=None, repr=False)
    arguments: Settings = field(default_factory=dict, repr=False)
    facts: tuple[Fact, ...] = held(Sometimes(ListOf(Instance(Fact), kind=tuple)), default=())
    winner: Candidate | None = held(Sometimes(Maybe(Instance(Candidate))), default=None)
    is_asked: bool = held(Sometimes(FLAG), "Whether this number of groups was asked for.", default=False)
    is_apart: bool | None = held(Sometimes(Maybe(FLAG)), default=None)
    levels: tuple[Candidate, ...] = held(Sometimes(ListOf(Instance(Candidate), kind=tuple)), default=())

    @property
    def labels(self) -> Labels:
        """Group of each row, 0..k-1, the largest first; -1 is noise; a row that was left out is masked."""
        return self.groups.labels

    @property
    def k(self) -> int:
        """Number of groups in the labels; 1: there are none. Whether to believe them: `convincing`."""
        return self.groups.k

    @property
    def verdict(self) -> FitVerdict:
        """What is decided from the evidence; headline, text, JSON, report and exit code follow it."""
        best = self.runners_up[0].k if self.runners_up else 1
        return decide(
            self.k,
            self.k if self.k > 1 else best,
            is_asked=self.is_asked,
            is_apart=self.is_apart,
            stability=self.stability,
            significance=self.significance,
        )

    @property
    def convincing(self) -> bool | None:
        """Whether the groups stand up to every test; None: not all were made, and none failed."""
        return self.verdict.convincing

    @property
    def model(self) -> Model:
        """The fitted estimator, with its own numbers of clusters."""
        return self.groups.model

    @property
    def profile(self) -> Profile:
        """What sets the groups apart."""
        return self.groups.profile

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        return self.verdict.headline

    def summary(self, *, shell: bool = False) -> str:
        """Return the answer, and the evidence underneath; notes name options of Python, or of the shell."""
        return summary(self, shell=shell)

    def predict(self, rows: object, *, missing: str | None = None) -> Labels:
        """Return the group of each new row, 0..k-1; -1 is noise, a row that is left out is masked.

        Parameters
        ----------
        rows : Table, DataFrame or array
            Matched by column name, or in the order of the columns used.
        missing : {"refuse", "observed", "drop", "median", "auto"}, default=None
            Rows with missing values: see `Groups.predict`; None: as in the fit.
        """
        return self.groups.predict(rows, missing=missing)

    def partitions(self) -> OtherNumbers:
        """Return the groups, and the same rows in other numbers of groups, to be measured and compared.

        Means, silhouettes and the agreement with the truth of each are computed when they are asked for.
        Of data in blocks these are the rows of a sample, with the sizes and means of all rows.
        """
        if self.rows is None:
            raise InvalidParameter("this needs the data, which a saved answer does not hold: fit again.")
        return partitions_of(self)

    def anomalies(self, *, how: str | None = None, n_neighbors: int = 20) -> Anomalies:
        """Return how unusual each row is in its group.

        Parameters
        ----------
        how : {"centre", "local", "glosh"}, default=None
            "centre" and "local": see `coterie.evaluate.anomaly_scores`. "glosh": HDBSCAN's own scores. None:
            "glosh" for HDBSCAN, "local" for distances that have no means, "centre" else.
        n_neighbors : int, default=20
            Neighbours of "local".

        Returns
        -------
        Anomalies
            By row of the table; rows that were left out have NaN. Of data in blocks, of the rows sampled.
        """
        if self.rows is None:
            raise InvalidParameter("this needs the data, which a saved answer does not hold: fit again.")
        return anomalies_of(self, how, n_neighbors)

    def to_frame(self) -> Any:
        """Return a pandas DataFrame: one row per group, with size, share, means and what sets it apart."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        stability = [float("nan")] * self.k if self.stability is None else self.stability.per_cluster
        rows = [
            {
                "group": at,
                "size": int(self.profile.sizes[at]),
                "share": float(self.groups.shares[at]),
                "stability": float(stability[at]),
                "apart": self.profile.words(at),
                **dict(zip(self.profile.columns, self.groups.centers[at].tolist(), strict=True)),
            }
            for at in range(self.k)
        ]
        return pandas.DataFrame(rows).set_index("group")

    def to_dict(self) -> JsonObject:
        """Return plain values: what ``coterie fit --json`` prints about the answer."""
        return {
            **facts_of(self, "k", "headline", "convincing", "verdict", "method"),
            "sizes": self.profile.sizes.tolist(),
            "columns": list(self.groups.table_columns),
            "left_out": {column.name: column.reason for column in self.groups.left_out},
            **facts_of(self, "evidence", "stability", "significance"),
            "levels": [{"k": level.k, "method": level.method} for level in self.levels],
            "runners_up": [candidate.to_dict() for candidate in self.runners_up],
            "truth": None if self.comparison is None else dict(self.comparison),
            **facts_of(self, "facts", "notes", "budget", "seed", "seconds"),
        }

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Save it for `coterie.load`; the data themselves are not saved."""
        save(self, path, force=force)

    def report(self, path: str | Path, *, title: str | None = None, force: bool = False) -> Path:
        """Write a report as one HTML file and return its path.

        Parameters
        ----------
        path : str or Path
            Where to.
        title : str, default=None
            Of the report; None: the name of the data.
        force : bool, default=False
            Replace an existing file.
        """
        written: Path = hooks.ask("write_report")(self, path, title=title, force=force)
        return written

    def explore(self, **options: Any) -> Any:
        """Open the explorer on these groups: see them, correct them, test again, take them away.

        Parameters
        ----------
        **options
            Of `coterie.show.explore`.

        Returns
        -------
        Explorer or widget
            In a notebook a widget; else a handle with the address, ended by its `close`.
        """
        return hooks.ask("explore")(self, **options)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self.summary())}</pre>"

    def __coterie_stand_in__(self) -> Clustering:
        """Return what a file holds: a k-means model gets clustering features, so that it can be updated."""
        kept: Clustering = hooks.ask("with_features")(self)
        return kept

    def __coterie_state__(self) -> ValuesByName:
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name not in _NOT_SAVED}

    @classmethod
    def __coterie_restore__(cls, state: Settings) -> Clustering:
        return cls(**state)
