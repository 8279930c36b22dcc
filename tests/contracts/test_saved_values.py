"""Laws over the values that functions return: each can be saved, and comes back as it was."""

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.cluster import HDBSCAN, Birch, GaussianMixture, KMeans, leiden, suggest_eps
from coterie.data import (
    ColumnReading,
    LabelledData,
    LabelPair,
    Reading,
    as_table,
    fit_scaling,
    settle_missing,
)
from coterie.distance import (
    Clusters,
    NeighbourIndex,
    TableEncoding,
    find_distance,
    find_geometry,
    k_nearest,
    nearest,
    neighbour_graph,
    neighbours_within,
    spanning_tree,
)
from coterie.evaluate import (
    Consensus,
    cluster_precision,
    contingency_table,
    cut_curve,
    hopkins,
    match,
    node_significance,
    pair_counts,
    silhouette,
    stability,
)
from coterie.persist import registry
from coterie.pipeline import Recipe, fit_groups
from coterie.select import choose_k, compare_methods
from coterie.text import fit_texts
from coterie.tree import Dendrogram, linkage
from coterie.tree.comparing import fowlkes_mallows_curve

X = np.random.default_rng(0).normal(size=(60, 3)) + np.repeat([[0.0], [6.0], [12.0]], 20, axis=0)
LABELS = np.repeat([0, 1, 2], 20)
NAMES = np.repeat(["a", "b", "c"], 20)


def values():
    """Return a value of every class, by functions that give one where there are such."""
    tree = Dendrogram.from_linkage(linkage(X, "average"))
    history = KMeans(3, random_state=0, history=True).fit(X).history_
    mixture = GaussianMixture(2, random_state=0, history=True).fit(X).history_
    groups = fit_groups(as_table(pd.DataFrame(X, columns=["a", "b", "c"])), Recipe(n_clusters=3))
    tests = node_significance(tree, X, linkage="average", n_draws=19, random_state=0)
    evidence = choose_k(X, k=range(1, 5), criteria=["silhouette", "hartigan"], random_state=0)
    answer = coterie.fit(X, budget="fast", truth=LABELS)
    moved = match(NAMES, LABELS, X=X)
    texts = fit_texts(["ripe apples", "sweet pears", "old engine", "new brakes"] * 5, believe=False)
    table = as_table(pd.DataFrame({"a": X[:, 0], "b": np.arange(60) + 1000, "c": 1.0}))
    left_out = table.choose().left_out
    places = fit_groups(as_table(pd.DataFrame(X[:, :2], columns=["lat", "lon"])), Recipe(n_clusters=3))
    return [
        KMeans(3, random_state=0).partial_fit(X).features_,
        Birch().fit(X).tree_, HDBSCAN().fit(X).condensed_tree_, suggest_eps(X),
        history, history.picks[0], history.steps[-1], mixture, mixture.steps[0],
        texts, texts.encoder, leiden([(0, 1), (1, 2), (2, 3)]), coterie.fit(graph=[(0, 1), (1, 2), (2, 3)]),
        Clusters(X, LABELS, 3), find_distance("minkowski", p=3), find_distance("seuclidean").fit(X),
        TableEncoding.learn([[1.0, "a"], [2.0, None]]),
        find_geometry("manhattan"), nearest(X, X[:5]), k_nearest(X), neighbours_within(X), spanning_tree(X),
        neighbour_graph(X, 3), NeighbourIndex.fit(X, 3),
        Consensus(np.array([LABELS, LABELS - 2], dtype=np.int32)), cut_curve(tree, LABELS), hopkins(X),
        moved, moved.drift[0], tests, tests.tests[0], tests.tests[0].significance,
        stability(KMeans(3), X, n_resamples=3, random_state=0), cluster_precision(NAMES, LABELS),
        contingency_table(NAMES, LABELS), pair_counts(NAMES, LABELS), silhouette(X, NAMES),
        Reading("percent", "%"), ColumnReading(Reading("percent", "%"), ("-999",)),
        places, places.places[0], places.profile.positions[0],
        groups, groups.profile, groups.recipe, groups.profile.rules[0], groups.profile.rules[0].conditions[0],
        fit_scaling(X), table.choose(), left_out[0], settle_missing(X, ["a", "b", "c"]),
        LabelPair(NAMES, LABELS, "x", "y", "f", 0, (), "x"),
        LabelledData(X, NAMES, ("a", "b", "c"), left_out, "x", "f", "g", 0, ("note",)),
        answer, answer.runners_up[0], evidence, evidence.curves[0], evidence.verdict,
        coterie.select.Fact("silhouette", 0.5), compare_methods(X, methods=["kmeans"], k=3, truth=LABELS),
        fowlkes_mallows_curve(tree, Dendrogram.from_linkage(linkage(X, "single"))), tree,
    ]  # fmt: skip


@pytest.fixture(scope="module")
def examples():
    return values()


def test_every_class_has_an_example(examples):
    """Law: no class of values that may be saved is missing here."""
    kinds = {kind for kind in registry.savable_classes().values() if not registry.is_estimator(kind)}
    assert {type(value) for value in examples} == kinds


def test_values_are_saved_and_loaded(examples, tmp_path):
    """Law: a value that is loaded shows itself as the one that was saved, to the last number."""
    for value in examples:
        coterie.save(value, tmp_path / "m", force=True)
        loaded = coterie.load(tmp_path / "m")
        assert type(loaded) is type(value)
        assert shown(loaded) == shown(value)
        if hasattr(value, "to_dict"):
            assert shown(loaded.to_dict()) == shown(value.to_dict())


def shown(value):
    return repr(value).replace(", dtype=int64", "")  # int64 has two names in C
