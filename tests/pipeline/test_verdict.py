"""One verdict: whatever the evidence, headline, text, JSON, report and exit code say the same."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import coterie
from coterie.cli.fitting import NOT_CONVINCING, exit_code
from coterie.evaluate import Significance, Stability
from coterie.evaluate.belief import DISSOLVED, SIGNIFICANT, STABLE
from coterie.pipeline.text import _aligned, _line
from coterie.pipeline.verdict import FitVerdict, decide
from coterie.show.explorer.views import _words
from coterie.show.report import build_facts
from coterie.show.report.clusterings import subject_of_clustering
from coterie.workbook.belief import Belief
from coterie.workbook.state import Group, State


def stability(values):
    sizes = np.full(len(values), 10)
    return Stability(
        "bootstrap", "bootstrap", 1, tuple(range(len(values))), sizes, np.array([values]), np.ones(1)
    )


def significance(n_as_good, n_draws):
    draws = np.r_[np.ones(n_as_good), np.full(n_draws - n_as_good, -1.0)]
    return Significance("separation", "gaussian", "one Gaussian", 0.0, draws, greater_is_better=True)


@st.composite
def evidence(draw):
    """Return random evidence, consistent or not."""
    k = draw(st.integers(0, 12))
    values = st.floats(0, 1) | st.sampled_from([0.7499, STABLE, 0.75001])
    n_draws = draw(st.integers(1, 199))
    each = draw(st.none() | st.lists(values, min_size=k, max_size=k))
    return {
        "k": k,
        "best_guess": draw(st.integers(1, 12)),
        "is_asked": draw(st.booleans()),
        "is_apart": draw(st.none() | st.booleans()),
        "stability": stability(each) if each and k > 1 else None,
        "significance": draw(
            st.none() | st.integers(0, n_draws).map(lambda good: significance(good, n_draws))
        ),
    }


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(evidence())
def test_words_never_deny_the_evidence(facts):
    """Law: groups are announced only if no test failed; "no groups" never stands beside a small p."""
    verdict = decide(facts.pop("k"), facts.pop("best_guess"), **facts)
    words, told = verdict.headline, verdict.to_dict()
    json.dumps(told)
    p = [float(text) for text in re.findall(r"p = ([0-9.e-]+)", words)]
    if verdict.k < 2:
        assert (verdict.outcome, verdict.convincing) == ("no groups", False)
        assert all(value > SIGNIFICANT for value in p)
    elif verdict.convincing is False:
        assert verdict.outcome == told["outcome"] == "no convincing groups"
        assert verdict.failed
        assert "not convincing (" in words if verdict.is_asked else words.startswith("No convincing groups.")
        assert "rejected" not in words
        if "unstable" not in words and "no clear border" not in words:
            assert p[0] > SIGNIFICANT
    else:
        assert verdict.outcome == "groups"
        assert words.startswith(f"{verdict.k} groups")
        assert not verdict.failed
        assert "convincing" not in words
        assert all(value <= SIGNIFICANT for value in p)
        assert all(float(text) >= STABLE for text in re.findall(r"; stable \(([0-9.]+)\)", words))
        assert ("doubtful" in words) is bool(verdict.doubtful_groups)
        assert ("not " in words) is (verdict.convincing is None)
    if verdict.is_stable and len(verdict.per_group) > 1:
        assert sum(value >= DISSOLVED - 0.005 for value in verdict.per_group) > 1  # as they are printed
    if verdict.is_asked:
        assert "as requested" in words
        assert words.startswith(f"{verdict.k} group")
    assert told["convincing"] is verdict.convincing


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (40, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    return coterie.fit(X, "kmeans", "2..4", budget="fast")


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3) | st.none(),
    st.integers(0, 39) | st.none(),
    st.booleans() | st.none(),
    st.booleans(),
)
def test_every_rendering_follows_the_verdict(three, each, n_as_good, is_apart, is_asked):
    """Law: text, JSON, report, explorer and exit code agree with the verdict, for any evidence."""
    found = replace(
        three,
        stability=None if each is None else stability(each),
        significance=None if n_as_good is None else significance(n_as_good, 39),
        is_apart=is_apart,
        is_asked=is_asked,
    )
    verdict, told = found.verdict, found.to_dict()
    assert told["headline"] == found.headline == verdict.headline
    assert told["convincing"] is found.convincing is verdict.convincing
    assert told["k"] == found.k == 3
    answer = found.summary().splitlines()[2]
    assert answer.strip().startswith(verdict.announcement)
    assert ("No convincing groups" in found.summary()) is (verdict.convincing is False and not is_asked)
    page = build_facts(subject_of_clustering(found))
    assert page.headline == found.headline
    is_guess = verdict.convincing is False and not is_asked
    assert page.labelings[page.chosen].role == ("best guess" if is_guess else "the answer")
    for badge in page.badges:
        if "stable" in badge.word:
            assert (badge.word == "stable") is (badge.tone == "good") is verdict.is_stable
    state = State(None, found.labels, tuple(Group(name) for name in "abc"))
    explored = _words(
        Belief("", ("a", "b", "c"), verdict, found.stability, found.significance, (), None), state
    )
    assert ("Stable: " in explored) is (verdict.is_stable is True)
    assert ("Not stable: " in explored) is (verdict.is_stable is False)
    assert ("No clear border" in explored) is (is_apart is False)
    assert ("null rejected" in explored) is (verdict.is_significant is True)
    assert exit_code(found, strict=True) == (0 if verdict.convincing else NOT_CONVINCING)
    assert exit_code(found, strict=False) == 0


def test_one_group_that_comes_back_is_no_division():
    """Law: of two groups one of which is dissolved, nothing is stable, however large the other is."""
    verdict = FitVerdict(2, 2, False, True, 0.01, 0.87, (0.95, 0.14))
    told = "No convincing groups. Best guess: 2 (unstable: only 1 of 2 groups has 0.6 or more, p = 0.01)"
    assert verdict.headline == told
    assert FitVerdict(2, 2, False, True, 0.01, 0.87, (0.95, 0.6)).is_stable
    assert FitVerdict(3, 3, False, True, 0.01, 0.87, (0.95, 0.9, 0.14)).is_stable


def test_one_group_that_was_asked_for_is_not_judged():
    """Law: where one group is asked for, nothing is compared, and nothing is said to have failed."""
    found = coterie.fit(np.random.default_rng(0).normal(size=(60, 2)), k=1, budget="fast")
    assert found.headline == "1 group; as requested"
    assert found.verdict.failed == ()
    assert "no other number was compared" in found.summary()


def test_a_best_guess_keeps_its_labels(three):
    """Law: groups that are not convincing are the best guess: k and labels stay, and are called a guess."""
    guess = replace(three, significance=significance(20, 39))
    assert (guess.k, guess.convincing, guess.verdict.best_guess) == (3, False, 3)
    assert guess.headline == "No convincing groups. Best guess: 3 (stable, p = 0.53)"
    assert (guess.labels == three.labels).all()
    asked = replace(guess, is_asked=True)
    assert asked.headline == "3 groups; as requested; not convincing (stable, p = 0.53)"


def test_untested_groups_are_said_to_be():
    """Law: without tests there is no verdict on the groups, and the headline says so."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (40, 2)) for centre in ([0, 0], [9, 0])])
    found = coterie.fit(X, "kmeans", 2, believe=False)
    assert found.convincing is None
    assert found.headline == "2 groups; as requested; not tested"


