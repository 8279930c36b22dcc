"""Profiles: effect sizes, typical and borderline rows, rules with their precision and recall."""

import json

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.cli.app import run
from coterie.data import Table
from coterie.pipeline import Condition, Recipe, Rule, fit_groups, profile_groups
from coterie.pipeline.groups import profile, rules

rng = np.random.default_rng(0)
CENTERS = np.array([[0.0, 0.0, 5.0], [10.0, 0.0, 5.0], [10.0, 12.0, 5.0]])
LABELS = np.repeat([0, 1, 2], [60, 40, 20])
X = CENTERS[LABELS] + rng.normal(size=(120, 3))
NAMES = ["spend", "visits", "age"]


def meets(rule, X, names):
    """Rows that meet a rule, condition by condition."""
    taken = np.ones(len(X), dtype=bool)
    for condition in rule.conditions:
        values = X[:, names.index(condition.column)]
        if condition.above is not None:
            taken &= values > condition.above
        if condition.at_most is not None:
            taken &= values <= condition.at_most
    return taken


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_effects_are_cohens_d(kind):
    """Law: an effect is the difference from all other rows over the deviation within the two parts."""
    profile = profile_groups(kind(X), LABELS, NAMES, 3)
    for group in range(3):
        inside, others = X[group == LABELS], X[group != LABELS]
        within = (len(inside) * inside.var(axis=0) + len(others) * others.var(axis=0)) / len(X)
        expected = (inside.mean(axis=0) - others.mean(axis=0)) / np.sqrt(within)
        np.testing.assert_allclose(profile.effects[group], expected)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_typical_and_borderline_rows(kind):
    """Law: typical rows are nearest to their mean, borderline ones have the least margin to another."""
    profile = profile_groups(kind(X), LABELS, NAMES, 3)
    scaled = X / X.std(axis=0)
    means = np.array([scaled[group == LABELS].mean(axis=0) for group in range(3)])
    away = np.linalg.norm(scaled[:, None] - means, axis=2)
    own = away[np.arange(120), LABELS]
    away[np.arange(120), LABELS] = np.inf
    margin = (away.min(axis=1) - own) / np.maximum(away.min(axis=1), own)
    for group in range(3):
        members = np.flatnonzero(group == LABELS)
        np.testing.assert_array_equal(profile.typical[group], members[np.argsort(own[members])][:5])
        np.testing.assert_array_equal(profile.borderline[group], members[np.argsort(margin[members])][:5])
    np.testing.assert_array_equal(profile.medoids, [rows[0] for rows in profile.typical])


def test_rules_separate_separate_groups():
    """Law: groups apart get short rules without error, and the words say what the numbers check."""
    profile = profile_groups(X, LABELS, NAMES, 3)
    for group, rule in enumerate(profile.rules):
        assert rule.precision == rule.recall == 1.0
        assert len(rule.conditions) <= 2
        np.testing.assert_array_equal(meets(rule, X, NAMES), group == LABELS)
    assert profile.rules[0].text == "spend <= 4"
    assert profile.rule_note == ""


def test_precision_and_recall_are_those_of_the_conditions():
    """Law: precision and recall are what the printed conditions give on all rows, noise included."""
    mixed = np.random.default_rng(1).normal(size=(400, 4)) + 1.5 * np.repeat(np.eye(4), 100, axis=0)
    labels = np.repeat([0, 1, 2, -1], 100)
    names = ["a", "b", "c", "d"]
    for group, rule in enumerate(profile_groups(mixed, labels, names, 3).rules):
        taken, inside = meets(rule, mixed, names), labels == group
        assert rule.precision == (taken & inside).sum() / taken.sum()
        assert rule.recall == (taken & inside).sum() / inside.sum()
        assert rule.precision > 0.4
        assert len({condition.column for condition in rule.conditions}) == len(rule.conditions) <= 3


def test_intervals_are_one_condition():
    """Law: two limits of one column are written as an interval."""
    line = np.linspace(0, 30, 301)[:, None]
    labels = np.digitize(line.ravel(), [10, 20])
    rule = profile_groups(line, labels, ["age"], 3).rules[1]
    assert rule.text == "9.95 < age <= 20" or rule.text.startswith("9.9")
    assert rule.precision == rule.recall == 1.0
    assert str(Rule((Condition("age", 9.5, 20.0),), 1.0, 0.5)) == "9.5 < age <= 20 (1.00, 0.50)"


def test_many_rows_are_sampled_and_it_is_said(monkeypatch):
    """Law: rules learned from a sample say so, and find small groups; their scores are of all rows."""
    monkeypatch.setattr(rules, "SAMPLE_ROWS", 500)
    labels = np.repeat([0, 1], [19_950, 50])
    many = rng.normal(size=(20_000, 2)) + np.where(labels[:, None] == 1, 9.0, 0.0)
    profile = profile_groups(many, labels, ["a", "b"], 2)
    assert profile.rule_note.startswith("rules learned from 5")
    assert profile.rules[1].recall > 0.9
    assert profile.rules[1].precision > 0.9


