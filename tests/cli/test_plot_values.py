"""What coterie plot computes for pictures of values."""

import numpy as np
import pytest

from coterie.cli.app import run
from coterie.cli.plot_subject import PlotRequest, PlotSubject
from coterie.cli.plot_values import (
    contingency,
    evidence,
    model_of,
    profile,
    silhouette,
    spectral_model,
    stability,
    suggestion,
)
from coterie.cluster import SpectralClustering, suggest_eps
from coterie.data import read_table
from coterie.errors import InvalidParameter
from coterie.pipeline import make_request

RNG = np.random.default_rng(0)
POINTS = np.concatenate([RNG.normal(m, 0.5, (15, 2)) for m in (0, 5, 10)])
CLASSES = np.repeat(list("abc"), 15)


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Write a table with classes, and work beside it."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{x:.4f},{y:.4f},{kind}" for (x, y), kind in zip(POINTS, CLASSES, strict=True)]
    (tmp_path / "points.csv").write_text("\n".join(["width,height,kind", *lines]) + "\n")
    return read_table("points.csv")


def subject(table, method="kmeans", k=3, truth="kind"):
    fit = make_request(method, k, scale="standard", believe=False)
    return PlotSubject(PlotRequest(fit, k, "ward", truth, None), table=table, model=None)


def test_evidence_goes_to_twelve_or_to_k(table):
    """Law: 1 to 12 groups are compared, more when -k is higher."""
    assert evidence(subject(table), ["silhouette"]).ks == tuple(range(1, 13))
    assert evidence(subject(table, k=14), ["silhouette"]).ks == tuple(range(1, 15))
    assert evidence(subject(table), ["silhouette"]).k == 3


def test_groups_are_compared_under_their_names(table):
    """Law: the table has the classes of --truth as rows and the numbers of the groups as columns."""
    found = contingency(subject(table))
    assert found.classes.tolist() == ["a", "b", "c"]
    assert sorted(found.clusters.tolist()) == ["group 1", "group 2", "group 3"]
    assert found.is_matching


def test_profiles_are_in_the_units_of_the_table(table):
    """Law: the means of the groups are those of the rows as given, not as scaled."""
    found = profile(subject(table))
    assert found.columns == ("width", "height")
    np.testing.assert_allclose(np.sort(found.means[:, 0]), [0, 5, 10], atol=0.5)


def test_silhouette_and_radius_are_of_the_scaled_rows(table):
    """Law: what the model sees is what is judged."""
    about = subject(table)
    rows = about.scaled.to_numpy()
    assert silhouette(about).values.size == 45
    assert suggestion(about).eps == suggest_eps(rows).eps


def test_spectral_models_show_more_eigenvalues_than_groups(table):
    """Law: at least twelve coordinates, so that a gap beyond -k is seen."""
    assert spectral_model(subject(table, "spectral")).eigenvalues_.size == 13


def test_a_spectral_model_alone_shows_its_own_eigenvalues(table):
    """Law: a saved model draws what it holds without rows; one of another family says what it lacks."""
    about = subject(table, "spectral")
    alone = PlotSubject(about.request, table=None, model=about.model)
    assert spectral_model(alone).eigenvalues_.size == 4
    with pytest.raises(InvalidParameter, match="MODEL has none: give them with --data DATA"):
        spectral_model(PlotSubject(about.request, table=None, model=suggest_eps))


def test_models_have_the_numbers_of_the_groups(table):
    """Law: group 2 has the colour of group 2 in every picture, whatever number the model gave it."""
    about = subject(table, "spectral")
    np.testing.assert_array_equal(model_of(about, SpectralClustering, "spectral").labels_, about.labels)
    found = stability(about)
    assert found.clusters == (0, 1, 2)
    np.testing.assert_array_equal(found.sizes, np.bincount(about.labels))


def test_a_plot_of_one_method_refuses_another(table, capsys):
    """Law: the valleys of OPTICS are not drawn of k-means; the way out is named."""
    assert run(["plot", "reachability", "points.csv", "--method", "kmeans", "-k", "3", "--drop", "kind"]) == 2
    assert "this plot draws OPTICS, got a KMeans. Use --method optics." in capsys.readouterr().err


def test_a_plot_of_a_model_takes_no_labels(table, capsys):
    """Law: labels of a column say nothing about a model."""
    assert run(["plot", "condensed_tree", "points.csv", "--labels", "kind"]) == 2
    assert "leave --labels out" in capsys.readouterr().err


def test_a_comparison_needs_classes(table, capsys):
    """Law: without --truth there is nothing to compare with."""
    assert run(["plot", "contingency", "points.csv", "-k", "3", "--drop", "kind"]) == 2
    assert "name their column with --truth" in capsys.readouterr().err
