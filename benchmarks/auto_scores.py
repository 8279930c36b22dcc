"""The scores of ``python -m benchmarks.auto_cross`` that are kept, and what follows from them.

The judge of `coterie.fit` has a few numbers that were set by trial. Each family of published sets is scored
with the setting that is best on all other families.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

KEPT = Path(__file__).with_name("auto_cross.json")
FAMILIES = {
    "round clouds": (
        "s1 s2 a1 d31 r15 unbalance fourty hypercube simplex spherical_4_3 gaussians1 xclara st900"
    ),
    "touching groups": "blobs square1 square3 sizes1 sizes3 engytime diamond9 2d-4c-no4 2d-3c-no123 2d-10c",
    "long groups": "long1 long3 longsquare elliptical_10_2 DS-577 triangle1 ds2c2sc13",
    "rings and discs": "circle rings donut1 donut3 dartboard1 zelnik1 disk-3000n dense-disk-3000 zelnik5",
    "bent groups": "jain flame spiral banana curves1 smile1 2sp2glob spiralsquare zelnik3 cassini",
    "mixed shapes": "aggregation 3MC aml28 complex8 shapes cure-t0-2000n-2D cure-t1-2000n-2D dpb",
}
# the usual numbers, then one of them changed: module of the judge, name, value
SETTINGS: Sequence[tuple[str, str, float] | None] = (
    None,
    ("density_valleys", "END_TO_END", 1.1),
    ("density_valleys", "ENOUGH", 2.0),
    ("density_valleys", "DIVIDED", 1.0),
    ("sparse_cuts", "FEWEST", 0.1),
    ("sparse_cuts", "FEWEST", 0.2),
    ("density_steps", "SEVERAL", 3.0),
)
NO_GROUPS, KIND = "no groups: ", "kind: "  # begin the names of sets without groups, and of generated kinds


@dataclass(frozen=True)
class Score:
    """How one set came out with one setting: adjusted Rand index, groups found, groups there are."""

    rand: float
    found: int
    true: int

    @property
    def is_right(self) -> bool:
        """Whether the number of groups is right."""
        return self.found == self.true


Scores = dict[str, list[Score | None]]  # of each set, with each setting; None: not tried with it


def best_settings(scores: Mapping[str, Sequence[Score | None]]) -> dict[str, int]:
    """Return for each family the setting with the best mean agreement on all others; the first of equals.

    It is chosen on sets that were tried with every setting: those of few rows.
    """
    by_family = {
        family: [
            _rands(scores[name]) for name in names.split() if name in scores and None not in scores[name]
        ]
        for family, names in FAMILIES.items()
    }
    found = {}
    for family in by_family:
        others = [each for name, rest in by_family.items() if name != family for each in rest]
        found[family] = int(np.argmax(np.mean(others, axis=0)))
    return found


def _rands(each: Sequence[Score | None]) -> list[float]:
    return [one.rand for one in each if one is not None]


def cross_validated(scores: Mapping[str, Sequence[Score | None]]) -> dict[str, dict[str, Score]]:
    """Return the score of each set of each family with the setting that is best on the other families."""
    found: dict[str, dict[str, Score]] = {}
    for family, best in best_settings(scores).items():
        own = {name: scores[name][best] for name in FAMILIES[family].split() if name in scores}
        found[family] = {name: one for name, one in own.items() if one is not None}
    return found


def quiet(scores: Mapping[str, Sequence[Score | None]]) -> tuple[float, int]:
    """Return how many sets without groups stay so, mean over the settings of families; and of how many."""
    times = Counter(best_settings(scores).values())
    null = [each for name, each in scores.items() if name.startswith(NO_GROUPS)]
    n_quiet = 0
    for setting, n_families in times.items():
        found = [one for one in (each[setting] for each in null) if one is not None]
        n_quiet += n_families * sum(one.found == 1 for one in found)
    return n_quiet / len(FAMILIES), len(null)


def by_kind(scores: Mapping[str, Sequence[Score | None]]) -> dict[str, list[Score]]:
    """Return the scores of the draws of each kind, with the usual setting."""
    found: dict[str, list[Score]] = {}
    for name, (usual, *_) in scores.items():
        if name.startswith(KIND) and usual is not None:
            found.setdefault(name.removeprefix(KIND).rpartition(" ")[0], []).append(usual)
    return found


def read_scores(path: Path = KEPT) -> Scores:
    """Return the scores that a file keeps, those of other settings left out."""
    if not path.exists():
        return {}
    kept = json.loads(path.read_text())
    if kept["settings"] != json.loads(json.dumps(SETTINGS)):
        return {}
    return {
        name: [None if one is None else Score(**one) for one in each] for name, each in kept["sets"].items()
    }


def write_scores(scores: Scores, path: Path = KEPT) -> None:
    """Keep the scores in a file."""
    lines = ",\n  ".join(
        f"{json.dumps(name)}: {json.dumps([one and asdict(one) for one in each])}"
        for name, each in sorted(scores.items())
    )
    text = f'{{"settings": {json.dumps(SETTINGS)},\n "sets": {{\n  {lines}\n }}\n}}\n'
    path.with_suffix(".part").write_text(text)
    path.with_suffix(".part").replace(path)
