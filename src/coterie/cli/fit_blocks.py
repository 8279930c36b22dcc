"""``coterie fit`` and ``predict`` on data of any size: block by block, on threads or on a Dask cluster."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coterie.cli.fitting import Request
from coterie.cli.render.machines import print_json
from coterie.errors import FileProblem, InvalidParameter
from coterie.pipeline import usual_scale
from coterie.pipeline.lazy import is_in_blocks
from coterie.pipeline.request import AUTO

if TYPE_CHECKING:
    from coterie.scale import LazyClustering


def needs_blocks(data: str, scheduler: str | None, checkpoint: Path | None) -> bool:
    """Return whether the data are read in blocks, or the options only make sense for blocks."""
    return scheduler is not None or checkpoint is not None or (data != "-" and is_in_blocks(data))


def fit_blocks(
    request: Request,
    *,
    scheduler: str | None,
    checkpoint: Path | None,
    output: Path | None,
    save: Path | None,
    report: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Find groups, write what was asked for, and say what was found."""
    from coterie.cli import outputs, reports
    from coterie.scale.label_files import check_folder

    if output is not None:
        check_folder(output, force=force)
        _refuse_inside(request.data, output)
    outputs.check(request.data, model=save, force=force)
    with _connected(scheduler):
        found = _fit(request, checkpoint, is_believed=report is not None or not request.is_settled)
        if output is not None:
            found.write_labels(output, force=force)
        if save is not None:
            found.save(save, force=force)
        reports.write(found, report, force=force)
    _show(found, as_json=as_json, labels=output, model=save)


def predict_blocks(model: Path, data: str, output: Path | None, *, force: bool, as_json: bool) -> None:
    """Give the rows of files of any size their group, in files in a folder."""
    from coterie.cli.render.facts import prediction_facts
    from coterie.persist import load
    from coterie.scale.label_files import check_folder
    from coterie.scale.placing import write_groups

    if output is None:
        raise InvalidParameter("data in blocks need -o FOLDER, where groups are written block by block.")
    check_folder(output, force=force)
    _refuse_inside(data, output)
    write_groups(load(model), data, output, force=force)
    if as_json:
        print_json(prediction_facts(data, model, None, output))
    else:
        print(f"groups written to {output / 'part-*.parquet'}")


def _fit(request: Request, checkpoint: Path | None, *, is_believed: bool) -> LazyClustering:
    from coterie.cli.render.terminal import is_watched
    from coterie.scale import fit

    return fit(
        request.data,
        "kmeans" if request.is_settled and request.method == AUTO else request.method,
        request.k,
        distance=request.distance or AUTO,
        scale=request.scale or (usual_scale(request.distance) if request.is_settled else AUTO),
        truth=request.truth,
        budget=request.budget,
        drop=request.drop,
        keep=request.keep,
        missing=request.missing,
        random_state=request.seed,
        n_init=request.n_init,
        checkpoint=checkpoint,
        believe=is_believed,
        progress=is_watched(),
    )


def _show(found: LazyClustering, *, as_json: bool, labels: Path | None, model: Path | None) -> None:
    from coterie.cli.fitting import all_facts
    from coterie.cli.render.summary import show_clustering

    if as_json:
        facts = all_facts(found, labels, model) | {"n_blocks": found.blocks.n_blocks}
        print_json(facts)
        return
    written = None if labels is None else labels / "part-*.parquet"
    show_clustering(found, labels=written, model=model, example="labels")


def refuse_options(**given: Any) -> None:
    """Refuse options that need the whole table in memory."""
    for name, value in given.items():
        if value:
            raise InvalidParameter(f"--{name} is not taken for data in blocks. Leave it out.")


def _refuse_inside(data: str, output: Path) -> None:
    """Refuse labels in the folder that is read: the next fit would read them too."""
    if os.path.isdir(data) and Path(data).resolve() in [output.resolve(), *output.resolve().parents]:
        raise InvalidParameter(f"{output}: is within {data}, which is read. Write to another folder.")


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
