"""What ``coterie fit`` and ``coterie predict`` do: read, find groups or place rows, print and write."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie._support.progress import track
from coterie._support.typing import Labels, Settings, ValuesByName
from coterie.cli import outputs
from coterie.cli.outputs import Files
from coterie.cli.render import summary
from coterie.cli.render.machines import answer_facts, print_json
from coterie.cli.render.terminal import is_watched
from coterie.data import Table, read_table, shown_name
from coterie.data.databases import SpooledRows, is_database
from coterie.data.frames import read_table_or_blocks
from coterie.data.paths import is_in_blocks, is_zarr
from coterie.errors import DataNotice, FileProblem, InvalidParameter
from coterie.persist import load
from coterie.pipeline import (
    Clustering,
    FitRequest,
    GraphClustering,
    column_readings,
    names_of,
    predict_table,
    run,
)

if TYPE_CHECKING:
    from coterie.text import TextClustering

NOT_CONVINCING = 3  # exit code of --strict


@contextmanager
def found_in(
    data: str,
    request: FitRequest,
    files: Files,
    *,
    scheduler: str | None,
    verbose: bool = False,
) -> Iterator[Clustering]:
    """Give the answer for a file, a folder or a pattern; a cluster stays connected while it is used."""
    progress = is_watched()
    in_blocks = scheduler is not None or request.checkpoint is not None or is_in_blocks(data)
    if request.series is not None and in_blocks:
        raise InvalidParameter(
            f"--series needs all series in memory, but {shown_name(data)} is read in blocks. Group "
            f"a part of them."
        )
    source: str | Table | SpooledRows = data
    if not in_blocks or is_database(data):
        with track(progress, f"reading {shown_name(data)}"):
            source = read_table_or_blocks(data, in_blocks=in_blocks, **request.reading)
        request = replace(request, reading=request.reading_of_rows)
    if not is_in_blocks(source) and not in_blocks:
        refuse_in_memory(verbose=verbose)
        yield run(source, request, progress, in_shell=True)
        return
    files.check_parts()
    request = replace(request, reading=reading_in_blocks(data, **request.reading))
    from coterie.scale.rows import run_in_blocks

    with _connected(scheduler, is_told=verbose), _told(verbose) as told:
        found = run_in_blocks(source, request, progress)
        yield found
        told(found)


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


def read_setting(text: str) -> tuple[str, object]:
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
    except (ValueError, RecursionError):
        return name, value


def refuse_options(**given: object) -> None:
    """Refuse options that need the whole table in memory."""
    for name, value in given.items():
        if value:
            raise InvalidParameter(f"--{name} does not work for data in blocks. Leave it out.")


def reading_in_blocks(data: object, **given: Any) -> ValuesByName:
    """Return what was said of reading files, for data in blocks; refuse what is said of other sources."""
    named = {name: value for name, value in given.items() if value is not None}
    of_text = [name for name in ("header", "encoding") if name in named]
    if of_text and isinstance(data, str) and is_zarr(data):
        raise InvalidParameter(f"--{of_text[0]} is for text: {shown_name(data)} has none. Leave it out.")
    refuse_options(**{name: True for name in named if name in ("sheet", "table", "query")})
    return named


def read_rows(data: str, request: FitRequest) -> tuple[str | Table, FitRequest]:
    """Return a table, or where data lie that are read in blocks; and the request with how these are read."""
    if is_in_blocks(data):
        return data, replace(request, reading=reading_in_blocks(data, **request.reading))
    with track(is_watched(), f"reading {shown_name(data)}"):
        return read_table(data, **request.reading), replace(request, reading=request.reading_of_rows)


def refuse_in_memory(**given: bool) -> None:
    """Refuse options that are about passes over blocks."""
    for name, value in given.items():
        if value:
            raise InvalidParameter(
                f"--{name} is for data in blocks (more than 1 GiB, --checkpoint or --scheduler). "
                f"Leave it out."
            )


@contextmanager
def _told(verbose: bool) -> Iterator[Callable[[Clustering], None]]:
    """Give what is to be called at the end: it says what each pass did, if that is wanted."""
    if not verbose:
        yield lambda found: None
        return
    from coterie.scale.runtime.counters import account

    with account() as made:

        def tell(found: Clustering) -> None:
            for line in made.lines(found.groups.n_rows):
                print(line, file=sys.stderr)

        yield tell


def _connected(scheduler: str | None, *, is_told: bool) -> AbstractContextManager[object]:
    """Return the client of a cluster that runs elsewhere; without one, threads do the work.

    Whoever watches, or asked to be told, gets the address of its dashboard.
    """
    if scheduler is None:
        return nullcontext()
    from coterie.scale import connect

    try:
        client: AbstractContextManager[object] = connect(scheduler)
    except OSError as error:
        raise FileProblem(f"--scheduler: no Dask scheduler answers at {scheduler} ({error}).") from None
    from coterie.scale.runtime.passes import dashboard_of

    link = dashboard_of(client)
    if link is not None and (is_told or is_watched()):
        print(f"dashboard of the cluster: {link}", file=sys.stderr)
    return client


def predict_files(
    model: Path,
    data: str,
    files: outputs.Files,
    *,
    header: bool | None,
    encoding: str | None,
    missing: str | None,
    as_json: bool,
    reading: Settings,
) -> tuple[Labels | None, int | None]:
    """Write or print the labels of new rows; return them, if they were not written block by block.

    JSON holds the labels: they are not printed a second time.
    """
    if is_in_blocks(data):
        reading_in_blocks(data, header=header, encoding=encoding, **reading)
        return _predict_blocks(model, data, files, missing, reading, header=header, encoding=encoding)
    fitted = load(model)
    with track(is_watched(), f"reading {shown_name(data)}"):
        known = column_readings(fitted, dates=reading.get("dates"))
        how: Any = {"header": header, "encoding": encoding, **reading}
        table = read_table_or_blocks(data, readings=known, **how)
    if isinstance(table, SpooledRows):
        return _predict_blocks(model, table, files, missing, reading)
    with _notices_as_notes():
        labels = predict_table(fitted, table, missing=missing)
    beside: outputs.LabelOptions = {**files.how, "names": names_of(fitted)}
    if files.labels is None or files.labels_to_stdout:
        if not as_json:
            outputs.print_labels(table, labels, **beside)
    else:
        outputs.write_labels(table, labels, files.target(files.labels), force=files.force, **beside)
    return labels, len(labels)


@contextmanager
def _notices_as_notes() -> Iterator[None]:
    """Print what is said about the data as notes, each once, beside the answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataNotice)
        yield
    for text in dict.fromkeys(str(one.message) for one in caught):
        print(f"note: {text}", file=sys.stderr)


def _predict_blocks(
    model: Path,
    data: str | SpooledRows,
    files: outputs.Files,
    missing: str | None,
    reading: Settings,
    **text: Any,
) -> tuple[None, None]:
    from coterie.scale.placing import write_groups

    if files.labels is None:
        raise InvalidParameter("data in blocks need -o FOLDER, where labels are written block by block.")
    files.check_parts()
    fitted = load(model)
    column_readings(fitted, dates=reading.get("dates"))  # refuses another use of dates
    how = {name: value for name, value in text.items() if value is not None}
    with _notices_as_notes():
        write_groups(fitted, data, files.labels, missing=missing, **files.beside, force=files.force, **how)
    return None, None
