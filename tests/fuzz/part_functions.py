"""Public functions: distances, measures, the choice of k, `coterie.fit`, scalings."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
import pandas
from threadpoolctl import threadpool_limits

import coterie
from coterie import cluster, distance, evaluate, label, prepare, read, select
from tests.fuzz.case import Case, Draw, expect
from tests.fuzz.checks import arrays_of, check_same
from tests.fuzz.parameters import draw_parameter
from tests.fuzz.values import Rows, draw_labels, draw_rows, draw_square, draw_weights, draw_wild

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]
LABEL_MEASURES = [m.function for m in evaluate.measures() if m.needs == "labelings"]
DATA_MEASURES = [m.function for m in evaluate.measures() if m.needs == "data"]
SOFT_MEASURES = [m.function for m in evaluate.measures() if m.needs == "memberships"]
MORE_OF_LABELS = [
    evaluate.compare,
    evaluate.contingency_matrix,
    evaluate.contingency_table,
    evaluate.pair_confusion_matrix,
    evaluate.pair_counts,
    evaluate.homogeneity_completeness_v_measure,
    evaluate.cluster_f,
    evaluate.cluster_precision,
    evaluate.match,
]
MORE_OF_DATA = [
    evaluate.silhouette,
    evaluate.silhouette_samples,
    evaluate.dispersions,
    evaluate.assess,
    evaluate.wcss,
    evaluate.anomaly_scores,
    label.propagate_labels,
]


def run(case: Case) -> None:
    """Call one function with two threads and with one: the same answer, no NaN where none belongs."""
    draw = case.draw
    function, arguments, options, words = draw.choice(FAMILIES)(draw)
    words = f"{function.__name__}({words}, {_shown(options)})"
    answer = case.attempt(words, lambda: _called(function, arguments, options, 2))
    _check(function.__name__, answer, options, words)
    again = case.attempt(words, lambda: _called(function, arguments, options, 1))
    check_same(answer, again, f"{function.__name__}: another answer with one thread")
    case.attempt(f"repr of {words}", lambda: (repr(answer), str(answer)))


def _called(function: Callable[..., Any], arguments: Any, options: Any, threads: int) -> Any:
    with threadpool_limits(threads, user_api="openmp"):
        return function(*arguments, **options)


def _check(name: str, answer: Any, options: dict[str, Any], words: str) -> None:
    measure = {m.name: m for m in evaluate.measures()}.get(name)
    if measure is not None:
        value = float(answer)
        # the range of modularity is that of resolution 1; the squared shares that it weighs are at most 1
        low = measure.low - max(0.0, options.get("resolution", 1.0) - 1.0)
        is_in = low - 1e-9 <= value <= measure.high + 1e-9
        expect(is_in, f"{name}: a value outside of its range", f"{value} {words}")
    elif name == "silhouette_samples":  # by contract NaN where a sample is left out: weight 0, or noise
        weights = options.get("sample_weight")
        counts = np.ones(len(answer), dtype=bool) if weights is None else np.asarray(weights, float) > 0
        is_whole = options.get("noise") == "exclude" or not np.isnan(answer[counts]).any()
        expect(is_whole, f"{name}: NaN in its answer", f"{answer!r}"[:500])
    elif name in NEVER_MISSING:
        for place, numbers in arrays_of("answer", answer):
            is_nan = numbers.dtype.kind == "f" and np.isnan(numbers).any()
            expect(not is_nan, f"{name}: NaN in its answer", f"{place} {numbers!r}"[:500])


NEVER_MISSING = frozenset(
    {"pairwise_distances", "k_nearest", "nearest", "neighbours_within", "spanning_tree"}
    | {
        "neighbour_graph",
        "lay_out_graph",
        "k_means",
        "kmeans_plusplus",
        "fit_scaling",
        "suggest_eps",
        "dbscan",
        "check_distance_matrix",
    }
)


def _distances(draw: Draw) -> Call:
    d = draw.choice([1, 2, 3, 8, 33])
    rows = draw_rows(draw, d=d)
    metric = draw_parameter(draw, "metric", None, *rows.shape)
    options: dict[str, Any] = {"metric": metric}
    if draw.chance(0.2):
        options |= {
            key: v for key, v in (draw_parameter(draw, "metric_params", None, 1, d) or {}).items() if key != 3
        }
    if draw.chance(0.4):
        options["n_jobs"] = draw.choice([1, 2, -1, None, 0, draw_wild(draw)])
    name = draw.choice(["pairwise_distances", "k_nearest", "nearest", "neighbours_within", "spanning_tree"])
    arguments, words = [rows.value], rows.words
    if name == "nearest" or (name != "spanning_tree" and draw.chance(0.4)):
        other = draw_rows(draw, d=d if draw.chance(0.95) else d + 1, hostile=0.2)
        arguments, words = [*arguments, other.value], f"{words}, {other.words}"
    elif name == "pairwise_distances" and draw.chance(0.2):
        options["condensed"] = True
    if name == "k_nearest":
        options["n_neighbors"] = draw.choice([1, 2, 5, rows.shape[0], 0, 2**63, draw_wild(draw)])
        if draw.chance(0.3):
            options["algorithm"] = draw.choice(["auto", "tiles", "kd_tree", "nothing"])
        if draw.chance(0.3):
            options["recall"] = draw.choice([0.9, 0.99, 1.0, 0.0, 1.5, np.nan, draw_wild(draw)])
    if name == "neighbours_within":
        options["radius"] = draw.choice([0.5, 1.0, 0.0, 1e308, np.inf, -1.0, np.nan, draw_wild(draw)])
    if name == "spanning_tree" and draw.chance(0.3):
        options["core_distances"] = draw_weights(draw, rows.shape[0])[0]
    if name == "spanning_tree" and draw.chance(0.2):
        options["alpha"] = draw.choice([0.5, 2.0, 1e-300, 1e308, 0.0, -1.0, np.nan, draw_wild(draw)])
    return getattr(distance, name), tuple(arguments), options, words


def _neighbour_graph(draw: Draw) -> Call:
    rows = draw_rows(draw)
    options: dict[str, Any] = {"n_neighbors": draw.choice([1, 2, 5, 15, rows.shape[0], draw_wild(draw)])}
    if draw.chance(0.7):
        options["metric"] = draw_parameter(draw, "metric", None, *rows.shape)
    if draw.chance(0.5):
        options["weights"] = draw.choice(["fuzzy", "gaussian", "plain", draw_wild(draw)])
    if draw.chance(0.2):
        options["recall"] = draw.choice([0.9, 1.0, 0.0, np.nan, draw_wild(draw)])
    return distance.neighbour_graph, (rows.value,), options, rows.words


def _layout(draw: Draw) -> Call:
    n = draw.choice([1, 2, 3, 13, 40])
    graph = draw_square(draw, n)
    value, words = graph.value, graph.words
    if draw.chance(0.6):
        X = np.round(draw.random.normal(size=(n + 1, 2)), draw.choice([0, 5]))
        value, words = distance.neighbour_graph(X, min(5, n)).weights, f"a neighbour graph of {n + 1} rows"
    options: dict[str, Any] = {"n_epochs": draw.choice([0, 1, 5, 30])}
    if draw.chance(0.4):
        options["n_components"] = draw.choice([1, 2, 3, 8, 9, draw_wild(draw)])
    if draw.chance(0.3):
        options["start"] = draw_rows(draw, d=draw.choice([2, 2, 1, 3])).value
    if draw.chance(0.3):
        options["random_state"] = wild_seed(draw)
    return cluster.lay_out_graph, (value,), options, words


def _rows_to_label(draw: Draw) -> Call:
    rows = draw_rows(draw)
    options: dict[str, Any] = {"random_state": wild_seed(draw) if draw.chance(0.2) else 0}
    if draw.chance(0.8):
        options["strategy"] = draw.choice([*label.STRATEGIES, draw_wild(draw)])
    if draw.chance(0.3):
        options["labelled"] = draw.choice([[0], [], [0, 1], [-1], np.arange(rows.shape[0]), draw_wild(draw)])
    if draw.chance(0.2):
        options["memberships"] = draw_rows(draw, d=3).value
    n = draw.choice([1, 2, 3, rows.shape[0], 0, draw_wild(draw)])
    return label.select_to_label, (rows.value, n), options, f"{rows.words}, {n!r}"


def _matrices(draw: Draw) -> Call:
    square = draw_square(draw)
    function = draw.choice(
        [distance.check_distance_matrix, distance.check_similarity_matrix, cluster.spectral_clustering]
    )
    options = (
        {}
        if function is not cluster.spectral_clustering
        else {"n_clusters": draw.whole(1, 4), "random_state": 0}
    )
    return function, (square.value,), options, square.words


def _labelings(draw: Draw) -> Call:
    n = draw.choice([0, 1, 2, 5, 20, 200])
    first, second = draw_labels(draw, n), draw_labels(draw, n)
    function = draw.choice([*LABEL_MEASURES, *MORE_OF_LABELS])
    known = signature(function).parameters
    options: dict[str, Any] = {}
    if "noise" in known and draw.chance(0.4):
        options["noise"] = draw.choice(["cluster", "exclude", "singletons", draw_wild(draw)])
    if "beta" in known and draw.chance(0.4):
        options["beta"] = draw.choice([1.0, 0.5, 2.0, 0.0, 1e308, -1.0, np.nan, draw_wild(draw)])
    if "average" in known and draw.chance(0.4):
        options["average"] = draw.choice(["macro", "weighted", "micro", draw_wild(draw)])
    if "average_method" in known and draw.chance(0.4):
        options["average_method"] = draw.choice(["min", "geometric", "arithmetic", "max", draw_wild(draw)])
    return function, (first[0], second[0]), options, f"{first[1]}, {second[1]} of {n}"


def _data_and_labels(draw: Draw) -> Call:
    is_square = draw.chance(0.15)
    rows = draw_square(draw) if is_square else draw_rows(draw)
    labels = draw_labels(draw, rows.shape[0])
    function = draw.choice([*DATA_MEASURES, *MORE_OF_DATA])
    known = signature(function).parameters
    options: dict[str, Any] = {}
    if "metric" in known and (draw.chance(0.5) or is_square):
        options["metric"] = "precomputed" if is_square else draw_parameter(draw, "metric", None, *rows.shape)
    if "noise" in known and draw.chance(0.3):
        options["noise"] = draw.choice(["cluster", "exclude", "singletons", draw_wild(draw)])
    if "sample_weight" in known:
        weights = draw_weights(draw, rows.shape[0])[0]
        options |= {} if weights is None else {"sample_weight": weights}
    if "sample_size" in known and draw.chance(0.3):
        options["sample_size"] = draw.choice([2, 5, 10, rows.shape[0], 0, 10**9, draw_wild(draw)])
    if "random_state" in known:
        options["random_state"] = 0
    for name, choices in CHOICES.items():
        if name in known and draw.chance(0.4):
            options[name] = draw.choice(choices)
    return function, (rows.value, labels[0]), options, f"{rows.words}, {labels[1]}"


CHOICES = {
    "dispersion": ["mean_to_centroid", "sse", "diameter", "nothing"],
    "representative": ["centroid", "medoid", "nothing"],
    "between": ["min", "max", "mean", "centroid", "nothing"],
    "within": ["diameter", "mean", "centroid", "nothing"],
    "kind": ["sse", "mean_to_centroid", "diameter", "nothing"],
    "sample": ["random", "all", "nothing"],
    "how": ["centre", "local", "nothing"],
    "n_neighbors": [1, 5, 20, 0, 2**63],
    "share": [0.5, 1.0, 0.0, np.nan],
    "alpha": [0.5, 0.99, 0.0, 1.0, np.nan],
}


def _memberships(draw: Draw) -> Call:
    n = draw.choice([0, 1, 5, 30])
    shares = [draw.random.dirichlet(np.ones(draw.whole(1, 4)), n) for _ in range(2)]
    if draw.chance(0.3) and n:
        shares[0][0, 0] = draw.choice([np.nan, 2.0, -1.0, 1e308, np.inf])
    return draw.choice(SOFT_MEASURES), tuple(shares), {}, f"shares of {n} rows"


def _centers(draw: Draw) -> Call:
    first, second = (draw_rows(draw, d=3, hostile=0.2) for _ in range(2))
    return (
        evaluate.centroid_index_of_centers,
        (first.value, second.value),
        {},
        f"{first.words}, {second.words}",
    )


def _graph(draw: Draw) -> Call:
    graph = draw_square(draw)
    labels = draw_labels(draw, graph.shape[0])
    options = {"resolution": draw.choice([1.0, 0.0, 5.0, -1.0, np.nan])} if draw.chance(0.3) else {}
    return evaluate.modularity, (graph.value, labels[0]), options, f"{graph.words}, {labels[1]}"


def _communities(draw: Draw) -> Call:
    graph = draw_square(draw)
    names = ["resolution", "objective", "directed", "theta", "n_iterations", "random_state"]
    given = [name for name in names if draw.chance(0.2)]
    rules = cluster.Leiden._constraints
    options = {
        name: draw_wild(draw) if draw.chance(0.2) else draw_parameter(draw, name, rules[name], 12, 2)
        for name in given
    }
    if draw.chance(0.4):
        n_edges = draw.whole(0, 40)
        ends = [(draw.whole(0, 12), draw.whole(0, 12)) for _ in range(n_edges)]
        edges: Any = [(*pair, draw.choice([1.0, 2.5, 0.0, 1e300, 1e-300])) for pair in ends]
        return cluster.leiden, (edges,), options, f"edges {edges!r}"[:300]
    return cluster.leiden, (graph.value,), options, graph.words


def _belief(draw: Draw) -> Call:
    rows = draw_rows(draw, hostile=0.25)
    model = cluster.KMeans(draw.choice([1, 2, 3, 50]), random_state=0)
    name = draw.choice(["hopkins", "stability", "significance", "consensus_matrix", "split_significance"])
    options: dict[str, Any] = {"random_state": 0}
    if name == "hopkins":
        options["n_probes"] = draw.choice([None, 1, 5, 10**9])
        return evaluate.hopkins, (rows.value,), options, rows.words
    if name == "split_significance":
        labels = draw_labels(draw, rows.shape[0])
        options["n_draws"] = draw.choice([1, 5, 0])
        return evaluate.split_significance, (rows.value, labels[0]), options, f"{rows.words}, {labels[1]}"
    options["n_draws" if name == "significance" else "n_resamples"] = draw.choice([1, 3, 5, 0])
    if name == "stability":
        options["scheme"] = draw.choice(["bootstrap", "subsample", "noise", "nothing"])
    return getattr(evaluate, name), (model, rows.value), options, f"{model}, {rows.words}"


def _choose(draw: Draw) -> Call:
    rows = draw_rows(draw, hostile=0.25)
    options = {
        "method": draw.choice(
            ["kmeans", "kmeans", "agglomerative", "mixture", "kmedoids", "dbscan", "nothing"]
        ),
        "k": draw.choice(
            [[2, 3], range(1, 4), [2], draw.choice([[0, 1], [3, 3], [10**9], "2..3", draw_wild(draw)])]
        ),
        "criteria": draw.some([c.name for c in select.criteria()], 3) or None,
        "random_state": 0,
        "n_draws": 3,
    }
    return select.choose_k, (rows.value,), options, rows.words


def _fit(draw: Draw) -> Call:
    rows = draw_rows(draw, hostile=0.25)
    methods = [method.name for method in cluster.methods()]
    options = {
        "method": draw.choice([*methods, *methods, "auto", "nothing"]),
        "k": draw_wild(draw) if draw.chance(0.1) else draw.choice([2, 3, 3, "2..4", 1, 0]),
        "scale": draw.choice(["auto", "auto", *prepare.SCALINGS, "nothing"]),
        "distance": draw.choice(["auto", "auto", "auto", *(one.name for one in distance.distances())]),
        "missing": draw.choice(["error", *read.MISSING_POLICIES]),
        "budget": draw.choice(["fast", "small", draw_wild(draw)]) if draw.chance(0.1) else "fast",
        "random_state": wild_seed(draw) if draw.chance(0.05) else 0,
    }
    value, words = (_table(draw, rows)) if draw.chance(0.5) else (rows.value, rows.words)
    return coterie.fit, (value,), options, words


def _fit_mixed(draw: Draw) -> Call:
    """Draw a table of categories and numbers with groups in it, which the pipeline takes all the way."""
    n = draw.choice([6, 13, 40, 90])
    group = draw.random.integers(0, draw.whole(1, 3), n)
    columns: dict[str, Any] = {}
    for at in range(draw.whole(1, 4)):
        noisy = np.where(draw.random.random(n) < 0.1, draw.random.integers(0, 3, n), group)
        kinds = {
            "numbers": group * 8.0 + draw.random.normal(size=n),
            "names": np.array(["red", "blue", "green"], dtype=object)[noisy],
            "ordered": pandas.Categorical.from_codes(noisy, ["low", "mid", "high"], ordered=True),
            "flags": noisy > 0,
            "rare": np.where(np.arange(n) == 1, "rare", "usual").astype(object),
            "huge": np.array([f"n{i}" for i in range(n)], dtype=object)[draw.random.permutation(n)],
            "large": group * 1e150,
        }
        kind = draw.choice(list(kinds))
        values = pandas.Series(kinds[kind])
        if draw.chance(0.3):
            values = values.mask(draw.random.random(n) < 0.2)
        columns[f"{kind}{at}"] = values
    options: dict[str, Any] = {"budget": "fast", "random_state": 0}
    if draw.chance(0.5):
        options["method"] = draw.choice(["auto", *(method.name for method in cluster.methods())])
    if draw.chance(0.6):
        options["k"] = draw.choice([1, 2, 3, "2..4", n])
    if draw.chance(0.5):
        options["missing"] = draw.choice(["error", *read.MISSING_POLICIES])
    if draw.chance(0.2):
        options["distance"] = draw.choice([one.name for one in distance.distances()])
    return coterie.fit, (pandas.DataFrame(columns),), options, f"a mixed frame of {n} rows: {list(columns)}"


def _fit_network(draw: Draw) -> Call:
    options: dict[str, Any] = {"budget": "fast", "random_state": 0}
    if draw.chance(0.2):
        options["k"] = draw.choice([1, 2, "2..3", draw_wild(draw)])
    if draw.chance(0.2):
        options["set"] = draw.choice([{"resolution": 2.0}, {"resolution": -1}, {"nothing": 1}, {"theta": 0}])
    if draw.chance(0.5):
        n = draw.choice([2, 5, 12, 30])
        edges = [
            (draw.whole(0, n), draw.whole(0, n), draw.choice([1.0, 1.0, 2.5, 0.0, 1e-300, 1e300, -1.0]))
            for _ in range(draw.whole(0, 60))
        ]
        names = draw.choice([["source", "target", "weight"], ["a", "b", "c"], ["from", "to", "weight"]])
        graph: Any = draw.choice([edges, pandas.DataFrame(edges, columns=names), np.array(edges)])
        return coterie.fit, (), options | {"graph": graph}, f"edges {edges!r}"[:300]
    square = draw_square(draw)
    return coterie.fit, (), options | {"graph": square.value}, square.words


def wild_seed(draw: Draw) -> Any:
    """Return anything for a seed but None."""
    seed = draw_wild(draw)
    return 0 if seed is None else seed  # None draws a new seed each time, as it should


def _table(draw: Draw, rows: Rows) -> tuple[Any, str]:
    n = rows.shape[0]
    columns: dict[str, Any] = {}
    kinds = {
        "text": [f"t{i % 3}" for i in range(n)],
        "whole": draw.random.integers(0, 5, n),
        "number": draw.random.normal(size=n),
        "missing": np.where(draw.random.random(n) < 0.3, np.nan, 1.0),
        "date": pandas.Timestamp("2020-01-01") + pandas.to_timedelta(np.arange(n), "D"),
        "flag": draw.random.random(n) < 0.5,
        "category": pandas.Categorical(["a" if i % 2 else "b" for i in range(n)]),
        "nothing": [None] * n,
        "key": np.arange(n),
        "large": [10**25 + i for i in range(n)],
        "mixed": ["1" if i % 2 else 2 for i in range(n)],
        "huge": np.full(n, 1e300) * np.arange(n),
        "lists": [[1, 2]] * n,
        "complex": np.full(n, 1j),
    }
    for _ in range(draw.whole(1, 6)):
        kind = draw.choice(["number", "number", "whole", *kinds])
        name = draw.choice([kind, f"{kind}{len(columns)}", "", "é\x1b[31m", "{x}", "=cmd", 3])
        columns[name] = kinds[kind]
    return pandas.DataFrame(columns), f"a frame of {n} rows: {list(columns)}"


def _scaling(draw: Draw) -> Call:
    rows = draw_rows(draw)
    how = draw.choice([*prepare.SCALINGS, *prepare.SCALINGS, draw_wild(draw)])
    return prepare.fit_scaling, (rows.value, how), {}, f"{rows.words}, {how!r}"


def _cluster_functions(draw: Draw) -> Call:
    rows = draw_rows(draw)
    name = draw.choice(["k_means", "kmeans_plusplus", "dbscan", "suggest_eps", "compute_optics_graph"])
    options: dict[str, Any] = {}
    if name in ("k_means", "kmeans_plusplus"):
        options = {"n_clusters": draw.choice([1, 2, 3, rows.shape[0]]), "random_state": 0}
    if name != "suggest_eps" and draw.chance(0.6):
        weights = draw_weights(draw, rows.shape[0])[0]
        options |= {} if weights is None else {"sample_weight": weights}
    if name in ("dbscan", "suggest_eps", "compute_optics_graph") and draw.chance(0.6):
        options["metric"] = draw_parameter(draw, "metric", None, *rows.shape)
    if name in ("dbscan", "suggest_eps", "compute_optics_graph") and draw.chance(0.5):
        options["min_samples"] = draw.choice([1, 2, 5, rows.shape[0], 2**63, draw_wild(draw)])
    return getattr(cluster, name), (rows.value,), options, rows.words


def _optics_parts(draw: Draw) -> Call:
    n = draw.choice([0, 1, 5, 20])
    parts: dict[str, Any] = {
        "reachability": draw.random.random(n),
        "core_distances": draw.random.random(n),
        "ordering": draw.random.permutation(n),
        "predecessor": draw.random.integers(-1, max(1, n), n),
    }
    name = draw.choice(list(parts))
    if n and draw.chance(0.6):
        parts[name][draw.whole(0, n - 1)] = draw.choice([-1, n, 10**9, -(10**9)])
    if n and draw.chance(0.2):
        parts["reachability"][0] = draw.choice([np.nan, np.inf, -1.0])
    if draw.chance(0.5):
        del parts["predecessor"]
        return (
            cluster.cluster_optics_dbscan,
            (),
            parts | {"eps": draw.choice([0.5, 0.0, np.nan])},
            f"{n} rows",
        )
    del parts["core_distances"]
    parts |= {"min_samples": draw.choice([2, 5, n, 0.5]), "xi": draw.choice([0.05, 0.5, 0.0, 1.0])}
    return cluster.cluster_optics_xi, (), parts, f"{n} rows"


FAMILIES = [
    *[_distances] * 5,
    *[_data_and_labels] * 6,
    *[_labelings] * 4,
    *[_cluster_functions] * 3,
    *[_fit] * 2,
    _choose,
    _belief,
    _matrices,
    _matrices,
    _memberships,
    _centers,
    _graph,
    _communities,
    *[_neighbour_graph] * 2,
    *[_layout] * 2,
    *[_fit_mixed] * 2,
    _fit_network,
    _scaling,
    _optics_parts,
    *[_rows_to_label] * 2,
]


def _shown(options: dict[str, Any]) -> str:
    return ", ".join(f"{name}={repr(value)[:100]}" for name, value in options.items()).replace("\n", " ")
