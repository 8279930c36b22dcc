"""What ``coterie predict`` does: load a model, read the rows, write their labels."""

from __future__ import annotations

from pathlib import Path

from coterie._support.progress import track
from coterie._support.typing import Labels
from coterie.cli import outputs
from coterie.cli.fitting import refuse_options
from coterie.cli.render.terminal import is_watched
from coterie.data import read_table
from coterie.errors import InvalidParameter
from coterie.persist import load
from coterie.pipeline import predict_table
from coterie.pipeline.sources import is_in_blocks


def predict_files(
    model: Path,
    data: str,
    files: outputs.Files,
    *,
    header: bool | None,
    encoding: str | None,
    missing: str,
    as_json: bool,
) -> tuple[Labels | None, int | None]:
    """Write or print the labels of new rows; return them, if they were not written block by block.

    JSON holds the labels: they are not printed a second time.
    """
    if is_in_blocks(data):
        refuse_options(encoding=encoding, header=header is not None, missing=missing != "error")
        return _predict_blocks(model, data, files)
    fitted = load(model)
    with track(is_watched(), f"reading {data}"):
        table = read_table(data, header=header, encoding=encoding)
    labels = predict_table(fitted, table, missing=missing)
    if files.labels is None or files.labels_to_stdout:
        if not as_json:
            outputs.print_labels(table, labels, **files.how)
    else:
        outputs.write_labels(table, labels, files.target(files.labels), force=files.force, **files.how)
    return labels, len(labels)


def _predict_blocks(model: Path, data: str, files: outputs.Files) -> tuple[None, None]:
    from coterie.scale.label_files import write_groups

    if files.labels is None:
        raise InvalidParameter("data in blocks need -o FOLDER, where labels are written block by block.")
    write_groups(load(model), data, files.labels, force=files.force)
    return None, None
