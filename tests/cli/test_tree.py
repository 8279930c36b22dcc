"""The command tree."""

import json

import numpy as np
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from coterie.tree import Dendrogram

NAMES = ["Ada", "Bob", "Cy", "Dee", "Eve"]
POINTS = np.array([[1, 2], [1.1, 2.1], [5, 6], [5.2, 6.1], [9, 1.5]])
SIMILARITIES = np.array(  # worked example 4 of the lectures
    [
        [1, 0.9, 0.1, 0.65, 0.2],
        [0.9, 1, 0.7, 0.6, 0.5],
        [0.1, 0.7, 1, 0.4, 0.3],
        [0.65, 0.6, 0.4, 1, 0.8],
        [0.2, 0.5, 0.3, 0.8, 1],
    ]
)


def write(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows)]
    path.write_text("\n".join(lines) + "\n")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write points, a square of their distances and a square of similarities, and work beside them."""
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "points.csv", "name,a,b", [[name, *row] for name, row in zip(NAMES, POINTS, strict=True)]
    )
    square = squareform(pdist(POINTS))
    write(
        tmp_path / "far.csv", "who,p,q,r,s,t", [[name, *row] for name, row in zip(NAMES, square, strict=True)]
    )
    write(tmp_path / "alike.csv", "I1,I2,I3,I4,I5", SIMILARITIES)
    return tmp_path


def test_small_tables_are_drawn(folder, cli):
    """Law: what was read, what was done, the picture with a line per leaf, and how to get groups."""
    code, out, err = cli("tree", "points.csv")
    assert (code, err) == (0, "")
    assert out.startswith(
        "points.csv   5 rows; 2 columns used; left out: name (a key)\n\n"
        "  average linkage on columns as they are"
    )
    assert all(name in out for name in NAMES)
    assert "┘" in out
    assert out.endswith("groups     add --cut 3 -o groups.csv\n")


def test_large_tables_show_the_last_merges(folder, cli):
    """Law: more leaves than fit on a screen are told by the merges at the top."""
    np.save("many.npy", np.random.default_rng(0).normal(size=(200, 3)))
    code, out, _ = cli("tree", "many.npy", "--linkage", "ward")
    assert code == 0
    assert "node" in out
    assert "... and 189 merges below" in out
    assert out.endswith("picture    coterie plot dendrogram many.npy --linkage ward\n")
    assert "plot dendrogram 'man*.npy' --linkage" in cli("tree", "man*.npy")[1]


def test_groups_and_text_are_written(folder, cli):
    """Law: the groups are those of the cut, named as the rows are; the text holds the same tree."""
    code, out, _ = cli(
        "tree", "points.csv", "--scale", "none", "--cut", "3", "-o", "g.csv", "--newick", "t.nwk"
    )
    assert code == 0
    assert "3 groups of 2, 2, 1 rows" in out
    assert (folder / "g.csv").read_text() == (
        "name,label,group\nAda,0,group 1\nBob,0,group 1\nCy,1,group 2\nDee,1,group 2\nEve,2,group 3\n"
    )
    tree = Dendrogram.from_newick((folder / "t.nwk").read_text(), names=NAMES)
    np.testing.assert_allclose(tree.cophenetic(), hierarchy.cophenet(hierarchy.linkage(POINTS, "average")))
    assert (
        cli("tree", "points.csv", "--cut", "3", "-o", "g.csv")[2]
        == "coterie: g.csv exists. Use --force to replace it.\n"
    )


@pytest.mark.parametrize(
    ("cut", "sizes"), [("2", [4, 1]), ("1.0", [2, 2, 1]), ("best", [2, 2, 1]), ("0.01", [1] * 5)]
)
def test_cuts_by_number_height_and_score(folder, cli, cut, sizes):
    """Law: a whole number is a number of groups, one with a point a height, best the highest silhouette."""
    for how in (["points.csv", "--scale", "none"], ["far.csv", "--precomputed"]):
        code, out, _ = cli("tree", *how, "--cut", cut, "--json")
        facts = json.loads(out)
        assert code == 0
        assert facts["cut"]["sizes"] == sizes
        assert facts["leaves"] == NAMES


def test_facts_for_machines(folder, cli):
    """Law: --json prints the merges, as SciPy numbers them, and how they were made."""
    facts = json.loads(cli("tree", "points.csv", "--distance", "manhattan", "--scale", "none", "--json")[1])
    Z = hierarchy.linkage(POINTS, "average", "cityblock")
    np.testing.assert_allclose(np.array(facts["merges"]), Z[:, :3])
    assert (facts["linkage"], facts["distance"], facts["scale"]) == ("average", "manhattan", "none")
    assert facts["cut"] is None
    assert facts["agglomerative_coefficient"] == pytest.approx(
        Dendrogram.from_linkage(Z).agglomerative_coefficient
    )


def test_similarities_of_the_lecture(folder, cli):
    """Law: single and complete link join I1..I5 at the lecture's similarities (worked example 4)."""
    for linkage, heights in (("single", [0.9, 0.8, 0.7, 0.65]), ("complete", [0.9, 0.8, 0.3, 0.1])):
        facts = json.loads(cli("tree", "alike.csv", "--similarity", "--linkage", linkage, "--json")[1])
        assert [merge[2] for merge in facts["merges"]] == pytest.approx(heights)
        assert facts["leaves"] == ["I1", "I2", "I3", "I4", "I5"]
        assert facts["heights_are"] == "similarities"
    out = cli("tree", "alike.csv", "--similarity", "--linkage", "single", "--cut", "0.7")[1]
    assert "2 groups of 3, 2 rows" in out


