"""The sentences of a comparison of methods: why one won, why others lost."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie.pipeline.answer import Fact
from coterie.pipeline.candidates import Candidate
from coterie.pipeline.choose_method import _best_of_each_k, _verdict
from coterie.pipeline.compare_methods import compare_methods
from coterie.pipeline.judge.density_valleys import ENOUGH, Separation
from coterie.pipeline.reasons import NATS, complexity, explain, why_none, why_number
from coterie.pipeline.ties import settle_ties

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
            "slightly better separated, but the winner is the simpler model",
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


METHODS = ("kmeans", "mixture", "agglomerative", "genie", "modes", "hdbscan")
ROWS = np.random.default_rng(0).normal(size=(60, 2))
ARE_CLOUDS = SimpleNamespace(X=ROWS, are_clouds=lambda labels: labels.min() >= 0)


@st.composite
def comparisons(draw):
    """Return random candidates, best first: some alike, some with noise, some with borders in doubt."""
    found = []
    for _ in range(draw(st.integers(1, 12))):
        k = draw(st.integers(2, 5))
        rng = np.random.default_rng(draw(st.integers(0, 3)))
        labels = np.sort(np.arange(60) % k)  # nested only where one number divides the other
        labels = np.roll(labels, int(rng.integers(4)))
        labels = np.where(rng.random(60) < draw(st.sampled_from([0.0, 0.0, 0.1])), -1, labels)
        values = st.sampled_from([-1.0, -0.1, 0.05, 0.3, 1.0, 2.0, 2.9, 3.0, 4.0])
        evidence = np.sort(draw(st.lists(values, min_size=k - 1, max_size=k - 1)))
        score = float(np.where(evidence < 0, 2 * evidence, np.minimum(evidence, ENOUGH)).sum())
        crossing = draw(st.sampled_from([0.0, 0.01, 0.02, 0.1]))
        candidate = Candidate(draw(st.sampled_from(METHODS)), k, labels, {}, "", {})
        found.append((candidate, Separation(score, evidence, crossing)))
    return sorted(found, key=lambda one: -one[1].rank)


@settings(max_examples=300, deadline=None)
@given(comparisons(), st.booleans())
def test_reasons_are_true_of_the_comparison_that_decided(judged, are_clouds):
    """Law: whatever is compared, each claim of a reason holds of the figures of the two, or of the best."""
    ranks = {1: 0.0}
    for candidate, separation in judged:
        ranks.setdefault(candidate.k, separation.rank)
    settle_ties(judged, ARE_CLOUDS if are_clouds else None)
    best = judged[0]
    for at, pair in enumerate(judged):
        reason = explain(pair, best, is_best=at == 0, ranks=ranks).reason
        check_claims(reason, pair, best, ranks)
    check_number(why_number(best[0].k, _best_of_each_k(judged), ranks), judged, ranks)


def check_claims(reason, pair, best, ranks):
    """Compare each claim of a reason with the figures."""
    (candidate, own), (winner, other) = pair, best
    n_weak = int((own.evidence <= 0).sum())
    lead, same_k = other.rank - own.rank, candidate.k == winner.k
    claims = {
        r"^(its border|both borders|all \d+ borders) (is|are) significant$": n_weak == 0,
        r"not significant|(neither|none) of its": n_weak > 0 and (pair is best or (other.evidence > 0).all()),
        "^slightly better separated": -max(own.error, other.error) <= lead < 0,
        "^better separated": lead < 0 and same_k,
        "less likely as": own.likelihood < other.likelihood - NATS,
        "are as good": lead < 0 and own.rank <= ranks[winner.k],
        "simpler model$": same_k and complexity(winner) < complexity(candidate),
        "more nearest-neighbour pairs": own.crossing > other.crossing,
        "left out as noise": (candidate.labels < 0).any() and not (winner.labels < 0).any(),
        r"outweigh \d+ groups": (other.evidence > 0).all() and candidate.k < winner.k,
        "it joins rows": candidate.k > winner.k and other.evidence.min() >= ENOUGH,
        "^separates the groups less clearly than the winner": own.score < other.score,
        "less clearly than the best split": own.rank <= ranks[winner.k],
        "^hardly better": own.rank > ranks[winner.k],
        "^close|^as good|^separates as well": own.score >= other.score - 0.5,
        "% of nearest-neighbour pairs": own.crossing > other.crossing,
        "slightly clearer": own.score < other.score,
        "^as good|^separates as well": 0 <= lead <= 0.1,
    }
    told = [holds for words, holds in claims.items() if re.search(words, reason)]
    assert told, reason
    assert all(told), (reason, own, other)


def check_number(reason, judged, ranks):
    """Compare what is said of the number of groups with the best of each number."""
    best = _best_of_each_k(judged)
    k = judged[0][0].k
    own = best[k][1]
    others = {n: separation for n, (_, separation) in best.items() if n != k}
    named = re.match(r"k = (\d+)", reason)
    if not named:
        assert all(own.score > other.score for other in others.values()), reason
        return
    n = int(named[1])
    other, noise = others[n], best[n][0].labels < 0
    claims = {
        "hardly better": 0 < other.rank - ranks[k] <= max(own.error, other.error) + 1e-9,
        "not better": own.rank < other.rank <= ranks[k],
        "as noise": noise.any() and not (judged[0][0].labels < 0).any(),
        r"all borders of \d+ groups are significant": (own.evidence > 0).all() and n < k,
        "not all of its borders": (other.evidence <= 0).any(),
        "joins rows": n > k and own.evidence.min() >= ENOUGH,
        "as well": own.rank >= other.rank and other.score >= own.score,
        "cut more": other.crossing > own.crossing,
    }
    told = [holds for words, holds in claims.items() if re.search(words, reason)]
    assert told, reason
    assert all(told), (reason, own, other)


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
