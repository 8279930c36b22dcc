"""The runner of ``benchmarks/``: fair turns, honest verdicts, results that are kept. No time is asserted."""

import dataclasses
import json
import os
from pathlib import Path

import pytest

from benchmarks import __main__ as command
from benchmarks import auto_scores, catalogue, match, record, report
from benchmarks.measure import Slowdown, busy_neighbours

TESTS = Path(__file__).parent


@pytest.fixture(autouse=True)
def tiny_rows_for_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), str(TESTS.parent)]))
    monkeypatch.setattr(match, "SETTLE", 0.0)


def play(name: str) -> match.Outcome:
    entry = next(e for e in catalogue.entries_of("tiny_rows") if e.row.name == name)
    return match.play("tiny", entry.module, entry.row, budget=1.0)


def stored(outcome: match.Outcome, **changes: object) -> record.Record:
    machine = {"processor": "P", "cores": "2"}
    return record.to_record(outcome, machine=machine, version="1", date="today") | changes


def test_ratio_is_peer_by_ours() -> None:
    """The ratio is the fastest peer's best figure divided by our best, and decides the verdict."""
    outcome = play("good")
    assert not outcome.failed
    assert all(len(score.values) == 2 for score in outcome.scores.values())
    assert outcome.ratio == min(outcome.scores["slow"].values) / min(outcome.scores["coterie"].values)
    assert outcome.verdict in ("reaches the bar", "below the bar")


def test_others_go_on_when_one_falls() -> None:
    """A missing or crashed peer is named with its reason and the rest are still measured."""
    outcome = play("fallen")
    states = {name: score.state for name, score in outcome.scores.items()}
    assert states == {
        "coterie": "ready",
        "missing": "not installed",
        "raising": "crashed",
        "dying": "crashed",
        "slow": "ready",
    }
    assert outcome.scores["raising"].note == "RuntimeError: refuses to start"
    assert outcome.scores["dying"].note == "ended by SIGABRT"
    assert outcome.ratio is not None
    assert not outcome.failed
    assert "dying crashed: ended by SIGABRT" in report.as_text([stored(outcome)])


def test_another_answer_fails_the_row() -> None:
    """A peer whose answer differs makes the row fail, whatever its speed."""
    outcome = play("wrong")
    assert outcome.failed
    assert outcome.verdict == "DISAGREES"
    assert "wrong: DISAGREES with other: sum differ" in report.as_text([stored(outcome)])


def test_a_peer_that_finds_less_does_not_count() -> None:
    """A peer whose answer is below what the row asks for is shown with a mark; the others make the ratio."""
    outcome = play("good")
    both = {**outcome.scores, "hasty": match.Score("ready", values=[outcome.scores["slow"].values[0] / 1e6])}
    plain = dataclasses.replace(outcome, scores=both)
    marked = dataclasses.replace(plain, uncounted=["hasty"], agreements=["hasty: recall 0.5"])
    assert plain.ratio is not None
    assert outcome.ratio is not None
    assert plain.ratio < outcome.ratio
    assert marked.ratio == outcome.ratio
    text = report.as_text([stored(marked)])
    assert "s* (" in text
    assert "hasty: recall 0.5" in text


def test_without_ours_the_peers_are_compared() -> None:
    """Where Coterie has not got the method yet, peers are measured and compared with each other."""
    outcome = play("absent")
    assert outcome.verdict == "coterie not installed"
    assert outcome.ratio is None
    assert outcome.failed
    assert outcome.agreements == ["other: sum differ by 0.0e+00"]


def test_missing_data_skips_the_row() -> None:
    """A problem without its files is skipped with the reason, and is not a failure."""
    outcome = play("skipped")
    assert outcome.verdict == "coterie skipped"
    assert not outcome.failed
    assert outcome.scores["coterie"].note == "no data here"


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="reads Linux's /proc")
def test_peak_memory_counts_what_a_call_holds() -> None:
    """The figure is the memory that a call holds at its peak, and a limit is a limit for ours."""
    outcome = play("memory")
    assert outcome.scores["coterie"].best == pytest.approx(32, abs=8)
    assert outcome.scores["greedy"].best == pytest.approx(128, abs=8)
    assert outcome.verdict == "within the limit"


def test_a_busy_machine_is_named() -> None:
    """Figures taken while others used the machine are marked as rough."""
    quiet, busy = (stored(play("good"), load=load) for load in (1.0, 9.0))
    assert "rough" not in report.as_text([quiet])
    assert "rough: others used the machine, load up to 9.0 (all rows)" in report.as_text([busy])


def test_new_rows_replace_old_ones_and_others_stay() -> None:
    """Merging keeps one version of each row, the newest, in the catalogue's order."""
    old = [{"family": "f", "name": n, "date": "old"} for n in ("a", "b", "gone")]
    new = [{"family": "f", "name": "b", "date": "new"}]
    merged = record.merge(old, new, ["f/a", "f/b", "f/c"])
    assert [(r["name"], r["date"]) for r in merged] == [("a", "old"), ("b", "new")]


