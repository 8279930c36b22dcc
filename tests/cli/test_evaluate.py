"""The commands evaluate and measures."""

import json
import subprocess
import sys

import numpy as np
import pytest

from coterie.data import SCALINGS, fit_scaling
from coterie.evaluate import compare, measures, silhouette_score
from coterie.pipeline.groups import group_name

TRUE = ["rose", "rose", "rose", "lily", "lily", "iris"]
PRED = [1, 1, 2, 2, 2, -1]


@pytest.fixture
def flowers(tmp_path, monkeypatch):
    """Write a table with two columns of labels, and work beside it."""
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"{true},{pred}\n" for true, pred in zip(TRUE, PRED, strict=True))
    (tmp_path / "flowers.csv").write_text(f"species,group\n{rows}")
    return tmp_path


def test_answer_first(flowers, cli):
    """Law: what is compared, three measures with what they mean, the table; --all prints every measure."""
    code, out, err = cli("evaluate", "flowers.csv", "--truth", "species")
    assert (code, err) == (0, "")
    assert out.startswith("flowers.csv   6 rows; group against species\n\n  adjusted Rand ")
    assert "0.318     agreement of pairs of rows: 0 by chance, 1 if equal" in out
    assert "--all prints" in out
    every = cli("evaluate", "flowers.csv", "--truth", "species", "--all")[1]
    assert all(measure.name in every for measure in measures("labelings"))
    assert "lily" in out.splitlines()[-3]
    assert "\x1b" not in out


def test_facts_for_machines(flowers, cli):
    """Law: --json prints the values of the functions and nothing else."""
    code, out, _ = cli("evaluate", "flowers.csv", "--truth", "species", "--noise", "exclude", "--json")
    facts = json.loads(out)
    assert code == 0
    assert facts["measures"] == pytest.approx(compare(TRUE, PRED, noise="exclude").to_dict())
    assert (facts["noise"], facts["rows"], facts["classes"], facts["clusters"]) == ("exclude", 6, 2, 2)
    assert facts["pairs"] == {"tp": 2, "fp": 2, "fn": 2, "tn": 4}


def test_some_measures(flowers, cli):
    """Law: --measure takes names and symbols, and leaves the rest out."""
    code, out, _ = cli(
        "evaluate", "flowers.csv", "--truth", "species", "--measure", "ari", "--measure", "purity_score"
    )
    assert code == 0
    assert "adjusted_rand_score" in out
    assert "purity_score" in out
    assert "mutual" not in out
    assert "adjusted Rand " not in out


def test_two_files_and_standard_input(flowers, cli, monkeypatch):
    """Law: the clusters may come from another file, or through a pipe."""
    (flowers / "groups.csv").write_text("group\n" + "".join(f"{label}\n" for label in PRED))
    command = ("evaluate", "groups.csv", "--truth", "flowers.csv", "--truth-column", "species", "--json")
    value = json.loads(cli(*command)[1])["measures"]["adjusted_rand_score"]
    with open(flowers / "groups.csv") as file:
        monkeypatch.setattr("sys.stdin", file)
        piped = cli("evaluate", "-", *command[2:])[1]
    assert json.loads(piped)["measures"]["adjusted_rand_score"] == value


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "evaluate needs --truth (compare with other labels), --data (judge by the data), or both"),
        (("--truth", "specie"), 'Did you mean "species"?'),
        (
            ("--truth", "species", "--measure", "purity_scor"),
            'no such measure "purity_scor". Did you mean "purity_score"?',
        ),
        (
            ("--truth", "species", "--measure", "soft_rand_score"),
            "evaluate has no memberships, which soft_rand_score needs",
        ),
        (("--truth", "species", "--measure", "ARI", "--measure", "sil"), "silhouette_score needs --data."),
        (("--data", "flowers.csv", "--measure", "ARI"), "adjusted_rand_score needs --truth."),
        (("--truth", "species", "--noise", "drop"), 'must be one of "cluster", "exclude", "singletons"'),
        (("--truth", "species", "--missing", "median"), 'must be one of "error", "drop"'),
    ],
)
def test_what_is_wrong_in_one_line(flowers, refused, arguments, message):
    """Law: bad input is one line on standard error, and exit code 2."""
    assert message in refused("evaluate", "flowers.csv", *arguments)


