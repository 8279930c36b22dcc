"""How many labels clustering saves: accuracy by number of labels, for each way of choosing rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coterie._support.typing import (
    CheckedRows,
    FloatArray,
    Indices,
    Labels,
    MatrixLike,
    Model,
    RandomState,
    VectorLike,
)
from coterie._support.validation import (
    Flag,
    Number,
    Whole,
    check_data,
    check_parameter,
    check_seed,
    shift_seed,
)
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.labelings import read_labeling
from coterie.label.choose import STRATEGIES, Strategy, check_whole, select_to_label
from coterie.label.propagate import UNLABELLED, propagate_labels

WHO = "label_savings"


@dataclass(frozen=True, eq=False)
class LabelSavings:
    """Accuracy on rows held out, by strategy and number of labels.

    Parameters
    ----------
    numbers : array of int of shape (m,)
        Numbers of labels, rising.
    strategies : tuple of str
        How the rows to label were chosen.
    accuracy : array of shape (n_strategies, m, n_repeats)
        Share of the rows held out that are classified right, for every repeat.
    all_labels : array of shape (n_repeats,)
        The same with all labels of the training rows.
    n_rows : int
        Training rows.
    propagated : bool
        Whether the classifier learned from propagated labels.
    """

    numbers: Indices
    strategies: tuple[str, ...]
    accuracy: FloatArray
    all_labels: FloatArray
    n_rows: int
    propagated: bool

    @property
    def means(self) -> FloatArray:
        """Mean accuracy of shape (n_strategies, m)."""
        return np.asarray(self.accuracy.mean(axis=2))

    def labels_for(self, accuracy: float, strategy: str) -> float:
        """Return how many labels a strategy needs for an accuracy; infinite where it does not reach it.

        Parameters
        ----------
        accuracy : float
            Wanted mean accuracy; between two numbers of labels it is taken to change in a straight line.
        strategy : str
            One of `strategies`.
        """
        check_parameter(accuracy, Number(0.0, 1.0), name="accuracy", who=WHO)
        curve = self.means[self._place(strategy)]
        reached = np.flatnonzero(curve >= accuracy)
        if not reached.size:
            return float("inf")
        at = int(reached[0])
        if at == 0:
            return float(self.numbers[0])
        part = (accuracy - curve[at - 1]) / (curve[at] - curve[at - 1])
        return float(self.numbers[at - 1] + part * (self.numbers[at] - self.numbers[at - 1]))

    def saved(self, n: int, strategy: str = "typical", against: str = "random") -> float:
        """Return how many more labels another strategy needs for what this one reaches with n.

        Parameters
        ----------
        n : int
            Labels of the strategy; one of `numbers`.
        strategy, against : str, default="typical", "random"
            Two of `strategies`.
        """
        places = np.flatnonzero(self.numbers == n)
        if not places.size:
            raise InvalidParameter(f"n of saved must be one of {self.numbers.tolist()}, got {n!r}.")
        reached = float(self.means[self._place(strategy), places[0]])
        return self.labels_for(reached, against) - float(n)

    def _place(self, strategy: str) -> int:
        if strategy not in self.strategies:
            raise InvalidParameter(f"strategy must be one of {', '.join(self.strategies)}, got {strategy!r}.")
        return self.strategies.index(strategy)

    def __str__(self) -> str:
        head = f"{'labels':>12}" + "".join(f"{n:>8}" for n in self.numbers)
        lines = [
            f"{name:>12}" + "".join(f"{value:>8.1%}" for value in row)
            for name, row in zip(self.strategies, self.means, strict=True)
        ]
        return "\n".join([head, *lines, f"all {self.n_rows:,} labels: {self.all_labels.mean():.1%}"])


def label_savings(
    X: MatrixLike,
    y: VectorLike,
    numbers: Sequence[int],
    *,
    strategies: Sequence[Strategy] = STRATEGIES,  # type: ignore[assignment]  # the names of the type
    estimator: Model | None = None,
    propagate: bool = False,
    n_repeats: int = 5,
    test_share: float = 1 / 3,
    random_state: RandomState = None,
) -> LabelSavings:
    """Return how well a classifier does with few labels, by how the rows to label are chosen.

    Where all labels are known this measures what a strategy would have saved; the curves carry over to data
    like these.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Rows, scaled as for clustering.
    y : array-like of shape (n,)
        The class of every row.
    numbers : sequence of int
        Numbers of labels to try.
    strategies : sequence of str, default=all
        See `select_to_label`.
    estimator : scikit-learn classifier, default=None
        What learns from the labels; None: logistic regression.
    propagate : bool, default=False
        Whether labels are first propagated to the rows that each labelled row stands for.
    n_repeats : int, default=5
        Divisions into training rows and rows held out.
    test_share : float, default=1/3
        Share of the rows held out.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same data: same curves.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1, 2], 40)
    >>> X = rng.normal(size=(120, 2)) + 9 * np.array([[0, 0], [0, 1], [1, 0]])[y]
    >>> found = label_savings(X, y, [3, 6], strategies=["typical", "random"], random_state=0)
    >>> found.means[0].tolist()
    [1.0, 1.0]
    """
    rows, classes, wanted = _checked(X, y, numbers, strategies)
    check_parameter(propagate, Flag(), name="propagate", who=WHO)
    check_parameter(n_repeats, Whole(1), name="n_repeats", who=WHO)
    check_parameter(test_share, Number(0.01, 0.99), name="test_share", who=WHO)
    n_train = len(rows) - max(1, round(float(test_share) * len(rows)))
    if n_train < max(int(wanted[-1]), 2):
        raise InvalidParameter(
            f"numbers of {WHO} must be at most {n_train}, the rows that are not held out, got {wanted[-1]}."
        )
    seed, model = check_seed(random_state), _default_estimator() if estimator is None else estimator
    accuracy = np.zeros((len(strategies), len(wanted), int(n_repeats)))
    best = np.zeros(int(n_repeats))
    for repeat in range(int(n_repeats)):
        own = shift_seed(seed, repeat)
        order = np.random.default_rng(own).permutation(len(rows))
        train, test = order[:n_train], order[n_train:]
        best[repeat] = _accuracy(model, rows[train], classes[train], rows[test], classes[test])
        for at, strategy in enumerate(strategies):
            for place, n in enumerate(wanted):
                chosen = select_to_label(rows[train], int(n), strategy=strategy, random_state=own)
                known, told = chosen.rows, classes[train][chosen.rows]
                if propagate:
                    given = np.full(n_train, UNLABELLED)
                    given[known] = told
                    told = propagate_labels(rows[train], given, groups=chosen.groups).labels
                    known = np.arange(n_train)
                accuracy[at, place, repeat] = _accuracy(
                    model, rows[train][known], told, rows[test], classes[test]
                )
    return LabelSavings(wanted, tuple(strategies), accuracy, best, n_train, bool(propagate))


def _checked(
    X: MatrixLike, y: VectorLike, numbers: Sequence[int], strategies: Sequence[str]
) -> tuple[CheckedRows, Labels, Indices]:
    rows = np.asarray(check_data(X, who=WHO, min_rows=3), dtype=np.float64)
    labeling = read_labeling(y, "y")
    if len(labeling) != len(rows):
        raise InvalidData(
            f"y of {WHO} must have a class for each of the {len(rows)} rows, got {len(labeling)}."
        )
    wanted = np.unique([check_whole(n, "numbers", WHO) for n in numbers]).astype(np.intp)
    if not wanted.size or wanted[0] < 1:
        raise InvalidParameter(f"numbers of {WHO} must be whole numbers from 1 on, got {list(numbers)}.")
    unknown = [name for name in strategies if name not in STRATEGIES]
    if unknown or not len(strategies):
        raise InvalidParameter(
            f"strategies of {WHO} must be some of {', '.join(STRATEGIES)}, got {list(strategies)}."
        )
    classes = np.unique(labeling.integers, return_inverse=True)[1].astype(np.int64)
    if not classes.any():
        raise InvalidData(f"y of {WHO} must have two classes or more, got one.")
    return rows, classes, wanted


def _default_estimator() -> Model:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def _accuracy(model: Model, rows: CheckedRows, told: Labels, test: Indices, truth: Labels) -> float:
    """Return the share of rows held out that are classified right; one class needs no classifier."""
    from sklearn.base import clone

    if (told == told[0]).all():
        return float((truth == told[0]).mean())
    return float((clone(model).fit(rows, told).predict(test) == truth).mean())
