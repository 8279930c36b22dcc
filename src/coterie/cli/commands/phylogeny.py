"""``coterie phylogeny``: the tree of aligned sequences, supported, rooted, cut, drawn and written."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coterie.cli import options
from coterie.cli.completion import offers, words
from coterie.cli.options import option

EXAMPLES = """
Examples:

\b
  coterie phylogeny sequences.fasta
  coterie phylogeny sequences.fasta --model k2p --bootstrap 100 --newick tree.nwk
  coterie phylogeny sequences.fasta --outgroup trout --plot tree.svg
  coterie phylogeny sequences.fasta --midpoint --cut 0.1 -o groups.csv
  coterie phylogeny tree.nwk --midpoint --plot tree.png
"""
MODELS, GAPS, SHAPES = (
    words("jc", "k2p", "p", "count"),
    words("pairwise", "complete"),
    words("rooted", "unrooted"),
)


def phylogeny(
    data: Annotated[
        str,
        typer.Argument(metavar="SEQUENCES", help="Aligned sequences in FASTA, a Newick tree, or - (stdin)."),
    ],
    model: Annotated[
        str | None,
        option(metavar="NAME", help="Distance: jc, k2p, p, count [jc; proteins: p]", offered=offers(MODELS)),
    ] = None,
    method: Annotated[
        str | None, option(metavar="NAME", help="nj or upgma [nj]", offered=offers(words("nj", "upgma")))
    ] = None,
    gaps: Annotated[
        str | None,
        option(metavar="HOW", help="Sites compared: pairwise, complete [pairwise]", offered=offers(GAPS)),
    ] = None,
    kind: Annotated[
        str | None,
        option(
            metavar="NAME", help="Sequence type: dna, protein [auto]", offered=offers(words("dna", "protein"))
        ),
    ] = None,
    bootstrap: Annotated[
        int, options.number_option(least=0, most=100_000, help="Bootstrap replicates for branch support [0]")
    ] = 0,
    outgroup: Annotated[list[str], option(metavar="A,B", help="Root the tree by this outgroup.")] = [],  # noqa: B006
    midpoint: Annotated[bool, option("--midpoint", help="Midpoint rooting.")] = False,
    cut: Annotated[
        str | None,
        option("--cut", "-k", metavar="WHERE", help="3: groups; 0.1 (with a point): distance within a group"),
    ] = None,
    newick: Annotated[
        Path | None, option("--newick", metavar="FILE", help="Write the tree in Newick format.")
    ] = None,
    plot: Annotated[Path | None, option("--plot", metavar="FILE", help="Draw it: .png .svg .pdf")] = None,
    shape: Annotated[
        str,
        option(
            "--shape",
            metavar="HOW",
            help="Shape of the plot: rooted, unrooted [rooted]",
            offered=offers(SHAPES),
        ),
    ] = "rooted",
    output: options.Output = None,
    seed: Annotated[int, options.seed_option("Same seed, same support [0]")] = 0,
    as_json: options.AsJson = False,
    force: options.Force = False,
) -> None:
    """Build the tree of aligned sequences by neighbour joining."""
    from coterie.cli import phylogenies

    asked = phylogenies.Request(
        data, model, method, gaps, kind, bootstrap, tuple(options.names_of(outgroup)), midpoint, cut, seed
    )
    files = phylogenies.Outputs(data, output, newick, plot, shape, force)
    asked.check()
    files.check(asked, as_json=as_json)
    found = phylogenies.find(asked)
    files.write(found)
    phylogenies.show(found, files, as_json=as_json)