def test_odd_data():
    """Law: one group, equal rows, huge values and many columns have a profile too."""
    assert profile_groups(X, np.zeros(120, dtype=int), NAMES, 1).rules == (None,)
    assert profile_groups(X, np.zeros(120, dtype=int), NAMES, 1).borderline[0].size == 0
    equal = profile_groups(np.ones((6, 2)), np.array([0, 0, 0, 1, 1, 1]), ["a", "b"], 2)
    assert equal.rules == (None, None)
    assert (equal.effects == 0).all()
    huge = profile_groups(X * 1e150, LABELS, NAMES, 3)
    assert huge.rules[0].precision == 1.0
    wide = np.random.default_rng(0).normal(size=(30, 2000))
    wide[:15, 1234] += 20
    found = profile_groups(wide, np.repeat([0, 1], 15), [f"c{at}" for at in range(2000)], 2)
    assert found.rules[0].conditions[0].column == "c1234"
    exact = profile_groups(np.array([[0.0], [0.0], [1.0]]), np.array([0, 0, 1]), ["a"], 2)
    assert np.isfinite(exact.effects).all()
    json.dumps(exact.to_dict())


def test_rows_are_those_of_the_table_and_survive_saving(tmp_path):
    """Law: rows left out are counted; a saved profile is the same."""
    frame = pl.DataFrame(X, schema=NAMES)
    frame = pl.concat([pl.DataFrame([[np.nan, 1.0, 1.0]], schema=NAMES, orient="row"), frame])
    table = Table("t.csv", tuple(frame.columns), True, frame.height, frame)
    groups = fit_groups(table, Recipe(n_clusters=3, n_init=5), missing="drop")
    plain = profile_groups(X, np.asarray(groups.labels)[1:], NAMES, 3)
    np.testing.assert_array_equal(groups.profile.typical[0], plain.typical[0] + 1)
    coterie.save(groups, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m").profile
    assert loaded.rules == groups.profile.rules
    np.testing.assert_array_equal(loaded.borderline[1], groups.profile.borderline[1])


def test_summary_shows_rules(tmp_path, capsys):
    """Law: the summary and the JSON have the rules."""
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", header="spend,visits,age", comments="")
    assert run(["fit", str(tmp_path / "x.csv"), "-k", "3"]) == 0
    wide = capsys.readouterr().out
    assert "rule (precision, recall)" in wide
    assert "spend <= 4 (1.00, 1.00)" in wide
    assert run(["fit", str(tmp_path / "x.csv"), "-k", "3", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["groups"][0]["rule"] == {"text": "spend <= 4", "precision": 1.0, "recall": 1.0}
    assert len(facts["groups"][0]["typical_rows"]) == 5


def test_trees_split_as_those_of_scikit_learn():
    """Law: a tree has the nodes of scikit-learn's where no two splits are as good (noise in all columns)."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 4))
    inside = X @ [1.0, -1.0, 0.5, 0.0] + rng.normal(size=150) > 0.8
    weights = rng.uniform(0.5, 2.0, size=150)
    nodes = rules._grow_tree(X, inside, weights, np.zeros(4))
    peer = DecisionTreeClassifier(max_depth=rules.DEPTH, random_state=0)
    tree = peer.fit(X.astype(np.float32), inside, sample_weight=weights).tree_
    np.testing.assert_array_equal(
        np.array([node.rows for node in nodes]).T, tree.decision_path(X.astype(np.float32)).toarray()
    )


def test_of_splits_that_are_as_good_the_first_column_is_told():
    """Law: two columns that tell a group alike give the rule of the one in which it differs more."""
    X = np.array([[0.0, 0.0], [0.0, 3.0], [9.0, 9.0], [9.0, 9.0]])
    labels = np.array([0, 0, 1, 1])
    assert profile_groups(X, labels, ["a", "b"], 2).rules[0].text == "a <= 4"
    assert profile_groups(X[:, ::-1], labels, ["b", "a"], 2).rules[0].text == "a <= 4"


@pytest.mark.parametrize("n_columns", [1, 2, 33, 65, 97])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_mean_and_spread_of_columns_in_parts(n_columns, dtype, monkeypatch):
    """Law: to the last bit those of all columns at once."""
    X = (np.random.default_rng(0).normal(size=(500, n_columns)) + 100).astype(dtype)
    monkeypatch.setattr(profile, "LEAST_IN_THREADS", 0)
    center, spread = profile._center_and_spread(X)
    np.testing.assert_array_equal(center, X.mean(axis=0, dtype=np.float64))
    np.testing.assert_array_equal(spread, X.std(axis=0, dtype=np.float64))
