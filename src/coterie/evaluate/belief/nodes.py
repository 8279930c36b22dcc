"""Nodes of a tree: which splits are more than one Gaussian would show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.optional import require
from coterie._support.progress import ProgressOption, track
from coterie._support.typing import (
    AnyFunction,
    Data,
    JsonObject,
    Labels,
    MatrixLike,
    PandasFrame,
    RandomState,
)
from coterie._support.validation import (
    Choice,
    Number,
    Seed,
    Whole,
    check_data,
    check_parameter,
    check_seed,
    shift_seed,
)
from coterie._support.validation.schema import COUNT, Instance, ListOf, Real, Tensor
from coterie.errors import InvalidData, InvalidParameter
from coterie.evaluate.belief.null_models import NullModel, fit_null
from coterie.evaluate.belief.refitting import run_all
from coterie.evaluate.belief.significance import Significance
from coterie.evaluate.belief.splits import cluster_index
from coterie.tree import METHODS, Dendrogram
from coterie.tree import linkage as make_linkage

_WHO = "node_significance"


@saved(eq=False)
class NodeTest:
    """The test of one split of a tree.

    Parameters
    ----------
    significance : Significance
        Its cluster index against draws without clusters.
    level : float
        What the p-value must not exceed, for all tests together to be wrong with a chance of at most alpha.
    """

    node: int = held(COUNT, "Number of the node in the tree.")
    size: int = held(COUNT, "Rows below it.")
    significance: Significance = held(Instance(Significance))
    level: float = held(Real(nan=True))

    @property
    def p_value(self) -> float:
        """The p-value by the normal approximation of the draws, which reaches below 1 / n_draws."""
        return self.significance.p_normal

    @property
    def is_significant(self) -> bool:
        """Whether the two parts are more than one cloud would show."""
        return self.p_value <= self.level


@saved(eq=False)
class NodeTests:
    """The tests of a tree from its root down, and the clusters that they leave.

    Parameters
    ----------
    tests : tuple of NodeTest
        From the root down; below a split that is not significant nothing is tested.
    labels : array of shape (n_leaves,)
        Clusters that no significant split divides.
    """

    tests: tuple[NodeTest, ...] = held(ListOf(Instance(NodeTest), kind=tuple))
    labels: Labels = held(Tensor("rows", kind="i", low=-1, below="rows"))
    alpha: float = held(Real(0), "Chance of any false split.")

    @property
    def n_clusters(self) -> int:
        """Number of clusters; 1: there are none."""
        return int(self.labels.max()) + 1

    def to_dict(self) -> JsonObject:
        """Return what was found as plain numbers."""
        return {
            "alpha": self.alpha,
            "n_clusters": self.n_clusters,
            "tests": [_facts(test) for test in self.tests],
        }

    def to_frame(self) -> PandasFrame:
        """Return a pandas DataFrame: one row per tested node."""
        pandas = require("pandas", extra="pandas", purpose="to_frame")
        return pandas.DataFrame([_facts(test) for test in self.tests]).set_index("node")

    def __repr__(self) -> str:
        lines = [
            f"{self.n_clusters} clusters by splits that are significant at {self.alpha:g}, all together",
            "",
            "    node      size  cluster index  p-value    level",
        ]
        for test in self.tests:
            index, star = test.significance.observed, "  *" if test.is_significant else ""
            numbers = f"{index:>13.3f}  {test.p_value:>7.2g}  {test.level:>7.2g}{star}"
            lines.append(f"{test.node:>8}  {test.size:>8,}  {numbers}")
        return "\n".join(lines)


def node_significance(
    dendrogram: Dendrogram,
    X: MatrixLike,
    *,
    linkage: str = "ward",
    null: str | AnyFunction = "gaussian",
    alpha: float = 0.05,
    n_draws: int = 99,
    min_size: int = 10,
    random_state: RandomState = None,
    progress: ProgressOption = None,
) -> NodeTests:
    """Test the splits of a tree from its root down against one Gaussian, in the manner of SigClust.

    At each node the rows below it are taken for one Gaussian; draws of it are clustered by the same linkage
    and cut in two, and their cluster indices compared with that of the node. A node of m among n rows is held
    to the level alpha (m - 1) / (n - 1), which keeps the chance of any false split below alpha. Below a split
    that is not significant nothing is tested.

    Parameters
    ----------
    dendrogram : Dendrogram
        A binary tree of the rows.
    X : array-like of shape (n_leaves, n_features)
        The rows, with Euclidean distances.
    linkage : str, default="ward"
        The method that made the tree.
    null : str or callable, default="gaussian"
        As in `significance`.
    alpha : float, default=0.05
        Chance of any false split.
    n_draws : int, default=99
        Draws per node; p-values are those of the normal distribution with their mean and variance.
    min_size : int, default=10
        Smaller nodes are not tested.
    random_state : int, RandomState, Generator or None, default=None
        Same number, same answer, whatever the number of threads.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Examples
    --------
    >>> from coterie.tree import Dendrogram, linkage
    >>> rng = np.random.default_rng(1)
    >>> X = np.concatenate([rng.normal(at, 1, (30, 2)) for at in (0, 9, 18)])
    >>> tree = Dendrogram.from_linkage(linkage(X, "ward"))
    >>> node_significance(tree, X, random_state=0).n_clusters
    3
    """
    check_parameter(linkage, Choice(*METHODS), name="linkage", who=_WHO)
    check_parameter(alpha, Number(0, 1, open_below=True), name="alpha", who=_WHO)
    check_parameter(n_draws, Whole(2), name="n_draws", who=_WHO)
    check_parameter(min_size, Whole(4), name="min_size", who=_WHO)
    check_parameter(random_state, Seed(), name="random_state", who=_WHO)
    data = check_data(X, who=_WHO, min_rows=2)
    _check_tree(dendrogram, len(data))
    seed = check_seed(random_state)
    tests: list[NodeTest] = []
    labels = np.zeros(len(data), dtype=np.intp)
    waiting, whole = [dendrogram.root], []
    with track(progress, "chance: node") as tracker:
        while waiting:
            node = waiting.pop()
            rows = dendrogram.members(node)
            if len(rows) < min_size:
                whole.append(rows)
                continue
            level = alpha * (len(rows) - 1) / (len(data) - 1)
            found = _test(dendrogram, node, data, _Null(null, linkage, n_draws, shift_seed(seed, node)))
            tests.append(NodeTest(node, len(rows), found, level))
            tracker.report(len(tests))
            if tests[-1].is_significant:
                waiting.extend(int(child) for child in dendrogram.children(node)[::-1])
            else:
                whole.append(rows)
    for number, rows in enumerate(sorted(whole, key=lambda rows: int(rows.min()))):
        labels[rows] = number
    return NodeTests(tuple(tests), labels, alpha)


@dataclass(frozen=True)
class _Null:
    null: str | AnyFunction
    linkage: str
    n_draws: int
    seed: int


def _test(tree: Dendrogram, node: int, data: Data, chance: _Null) -> Significance:
    rows = tree.members(node)
    side = np.zeros(len(data), dtype=np.intp)
    side[tree.members(int(tree.children(node)[0]))] = 1
    part = np.ascontiguousarray(data[rows])
    observed = cluster_index(part, side[rows])
    if np.isnan(observed):
        return Significance("cluster index", "", "equal rows", observed, np.array([np.nan]), False)
    model: NullModel = fit_null(chance.null, part, who=_WHO)

    def play(rng: np.random.Generator) -> float:
        drawn = model.draw(rng)
        halves = Dendrogram.from_linkage(make_linkage(drawn, chance.linkage)).cut(n_clusters=2)
        return cluster_index(drawn, halves)

    with track(None, "") as silent:
        draws = run_all(play, chance.seed, chance.n_draws, n_rows=len(part), tracker=silent)
    return Significance("cluster index", model.name, model.words, observed, np.array(draws), False)


def _check_tree(tree: object, n_rows: int) -> None:
    if not isinstance(tree, Dendrogram):
        raise InvalidParameter(
            f"dendrogram of {_WHO} must be a Dendrogram, such as Dendrogram.from_linkage(Z) or "
            f"model.dendrogram_, got {type(tree).__name__}."
        )
    if tree.n_leaves != n_rows:
        raise InvalidData(
            f"X of {_WHO} must have a row for each of the {tree.n_leaves} leaves of the tree, got {n_rows}."
        )
    if not tree.is_binary:
        raise InvalidData(f"dendrogram of {_WHO} must be binary: use tree.binary().")


def _facts(test: NodeTest) -> JsonObject:
    return {
        "node": test.node,
        "size": test.size,
        "cluster_index": test.significance.observed,
        **facts_of(test, "p_value", "level", "is_significant"),
    }
