"""What a report says: true, within bounds, and plain enough for JSON."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_iris, make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, silhouette_samples
from sklearn.preprocessing import StandardScaler

from coterie.cluster import AgglomerativeClustering
from coterie.evaluate import Significance
from coterie.pipeline.other_numbers import cuts_of
from coterie.pipeline.partition import Partition, RowSilhouettes
from coterie.show.layout.planes import principal_plane
from coterie.show.report import build_facts
from coterie.show.report.drawings import THINNEST, histogram
from coterie.show.report.evidence import _called, chance_facts, evidence_facts, stability_facts
from coterie.show.report.facts import ChanceFacts
from coterie.show.report.labelings import _three_digits, map_finding, stops
from coterie.show.report.numbers import plain
from coterie.show.report.page_budget import USUAL, draw_rows
from report_subjects import iris_subject, make_subject


@pytest.fixture(scope="module")
def iris():
    return iris_subject()


@pytest.fixture(scope="module")
def facts(iris):
    return build_facts(iris)


def test_facts_are_json(facts):
    """Law: all facts are plain values, without NaN."""
    again = json.loads(json.dumps(facts.to_dict(), allow_nan=False))
    assert again["labelings"][again["chosen"]]["k"] == 3


def test_components_keep_the_known_share(iris, facts):
    """Law: two components keep 95.81 % of standardised iris, and their coordinates are scikit-learn's."""
    pca = PCA(2).fit(StandardScaler().fit_transform(load_iris().data))
    assert "95.8 %" in facts.maps[0].caption
    plane, shares, is_whole = principal_plane(iris.at_hand.points, np.arange(150))
    assert is_whole
    np.testing.assert_allclose(shares, pca.explained_variance_ratio_)
    theirs = pca.transform(iris.at_hand.points)
    np.testing.assert_allclose(np.abs(plane), np.abs(theirs), atol=1e-8)


def test_silhouettes_are_scikit_learns(iris, facts):
    """Law: the silhouettes on the page are those of the rows, to two digits."""
    theirs = silhouette_samples(iris.at_hand.points, iris.labels)
    np.testing.assert_allclose(facts.labelings[facts.chosen].silhouettes, theirs, atol=0.0051)


def test_truth_table_counts_every_row(iris, facts):
    """Law: classes by groups add up to all rows; the adjusted Rand index is scikit-learn's."""
    table = facts.labelings[facts.chosen].truth
    assert sum(map(sum, table.counts)) == 150
    assert table.measures[0][1] == pytest.approx(adjusted_rand_score(iris.at_hand.classes, iris.labels))
    assert "mixes" in table.finding


def test_classes_that_are_numbers_are_called_classes():
    """Law: the name of a class that is a number is not read as a count."""
    assert [_called(name) for name in ("0", "-1.5", "setosa", "")] == ["class 0", "class -1.5", "setosa", ""]


def test_every_stop_groups_all_rows(iris, facts):
    """Law: the slider has a stop per labeling, by number of groups; sizes add up to all rows."""
    assert [labeling.k for labeling in facts.labelings] == [2, 3, 4, 5, 6]
    for labeling in facts.labelings:
        assert sum(labeling.sizes) == 150
        assert len(set(labeling.colors)) == labeling.k


def test_colours_follow_the_rows():
    """Law: a group that stays keeps its colour; one that is split gives it to its larger part."""
    three = np.repeat([0, 1, 2], [50, 40, 30])
    four = np.array([3] * 35 + [1] * 15 + [0] * 40 + [2] * 30)
    subject = make_subject(np.arange(120.0)[:, None], ["x"], three, labelings={4: four})
    found, chosen = stops(subject)
    assert chosen == 0
    assert found[1].colors == (1, 3, 2, 0)


def test_cards_name_what_sets_groups_apart(facts):
    """Law: a card has the size, differences, typical and borderline rows, and the stability of its group."""
    card = facts.labelings[facts.chosen].cards[0]
    assert card.size == facts.labelings[facts.chosen].sizes[0]
    assert card.apart[0].difference == pytest.approx(max((one.difference for one in card.apart), key=abs))
    assert len(card.typical) == len(card.borderline) == 3
    assert (card.stability, card.verdict) == (0.95, "strong")
    other = facts.labelings[0].cards[0]
    assert other.stability is None  # stability was computed for the answer only