def test_judge_by_the_data(flowers, cli):
    """Law: --data gives the internal measures, for people and machines; rows are matched by name."""
    rows = [("a", 0.0, 1), ("b", 1.0, 1), ("c", 5.0, 2), ("d", 6.0, 2), ("e", 5.5, 2)]
    (flowers / "data.csv").write_text("id,height\n" + "".join(f"{n},{x}\n" for n, x, _ in rows))
    (flowers / "groups.csv").write_text("id,group\n" + "".join(f"{n},{g}\n" for n, _, g in rows[::-1]))
    code, out, err = cli("evaluate", "groups.csv", "--data", "data.csv")
    assert (code, err) == (0, "")
    assert out.startswith(
        "groups.csv   5 rows; group judged by 1 column of data.csv (height), on columns as they are\n"
    )
    assert "1: well separated, 0: touching" in out
    every = cli("evaluate", "groups.csv", "--data", "data.csv", "--all")[1]
    assert all(measure.name in every for measure in measures("data"))
    facts = json.loads(cli("evaluate", "groups.csv", "--data", "data.csv", "--json")[1])
    X, labels = [[x] for _, x, _ in rows], [g for _, _, g in rows]
    assert facts["measures"]["silhouette_score"] == pytest.approx(silhouette_score(X, labels))
    only = json.loads(cli("evaluate", "groups.csv", "--data", "data.csv", "--measure", "DB", "--json")[1])
    assert list(only["measures"]) == ["davies_bouldin_score"]


def test_columns_are_scaled_as_fit_scales_them(tmp_path, monkeypatch, cli):
    """Law: --scale takes the choices of fit; without it columns are standardised if their spreads differ."""
    monkeypatch.chdir(tmp_path)
    rows = np.array([(0, 9, 1), (1, 700, 0), (5, 30, 1), (6, 800, 0), (5.5, 350, 1)])
    labels = [1, 1, 2, 2, 2]
    lines = [",".join(map(str, (*row, label))) for row, label in zip(rows, labels, strict=True)]
    (tmp_path / "t.csv").write_text("a,b,c,group\n" + "\n".join(lines) + "\n")
    judge = ("evaluate", "t.csv", "--data", "t.csv", "--measure", "silhouette_score", "--json")
    for how in (None, *SCALINGS):
        facts = json.loads(cli(*judge, *(() if how is None else ("--scale", how)))[1])
        assert facts["scale"] == (how or "standard")
        expected = silhouette_score(fit_scaling(rows, facts["scale"]).apply(rows), labels)
        assert facts["measures"]["silhouette_score"] == pytest.approx(expected)
    assert "on standardised columns" in cli(*judge[:-1], "--scale", "standard")[1]
    code, _, err = cli(*judge, "--scale", "robst")
    assert code == 2
    assert 'no such scale "robst". Did you mean "robust"? (auto, standard, minmax, robust, none)' in err
    code, _, err = cli("evaluate", "t.csv", "--truth", "c", "--scale", "none")
    assert (code, err) == (2, "coterie: --scale of evaluate needs --data: the columns that it scales.\n")


def test_files_of_fit_are_read_by_their_labels(tmp_path, monkeypatch, cli):
    """Law: of a file that fit wrote the column label is read: there -1 is noise."""
    monkeypatch.chdir(tmp_path)
    labels = [0, 0, 1, 1, -1, -1]
    lines = [
        f"{x},{label},{group_name(label)},a" for x, label in zip((1, 2, 8, 9, 5, 20), labels, strict=True)
    ]
    (tmp_path / "g.csv").write_text("x,label,group,truth\n" + "\n".join(lines) + "\n")
    facts = json.loads(cli("evaluate", "g.csv", "--truth", "truth", "--json")[1])
    assert facts["labels"] == "label"


@pytest.fixture
def garden(tmp_path, monkeypatch):
    """Write data with their classes, and the groups in a file of its own, in another order."""
    monkeypatch.chdir(tmp_path)
    rows = [("a", 0.0, 7, 1), ("b", 1.0, 7, 1), ("c", 5.0, 8, 2), ("d", 6.0, 8, 2), ("e", 5.5, 7, 2)]
    data = "".join(f"{name},{height},{species}\n" for name, height, species, _ in rows)
    (tmp_path / "data.csv").write_text(f"id,height,species\n{data}")
    groups = "".join(f"{name},{group}\n" for name, _, _, group in rows[::-1])
    (tmp_path / "groups.csv").write_text(f"id,group\n{groups}")
    classes = "".join(f"{name},{species}\n" for name, _, species, _ in rows)
    (tmp_path / "truth.csv").write_text(f"id,species\n{classes}")
    X = [[height] for _, height, _, _ in rows]
    return X, [group for *_, group in rows], [species for _, _, species, _ in rows]


@pytest.mark.parametrize("truth", ["species", "truth.csv"])
def test_truth_and_data_together(garden, cli, truth):
    """Law: both tables, one after the other; the classes are no data, whichever file they come from."""
    X, groups, species = garden
    command = ("evaluate", "groups.csv", "--data", "data.csv", "--truth", truth)
    code, out, err = cli(*command)
    assert (code, err) == (0, "")
    assert "adjusted Rand" in out
    assert "judged by 1 column of data.csv (height), on columns as they are" in out
    every = cli(*command, "--all")[1]
    assert all(measure.name in every for measure in (*measures("labelings"), *measures("data")))
    facts = json.loads(cli(*command, "--json")[1])
    values = facts["measures"]
    assert values["adjusted_rand_score"] == compare(species, groups)["ARI"]
    assert values["silhouette_score"] == pytest.approx(silhouette_score(X, groups))
    assert facts["by_data"]["how"]["silhouette_score"] == "exact"
    assert facts["against_truth"]["classes"] == 2


