"""From files of any size to groups: which columns, in which units, by which method."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._progress import ProgressOption
from coterie._typing import FloatArray, RandomState
from coterie.cluster import find_method
from coterie.errors import InvalidData, InvalidParameter
from coterie.read.columns import check_names, is_key_name
from coterie.scale import moments
from coterie.scale.blocks import Blocks
from coterie.scale.clustering import Fact, LazyClustering
from coterie.scale.methods import make_estimator
from coterie.scale.sources import expand, open_tables, read_blocks
from coterie.scale.tables import Table, numeric_columns

SCALES = ("standard", "minmax", "none")
LeftOut = tuple[tuple[str, str], ...]


def fit(
    source: Any,
    method: str = "kmeans",
    k: int | None = None,
    *,
    scale: str = "standard",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    random_state: RandomState = None,
    checkpoint: str | os.PathLike[str] | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> LazyClustering:
    """Find the groups in rows of any number.

    Parameters
    ----------
    source : anything that `read_blocks` takes
        Of tables in files, the columns of numbers are used, except keys.
    method : str, default="kmeans"
        See `coterie.scale.methods`.
    k : int, default=None
        How many groups, for methods that need to know.
    scale : {"standard", "minmax", "none"}, default="standard"
        Columns of mean 0 and variance 1, from 0 to 1, or as they are.
    drop, keep : sequence of str
        Columns to leave out; columns to use though they are called like keys.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same groups.
    checkpoint : path or None, default=None
        Where the state is saved after every pass.
    progress : None, bool or callable, default=None
        Who hears of every pass.
    options : objects
        Other parameters of the estimator.

    Returns
    -------
    LazyClustering

    Examples
    --------
    >>> from coterie.scale import fit
    >>> X = np.array([[0.0, 1], [0, 2], [9, 1], [9, 2]])
    >>> fit(X, k=2, random_state=0).sizes
    array([2, 2])
    """
    began = time.monotonic()
    if scale not in SCALES:
        raise InvalidParameter(f"scale must be one of {', '.join(SCALES)} for rows in blocks, got {scale}.")
    estimator = make_estimator(
        method, k, random_state=random_state, checkpoint=checkpoint, progress=progress, **options
    )
    blocks, left_out = _open(source, drop, keep)
    whole = moments.measure(blocks, None, who=method)
    offset, factor = _scaling(whole.columns, scale)
    scaled = blocks if scale == "none" else blocks.scaled(offset, factor)
    estimator.fit(scaled)
    constant = [name for name, v in zip(blocks.columns or (), whole.columns.variance, strict=False) if v == 0]
    notes = tuple(f"column {name} is constant: it tells no rows apart" for name in constant)
    return LazyClustering(
        source=_named(source),
        method=method,
        title=find_method(method).title,
        model=estimator,
        blocks=scaled,
        scale=scale,
        left_out=left_out,
        sizes=estimator.cluster_sizes_,
        centers=_original(estimator, offset, factor),
        facts=_facts(estimator, whole, factor),
        notes=notes + tuple(getattr(estimator, "notes_", ())),
        seconds=time.monotonic() - began,
    )


def _open(source: Any, drop: Sequence[str], keep: Sequence[str]) -> tuple[Blocks, LeftOut]:
    """Return the columns of numbers that are no keys, and what was left out."""
    table = _first_table(source)
    if table is None:
        if drop or keep:
            raise InvalidParameter("drop and keep name columns of files; select them in the source instead.")
        return read_blocks(source), ()
    check_names(table.name, list(table.types), [*drop, *keep])
    numeric = numeric_columns(table)
    reasons = {name: f"{kind}, not numbers" for name, kind in table.types.items() if name not in numeric}
    reasons |= {name: "a key" for name in numeric if is_key_name(name) and name not in keep}
    reasons |= dict.fromkeys(drop, "dropped")
    used = [name for name in numeric if name not in reasons]
    if not used:
        raise InvalidData(f"{table.name}: no column of numbers to cluster by.")
    return read_blocks(source, columns=used), tuple(reasons.items())


def _first_table(source: Any) -> Table | None:
    if not isinstance(source, str | os.PathLike):
        return None
    first = expand(source)[0]
    is_table = os.path.isfile(first) and not first.lower().endswith(".npy")
    return open_tables([first])[0] if is_table else None


def _scaling(columns: Any, scale: str) -> tuple[FloatArray, FloatArray]:
    low, high = np.asarray(columns.low), np.asarray(columns.high)
    offsets = {"standard": np.asarray(columns.mean), "minmax": low, "none": np.zeros_like(low)}
    factors = {
        "standard": np.sqrt(columns.variance),
        "minmax": high - low,
        "none": np.ones_like(low),
    }
    return offsets[scale], np.where(factors[scale] > 0, factors[scale], 1.0)


def _original(estimator: Any, offset: FloatArray, factor: FloatArray) -> Any:
    centers = getattr(estimator, "cluster_centers_", getattr(estimator, "means_", None))
    return None if centers is None else centers * factor + offset


def _facts(estimator: Any, whole: moments.Whole, factor: FloatArray) -> tuple[Fact, ...]:
    inertia = getattr(estimator, "inertia_", None)
    if inertia is None:
        return ()
    total = whole.columns.total_weight * float(np.sum(np.asarray(whole.columns.variance) / factor**2))
    share = 1 - inertia / total if total > 0 else 0.0
    return Fact("sum of squared distances to the centres", inertia), Fact(
        "share of the variance explained", share
    )


def _named(source: Any) -> str:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else type(source).__name__
