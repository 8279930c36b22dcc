"""Tables with categories in evaluate, tree and select: used where the distance takes them, told where not."""

import json

import numpy as np
import pandas as pd
import pytest

from coterie.cli.app import run
from coterie.distance import pairwise_distances
from coterie.evaluate import assess, silhouette_score
from coterie.tree import Dendrogram, linkage

DISTANCES = ["gower", "hamming", "jaccard", "dice"]


@pytest.fixture
def people(tmp_path, monkeypatch):
    """Return a table of categories and yes/no, and a label per row; both are files of the folder."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 90)
    plan, device = np.array(["free", "pro", "team"])[group], np.array(["ios", "web", "tv"])[group]
    frame = pd.DataFrame(
        {
            "plan": np.where(rng.random(90) < 0.8, plan, "free"),
            "device": np.where(rng.random(90) < 0.8, device, "ios"),
            "news": np.where(rng.random(90) < 0.3 + 0.2 * group, "yes", "no"),
        }
    )
    frame.to_csv("people.csv", index=False)
    pd.DataFrame({"label": group}).to_csv("labels.csv", index=False)
    return frame, group


@pytest.mark.parametrize("distance", DISTANCES)
def test_evaluate_judges_by_categories(people, distance, capsys):
    """Law: evaluate judges groups by the categories, as Python does; codes have no centroids."""
    frame, labels = people
    assert run(["evaluate", "labels.csv", "--data", "people.csv", "--distance", distance, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    wanted = silhouette_score(frame, labels, metric=distance)
    assert found["measures"]["silhouette_score"] == pytest.approx(wanted, abs=1e-12)
    assert found["columns"] == ["plan", "device", "news"]
    assert not {"calinski_harabasz_score", "davies_bouldin_score", "sse"} & set(found["measures"])


@pytest.mark.parametrize("distance", DISTANCES)
def test_assess_takes_tables(people, distance):
    """Law: all measures of a table are those of its distances, without those that need centroids."""
    frame, labels = people
    table = dict(assess(frame, labels, metric=distance).items())
    D = pairwise_distances(frame, metric=distance)
    matrix = dict(assess(D, labels, metric="precomputed").items())
    assert "silhouette_score" in table
    assert set(table) <= set(matrix) | {"dbcv"}  # which takes the number of columns
    for name in set(table) & set(matrix):
        assert table[name] == pytest.approx(matrix[name], rel=1e-9), name


@pytest.mark.parametrize("distance", DISTANCES)
def test_trees_of_categories(people, distance, capsys):
    """Law: the tree of a table of categories is that of its distances."""
    frame, _ = people
    assert run(["tree", "people.csv", "--distance", distance, "--cut", "3", "-o", "cut.csv"]) == 0
    assert "plan, device, news used as categories" in capsys.readouterr().out
    D = pairwise_distances(frame, metric=distance)
    wanted = Dendrogram.from_linkage(linkage(D, "average", "precomputed")).cut(n_clusters=3)
    ours = pd.read_csv("cut.csv")["label"]
    assert len(set(zip(ours, wanted, strict=True))) == 3


def test_gaps_of_categories(people, capsys):
    """Law: gower leaves missing cells out of a pair; the other distances of categories leave out the row."""
    frame, _ = people
    frame.loc[4, "plan"] = None
    frame.to_csv("people.csv", index=False)
    assert run(["tree", "people.csv", "--distance", "gower"]) == 0
    assert "left out" not in capsys.readouterr().out.replace("leaves them out", "")
    assert run(["tree", "people.csv", "--distance", "jaccard"]) == 0
    assert "1 of 90 rows left out" in capsys.readouterr().out
    assert run(["evaluate", "labels.csv", "--data", "people.csv", "--distance", "gower"]) == 0
    assert "90 rows" in capsys.readouterr().out
    assert run(["evaluate", "labels.csv", "--data", "people.csv", "--distance", "hamming"]) == 2
    assert "--missing drop" in capsys.readouterr().err


def test_categories_that_are_not_used_are_told(people, capsys):
    """Law: tree and select tell of categories that they do not use, and what uses them."""
    frame, _ = people
    frame.assign(age=np.arange(90.0) ** 1.5).to_csv("people.csv", index=False)
    assert run(["tree", "people.csv"]) == 0
    out = capsys.readouterr().out
    assert "plan, device: categories, which are not used by euclidean distance; --distance gower" in out
    assert run(["select", "people.csv", "-k", "1..4", "--method", "kmeans"]) == 0
    out = capsys.readouterr().out
    assert "plan, device: categories, which are not used by k-means; --method kprototypes" in out
