"""What was found out of core: the answer of `coterie.fit`, with labels made block by block."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.typing import Indices
from coterie.data.paths import is_in_blocks
from coterie.errors import InvalidParameter
from coterie.pipeline import Clustering
from coterie.scale.blocks import Blocks
from coterie.scale.label_files import write_labels
from coterie.scale.labelling import Labelling
from coterie.scale.methods.base import new_blocks


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class LazyClustering(Clustering):
    """Groups of rows in blocks, and whether to believe them.

    A `Clustering` whose labels are lazy. Sizes, means, centres and the numbers of `facts` that say so are
    exact: every row was taken into account. The comparison of methods, stability and chance come from a
    sample, as `facts` and `notes` say. `table`, `groups.labels`, rules and typical rows are of the sample.

    Parameters
    ----------
    labelling : Labelling
        The group of each row.
    """

    labelling: Labelling = field(repr=False)

    @property
    def blocks(self) -> Blocks:
        """All rows, scaled."""
        return self.rows.blocks  # type: ignore[no-any-return]  # they are rows in blocks

    @property
    def sampled_rows(self) -> Indices:
        """Which rows of the whole the sample consists of."""
        return self.rows.sampled_rows  # type: ignore[no-any-return]

    @property
    def labels(self) -> Any:
        """Group of each row, 0..k-1, the largest first, -1 is noise: a lazy Dask array of int32.

        Rows that were left out for missing values are masked.
        """
        return self.rows.lazy_labels(self.labelling)

    def write_labels(
        self, folder: str | os.PathLike[str], *, with_data: bool = False, force: bool = False
    ) -> Path:
        """Write the group of each row to Parquet files in a folder, one per block.

        The columns are the keys of the input, or `row`, counted from 1, where it has none; `label`, 0..k-1
        and -1 for noise; and `group`, its name.

        Parameters
        ----------
        folder : path
            Made if it is not there.
        with_data : bool, default=False
            Whether all columns of the input are written beside the labels; of files and Arrow datasets.
        force : bool, default=False
            Whether files of the same names may be replaced.
        """
        function, *args = self.labelling.task()
        carried = self.rows.opened.carried(with_data=with_data)
        if with_data and carried is None:
            raise InvalidParameter(
                "with_data writes the columns of files and Arrow datasets; these data have none by name. "
                "Join by the row number that is written beside the label."
            ).in_shell("--with-data writes the columns of tables; these data have none by name.")
        return write_labels(self.blocks, function, *args, folder=folder, force=force, carried=carried)

    def predict(self, rows: object, *, missing: str = "error") -> Any:
        """Return the group of each new row, 0..k-1; lazy for data in blocks.

        Parameters
        ----------
        rows : Table, DataFrame, array, path, or data in blocks
            Matched by column name, or in the order of the columns used. Files are read in blocks.
        missing : {"error", "drop", "median"}, default="error"
            Rows with missing values: refuse, or mask; data in blocks must have none.
        """
        if not self.labelling.places_rows:
            raise InvalidParameter(
                "no new rows can be placed: DBSCAN found more core points than are kept. Fit old and new "
                "rows together."
            )
        if not isinstance(rows, str | os.PathLike) and not is_in_blocks(rows):
            return super().predict(rows, missing=missing)
        names = self.blocks.columns
        readings = self.rows.opened.readings
        blocks = new_blocks(rows, names, len(self.groups.columns), who="coterie.fit", readings=readings)
        return self.labelling.placed(blocks.scaled(self.groups.scaling))

    def __coterie_stand_in__(self) -> Clustering:
        """Return what a file can hold: everything but rows and their labels."""
        kept = {each.name: getattr(self, each.name) for each in fields(Clustering)}
        groups = replace(self.groups, labels=np.zeros(0, np.int32))
        return Clustering(**kept | {"groups": groups, "rows": None})
