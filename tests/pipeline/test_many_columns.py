"""Tables of many columns: typical rows tell what groups are like, and the null test sees communities."""

import re

import numpy as np
import polars
import pytest

import coterie
from coterie.cli.app import run
from coterie.pipeline.many_columns import are_numbered, few_of_each, pixel_columns
from coterie.pipeline.null_test import NullRows, best_rank
from coterie.pipeline.request import make_request


def planted(n_columns=40, n_rows=150, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, 2, (3, n_columns))
    truth = np.arange(n_rows) % 3
    return centres[truth] + rng.normal(size=(n_rows, n_columns)), truth


@pytest.fixture(scope="module")
def answers():
    X, truth = planted()
    numbered = polars.DataFrame(X, schema=[f"v{at}" for at in range(40)])
    keyed = numbered.with_columns(polars.Series("who", [f"p{at}-{'abc'[c]}" for at, c in enumerate(truth)]))
    words = ["".join("abcdefgh"[int(digit)] for digit in oct(at + 64)[2:]) for at in range(40)]
    named = polars.DataFrame(X, schema=words)
    how = {"budget": "fast", "believe": False, "k": 3, "method": "kmeans"}
    return truth, *(coterie.fit(each, **how) for each in (numbered, keyed, named))


def test_numbered_columns_are_told_by_typical_rows(answers):
    """Law: where column names are numbers, a group is told by members of it, in text and JSON; no means."""
    truth, numbered, _, _ = answers
    text = str(numbered)
    assert "typical rows: " in text
    assert re.search(r"\bv\d+\b", text) is None
    for group, rows in enumerate(numbered.profile.typical):
        assert (numbered.labels[rows] == group).all()
        assert len(set(truth[rows])) == 1
    assert len(numbered.profile.to_dict()[0]["apart"]) <= 5


def test_typical_rows_have_the_names_of_the_table(answers):
    """Law: a key names the typical rows."""
    _, _, keyed, _ = answers
    assert re.search(r"typical: p\d+-[abc], p\d+-[abc], p\d+-[abc]", str(keyed))
    assert all(len(each["typical_names"]) == 5 for each in keyed.profile.to_dict())


def test_named_columns_are_told_as_well(answers):
    """Law: many columns that have names are told with the typical rows beside them."""
    _, _, _, named = answers
    assert re.search(r"[a-h]+ (high|low) \([-+]\d.* sd\).*; typical rows: ", str(named))


def test_names_of_columns():
    """Law: numbered names say nothing; pixels make squares, with those that were left out."""
    assert are_numbered([f"pixel_{a}_{b}" for a in range(8) for b in range(8)])
    assert not are_numbered([f"v{at}" for at in range(29)])
    assert not are_numbered(["age", "income", *(f"question {at} {chr(97 + at)}" for at in range(26))])
    found = pixel_columns([f"pixel{at}" for at in range(20, 64)], [f"pixel{at}" for at in range(20)])
    assert found is not None
    assert found.side == 8
    assert found.square(np.ones(44), 0.0).tolist() == [0.0] * 20 + [1.0] * 44
    assert pixel_columns([f"pixel{at}" for at in range(63)]) is None
    assert few_of_each([("a", "x"), ("b", "y")]) == [("a", "x"), ("b", "y")]


def test_the_null_test_sees_communities_and_nothing_in_noise():
    """Law: planted groups beat Gaussians of the same covariance; noise of many columns does not."""
    request = make_request(budget="fast")
    rng = np.random.default_rng(1)
    noise = {"normal": rng.normal(size=(150, 200)), "skewed": np.exp(rng.normal(size=(150, 60)))}
    X, _ = planted(n_columns=60, n_rows=150)
    draws = [best_rank(NullRows(X).draw(np.random.default_rng(seed)), request) for seed in range(4)]
    assert best_rank(X, request) > max(draws)
    for rows in noise.values():
        draws = [best_rank(NullRows(rows).draw(np.random.default_rng(seed)), request) for seed in range(8)]
        assert best_rank(rows, request) <= max(draws)


def test_communities_are_resampled_among_all_rows():
    """Law: communities of all rows are found again in resamples of all rows, not of those compared."""
    X, truth = planted(n_rows=2_700)
    found = coterie.fit(X, "embedding", budget="fast")
    assert found.stability.sizes.sum() == 2_700
    assert found.stability.n_resamples == 10 * 2_500 // 2_700
    assert found.stability.overall > 0.95
    assert all(len(np.unique(truth[found.labels == group])) == 1 for group in range(3))


def test_few_directions_of_many_columns_are_no_groups():
    """Law: a Gaussian of few directions in many columns has no groups, though communities are candidates."""
    for seed in range(3):
        rng = np.random.default_rng([19, seed])
        X = rng.normal(size=(200, 4)) @ rng.normal(size=(4, 60)) + 0.05 * rng.normal(size=(200, 60))
        assert coterie.fit(X, budget="fast", believe=False).k == 1


@pytest.mark.parametrize(
    "name", ["q{}", "Q{}_1", "Question {}: how satisfied are you?", "item{}", "Frage {}"]
)
def test_questions_of_a_survey_are_told_by_name(name):
    """Law: the number of a question is looked up in the questionnaire; that of a vector's column is not."""
    assert not are_numbered([name.format(at) for at in range(40)])
    assert are_numbered([f"dim{at}" for at in range(40)])


def test_every_command_tells_alike_what_is_left_out(tmp_path, monkeypatch, capsys):
    """Law: fit, select and tree begin with the same words about the table."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=(60, 2)), np.ones((60, 9))])
    lines = [",".join(["a", "b", *(f"same{at}" for at in range(9))])]
    lines += [",".join(f"{value:.3f}" for value in row) for row in rows]
    (tmp_path / "wide.csv").write_text("\n".join(lines) + "\n")
    told = []
    for command in (["fit", "-k", "2", "--no-believe"], ["select", "--criterion", "silhouette"], ["tree"]):
        assert run([command[0], "wide.csv", *command[1:]]) == 0
        told.append(capsys.readouterr().out.splitlines()[0])
    names = ", ".join(f"same{at}" for at in range(9))
    assert set(told) == {f"wide.csv   60 rows; 2 columns used; left out: {names} (constant)"}