def test_results_of_other_places_stay_beside_new_ones() -> None:
    """A row played on another instruction set or processor does not replace one played here."""
    here, there = ({"processor": "P", "cores": "2", "instruction set": name} for name in ("v4", "v2"))
    old = [{"family": "f", "name": "a", "date": "old", "machine": here}]
    new = [{"family": "f", "name": "a", "date": "new", "machine": machine} for machine in (there, here)]
    merged = record.merge(old, new, ["f/a"])
    assert [(r["machine"]["instruction set"], r["date"]) for r in merged] == [("v4", "new"), ("v2", "new")]


def test_an_instruction_set_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """The command names the instruction sets that the machine has."""
    assert command.main(["--rows", "kmeans/plane", "--instruction-set", "v9"]) == 2
    assert "benchmarks: this machine has " in capsys.readouterr().err


def test_slowdown_is_the_time_beside_others_by_the_time_alone() -> None:
    """The figure is a ratio of two times of the same call, and the neighbours are gone afterwards."""
    calls = []
    measured = Slowdown(turns=2, at_least=0.0)(lambda: calls.append(1))
    assert measured.value > 0
    assert len(calls) == 4


def test_busy_neighbours_end_with_the_block() -> None:
    """Half of the processors are kept busy, by processes that do not outlive the block."""
    with busy_neighbours() as others:
        assert len(others) == max(1, (os.cpu_count() or 1) // 2)
        assert all(other.poll() is None for other in others)
    assert all(other.poll() is not None for other in others)


def test_command_writes_table_and_records(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command prints the table and keeps it as Markdown and JSON."""
    monkeypatch.setattr(catalogue, "all_entries", lambda: catalogue.entries_of("tiny_rows"))
    status = command.main(["--rows", "tiny_rows/good", "--results", str(tmp_path), "--budget", "1"])
    assert status == 0
    assert "tiny good" in capsys.readouterr().out
    rows = json.loads((tmp_path / "results.json").read_text())["rows"]
    assert [r["name"] for r in rows] == ["good"]
    text = (tmp_path / "RESULTS.md").read_text()
    assert "| tiny good |" in text
    assert "- instruction set: " in text


def test_unknown_row_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """A family that does not exist ends the command with 2 and names those that do."""
    assert command.main(["--rows", "kmean"]) == 2
    assert 'no row "kmean". Families: ' in capsys.readouterr().err


def test_rows_have_distinct_names_and_one_of_ours() -> None:
    """Every row of every family has its own name and exactly one contestant of ours, which comes first."""
    entries = catalogue.all_entries()
    assert len({entry.key for entry in entries}) == len(entries)
    for entry in entries:
        names = [contestant.name for contestant in entry.row.contestants]
        assert names[0] == "coterie", entry.key
        assert len(set(names)) == len(names), entry.key


def scores_of(rand: float, best: int | None = None, found: int = 2) -> list[auto_scores.Score]:
    settings = range(len(auto_scores.SETTINGS))
    return [auto_scores.Score(1.0 if at == best else rand, found, 2) for at in settings]


def test_no_family_is_scored_with_a_setting_chosen_on_it() -> None:
    """Law: a setting that is best on one family is taken for all others, never for this one."""
    first, *others = auto_scores.FAMILIES
    scores = {
        name: scores_of(0.5, 3 if family == first else None)
        for family, names in auto_scores.FAMILIES.items()
        for name in names.split()
    }
    scores[f"{auto_scores.NO_GROUPS}box"] = [auto_scores.Score(1.0, 1 + (at == 3), 1) for at in range(7)]
    assert auto_scores.best_settings(scores) == {first: 0} | dict.fromkeys(others, 3)
    found = auto_scores.cross_validated(scores)
    assert all(score.rand == 0.5 for own in found.values() for score in own.values())
    assert auto_scores.quiet(scores) == (pytest.approx(1 / 6), 1)


def test_scores_are_kept_and_read(tmp_path: Path) -> None:
    """Law: kept scores come back; those of other settings do not count."""
    kept = {"s1": scores_of(0.25), f"{auto_scores.KIND}few rows 1": scores_of(0.5, found=3)[:1]}
    auto_scores.write_scores(kept, tmp_path / "kept.json")
    assert auto_scores.read_scores(tmp_path / "kept.json") == kept
    assert {kind: own[0].found for kind, own in auto_scores.by_kind(kept).items()} == {"few rows": 3}
    changed = (tmp_path / "kept.json").read_text().replace("END_TO_END", "OTHER")
    (tmp_path / "kept.json").write_text(changed)
    assert auto_scores.read_scores(tmp_path / "kept.json") == {}
    assert auto_scores.read_scores(tmp_path / "none.json") == {}
