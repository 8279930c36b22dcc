"""What ``coterie fit`` does: read, run the request, print the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from coterie._support.progress import track
from coterie.cli.outputs import Files
from coterie.cli.render import facts, summary
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import is_watched
from coterie.data import read_table
from coterie.errors import FileProblem, InvalidParameter
from coterie.pipeline import Clustering, FitRequest, run
from coterie.pipeline.sources import is_in_blocks


@contextmanager
def found_in(
    data: str, request: FitRequest, *, header: bool | None, encoding: str | None, scheduler: str | None
) -> Iterator[Clustering]:
    """Give the answer for a file, a folder or a pattern; a cluster stays connected while it is used."""
    progress = is_watched()
    in_blocks = scheduler is not None or request.checkpoint is not None or is_in_blocks(data)
    if in_blocks:
        refuse_options(encoding=encoding, header=header is not None)
        from coterie.scale.rows import run_in_blocks

        with _connected(scheduler):
            yield run_in_blocks(data, request, progress)
        return
    with track(progress, f"reading {data}"):
        table = read_table(data, header=header, encoding=encoding)
    yield run(table, request, progress)


def show(found: Clustering, files: Files, *, as_json: bool) -> None:
    """Print the answer, for a person or for a program."""
    if as_json:
        print_json(facts.answer_facts(found, labels=files.labels, model=files.model))
    elif not files.labels_to_stdout:
        summary.show_clustering(found, labels=files.written_labels(found), model=files.model)


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


def refuse_options(**given: Any) -> None:
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