def test_some_measures_of_both(garden, cli):
    """Law: --measure picks from both tables, and a table that nothing is picked from is not there."""
    both = ("evaluate", "groups.csv", "--data", "data.csv", "--truth", "species", "--json", "--measure")
    assert set(json.loads(cli(*both, "DB", "--measure", "NMI")[1])["measures"]) == {
        "normalized_mutual_info_score",
        "davies_bouldin_score",
    }
    alone = json.loads(cli(*both, "CH")[1])
    assert list(alone["measures"]) == ["calinski_harabasz_score"]
    assert alone["data"] == "data.csv"


def test_a_distance_that_is_none(garden, refused):
    """Law: the name of a distance is looked up before any work, and the nearest one is offered."""
    assert 'Did you mean "euclidean"?' in refused(
        "evaluate", "groups.csv", "--data", "data.csv", "--distance", "euclidian"
    )


def test_all_of_one_table_through_a_pipe(garden):
    """Law: one table may hold data, groups and classes, also on standard input."""
    X, groups, species = garden
    rows = "".join(f"{x},{g},{s}\n" for [x], g, s in zip(X, groups, species, strict=True))
    piped = subprocess.run(
        [sys.executable, "-m", "coterie", "evaluate", "-", "--data", "-", "--truth", "species", "--json"],
        input=f"height,group,species\n{rows}".encode(),
        capture_output=True,
        check=True,
    )
    facts = json.loads(piped.stdout)
    assert facts["by_data"]["columns"] == ["height"]
    assert facts["measures"]["silhouette_score"] == pytest.approx(silhouette_score(X, groups))


def test_catalogue(cli):
    """Law: every measure is listed with its facts, for people and machines."""
    code, out, _ = cli("measures")
    assert code == 0
    rows = json.loads(cli("measures", "--json")[1])
    assert [row["name"] for row in rows] == [measure.name for measure in measures()]
    assert all(row["name"] in out for row in rows)
    assert rows[1]["range"] == "[-0.5, 1]"


def test_the_truth_is_left_out_as_such(flowers, cli):
    """Law: a column of the truth among the data is called the truth, not dropped."""
    rows = ["width,group,species", *(f"{at}.5,{at // 3},{'ab'[at // 3]}" for at in range(6))]
    (flowers / "widths.csv").write_text("\n".join(rows) + "\n")
    code, out, err = cli("evaluate", "widths.csv", "--truth", "species", "--data", "widths.csv")
    assert code == 0, err
    assert "left out: species (the truth)" in out
    assert "left out: group (the labels)" in out
    assert "dropped" not in out


def test_positions_are_judged_on_the_earth(tmp_path, cli, monkeypatch):
    """Law: latitude and longitude are one position, as in a fit: the date line cuts no group."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    town = np.arange(60) % 2
    degrees = np.array([[-17.0, 180.0], [-16.0, -176.0]])[town] + rng.normal(0, 0.05, (60, 2))
    degrees[:, 1] = (degrees[:, 1] + 180) % 360 - 180
    rows = [f"{at},{a},{b}" for at, (a, b) in zip(town, degrees.tolist(), strict=True)]
    (tmp_path / "towns.csv").write_text("\n".join(["group,lat,lon", *rows]) + "\n")
    expected = silhouette_score(np.radians(degrees), town, metric="haversine")
    command = ("evaluate", "towns.csv", "--data", "towns.csv", "--measure", "silhouette_score", "--json")
    facts = json.loads(cli(*command)[1])
    assert facts["measures"]["silhouette_score"] == pytest.approx(expected, abs=1e-4)
    assert "one position on the Earth" in facts["notes"][0]
    facts = json.loads(cli(*command, "--distance", "haversine")[1])
    assert facts["measures"]["silhouette_score"] == pytest.approx(expected, abs=1e-12)
    assert "distances are in radians" in facts["notes"][0]
    assert json.loads(cli(*command, "--places", "off")[1])["measures"]["silhouette_score"] < expected - 0.1
    (tmp_path / "beside.csv").write_text(
        "group,lat,lon,speed\n" + "\n".join(f"{row},{i % 7}" for i, row in enumerate(rows)) + "\n"
    )
    code, out, err = cli("evaluate", "beside.csv", "--data", "beside.csv", "--report", "towns.html")
    assert code == 0, err
    assert "3 columns of beside.csv (lat, lon, speed), on standardised columns" in out
