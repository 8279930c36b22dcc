"""Every command that takes a table uses its categories, or says that it does not."""

import json

import numpy as np
import pandas
import pytest

from coterie.cli.app import run
from coterie.cluster import AgglomerativeClustering, KModes, KPrototypes, LatentClasses
from coterie.data import read_table
from coterie.distance import pairwise_distances
from coterie.evaluate import silhouette_score
from coterie.select import choose_k


def planted(n_rows=240, seed=0, apart=2.0):
    """Return rows of three groups that differ in categories and in a number."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n_rows)
    pick = [
        np.where(rng.random(n_rows) < 0.9, np.array(values)[group], rng.choice(values, n_rows))
        for values in (["free", "pro", "team"], ["phone", "laptop", "tablet"], ["north", "south", "east"])
    ]
    spend = rng.normal(5 + apart * group, 0.6).round(2)
    frame = pandas.DataFrame({"spend": spend, "plan": pick[0], "device": pick[1], "region": pick[2]})
    return frame, group


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame, group = planted()
    frame.to_csv("people.csv", index=False)
    pandas.DataFrame({"group": group}).to_csv("groups.csv", index=False)
    return frame, group


def same(labels, group):
    """Return whether labels are the groups, but for few rows."""
    counts = pandas.crosstab(labels, group).to_numpy()
    return counts.max(axis=1).sum() >= 0.93 * len(group)


@pytest.mark.parametrize(
    "method",
    [
        KPrototypes(),
        LatentClasses(n_init=3),
        KModes(),
        AgglomerativeClustering(linkage="average", metric="gower"),
        "kprototypes",
        "latent-classes",
    ],
    ids=lambda method: method if isinstance(method, str) else type(method).__name__,
)
def test_choose_k_takes_categories(method):
    """Law: planted groups of categories are counted, and the silhouettes are those of Gower's distance."""
    frame, group = planted()
    X = frame.drop(columns="spend") if isinstance(method, KModes) else frame
    found = choose_k(X, method, k=range(1, 6), random_state=0, n_draws=6)
    assert found.k == 3
    assert same(found.labels, group)
    expected = silhouette_score(X, found.labels, metric="gower")
    assert found.curve("silhouette").values[2] == pytest.approx(expected, abs=1e-6)
    assert found.curve("gap_mixed").choice != 1
    assert {"calinski_harabasz", "gap_pca", "held_out_distortion"}.isdisjoint(c.name for c in found.curves)


def test_no_groups_of_categories():
    """Law: independent columns have no groups: those with a null model say so."""
    rng = np.random.default_rng(1)
    frame = pandas.DataFrame({name: rng.choice(list("abc"), 200) for name in ("plan", "device", "region")})
    frame["spend"] = rng.normal(size=200).round(2)
    found = choose_k(frame, "latent-classes", k=range(1, 5), random_state=0, n_draws=6)
    assert found.curve("bic").choice == 1
    assert found.k == 1


def test_select_uses_categories(table, capsys):
    """Law: by default select compares k-prototypes on a table with categories; a method of means says no."""
    assert run(["select", "people.csv", "-k", "1..5", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["k"], found["method"]) == (3, "kprototypes")
    assert found["columns"] == ["spend", "plan", "device", "region"]
    assert run(["select", "people.csv", "-k", "1..4", "--method", "kmeans", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"] == ["spend"]
    assert "plan, device, region: categories, which are not used by k-means" in found["notes"][0]
    assert run(["select", "people.csv", "-k", "1..4", "--method", "kmedoids", "--distance", "gower"]) == 0
    out = capsys.readouterr().out
    assert "k-medoids on columns as they are and categories, gower distance" in out
    assert "--method kmedoids --distance gower" in out
    assert run(["select", "people.csv", "--distance", "gower", "-k", "1..4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == "kmedoids"


def test_evaluate_uses_categories(table, capsys):
    """Law: groups of a table with categories are judged by Gower's distance over all columns."""
    frame, group = table
    assert run(["evaluate", "groups.csv", "--data", "people.csv", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"] == list(frame.columns)
    assert found["distance"] == "gower"
    expected = silhouette_score(frame, group, metric="gower")
    assert found["measures"]["silhouette_score"] == pytest.approx(expected, abs=1e-6)
    assert run(["evaluate", "groups.csv", "--data", "people.csv"]) == 0
    out = capsys.readouterr().out
    assert "gower distance" in out
    assert "medoid silhouette" in out


@pytest.mark.parametrize("kind", ["clusplot", "silhouette", "profiles", "scatter", "parallel_coordinates"])
def test_plots_use_categories(table, capsys, kind):
    """Law: pictures of groups are of those that fit finds with categories, gaps and all."""
    frame, _ = table
    cells = frame.astype(object)
    cells.iloc[::9, 1] = None
    cells.iloc[4::11, 0] = None
    cells.to_csv("gaps.csv", index=False)
    assert run(["plot", kind, "gaps.csv", "-k", "3", "-o", f"{kind}.png"]) == 0
    out = capsys.readouterr().out
    assert "numbers alone" not in out


def test_plots_of_models_with_categories(table, capsys):
    """Law: a saved model with categories is drawn, or the plot says which ones do."""
    save = [
        "fit",
        "people.csv",
        "--method",
        "kprototypes",
        "-k",
        "3",
        "--no-believe",
        "--save",
        "m.safetensors",
    ]
    assert run(save) == 0
    assert run(["plot", "clusplot", "m.safetensors", "--data", "people.csv", "-o", "c.png"]) == 0
    assert run(["plot", "regions", "m.safetensors", "--data", "people.csv", "-o", "r.png"]) == 2
    assert "The plots clusplot, embedding, silhouette and profiles draw them" in capsys.readouterr().err


def test_trees_on_pictures(table, capsys):
    """Law: a dendrogram under Gower's distance has its heights; under others a note says what is left out."""
    from coterie.cli import plot_kinds
    from coterie.cli.plot_files import read_subject
    from coterie.cli.plot_subject import PlotRequest
    from coterie.pipeline import make_request
    from coterie.tree import linkage

    request = PlotRequest(make_request("auto", "auto", distance="gower"), None, "average", None, None)
    subject = read_subject(plot_kinds.find_kind("dendrogram"), request, "people.csv", None)
    D = pairwise_distances(read_table("people.csv").content.to_pandas(), metric="gower")
    expected = linkage(D, "average", "precomputed")
    np.testing.assert_allclose(subject.tree.heights, expected[:, 2], atol=1e-9)
    assert run(["plot", "dendrogram", "people.csv", "-o", "d.png"]) == 0
    assert "not used by euclidean distance; --distance gower uses them" in capsys.readouterr().out
    assert run(["plot", "elbow", "people.csv", "-o", "e.png"]) == 0
    assert "not used by this plot; coterie fit and select use them" in capsys.readouterr().out
