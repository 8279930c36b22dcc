"""All external measures side by side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import _core, evaluate
from coterie.errors import InvalidParameter
from coterie.evaluate import compare, find_measure, measures
from external_oracles import two_labelings


@given(two_labelings(labels=st.integers(-1, 5)), st.sampled_from(["cluster", "exclude", "singletons"]))
def test_every_value_is_that_of_its_function(labelings, noise):
    """Law: the table holds what each function gives by itself, under every policy."""
    comparison = compare(*labelings, noise=noise)
    assert list(comparison) == [chosen.name for chosen in measures("labelings")]
    for name, value in comparison.items():
        assert getattr(evaluate, name)(*labelings, noise=noise) == pytest.approx(
            value, nan_ok=True, abs=1e-14
        ), name


def test_labels_are_counted_once(monkeypatch):
    """Law: one pass over the labels serves all measures."""
    calls = []
    count_pairs = _core.count_pairs
    monkeypatch.setattr(_core, "count_pairs", lambda *a, **k: calls.append(1) or count_pairs(*a, **k))
    compare(np.arange(100) % 7, np.arange(100) % 5)
    assert len(calls) == 1


def test_forms():
    """Law: a comparison is a mapping, a dict, a DataFrame, text and HTML."""
    comparison = compare([0, 0, 1, 1], ["a", "a", "b", "c"])
    assert (
        comparison["ARI"] == comparison["adjusted_rand_score"] == comparison.to_dict()["adjusted_rand_score"]
    )
    frame = comparison.to_frame()
    assert frame.loc["adjusted_rand_score", "value"] == comparison["ARI"]
    assert frame.loc["variation_of_information", "better"] == "lower"
    text = repr(comparison)
    assert text.startswith("4 samples, 2 classes, 3 clusters\n")
    assert all(name in text and name in comparison._repr_html_() for name in comparison)
    assert comparison.pair_counts.tp == 1
    assert comparison.clusters.to_dict().keys() == {"a", "b", "c"}


def test_some_measures():
    """Law: measures are chosen by name or symbol, one or several, in the order given."""
    assert list(compare([0, 1], [0, 1], measures=["VI", "rand_score"])) == [
        "variation_of_information",
        "rand_score",
    ]
    assert list(compare([0, 1], [0, 1], measures="NMI")) == ["normalized_mutual_info_score"]
    with pytest.raises(InvalidParameter, match=r'no such measure "rand_scor"\. Did you mean "rand_score"\?'):
        compare([0, 1], [0, 1], measures=["rand_scor"])
    with pytest.raises(InvalidParameter, match="got soft_rand_score, which needs memberships"):
        compare([0, 1], [0, 1], measures=["soft_rand_score"])


def test_unknown_names_in_a_comparison():
    """Law: a comparison answers a slip with the nearest name."""
    with pytest.raises(InvalidParameter, match=r'no such measure "purty"\. Did you mean "purity"\?'):
        find_measure("purty")
