"""Which columns of data in blocks say something about the rows, and why the others do not."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coterie._support.validation.explain import refuse_queries
from coterie.data import LeftOut
from coterie.data.columns import check_names, is_key_name
from coterie.data.paths import expand
from coterie.data.prepared import NOT_NAMED
from coterie.errors import InvalidData, InvalidParameter
from coterie.scale.blocks import Blocks
from coterie.scale.sampling import draw_sample
from coterie.scale.sources.reading import open_tables, read_blocks
from coterie.scale.sources.tables import is_numeric

KEY_ROWS = 1000  # that are looked at to find keys
KEY_SHARE = 0.3  # different values per row from which whole numbers called like a key are one
LeftOuts = tuple[LeftOut, ...]


@dataclass(frozen=True, eq=False)
class Opened:
    """The rows in the columns that are used.

    Parameters
    ----------
    source : object
        Where they come from.
    blocks : Blocks
        The rows, as they are.
    left_out : tuple of LeftOut
        Columns that are not used.
    has_names : bool
        Whether columns have names to choose them by.
    """

    source: Any
    blocks: Blocks
    left_out: LeftOuts
    has_names: bool

    @property
    def title(self) -> str:
        """What to call the data."""
        return os.fspath(self.source) if isinstance(self.source, str | os.PathLike) else "the data"

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns, made up where there are none."""
        return self.blocks.columns or tuple(f"column_{at + 1}" for at in range(self.blocks.n_columns))

    def renamed_reason(self, name: str, reason: str) -> Opened:
        """Return the same with another reason why a column is left out."""
        changed = (LeftOut(one.name, reason) if one.name == name else one for one in self.left_out)
        return replace(self, left_out=tuple(changed))

    def without(self, names: Sequence[str], reason: str) -> Opened:
        """Return the same rows with fewer columns."""
        used = [name for name in self.columns if name not in names]
        if not used:
            raise InvalidData(f"{self.title}: no column of numbers to cluster by: all are {reason}.")
        left_out = (*self.left_out, *(LeftOut(name, reason) for name in names))
        return Opened(self.source, read_blocks(self.source, columns=used), left_out, self.has_names)


def open_columns(
    source: Any, columns: Sequence[str] = (), drop: Sequence[str] = (), keep: Sequence[str] = ()
) -> Opened:
    """Open the columns of numbers that are no keys.

    Parameters
    ----------
    source : anything that `read_blocks` takes
        Of tables columns are chosen; matrices are taken as they are.
    columns : sequence of str
        The only columns to use; none: all that can be used.
    drop, keep : sequences of str
        Columns to leave out; columns to use although they look like keys.
    """
    refuse_queries(source, "X of coterie.fit")
    types = _types_of(source)
    if types is None:
        if drop or keep or columns:
            raise InvalidParameter(
                "columns, drop and keep name columns; this source has none. Select them before."
            )
        return Opened(source, read_blocks(source), (), False)
    title = os.fspath(source) if isinstance(source, str | os.PathLike) else "the data"
    check_names(title, list(types), [*columns, *drop, *keep])
    keep = [*keep, *(name for name in columns if name not in drop)]
    reasons = {name: f"{kind}, not numbers" for name, (is_number, kind) in types.items() if not is_number}
    for name in keep:
        if name in reasons:
            raise InvalidParameter(
                f'{title}: column "{name}" cannot be kept: it is {reasons[name]}, numbers are needed.'
            )
    reasons |= {name: NOT_NAMED for name in types if columns and name not in columns}
    reasons |= dict.fromkeys(drop, "dropped")
    suspects = [name for name in types if is_key_name(name)]
    reasons |= dict.fromkeys(
        _keys(source, [one for one in suspects if one not in {*keep, *reasons}]), "a key"
    )
    used = [name for name in types if name not in reasons]
    if not used:
        listed = ", ".join(f"{name} ({reason})" for name, reason in list(reasons.items())[:5])
        raise InvalidData(f"{title}: no column of numbers to cluster by: {listed}.")
    left_out = tuple(LeftOut(name, reasons[name]) for name in types if name in reasons)
    return Opened(source, read_blocks(source, columns=used), left_out, True)


def _keys(source: Any, names: list[str]) -> list[str]:
    """Return the columns, called like keys, that have many different values: counts may restart in files."""
    if not names:
        return []
    X = draw_sample(read_blocks(source, columns=names), KEY_ROWS, seed=0).X
    is_whole = (np.rint(X) == X).all(axis=0)
    shares = [len(np.unique(column)) / len(X) for column in X.T]
    return [name for at, name in enumerate(names) if is_whole[at] and shares[at] >= KEY_SHARE]


def _types_of(source: Any) -> Mapping[str, tuple[bool, str]] | None:
    """Return whether each column of a table holds numbers, and its type in words; None for matrices."""
    kind = type(source).__module__.partition(".")[0]
    if hasattr(source, "dtypes") and hasattr(source, "columns"):
        types = {str(name): dtype for name, dtype in zip(source.columns, source.dtypes, strict=True)}
        return {name: (getattr(dtype, "kind", "O") in "biuf", str(dtype)) for name, dtype in types.items()}
    table = None
    if kind == "pyarrow":
        from coterie.scale.sources.arrow import open_any

        table = open_any(source)[0]
    first = source[0] if isinstance(source, list | tuple) and source else source
    if isinstance(first, str | os.PathLike):
        first = expand(first)[0]
        if os.path.isfile(first) and not first.lower().endswith(".npy"):
            table = open_tables([first])[0]
    if table is None:
        return None
    return {name: (is_numeric(kind), str(kind)) for name, kind in table.types.items()}
