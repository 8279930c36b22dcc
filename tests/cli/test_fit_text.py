"""``coterie fit --text``: groups of the texts in a column, or in a folder of files."""

import json

import polars

from coterie.evaluate import adjusted_rand_score
from topical_texts import topical


def test_the_shell(cli, tmp_path):
    texts, truth = topical(160)
    path, out = tmp_path / "news.csv", tmp_path / "labels.csv"
    polars.DataFrame({"id": range(160), "body": texts}).write_csv(path)
    code, printed, _ = cli("fit", path, "--text", "body", "--json", "-o", out)
    assert code == 0
    facts = json.loads(printed)
    assert facts["k"] == 4
    labels = polars.read_csv(out)
    assert labels.columns[-3:] == ["name", "label", "group"]
    assert adjusted_rand_score(truth, labels["label"].to_numpy()) > 0.9
    code, printed, _ = cli("fit", path, "--text", "body", "--no-believe")
    assert code == 0
    assert "e.g. text" in printed
    code, _, said = cli("fit", path, "--text", "bdy")
    assert code == 2
    assert "body" in said


def test_a_folder_of_text_files(cli, tmp_path):
    folder = tmp_path / "news"
    folder.mkdir()
    for at, text in enumerate(topical(80)[0]):
        (folder / f"{at:03}.txt").write_text(text)
    (folder / "notes.bin").write_bytes(b"\x00\x01")
    code, printed, _ = cli("fit", folder, "--text", "files", "--json", "--no-believe")
    assert code == 0
    assert json.loads(printed)["texts"] == 80


def test_a_report_and_a_model(cli, tmp_path):
    """Law: --report writes a page with the names of the groups; a saved model places the same column."""
    texts, truth = topical(120)
    path, page, model, out = (tmp_path / name for name in ("news.csv", "n.html", "m.safetensors", "o.csv"))
    polars.DataFrame({"body": texts}).write_csv(path)
    code, printed, _ = cli("fit", path, "--text", "body", "--no-believe", "--report", page, "--save", model)
    assert code == 0
    assert printed.startswith("news.csv") or str(path) in printed
    assert f"model    written to {model}" in printed
    assert "each linked to its 15 nearest ones" in page.read_text()
    code, _, _ = cli("predict", model, path, "-o", out)
    assert code == 0
    assert adjusted_rand_score(truth, polars.read_csv(out)["label"].to_numpy()) > 0.9
    polars.DataFrame({"other": texts}).write_csv(tmp_path / "x.csv")
    code, _, said = cli("predict", model, tmp_path / "x.csv", "-o", tmp_path / "y.csv")
    assert code == 2
    assert 'need a column "body" of texts' in said
