"""The sentences of a comparison of methods: why one won, why others lost."""

from __future__ import annotations

import numpy as np
import pytest

from coterie.pipeline.answer import Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.choose_method import _verdict
from coterie.pipeline.compare_methods import compare_methods
from coterie.pipeline.judge.density_valleys import Separation
from coterie.pipeline.reasons import explain, why_none, why_number

LABELS = np.array([0, 1, 2])


def pair(method, evidence, crossing=0.0, score=None):
    candidate = Candidate(method, len(evidence) + 1, LABELS, {}, "", {})
    return candidate, Separation(sum(evidence) if score is None else score, np.array(evidence), crossing)


WINNER = pair("mixture", [2.0, 2.0])


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (pair("kmeans", [-0.5, 2.0, 2.0]), "1 of its 3 borders is not significant"),
        (pair("kmeans", [-0.5, -0.1, 2.0]), "2 of its 3 borders are not significant"),
        (pair("kmeans", [-0.5]), "its border is not significant"),
        (pair("kmeans", [-0.5, -0.1]), "neither of its borders is significant"),
        (pair("kmeans", [-0.5, -0.3, -0.1]), "none of its 3 borders is significant"),
        (pair("kmeans", [1.0, 1.0]), "separates the groups less clearly than the winner"),
        (pair("kmeans", [2.0, 2.0], 0.17), "close, but 17% of nearest-neighbour pairs cross its borders"),
        (pair("kmeans", [1.9, 1.9]), "close: the winner's borders are slightly clearer"),
        (pair("spectral", [2.0, 2.0]), "as good as the winner, which is the simpler model"),
        (pair("kmeans", [2.0, 2.0]), "separates as well as the winner"),
        (pair("spectral", [2.0, 1.0, 1.0]), "separates as well as the winner"),
        (
            pair("kmeans", [4.1]),
            "slightly better separated, but too little to outweigh 3 groups with significant borders",
        ),
        (
            pair("spectral", [2.0, 2.05]),
            "slightly better separated, but too little to outweigh the simpler model",
        ),
        (
            pair("spectral", [2.2, 2.2], 0.1),
            "slightly better separated, but more nearest-neighbour pairs cross its borders",
        ),
    ],
)
def test_losers_are_told_why(other, reason):
    """Law: the reason says what decided; a winner is called simpler only where it is."""
    assert explain(other, WINNER, is_best=False).reason == reason


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([], "the only number of groups that was compared"),
        ([pair("kmeans", [3.0])], "its groups are the best separated, compared with null data"),
        (
            [pair("kmeans", [4.2])],
            "k = 2 is hardly better separated, and all borders of 3 groups are significant",
        ),
        (
            [pair("kmeans", [4.2], 0.2)],
            "k = 2 separates as well, but its borders cut more nearest-neighbour pairs",
        ),
        ([pair("kmeans", [4.0])], "k = 2 is separated as well"),
    ],
)
def test_the_number_is_told_why(others, reason):
    """Law: groups are called the best separated only where no other number has a larger separation."""
    assert why_number(3, {one[0].k: one for one in [WINNER, *others]}) == reason


@pytest.mark.parametrize(
    ("k", "ranks", "told"),
    [
        (3, {1: 0.0, 3: 4.0}, ()),
        (3, {1: 0.0, 2: 3.8, 3: 4.0}, ("k = 2 is close",)),
        (3, {1: 0.0, 2: 3.8, 3: 4.0, 4: 4.1}, ("k = 2 and k = 4 are close",)),
        (2, {1: 0.0, 2: -1.5}, ("k = 1 would be better",)),
        (3, {1: 0.0, 2: -0.1, 3: -2.0, 4: -2.1}, ("k = 1 and k = 2 would be better", "k = 4 is close")),
        (1, {1: 0.0, 2: 0.3}, ("k = 2 is close",)),
    ],
)
def test_other_numbers_are_close_or_better(k, ranks, told):
    """Law: a number that is better separated by more than chance is not called close."""
    assert _verdict(k, ranks, (), "").disagreements == told


@pytest.mark.parametrize(
    ("evidence", "reason"),
    [
        ([2.0], "its border is significant"),
        ([2.0, 1.0], "both borders are significant"),
        ([2.0, 1.0, 1.0], "all 3 borders are significant"),
        ([-2.0, 1.0, 1.0], "1 of its 3 borders is not significant"),
    ],
)
def test_winners_are_told_why(evidence, reason):
    """Law: the winner is said to have significant borders, or how many are not."""
    won = pair("kmeans", evidence)
    assert explain(won, won, is_best=True).reason == reason


def test_no_groups_name_the_best_split():
    """Law: where there are no groups, the reason names the best split and the comparison that it lost."""
    named = "the best split (k-means, 3 groups)"
    hardly = "hardly better separated than null data: by less than half a standard error"
    crossed = "no better separated than null data, as 30% of nearest-neighbour pairs cross its borders"
    assert why_none([pair("kmeans", [-1.0, -1.0])]) == f"{named} is no better separated than null data"
    assert why_none([pair("kmeans", [-0.1, 3.0])]) == f"{named}: 1 of its 2 borders is not significant"
    assert why_none([pair("kmeans", [0.2, 0.2])]) == f"{named} is {hardly}"
    assert why_none([pair("kmeans", [0.2, 0.2], 0.3)]) == f"{named} is {crossed}"
    assert why_none([]) == "no method proposed a split"
    assert explain(pair("kmeans", [0.1]), None, is_best=False).reason == hardly
    assert explain(pair("kmeans", [0.1, 0.1], 0.3), None, is_best=False).reason == crossed


@pytest.mark.parametrize(
    ("ranks", "said"),
    [
        ({3: 2.0}, ()),
        ({3: 2.0, 2: 1.99}, ("k = 2 is close",)),
        ({3: 2.0, 2: 1.99, 1: 1.98}, ("k = 1 and k = 2 are close",)),
    ],
)
def test_numbers_that_are_close_share_a_sentence(ranks, said):
    """Law: all numbers of groups that come close are named in one sentence, in rising order."""
    assert _verdict(3, ranks, [], "").disagreements == said


def test_comparisons_say_which_method_is_best():
    """Law: the headline of a comparison is the number and the method, or that there are no groups."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(centre, 1, (60, 2)) for centre in ([0, 0], [9, 0], [0, 9])])
    found = compare_methods(X, "kmeans,modes", budget="fast")
    assert found.headline == "3 groups; best method: k-means"
    none = compare_methods(rng.normal(size=(200, 2)), "kmeans", budget="fast")
    assert none.headline == "no groups: no method separates the rows better than null data"


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (0.645095, 0.0029, "0.6451 ± 0.0029"),
        (1.0, 0.0, "1"),
        (0.8, None, "0.8"),
        (0.62, 0.031, "0.620 ± 0.031"),
        (float("nan"), 0.1, "nan"),
        (12345.6, 210.4, "12,350 ± 210"),
    ],
)
def test_values_and_errors_have_the_same_decimals(value, error, words):
    """Law: an error has two digits, its value as many decimals; an error of 0 is not written."""
    fact = Fact("silhouette", value, is_exact=False, error=error, how="a sample")
    assert str(fact) == f"silhouette {words} (estimated: a sample)"
