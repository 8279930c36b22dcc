"""A few cases of each part of the fuzzer, with fixed seeds; ``make fuzz MINUTES=30`` runs a campaign."""

import pytest

from tests.fuzz.campaign import Child, Tally, finding_text, run_cases, table
from tests.fuzz.case import Case, Draw, Finding, Refused
from tests.fuzz.parts import PARTS

# about two seconds of each on one core
CASES = {
    "estimators": 40,
    "functions": 40,
    "trees": 60,
    "scale": 25,
    "models": 40,
    "checkpoints": 25,
    "readers": 60,
    "shell": 20,
    "workbook": 15,
    "explorer": 25,
    "constrained": 40,
    "embeddings": 25,
    "series": 60,
    "images": 40,
    "phylogeny": 60,
    "arrivals": 20,
    "places": 25,
    "folders": 30,
}


def test_hostile_cases_end_in_an_answer_or_in_our_words():
    """Law: whatever is handed over, the answer is valid or the error is ours; no case kills its process."""
    tallies = {part: Tally() for part in PARTS}
    requests = [(part, seed) for part in PARTS for seed in range(CASES[part])]
    findings = [finding_text(finding) for finding in run_cases(requests, tallies)]
    assert not findings, "\n".join([*findings, table(tallies)])
    assert all(tally.accepted and tally.refused for tally in tallies.values()), table(tallies)


def test_cases_follow_from_part_and_seed():
    """Law: the same part and seed make the same case in two processes."""
    children = [Child(), Child()]
    try:
        for part, seed in (("estimators", 5), ("readers", 5), ("trees", 5)):
            first, second = (child.run(part, seed) for child in children)
            assert (first.doing, first.outcome, first.text) == (second.doing, second.outcome, second.text)
    finally:
        for child in children:
            child.close()


def test_deaths_are_noticed():
    """Law: a child that dies is a finding with what it did and where; the next case gets a new child."""
    child = Child()
    try:
        ends = [child.run("tests.fuzz.deaths", seed) for seed in range(3)]
    finally:
        child.close()
    assert [end.outcome for end in ends] == ["failed", "failed", "accepted"]
    assert ends[0].kind.startswith("SIGSEGV in ")
    assert ends[0].doing == "reading where nothing is"
    assert ends[0].command == "python -m tests.fuzz --part tests.fuzz.deaths --seed 0"
    assert ends[1].kind == "MemoryError at outside"


def attempt(action, tmp_path):
    return Case("estimators", 0, tmp_path, lambda text: None).attempt("trying", action)


def test_words_of_libraries_are_findings(tmp_path):
    """Law: an error that a library raised inside a call is a finding; one of ours is a refusal."""
    from coterie.cluster import KMeans

    with pytest.raises(Refused, match="must be at most n_samples"):
        attempt(lambda: KMeans(5).fit([[1.0], [2.0]]), tmp_path)
    with pytest.raises(Finding, match="ValueError at outside"):
        attempt(lambda: int("x"), tmp_path)


def test_draws_do_not_depend_on_one_another():
    """Law: parts draw differently from the same seed."""
    assert Draw("trees", 1).whole(0, 2**40) != Draw("readers", 1).whole(0, 2**40)
