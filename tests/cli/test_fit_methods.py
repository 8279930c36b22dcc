"""``coterie fit`` with methods that have more to tell than k-means."""

import json

import numpy as np
import pytest

import coterie
from coterie.cli.app import run
from coterie.cluster import GaussianMixture, KMedoids
from coterie.cluster.medoids import kmedoids

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3)) + np.repeat([[0.0], [6.0], [12.0]], 40, axis=0)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Return a folder with a table that lacks a value, and work in it."""
    monkeypatch.chdir(tmp_path)
    lines = ["a,b,c", *(",".join(f"{value:.6f}" for value in row) for row in X)]
    lines[6] = ",1.0,2.0"
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_medoids_are_named_by_their_rows(table, capsys):
    """Law: rows of the table, counted from 1, left-out rows included, for people and for machines."""
    how = ["t.csv", "--method", "kmedoids", "-k", "3", "--scale", "none", "--missing", "drop", "--no-believe"]
    kept = np.delete(np.arange(120), 5)
    model = KMedoids(3).fit(np.round(X[kept], 6))
    rows = set((kept[model.medoid_indices_] + 1).tolist())
    assert run(["fit", *how, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {group["medoid_row"] for group in facts["groups"]} == rows
    assert facts["objective"]["name"] == "sum of distances"
    assert facts["sse"] is None
    assert facts["algorithm"] == "fasterpam"
    assert run(["fit", *how]) == 0
    out = capsys.readouterr().out
    assert all(f"row {row}" in out for row in rows)
    assert "medoid" in out
    assert "approximate" not in out
    assert "starts" not in out  # BUILD is one start, whatever the default of other methods


def test_samples_are_called_approximate(table, capsys, monkeypatch):
    """Law: when a sample was looked at, the summary says so; one that holds all rows is not called so."""
    monkeypatch.setattr(kmedoids, "AUTO_MOST_ROWS", 50)
    words = ["fit", "t.csv", "--method", "kmedoids", "-k", "3", "--missing", "drop", "--no-believe"]
    assert run([*words, "--set", "sample_size=40"]) == 0
    assert "approximate (onebatch)" in capsys.readouterr().out
    assert run(words) == 0
    assert "approximate" not in capsys.readouterr().out


def test_the_likelihood_of_a_mixture_is_told(table, capsys):
    """Law: the summary and the facts of a mixture have what it made large."""
    words = ["fit", "t.csv", "--method", "mixture", "-k", "3", "--scale", "none", "--missing", "drop"]
    words += ["--no-believe"]
    assert run([*words, "--json"]) == 0
    objective = json.loads(capsys.readouterr().out)["objective"]
    model = GaussianMixture(3, n_init=10, random_state=0).fit(np.round(np.delete(X, 5, axis=0), 6))
    assert objective["name"] == "mean log-likelihood"
    assert objective["value"] == pytest.approx(model.lower_bound_, abs=1e-4)
    assert run(words) == 0
    assert "mean log-likelihood" in capsys.readouterr().out


def test_latent_classes_have_a_likelihood(table, capsys):
    """Law: the objective of latent classes is named for what it is, not a sum of squares."""
    assert run(["fit", "t.csv", "--method", "latent-classes", "-k", "3", "--no-believe", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["objective"]["name"] == "mean log-likelihood"


def test_wrong_names_end_with_one_line(table, capsys):
    """Law: a distance that does not exist, or that the method lacks, is refused before any data are read."""
    assert run(["fit", "none.csv", "--method", "kmedoids", "-k", "3", "--distance", "manhatan"]) == 2
    assert 'Did you mean "manhattan"' in capsys.readouterr().err
    assert run(["fit", "none.csv", "--method", "kernel-kmeans", "-k", "3", "--distance", "manhattan"]) == 2
    assert "kernel k-means has no distance manhattan" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        ("kmedoids", {"method": "pam", "init": "lab"}),
        ("kernel-kmeans", {"kernel": "poly", "degree": 2}),
        ("mixture", {"covariance_type": "VEV", "reg_covar": 1e-5}),
        ("spectral", {"affinity": "self_tuning", "n_neighbors": 7, "laplacian": "symmetric"}),
        ("birch", {"threshold": 0.3, "branching_factor": 10}),
        ("dbscan", {"eps": 0.4, "min_samples": 4}),
        ("hdbscan", {"min_cluster_size": 12, "allow_single_cluster": True}),
        ("optics", {"min_samples": 9, "max_eps": 2.0, "cluster_method": "dbscan", "eps": None}),
    ],
    ids=str,
)
def test_settings_of_a_method(table, capsys, method, settings):
    """Law: --set gives the estimator its parameters; summary, facts, model and predict know them."""
    words = [f"--set={name}={json.dumps(value).strip(chr(34))}" for name, value in settings.items()]
    k = [] if method in ("dbscan", "hdbscan", "optics") else ["-k", "3"]
    command = ["t.csv", "--method", method, *k, *words, "--missing", "drop", "--force", "--no-believe"]
    assert run(["fit", *command, "--save", "m", "-o", "fit.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"] == settings
    parameters = coterie.load("m").model.get_params()
    assert {name: parameters[name] for name in settings} == settings
    assert run(["predict", "m", "t.csv", "-o", "again.csv", "--missing", "drop"]) == 0
    capsys.readouterr()
    assert (table / "again.csv").read_text() == (table / "fit.csv").read_text()
    assert run(["fit", *command]) == 0
    name, value = next(iter(settings.items()))
    assert f"({name}={value}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "dbscan", "--set", "epps=1"], 'no setting "epps". Did you mean "eps"?'),
        (["--method", "dbscan", "--set", "eps=-1"], "eps of DBSCAN must be a number greater than 0"),
        (["--method", "dbscan", "--set", "eps"], "--set must be NAME=VALUE"),
        (
            ["--method", "dbscan", "--set", "eps=" + "9" * 5000],
            "eps of DBSCAN must be a number greater than 0",
        ),
        (
            ["--method", "dbscan", "--set", "eps=" + "[" * 20_000],
            "eps of DBSCAN must be a number greater than 0",
        ),
        (["--method", "kmeans", "--sizes", "2..9"], "--sizes goes with --method constrained-kmeans"),
        (["--method", "constrained-kmeans", "--sizes", "a..9"], "--sizes must be A..B, for example"),
        (["--method", "constrained-kmeans", "--sizes", ".."], "--sizes must be A..B, for example"),
        (["--method", "kmeans", "-k", "3", "--set", "n_clusters=4"], 'no setting "n_clusters"'),
        (["--set", "eps=1"], "--set is an option of one method"),
    ],
    ids=str,
)
def test_settings_that_there_are_not(table, capsys, words, message):
    """Law: settings are checked before any data are read; what has an option of its own is not a setting."""
    assert run(["fit", "no-such-file.csv", *words]) == 2
    assert message in capsys.readouterr().err


def test_sizes_of_groups(table, capsys):
    """Law: --sizes keeps every group within its limits, resamples in proportion; what cannot be is said."""
    words = ["fit", "t.csv", "--method", "constrained-kmeans", "-k", "3", "--missing", "drop", "--json"]
    assert run([*words, "--no-believe"]) == 0
    n_rows = sum(group["size"] for group in json.loads(capsys.readouterr().out)["groups"])
    assert run([*words, "--sizes", f"{n_rows // 3}..{n_rows // 3 + 1}"]) == 0
    sizes = [group["size"] for group in json.loads(capsys.readouterr().out)["groups"]]
    assert sum(sizes) == n_rows
    assert max(sizes) - min(sizes) <= 1
    plain = ["fit", "t.csv", "-k", "3", "--missing", "drop", "--json", "--no-believe"]
    assert run([*plain, "--sizes", f"{n_rows // 3}..{n_rows // 3 + 1}"]) == 0  # they choose the method
    assert [group["size"] for group in json.loads(capsys.readouterr().out)["groups"]] == sizes
    assert run([*words, "--sizes", "..2"]) == 2
    assert "groups of at most 2 rows: 3 of them hold 6 rows, but there are" in capsys.readouterr().err
    assert run([*words, "--sizes", f"{n_rows}.."]) == 2
    assert f"groups of at least {n_rows} rows: 3 of them need" in capsys.readouterr().err
    assert run([*words, "--sizes", "9..2"]) == 2
    assert "--sizes must be A..B with A at most B, got 9..2." in capsys.readouterr().err
    free = ["fit", "t.csv", "--missing", "drop", "--json", "--no-believe", "--sizes", f"..{n_rows // 3}"]
    assert run(free) in (0, 1)  # only numbers of groups that these sizes allow are tried


def test_yes_and_no_are_not_standardised(tmp_path, monkeypatch, capsys):
    """Law: a distance of yes and no is given 0 and 1, unless a scale is asked for; in trees too."""
    monkeypatch.chdir(tmp_path)
    answers = np.repeat([[1, 1, 0, 0], [0, 0, 1, 1]], 10, axis=0) ^ (RANDOM.random((20, 4)) < 0.15)
    np.savetxt("t.csv", answers, fmt="%d", delimiter=",", header="a,b,c,d", comments="")
    expected = KMedoids(2, metric="jaccard").fit(answers.astype(bool))
    assert run(["fit", "t.csv", "--method", "kmedoids", "-k", "2", "--distance", "jaccard", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["scale"] == "none"
    assert facts["objective"]["value"] == pytest.approx(expected.inertia_)
    assert run(["tree", "t.csv", "--distance", "jaccard", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scale"] == "none"
