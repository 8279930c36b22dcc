"""Plays one row: all contestants in turn, several rounds, best of each; then compares the answers."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.player import Player
from benchmarks.problem import OURS, Answer, Row, Verdict

FEWEST_ROUNDS = 2
SETTLE = 0.25  # seconds between turns: OpenMP threads of the last player spin up to 0.2 s before they sleep


@dataclass
class Score:
    """How one contestant fared in a row."""

    state: str
    note: str = ""
    values: list[float] = field(default_factory=list)

    @property
    def best(self) -> float | None:
        """The lowest figure of all rounds, or None when there is none to count."""
        return min(self.values) if self.state == "ready" and self.values else None


@dataclass
class Outcome:
    """All that is known of a row after it was played."""

    family: str
    name: str
    work: str
    unit: str
    bar: float | None
    aim: float | None
    limit: float | None
    scores: dict[str, Score]
    disagreements: list[str]
    agreements: list[str]
    load: float
    uncounted: list[str] = field(default_factory=list)

    @property
    def ours(self) -> float | None:
        """Our best figure."""
        return self.scores[OURS].best if OURS in self.scores else None

    @property
    def ratio(self) -> float | None:
        """Fastest peer / ours, of the peers whose answers are good enough to count."""
        counted = [s for name, s in self.scores.items() if name != OURS and name not in self.uncounted]
        peers = [s.best for s in counted if s.best is not None]
        return min(peers) / self.ours if self.ours and peers else None

    @property
    def failed(self) -> bool:
        """Whether an answer differs or we could not play; a missed bar is not a failure of the run."""
        fell = OURS in self.scores and self.scores[OURS].state not in ("ready", "skipped")
        return bool(self.disagreements) or fell

    @property
    def verdict(self) -> str:
        """The row in a few words."""
        if self.disagreements:
            return "DISAGREES"
        if self.ours is None:
            return f"{OURS} {self.scores[OURS].state}" if OURS in self.scores else "peers only"
        if self.limit is not None and self.ours > self.limit:
            return "over the limit"
        if self.ratio is None or self.bar is None:
            return "within the limit" if self.limit is not None else "no bar"
        if self.ratio < self.bar:
            return "below the bar"
        return "reaches the aim" if self.aim is not None and self.ratio >= self.aim else "reaches the bar"


def play(
    family: str, module: str, row: Row, *, budget: float, names: Collection[str] | None = None
) -> Outcome:
    """Play ``row`` of ``module`` for about ``budget`` seconds, all contestants or only those in ``names``."""
    load = os.getloadavg()[0]
    players = []
    try:
        for contestant in row.contestants:
            if names is None or contestant.name in names:
                players.append(Player(module, row.name, contestant.name))
        verdicts = _play_rounds(row, players, budget)
    finally:
        for player in players:
            player.dismiss()
    return Outcome(
        family=family,
        name=row.name,
        work=row.work,
        unit=row.measure.unit,
        bar=row.bar,
        aim=row.aim,
        limit=row.limit,
        scores={p.name: Score(p.state, p.note, p.values) for p in players},
        disagreements=[f"{name}: {v.note}" for name, v in verdicts.items() if not v.agrees],
        agreements=[f"{name}: {v.note}" for name, v in verdicts.items() if v.agrees and v.note],
        load=round(load, 2),
        uncounted=[name for name, v in verdicts.items() if not v.counts],
    )


def _play_rounds(row: Row, players: list[Player], budget: float) -> dict[str, Verdict]:
    spent = 0.0
    verdicts: dict[str, Verdict] = {}
    for rounds in range(row.most_rounds):
        if rounds >= FEWEST_ROUNDS and spent * (rounds + 1) / rounds > budget:
            break
        for player in players:
            if player.state == "ready":
                time.sleep(SETTLE)
                start = time.monotonic()
                player.play()
                spent += time.monotonic() - start
        if rounds == 0:
            verdicts = _compare(row, players)
    return verdicts


def _compare(row: Row, players: list[Player]) -> dict[str, Verdict]:
    """Compare all answers with ours, or with the first peer's where we did not play."""
    answers: dict[str, Answer] = {}
    with tempfile.TemporaryDirectory() as folder:
        for player in players:
            answer = player.answer(Path(folder)) if player.state == "ready" else None
            if answer is not None:
                answers[player.name] = answer
    if not answers:
        return {}
    reference = OURS if OURS in answers else next(iter(answers))
    return {
        name: row.agree(answers[reference], answer) for name, answer in answers.items() if name != reference
    }
