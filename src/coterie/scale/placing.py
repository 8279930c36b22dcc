"""New rows in blocks that get their group from a saved answer, read as the rows of the fit were."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from coterie._support.caller import warn_caller
from coterie._support.typing import Labels, Model
from coterie.data.categories import YES_OR_NO, note_unseen
from coterie.data.cells import yes_or_no
from coterie.data.columns import look_at
from coterie.data.geography.places import MOST_DEGREES
from coterie.data.marks import SENTINELS
from coterie.data.missing import REFUSE, check_policy
from coterie.errors import DataNotice, InvalidData, InvalidParameter, ModelFileError
from coterie.pipeline import Groups, names_of
from coterie.scale.blocks import Block, Blocks
from coterie.scale.columns import key_columns, look_into, title_of
from coterie.scale.gaps import ALL, ANY
from coterie.scale.label_files import write_labels
from coterie.scale.labelling import label_with_gaps
from coterie.scale.methods.base import new_blocks
from coterie.scale.predict import label_block
from coterie.scale.preparation import Preparation
from coterie.scale.sources.changed import ColumnPlan, axis_plans
from coterie.scale.sources.tables import Tables
from coterie.scale.survey import survey_cells


def place_rows(
    groups: Groups, source: object, missing: str | None = None, title: str | None = None, **how: Any
) -> tuple[Any, ...]:
    """Return blocks of new rows, a function of a block, and its arguments, that give the groups of its rows.

    Parameters
    ----------
    groups : Groups
        Of a fit.
    source : anything that `read_blocks` takes
        The rows; columns are found by name.
    missing : {"auto", "observed", "drop", "median", "refuse"}, default=None
        Rows with missing values; None: as in the fit.
    title : str, default=None
        What to call the rows in messages.
    **how
        Header and encoding of text.
    """
    title = title_of(source) if title is None else title
    policy = groups.missing_policy if missing is None else missing
    check_policy(policy)
    readings, levels = groups.column_readings, groups.levels or (None,) * len(groups.columns)
    plans = {
        name: ColumnPlan.of(readings[name], known)
        for name, known in zip(groups.columns, levels, strict=True)
        if name in readings and not ColumnPlan.of(readings[name], known).is_plain
    }
    tables = look_into(source, **how)
    if groups.places and tables is None:
        raise InvalidParameter(f"{title}: positions are found by the names of columns, and it has none.")
    if tables is not None:
        _refuse_absent(groups, tables, title)
        _tell_unseen(groups, tables, title)
        as_text = tables.numbers_as_text(tables.first_values)
        plans = {name: ColumnPlan(is_text=True) for name in as_text if name in groups.columns} | plans
        for place in groups.places:
            plans |= axis_plans(place, {name: _degrees(name, tables, as_text) for name in place.columns})
    rows = source if tables is None else tables
    blocks = new_blocks(rows, groups.columns, len(groups.columns), who="the model", readings=plans)
    rule, fill = _how(groups, policy)
    change = replace(fill, scaling=groups.scaling)
    return blocks, _place_block, groups.model, groups.numbers, rule, change, policy in REFUSE


def _degrees(name: str, tables: Tables, as_text: Sequence[str]) -> ColumnPlan:
    """Return how a column of degrees is read; numbers such as -999 are missing values."""
    reading = look_at(tables.first_values[name]).reading
    marks = tuple(f"{mark:.0f}" for mark in SENTINELS if abs(mark) > max(MOST_DEGREES))
    return ColumnPlan(reading, marks, is_text=reading is None and name in as_text)


def _refuse_absent(groups: Groups, tables: Tables, title: str) -> None:
    axes = [name for place in groups.places for name in place.axes]
    needed = [name for name in groups.columns if name not in axes]
    needed += [name for place in groups.places for name in place.columns]
    absent = [name for name in needed if name not in tables.first_values]
    if absent:
        raise InvalidData(f"{title}: lacks the columns {', '.join(absent)} that the groups were found by.")


def _tell_unseen(groups: Groups, tables: Tables, title: str) -> None:
    """Name categories that were not there when the groups were found."""
    known = {
        name: levels
        for name, levels in zip(groups.columns, groups.levels, strict=False)
        if levels is not None
    }
    if not known:
        return
    facts = survey_cells(tables, dict.fromkeys(known), None)
    new = {name: sorted(_texts(facts[name].texts, levels) - set(levels)) for name, levels in known.items()}
    note = note_unseen(new)
    if note:
        warn_caller(f"{title}: {note}.", DataNotice)


def _texts(texts: frozenset[str], levels: tuple[str, ...]) -> set[str]:
    """Return the texts of a column; words for yes and no are one of two where these are the categories."""
    if levels != YES_OR_NO or not texts:
        return set(texts)
    import polars

    return set(yes_or_no(polars.Series(sorted(texts))).to_list()) - {"true", "false"}


def _how(groups: Groups, policy: str) -> tuple[str | None, Preparation]:
    """Return which rows are left out, and how gaps are filled."""
    if policy in REFUSE or policy == "drop":
        return ANY, Preparation()
    if policy == "median":
        if groups.medians is None and not groups.levels:
            raise InvalidParameter(
                'missing="median" needs the medians of the fit, which had no gaps to fill. Use "drop".'
            ).in_shell("--missing median needs the medians of the fit, which had no gaps to fill. Use drop.")
        return (ALL if groups.levels else None), Preparation(groups.medians)
    if not groups.counts_observed and not groups.levels:
        raise groups.not_observed()
    return ALL, Preparation()


def _place_block(
    block: Block,
    _weights: Block | None,
    model: Model,
    numbers: Labels,
    rule: str | None,
    change: Preparation,
    refuses: bool,
) -> Labels:
    if refuses:
        _refuse_gap(block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)  # it was said before, by the names of the columns
        return label_with_gaps(block, None, model, numbers, rule, change)


def _refuse_gap(block: Block) -> None:
    X = block.read()
    rows, columns = np.nonzero(np.isnan(X))
    if rows.size:
        place, row = block.place_of(int(rows[0]))
        column = block.columns[columns[0]] if block.columns else int(columns[0])
        fact = f'{place}: row {row + 1} of it has no value in column "{column}"'
        raise InvalidData(f"{fact}. Use missing='drop', or fill it first.").in_shell(
            f"{fact}. Use --missing drop, or fill it first."
        )


def write_groups(
    model: Model,
    source: object,
    folder: str | os.PathLike[str],
    *,
    missing: str | None = None,
    force: bool = False,
    with_data: bool = False,
    carry: tuple[str, ...] = (),
    with_file: bool = False,
    keep_layout: bool = False,
    **how: Any,
) -> Path:
    """Write the group of each new row to Parquet files in a folder, one per block.

    Parameters
    ----------
    model : Clustering, Groups or estimator
        What `coterie.load` returned. An estimator's clusters keep its numbers.
    source : anything that `read_blocks` takes
        The rows.
    folder : path
        Made if it is not there.
    missing : {"auto", "observed", "drop", "median", "refuse"}, default=None
        Rows with missing values; None: as in the fit.
    force : bool, default=False
        Whether files of the same names may be replaced.
    with_data, carry, with_file, keep_layout
        As in `LazyClustering.write_labels`.
    **how
        Header and encoding of text.
    """
    groups = getattr(model, "groups", model)
    tables = look_into(source, **how)
    rows = source if tables is None else tables
    if isinstance(groups, Groups):
        blocks, *task = place_rows(groups, rows, missing, title_of(source))
    elif hasattr(model, "predict"):
        names = getattr(model, "feature_names_in_", None)
        blocks = new_blocks(rows, names, model.n_features_in_, who=type(model).__name__)
        task = [label_block, model]
    else:
        raise ModelFileError(f"a {type(model).__name__} cannot predict new rows: it has no predict.")
    carried = _beside(tables, blocks, with_data, carry, with_file)
    layout = tables if keep_layout else None
    named = names_of(model)
    return write_labels(
        blocks, *task, folder=folder, force=force, carried=carried, layout=layout, names=named
    )


def _beside(
    tables: Tables | None, blocks: Blocks, with_data: bool, carry: tuple[str, ...], with_file: bool
) -> Blocks | None:
    """Return the columns of new rows that their labels are written beside."""
    if tables is None:
        return None
    keys = key_columns(tables)
    return tables.beside(keys, carry, blocks, with_data=with_data, with_file=with_file)
