"""The evidence for a number of clusters, as a value that can be read, tabled and drawn."""

from __future__ import annotations

from html import escape

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.optional import require
from coterie._support.typing import JsonObject, Labels, PandasFrame
from coterie._support.validation import unknown_name
from coterie._support.validation.schema import (
    COUNT,
    DictOf,
    Instance,
    ListOf,
    Maybe,
    Real,
    Sometimes,
    Tensor,
    Text,
)
from coterie.select.catalogue import find_criterion
from coterie.select.curve import Curve
from coterie.select.verdict import Verdict, voting


class PrintedTable(str):
    """A table of text that shows itself as such."""

    def __repr__(self) -> str:
        return str(self)


@saved(eq=False)
class Evidence:
    """What criteria say about the number of clusters.

    Parameters
    ----------
    labelings : dict of int to ndarray or None
        Labels of each k; None where the method did not find so many clusters.
    flags : tuple of str
        Clusterings that are trivial: nearly all rows in one cluster, or crumbs.
    notes : tuple of str
        What was left out or estimated, and why.

    Examples
    --------
    >>> from coterie.select import choose_k
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (50, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> evidence = choose_k(X, k=range(1, 7), criteria=["silhouette", "gap_pca", "hartigan"], random_state=0)
    >>> evidence.k, evidence.curve("silhouette").choice
    (3, 3)
    """

    method: str = held(Text(), "The method whose clusterings were judged.")
    ks: tuple[int, ...] = held(ListOf(COUNT, kind=tuple), "Numbers of clusters, ascending.")
    curves: tuple[Curve, ...] = held(ListOf(Instance(Curve), kind=tuple), "One per criterion.")
    labelings: dict[int, Labels | None] = held(
        DictOf(COUNT, Maybe(Tensor(None, kind="i", low=-2))), repr=False
    )
    flags: tuple[str, ...] = held(ListOf(Text(), kind=tuple))
    verdict: Verdict = held(Instance(Verdict), "The answer, with reasons and disagreements.")
    notes: tuple[str, ...] = held(Sometimes(ListOf(Text(), kind=tuple)), default=())
    seconds: float = held(Sometimes(Real()), "Time it took.", default=0.0)

    @property
    def k(self) -> int:
        """The number of clusters of the verdict; 1: none."""
        return self.verdict.k

    @property
    def labels(self) -> Labels | None:
        """The labels at the verdict's number of clusters."""
        return self.labelings.get(self.k)

    def curve(self, name: str) -> Curve:
        """Return the curve of one criterion."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        names = [curve.name for curve in self.curves]
        raise unknown_name("criterion in this evidence", name, names, listed_by="evidence.curves")

    def votes_of(self, curve: Curve) -> int:
        """Return the votes of a criterion in the verdict: 0 where it echoes another or does not choose."""
        if curve.choice is None or not self.verdict.votes or curve not in voting(self.curves):
            return 0
        return find_criterion(curve.name).votes

    def table(self) -> PrintedTable:
        """Return a table: a row per criterion, a column per number of clusters, choices in brackets."""
        has_votes = bool(self.verdict.votes)
        rows = [["", *map(str, self.ks), "chooses", *(["votes"] if has_votes else [])]]
        for curve in self.curves:
            cells = [_cell(value, k == curve.choice) for k, value in zip(self.ks, curve.values, strict=True)]
            chosen = "-" if curve.choice is None else str(curve.choice)
            votes = [str(self.votes_of(curve) or "-")] if has_votes else []
            rows.append([curve.title + (" ~" if curve.is_estimate else ""), *cells, chosen, *votes])
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        lines = [
            f"{row[0]:<{widths[0]}}  "
            + "  ".join(f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
            for row in rows
        ]
        return PrintedTable("\n".join(line.rstrip() for line in lines))

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: a row per criterion and k, with value, error and choice."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        rows = [
            {
                "criterion": curve.name,
                "k": k,
                "value": float(curve.values[at]),
                "error": float("nan") if curve.errors is None else float(curve.errors[at]),
                "is_choice": k == curve.choice,
                "is_estimate": curve.is_estimate,
            }
            for curve in self.curves
            for at, k in enumerate(self.ks)
        ]
        return pandas.DataFrame(rows).set_index(["criterion", "k"])

    def to_dict(self) -> JsonObject:
        """Return plain lists and numbers, without the labels."""
        return facts_of(self, "method", "k", "ks", "verdict", "curves", "flags", "notes", "seconds")

    def summary(self) -> str:
        """Return the answer in words, and the reasons underneath."""
        verdict = self.verdict
        lines = [f"{self.method}: {verdict!r}", *(f"  for: {reason}" for reason in verdict.reasons)]
        lines += [f"  but: {reason}" for reason in verdict.disagreements]
        lines += [f"  note: {note}" for note in (*self.flags, *self.notes)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"{self.summary()}\n\n{self.table()}"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{k}</th>" for k in self.ks)
        rows = "".join(
            f"<tr><th title='{escape(curve.reason)}'>{escape(curve.title)}</th>"
            + "".join(
                f"<td>{'<b>' if k == curve.choice else ''}{escape(_number(value))}</td>"
                for k, value in zip(self.ks, curve.values, strict=True)
            )
            + "</tr>"
            for curve in self.curves
        )
        answer = escape(repr(self.verdict))
        return f"<p>{answer}</p><table><tr><th>criterion</th>{head}</tr>{rows}</table>"


def _cell(value: float, is_choice: bool) -> str:
    return f"[{_number(value)}]" if is_choice else _number(value)


def _number(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.3g}" if abs(value) < 1000 else f"{value:.3e}"
