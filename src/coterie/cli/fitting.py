"""What ``coterie fit`` and ``coterie predict`` do: read, find groups or place rows, print and write."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie._support.progress import track
from coterie._support.typing import Labels, Settings
from coterie.cli import outputs
from coterie.cli.outputs import Files
from coterie.cli.render import summary
from coterie.cli.render.machines import answer_facts, print_json
from coterie.cli.render.terminal import is_watched
from coterie.data import shown_name
from coterie.data.databases import SpooledRows, is_database
from coterie.data.frames import read_table_or_blocks
from coterie.data.paths import is_in_blocks
from coterie.errors import DataNotice, FileProblem, InvalidParameter
from coterie.persist import load
from coterie.pipeline import Clustering, FitRequest, GraphClustering, column_readings, predict_table, run

if TYPE_CHECKING:
    from coterie.text import TextClustering

NOT_CONVINCING = 3  # exit code of --strict


@contextmanager
def found_in(
    data: str, request: FitRequest, *, header: bool | None, encoding: str | None, scheduler: str | None
) -> Iterator[Clustering]:
    """Give the answer for a file, a folder or a pattern; a cluster stays connected while it is used."""
    progress = is_watched()
    in_blocks = scheduler is not None or request.checkpoint is not None or is_in_blocks(data)
    if request.series is not None and in_blocks:
        raise InvalidParameter(
            f"--series needs all series in memory, but {shown_name(data)} is read in blocks. Group "
            f"a part of them."
        )
    source: Any = data
    if not in_blocks or is_database(data):
        with track(progress, f"reading {shown_name(data)}"):
            how: Any = {"header": header, "encoding": encoding, **request.reading}
            source = read_table_or_blocks(data, in_blocks=in_blocks, **how)
        request = replace(request, reading=request.reading_of_rows)
    if not is_in_blocks(source) and not in_blocks:
        yield run(source, request, progress, in_shell=True)
        return
    named = {name: value for name, value in request.reading.items() if name != "dates"}
    refuse_options(encoding=encoding, header=header is not None, **named)
    from coterie.scale.rows import run_in_blocks

    with _connected(scheduler):
        yield run_in_blocks(source, request, progress)


def show(found: Clustering, files: Files, *, as_json: bool) -> None:
    """Print the answer, for a person or for a program."""
    if as_json:
        print_json(answer_facts(found, labels=files.labels, model=files.model))
    elif not files.labels_to_stdout:
        summary.show_clustering(found, labels=files.written_labels(found), model=files.model)


def exit_code(found: Clustering | GraphClustering | TextClustering, *, strict: bool) -> int:
    """Return 0 for an answer; where only convincing groups will do, 3 without them, and print why."""
    if not strict or found.convincing is True:
        return 0
    print(f"coterie: exit code {NOT_CONVINCING} (--strict): {found.headline}", file=sys.stderr)
    return NOT_CONVINCING


def read_setting(text: str) -> tuple[str, Any]:
    """Return the name and the value of ``NAME=VALUE``: a number, true, false, null, or else a word.

    Examples
    --------
    >>> read_setting("eps=0.5"), read_setting("kernel=poly")
    (('eps', 0.5), ('kernel', 'poly'))
    """
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise InvalidParameter(f'--set must be NAME=VALUE, for example --set eps=0.5, got "{text}".')
    try:
        return name, json.loads(value)
    except json.JSONDecodeError:
        return name, value


def refuse_options(**given: object) -> None:
    """Refuse options that need the whole table in memory."""
    for name, value in given.items():
        if value:
            raise InvalidParameter(f"--{name} is not taken for data in blocks. Leave it out.")


def _connected(scheduler: str | None) -> AbstractContextManager[Any]:
    """Return the client of a cluster that runs elsewhere; without one, threads do the work."""
    if scheduler is None:
        return nullcontext()
    from coterie.scale import connect

    try:
        client: AbstractContextManager[Any] = connect(scheduler)
    except OSError as error:
        raise FileProblem(f"--scheduler: no Dask scheduler answers at {scheduler} ({error}).") from None
    return client


def predict_files(
    model: Path,
    data: str,
    files: outputs.Files,
    *,
    header: bool | None,
    encoding: str | None,
    missing: str,
    as_json: bool,
    reading: Settings,
) -> tuple[Labels | None, int | None]:
    """Write or print the labels of new rows; return them, if they were not written block by block.

    JSON holds the labels: they are not printed a second time.
    """
    if is_in_blocks(data):
        refuse_options(encoding=encoding, header=header is not None, missing=missing != "refuse", **reading)
        return _predict_blocks(model, data, files)
    fitted = load(model)
    with track(is_watched(), f"reading {shown_name(data)}"):
        known = column_readings(fitted, dates=reading.get("dates"))
        how: Any = {"header": header, "encoding": encoding, **reading}
        table = read_table_or_blocks(data, readings=known, **how)
    if isinstance(table, SpooledRows):
        refuse_options(missing=missing != "refuse")
        return _predict_blocks(model, table, files)
    with _notices_as_notes():
        labels = predict_table(fitted, table, missing=missing)
    if files.labels is None or files.labels_to_stdout:
        if not as_json:
            outputs.print_labels(table, labels, **files.how)
    else:
        outputs.write_labels(table, labels, files.target(files.labels), force=files.force, **files.how)
    return labels, len(labels)


@contextmanager
def _notices_as_notes() -> Iterator[None]:
    """Print what is said about the data as notes, each once, beside the answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataNotice)
        yield
    for text in dict.fromkeys(str(one.message) for one in caught):
        print(f"note: {text}", file=sys.stderr)


def _predict_blocks(model: Path, data: str | SpooledRows, files: outputs.Files) -> tuple[None, None]:
    from coterie.scale.label_files import write_groups

    if files.labels is None:
        raise InvalidParameter("data in blocks need -o FOLDER, where labels are written block by block.")
    if files.labels.suffix and not files.labels.is_dir():
        raise InvalidParameter(f"labels of data in blocks are written to a folder, got -o {files.labels}.")
    write_groups(load(model), data, files.labels, force=files.force)
    return None, None
