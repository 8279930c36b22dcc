"""The commands select and criteria."""

import json

import numpy as np
import pytest

from coterie.select import criteria


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write a table of three groups beside a key, and one without groups."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(centre, 1, (30, 2)) for centre in ([0, 0], [15, 0], [0, 15])])
    lines = [f"id{at},{a:.4f},{b:.4f}" for at, (a, b) in enumerate(points)]
    (tmp_path / "points.csv").write_text("\n".join(["name,height,weight", *lines]) + "\n")
    cloud = rng.normal(size=(80, 2))
    np.savetxt(tmp_path / "cloud.csv", cloud, delimiter=",", header="a,b", comments="")
    return tmp_path


FEW = ("--criterion", "silhouette", "--criterion", "gap_pca")


def test_votes_add_up(folder, cli):
    """Law: the votes of the answer are those that the table lists beside the criteria that choose it."""
    _, out, _ = cli("select", "points.csv", "-k", "1..5")
    lines = [line.split() for line in out.splitlines()]
    answer = next(line for line in lines if line[1:2] == ["of"] and line[3].startswith("votes"))
    own, total = int(answer[0]), int(answer[2])
    start = next(at for at, line in enumerate(lines) if line[:3] == ["criterion", "chooses", "votes"])
    listed = []
    for line in lines[start + 2 :]:
        if not line:
            break
        at = next(at for at, word in enumerate(line) if word == "-" or word.isdecimal() or word == "none")
        listed.append((line[at], 0 if line[at + 1] == "-" else int(line[at + 1])))
    assert sum(votes for _, votes in listed) == total
    assert sum(votes for choice, votes in listed if choice == "3") == own


def test_a_square_of_distances(folder, cli):
    """Law: select takes distances as fit does, recognises them and asks; plot says what draws them."""
    points = np.loadtxt("points.csv", delimiter=",", skiprows=1, usecols=(1, 2))
    np.savetxt("square.csv", np.abs(points[:, None] - points).sum(-1), delimiter=",", comments="",
               header=",".join(f"p{at}" for at in range(len(points))))  # fmt: skip
    code, _, err = cli("select", "square.csv")
    assert code == 2
    assert "looks like distances. If so, use --distance precomputed." in err
    code, out, err = cli("select", "square.csv", "--distance", "precomputed", "-k", "1..5", *FEW)
    assert code == 0, err
    assert out.startswith(
        "square.csv   90 rows; a square of distances\n\n  3 groups   k-means, from the distances"
    )
    code, _, err = cli("plot", "scatter", "square.csv", "--distance", "precomputed")
    assert code == 2
    assert "plot draws rows of features, not distances." in err


def test_data_in_blocks(folder, cli):
    """Law: what fit reads in blocks, select, compare, tree and plot take too."""
    zarr = pytest.importorskip("zarr")
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [15, 0], [0, 15])])
    stored = zarr.open_array("points.zarr", mode="w", shape=X.shape, chunks=(50, 2), dtype="f8")
    stored[:] = X
    code, out, err = cli("select", "points.zarr", "-k", "1..5", *FEW, "--json")
    assert code == 0, err
    facts = json.loads(out)
    assert (facts["k"], facts["rows"], facts["columns"]) == (3, 180, ["column_1", "column_2"])
    for words in (
        ("tree", "points.zarr", "--cut", "3"),
        ("compare", "points.zarr", "--methods", "kmeans", "--budget", "fast"),
        ("plot", "scatter", "points.zarr", "-k", "3", "--method", "kmeans"),
    ):
        code, _, err = cli(*words)
        assert code == 0, err
    code, _, err = cli("select", "points.zarr", "--encoding", "cp1252")
    assert (code, err) == (2, "coterie: --encoding is for text: points.zarr has none. Leave it out.\n")


