"""The result: groups of the rows of a table, how they were found, and how to place new rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Indices, Labels
from coterie._support.validation import check_data
from coterie.data import LeftOut, Scaling, Table, settle_missing
from coterie.distance import get_geometry
from coterie.errors import InvalidData
from coterie.pipeline.profile import Profile

NOT_GROUPED = -2  # a row that was left out because of missing values; -1 is noise


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of the rows of a table, numbered from 1, the largest first.

    Parameters
    ----------
    source : str
        Name of the table.
    n_rows : int
        Rows of the table.
    columns : tuple of str
        Columns used.
    left_out : tuple of LeftOut
        Columns not used, and why.
    notes : tuple of str
        What else the reader of the result should know.
    recipe : Recipe
        How the groups were found.
    scaling : Scaling
        How the columns were scaled.
    medians : array of shape (n_columns,) or None
        What missing values were filled with.
    model : estimator
        The fitted estimator, with its own numbering of clusters.
    numbers : array
        ``numbers[label]`` is the group of the model's cluster `label`.
    labels : array of shape (n_rows,)
        Group of each row; -1 is noise, -2 a row that was left out. Of rows in blocks, those of a sample.
    profile : Profile
        Sizes, means, differences.
    centers : array of shape (k, n_columns)
        Centre of each group in the table's units.
    explained : float or None
        Share of the scaled data's variance that lies between the groups; None without any variance.
    seconds : float
        Time the fit took.
    """

    source: str
    n_rows: int
    columns: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]
    recipe: Any
    scaling: Scaling
    medians: FloatArray | None
    model: Any
    numbers: Labels
    labels: Labels
    profile: Profile
    centers: FloatArray
    explained: float | None
    seconds: float

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.profile.sizes)

    @property
    def n_noise(self) -> int:
        """Rows in no group."""
        return self.n_rows - int(self.profile.sizes.sum()) - int((self.labels == NOT_GROUPED).sum())

    @property
    def shares(self) -> FloatArray:
        """Share of the table's rows in each group."""
        return np.asarray(self.profile.sizes / self.n_rows)

    @property
    def objective(self) -> tuple[str, float] | None:
        """What the method made small or large, in words, and its value; None for methods without one."""
        value = getattr(self.model, "inertia_", getattr(self.model, "lower_bound_", None))
        if value is None:
            return None
        if hasattr(self.model, "_objective_words"):
            return self.model._objective_words, float(value)
        words = get_geometry(getattr(self.model, "geometry", "euclidean")).barycentre.objective
        return ("SSE" if words.endswith("(SSE)") else words), float(value)

    @property
    def medoid_rows(self) -> Indices | None:
        """Row of the table, counted from 0, that is the medoid of each group; None for other methods."""
        medoids = getattr(self.model, "medoid_indices_", None)
        if medoids is None:
            return None
        by_group = medoids[np.argsort(self.numbers)]
        if len(self.labels) != self.n_rows:  # rows in blocks: none was left out
            return np.asarray(by_group)
        return np.asarray(np.flatnonzero(self.labels != NOT_GROUPED)[by_group])

    def predict(self, rows: Any, *, missing: str = "error") -> Labels:
        """Return the group of each new row.

        Parameters
        ----------
        rows : Table, DataFrame or array
            Tables and frames are matched by column name; arrays must have the model's columns in their order.
        missing : {"error", "drop", "median"}, default="error"
            Rows with missing values: refuse, label them -2, or fill them with the medians of the fit.

        Returns
        -------
        array of shape (n_rows,)
            Groups numbered as here.
        """
        X, source = self._matrix(rows)
        complete = settle_missing(X, self.columns, policy=missing, source=source, medians=self.medians)
        found = number_labels(self.model.predict(self.scaling.apply(complete.X)), self.numbers)
        labels = np.full(X.shape[0], NOT_GROUPED, dtype=np.int32)
        labels[complete.rows] = found
        return labels

    def _matrix(self, rows: Any) -> tuple[Any, str]:
        if isinstance(rows, Table):
            return rows.matrix(self.columns), rows.source
        if hasattr(rows, "columns"):
            absent = [name for name in self.columns if name not in rows.columns]
            if absent:
                raise InvalidData(
                    f"the rows lack the columns {', '.join(absent)} that the groups were found by."
                )
            rows = rows[list(self.columns)]
        X = check_data(
            rows, who="predict", name="rows", accept_sparse=True, may_be_missing=True, may_be_distances=True
        )
        if X.shape[1] != len(self.columns):
            raise InvalidData(
                f"the rows must have {len(self.columns)} columns ({', '.join(self.columns[:5])}"
                f"{' ...' if len(self.columns) > 5 else ''}), got shape {X.shape}."
            )
        return X, "the rows"

    def __repr__(self) -> str:
        sizes = ", ".join(str(size) for size in self.profile.sizes[:8]) + (" ..." if self.k > 8 else "")
        return f"<{self.k} groups in {self.source}: {sizes} of {self.n_rows:,} rows>"


def number_labels(labels: Labels, numbers: Labels) -> Labels:
    """Translate a model's labels into group numbers; noise stays -1."""
    if numbers.size == 0:
        return np.full(len(labels), -1, dtype=np.int32)
    return np.where(labels >= 0, numbers[np.maximum(labels, 0)], -1).astype(np.int32)
