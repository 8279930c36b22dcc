"""Short rules that tell the rows of a group: the best path of a small decision tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TypeAlias

import numpy as np
from scipy import sparse

from coterie._support.declarations import held, saved
from coterie._support.typing import CheckedRows, FloatArray, Indices, JsonObject, Labels, Mask
from coterie._support.validation.schema import FLAG, Instance, ListOf, Maybe, Real, Sometimes, Text

SAMPLE_ROWS = 5_000  # rows that the trees are grown from; precision and recall are those of all rows
LEAST_OF_A_GROUP = 100
MOST_COLUMNS = 20  # the columns in which a group differs most
MOST_RULES = 30
DEPTH = 3
PRICE = 0.01  # of one more condition, in F
SAME = 1e-7  # standard deviations: values that are closer are not told apart
Column: TypeAlias = Callable[[], FloatArray]  # gives the values of a column
TIE = 1e-12  # share of the weight by which impurities differ that only rounding tells apart


@saved()
class Condition:
    """One condition of a rule: a column lies above `above` (if any) and at or below `at_most` (if any).

    Of a column of categories: it is `category`, or with `is_not` anything else.

    Examples
    --------
    >>> str(Condition("age", 30.0, 45.0)), str(Condition("plan", category="pro"))
    ('30 < age <= 45', 'plan = pro')
    """

    column: str = held(Text())
    above: float | None = held(Maybe(Real()), default=None)
    at_most: float | None = held(Maybe(Real()), default=None)
    category: str | None = held(Sometimes(Maybe(Text())), default=None)
    is_not: bool = held(Sometimes(FLAG), default=False)

    def __str__(self) -> str:
        if self.category is not None:
            return f"{self.column} {'is not' if self.is_not else '='} {self.category}"
        if self.above is None:
            return f"{self.column} <= {self.at_most:.12g}"
        if self.at_most is None:
            return f"{self.column} > {self.above:.12g}"
        return f"{self.above:.12g} < {self.column} <= {self.at_most:.12g}"


@saved()
class Rule:
    """A short rule for a group, and how well it tells it.

    Examples
    --------
    >>> print(Rule((Condition("spend", above=154.0),), 0.97, 0.94))
    spend > 154 (0.97, 0.94)
    """

    conditions: tuple[Condition, ...] = held(
        ListOf(Instance(Condition), kind=tuple), "All of them must hold."
    )
    precision: float = held(Real(0), "Share of the rows that the rule takes which are of the group.")
    recall: float = held(Real(0), "Share of the rows of the group that the rule takes.")

    @property
    def text(self) -> str:
        """The conditions in words."""
        return " and ".join(map(str, self.conditions))

    def to_dict(self) -> JsonObject:
        """Return the rule as plain values."""
        return {"text": self.text, "precision": self.precision, "recall": self.recall}

    def __str__(self) -> str:
        return f"{self.text} ({self.precision:.2f}, {self.recall:.2f})"


def learn_rules(
    X: CheckedRows,
    labels: Labels,
    columns: Sequence[str],
    differences: FloatArray,
    category_of: Sequence[str] = (),
    spread: FloatArray | None = None,
) -> tuple[tuple[Rule | None, ...], str]:
    """Return a rule for each group 0..k-1, None where there is none, and a note on the rows they come from.

    For every group a decision tree of depth 3 separates its rows from all others, in the columns in which it
    differs most; of all nodes of the tree the one of the best F (less a little for every condition) is the
    rule. Thresholds are rounded as far as no row changes sides. `category_of` names, for columns of 0 and 1
    that stand for a category, the column that it is of; "" for numbers. `spread` are the standard deviations
    of the columns, where they are known.

    Examples
    --------
    >>> X = np.array([[1.0], [2.0], [8.0], [9.5]])
    >>> rules, note = learn_rules(X, np.array([0, 0, 1, 1]), ["spend"], np.array([[-1.0], [1.0]]))
    >>> print(rules[1])
    spend > 5 (1.00, 1.00)
    """
    n_groups = len(differences)
    if n_groups < 2:
        return (None,) * n_groups, ""
    rows, weights = _sample(labels, n_groups)
    drawn, same = _dense(X[rows]), SAME * (_spread(X) if spread is None else spread)
    column = lru_cache(maxsize=MOST_COLUMNS)(lambda at: _dense(X[:, [at]])[:, 0].copy())  # groups share them
    rules: list[Rule | None] = []
    for group in range(n_groups):
        chosen = np.argsort(-np.abs(differences[group]), kind="stable")[:MOST_COLUMNS].tolist()
        inside = labels == group
        if group >= MOST_RULES or not inside.any():
            rules.append(None)
            continue
        names = [(columns[at], category_of[at] if category_of else "") for at in chosen]
        tree = _grow_tree(drawn[:, chosen], *_sides(inside[rows], weights), same[chosen])
        rules.append(_best_rule(tree, inside, rows, weights, [partial(column, at) for at in chosen], names))
    notes = []
    if rows.size < len(labels):
        notes.append(
            f"rules learned from {rows.size:,} of {len(labels):,} rows; precision and recall are of all"
        )
    if n_groups > MOST_RULES:
        notes.append(f"rules for the first {MOST_RULES} groups only")
    return tuple(rules), "; ".join(notes)


def _sample(labels: Labels, n_groups: int) -> tuple[Indices, FloatArray]:
    """Return rows of every group, as many as its share but not too few, and how many rows each stands for."""
    if len(labels) <= SAMPLE_ROWS:
        return np.arange(len(labels)), np.ones(len(labels))
    rng = np.random.default_rng(0)
    rows, weights = [], []
    for group in range(-1, n_groups):
        members = np.flatnonzero(labels == group if group >= 0 else labels < 0)
        wanted = max(LEAST_OF_A_GROUP, round(SAMPLE_ROWS * members.size / len(labels)))
        drawn = members if members.size <= wanted else rng.choice(members, wanted, replace=False)
        rows.append(drawn)
        weights.append(np.full(drawn.size, members.size / max(1, drawn.size)))
    return np.concatenate(rows), np.concatenate(weights)


def _dense(X: CheckedRows) -> FloatArray:
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def _spread(X: CheckedRows) -> FloatArray:
    """Return the standard deviations of the columns."""
    return np.array([_dense(X[:, [at]]).std() for at in range(X.shape[1])])


def _sides(inside: Mask, weights: FloatArray) -> tuple[Mask, FloatArray]:
    """Return which of the drawn rows are inside, and weights by which both sides weigh alike."""
    counts = np.bincount(inside, minlength=2)
    balance = len(inside) / (np.count_nonzero(counts) * np.maximum(counts, 1))
    return inside, weights * balance[inside.astype(np.intp)]


def _best_rule(
    nodes: Sequence[_Node],
    inside: Mask,
    rows: Indices,
    weights: FloatArray,
    values: Sequence[Column],
    names: Sequence[tuple[str, str]],
) -> Rule | None:
    """Return the best path of a tree that separates the rows inside from the others."""
    if len(nodes) < 2:
        return None
    is_inside = inside[rows]
    all_inside = float(weights[is_inside].sum())
    scores = [
        2 * float(weights[node.rows & is_inside].sum()) / (float(weights[node.rows].sum()) + all_inside)
        - PRICE * len(node.path)
        for node in nodes[1:]
    ]
    conditions, taken = _conditions(nodes[1 + int(np.argmax(scores))].path, values, names)
    n_right = int(np.count_nonzero(inside[taken]))
    return Rule(conditions, n_right / max(1, len(taken)), n_right / int(np.count_nonzero(inside)))


@dataclass(frozen=True)
class _Split:
    """One step down a tree: rows at or below a threshold of a column, or those above it."""

    column: int
    threshold: float
    is_left: bool

    def takes(self, values: FloatArray) -> Mask:
        below = values[:, self.column] <= self.threshold
        return below if self.is_left else ~below


@dataclass(frozen=True, eq=False)
class _Node:
    rows: Mask
    path: tuple[_Split, ...]


def _grow_tree(values: FloatArray, inside: Mask, weights: FloatArray, same: FloatArray) -> list[_Node]:
    """Return the nodes of a tree that separates the rows inside from the others, each before its children.

    Every node is split where the Gini impurity of the two sides is least, down to `DEPTH`. Of splits that are
    as good, the one of the first column counts, and the lowest; values closer than `same` are one value.
    """
    nodes: list[_Node] = []

    def grow(node: _Node, order: Indices) -> None:
        nodes.append(node)
        members = inside[node.rows]
        if len(node.path) == DEPTH or members.all() or not members.any():
            return
        found = _best_split(values, inside, weights, same, order)
        if found is None:
            return
        for is_left in (True, False):
            step = _Split(*found, is_left)
            rows = node.rows & step.takes(values)
            grow(_Node(rows, (*node.path, step)), order[rows[order]].reshape(len(order), -1))

    order = np.ascontiguousarray(np.argsort(values, axis=0, kind="stable").T)
    grow(_Node(np.ones(len(values), dtype=bool), ()), order)
    return nodes


def _best_split(
    values: FloatArray, inside: Mask, weights: FloatArray, same: FloatArray, order: Indices
) -> tuple[int, float] | None:
    """Return column and threshold of the best split; None: all rows are equal.

    `order` has the rows of the node for each column, the smallest value first.
    """
    within = np.cumsum(np.where(inside, weights, 0.0)[order], axis=1)
    outside = np.cumsum(np.where(inside, 0.0, weights)[order], axis=1)
    left, other = within[:, :-1], outside[:, :-1]
    right, rest = within[:, -1:] - left, outside[:, -1:] - other
    impurity = left * other / (left + other) + right * rest / (right + rest)  # half of it, times the weight
    ordered = np.take_along_axis(values.T, order, axis=1)
    impurity[np.diff(ordered, axis=1) <= same[:, None]] = np.inf
    if not np.isfinite(impurity).any():
        return None
    least = impurity.min()
    column, at = np.argwhere(impurity <= least + TIE * weights.sum())[0]
    low, high = ordered[column, at], ordered[column, at + 1]
    middle = low + (high - low) / 2
    return int(column), float(middle if middle < high else low)


def _conditions(
    path: Sequence[_Split], values: Sequence[Column], names: Sequence[tuple[str, str]]
) -> tuple[tuple[Condition, ...], Indices]:
    """Return the conditions on the way to a node, one per column, and the rows that meet them."""
    limits: dict[int, list[float | None]] = {}
    taken: Indices | None = None  # all
    for split in path:
        some = values[split.column]() if taken is None else values[split.column]()[taken]
        is_left = some <= split.threshold
        at = _round_threshold(some, is_left)
        # a later limit of a side is tighter
        limits.setdefault(split.column, [None, None])[int(split.is_left)] = at
        kept = np.flatnonzero(is_left if split.is_left else ~is_left)
        taken = kept if taken is None else taken[kept]
    ordered = sorted(limits.items())  # the columns in which the group differs most come first
    conditions = _without_others([_condition(*names[column], *limit) for column, limit in ordered])
    return conditions, np.zeros(0, dtype=np.intp) if taken is None else taken


def _condition(name: str, category_of: str, above: float | None, at_most: float | None) -> Condition:
    if not category_of:
        return Condition(name, above, at_most)
    category = name.removeprefix(category_name(category_of, ""))
    return Condition(category_of, category=category, is_not=above is None)


def _without_others(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Return the conditions without those that say what a column is not where it is said what it is."""
    told = {one.column for one in conditions if one.category is not None and not one.is_not}
    return tuple(one for one in conditions if not (one.is_not and one.column in told))


def category_name(column: str, category: str) -> str:
    """Return what a category of a column is called.

    Examples
    --------
    >>> category_name("plan", "pro")
    'plan = pro'
    """
    return f"{column} = {category}"


def _round_threshold(values: FloatArray, is_left: Mask) -> float:
    """Return the number of fewest digits between the values on the left and those on the right."""
    low, high = float(values[is_left].max()), float(values[~is_left].min())
    middle = low + (high - low) / 2
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return low
