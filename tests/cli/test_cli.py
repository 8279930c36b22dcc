"""The command line: answers, files, exit codes, and one line for whatever goes wrong."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
import typer

import coterie
from coterie.cli.app import app
from coterie.cluster import KMeans
from coterie.distance import distances, geometries
from coterie.series import series_distances

DISTANCES = [distance.name for distance in distances()]

COTERIE = [sys.executable, "-m", "coterie"]
QUICK = ("--method", "kmeans", "--no-believe")  # nothing is compared: where files are the law


def test_fit_answers_first(shop, cli):
    """Law: the summary names table, what is left out, groups, sizes, what sets them apart, centres."""
    code, out, err = cli("fit", "customers.csv", "-k", 5, "--method", "kmeans")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == (
        "customers.csv   800 rows; 6 columns used; left out: "
        "customer_id (a key), city (text), joined (a date)"
    )
    assert "5 groups                k-means on standardised columns, Euclidean distance" in lines[2]
    for piece in (
        "25.9%",
        "discount high (+1.3 sd), online high (+1.0), age low (-1.0)",
        "19,075",
        "SSE ",
        "seed 0",
    ):
        assert piece in out
    assert [line.split()[0] for line in lines[-3:]] == ["labels", "model", "report"]
    assert lines[-3].endswith(" -o groups.csv")
    assert "\x1b" not in out


def test_fit_for_machines(shop, cli):
    """Law: --json prints one object with every fact, and nothing else."""
    code, out, err = cli("fit", "customers.csv", *QUICK, "-k", 5, "--json")
    facts = json.loads(out)
    assert (code, err) == (0, "")
    assert facts["k"] == 5
    assert sum(group["size"] for group in facts["groups"]) == facts["rows"] == 800
    assert set(facts["groups"][0]["center"]) == set(facts["columns"])
    assert facts["left_out"][0] == {"column": "customer_id", "reason": "a key"}
    assert facts["sse"] > 0


def test_labels_and_model_go_round(shop, cli):
    """Law: predict on the same table gives the labels of fit, by file and on standard output."""
    code, out, _ = cli("fit", "customers.csv", *QUICK, "-k", 5, "-o", "groups.csv", "--save", "m.safetensors")
    assert code == 0
    assert "labels   written to groups.csv" in out
    labels = pl.read_csv("groups.csv")
    assert labels.columns == ["customer_id", "label", "group"]
    assert labels["group"].value_counts(sort=True)["count"].to_list() == sorted(
        labels["group"].value_counts()["count"].to_list(), reverse=True
    )
    assert cli("predict", "m.safetensors", "customers.csv", "-o", "again.csv")[0] == 0
    assert (shop / "again.csv").read_bytes() == (shop / "groups.csv").read_bytes()
    code, out, _ = cli("predict", "m.safetensors", "customers.csv")
    assert out == (shop / "groups.csv").read_text()


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "npy"])
def test_every_label_format(shop, cli, suffix):
    """Law: the ending of the name decides the format; all hold the same labels."""
    assert cli("fit", "customers.csv", *QUICK, "-k", 3, "-o", f"g.{suffix}")[0] == 0
    read = {
        "csv": pl.read_csv,
        "tsv": lambda path: pl.read_csv(path, separator="\t"),
        "parquet": pl.read_parquet,
        "npy": lambda path: {"label": np.load(path)},
    }[suffix](f"g.{suffix}")
    assert sorted(set(np.asarray(read["label"]).tolist())) == [0, 1, 2]
    assert len(read["label"]) == 800


@pytest.mark.parametrize("distance", sorted(geometries()))
def test_every_distance_with_a_barycentre(shop, cli, distance):
    """Law: fit and predict agree for every distance that k-means can use, through a saved file."""
    assert (
        cli("fit", "customers.csv", *QUICK, "-k", 3, "--distance", distance, "-o", "a.csv", "--save", "m")[0]
        == 0
    )
    assert cli("predict", "m", "customers.csv", "-o", "b.csv")[0] == 0
    assert (shop / "a.csv").read_text() == (shop / "b.csv").read_text()


def test_rows_with_holes(shop, cli):
    """Law: missing values are refused with place and way out; dropped rows have no label and no group."""
    lines = (shop / "customers.csv").read_text().splitlines()
    cells = lines[4].split(",")
    lines[4] = ",".join([*cells[:4], "", *cells[5:]])
    (shop / "holes.csv").write_text("\n".join(lines))
    code, _, err = cli("fit", "holes.csv", "-k", 3, "--missing", "refuse")
    assert code == 2
    assert err == (
        'coterie: holes.csv: column "income" has 1 missing value (row 4). '
        "Use --missing observed|drop|median, or fill them first.\n"
    )
    code, out, _ = cli("fit", "holes.csv", *QUICK, "-k", 3, "-o", "g.csv")
    assert code == 0
    assert "missing values: income 0.12 %; 1 of 800 rows left out (--missing observed uses them" in out
    for column in ("label", "group"):
        assert pl.read_csv("g.csv")[column].is_null().to_numpy().nonzero()[0].tolist() == [3]


def test_arrays_and_text_without_header(tmp_path, cli):
    """Law: without names, rows are numbered from 1 in the label file."""
    points = np.random.default_rng(0).normal(size=(30, 2)) + np.repeat([[0.0], [9.0]], 15, axis=0)
    np.save(tmp_path / "p.npy", points)
    np.savetxt(tmp_path / "p.txt", points)
    for name in ("p.npy", "p.txt"):
        assert cli("fit", tmp_path / name, *QUICK, "-k", 2, "-o", tmp_path / "g.csv", "--force")[0] == 0
        labels = pl.read_csv(tmp_path / "g.csv")
        assert labels.columns == ["row", "label", "group"]
        assert labels["row"].to_list() == list(range(1, 31))
        assert labels["group"].to_list() == [f"group {label + 1}" for label in labels["label"]]
        assert (
            labels["label"].to_list() == labels["label"][0:1].to_list() * 15 + [1 - labels["label"][0]] * 15
        )


def test_predict_finds_columns_by_name(shop, cli):
    """Law: other order and more columns do not matter; a missing column and text are refused by name."""
    assert cli("fit", "customers.csv", *QUICK, "-k", 3, "--save", "m", "-o", "g.csv")[0] == 0
    frame = pl.read_csv("customers.csv")
    frame.select(reversed(frame.columns)).with_columns(more=1).write_csv("turned.csv")
    assert cli("predict", "m", "turned.csv", "-o", "t.csv")[0] == 0
    assert pl.read_csv("t.csv")["group"].equals(pl.read_csv("g.csv")["group"])
    frame.drop("income").write_csv("less.csv")
    assert 'less.csv: no column "income"' in cli("predict", "m", "less.csv")[2]
    frame.with_columns(income=pl.lit("much")).write_csv("text.csv")
    code, _, err = cli("predict", "m", "text.csv")
    assert (code, err) == (2, 'coterie: text.csv: column "income" must hold numbers, but is text.\n')


def test_predictions_for_machines(shop, cli):
    """Law: --json holds the labels that the file gets, null for rows left out, with and without a file."""
    assert cli("fit", "customers.csv", *QUICK, "-k", 3, "--save", "m")[0] == 0
    text = (shop / "customers.csv").read_text().splitlines()
    cells = text[2].split(",")
    cells[text[0].split(",").index("income")] = ""
    (shop / "holes.csv").write_text("\n".join([*text[:2], ",".join(cells), *text[3:]]))
    arguments = ("predict", "m", "holes.csv", "--missing", "drop", "--json")
    facts = json.loads(cli(*arguments)[1])
    assert (facts["source"], facts["model_file"], facts["rows"]) == ("holes.csv", "m", 800)
    assert facts["labels_file"] is None
    again = json.loads(cli(*arguments, "-o", "g.csv")[1])
    assert again["labels_file"] == "g.csv"
    assert facts["labels"] == again["labels"] == pl.read_csv("g.csv")["label"].to_list()
    assert facts["labels"][1] is None
    code, out, err = cli(*arguments, "-o", "-")
    assert (code, out) == (2, "")
    assert "-o - and --json both print" in err


def test_predict_with_a_model_from_python(shop, cli):
    """Law: an estimator saved in Python places tables, with its own labels."""
    frame = pl.read_csv("customers.csv").select("age", "income").to_pandas()
    model = KMeans(2, random_state=0).fit(frame)
    coterie.save(model, "m")
    code, out, _ = cli("predict", "m", "customers.csv")
    assert code == 0
    assert [int(line.split(",")[1]) for line in out.splitlines()[1:]] == model.predict(frame).tolist()


def test_demo_explains_itself(cli):
    """Law: the demo needs nothing, finds the five kinds it was made of, and says what to do next."""
    code, out, err = cli("demo")
    assert (code, err) == (0, "")
    for piece in ("5 groups", "800 rows", "students, one would guess", "coterie demo --copy customers.csv"):
        assert piece in out


def test_demo_text_fits_the_result(shop, cli):
    """Law: what the demo says of group 1 is what the fit finds: young, online, at a discount."""
    group = json.loads(cli("fit", "customers.csv", *QUICK, "-k", 5, "--json")[1])["groups"][0]
    signs = {entry["column"]: np.sign(entry["difference_sd"]) for entry in group["apart"][:3]}
    assert signs == {"discount": 1, "online": 1, "age": -1}


def test_lists_version_and_config(cli):
    """Law: the catalogues list every entry, as a table and as JSON; version and config print theirs."""
    from coterie.cluster import methods

    code, out, _ = cli("methods")
    assert code == 0
    for method in methods():
        assert method.name in out
        assert method.summary in out
    assert [row["name"] for row in json.loads(cli("methods", "--json")[1])] == [m.name for m in methods()]
    code, out, _ = cli("distances")
    assert code == 0
    assert all(name in out for name in DISTANCES)
    series = [distance.name for distance in series_distances()]
    assert [row["name"] for row in json.loads(cli("distances", "--json")[1])] == [*DISTANCES, *series]
    assert cli("--version")[1] == f"coterie {coterie.__version__}\n"
    assert "instruction set" in cli("config")[1]
    assert "engine" in json.loads(cli("config", "--json")[1])


@pytest.mark.parametrize("command", ["fit", "predict", "demo", "methods", "distances", "config", None])
def test_help_fits_on_one_screen(cli, command):
    """Law: help is at most 54 lines of 80 columns; fit and predict have examples."""
    code, out, _ = cli(*([command] if command else []), "--help")
    assert code == 0
    assert len(out.splitlines()) <= 54
    assert max(map(len, out.splitlines())) <= 86
    assert ("Examples:" in out) == (command in ("fit", "predict", None))


def test_the_list_of_commands_is_not_cut_off(cli):
    """Law: the summary of every command fits its line of 80 columns, whole."""
    _, out, _ = cli("--help")
    listed = out[out.index("Commands:") : out.index("Examples:")]
    assert "..." not in listed


def test_help_of_fit_names_every_option(cli):
    """Law: --help names every option of fit, --help-all explains every one, and neither needs data."""
    command = typer.main.get_command(app).commands["fit"]
    records = {each.name: each for each in command.params if each.param_type_name == "option"}
    for asked in ("--help", "--help-all"):
        code, out, err = cli("fit", asked)
        words = set(out.replace("--[no-]", "--").replace(",", " ").split())
        assert (code, err) == (0, "")
        assert all(each.opts[0] in words for each in records.values())
        explained = [name for name, each in records.items() if " ".join(each.help.split()[:4]) in out]
        assert (len(explained) == len(records)) == (asked == "--help-all")


def test_no_arguments_is_help(cli):
    """Law: the bare command shows what there is."""
    code, out, _ = cli()
    assert code == 0
    assert "Usage: coterie" in out


def test_shell_pipe_and_exit_codes(shop):
    """Law: as a process: stdin in, JSON out, exit codes, quiet when the reader leaves."""
    with open("customers.csv", "rb") as file:
        done = subprocess.run(
            [*COTERIE, "fit", "-", *QUICK, "-k", "3", "--json"], stdin=file, capture_output=True, check=True
        )
    assert json.loads(done.stdout)["source"] == "standard input"
    assert done.stderr == b""
    wrong = subprocess.run([*COTERIE, "fit", "none.csv", "-k", "3"], capture_output=True, text=True)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr == "coterie: none.csv: no such file.\n"
    left = subprocess.run(
        f"{shutil.which('bash')} -c '{' '.join(COTERIE)} fit customers.csv -k 3 --budget fast | true'",
        shell=True,
        capture_output=True,
    )
    assert left.stderr == b""


def test_interrupt_is_quiet_and_leaves_nothing(shop):
    """Law: Ctrl-C ends with 130, no traceback, and no half-written file."""
    rows = np.random.default_rng(0).normal(size=(20_000, 8))
    process = subprocess.Popen(
        [*COTERIE, "fit", "-", *QUICK, "-k", "200", "--n-init", "5000", "-o", "g.csv"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdin.write(b"\n".join(b",".join(b"%.3f" % value for value in row) for row in rows))
    process.stdin.close()  # all but the last 64 KiB are read: it is at work, however busy the machine
    process.stdin = None
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert out.strip() == b""
    assert b"Traceback" not in err
    assert sorted(os.listdir(shop)) == ["customers.csv"]


def test_terminals_without_utf8(shop):
    """Law: a terminal that knows ASCII only gets an answer too."""
    done = subprocess.run(
        [*COTERIE, "fit", "customers.csv", *QUICK, "-k", "3"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
    )
    assert done.returncode == 0
    assert done.stdout.isascii()