def test_the_answer_comes_first(folder, cli):
    """Law: what was read, the number of groups, who says so, the numbers, and what to do next."""
    code, out, err = cli("select", "points.csv", "-k", "1..5", *FEW)
    assert (code, err) == (0, "")
    lines = [line.strip() for line in out.splitlines() if line.strip()]
    assert lines[0].startswith("points.csv   90 rows; 2 columns used; left out: name")
    assert lines[1].startswith("3 groups   k-means on columns as they are, 1 to 5 compared")
    assert lines[2] == "4 of 4 votes"
    assert "largest, 0." in out
    assert lines[-1] == "groups   coterie fit points.csv -k 3"


def test_the_next_command_repeats_what_was_said_of_the_rows(folder, cli):
    """Law: the command that is offered uses the same columns, scaled and compared in the same way."""
    rows = ("--drop", "name,height", "--scale", "robust")
    out = cli("select", "points.csv", "-k", "2..3", *rows, *FEW)[1]
    assert out.splitlines()[-1].endswith(" --scale robust --drop name,height")
    tree = cli("tree", "points.csv", "--cut", "3", *rows)[1]
    assert tree.endswith(" --linkage average -k 3 --scale robust --drop name,height\n")


def test_no_groups_is_an_answer(folder, cli):
    """Law: a table without groups is told so, with exit code 0."""
    code, out, _ = cli("select", "cloud.csv", "-k", "1..5", "--criterion", "gap_pca")
    assert code == 0
    assert "no groups" in out


def test_machines_get_everything(folder, cli):
    """Law: --json has the verdict, every curve, and how the data were prepared."""
    code, out, _ = cli("select", "points.csv", "-k", "2..4", "--method", "agglomerative", *FEW[:2], "--json")
    facts = json.loads(out)
    assert code == 0
    assert (facts["k"], facts["method"], facts["ks"]) == (3, "agglomerative", [2, 3, 4])
    assert facts["verdict"]["votes"] == {"3": 2}
    assert len(facts["curves"][0]["values"]) == 3
    assert facts["left_out"][0]["column"] == "name"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-k", "0..4"], "-k must be a number from 1, a range such as 2..8, or auto, got 0..4."),
        (["-k", "5..2"], "-k must be a number from 1, a range such as 2..8, or auto, got 5..2."),
        (["-k", "few"], "-k must be a number from 1, a range such as 2..8, or auto, got few."),
        (["-k", "2..200"], "-k must lie between 1 and 90, the number of rows, got 2..200."),
        (["--method", "hdbscan"], "HDBSCAN finds the number of groups by itself"),
        (["--method", "kmean"], 'no such method "kmean". Did you mean "kmeans"?'),
        (["--criterion", "silhouete"], 'no such criterion "silhouete". Did you mean "silhouette"?'),
        (["--criterion", "bic"], "bic needs a likelihood, which k-means does not give here"),
        (["--scale", "standart"], 'no such scale "standart". Did you mean "standard"?'),
        (["--seed", "-1"], "--seed must be a whole number from 0 to 2**64 - 1, got -1."),
        (["--method", "mixture", "--distance", "cosine"], "Gaussian mixture has no distance cosine."),
    ],
)
def test_wrong_options_are_one_line(folder, refused, arguments, message):
    """Law: one line on stderr, the way out, exit code 2."""
    assert message in refused("select", "points.csv", *arguments)


def test_criteria_are_listed(cli):
    """Law: the command lists the whole catalogue."""
    code, out, _ = cli("criteria", "--json")
    assert code == 0
    assert [row["name"] for row in json.loads(out)] == [found.name for found in criteria()]


@pytest.mark.parametrize("command", ["select", "tree"])
def test_naming_the_default_distance_changes_nothing(tmp_path, monkeypatch, cli, command):
    """Law: --distance euclidean is the default of every command, for positions on the Earth too."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    spots = np.repeat([[48.0, 11.0], [-33.0, 151.0]], 20, axis=0) + rng.normal(0, 0.1, (40, 2))
    np.savetxt("spots.csv", spots, delimiter=",", header="lat,lon", comments="")
    answers = [
        json.loads(cli(command, "spots.csv", "--json", *more)[1])
        for more in ((), ("--distance", "euclidean"))
    ]
    given = [(answer.pop("distance"), answer.pop("seconds", None))[0] for answer in answers]
    assert given[1] == "euclidean"
    assert answers[0] == answers[1]