def test_most_groups_may_stand_apart():
    """Law: where no groups touch, the title counts those that stand apart, if they are most of them."""
    labels, neighbours = np.repeat([0, 1, 2], 10), np.repeat([1, 0, 1], 10)
    two = RowSilhouettes(labels, np.repeat([0.9, 0.8, 0.5], 10), neighbours)
    assert map_finding(two, 3) == "2 of 3 groups stand apart"
    one = RowSilhouettes(labels, np.repeat([0.9, 0.4, 0.5], 10), neighbours)
    assert map_finding(one, 3) == "The groups lie side by side"


def test_columns_that_tell_most_come_first(facts):
    """Law: the table of columns begins with the one that its title names."""
    for labeling in facts.labelings:
        assert labeling.contrast.finding.startswith(labeling.contrast.columns[0])


def test_findings_are_sentences(facts):
    """Law: titles say what the pictures show."""
    chosen = facts.labelings[facts.chosen]
    assert "stands apart" in chosen.map_finding
    assert "overlaps" in chosen.silhouette_finding
    assert facts.evidence.finding == "The one criterion that chooses says k = 3"
    assert facts.stability.finding == "Group 3 is not stable (0.60); the others are"
    assert facts.chance.finding == (
        "Gaussian null rejected (Monte Carlo p = 0.005, the smallest possible with 199 draws)"
    )
    assert chosen.contrast.finding.startswith("petal length (cm) tells the groups apart best")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({3: 1}, "The one criterion that chooses says k = 3"),
        ({3: 2}, "Both criteria that choose say k = 3"),
        ({3: 4}, "All 4 criteria that choose say k = 3"),
        ({3: 1, 2: 1}, "1 of 2 criteria says k = 3, the other k = 2"),
        ({3: 3, 2: 2}, "3 of 5 criteria say k = 3, the other 2 k = 2"),
    ],
)
def test_criteria_are_counted_in_words(chosen, words):
    """Law: agreement is said in good English; bars and words count the criteria that are listed."""
    curves = [curve_of(f"c{at}", k) for at, k in enumerate([k for k, n in chosen.items() for _ in range(n)])]
    verdict = SimpleNamespace(votes={3: 16, 2: 1}, reasons=(), disagreements=())
    facts = evidence_facts(SimpleNamespace(k=3, ks=(2, 3), curves=curves, verdict=verdict))
    assert facts.finding == words
    assert [height for height, _ in facts.bars] == [chosen.get(2, 0), chosen[3]]
    assert sum(height for height, _ in facts.bars) == len(facts.curves)


def curve_of(name, choice, values=(0.0, 1.0)):
    """Return a criterion over two numbers of groups."""
    return SimpleNamespace(name=name, title=name, values=values, errors=None, choice=choice, reason="")


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        (3, "Separation decides for k = 3; silhouette agrees"),
        (2, "Separation decides for k = 3; silhouette prefers k = 2"),
    ],
)
def test_the_judge_is_not_a_vote(choice, words):
    """Law: where methods were compared, the page says what decided and whether the silhouette agrees."""
    curves = [
        curve_of("separation", 3, (-1.0, 12.0)),
        curve_of("crossing", None),
        curve_of("silhouette", choice),
    ]
    verdict = SimpleNamespace(votes={}, reasons=(), disagreements=())
    facts = evidence_facts(SimpleNamespace(k=3, ks=(2, 3), curves=curves, verdict=verdict))
    assert facts.finding == words
    assert facts.bars == ((0.0, "separation −1"), (12.0, "separation 12"))


def test_draws_that_are_all_alike_are_numbers():
    """Law: where every draw has one value, the page gives it instead of a histogram of one bar."""
    draws = np.full(39, -3.0)
    facts = chance_facts(Significance("separation", "gaussian", "one Gaussian", -2.0, draws, True))
    assert (facts.counts, facts.edges, facts.n_draws) == ((), (-3.0,), 39)


def test_the_winner_is_the_first_of_those_compared(facts):
    """Law: the table of runners-up begins with what they lost to."""
    assert [(one.method, one.is_winner) for one in facts.runners_up] == [
        ("k-means", True),
        ("Gaussian mixture", False),
    ]


def test_a_silhouette_below_zero_stays_below():
    """Law: the page counts and selects the same rows below zero as the title does."""
    assert [_three_digits(value) for value in (-0.0001, 0.0001, -0.5, np.nan)] == [-0.001, 0.0, -0.5, None]


