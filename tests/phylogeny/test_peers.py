"""The same trees and distances as R's ape and Biopython."""

from __future__ import annotations

import io
import subprocess
from shutil import which

import numpy as np
import pytest

from coterie.phylogeny import (
    Alignment,
    consensus_tree,
    evolve,
    neighbour_joining,
    random_tree,
    robinson_foulds,
    sequence_distances,
    with_support,
)
from phylogeny_trees import assert_same_tree, parse, random_square

APE = """
suppressMessages(library(ape))
out <- function(...) cat(..., sep = "\\n")
square <- as.matrix(read.table("square.txt"))
out(write.tree(nj(as.dist(square)), digits = 17))
out(write.tree(nj(as.dist(as.matrix(read.table("additive.txt")))), digits = 17))
trees <- read.tree("trees.nwk")
out(dist.topo(trees[[1]], trees[[2]]))
out(paste(prop.clades(trees[[1]], trees[-1]), collapse = " "))
out(write.tree(consensus(trees, p = 0.5)))
x <- read.dna("rows.fasta", format = "fasta")
for (model in c("raw", "JC69", "K80", "N"))
  for (deletion in c(TRUE, FALSE))
    out(paste(format(as.matrix(dist.dna(x, model, pairwise.deletion = deletion)), digits = 17),
              collapse = " "))
"""


def gappy_alignment():
    """Return sequences of a random tree with gaps and ambiguous letters."""
    rng = np.random.default_rng(8)
    full = evolve(random_tree(9, mean_length=0.12, random_state=3), 700, model="k2p", kappa=4.0)
    letters = full.letters.copy()
    for letter, share in ((b"-", 0.02), (b"N", 0.01), (b"R", 0.01), (b"?", 0.005)):
        letters[rng.random(letters.shape) < share] = ord(letter)
    return Alignment(full.names, letters, "dna")


@pytest.fixture(scope="module")
def ape(tmp_path_factory):
    """Return what ape says about two matrices, a list of trees and an alignment, line by line."""
    if which("Rscript") is None:
        pytest.skip("R is not installed: apt-get install r-cran-ape")
    folder = tmp_path_factory.mktemp("ape")
    np.savetxt(folder / "square.txt", random_square(40, 11), fmt="%.17g")
    np.savetxt(folder / "additive.txt", random_tree(40, random_state=12).distances(), fmt="%.17g")
    (folder / "trees.nwk").write_text("\n".join(tree.to_newick() for tree in some_trees()) + "\n")
    (folder / "rows.fasta").write_text(gappy_alignment().to_fasta())
    run = subprocess.run(["Rscript", "-e", APE], cwd=folder, capture_output=True, text=True, check=False)
    if "there is no package called" in run.stderr:
        pytest.skip("R has no package ape: apt-get install r-cran-ape")
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


def some_trees():
    """Return a tree, and others that share some of its branches: neighbour joining of noisy distances."""
    rng = np.random.default_rng(5)
    square = random_tree(14, random_state=13).distances()
    noise = [np.triu(1 + 0.25 * rng.random(square.shape), 1) for _ in range(7)]
    return [neighbour_joining(square * (one + one.T)) for one in noise]


def test_neighbour_joining_is_apes(ape):
    """Law: the tree of distances that belong to none, and of those that do, with the same lengths."""
    names = [f"V{i + 1}" for i in range(40)]
    assert_same_tree(neighbour_joining(random_square(40, 11), names), parse(ape[0]), 1e-10)
    additive = random_tree(40, random_state=12)
    assert_same_tree(neighbour_joining(additive.distances(), names), parse(ape[1]), 1e-10)


def test_comparisons_are_apes(ape):
    """Law: the distance of two trees, the support of branches and the consensus are ape's."""
    trees = some_trees()
    assert robinson_foulds(trees[0], trees[1]) == float(ape[2])
    counts = [float(number) if number != "NA" else 0.0 for number in ape[3].split()]
    support = with_support(trees[0], trees[1:]).support[:-1]
    # ape's first count is that of all leaves, which every tree has
    assert sorted(np.round(support * 6 / 100).tolist()) == sorted(counts[1:])
    assert robinson_foulds(consensus_tree(trees), parse(ape[4])) == 0


@pytest.mark.parametrize("at", range(8))
def test_distances_are_apes(ape, at):
    """Law: shares, Jukes-Cantor, Kimura and counts, with pairwise and with complete deletion."""
    model, gaps = ["p", "jc", "k2p", "count"][at // 2], ["pairwise", "complete"][at % 2]
    expected = np.array(ape[5 + at].split(), dtype=float).reshape(9, 9)
    found = sequence_distances(gappy_alignment(), model=model, gaps=gaps)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_biopythons_trees(seed):
    """Law: Biopython joins the same neighbours. Its upgma is weighted (WPGMA), so not compared."""
    construction = pytest.importorskip("Bio.Phylo.TreeConstruction", reason="Biopython is not installed")
    from Bio import Phylo

    square = random_square(14, seed)
    names = [f"t{i}" for i in range(len(square))]
    rows = [row[: at + 1].tolist() for at, row in enumerate(square)]
    matrix = construction.DistanceMatrix(names, rows)
    built = construction.DistanceTreeConstructor().nj(matrix)
    for clade in built.get_nonterminals():
        clade.name = None
    text = io.StringIO()
    Phylo.write(built, text, "newick", format_branch_length="%.15f")
    assert_same_tree(neighbour_joining(square, names), parse(text.getvalue()), 1e-9)


def test_newick_is_biopythons():
    """Law: Biopython reads from our text the distances that we wrote."""
    phylo = pytest.importorskip("Bio.Phylo", reason="Biopython is not installed")
    tree = random_tree(12, random_state=4)
    read = phylo.read(io.StringIO(tree.to_newick()), "newick")
    assert read.distance("3", "9") == pytest.approx(tree.distances()[3, 9])
