"""From rows of any number to groups: what `coterie.fit` does with data in blocks."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._support.progress import ProgressOption, track
from coterie._support.typing import Labels
from coterie._support.validation import Seed, check_parameter, check_seed
from coterie.data import check_policy
from coterie.errors import InvalidParameter
from coterie.evaluate import Comparison
from coterie.pipeline import Recipe
from coterie.pipeline.preparing import column_names
from coterie.pipeline.request import check_asked
from coterie.scale import evaluate
from coterie.scale.choosing import choose, doubt, is_one_way
from coterie.scale.clustering import LazyClustering
from coterie.scale.describing import describe
from coterie.scale.facts import facts_of
from coterie.scale.methods.catalogue import takes_checkpoint
from coterie.scale.preparing import Prepared, prepare
from coterie.scale.sampling import take_rows
from coterie.scale.settling import Labelling, settle
from coterie.scale.sources.reading import read_blocks


def fit(
    source: Any,
    method: str = "auto",
    k: Any = "auto",
    *,
    distance: str = "auto",
    scale: str = "auto",
    truth: Any = None,
    budget: str = "normal",
    drop: Sequence[str] = (),
    keep: Sequence[str] = (),
    missing: str = "error",
    random_state: Any = 0,
    n_init: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    believe: bool = True,
    progress: ProgressOption = None,
) -> LazyClustering:
    """Find the groups in rows of any number: how many, by which method, and whether to believe them.

    Methods are compared on a sample, as `coterie.fit` compares them. k-means, mini-batch k-means, Gaussian
    mixtures, k-medoids and DBSCAN are then fitted to all rows; other models place them by `predict`. Sizes,
    means, sums of squares and simplified silhouette are exact; `facts` says so, and how far other numbers can
    be off.

    Parameters
    ----------
    source : anything that `read_blocks` takes
        Of tables, columns of text, keys and constants are left out, with a note.
    method, k, distance, scale, budget, drop, keep
        As in `coterie.fit`. Medians and quartiles of ``scale="robust"`` come from 100,000 rows.
    truth : str or array, default=None
        Column of whole numbers, or class of each row, to compare with; exact.
    missing : {"error"}, default="error"
        Rows with missing values are refused with their place.
    random_state : int, RandomState, Generator or None, default=0
        Same number, same rows, same answer, however they are cut.
    n_init : int or None, default=None
        Starts of k-means on its sample; None: it starts from the centres of the comparison.
    checkpoint : path or None, default=None
        A folder where k-means, mini-batch k-means or a mixture is saved after every pass.
    believe : bool, default=True
        Whether to measure stability and chance also where method and number of groups are given.
    progress : None, bool or callable, default=None
        Who hears of every pass.

    Returns
    -------
    LazyClustering

    Examples
    --------
    >>> import dask.array
    >>> from coterie.scale import fit
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> found = fit(dask.array.from_array(X, chunks=50), budget="fast")
    >>> found.k, np.bincount(found.labels.compute())
    (3, array([60, 60, 60]))
    """
    began = time.perf_counter()
    asked = check_asked(method, k, distance, scale, budget)
    check_parameter(random_state, Seed(), name="random_state", who="coterie.fit")
    seed = check_seed(random_state)
    _refuse(missing, checkpoint, asked.methods)
    drop, keep = column_names(drop), column_names(keep)
    dropped = [*drop, truth] if isinstance(truth, str) else drop
    with track(progress, "measuring columns") as tracker:
        prepared = prepare(source, asked, dropped, keep, seed, tracker)
        is_settled = not believe and is_one_way(asked)
        choice = choose(prepared, asked, seed, tracker, is_settled=is_settled)
    can_save = takes_checkpoint(choice.winner.method, asked.distance)
    settled = settle(
        choice.winner,
        prepared.points[choice.compared],
        prepared.blocks,
        distance=asked.distance,
        n_init=n_init,
        checkpoint=checkpoint if can_save else None,
        seed=seed,
        progress=progress,
    )
    with track(progress, "measuring groups") as tracker:
        found = describe(prepared, settled, seed)
        stability, significance = doubt(choice, prepared, settled.labelling, asked, seed, tracker)
        classes, comparison = _compared(truth, prepared, settled.labelling)
    unsaved = () if can_save or checkpoint is None else (f"{choice.winner.method} took no checkpoint",)
    about = filter(None, [found.profile.rule_note])
    notes = (*choice.notes, *prepared.notes, *settled.notes, *unsaved, *about)
    how = prepared.scaling.how
    recipe = Recipe(choice.winner.method, found.k, how, asked.distance, n_init, None, seed)
    seconds = time.perf_counter() - began
    return LazyClustering(
        groups=found.groups(recipe, notes, seconds),
        method=recipe.method,
        evidence=choice.evidence,
        stability=stability,
        significance=significance,
        runners_up=() if choice.contest is None else choice.contest.runners_up,
        comparison=comparison,
        notes=notes,
        budget=asked.budget.name,
        seed=seed,
        seconds=seconds,
        table=prepared.table,
        classes=classes,
        arguments={
            "method": method,
            "k": k,
            "distance": distance,
            "scale": scale,
            "truth": truth,
            "budget": budget,
            "drop": drop,
            "keep": keep,
            "random_state": random_state,
        },
        facts=facts_of(found, choice, stability, significance),
        blocks=prepared.blocks,
        labelling=settled.labelling,
        sampled_rows=prepared.sample.rows,
    )


def _refuse(missing: str, checkpoint: Any, methods: tuple[str, ...] | None) -> None:
    check_policy(missing)
    if missing != "error":
        raise InvalidParameter(
            f'missing must be "error" for data in blocks, got "{missing}". Drop or fill the values before.'
        ).in_shell(f"--missing {missing} is not taken for data in blocks. Drop or fill the values before.")
    if checkpoint is not None and methods and not any(takes_checkpoint(one) for one in methods):
        raise InvalidParameter(
            f"checkpoint is not taken by {', '.join(methods)}: it is for methods of many passes, kmeans, "
            f"minibatch-kmeans and mixture."
        )


def _compared(
    truth: Any, prepared: Prepared, labelling: Labelling
) -> tuple[Labels | None, Comparison | None]:
    """Return the classes of the sampled rows, and the comparison of all rows."""
    if truth is None:
        return None, None
    given = read_blocks(prepared.opened.source, columns=[truth]) if isinstance(truth, str) else truth
    blocks, n_rows = evaluate.label_blocks(given, None, "truth"), prepared.blocks.n_rows
    if blocks.n_rows != n_rows:
        raise InvalidParameter(f"truth must have one class per row, {n_rows}, got {blocks.n_rows}.")
    classes = take_rows(blocks, prepared.sample.rows)[:, 0].astype(np.int64)
    return classes, evaluate.compare(blocks, labelling.lazy(prepared.blocks))
