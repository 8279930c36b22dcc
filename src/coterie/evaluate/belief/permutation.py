"""Permutations: whether two labelings agree more than chance would let them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import AnyArray, RandomState, VectorLike
from coterie._support.validation import Flag, Nothing, Seed, Whole, check_parameter, check_seed
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.belief.refitting import own_stream
from coterie.evaluate.belief.significance import Significance
from coterie.evaluate.catalogue import Measure, find_measure
from coterie.evaluate.external.contingency import ContingencyTable, contingency_table
from coterie.evaluate.labelings import Noise, read_labelings

LabelMeasure: TypeAlias = Callable[[AnyArray, AnyArray], float]  # of classes and clusters
_WHO = "permutation_significance"
WORDS = "shuffled labels"
MOST_CELLS = 1_000_000  # of the table of all classes and clusters; more are counted from shuffled labels


def permutation_significance(
    labels_true: VectorLike,
    labels_pred: VectorLike,
    *,
    measure: str | LabelMeasure = "adjusted_rand_score",
    n_draws: int = 999,
    greater_is_better: bool | None = None,
    noise: Noise | None = None,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> Significance:
    """Test the agreement of two labelings against permuted labels (a permutation test).

    The draws keep the sizes of all classes and clusters. For measures of the catalogue the table of such a
    draw is drawn directly, in time that does not grow with the samples.

    Parameters
    ----------
    labels_true, labels_pred : array-like of shape (n_samples,)
        Classes and clusters of any kind of label.
    measure : str or callable, default="adjusted_rand_score"
        A measure of two labelings, by the name or symbol of `coterie.evaluate.measures`, or a function of two
        labelings.
    n_draws : int, default=999
        How many. The least possible p-value is 1 / (n_draws + 1).
    greater_is_better : bool, default=None
        Direction of a `measure` that is a function; None: greater is better.
    noise : {"cluster", "exclude", "singletons"}, default=None
        What to do with samples labelled -1; None: what the measure does by default.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Examples
    --------
    >>> truth, found = [0] * 10 + [1] * 10, [0] * 8 + [1] * 12
    >>> permutation_significance(truth, found, random_state=0).p_value
    0.001
    """
    check_parameter(n_draws, Whole(1), name="n_draws", who=_WHO)
    check_parameter(greater_is_better, Nothing() | Flag(), name="greater_is_better", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    rng = own_stream(check_seed(random_state))
    with track(progress, "chance: permutation", total=n_draws) as tracker:
        if callable(measure):
            if noise is not None:
                raise InvalidParameter(f"noise of {_WHO} is for measures of the catalogue. Leave it out.")
            name, is_greater = (
                getattr(measure, "__name__", type(measure).__name__),
                greater_is_better is not False,
            )
            values = _by_function(measure, labels_true, labels_pred, n_draws, rng, tracker)
        else:
            found = _find(measure, greater_is_better)
            name, is_greater = found.name, found.greater_is_better
            table = contingency_table(labels_true, labels_pred, noise=noise or found.noise or "cluster")
            values = _by_table(found, table, n_draws, rng, tracker)
    return Significance(name, "permutation", WORDS, values[0], np.array(values[1:]), is_greater)


def _find(measure: object, greater_is_better: bool | None) -> Measure:
    if not isinstance(measure, str):
        raise InvalidParameter(f"measure of {_WHO} must be a name or a callable, got {measure!r}.")
    found = find_measure(measure)
    if found.needs != "labelings" or found.of_table is None:
        raise InvalidParameter(
            f"measure of {_WHO} must compare two labelings, {found.name} needs {found.needs}. For data and a "
            f"labeling use significance."
        )
    if greater_is_better is not None:
        raise InvalidParameter(
            f"greater_is_better of {_WHO} belongs to a measure that is a function: {found.name} knows its "
            f"direction."
        )
    return found


def _by_table(
    measure: Measure, table: ContingencyTable, n_draws: int, rng: np.random.Generator, tracker: Tracker
) -> list[float]:
    assert measure.of_table is not None
    values = [float(measure.of_table(table))]
    if table.n_cells == 0:
        raise InvalidData(f"{_WHO} needs at least one sample that is not left out as noise, got none.")
    tables = _tables(table, n_draws, rng)
    for at in range(n_draws):
        values.append(float(measure.of_table(next(tables))))
        tracker.report(at + 1)
    return values


def _tables(table: ContingencyTable, n_draws: int, rng: np.random.Generator) -> Iterator[ContingencyTable]:
    """Yield tables of permuted labels, with the margins of the given one."""
    sizes = table.class_sizes, table.cluster_sizes
    if table.shape[0] * table.shape[1] <= MOST_CELLS:
        from scipy.stats import random_table

        chance = random_table(*sizes)
        for _ in range(n_draws):
            yield ContingencyTable.from_matrix(chance.rvs(random_state=rng))
    classes, clusters = (np.repeat(np.arange(each.size), each) for each in sizes)
    while True:
        yield contingency_table(classes, rng.permutation(clusters))


def _by_function(
    measure: LabelMeasure,
    labels_true: VectorLike,
    labels_pred: VectorLike,
    n_draws: int,
    rng: np.random.Generator,
    tracker: Tracker,
) -> list[float]:
    read_labelings(labels_true, labels_pred)  # refuses labelings that do not belong together
    first, second = np.asarray(labels_true), np.asarray(labels_pred)
    values = [float(measure(first, second))]
    for at in range(n_draws):
        values.append(float(measure(first, rng.permutation(second))))
        tracker.report(at + 1)
    return values
