"""Alignments, FASTA files and distances between sequences."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.errors import CoterieError, InvalidData, InvalidFile, InvalidParameter, NotEnoughMemory
from coterie.phylogeny import (
    Alignment,
    Phylogeny,
    SaturatedSequences,
    evolve,
    random_tree,
    read_fasta,
    sequence_distances,
)

TRANSITIONS = {frozenset("AG"), frozenset("CT")}


def slow_distance(one, other, model):
    """Compare two sequences letter by letter."""
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a in "ACGT" and b in "ACGT"]
    changed = [frozenset(pair) for pair in pairs if pair[0] != pair[1]]
    n, p = len(pairs), len(changed) / len(pairs)
    transitions = sum(pair in TRANSITIONS for pair in changed) / n
    transversions = p - transitions
    if model == "count":
        return len(changed)
    if model == "p":
        return p
    if model == "jc":
        return -0.75 * math.log(1 - 4 * p / 3)
    return -0.5 * math.log((1 - 2 * transitions - transversions) * math.sqrt(1 - 2 * transversions))


def write(tmp_path, content, name="rows.fasta"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("model", ["p", "count", "jc", "k2p"])
@pytest.mark.parametrize("n_sites", [1, 63, 64, 65, 400])
def test_distances_are_those_of_single_letters(model, n_sites):
    """Law: 64 sites at a time give what letter by letter does, with gaps and ambiguous letters."""
    rng = np.random.default_rng(n_sites)
    rows = {f"s{i}": "".join(rng.choice(list("ACGT"), n_sites)) for i in range(2)}
    base = "".join(rng.choice(list("ACGT"), n_sites))
    for i in range(2, 8):
        letters = list(base)
        for at in np.flatnonzero(rng.random(n_sites) < 0.15):
            letters[at] = rng.choice(list("ACGTN-RY"))
        rows[f"s{i}"] = "A" + "".join(letters)[1:]
    rows = {name: text for name, text in rows.items() if name not in ("s0", "s1")}
    found = sequence_distances(Alignment.from_sequences(rows, kind="dna"), model=model)
    names = list(rows)
    for i, one in enumerate(names):
        for j, other in enumerate(names):
            assert found[i, j] == pytest.approx(slow_distance(rows[one], rows[other], model), abs=1e-13)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ACDEFGHIKLMNPQRSTVWYX-", min_size=40, max_size=40), min_size=2, max_size=6))
def test_proteins(rows):
    """Law: the share of amino acids that differ, among those that both know."""
    rows = ["MKW" + row for row in rows]
    alignment = Alignment.from_sequences({str(i): row for i, row in enumerate(rows)}, kind="protein")
    found = sequence_distances(alignment, model="p")
    for i, one in enumerate(rows):
        for j, other in enumerate(rows):
            known = [(a, b) for a, b in zip(one, other, strict=True) if not {a, b} & set("X-")]
            assert found[i, j] == sum(a != b for a, b in known) / len(known)


def test_threads_do_not_matter():
    """Law: distances are the same bits for one thread and for three."""
    alignment = evolve(random_tree(150, mean_length=0.02, random_state=1), 333, random_state=2)
    one, three = (sequence_distances(alignment, model="k2p", n_jobs=jobs) for jobs in (1, 3))
    assert np.array_equal(one, three)


def test_long_branches_are_estimated():
    """Law: Jukes and Cantor's and Kimura's formulas undo changes that hide each other."""
    tree = Phylogeny.from_newick("(a:0.3,b:0.3);")
    for model in ("jc", "k2p"):
        alignment = evolve(tree, 200_000, model=model, kappa=5.0, random_state=7)
        assert sequence_distances(alignment, model=model)[0, 1] == pytest.approx(0.6, rel=0.02)
        assert sequence_distances(alignment, model="p")[0, 1] < 0.5


def test_saturated_and_incomparable_pairs_are_named():
    """Law: an infinite distance and one of no sites are errors that name the pair."""
    rows = Alignment.from_sequences({"cat": "AAAA", "dog": "CCCC", "cow": "AAAC"})
    with pytest.raises(SaturatedSequences, match=r'"cat" and "dog".*Jukes-Cantor.*Use model="p"'):
        sequence_distances(rows)
    assert sequence_distances(rows, model="p")[0, 1] == 1.0
    rows = Alignment.from_sequences({"cat": "AC--", "dog": "--GT", "cow": "ACGT"})
    for model in ("p", "count"):
        with pytest.raises(InvalidData, match='"cat" and "dog" have no site that both know'):
            sequence_distances(rows, model=model)
    with pytest.raises(InvalidData, match="no site is known in all sequences"):
        sequence_distances(rows, gaps="complete")


def test_models_that_do_not_fit():
    """Law: a model of nucleotides is refused for proteins, an unknown one always."""
    protein = Alignment.from_sequences({"a": "MKLV", "b": "MKIV"})
    with pytest.raises(InvalidParameter, match='must be "p" or "count" for proteins, got "jc"'):
        sequence_distances(protein)
    with pytest.raises(InvalidParameter, match="model of sequence_distances must be"):
        sequence_distances(protein, model="wag")
    with pytest.raises(InvalidParameter, match="must be an Alignment, got str"):
        sequence_distances("ACGT")


@pytest.mark.parametrize(
    "text",
    [
        ">a first\nACGT\nAC\n>b\nacgtac\n",
        ">a\r\nACG\r\nTAC\r\n\r\n>b second one\r\nAcGtAc",
        "\ufeff>a\nACGTAC\n>b\nACGTAC\n",
        "; a comment\n>a\nACGTAC\n; another\n>b\nAC GT AC\n",
        "\n\n>a\nA\nC\nG\nT\nA\nC\n>b\nACGTAC",
        "> a\nACGTAC\n>\tb\nACGTAC\n",
        ">a\rACGTAC\r>b\rACGTAC\r",
    ],
)
def test_forms_of_fasta(tmp_path, text):
    """Law: wrapped lines, lower case, blanks, comments and line ends of all systems are the same file."""
    found = read_fasta(write(tmp_path, text))
    assert found.names == ("a", "b")
    assert [found.sequence(name) for name in "ab"] == ["ACGTAC", "ACGTAC"]
    packed = write(tmp_path, gzip.compress(text.encode()), "rows.fasta.gz")
    assert read_fasta(packed).names == ("a", "b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (">a\nACGT\n>b\nACG\n", '"a" has 4 letters, "b" has 3. Align them first'),
        (">a\nACGT\n>a\nACGT\n", 'two sequences are called "a"'),
        (">a\nACGT\n>b\n>c\nACGT\n", 'the sequence "b" has no letters'),
        (">\nACGT\n>b\nACGT\n", "sequence 1 has no name"),
        (">a\nAC1T\n>b\nACGT\n", "has '1' at site 3"),
        (">a\nACGTACGTACGTACGTACGE\n", r"'E' at site 20.*say kind=\"protein\""),
        ("ACGT\n", "is not FASTA, which begins with '>'"),
        ("x,y\n1,2\n", "is not FASTA"),
        (b"\xff\xfe>\x00a\x00", "UTF-16"),
        (b">a\nAC\x00GT\n", "zero bytes"),
        (b">\xe9\nACGT\n", "not UTF-8"),
        (b"", "the file is empty"),
        (b"\n\n", "is not FASTA"),
        (gzip.compress(b">a\nACGT", mtime=0)[:-9], "cut off|damaged|whole"),
        (">é\nACGT\n>b\nACÅT\n", "'Å' at site 3"),
    ],
)
def test_broken_fasta(tmp_path, text, message):
    """Law: what cannot be read is refused with the sequence, the place and the way out."""
    with pytest.raises(InvalidFile, match=message):
        read_fasta(write(tmp_path, text))


def test_large_files_are_refused_like_tables(tmp_path, monkeypatch):
    """Law: the limit of other readers holds."""
    path = write(tmp_path, ">a\n" + "ACGT" * 1000)
    monkeypatch.setenv("COTERIE_READ_LIMIT", "1K")
    with pytest.raises(NotEnoughMemory, match="COTERIE_READ_LIMIT"):
        read_fasta(path)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    """Law: whatever a file holds, it is an alignment or refused in our words."""
    path = tmp_path_factory.mktemp("fasta") / "rows.fasta"
    path.write_bytes(b">a\n" + content)
    try:
        found = read_fasta(path)
    except CoterieError:
        return
    assert found.letters.shape[0] == len(found.names)


def test_round_trip(tmp_path):
    """Law: what is written is read again."""
    alignment = evolve(random_tree(7, random_state=3), 150)
    found = read_fasta(write(tmp_path, alignment.to_fasta()))
    assert found.names == alignment.names
    assert np.array_equal(found.letters, alignment.letters)


def test_the_file_of_the_page_is_what_its_lines_make(tmp_path, monkeypatch):
    """Law: docs/applications/outbreak.fasta holds what the first block of the page writes."""
    folder = Path(__file__).resolve().parents[2] / "docs" / "applications"
    block = (folder / "phylogeny.md").read_text().split("```python\n")[1].split("```")[0]
    monkeypatch.chdir(tmp_path)
    exec(block, {})
    assert (tmp_path / "outbreak.fasta").read_text() == (folder / "outbreak.fasta").read_text()


def test_kinds():
    """Law: DNA is told from proteins by its letters, and may be told by the user."""
    assert Alignment.from_sequences({"a": "ACGUNN--"}).kind == "dna"
    assert Alignment.from_sequences({"a": "MKVLAW"}).kind == "protein"
    assert Alignment.from_sequences({"a": "ACGT"}, kind="protein").kind == "protein"
    with pytest.raises(InvalidParameter, match="kind of from_sequences must be"):
        Alignment.from_sequences({"a": "ACGT"}, kind="rna")
    with pytest.raises(InvalidData, match="no sequences"):
        Alignment.from_sequences({})
    with pytest.raises(InvalidParameter, match="pairs of a name and a text"):
        Alignment.from_sequences([("a", 3)])
    with pytest.raises(InvalidParameter, match="must be below n_sites=4"):
        Alignment.from_sequences({"a": "ACGT"}).take_sites([4])


def test_evolution_refuses_what_it_cannot():
    """Law: no lengths, negative lengths and no sites are refused."""
    with pytest.raises(InvalidParameter, match="with lengths of branches"):
        evolve(Phylogeny.from_newick("(a,b,c);"), 10)
    with pytest.raises(InvalidParameter, match="at least 0"):
        evolve(Phylogeny.from_newick("(a:-1,b:1,c:1);"), 10)
    with pytest.raises(InvalidParameter, match="n_sites of evolve"):
        evolve(random_tree(3), 0)
