"""Whatever goes wrong on the command line is one line on stderr and an exit code."""

import os
import subprocess
import sys

import pytest

from coterie.cli.app import explain

WRONG = [
    (
        ["fit", "customers.csv", "-k", "3", "--truth", "ctiy"],
        'customers.csv: no column "ctiy" to compare with. Did you mean "city"?',
    ),
    (
        ["fit", "customers.csv", "-k", "3", "--missing", "medain"],
        "--missing must be one of auto, observed, drop, median, refuse, got 'medain'. "
        'Did you mean "median"?',
    ),
    (["fit", "custmers.csv", "-k", "3"], r'custmers.csv: no such file. Did you mean "customers.csv"?'),
    (
        ["fit", "customers.csv", "-k", "0"],
        "-k must be a number from 1, a range such as 2..8, or auto, got 0.",
    ),
    (
        ["fit", "customers.csv", "--budget", "quick"],
        "--budget must be one of fast, normal, thorough, got quick.",
    ),
    (
        ["fit", "customers.csv", "--n-init", "5"],
        "--n-init is an option of one method: add --method NAME, for example kmeans.",
    ),
    (
        ["compare", "customers.csv", "--methods", "kmeans,mixtur"],
        'no such method "mixtur". Did you mean "mixture"?',
    ),
    (["fit", "customers.csv", "-k", "900"], "customers.csv: -k must be at most 800, its rows, got 900."),
    (["fit", "customers.csv", "-k", "many"], "-k must be a number from 1"),
    (["fit", "customers.csv", "-k", ""], "or auto, got ''."),
    (["fit", "customers.csv", "-k", "\u00b2"], "or auto, got \u00b2."),
    (["fit", "customers.csv", "--budget", ""], "--budget must be one of fast, normal, thorough, got ''."),
    (["fit", "customers.csv", "--seed", ""], "--seed must be a whole number from 0 to 2**64 - 1, got ''."),
    (["fit", "customers.csv", "--scale", ""], 'no such scale "".'),
    (["fit", "customers.csv", "--distance", ""], 'no such distance "".'),
    (
        ["fit", "customers.csv", "-k", "3", "--method", "kmean"],
        'no such method "kmean". Did you mean "kmeans"?',
    ),
    (["fit", "customers.csv", "-k", "3", "--distance", "euclidian"], 'Did you mean "euclidean"?'),
    (
        ["fit", "customers.csv", "-k", "3", "--scale", "robst"],
        'no such scale "robst". Did you mean "robust"?',
    ),
    (["fit", "customers.csv", "-k", "3", "--n-init", "0"], "--n-init must be a whole number from 1, got 0."),
    (
        ["fit", "customers.csv", "-k", "3", "--seed", "-1"],
        "--seed must be a whole number from 0 to 2**64 - 1, got -1.",
    ),
    (["fit", "customers.csv", "-k", "3", "--missing", "dorp"], "got 'dorp'. Did you mean \"drop\"?"),
    (["fit", "customers.csv", "-k", "3", "--drop", "incme"], 'no column "incme". Did you mean "income"?'),
    (
        ["fit", "customers.csv", "-k", "3", "--method", "kmeans", "--keep", "city"],
        "city: a category, which is not used by k-means",
    ),
    (
        ["fit", "customers.csv", "-k", "3", "--sclae", "none"],
        'no such option "--sclae". Did you mean "--scale"? (coterie fit --help)',
    ),
    (["fit", "customers.csv", "-k", "3", "-x"], 'no such option "-x". (coterie fit --help)'),
    (["--sed"], 'no such option "--sed". (coterie --help)'),
    (
        ["fit", "customers.csv", "--seed", "abc"],
        "--seed must be a whole number from 0 to 2**64 - 1, got abc. (coterie fit --help)",
    ),
    (
        ["select", "customers.csv", "--seed", str(2**64)],
        f"--seed must be a whole number from 0 to 2**64 - 1, got {2**64}. (coterie select --help)",
    ),
    (
        ["fit", "customers.csv", "-k", "3", "--n-init", "2.5"],
        "--n-init must be a whole number from 1, got 2.5. (coterie fit --help)",
    ),
    (
        ["plot", "scatter", "customers.csv", "-k", "two"],
        "-k must be a whole number from 1, got two. (coterie plot --help)",
    ),
    (
        ["plot", "scatter", "customers.csv", "--dpi", "7"],
        "--dpi must be a whole number from 20 to 1200, got 7. (coterie plot --help)",
    ),
    (
        ["fit"],
        "fit needs DATA: CSV, Excel, JSON, Parquet, Arrow, npy, npz, database, folder, pattern or - (stdin). "
        "(coterie fit --help)",
    ),
    (["plot"], "plot needs KIND: See coterie plots. (coterie plot --help)"),
    (
        ["fit", "customers.csv", "more.csv", "most.csv"],
        "fit takes no further argument, got more.csv most.csv. Quote a name with blanks, and a pattern of",
    ),
    (["fit", "customers.csv", "-o"], "-o needs a value: -o FILE (Labels: .csv"),
    (["fit", "customers.csv", "--json=3"], "--json takes no value, got '3'. (coterie fit --help)"),
    (
        ["fit", "customers.csv", "-k", "3", "-o", "g.xls"],
        "must end in one of .csv, .tsv, .parquet, .npy, got .xls",
    ),
    (["fit", "customers.csv", "-k", "3", "-o", "no/g.csv"], "the folder no does not exist"),
    (
        ["fit", "customers.csv", "-k", "3", "-o", "customers.csv", "--force"],
        "is the input: it is never overwritten",
    ),
    (["fit", "customers.csv", "-k", "3", "-o", "a.npy", "--save", "a.npy"], "both name a.npy"),
    (
        ["fti", "customers.csv"],
        'no such command "fti". Did you mean "fit"? (coterie --help lists all)',
    ),
    (["customers.csv"], 'no such command "customers.csv". To find its groups: coterie fit customers.csv.'),
    (["cluster", "customers.csv"], 'no such command "cluster". Use: coterie fit DATA.'),
    (["explore", "customer.csv"], 'customer.csv: no such file. Did you mean "customers.csv"?'),
    (["predict", "m", "customers.csv"], "m: no such model file"),
    (["predict", "customers.csv", "customers.csv"], "customers.csv: is not a model that Coterie wrote"),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG)
