"""Tab completion: scripts for three shells, and what they offer."""

import os
import subprocess
import sys

import polars as pl
import pytest

SHELLS = ("bash", "zsh", "fish")


def ask(arguments=(), **environment):
    """Run ``coterie`` as a shell does, and return what it says."""
    return subprocess.run(
        [sys.executable, "-m", "coterie", *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def offered(*words):
    """Return what bash would offer for the last word."""
    said = ask(COMP_WORDS=" ".join(words), COMP_CWORD=str(len(words) - 1), _COTERIE_COMPLETE="complete_bash")
    assert said.stderr == ""
    return said.stdout.split()


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_are_shown_and_installed(shell, tmp_path):
    """Law: each shell gets its script, printed or written where it looks, by either way of asking."""
    shown = ask(["--show-completion", shell])
    assert shown.returncode == 0
    assert "_COTERIE_COMPLETE=complete_" in shown.stdout
    for asked in (f"{shell}_source", f"source_{shell}"):
        assert ask(_COTERIE_COMPLETE=asked).stdout.strip() == shown.stdout.strip()
    written = ask(["--install-completion", shell], HOME=str(tmp_path))
    assert written.stdout.startswith(f"{shell} completion written to {tmp_path}")
    assert any("_COTERIE_COMPLETE" in file.read_text() for file in tmp_path.rglob("*coterie*"))


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [(["--show-completion", "tcsh"], {}), ([], {"_COTERIE_COMPLETE": "tcsh_source"})],
)
def test_other_shells_hear_which_there_are(arguments, environment):
    """Law: a shell without a script is told which shells have one, in one line."""
    said = ask(arguments, **environment)
    assert said.returncode == 2
    assert said.stderr == (
        'coterie: completion is for bash, zsh and fish; got "tcsh". '
        "Name one: coterie --show-completion bash.\n"
    )


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("coterie", "se"), ["select"]),
        (("coterie", "fit", "x.csv", "--with"), ["--with-data", "--with-file"]),
        (("coterie", "fit", "x.csv", "--method", "kme"), ["kmeans", "kmedoids"]),
        (("coterie", "fit", "x.csv", "--method", "kmeans,mod"), ["kmeans,modes"]),
        (("coterie", "fit", "x.csv", "--distance", "man"), ["manhattan"]),
        (("coterie", "fit", "x.csv", "--scale", "min"), ["minmax"]),
        (("coterie", "select", "x.csv", "--criterion", "gap"), ["gap", "gap_pca", "gap_mixed"]),
        (("coterie", "evaluate", "x.csv", "--measure", "adjusted_r"), ["adjusted_rand_score"]),
        (("coterie", "tree", "x.csv", "--linkage", "wa"), ["ward"]),
        (("coterie", "plot", "dend"), ["dendrogram"]),
        (("coterie", "fit", "cust"), []),
    ],
)
def test_names_are_offered(words, expected):
    """Law: commands, options and names of the catalogues are offered; else nothing, so that files are."""
    assert offered(*words) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--columns", ""), ["id", "height", "weight", "kind"]),
        (("--drop", "height,"), ["height,id", "height,weight", "height,kind"]),
        (("--truth", "k"), ["kind"]),
        (("--distance", "pre"), ["precomputed"]),
    ],
)
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_columns_of_the_table_are_offered(tmp_path, monkeypatch, suffix, words, expected):
    """Law: columns of the file are offered, by its head; names that need quotes are not."""
    frame = pl.DataFrame({name: [1.5, 2.5] for name in ("id", "height", "weight", "two words", "kind")})
    getattr(frame, f"write_{suffix}")(tmp_path / f"t.{suffix}")
    monkeypatch.chdir(tmp_path)
    assert offered("coterie", "fit", f"t.{suffix}", *words) == expected


@pytest.mark.parametrize("content", ["", "1,2\n3,4\n", "\0\1\2", None])
def test_files_without_names_offer_nothing(tmp_path, monkeypatch, content):
    """Law: no header, no table or no file: nothing is offered, and nothing is said."""
    if content is not None:
        (tmp_path / "t.csv").write_text(content)
    monkeypatch.chdir(tmp_path)
    assert offered("coterie", "fit", "t.csv", "--drop", "") == []


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_zsh_and_fish_are_told_what_names_mean(shell):
    """Law: shells that show a word beside a name get the summary of the catalogue."""
    typed = {
        "_TYPER_COMPLETE_ARGS": "coterie fit x.csv --method kmed",
        "_COTERIE_COMPLETE": f"complete_{shell}",
    }
    said = ask(**typed, _TYPER_COMPLETE_FISH_ACTION="get-args")
    assert "kmedoids" in said.stdout
    assert "any distance" in said.stdout
