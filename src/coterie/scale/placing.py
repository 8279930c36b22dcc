"""Groups of new rows of any number, from a model that was saved, to files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from coterie._support.typing import Labels
from coterie.errors import ModelFileError
from coterie.pipeline import Groups
from coterie.pipeline.groups import number_labels
from coterie.scale.blocks import Block
from coterie.scale.label_files import write_labels
from coterie.scale.methods.base import new_blocks
from coterie.scale.predict import label_block


def write_groups(model: Any, source: Any, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
    """Write the group of each new row to Parquet files in a folder, one per block.

    Parameters
    ----------
    model : Clustering, Groups or estimator
        What `coterie.load` returned. An estimator's clusters keep its numbers.
    source : anything that `read_blocks` takes
        The rows, without missing values.
    folder : path
        Made if it is not there.
    force : bool, default=False
        Whether files of the same names may be replaced.
    """
    groups = getattr(model, "groups", model)
    if isinstance(groups, Groups):
        blocks = new_blocks(source, groups.columns, len(groups.columns), who="the model")
        scaled = blocks.scaled(groups.scaling)
        return write_labels(scaled, _group_of, groups.model, groups.numbers, folder=folder, force=force)
    if not hasattr(model, "predict"):
        raise ModelFileError(f"a {type(model).__name__} places no new rows: it has no predict.")
    names = getattr(model, "feature_names_in_", None)
    blocks = new_blocks(source, names, model.n_features_in_, who=type(model).__name__)
    return write_labels(blocks, label_block, model, folder=folder, force=force)


def _group_of(block: Block, _weights: Block | None, model: Any, numbers: Labels) -> Labels:
    return number_labels(label_block(block, None, model), numbers)
