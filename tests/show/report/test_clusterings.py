"""From the answer of `coterie.fit` to its report."""

import re
from dataclasses import replace

import numpy as np
import pytest

import coterie
from coterie.errors import InvalidParameter
from coterie.show.report import build_facts, render
from coterie.show.report.clusterings import python_lines, shell_line, subject_of_clustering

NAMES = ["north", "south", "east"]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Return the path of a table with a key, text, a constant, holes and the truth."""
    rng = np.random.default_rng(0)
    lines = ["id,width,height,same,kind"]
    for row in range(150):
        x, y = [(0, 0), (9, 0), (0, 9)][row % 3] + rng.normal(size=2)
        lines.append(f"r{row},{'' if row == 7 else round(x, 3)},{round(y, 3)},1,{NAMES[row % 3]}")
    path = tmp_path_factory.mktemp("data") / "plants.csv"
    path.write_text("\n".join(lines))
    return path


@pytest.fixture(scope="module")
def answer(table):
    return coterie.fit(table, truth="kind", missing="median", budget="fast")


@pytest.fixture(scope="module")
def facts(answer):
    return build_facts(subject_of_clustering(answer))


def test_report_says_what_the_answer_says(answer, facts):
    """Law: headline, groups, evidence, stability, null test and truth of the page are those of the answer."""
    chosen = facts.labelings[facts.chosen]
    assert (chosen.k, facts.title) == (answer.k, "plants.csv") == (3, "plants.csv")
    assert facts.headline.startswith("3 groups")
    assert sum(chosen.sizes) == 150
    assert facts.evidence.k == 3
    assert facts.stability.per_group == pytest.approx(answer.stability.per_cluster, abs=0.01)
    assert facts.chance.p_value == answer.significance.p_value
    assert sorted(facts.truth.classes) == sorted(NAMES)
    assert chosen.truth.measures[0][1] == pytest.approx(answer.comparison["adjusted_rand_score"])


def test_data_notes_name_what_was_left_out(facts):
    """Law: columns left out, missing values and scaling are on the page; rows have the names of the key."""
    assert {name for name, _ in facts.data.left_out} == {"id", "same", "kind"}
    assert any("median" in note for note in facts.data.notes)
    assert facts.data.missing == (("width", 1),)
    assert facts.sample.names[:2] == ("r0", "r1")


def test_lines_rebuild_the_same_report(table, tmp_path, monkeypatch, facts, answer):
    """Law: the Python lines on the page, run as they stand, write a report of the same groups."""
    monkeypatch.chdir(tmp_path)
    exec(facts.made.python, namespace := {})
    assert np.array_equal(namespace["groups"].labels, answer.labels)
    assert (tmp_path / "plants.html").exists()


def test_commands_name_what_differs_from_the_defaults():
    """Law: only what was asked for is said again; data that are no file have no command."""
    asked = {
        "method": "auto",
        "k": range(2, 5),
        "drop": ["a b"],
        "random_state": 3,
        "scale": "auto",
        "truth": None,
    }
    assert shell_line("x.csv", asked) == "coterie fit x.csv -k 2..4 --drop 'a b' --seed 3 --report x.html"
    assert python_lines("the data", asked).splitlines()[2] == (
        'groups = coterie.fit(X, k=range(2, 5), drop=["a b"], random_state=3)'
    )
    assert shell_line("the data", asked) is None
    assert "k=3)" in python_lines("x.csv", {"k": "3"})
    assert "k=range(2, 9))" in python_lines("x.csv", {"k": "2..8"})
    assert shell_line("x.csv", {"k": "2..8"}) == "coterie fit x.csv -k 2..8 --report x.html"


def test_large_tables_show_other_numbers_by_a_sample(answer):
    """Law: where labelings are of a sample, every row still has a group at every stop; the page says how."""
    short = replace(answer.evidence, labelings={k: np.zeros(10, int) for k in (2, 3, 4)})
    subject = subject_of_clustering(replace(answer, evidence=short))
    assert {k: len(one.labels) for k, one in subject.others.items()} == {2: 150, 3: 150, 4: 150}
    assert any("k-means of 150 rows" in note for note in subject.notes)


def test_the_only_number_asked_for_has_neighbours_on_the_slider(table):
    """Law: with one number of groups the slider shows others by the same method; no choice is claimed."""
    facts = build_facts(
        subject_of_clustering(coterie.fit(table, "kmeans,mixture", 4, missing="median", budget="fast"))
    )
    assert [labeling.k for labeling in facts.labelings] == [2, 3, 4, 5, 6, 7]
    assert facts.evidence.finding == "No other number of groups than 4 was compared"
    assert facts.evidence.reasons == ()


def test_page_says_from_which_rows_chance_was_computed(answer):
    """Law: a value that is of a sample says so, since the same measure of all rows stands beside it."""
    sampled = replace(answer.significance, how="60 of 150 rows")
    page = render(build_facts(subject_of_clustering(replace(answer, significance=sampled))))
    assert re.search(r"The line: these data, [\d.]+\..* Computed from 60 of 150 rows\.", page)


def test_cards_begin_with_the_names_that_people_gave(answer, facts):
    """Law: a card of the answer begins with the name of its group; other numbers of groups have no names."""
    names = tuple(f"name {at}" for at in range(answer.k))
    renamed = build_facts(subject_of_clustering(replace(answer, groups=replace(answer.groups, names=names))))
    for plain, named in zip(facts.labelings, renamed.labelings, strict=True):
        is_chosen = plain is facts.labelings[facts.chosen]
        for name, one, other in zip(names, plain.cards, named.cards, strict=False):
            assert other.words == (f"{name}: {one.words}" if is_chosen else one.words)


def test_report_needs_the_data(answer):
    """Law: a saved answer holds no data, so it has no report."""
    with pytest.raises(InvalidParameter, match="a report needs the data, which a saved answer does not hold"):
        subject_of_clustering(replace(answer, rows=None))


def test_answers_report_themselves(answer, tmp_path):
    """Law: `Clustering.report` writes the page and returns its path."""
    path = answer.report(tmp_path / "out.html", title="My plants")
    assert "My plants" in path.read_text()
