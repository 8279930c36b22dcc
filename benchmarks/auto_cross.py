"""`coterie.fit` cross-validated over families of shapes: ``python -m benchmarks.auto_cross FOLDER ...``.

The judge has a few numbers that were set by trial. Each family of published sets is scored with the setting
that is best on all other families, so that nothing is tuned on what it is scored on.
"""

from __future__ import annotations

import argparse
import importlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks import auto_sets
from benchmarks.auto_sets import Sets

FAMILIES = {
    "round": "s1 s2 a1 d31 r15 unbalance fourty hypercube simplex spherical_4_3 gaussians1 xclara st900",
    "touching": "blobs square1 square3 sizes1 sizes3 engytime diamond9 2d-4c-no4 2d-3c-no123 2d-10c",
    "long": "long1 long3 longsquare elliptical_10_2 DS-577 triangle1 ds2c2sc13",
    "rings": "circle rings donut1 donut3 dartboard1 zelnik1 disk-3000n dense-disk-3000 zelnik5",
    "bent": "jain flame spiral banana curves1 smile1 2sp2glob spiralsquare zelnik3 cassini",
    "mixed": "aggregation 3MC aml28 complex8 shapes cure-t0-2000n-2D cure-t1-2000n-2D dpb",
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


@dataclass(frozen=True)
class Score:
    """How one set came out with one setting."""

    rand: float
    is_right: bool


def answer(X: Any) -> Any:
    """Return the labels of `coterie.fit`, without tests of its answer."""
    import coterie

    return np.asarray(coterie.fit(X, believe=False).labels)


def score(X: Any, y: Any) -> Score:
    """Return how an answer agrees with the truth."""
    labels = answer(X)
    n_found, n_true = len(np.unique(labels[labels >= 0])), len(np.unique(y[y >= 0]))
    return Score(float(adjusted_rand_score(y, labels)), max(n_found, 1) == n_true)


def all_scores(sets: Sets) -> dict[str, list[Score]]:
    """Return the scores of each set with each setting."""
    found: dict[str, list[Score]] = {}
    for title, X, y in sets:
        found[title] = []
        for setting in SETTINGS:
            with changed(setting):
                found[title].append(score(X, y))
        print(f"{title:<24}" + "".join(f"{each.rand:>6.2f}" for each in found[title]), flush=True)
    return found


@contextmanager
def changed(setting: tuple[str, str, float] | None) -> Iterator[None]:
    """Let one number of the judge have another value."""
    if setting is None:
        yield
        return
    module, name, value = setting
    judge = importlib.import_module(f"coterie.pipeline.judge.{module}")
    usual = getattr(judge, name)
    setattr(judge, name, value)
    try:
        yield
    finally:
        setattr(judge, name, usual)


def cross_validated(scores: Mapping[str, list[Score]]) -> dict[str, list[Score]]:
    """Return the scores of each family with the setting that is best on the others."""
    by_family = {
        family: [scores[name] for name in names.split() if name in scores]
        for family, names in FAMILIES.items()
    }
    found = {}
    for family, own in by_family.items():
        others = [each for name, rest in by_family.items() if name != family for each in rest]
        best = int(np.argmax(np.mean([[score.rand for score in each] for each in others], axis=0)))
        found[family] = [each[best] for each in own]
    return found


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", help="have published sets")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    scores: dict[str, list[Score]] = {}
    for folder in options.folders:
        make = auto_sets.arrays if any(folder.glob("*.npz")) else auto_sets.sipu
        scores |= all_scores(make(folder))
    found = cross_validated(scores)
    print("\n| family | sets | right number | mean ARI |\n|---|---|---|---|")
    for family, own in [*found.items(), ("all", [each for rest in found.values() for each in rest])]:
        n_right, mean = sum(each.is_right for each in own), np.mean([each.rand for each in own])
        print(f"| {family} | {len(own)} | {n_right} | {mean:.2f} |")


if __name__ == "__main__":
    main()
