"""`coterie.fit` cross-validated over families of shapes: ``python -m benchmarks.auto_cross FOLDER ...``.

The judge has a few numbers that were set by trial. Each family of published sets is scored with the setting
that is best on the other families (on their sets of at most 2,000 rows), so that nothing is tuned on what it
is scored on; the settings that are chosen in this way are then tried on sets without groups. Scores are kept
in ``auto_cross.json`` after each set, so that a run that was stopped goes on where it was (``--anew`` forgets
them). At the end the tables of docs/fit.md are written.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from benchmarks import auto_kinds, auto_sets
from benchmarks.auto_scores import (
    FAMILIES,
    KIND,
    NO_GROUPS,
    SETTINGS,
    Score,
    Scores,
    best_settings,
    cross_validated,
    quiet,
    read_scores,
    write_scores,
)
from benchmarks.data import ROOT

SEED = 1  # of generated sets: others than those that the judge was chosen on
DRAWS = 4  # of each kind
FEW_ROWS = 2_000  # of sets that settings are chosen on; all are scored


def answer(X: Any) -> Any:
    """Return the labels of `coterie.fit`, without tests of its answer."""
    import coterie

    return np.ma.filled(coterie.fit(X, believe=False).labels, -1)  # rows that were left out are masked


def score(X: Any, y: Any) -> Score:
    """Return how an answer agrees with the truth."""
    labels = answer(X)
    n_found, n_true = len(np.unique(labels[labels >= 0])), len(np.unique(y[y >= 0]))
    return Score(float(adjusted_rand_score(y, labels)), max(n_found, 1), n_true)


def scores_of_set(title: str, X: Any, y: Any, settings: Sequence[int]) -> tuple[str, list[Score | None]]:
    """Return the scores of one set with some of the settings, None for the others."""
    warnings.simplefilter("ignore")
    found: list[Score | None] = [None] * len(SETTINGS)
    with measured_once():
        for at in settings:
            with changed(SETTINGS[at]):
                found[at] = score(X, y)
    return title, found


@contextmanager
def measured_once() -> Iterator[None]:
    """Let methods propose and borders be measured once for all settings, which change what follows."""
    from coterie.pipeline import choose_method
    from coterie.pipeline.judge.density_valleys import Valleys

    propose, valleys_of, measure = choose_method.propose, choose_method.valleys_of, Valleys._measure
    known: dict[Any, Any] = {}

    def once(key: Any, find: Callable[[], Any]) -> Any:
        if key not in known:
            known[key] = find()
        return known[key]

    def same_valleys(*given: Any) -> Any:
        valleys = once("valleys", lambda: valleys_of(*given))
        valleys._judged.clear()
        return valleys

    with (
        replaced(choose_method, "valleys_of", same_valleys),
        replaced(
            choose_method,
            "propose",
            lambda method, task: once((method, task.ks), lambda: list(propose(method, task))),
        ),
        replaced(
            Valleys,
            "_measure",
            lambda self, labels, k: once(labels.tobytes(), lambda: measure(self, labels, k)),
        ),
    ):
        yield


@contextmanager
def changed(setting: tuple[str, str, float] | None) -> Iterator[None]:
    """Let one number of the judge have another value."""
    if setting is None:
        yield
        return
    module, name, value = setting
    with replaced(importlib.import_module(f"coterie.pipeline.judge.{module}"), name, value):
        yield


@contextmanager
def replaced(module: Any, name: str, value: Any) -> Iterator[None]:
    """Let a name of a module mean something else."""
    usual = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, usual)


def families(folders: Sequence[Path]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the published sets of the families."""
    known = {name for names in FAMILIES.values() for name in names.split()}
    yield from (each for each in auto_sets.published(folders) if each[0] in known)


def nulls() -> Iterator[tuple[str, Any, Any]]:
    """Yield sets without groups."""
    for make in (auto_sets.nulls, auto_sets.other_nulls):
        for name, X, y in make(SEED):
            yield f"{NO_GROUPS}{name}", X, y


def kinds() -> Iterator[tuple[str, Any, Any]]:
    """Yield sets of each kind."""
    for name, X, y in auto_kinds.kinds(SEED, DRAWS):
        yield f"{KIND}{name}", X, y


def add_scores(
    scores: Scores, sets: Iterable[tuple[str, Any, Any]], settings: Sequence[int], jobs: int
) -> None:
    """Score the sets that are not kept with these settings, and keep them one by one."""
    todo = [
        each for each in sets if each[0] not in scores or any(scores[each[0]][at] is None for at in settings)
    ]
    todo.sort(key=lambda each: each[1].size)  # the shortest first: a run that is stopped has most of them
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for done in as_completed([pool.submit(scores_of_set, *each, settings) for each in todo]):
            title, found = done.result()
            scores[title] = found
            write_scores(scores)
            told = (f"{one.rand:>6.2f} ({one.found})" for one in found if one is not None)
            print(f"{title:<30}{''.join(told)}", flush=True)


def main() -> None:
    """Score the sets that are not kept yet, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*", help="have published sets")
    parser.add_argument("--anew", action="store_true", help="forget the scores that are kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="sets at a time")
    options = parser.parse_args()
    scores: Scores = {} if options.anew else read_scores()
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # of each of the processes
    published = list(families(options.folders))
    few = [each for each in published if len(each[1]) <= FEW_ROWS]
    add_scores(scores, few, range(len(SETTINGS)), options.jobs)
    best = best_settings(scores)
    wanted = {name: best[family] for family, names in FAMILIES.items() for name in names.split()}
    chosen = sorted(set(best.values()))
    for setting in chosen:
        own = [each for each in published if wanted[each[0]] == setting]
        add_scores(scores, own, [setting], options.jobs)
    add_scores(scores, nulls(), chosen, options.jobs)
    add_scores(scores, kinds(), [0], options.jobs)
    for family, own in cross_validated(scores).items():
        mean = np.mean([one.rand for one in own.values()])
        print(f"{family:<20}{sum(one.is_right for one in own.values()):>4} of {len(own):<4}{mean:.2f}")
    print("without groups: {:.4g} of {} quiet".format(*quiet(scores)))
    subprocess.run([sys.executable, str(ROOT / "docs" / "make_tables.py")], check=True)


if __name__ == "__main__":
    main()