def test_saved_answers_keep_their_verdict(three, tmp_path):
    """Law: a saved answer has the same verdict."""
    three.save(tmp_path / "groups.safetensors")
    loaded = coterie.load(tmp_path / "groups.safetensors")
    assert loaded.verdict == three.verdict


def test_strict_exit_code(tmp_path, capsys):
    """Law: --strict exits with 3 where the answer says that there are no convincing groups, else with 0."""
    from coterie.cli.app import run

    rng = np.random.default_rng(0)
    np.savetxt(tmp_path / "one.csv", rng.normal(size=(80, 2)), delimiter=",", header="a,b", comments="")
    arguments = ["fit", str(tmp_path / "one.csv"), "--budget", "fast", "--method", "kmeans", "--json"]
    assert run(arguments) == 0
    assert json.loads(capsys.readouterr().out)["convincing"] is False
    assert run([*arguments, "--strict"]) == NOT_CONVINCING
    out, err = capsys.readouterr()
    assert err == f"coterie: exit code 3 (--strict): {json.loads(out)['headline']}\n"
    assert run([*arguments, "--strict", "--no-believe"]) == NOT_CONVINCING
    assert capsys.readouterr().err.startswith("coterie: exit code 3 (--strict): ")


def test_the_rule_that_decided_is_named():
    """Law: where the mean is stable but most groups are not, the verdict says that this decided."""
    by_groups = FitVerdict(4, 4, False, True, 0.01, 0.78, (0.97, 0.74, 0.7, 0.72))
    assert by_groups.is_stable is False
    assert by_groups.failed == ("unstable: only 1 of 4 groups has 0.75 or more",)
    assert "unstable: only 1 of 4 groups has 0.75 or more" in by_groups.headline
    by_mean = FitVerdict(4, 4, False, True, 0.01, 0.6, (0.97, 0.74, 0.7, 0.72))
    assert (by_mean.why_unstable, by_mean.failed) == ("below 0.75", ("unstable",))


def test_texts_begin_in_one_column():
    """Law: the longest label, "Gaussian null not rejected", has room before its text."""
    lines = _aligned([_line("3 groups", "a"), _line("Gaussian null not rejected", "b"), "  No groups"])
    assert [line.find(text) for line, text in zip(lines, "ab", strict=False)] == [30, 30]
    assert lines[2] == "  No groups"
    assert _aligned([_line("3 groups", "a")])[0].find("a") == 26
