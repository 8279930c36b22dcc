"""``coterie fit``, ``select``, ``compare`` on poor tables and wrong wishes: an answer, or a line, exit 2."""

import json

import numpy as np
import pytest
from scipy.sparse import csr_matrix, save_npz

RNG = np.random.default_rng(0)
TWO = np.concatenate([RNG.normal(0, 1, (30, 2)), RNG.normal(9, 1, (30, 2))])


def write(path, columns):
    """Write columns as CSV."""
    names, values = list(columns), [list(column) for column in columns.values()]
    lines = [",".join(names), *(",".join(map(str, row)) for row in zip(*values, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "t.csv", {"x": TWO[:, 0], "y": TWO[:, 1]})


POOR = {
    "few rows": ({"x": range(6), "y": [1, 5, 2, 4, 3, 9]}, 1),
    "one column": ({"x": TWO[:, 0]}, 2),
    "copies": ({"x": [0, 1] * 20, "y": [0, 1] * 20}, 2),
    "keys and dates": (
        {
            "id": range(1000, 1060),
            "when": [f"2020-01-{1 + at % 28:02d}" for at in range(60)],
            "x": TWO[:, 0],
            "y": TWO[:, 1],
        },
        2,
    ),
    "more columns than rows": ({f"c{at}": RNG.normal(size=20) for at in range(60)}, 1),
}


@pytest.mark.parametrize("kind", POOR)
def test_poor_tables_get_an_answer(tmp_path, cli, kind):
    """Law: exit 0 and a number of groups, 1 where nothing can be told."""
    columns, k = POOR[kind]
    code, out, err = cli("fit", write(tmp_path / "t.csv", columns), "--budget", "fast", "--json")
    assert (code, err) == (0, "")
    facts = json.loads(out)
    assert facts["k"] == k
    if kind == "keys and dates":
        assert [each["reason"] for each in facts["left_out"]] == ["a key", "a date"]


def test_a_sparse_matrix(tmp_path, cli):
    """Law: a sparse file gives the groups of the dense one."""
    save_npz(tmp_path / "t.npz", csr_matrix(TWO))
    code, out, _ = cli("fit", tmp_path / "t.npz", "--budget", "fast", "--json")
    assert (code, json.loads(out)["k"]) == (0, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "t.csv", "--budget", "quick"], "--budget must be one of fast, normal, thorough, got quick"),
        (["fit", "t.csv", "-k", "0"], "-k must be"),
        (
            ["fit", "t.csv", "-k", "0..4"],
            "-k must be a number from 1, a range such as 2..8, or auto, got 0..4",
        ),
        (["fit", "t.csv", "-k", "2..99"], "t.csv: -k must be at most 60, its rows, got 99"),
        (["fit", "t.csv", "-k", "many"], "-k must be a number from 1"),
        (["fit", "t.csv", "--method", "kmean"], 'no such method "kmean". Did you mean "kmeans"?'),
        (["fit", "t.csv", "--method", ","], "method"),
        (["select", "t.csv", "-k", "0..4"], "-k must"),
        (["select", "t.csv", "-k", "2..99"], "-k must lie between 1 and 60, the number of rows, got 2..99"),
        (["select", "t.csv", "--method", "hdbscan"], "finds the number of groups by itself"),
        (["compare", "t.csv", "--methods", "kmean"], 'Did you mean "kmeans"?'),
        (
            ["compare", "t.csv", "--budget", "quick"],
            "--budget must be one of fast, normal, thorough, got quick",
        ),
    ],
)
def test_wrong_wishes_are_one_line_and_exit_2(table, refused, arguments, message):
    """Law: whatever is wrong with a wish is one line on stderr and exit 2, before the work."""
    assert message in refused(*arguments)


@pytest.mark.parametrize("method", ["dbscan", "hdbscan", "optics"])
def test_too_few_rows_for_a_neighbourhood_say_what_to_set(tmp_path, cli, method):
    """Four rows hold no neighbourhood of five: one line names the option that helps."""
    path = write(tmp_path / "four.csv", {"x": [0.5, 1.5, 9.5, 4.5], "y": [3.25, 2.5, 1.5, 7.5]})
    code, _, err = cli("fit", path, "--method", method)
    assert code == 2
    assert "Lower it: --set min_" in err


def test_nothing_but_noise_is_an_answer(tmp_path, cli):
    """Rows without any dense place are summarised, with what to try; it is not a failure."""
    path = write(
        tmp_path / "few.csv", {"x": [0.5, 1.5, 9.5, 4.5, 6.25, 3.5], "y": [3.25, 2.5, 1.5, 7, 8, 2.75]}
    )
    code, out, _ = cli("fit", path, "--method", "hdbscan")
    assert code == 0
    assert "0 groups" in out
    assert (
        "every row is noise. Try another --method, or smaller --set min_samples=N or min_cluster_size=N."
        in out
    )