def test_bars_of_chance_can_be_seen():
    """Law: where chance is far from the data, its bars are joined to be seen, and no draw is lost."""
    edges, counts = tuple(np.linspace(0, 1, 25).tolist()), tuple(range(24))
    far = ChanceFacts("", "separation", "one Gaussian", 100.0, 0.01, edges, counts)
    bars = histogram(far).bars
    assert sum(bar.count for bar in bars) == sum(counts)
    assert len(histogram(replace(far, observed=1.0)).bars) == 23
    few = histogram(replace(far, observed=5.0)).bars
    assert min(bar.width for bar in few) >= THINNEST - 0.5


@pytest.mark.parametrize("observed", [100.0, -100.0])
def test_the_axis_of_chance_is_broken_where_the_data_are_far(observed):
    """Law: draws that would be one bar keep their shape; the gap lies between them and the data."""
    edges, counts = tuple(np.linspace(0, 1, 25).tolist()), (1,) * 24
    drawn = histogram(ChanceFacts("", "separation", "one Gaussian", observed, 0.01, edges, counts))
    ends = [drawn.bars[0].x, drawn.bars[-1].x + drawn.bars[-1].width]
    assert len(drawn.bars) == 24
    assert {said for _, said in drawn.ticks} == {"0", "1", plain(observed)}
    if observed > 0:
        assert ends[1] < drawn.gap < drawn.observed
    else:
        assert drawn.observed < drawn.gap < ends[0]
    near = ChanceFacts("", "separation", "one Gaussian", 3.0, 0.01, edges, counts)
    assert histogram(near).gap is None


def test_stability_of_all_good_groups():
    """Law: when every group is stable, the title says so and names the least stable."""
    found = SimpleNamespace(
        scheme="bootstrap", n_resamples=2, per_cluster=[0.9, 0.8], ranges=[(0.9, 0.9), None],
        overall=0.85, verdicts=("strong", "stable"),
    )  # fmt: skip
    assert stability_facts(found).finding == "Every group is stable; the least stable is group 2 (0.80)"
    found.per_cluster = [1.0, 0.999]
    assert stability_facts(found).finding == "Every group is stable: all resamples give the same rows"


def test_tree_is_cut_where_the_groups_are():
    """Law: the tree's chosen height lies between the merges that make the groups; leaves hold all rows."""
    subject = iris_subject(with_tree=True)
    tree = build_facts(subject).tree
    assert len(tree.names) == 150
    assert sum(reach > tree.chosen_height for reach in tree.reaches) == 2
    assert sorted(tree.leaf_of_row) == list(range(150))


def test_large_tree_becomes_its_upper_part():
    """Law: of a tree with many leaves the last merges are shown; its leaves count the rows below."""
    X, _ = make_blobs(600, centers=4, random_state=0)
    model = AgglomerativeClustering(4).fit(X)
    subject = make_subject(
        X, ["x", "y"], model.labels_, dendrogram=model.dendrogram_, labelings=cuts_of(model.dendrogram_)
    )
    tree = build_facts(subject).tree
    assert len(tree.names) == 200
    assert sum(tree.sizes[:200]) == 600
    assert tree.sizes[-1] == 600
    assert np.bincount(tree.leaf_of_row).tolist() == list(tree.sizes[:200])


def test_tree_with_inversions_keeps_its_heights():
    """Law: heights are drawn as they are; `reaches` never falls towards the root."""
    X, _ = make_blobs(60, centers=3, random_state=1)
    model = AgglomerativeClustering(3, linkage="centroid").fit(X)
    subject = make_subject(X, ["x", "y"], model.labels_, dendrogram=model.dendrogram_)
    tree = build_facts(subject).tree
    np.testing.assert_allclose(tree.heights, model.dendrogram_.heights, rtol=1e-5)
    for inner, children in enumerate(tree.children):
        for child in children:
            if child >= len(tree.names):
                assert tree.reaches[child - len(tree.names)] <= tree.reaches[inner]


def test_sample_holds_a_share_of_every_group():
    """Law: of many rows a bounded sample is held; small groups and named rows are in it."""
    labels = np.repeat([0, 1, -1], [300_000, 30, 5_000])
    places = draw_rows(labels, 0, must=[17])
    assert len(places) <= USUAL.rows
    assert (labels[places] == 1).sum() >= 20
    assert 17 in places
    assert np.array_equal(places, draw_rows(labels, 0, must=[17]))


def test_sample_of_very_many_groups_is_still_bounded():
    """Law: the bound holds for any number of groups."""
    labels = np.arange(50_000) // 2
    assert len(draw_rows(labels, 0)) <= USUAL.rows


