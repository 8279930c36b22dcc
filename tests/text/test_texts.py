"""Groups of texts: planted topics are found and named, shuffled words are not, and odd input is said."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import polars
import pytest

import coterie
from coterie.errors import CoterieError, MissingDependency
from coterie.evaluate import adjusted_rand_score
from coterie.text import encode_texts, fit_texts, languages, stop_words
from coterie.text.fit import tell_apart
from topical_texts import TOPICS, topical


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
    assert "English stop words were removed" in found.notes


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
        ([1, 2], "text 1 must be a string"),
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


def test_a_model_by_name_needs_its_library(monkeypatch):
    """Law: a named model gives the vectors; without its library, the error says what to do."""
    texts, truth = (["ripe sweet pears", "an old engine"] * 15), np.arange(30) % 2

    class Fake:
        def __init__(self, name):
            assert name == "tiny"

        def encode(self, given):
            assert given == texts
            rng = np.random.default_rng(0)
            return (np.eye(2, 8)[truth] + 0.05 * rng.normal(size=(30, 8))).astype(np.float32)

    monkeypatch.setitem(sys.modules, "sentence_transformers", SimpleNamespace(SentenceTransformer=Fake))
    found = fit_texts(texts, "tiny", k=2, believe=False)
    assert (found.labels[truth == 0] == found.labels[0]).all()
    assert found.k == 2
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(MissingDependency, match="needs the package sentence-transformers"):
        fit_texts(texts, "tiny", believe=False)


def test_names_differ():
    """Law: no two groups have one name, as long as they have other terms."""
    assert tell_apart([("a", "b", "c", "d"), ("a", "b", "c", "d", "e"), ()]) == (
        "a, b, c",
        "a, b, c, d",
        "(no terms)",
    )


@pytest.mark.parametrize("n_texts", [12, 60, 700])
def test_texts_of_few_words_give_the_same_groups_each_time(n_texts):
    """Law: same seed, same texts, same groups, also where directions are equally long."""
    rng = np.random.default_rng(3)
    topics = [words.split()[:6] for words in TOPICS.values()]
    texts = [" ".join(rng.permutation(topics[at % 3])[: rng.integers(1, 6)]) for at in range(n_texts)]
    first = fit_texts(texts, believe=False)
    for _ in range(2):
        again = fit_texts(texts, believe=False)
        np.testing.assert_array_equal(again.labels, first.labels)
        np.testing.assert_array_equal(again.encoder.axes, first.encoder.axes)


@pytest.mark.parametrize("n_texts", [40, 700])
def test_axes_are_singular_vectors(n_texts):
    """Law: axes are orthonormal, and vectors along them have the singular values of the weighted counts."""
    encoder, counts = encode_texts(topical(n_texts)[0])
    np.testing.assert_allclose(encoder.axes.T @ encoder.axes, np.eye(encoder.axes.shape[1]), atol=1e-9)
    weighted = encoder.weigh(counts)
    found = np.linalg.norm(weighted @ encoder.axes, axis=0)
    expected = np.linalg.svd(weighted.toarray(), compute_uv=False)[: len(found)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: fit_texts(["a b", "c d"], language=-np.inf), "language must be one of .*, got -inf"),
        (lambda: fit_texts(["a b", "c d"], language=[1, 2]), "language must be one of .*, got"),
        (lambda: fit_texts(["ab cd", "cd ef"], random_state="x"), "random_state of encode_texts must be"),
        (lambda: encode_texts(["ab", 7]), "text 2 must be a string, got int"),
        (lambda: GROUPS.merge("x"), "merge takes numbers of groups, got 'x'"),
        (lambda: GROUPS.merge(None), "merge takes numbers of groups, got None"),
        (lambda: GROUPS.rename({0: 3}), "rename takes names by group number"),
        (lambda: GROUPS.rename({"x": "name"}), "there is no group 'x'"),
        (lambda: GROUPS.rename("x"), "rename takes names by group number"),
    ],
)
def test_odd_parameters(call, words):
    """What is not a language, seed, number or name is refused in words."""
    with pytest.raises(CoterieError, match=words):
        call()


GROUPS = fit_texts(topical(40)[0], believe=False)