WRONG = [
    (["--linkage", "averag"], 'no such linkage "averag". Did you mean "average"?'),
    (["--cut", "many"], '--cut must be a number of groups, a height such as 2.5, or best, got "many".'),
    (["--cut", "9"], "--cut must be 1 to 5 groups, the rows, got 9."),
    (["--cut", "-1.5"], "--cut must be a height of at least 0, got -1.5."),
    (["--cut", "nan"], "--cut must be a height of at least 0, got nan."),
    (["-o", "g.csv"], "--output needs --cut: the groups of a tree are those of a cut. Use --cut 5, say."),
    (
        ["--precomputed"],
        "a square of distances has as many columns of numbers as rows, got 2 columns and 5 rows.",
    ),
    (
        ["--precomputed", "--similarity"],
        "--precomputed and --similarity exclude each other. Leave one out.",
    ),
    (["--precomputed", "--scale", "none"], "--scale is for rows of numbers, not for --precomputed."),
    (["--scale", "standrd"], 'no such scale "standrd". Did you mean "standard"?'),
    (["--distance", "euclidian"], 'no such distance "euclidian". Did you mean "euclidean"?'),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_gets_one_line(folder, refused, arguments, message):
    """Law: wrong input is answered with one line that says the way out, and exit code 2."""
    assert message in refused("tree", "points.csv", *arguments)


def test_numbers_in_the_header_of_a_square(folder, cli):
    """Law: a header that counts the columns is one; other numbers look like a row, and the error tells."""
    write(folder / "counted.csv", "0,1,2,3,4", squareform(pdist(POINTS)))
    assert cli("tree", "counted.csv", "--precomputed")[0] == 0
    write(folder / "far.csv", "7,1,2,3,4", squareform(pdist(POINTS)))
    code, _, err = cli("tree", "far.csv", "--precomputed")
    assert code == 2
    assert err.endswith("got 5 columns and 6 rows. If line 1 names the columns, say --header.\n")
    assert cli("tree", "far.csv", "--precomputed", "--header")[0] == 0


def test_best_cut_of_similarities_is_refused(folder, cli):
    """Law: a silhouette needs distances."""
    code, _, err = cli("tree", "alike.csv", "--similarity", "--cut", "best")
    assert code == 2
    assert "--cut best needs distances" in err


def test_groups_to_standard_output_with_the_data(folder, cli):
    """Law: `-o -` prints the labels alone; `--with-data` puts the columns of the table before them."""
    code, out, err = cli("tree", "points.csv", "--cut", "2", "-o", "-")
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "name,label,group"
    assert len(out.splitlines()) == 1 + len(NAMES)
    with_data = cli("tree", "points.csv", "--cut", "2", "-o", "-", "--with-data")[1]
    assert with_data.splitlines()[0] == "name,a,b,label,group"
    code, _, err = cli("tree", "points.csv", "--cut", "2", "-o", "-", "--json")
    assert code == 2
    assert "-o - and --json both print" in err


def test_many_groups_are_counted(folder, cli):
    """Law: of more than 20 groups the others are counted as groups."""
    np.save("many.npy", np.random.default_rng(0).normal(size=(40, 3)))
    assert "25 groups of " in (out := cli("tree", "many.npy", "--cut", "25")[1])
    assert " rows, and 5 more groups" in out
