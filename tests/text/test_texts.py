"""Groups of texts: planted topics are found and named, shuffled words are not, and odd input is said."""

from __future__ import annotations

import json

import numpy as np
import polars
import pytest

import coterie
from coterie.errors import CoterieError
from coterie.evaluate import adjusted_rand_score
from coterie.text import encode_texts, fit_texts, languages, stop_words

TOPICS = {
    "space": "rocket orbit satellite moon launch astronaut telescope mars galaxy planet",
    "kitchen": "recipe oven butter flour sugar bake onion garlic sauce dish",
    "soccer": "goal striker match league referee penalty coach stadium team keeper",
    "money": "bank interest loan inflation market stocks bond currency tax credit",
}
COMMON = ["people", "time", "year", "day", "world", "life", "part", "work", "place", "case", "week", "night"]
HOLDING = ["the", "of", "and", "to", "in", "is", "was", "for", "on", "with", "as", "by", "at", "from", "it"]


def topical(n: int = 240, seed: int = 0) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    words = [topic.split() for topic in TOPICS.values()]
    truth = rng.integers(0, len(words), n)
    texts = []
    for topic in truth:
        kinds = rng.choice(3, rng.integers(30, 60), p=(0.4, 0.35, 0.25))
        texts.append(" ".join(str(rng.choice((HOLDING, COMMON, words[topic])[kind])) for kind in kinds))
    return texts, truth.tolist()


def shuffled(texts: list[str], seed: int = 1) -> list[str]:
    words = np.random.default_rng(seed).permutation(" ".join(texts).split()).tolist()
    return [" ".join(words.pop() for _ in text.split()) for text in texts]


def test_planted_topics_are_found_and_named():
    texts, truth = topical()
    found = fit_texts(texts)
    assert found.k == 4
    assert adjusted_rand_score(truth, found.labels) > 0.95
    assert found.convincing
    for at, name in enumerate(found.names):
        topic = list(TOPICS.values())[truth[int(np.flatnonzero(found.labels == at)[0])]].split()
        assert all(word in topic for term in name.split(", ") for word in term.split())
        assert (found.labels[found.typical[at]] == at).all()
    assert "English stop words were left out" in found.notes


@pytest.mark.parametrize("seed", range(3))
def test_shuffled_words_have_no_groups(seed):
    found = fit_texts(shuffled(topical(seed=seed)[0], seed), random_state=seed)
    assert found.convincing is False
    assert found.headline.startswith("No ")


def test_new_texts():
    texts, truth = topical(300)
    found = fit_texts(texts[:200], believe=False)
    assert np.array_equal(found.predict(texts[:200]), found.labels)
    assert adjusted_rand_score(truth[200:], found.predict(texts[200:])) > 0.9
    assert found.predict(["", "zzz qqq"]).tolist() == [-1, -1]


def test_given_vectors_are_grouped_and_words_name_them():
    texts, truth = topical()
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(4, 64))[truth] + rng.normal(0, 0.5, (len(texts), 64))
    found = fit_texts(texts, vectors)
    assert adjusted_rand_score(truth, found.labels) > 0.99
    assert found.convincing
    assert np.array_equal(found.predict(vectors), found.labels)
    with pytest.raises(CoterieError, match="a row for each of the 240 texts"):
        fit_texts(texts, vectors[:5])


def test_merging_keeps_given_names():
    texts, _ = topical()
    found = fit_texts(texts, believe=False).rename({2: "mine"})
    merged = found.merge([0, 1])
    assert merged.k == 3
    assert "mine" in merged.names
    assert merged.names[merged.labels[np.flatnonzero(found.labels == 2)[0]]] == "mine"
    assert sorted(merged.sizes.tolist(), reverse=True) == merged.sizes.tolist()
    assert np.array_equal(merged.predict(texts), merged.labels)
    assert found.merge([0, 1], "both").names[0] == "both"
    with pytest.raises(CoterieError, match="at least two groups"):
        found.merge([1])
    with pytest.raises(CoterieError, match="no group 9"):
        found.rename({9: "x"})


def test_about_so_many_groups():
    assert fit_texts(topical()[0], k=2, believe=False).k == 2


def test_saved_and_read_again(tmp_path):
    texts, _ = topical(120)
    found = fit_texts(texts, believe=False)
    coterie.save(found, tmp_path / "news.model")
    again = coterie.load(tmp_path / "news.model")
    assert again.names == found.names
    assert np.array_equal(again.predict(texts), found.labels)


def test_languages():
    assert set(languages()) >= {"english", "german", "french"}
    german = ["der Hund und die Katze sind auf dem Dach", "das Auto ist in der Garage und nicht im Haus"] * 10
    assert encode_texts(german)[0].language == "german"
    assert "und" not in encode_texts(german)[0].terms
    with pytest.raises(CoterieError, match="klingon"):
        fit_texts(german, language="klingon")
    assert "the" in stop_words("english")


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        (["one"], "at least 2"),
        ("a single text", "sequence"),
        ([1, 2], "text 1 is no text"),
        (["", ""], "nothing to group"),
        (["the and of"] * 5, "nothing to group"),
    ],
)
def test_odd_input(texts, words):
    with pytest.raises(CoterieError, match=words):
        fit_texts(texts)


def test_missing_texts_have_no_group():
    texts = [*topical(120)[0], None, ""]
    found = fit_texts(polars.Series(texts), believe=False)
    assert found.labels[-2:].tolist() == [-1, -1]
    assert any("no term that counts" in note for note in found.notes)


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
