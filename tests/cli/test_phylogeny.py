"""The command phylogeny."""

import json

import numpy as np
import pytest

from coterie.cli.app import run
from coterie.phylogeny import Phylogeny, evolve, infer_tree, robinson_foulds

TRUTH = Phylogeny.from_newick("((cat:0.1,dog:0.1):0.1,(crow:0.1,gull:0.1):0.1,trout:0.3);")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write sequences of nucleotides and of amino acids, and a tree, and work beside them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.fasta").write_text(evolve(TRUTH, 800, random_state=2).to_fasta())
    (tmp_path / "proteins.fasta").write_text(">a\nMKLVWY\n>b\nMKLVWF\n>c\nMRLIWF\n>d\nMRLIWW\n")
    (tmp_path / "tree.nwk").write_text("[a tree] " + TRUTH.to_newick() + "\n")
    return tmp_path


@pytest.fixture
def cli(capsys):
    """Run a command; return its exit code, output and error output."""

    def call(*arguments):
        code = run(list(map(str, arguments)))
        return code, *capsys.readouterr()

    return call


def test_everything_at_once(folder, cli):
    """Law: tree, groups and picture are those of the functions; the root is beside the outgroup."""
    code, out, err = cli(
        "phylogeny", "rows.fasta", "--bootstrap", 20, "--outgroup", "trout", "--cut", 3,
        "-o", "groups.csv", "--newick", "found.nwk", "--plot", "tree.svg",
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "5 sequences of 800 nucleotides" in out
    assert "neighbour joining, distance: Jukes-Cantor" in out
    assert "20 bootstrap replicates; 2 of 2 inner branches" in out
    found = Phylogeny.from_newick((folder / "found.nwk").read_text())
    assert robinson_foulds(found, TRUTH) == 0
    assert found.names[found.children(found.root)[0]] == "trout"
    lines = (folder / "groups.csv").read_text().splitlines()
    assert lines[0] == "name,label,group"
    assert [line.split(",")[1] for line in lines[1:]] == ["0", "0", "1", "1", "2"]
    assert (folder / "tree.svg").read_text().lstrip().startswith("<?xml")


def test_json(folder, cli):
    """Law: the facts are those of the tree."""
    code, out, _ = cli("phylogeny", "rows.fasta", "--model", "k2p", "--gaps", "complete", "--json")
    facts = json.loads(out)
    expected = infer_tree(evolve(TRUTH, 800, random_state=2), model="k2p", gaps="complete")
    assert code == 0
    assert facts["newick"] == expected.to_newick()
    assert (facts["kind"], facts["model"], facts["method"], facts["is_rooted"]) == ("dna", "k2p", "nj", False)


def test_proteins_and_trees(folder, cli):
    """Law: proteins are compared by shares; a tree is read, rooted, cut, and drawn without a root."""
    code, out, _ = cli("phylogeny", "proteins.fasta", "--method", "upgma")
    assert code == 0
    assert "UPGMA (average linkage), distance: share of sites that differ" in out
    code, out, _ = cli("phylogeny", "tree.nwk", "--midpoint", "--cut", "0.25", "-o", "-")
    assert code == 0
    assert out.splitlines()[1] == "cat,0,group 1"
    code, out, err = cli("phylogeny", "tree.nwk", "--plot", "tree.png", "--shape", "unrooted")
    assert (code, err) == (0, "")
    assert (folder / "tree.png").stat().st_size > 1000
    assert np.isfinite(Phylogeny.from_newick((folder / "tree.nwk").read_text()).distances()).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("rows.fasta", "--model", "jcc"),
            'must be one of p, count, jc, k2p, got "jcc". Did you mean "jc"?',
        ),
        (("rows.fasta", "--method", "ml"), "--method must be one of nj, upgma"),
        (("rows.fasta", "--cut", 3), "--cut needs a root"),
        (("rows.fasta", "--midpoint", "--cut", 9), "--cut must be 1 to 5 groups"),
        (("rows.fasta", "--midpoint", "--cut", "best"), "got best"),
        (("rows.fasta", "--midpoint", "--cut", "-1.5"), "at least 0"),
        (("rows.fasta", "-o", "groups.csv"), "--output needs --cut"),
        (("rows.fasta", "--midpoint", "--outgroup", "cat"), "exclude each other"),
        (("rows.fasta", "--outgroup", "lion"), '--outgroup must be names of leaves, got "lion"'),
        (("rows.fasta", "--outgroup", "cat,crow"), "--outgroup must be a group of its own"),
        (("rows.fasta", "--plot", "tree.doc"), "must end in one of .png, .svg, .pdf"),
        (("rows.fasta", "--shape", "unrooted"), "--shape needs --plot"),
        (("rows.fasta", "--newick", "tree.nwk"), "tree.nwk exists. Use --force"),
        (("rows.fasta", "--kind", "protein", "--model", "jc"), 'must be "p" or "count" for proteins'),
        (("proteins.fasta", "--kind", "dna"), "at site"),
        (("tree.nwk", "--bootstrap", 9), "--bootstrap is for sequences, and tree.nwk is a tree"),
        (("none.fasta",), "no such file"),
        (("cut.nwk",), "cut.nwk: not a Newick tree: expected"),
        (("gaps.fasta", "--gaps", "complete"), "Use --gaps pairwise."),
        (("far.fasta",), "Use --model p, or leave such sequences out."),
        (("letters.fasta",), "If the letters are amino acids, say --kind protein."),
        (("two.fasta",), "at least 3 sequences, got 2"),
        (("table.csv",), "is not FASTA"),
    ],
)
def test_refusals(folder, cli, arguments, message):
    """Law: one line says what is wrong, before anything is written."""
    (folder / "cut.nwk").write_text("((a:1,b:1):2,c")
    (folder / "gaps.fasta").write_text(">a\nA-GT\n>b\n-CG-\n>c\nAC-A\n")
    (folder / "far.fasta").write_text(">a\nAAAA\n>b\nCCCC\n>c\nAAAC\n")
    (folder / "letters.fasta").write_text(">a\nACGT\n>b\nACZT\n>c\nACGA\n")
    (folder / "two.fasta").write_text(">a\nACGT\n>b\nACGA\n")
    (folder / "table.csv").write_text("x,y\n1,2\n")
    before = sorted(path.name for path in folder.iterdir())
    code, out, err = cli("phylogeny", *arguments)
    assert code == 2
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == before
