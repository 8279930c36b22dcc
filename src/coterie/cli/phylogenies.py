"""What ``coterie phylogeny`` is told, finds, writes and prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from coterie._printing import count_of, listed
from coterie._support.config import version
from coterie._support.facts import facts_of
from coterie._support.files import check_output
from coterie._support.progress import track
from coterie._support.typing import JsonObject, Labels, ValuesByName
from coterie.cli import outputs, plot_files
from coterie.cli.render.machines import print_json
from coterie.cli.render.terminal import console, is_watched
from coterie.cli.tree_growth import read_cut
from coterie.data import Table, shown_name
from coterie.data.files.source import Source, open_source
from coterie.errors import CoterieError, InvalidData, InvalidParameter, did_you_mean
from coterie.phylogeny import Alignment, Phylogeny, bootstrap, infer_tree
from coterie.phylogeny.alignment import NAMES_OF_KINDS
from coterie.phylogeny.distances import MODELS
from coterie.phylogeny.fasta import parse_fasta

if TYPE_CHECKING:
    from matplotlib.axes import Axes

METHODS = {"nj": "neighbour joining", "upgma": "UPGMA (average linkage)"}
GAPS, KINDS, SHAPES = ("pairwise", "complete"), ("dna", "protein"), ("rooted", "unrooted")
PICTURES = (".png", ".svg", ".pdf")
DPI = 160
MOST_DRAWN = 60  # leaves of a tree that is printed
SHOWN_GROUPS = 20
ROOT_FIRST = "--cut needs a root: clades depend on it. Add --midpoint, or --outgroup with names of leaves."


@dataclass(frozen=True)
class Request:
    """How the tree is to be made, in the words of the command line."""

    data: str
    model: str | None
    method: str | None
    gaps: str | None
    kind: str | None
    n_bootstrap: int
    outgroup: tuple[str, ...]
    midpoint: bool
    cut: str | None
    seed: int

    def check(self) -> None:
        """Refuse names and combinations that cannot be, before any data are read."""
        _check_choice("--model", self.model, tuple(MODELS))
        _check_choice("--method", self.method, tuple(METHODS))
        _check_choice("--gaps", self.gaps, GAPS)
        _check_choice("--kind", self.kind, KINDS)
        if self.midpoint and self.outgroup:
            raise InvalidParameter("--midpoint and --outgroup exclude each other. Leave one out.")
        if "best" in read_cut(self.cut):
            raise InvalidParameter("--cut must be a number of groups or a distance such as 0.1, got best.")

    def refuse_for_trees(self) -> None:
        """Refuse options that are for sequences where the file holds a tree."""
        for name in ("model", "method", "gaps", "kind", "n_bootstrap"):
            if getattr(self, name):
                option = name.removeprefix("n_")
                raise InvalidParameter(f"--{option} is for sequences, and {shown_name(self.data)} is a tree.")


@dataclass(frozen=True)
class FoundTree:
    """A tree, what it was made from, and the labels of its cut."""

    source: str
    tree: Phylogeny
    alignment: Alignment | None
    model: str | None
    method: str | None
    gaps: str | None
    n_bootstrap: int
    n_saturated: int
    labels: Labels | None


@dataclass(frozen=True)
class Outputs:
    """What the command writes."""

    data: str
    labels: Path | None
    newick: Path | None
    plot: Path | None
    shape: str
    force: bool

    @property
    def files(self) -> outputs.Files:
        """The labels and the text, as all commands write them."""
        return outputs.Files(self.data, self.labels, self.newick, self.force, with_data=True)

    def check(self, asked: Request, *, as_json: bool) -> None:
        """Refuse what cannot or must not be written, before anything is read."""
        _check_choice("--shape", self.shape, SHAPES)
        if self.shape != SHAPES[0] and self.plot is None:
            raise InvalidParameter("--shape needs --plot FILE: it says how the tree is drawn.")
        if self.labels is None:
            if self.newick is not None:
                check_output(self.newick, force=self.force)
        elif asked.cut is None:
            raise InvalidParameter(
                "--output needs --cut: the groups of a tree are those of a cut. Use --cut 5, say."
            )
        else:
            self.files.check(as_json=as_json)
        if self.plot is not None:
            plot_files.check_picture(self.plot, PICTURES, (self.data,), force=self.force)

    def write(self, found: FoundTree) -> None:
        """Write labels, text and picture."""
        if self.labels is not None and found.labels is not None:
            self.files.write_labels(_leaf_table(found), found.labels)
        if self.newick is not None:
            outputs.write_text(found.tree.to_newick() + "\n", self.newick, force=self.force)
        if self.plot is not None:
            plot_files.write_picture(lambda: _drawn(found, self.shape), self.plot, force=self.force, dpi=DPI)


def find(asked: Request) -> FoundTree:
    """Read the sequences or the tree, build, root and cut."""
    source = open_source(asked.data)
    if _is_newick(source):
        asked.refuse_for_trees()
        tree = _rooted(_read_newick(source), asked)
        return FoundTree(source.name, tree, None, None, None, None, 0, 0, _cut(tree, asked.cut))
    alignment = parse_fasta(source, asked.kind or "auto")
    if len(alignment) < 3:
        raise InvalidData(f"{source.name}: a tree needs at least 3 sequences, got {len(alignment)}.")
    how: ValuesByName = {
        "model": asked.model or ("jc" if alignment.kind == "dna" else "p"),
        "method": asked.method or "nj",
        "gaps": asked.gaps or "pairwise",
    }
    with track(is_watched(), "building the tree"):
        tree, n_saturated = infer_tree(alignment, **how), 0
    if asked.n_bootstrap:
        with track(is_watched(), "resampling sites"):
            drawn = bootstrap(alignment, **how, n_replicates=asked.n_bootstrap, random_state=asked.seed)
        tree, n_saturated = drawn.support(tree), drawn.n_saturated
    tree = _rooted(tree, asked)
    labels = _cut(tree, asked.cut)
    return FoundTree(
        source.name,
        tree,
        alignment,
        **how,
        n_bootstrap=asked.n_bootstrap,
        n_saturated=n_saturated,
        labels=labels,
    )


def show(found: FoundTree, files: Outputs, *, as_json: bool) -> None:
    """Print the tree for a person, or for a machine."""
    if as_json:
        print_json(facts(found, files))
        return
    if files.files.labels_to_stdout:
        return
    tree, rows = found.tree, found.alignment
    if rows is None:
        print(f"{found.source}   a tree of {tree.n_leaves:,} leaves")
    else:
        print(f"{found.source}   {len(rows):,} sequences of {rows.n_sites:,} {NAMES_OF_KINDS[rows.kind]}")
        assert found.model is not None
        assert found.method is not None
        print(f"\n  {METHODS[found.method]}, distance: {MODELS[found.model].title}")
    for line in _about(found):
        print(f"  {line}")
    if tree.n_leaves <= MOST_DRAWN:
        print(f"\n{tree.draw(min(console().width, 100))}")
    print()
    for what, path in (("groups", files.labels), ("tree", files.newick), ("picture", files.plot)):
        if path is not None:
            print(f"{what:<10} {path}")
    if files.newick is None and files.plot is None:
        print("tree       add --newick tree.nwk, or --plot tree.svg")


def facts(found: FoundTree, files: Outputs) -> JsonObject:
    """Return everything that ``--json`` prints."""
    tree, rows = found.tree, found.alignment
    cut = None
    if found.labels is not None:
        sizes = np.bincount(found.labels)
        cut = {"groups": int(sizes.size), "sizes": sizes.tolist(), "labels": found.labels.tolist()}
    written = {"labels": files.labels, "newick": files.newick, "plot": files.plot}
    return {
        "source": found.source,
        "leaves": list(tree.names),
        "sites": None if rows is None else rows.n_sites,
        "kind": None if rows is None else rows.kind,
        **facts_of(found, "model", "method", "gaps"),
        "bootstrap": {"replicates": found.n_bootstrap, "saturated": found.n_saturated},
        "is_rooted": tree.is_rooted,
        "newick": tree.to_newick(),
        "cut": cut,
        "files": {name: None if path is None else str(path) for name, path in written.items()},
        "coterie": version(),
    }


def _about(found: FoundTree) -> list[str]:
    tree = found.tree
    kind = "rooted" if tree.is_rooted else "unrooted: nothing is said about which branch is the oldest"
    lines = [kind]
    if found.n_bootstrap:
        support = tree.unrooted().support  # a root divides a branch in two
        known = support[np.isfinite(support)]
        strong = int((known >= 95).sum())
        lines.append(f"support: {found.n_bootstrap:,} bootstrap replicates; {strong} of {known.size} inner "
                     f"branches in 95 % of them or more")  # fmt: skip
    if found.n_saturated:
        lines.append(
            f"note: {found.n_saturated:,} replicates left out, in which two sequences were too different"
        )
    negative = int((tree.lengths[:-1] < 0).sum())
    if negative:
        lines.append(f"note: {negative:,} branches have negative lengths: the distances fit no tree exactly")
    if found.labels is not None:
        sizes = np.bincount(found.labels)
        shown = listed([f"{size:,}" for size in sizes], SHOWN_GROUPS)
        lines.append(f"{count_of(sizes.size, 'group')} of {shown} leaves")
    return lines


def _is_newick(source: Source) -> bool:
    head = source.content[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    return head.startswith((b"(", b"["))


def _read_newick(source: Source) -> Phylogeny:
    try:
        return Phylogeny.from_newick(source.content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise source.fail("is not UTF-8 text. Save it as UTF-8.") from None
    except CoterieError as error:
        raise source.fail(error.shell_text or str(error)) from None


def _rooted(tree: Phylogeny, asked: Request) -> Phylogeny:
    if asked.outgroup:
        try:
            return tree.rooted_at(asked.outgroup)
        except InvalidData as error:
            raise InvalidData(str(error).replace("outgroup of rooted_at", "--outgroup")) from None
    return tree.rooted_at_midpoint() if asked.midpoint else tree


def _cut(tree: Phylogeny, cut: str | None) -> Labels | None:
    if cut is None:
        return None
    if not tree.is_rooted:
        raise InvalidParameter(ROOT_FIRST)
    where = read_cut(cut)
    if "height" in where:
        if not where["height"] >= 0:
            raise InvalidParameter(f"--cut must be a distance of at least 0, got {cut}.")
        return tree.cut(max_distance=float(where["height"]))
    if not 1 <= where["n_clusters"] <= tree.n_leaves:
        raise InvalidParameter(f"--cut must be 1 to {tree.n_leaves} groups, the leaves, got {cut}.")
    return tree.cut(where["n_clusters"])


def _drawn(found: FoundTree, shape: str) -> Axes:
    from coterie.show import plots

    draw = plots.phylogram if shape == "rooted" else plots.unrooted_tree
    return draw(found.tree, cut=found.labels)


def _leaf_table(found: FoundTree) -> Table:
    import polars

    names = list(found.tree.names)
    return Table(found.source, ("name",), True, len(names), polars.DataFrame({"name": names}))


def _check_choice(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        near = did_you_mean(value, choices)
        raise InvalidParameter(f'{option} must be one of {", ".join(choices)}, got "{value}".{near}')
