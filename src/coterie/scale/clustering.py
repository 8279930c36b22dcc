"""What was found out of core: the answer of `coterie.fit`, with labels made block by block."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

import dask.array
import numpy as np
from dask.array import Array as DaskArray

from coterie._support.typing import Indices, Labels
from coterie.data.paths import is_in_blocks
from coterie.errors import InvalidParameter
from coterie.pipeline import Clustering
from coterie.pipeline.update import with_features
from coterie.scale.blocks import Blocks
from coterie.scale.label_files import write_labels
from coterie.scale.labelling import Labelling, label_task, lazy_labels
from coterie.scale.placing import place_rows
from coterie.scale.runtime.passes import lazy_array


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
    def labels(self) -> dask.array.Array:
        """Group of each row, 0..k-1, the largest first, -1 is noise: a lazy Dask array of int32.

        Rows that were left out for missing values are masked.
        """
        return lazy_labels(self.rows, self.labelling)

    def write_labels(
        self,
        folder: str | os.PathLike[str],
        *,
        with_data: bool = False,
        carry: str | Sequence[str] = (),
        with_file: bool = False,
        keep_layout: bool = False,
        force: bool = False,
    ) -> Path:
        """Write the group of each row to Parquet files in a folder, one per block.

        The columns are the keys of the input, or `row`, counted from 1, where it has none; `label`, 0..k-1
        and -1 for noise; and `group`, its name. Both are empty for rows that were left out. A run that was
        ended goes on where it was: parts that are whole are kept, as their checksums tell. The file
        ``_manifest.json`` names all parts, their rows and checksums.

        Parameters
        ----------
        folder : path
            Made if it is not there.
        with_data : bool, default=False
            Whether all columns of the input are written beside the labels; of files and Arrow datasets.
        carry : str or sequence of str
            Columns of the input that are written beside the labels.
        with_file : bool, default=False
            Whether `file` and `file_row` say where each row comes from, rows counted from 1.
        keep_layout : bool, default=False
            Whether there is one part per file of the input, in folders of the same names.
        force : bool, default=False
            Whether files of the same names may be replaced.
        """
        rows, function, *args = label_task(self.rows, self.labelling)
        opened, names = self.rows.opened, [carry] if isinstance(carry, str) else list(carry)
        if opened.tables is None and (with_data or names or with_file or keep_layout):
            raise InvalidParameter(
                "with_data, carry, with_file and keep_layout are for files and Arrow datasets; these data "
                "have no columns by name. Join by the row number that is written beside the label."
            ).in_shell(
                "--with-data, --carry, --with-file and --keep-layout are for tables; these data have none."
            )
        carried = opened.beside(names, with_data=with_data, with_file=with_file)
        layout = opened.tables if keep_layout else None
        return write_labels(rows, function, *args, folder=folder, force=force, carried=carried, layout=layout)

    def predict(self, rows: object, *, missing: str | None = None) -> Labels | DaskArray:
        """Return the group of each new row, 0..k-1; lazy for data in blocks.

        Parameters
        ----------
        rows : Table, DataFrame, array, path, or data in blocks
            Matched by column name, or in the order of the columns used. Files are read in blocks.
        missing : {"auto", "observed", "drop", "median", "refuse"}, default=None
            Rows with missing values: see `Groups.predict`; None: as in the fit.
        """
        if not self.labelling.places_rows:
            raise InvalidParameter(
                "new rows cannot be predicted: DBSCAN found more core points than are kept. Fit old and new "
                "rows together."
            )
        if not isinstance(rows, str | os.PathLike) and not is_in_blocks(rows):
            return super().predict(rows, missing=missing)
        blocks, function, *args = place_rows(self.groups, rows, missing)
        return lazy_array(blocks, function, *args, dtype=np.int32)

    def __coterie_stand_in__(self) -> Clustering:
        """Return what a file can hold: everything but rows and their labels."""
        whole = with_features(self)
        kept = {each.name: getattr(whole, each.name) for each in fields(Clustering)}
        groups = replace(whole.groups, labels=np.zeros(0, np.int32))
        return Clustering(**kept | {"groups": groups, "rows": None})