def test_wrong_input_is_one_line_and_exit_2(shop, cli, arguments, message):
    """Law: whatever is wrong with the input is one line on stderr, exit 2, and leaves no file."""
    before = sorted(os.listdir(shop))
    code, out, err = cli(*arguments)
    assert code == 2
    assert out == ""
    assert err.startswith("coterie: ")
    assert err.count("\n") == 1
    assert message in err
    assert sorted(os.listdir(shop)) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("food,city\na,b\nc,d\n", "to cluster by: food (text with 2 different values), city (text with 2"),
        ("a,b\n", "has no rows"),
        ("", "the file is empty"),
        ("a,b\n1,2\n", "has one row; groups need at least two"),
        ("a,b\n" + "1,2\n" * 9, "no column of numbers to cluster by: a (constant), b (constant)"),
        ("a,b\n1,2\n3\n", "line 3 has 1 cell, line 1 has 2"),
        (
            b"a,b\n1,\xe9\n",
            "line 2 is not UTF-8 (byte 0xe9 at position 6). If it comes from Windows or Excel, use --enc",
        ),
        (b"\x00\x01\x02\x03", "is not a text file (byte 1 is zero)"),
        (b"PAR1 cut", "not a whole Parquet file"),
        ("a,b\n1,1e300\n2,3\n", 'column "b" has values up to 1e+300'),
        ("a,b\n1,inf\n2,3\n", 'column "b" has 1 infinite value (row 1)'),
    ],
)
def test_bad_files_are_one_line_and_exit_2(tmp_path, refused, content, message):
    """Law: a bad file is named, with the place, in one line."""
    path = tmp_path / "t.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    err = refused("fit", path, "-k", 1)
    assert err.startswith(f"coterie: {path}: ")
    assert message in err


def test_existing_output_is_refused_before_the_work(shop, cli, monkeypatch):
    """Law: an output that exists is refused before the table is read; --force replaces it."""
    (shop / "g.csv").write_text("mine")
    monkeypatch.setattr("coterie.data.read_table", lambda *_, **__: pytest.fail("work has started"))
    for arguments in (
        ["fit", "customers.csv", "-k", 3, "-o", "g.csv"],
        ["fit", "customers.csv", "-k", 3, "--save", "g.csv"],
    ):
        code, _, err = cli(*arguments)
        assert (code, err) == (2, "coterie: g.csv exists. Use --force to replace it.\n")
    monkeypatch.undo()
    os.chdir(shop)
    assert cli("fit", "customers.csv", "-k", 3, "-o", "g.csv", "--force")[0] == 0
    assert (shop / "g.csv").read_text().startswith("customer_id,label,group\n")


def test_unexpected_errors_are_one_line_too(shop, cli, monkeypatch):
    """Law: a failed run is one line and exit 1; --debug adds the traceback."""

    def fail(*_, **__):
        raise ZeroDivisionError("seven\nlines")

    monkeypatch.setattr("coterie.cli.fitting.run", fail)
    code, _, err = cli("fit", "customers.csv", "-k", 3)
    assert (code, err) == (1, "coterie: failed: ZeroDivisionError: seven lines (--debug shows where)\n")
    code, _, err = cli("fit", "customers.csv", "-k", 3, "--debug")
    assert code == 1
    assert "Traceback" in err


def test_out_of_memory_and_missing_packages(monkeypatch):
    """Law: memory and missing packages are failed runs, with a way out."""
    assert explain(MemoryError()) == ("out of memory. Use fewer rows or columns.", 1)
    from coterie.errors import MissingDependency

    assert explain(MissingDependency("install x")) == ("install x", 1)


def test_missing_command_line_packages_are_one_line():
    """Law: without typer the command says what to install, and exits with 1."""
    code = "import sys; sys.modules['typer'] = None; from coterie.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        'coterie: The command line needs the package typer, which is not installed: install "coterie[cli]".\n'
    )
