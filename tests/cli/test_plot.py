"""The commands plot and plots."""

import json

import numpy as np
import pytest
from matplotlib import pyplot as plt
from PIL import Image
from sklearn.datasets import load_wine

from coterie.cli import plot_kinds
from coterie.cli.app import run
from coterie.cluster import find_method
from coterie.show import plots

RNG = np.random.default_rng(0)
POINTS = np.concatenate([RNG.normal(m, 0.5, (15, 3)) for m in (0, 5, 10)])
ROW_KINDS = [kind.name for kind in plot_kinds.KINDS if kind.needs in ("groups", "rows")]
CHEAP = [name for name in ROW_KINDS if name not in ("embedding", "linkages")]  # those are drawn elsewhere


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Write a table with a key and classes, and work beside it."""
    monkeypatch.chdir(tmp_path)
    lines = ["id,width,height,depth,kind"]
    for i, row in enumerate(POINTS):
        lines.append(f"r{i},{row[0]:.4f},{row[1]:.4f},{row[2]:.4f},{'abc'[i // 15]}")
    (tmp_path / "points.csv").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_maps_need_places(folder, capsys):
    """Law: a map of a table without latitude and longitude is refused, with the option that names them."""
    assert run(["plot", "map", "points.csv", "-k", "3", "-o", "out.png"]) == 2
    assert "no two columns are called latitude and longitude" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["map", "scatter", "profiles", "regions", "clusplot"])
def test_tables_of_places(folder, kind, capsys):
    """Law: a table of latitude and longitude is drawn, from the rows and from a model of them."""
    lines = ["lat,lon", *(f"{40 + row[0]:.4f},{row[1]:.4f}" for row in POINTS)]
    (folder / "places.csv").write_text("\n".join(lines) + "\n")
    assert run(["plot", kind, "places.csv", "-k", "3", "--dpi", "40", "-o", "rows.png"]) == 0
    fit = [
        "fit",
        "places.csv",
        "-k",
        "3",
        "--method",
        "kmeans",
        "--no-believe",
        "--save",
        "groups.safetensors",
    ]
    assert run(fit) == 0
    drawn = ["plot", kind, "groups.safetensors", "--data", "places.csv", "--dpi", "40", "-o", "model.png"]
    assert run(drawn) == 0, capsys.readouterr().err


def empty_axes():
    return plt.figure().add_subplot()


@pytest.mark.parametrize("kind", CHEAP)
def test_every_kind_draws_a_table(folder, kind, capsys):
    """Law: each kind of the catalogue is a function of coterie.show.plots and draws a table."""
    assert callable(getattr(plots, kind))
    suffix = ".gif" if kind == "kmeans_animation" else ".png"
    k = [] if plot_kinds.find_kind(kind).method in ("optics", "hdbscan") else ["-k", "3"]
    command = ["plot", kind, "points.csv", *k, "--truth", "kind", "--dpi", "40", "-o", f"out{suffix}"]
    command += ["--places", "width,height"] if kind == "map" else []
    assert run(command) == 0, capsys.readouterr().err
    assert capsys.readouterr().out.endswith(f"out{suffix} written\n")
    with Image.open(folder / f"out{suffix}") as image:
        assert min(image.size) > 100


@pytest.mark.parametrize(("suffix", "start"), [(".svg", b"<?xml"), (".pdf", b"%PDF"), (".png", b"\x89PNG")])
def test_the_ending_is_the_format(folder, suffix, start):
    """Law: .png, .svg and .pdf are written as what they say; the default is KIND.png."""
    assert run(["plot", "clusplot", "points.csv", "-k", "2", "--drop", "kind", "-o", f"a{suffix}"]) == 0
    assert (folder / f"a{suffix}").read_bytes().startswith(start)


def test_a_saved_model_draws_its_tree_and_rows(folder):
    """Law: a MODEL draws its tree alone, and rows that --data gives."""
    fit = [
        "fit",
        "points.csv",
        "-k",
        "3",
        "--method",
        "agglomerative",
        "--drop",
        "kind",
        "--save",
        "m.safetensors",
    ]
    assert run(fit) == 0
    assert run(["plot", "dendrogram", "m.safetensors", "-k", "3"]) == 0
    assert (folder / "dendrogram.png").exists()
    assert run(["plot", "scatter", "m.safetensors", "--data", "points.csv", "-o", "s.png"]) == 0
    assert run(["plot", "regions", "m.safetensors", "--data", "points.csv", "-o", "r.png"]) == 0


def test_groups_are_found_where_none_are_asked_for(folder, capsys):
    """Law: without -k a picture of groups shows those that coterie fit finds, and says so."""
    assert run(["plot", "scatter", "points.csv", "--drop", "kind", "--dpi", "40"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("3 groups, by ")
    assert "as coterie fit finds; -k N draws another number\n" in said
    assert run(["plot", "scatter", "points.csv", "-k", "2", "--drop", "kind", "-o", "two.png"]) == 0
    assert "as coterie fit -k 2 finds; --method NAME draws another\n" in capsys.readouterr().out
    assert run(["plot", "kmeans_steps", "points.csv", "--drop", "kind", "--dpi", "40"]) == 0
    assert capsys.readouterr().out.startswith("3 groups, by k-means, ")
    assert run(["plot", "eigenvalues", "points.csv", "--drop", "kind", "--dpi", "40"]) == 0
    assert capsys.readouterr().out == "eigenvalues.png written\n"


def test_a_saved_answer_is_drawn(folder, capsys):
    """Law: what coterie fit --save writes without -k is a MODEL like any other."""
    assert run(["fit", "points.csv", "--drop", "kind", "--budget", "fast", "--save", "a.safetensors"]) == 0
    capsys.readouterr()
    for kind in ("scatter", "silhouette", "profiles"):
        assert run(["plot", kind, "a.safetensors", "--data", "points.csv", "--dpi", "40"]) == 0
        assert capsys.readouterr().out == f"{kind}.png written\n"


def test_a_map_of_many_rows_is_of_a_sample(folder, monkeypatch, capsys):
    """Law: t-SNE maps a random sample of many rows, with some of every group, and says so."""
    drawn = []
    monkeypatch.setattr("coterie.cli.plot_kinds.MOST_EMBEDDED", 30)
    monkeypatch.setattr(
        plots, "embedding", lambda places, labels, **how: drawn.append((labels, how)) or empty_axes()
    )
    assert run(["plot", "embedding", "points.csv", "-k", "3", "--drop", "kind"]) == 0
    labels, how = drawn[0]
    assert len(labels) == 30
    assert set(labels.tolist()) == {0, 1, 2}
    assert how["sample_of"] == 45


def test_labels_of_a_column_are_drawn(folder):
    """Law: --labels draws groups that are there already, under their own names."""
    assert run(["plot", "scatter", "points.csv", "--labels", "kind", "-o", "s.svg"]) == 0
    text = (folder / "s.svg").read_text()
    assert "<!-- a -->" in text
    assert "<!-- width -->" in text


def test_an_image_is_segmented(folder):
    """Law: segmentation reads an image file."""
    pixels = np.zeros((8, 10, 3), dtype=np.uint8)
    pixels[:, 5:] = 250
    Image.fromarray(pixels).save(folder / "photo.png")
    assert run(["plot", "segmentation", "photo.png", "-k", "2", "-o", "s.png", "--dpi", "40"]) == 0
    assert run(["plot", "segmentation", "photo.png", "-o", "t.png", "--dpi", "40"]) == 0


def test_a_picture_is_opened_when_asked(folder, monkeypatch, capsys):
    """Law: --open hands the file to the browser; without one, a line says so and the picture stays."""
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) is None)
    assert run(["plot", "clusplot", "points.csv", "-k", "2", "--drop", "kind", "--dpi", "40", "--open"]) == 0
    assert opened == [(folder / "clusplot.png").as_uri()]
    monkeypatch.setattr("webbrowser.open", lambda address: False)
    again = [
        "plot",
        "clusplot",
        "points.csv",
        "-k",
        "2",
        "--drop",
        "kind",
        "--dpi",
        "40",
        "--open",
        "--force",
    ]
    assert run(again) == 0
    assert "no browser found to open clusplot.png" in capsys.readouterr().err


def test_plots_lists_the_catalogue(capsys):
    """Law: coterie plots names every kind; each is a function of coterie.show.plots."""
    assert run(["plots", "--json"]) == 0
    listed = [row["name"] for row in json.loads(capsys.readouterr().out)]
    assert listed == [kind.name for kind in plot_kinds.KINDS]
    assert all(callable(getattr(plots, name)) for name in listed)
    assert len(set(listed)) == len(listed)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["scater", "points.csv"],
            'no such plot "scater". Did you mean "scatter"? (coterie plots lists all)',
        ),
        (
            ["scatter", "points.csv", "-k", "3", "-o", "a.jpg"],
            "a.jpg: the name must end in one of .png, .svg, .pdf",
        ),
        (["scatter"], "scatter needs DATA or MODEL"),
        (["method_grid", "points.csv"], "method_grid takes no DATA, got points.csv"),
        (["dendrogram", "points.csv", "--linkage", "wardd"], 'no such linkage "wardd". Did you mean "ward"?'),
        (["impurity_curves", "points.csv"], "name their column with --truth"),
        (["scatter", "points.csv", "-k", "3", "--data", "points.csv"], "--data goes with a MODEL"),
        (["scatter", "none.csv", "-k", "3"], "none.csv"),
        (["segmentation", "points.csv", "-k", "2"], "points.csv: is not an image that can be read"),
        (["kmeans_steps", "points.csv", "--labels", "kind"], "k-means needs to know the number of groups"),
        (
            ["scatter", "points.csv", "-k", "3", "--dpi", "1"],
            "--dpi must be a whole number from 20 to 1200, got 1.",
        ),
    ],
)
def test_wrong_command_lines_get_one_line(folder, arguments, message, capsys):
    """Law: exit 2, one line on stderr that says the way out, nothing written."""
    assert run(["plot", *arguments]) == 2
    printed = capsys.readouterr().err
    assert message in printed
    assert printed.count("\n") == 1
    assert sorted(path.name for path in folder.iterdir()) == ["points.csv"]


def test_an_existing_picture_is_kept(folder, capsys):
    """Law: a file that exists is replaced with --force only; a model without a tree has none to draw."""
    command = ["plot", "clusplot", "points.csv", "-k", "3", "-o", "a.png", "--dpi", "40"]
    assert run(command) == 0
    assert run(command) == 2
    assert "a.png exists. Use --force to replace it." in capsys.readouterr().err
    assert run([*command, "--force"]) == 0
    assert run(["fit", "points.csv", "-k", "3", "--save", "m.safetensors"]) == 0
    assert run(["plot", "dendrogram", "m.safetensors"]) == 2
    assert "has no tree" in capsys.readouterr().err
    assert run(["plot", "scatter", "m.safetensors"]) == 2
    assert "give them with --data DATA" in capsys.readouterr().err


def test_a_picture_shows_the_groups_of_fit(tmp_path, monkeypatch, capsys):
    """Law: where nothing is said, `plot` finds the groups that `fit` finds: one set of defaults."""
    monkeypatch.chdir(tmp_path)
    load_wine(as_frame=True).data.to_csv("wine.csv", index=False)
    assert run(["fit", "wine.csv", "--no-believe", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert run(["plot", "scatter", "wine.csv", "--dpi", "40"]) == 0
    title = find_method(found["method"]).title
    assert capsys.readouterr().out.startswith(f"{found['k']} groups, by {title}, as coterie fit finds")


def test_a_picture_of_a_tree_takes_what_the_tree_took(tmp_path, monkeypatch, capsys):
    """Law: the picture that `tree` offers is of the same columns, those that --keep names too."""
    monkeypatch.chdir(tmp_path)
    rows = np.random.default_rng(0).normal(size=(80, 2)).round(3)
    lines = ["id,a,b", *(f"{at},{a},{b}" for at, (a, b) in enumerate(rows))]
    (tmp_path / "rows.csv").write_text("\n".join(lines) + "\n")
    assert run(["tree", "rows.csv", "--keep", "id"]) == 0
    offered = capsys.readouterr().out.splitlines()[-1].removeprefix("picture    coterie ").split()
    assert offered[-2:] == ["--keep", "id"]
    assert run([*offered, "--dpi", "40"]) == 0
