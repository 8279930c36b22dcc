"""``coterie tree``: the hierarchy of the rows, drawn, cut, and written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from coterie.cli import options
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie tree flowers.csv --linkage average
  coterie tree flowers.csv --cut 3 -o groups.csv
  coterie tree flowers.csv --cut 2.5 --newick flowers.nwk
  coterie tree scores.csv --similarity --linkage single
"""


@options.takes_rows
def tree(
    data: options.Data,
    linkage: options.Linkage = options.LINKAGE,
    precomputed: Annotated[bool, option("--precomputed", help="DATA is a square of distances.")] = False,
    similarity: Annotated[bool, option("--similarity", help="DATA is a square of similarities.")] = False,
    cut: Annotated[
        str | None,
        option("--cut", "-k", metavar="WHERE", help="Groups (3), height (2.5) or best (by silhouette)."),
    ] = None,
    *,
    rows: options.Rows,
    newick: Annotated[
        Path | None, option("--newick", metavar="FILE", help="Write the tree in Newick format.")
    ] = None,
    output: options.Output = None,
    with_data: options.WithData = False,
    escape_formulas: options.EscapeFormulas = False,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Hierarchical clustering: build, draw and cut a dendrogram."""
    from coterie.cli import outputs, tree_growth
    from coterie.cli.render import tree_summary
    from coterie.cli.sampled import TREE_ROWS, read_or_sample, refuse_labels
    from coterie.pipeline import make_request
    from coterie.pipeline.request import PRECOMPUTED

    options.check_linkage(linkage)
    is_square = precomputed or rows["distance"] == PRECOMPUTED
    is_named = rows["distance"] not in ("auto", PRECOMPUTED)
    options.refuse_two(distance=is_named, precomputed=is_square, similarity=similarity)
    request = make_request(**rows | ({"distance": PRECOMPUTED} if is_square else {}))
    how = tree_growth.TreeRequest(request, linkage, similarity)
    tree_growth.check(how, cut, output)
    files = outputs.Files(data, output, newick, force, with_data, escape_formulas)
    files.check(as_json=as_json)
    refuse_labels(data, output)
    read = read_or_sample(data, TREE_ROWS, **request.reading)
    grown = tree_growth.grow(read, how, cut)
    if output is not None:
        files.write_labels(read, grown.labels_of_rows())
    if newick is not None:
        outputs.write_text(grown.newick(), newick, force=force)
    if not files.labels_to_stdout:
        tree_summary.show(grown, as_json=as_json, labels=output, newick=newick)
