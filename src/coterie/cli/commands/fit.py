"""``coterie fit``: find the groups in a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from coterie.cli import options
from coterie.cli.help import HelpAll
from coterie.cli.options import option

if TYPE_CHECKING:
    from coterie.pipeline import Clustering, GraphClustering
    from coterie.text import TextClustering

GRAPHS = "Networks, texts and series"
EXAMPLES = """
Examples:

\b
  coterie fit customers.csv             method and number of groups chosen for you
  coterie fit customers.csv -k 5 --drop age --scale robust -o groups.csv
  coterie fit customers.csv --save groups.safetensors --report groups.html --open
  coterie fit edges.csv --graph         communities of a network, from its edges
  coterie fit news.csv --text body      groups of texts, named by their words
  coterie fit sensors.csv --series id,time,value   groups of time series
  coterie fit shop.db --query "select age, spend from customers where active = 1"
  coterie fit 'data/*.parquet' --report groups.html --checkpoint state -o labels
"""


@options.takes_rows
def fit(
    data: options.Data,
    k: Annotated[str, option("-k", metavar="K", help="How many groups: N, A..B or auto [auto]")] = "auto",
    method: Annotated[
        str, option(metavar="NAME", help="See coterie methods; A,B: compare [auto]", offered=options.METHODS)
    ] = "auto",
    *,
    rows: options.Rows,
    budget: options.Budget = "normal",
    truth: options.Truth = None,
    seed: Annotated[int, options.seed_option("Same seed, same groups [0]")] = 0,
    n_init: Annotated[
        int | None,
        options.number_option(least=1, help="Random starts of --method [10]", topic=options.TUNING),
    ] = None,
    improve: Annotated[
        str | None,
        option(metavar="HOW", help="breathing: search for a better optimum.", topic=options.TUNING),
    ] = None,
    settings: Annotated[
        list[str],
        option(
            "--set",
            metavar="NAME=VALUE",
            help="Parameter of --method, e.g. eps=0.5 (repeatable).",
            topic=options.TUNING,
        ),
    ] = [],  # noqa: B006
    sizes: Annotated[
        str | None,
        option(metavar="A..B", help="Fewest and most rows of a group.", topic=options.TUNING),
    ] = None,
    together: Annotated[
        Path | None,
        option(metavar="FILE", help="Must-link pairs of rows.", topic=options.TUNING),
    ] = None,
    apart: Annotated[
        Path | None, option(metavar="FILE", help="Cannot-link pairs of rows.", topic=options.TUNING)
    ] = None,
    graph: Annotated[bool, option("--graph", help="DATA lists edges: --columns FROM,TO[,WEIGHT].")] = False,
    text: Annotated[
        str | None,
        option(metavar="COLUMN", help="Group by a column of text; files: a folder of .txt"),
    ] = None,
    series: Annotated[
        str | None,
        option(metavar="ID,TIME,VALUE", help="Group time series; rows: one series per row"),
    ] = None,
    window: Annotated[
        str,
        option(
            metavar="N",
            help="DTW window of --series; or none [a tenth of the longest]",
            topic=GRAPHS,
        ),
    ] = "auto",
    language: Annotated[
        str, option(metavar="NAME", help="Language of --text, for stop words; or none [auto]", topic=GRAPHS)
    ] = "auto",
    directed: Annotated[
        bool, option("--directed", help="Edges of --graph have a direction.", topic=GRAPHS)
    ] = False,
    believe: Annotated[
        bool,
        option("--believe/--no-believe", help="Test stability and significance [yes]", topic=options.TUNING),
    ] = True,
    strict: Annotated[
        bool, option("--strict", help="Exit with code 3 unless the groups are convincing.")
    ] = False,
    output: options.Output = None,
    with_data: options.WithData = False,
    carry: options.Carry = [],  # noqa: B006
    with_file: options.WithFile = False,
    keep_layout: options.KeepLayout = False,
    escape_formulas: options.EscapeFormulas = False,
    save: Annotated[Path | None, option(metavar="FILE", help="Save the model for coterie predict.")] = None,
    report: options.Report = None,
    opens: options.Open = False,
    as_json: options.AsJson = False,
    force: options.Force = False,
    scheduler: Annotated[
        str | None,
        option(metavar="URL", help="Dask scheduler to run data in blocks on.", topic=options.LARGE),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        option(metavar="FOLDER", help="Save state after each pass and resume from it.", topic=options.LARGE),
    ] = None,
    silhouette: Annotated[
        bool,
        option(
            "--silhouette/--no-silhouette",
            help="Estimate the silhouette of data in blocks [yes]",
            topic=options.LARGE,
        ),
    ] = True,
    verbose: Annotated[
        bool,
        option("--verbose", help="Print statistics of each pass over data in blocks.", topic=options.LARGE),
    ] = False,
    help_all: HelpAll = False,
) -> int:
    """Cluster a table: find the groups and test them."""
    from coterie.cli import fitting, graphs, outputs, reports
    from coterie.cli.render.summary import show_other
    from coterie.pipeline import make_request

    method = graphs.METHOD if graph and method == "auto" else options.method_of_sizes(sizes, method)
    request = make_request(
        method, k, **rows, budget=budget, truth=truth, random_state=seed, n_init=n_init, improve=improve,
        set=dict(map(fitting.read_setting, settings)) | options.read_sizes(sizes, method),
        together=together and str(together), apart=apart and str(apart),
        checkpoint=checkpoint, believe=believe, silhouette=silhouette, series=series, window=window,
    )  # fmt: skip
    options.refuse_two(graph=graph or directed, text=text is not None, series=series is not None)
    options.refuse_two(series=series is not None, with_data=with_data)
    files = outputs.Files(
        data, output, save, force, with_data, escape_formulas,
        carry=tuple(options.names_of(carry)), with_file=with_file, keep_layout=keep_layout,
        in_blocks=checkpoint is not None or scheduler is not None,
    )  # fmt: skip
    files.check(as_json=as_json)
    reports.check(report, opens=opens, force=force)
    found: Clustering | GraphClustering | TextClustering
    if graph or directed:
        found = graphs.find(data, request, files, graph, directed, report)
        show_other(found, found.summary(), files, as_json=as_json)
    elif text is not None:
        from coterie.cli import texts

        found, read, names = texts.find(data, text, language, request, files, report)
        show_other(found, found.summary(read, names), files, as_json=as_json)
    else:
        with fitting.found_in(data, request, files, scheduler=scheduler, verbose=verbose) as found:
            files.write(found)
            reports.write(found, report, force=force)
        fitting.show(found, files, as_json=as_json)
    reports.tell(report, opens=opens, quiet=as_json or files.labels_to_stdout)
    return fitting.exit_code(found, strict=strict)
