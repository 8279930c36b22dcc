"""Clustering without questions: look at the data, prepare, compare methods, answer, and say how sure."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from coterie._support import hooks
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import Labels
from coterie._support.validation import Seed, check_parameter, check_seed
from coterie.data import as_table, check_policy
from coterie.evaluate import Comparison, compare
from coterie.pipeline.answer import Clustering
from coterie.pipeline.check_belief import STEPS, believe
from coterie.pipeline.describe import describe_groups
from coterie.pipeline.lazy import is_in_blocks
from coterie.pipeline.preparing import classes_of, column_names, dense, points_of, prepare, sample_rows
from coterie.pipeline.request import check_asked
from coterie.pipeline.running import recipe_of, run_contest, settle


def fit(
    X: Any,
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
    progress: ProgressOption = None,
) -> Clustering:
    """Find the groups in data: how many, by which method, and whether to believe them.

    Several methods are tried for every sensible number of groups. One judge compares them, whatever method
    they come from: between each two neighbouring groups the density must fall, at some scale, further than it
    does within one cloud of as many rows; a partition that divides what nothing divides loses. "No groups" is
    an answer like any other.

    Parameters
    ----------
    X : array-like, DataFrame, Table, path of a file, or data of any size
        The data. Of tables, columns of text, dates, keys and constants are left out, with a note. Dask arrays
        and DataFrames, Arrow datasets, zarr arrays, folders, patterns such as ``"data/*.parquet"``, and files
        or memory maps of more than 1 GiB are read in blocks by `coterie.scale.fit`: methods are compared on
        a sample, the winner is fitted to all rows, and the answer says which numbers are exact.
    method : str, default="auto"
        A name of `coterie.cluster.catalogue()`, several joined by commas, or "auto".
    k : int, range, "A..B" or "auto", default="auto"
        Number of groups, numbers to choose from, or whatever there is, 1 (no groups) included.
    distance : str, default="auto"
        A name of `coterie.distance.catalogue()`; "auto" is Euclidean.
    scale : {"auto", "standard", "minmax", "robust", "none"}, default="auto"
        "auto" standardises the columns when the largest spread is more than five times the lower quartile of
        the spreads (of fewer than five columns: the least).
    truth : str or array-like, default=None
        Column, or class of each row: not used to find the groups, only to compare with.
    budget : {"fast", "normal", "thorough"}, default="normal"
        How long it may take.
    drop, keep : sequences of str
        Columns to leave out, or to use although they look like a key or are constant.
    missing : {"error", "drop", "median"}, default="error"
        What to do about missing values.
    random_state : int, RandomState, Generator or None, default=0
        Same number, same data, same answer.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Returns
    -------
    Clustering
        A `coterie.scale.LazyClustering`, with lazy labels, for data in blocks.

    Examples
    --------
    >>> import coterie
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    >>> coterie.fit(X, budget="fast").k
    3
    >>> coterie.fit(rng.normal(size=(200, 2)), budget="fast").k
    1
    """
    drop, keep = column_names(drop), column_names(keep)
    arguments = {
        "method": method,
        "k": k,
        "distance": distance,
        "scale": scale,
        "truth": truth,
        "budget": budget,
        "drop": drop,
        "keep": keep,
        "missing": missing,
        "random_state": random_state,
    }
    if is_in_blocks(X):
        in_blocks: Clustering = hooks.ask("fit_in_blocks")(X, **arguments, progress=progress)
        return in_blocks
    began = time.perf_counter()
    asked = check_asked(method, k, distance, scale, budget)
    check_policy(missing)
    check_parameter(random_state, Seed(), name="random_state", who="coterie.fit")
    seed = check_seed(random_state)
    table = dense(as_table(X))
    classes, dropped = classes_of(table, truth)
    prepared = prepare(table, asked, [*drop, *dropped], keep, missing)
    rows = sample_rows(prepared, asked, seed)
    points = points_of(prepared, rows, asked)
    with track(progress, "comparing methods", total=None) as tracker:
        contest = run_contest(points, asked, seed, tracker, steps_after=STEPS)
        estimator, labels, notes = settle(prepared, asked, contest, rows, seed)
        recipe = recipe_of(prepared, asked, contest, seed)
        seconds = time.perf_counter() - began
        groups = describe_groups(prepared, recipe, estimator, labels, seconds=seconds, notes=tuple(notes))
        placed = groups.labels[prepared.complete.rows][rows] - 1
        stable, chance = believe(points, placed, contest, asked, seed, tracker)
    return Clustering(
        groups=groups,
        method=recipe.method,
        evidence=contest.evidence,
        stability=stable,
        significance=chance,
        runners_up=contest.runners_up,
        comparison=_comparison(classes, groups.labels),
        notes=groups.notes,
        budget=asked.budget.name,
        seed=seed,
        seconds=time.perf_counter() - began,
        table=table,
        classes=classes,
        arguments=arguments,
    )


def _comparison(classes: Any, labels: Labels) -> Comparison | None:
    if classes is None:
        return None
    there = labels != -2
    return compare(classes[there], labels[there])