def test_density_counts_all_rows():
    """Law: behind a sample stands the count of all rows."""
    X, labels = make_blobs(6_000, centers=3, n_features=2, random_state=0)
    facts = build_facts(make_subject(X, ["x", "y"], labels))
    assert not facts.sample.is_all
    assert sum(map(sum, facts.maps[0].density.counts)) >= 0.99 * 6_000
    assert "a sample of" in dict(facts.made.facts)["rows on this page"]


def test_wide_and_sparse_tables_are_looked_at_through_the_sample():
    """Law: columns beyond the page's room are counted; components come from the sample, which is said."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 40)
    dense = rng.poisson(0.3, size=(80, 1_200)) + 2.0 * labels[:, None] * (np.arange(1_200) < 9)
    columns = [f"word {at}" for at in range(1_200)]
    subject = make_subject(dense, columns, labels)
    rows = replace(subject.at_hand, X=csr_array(dense), points=csr_array(dense))
    facts = build_facts(replace(subject, partition=Partition(rows, labels)))
    assert len(facts.sample.columns) * 80 <= USUAL.cells
    assert facts.sample.n_hidden_columns == 1_200 - len(facts.sample.columns)
    assert "computed from 80 rows" in next(one for one in facts.maps if one.name == "PCA").caption
    assert facts.labelings[0].contrast is None  # numbered columns say nothing


@pytest.mark.parametrize("n_columns", [1, 2])
def test_one_or_two_columns_are_their_own_map(n_columns):
    """Law: tables of one or two columns are shown in their own units."""
    X, labels = make_blobs(50, centers=2, n_features=n_columns, random_state=0)
    facts = build_facts(make_subject(X, list("xy")[:n_columns], labels))
    assert facts.maps[0].x_title == "x"
    np.testing.assert_allclose(facts.maps[0].x, X[:, 0], atol=1e-3 * np.abs(X).max())


def test_no_groups_is_an_answer():
    """Law: one group has no silhouette, and the page says so."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    facts = build_facts(make_subject(X, "abc", np.zeros(40, dtype=int), headline="No groups"))
    assert facts.labelings[0].silhouettes is None
    assert facts.labelings[0].map_finding == "All rows, no groups among them"


def test_noise_is_counted_apart():
    """Law: noise is in no group, has no silhouette, and is counted."""
    X, labels = make_blobs(60, centers=2, random_state=0)
    labels[:5] = -1
    facts = build_facts(make_subject(X, "xy", labels))
    assert facts.labelings[0].n_noise == 5
    assert facts.labelings[0].silhouettes[:5] == (None,) * 5


def test_stops_have_a_bound():
    """Law: however many labelings there are, the cards of the page are bounded; the nearest stay."""
    labelings = {k: np.arange(600) % k for k in range(2, 200)}
    found, chosen = stops(make_subject(np.arange(600.0)[:, None], ["x"], labelings[50], labelings=labelings))
    assert sum(stop.k for stop in found) - 50 <= USUAL.cards
    assert found[chosen].k == 50
    assert {49, 51} <= {stop.k for stop in found}


def test_pixels_are_shown_as_pictures():
    """Law: columns that are the pixels of a square give typical rows a picture, and cards no columns."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 30)
    X = rng.random((60, 64)) + labels[:, None] * (np.arange(64) < 32)
    facts = build_facts(make_subject(X, [f"pixel{at}" for at in range(64)], labels))
    card = facts.labelings[facts.chosen].cards[0]
    assert card.apart == ()
    assert all(row.picture.startswith("data:image/png;base64,") for row in card.typical)
    assert facts.maps[0].name in ("neighbours", "t-SNE")  # of many columns before the components
    plain = build_facts(make_subject(X, [f"x{at}" for at in range(64)], labels))
    assert plain.labelings[plain.chosen].cards[0].typical[0].picture is None


def test_many_rows_are_placed_by_the_graph_of_near_rows(monkeypatch):
    """Law: where t-SNE would leave rows out, all rows of the page are placed, the same at every time."""
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 40)
    X = rng.normal(size=(120, 5)) + 6 * np.eye(3, 5)[labels]
    monkeypatch.setattr("coterie.show.layout.planes.MOST_TSNE_ROWS", 100)
    first, second = (build_facts(make_subject(X, list("abcde"), labels)).maps[1] for _ in range(2))
    assert first == second
    assert first.name == "neighbours"
    assert None not in first.x
    places = np.column_stack([first.x, first.y]).astype(float)
    apart = np.linalg.norm(places[:, None] - places, axis=-1)
    np.fill_diagonal(apart, np.inf)
    assert (labels[apart.argmin(axis=1)] == labels).mean() > 0.95
