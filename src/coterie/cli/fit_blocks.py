"""``coterie fit`` on files of any size: block by block, on threads or on a Dask cluster."""

from __future__ import annotations

import glob
import json
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from coterie.errors import FileProblem, InvalidParameter
from coterie.select.asked import AUTO, check_k


def is_in_blocks(data: str, scheduler: str | None, checkpoint: Path | None) -> bool:
    """Return whether the data are a folder or a pattern, or the options only make sense for blocks."""
    is_pattern = glob.has_magic(data) and not os.path.exists(data)
    return is_pattern or os.path.isdir(data) or scheduler is not None or checkpoint is not None


def fit_blocks(
    data: str,
    *,
    method: str,
    k: str,
    scale: str | None,
    scheduler: str | None,
    output: Path | None,
    force: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Find groups, write labels to a folder, and say what was found."""
    from coterie.cli.terminal import console, is_watched
    from coterie.scale import fit
    from coterie.scale.label_files import check_folder

    if output is not None:
        check_folder(output, force=force)
        _refuse_inside(data, output)
    with _connected(scheduler):
        found = fit(
            data,
            method="kmeans" if method == AUTO else method,
            k=_the_number(k),
            scale=scale or "standard",
            progress=is_watched(),
            **options,
        )
        if output is not None:
            found.write_labels(output, force=force)
    if as_json:
        print(json.dumps(found.to_dict() | {"labels": output and str(output)}, indent=2))
        return
    console().print(found.summary(), soft_wrap=True, markup=False)
    if output is not None:
        console().print(f"\nlabels: {output}/part-*.parquet", soft_wrap=True, markup=False)


def _the_number(k: str) -> int | None:
    numbers = check_k(k)
    if numbers is not None and len(numbers) > 1:
        raise InvalidParameter(f"-k must be one number for a folder or a pattern of files, got {k}.")
    return None if numbers is None else int(numbers[0])


def refuse_options(**given: Any) -> None:
    """Refuse options that need the whole table in memory."""
    for name, value in given.items():
        if value:
            raise InvalidParameter(f"--{name} is not taken for a folder or a pattern of files. Leave it out.")


def _refuse_inside(data: str, output: Path) -> None:
    """Refuse labels in the folder that is read: the next fit would read them too."""
    if os.path.isdir(data) and Path(data).resolve() in [output.resolve(), *output.resolve().parents]:
        raise InvalidParameter(f"{output}: is within {data}, which is read. Write to another folder.")


def _connected(scheduler: str | None) -> AbstractContextManager[Any]:
    """Return the client of a cluster that runs elsewhere; without one, threads do the work."""
    if scheduler is None:
        return nullcontext()
    from coterie.scale.passes import connect

    try:
        client: AbstractContextManager[Any] = connect(scheduler)
    except OSError as error:
        raise FileProblem(f"--scheduler: no Dask scheduler answers at {scheduler} ({error}).") from None
    return client
