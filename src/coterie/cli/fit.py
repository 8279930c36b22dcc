"""``coterie fit``: find the groups in a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from coterie.cli import options
from coterie.cli.fit_blocks import fit_blocks, is_in_blocks, refuse_options
from coterie.cli.options import option

STARTS = 10  # k-means++ from one start is often a few percent worse than the best of ten

EXAMPLES = """
Examples:

\b
  coterie fit customers.csv -k 5
  coterie fit customers.csv -k 5 --drop age --scale robust -o groups.csv
  coterie fit customers.csv -k 5 --save groups.safetensors
  coterie fit 'data/*.parquet' -k 50 --checkpoint state -o labels
  coterie fit - -k 3 --json < points.csv | jq .sse
"""


def fit(
    data: options.Data,
    k: Annotated[int | None, option("-k", metavar="N", help="How many groups.")] = None,
    method: Annotated[str, option(metavar="NAME", help="See coterie methods [kmeans]")] = "kmeans",
    distance: Annotated[str | None, option(metavar="NAME", help="See coterie distances [euclidean]")] = None,
    scale: Annotated[
        str, option(metavar="HOW", help="standard, minmax, robust, none [standard]")
    ] = "standard",
    drop: Annotated[list[str], option(metavar="COLUMN", help="Leave a column out (repeatable).")] = [],  # noqa: B006  # typer copies it
    keep: Annotated[list[str], option(metavar="COLUMN", help="Use a key or constant column too.")] = [],  # noqa: B006
    missing: options.Missing = "error",
    seed: Annotated[int, option(metavar="N", help="Same seed, same groups [0]")] = 0,
    n_init: Annotated[
        int | None, option(metavar="N", help="Starts; the best wins [10; 1 with --improve]")
    ] = None,
    improve: Annotated[str | None, option(metavar="HOW", help="breathing: seek a better optimum.")] = None,
    header: options.Header = None,
    encoding: options.Encoding = None,
    output: options.Output = None,
    save: Annotated[Path | None, option(metavar="FILE", help="Save the model for coterie predict.")] = None,
    as_json: options.AsJson = False,
    force: options.Force = False,
    scheduler: Annotated[
        str | None, option(metavar="URL", help="Of a Dask cluster, for data in blocks.")
    ] = None,
    checkpoint: Annotated[
        Path | None, option(metavar="FOLDER", help="Save every pass; go on from there.")
    ] = None,
) -> None:
    """Find the groups in a table and say what sets them apart."""
    from coterie._progress import track
    from coterie.cli import outputs, summary
    from coterie.cli.terminal import is_watched
    from coterie.groups import Recipe, check_recipe, fit_groups, takes_option
    from coterie.persist import save as save_model
    from coterie.read import check_policy, read_table

    if is_in_blocks(data, scheduler, checkpoint):
        refuse_options(
            distance=distance, improve=improve, save=save, encoding=encoding, missing=missing != "error"
        )
        fit_blocks(
            data, method=method, k=k, scale=scale, drop=drop, keep=keep, random_state=seed, n_init=n_init,
            scheduler=scheduler, checkpoint=checkpoint, output=output, force=force, as_json=as_json,
        )  # fmt: skip
        return
    if n_init is None and improve is None and takes_option(method, "n_init"):
        n_init = STARTS
    recipe = Recipe(method, k, scale, distance, n_init, improve, seed)
    check_recipe(recipe)
    check_policy(missing)
    outputs.check(data, labels=output, model=save, force=force)
    progress = is_watched()
    with track(progress, f"reading {data}"):
        table = read_table(data, header=header, encoding=encoding)
    groups = fit_groups(table, recipe, drop=drop, keep=keep, missing=missing, progress=progress)
    if output is not None:
        outputs.write_labels(table, groups.labels, output, force=force)
    if save is not None:
        save_model(groups, save, force=force)
    summary.show(groups, as_json=as_json, labels=output, model=save)
