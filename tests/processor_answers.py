"""Answers of the whole catalogue, written to a file: what `contracts/test_processors.py` compares.

It runs as a program, for the instruction set and the kernels of BLAS are chosen when a process starts:
``python processor_answers.py OUT.npz engine``, ``... blas``, ``... ties`` or ``... neighbours``.
"""

import sys
import warnings
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, load_iris, load_wine

from coterie import _core, cluster, distance, evaluate, label, phylogeny, series
from coterie.cluster.mixture.families import FAMILIES
from coterie.data import Whitening
from coterie.distance import (
    approximate,
    find_distance,
    k_nearest,
    nearest,
    neighbour_graph,
    neighbours_within,
    pairwise_distances,
)
from coterie.errors import InvalidData
from coterie.evaluate import measures, silhouette
from coterie.image import picture_features, quantise, segment, slic, to_space
from coterie.text import encode_texts, fit_texts
from coterie.tree import METHODS, linkage
from places import as_places
from topical_texts import topical

COLUMNS = (2, 7, 33)  # within a vector of any width, between, and beyond
MANY_COLUMNS = 150  # so many that loops over them are unrolled
N_ROWS, N_GROUPS = 240, 4
DTYPES = (np.float32, np.float64)


def clouds(n_rows, n_columns, dtype, seed=0):
    """Rows of groups that overlap a little, some of them twice, and their groups."""
    rng = np.random.default_rng(seed)
    groups = rng.integers(N_GROUPS, size=n_rows)
    rows = rng.normal(size=(n_rows, n_columns)) + 6 * np.eye(N_GROUPS, n_columns)[groups]
    rows[-5:], groups[-5:] = rows[:5], groups[:5]
    return ((1 + 2 * rng.random(n_columns)) * rows).astype(dtype), groups


# Methods of the catalogue in more ways than the usual one: (name of the class, parameters).
WAYS = [
    *(("KMeans", {"algorithm": name}) for name in ("lloyd", "hamerly", "exponion", "filter")),
    *(("KMeans", {"geometry": name}) for name in distance.geometries() if name != "euclidean"),
    ("KMeans", {"geometry": find_distance("minkowski", p=3.5)}),
    ("KMeans", {"improve": "breathing"}),
    ("KMeans", {"init": "random"}),
    *(("AgglomerativeClustering", {"linkage": name}) for name in METHODS),
    ("AgglomerativeClustering", {"linkage": "average", "metric": "manhattan"}),
    *(("KMedoids", {"method": name}) for name in ("fasterpam", "pam", "fastermsc", "clara", "onebatch")),
    *(("KernelKMeans", {"kernel": name}) for name in ("linear", "poly", "cosine")),
    ("KernelKMeans", {"method": "nystroem"}),
    *(("HDBSCAN", {"algorithm": name}) for name in ("brute", "kd_tree")),
    ("BisectingKMeans", {"bisecting_strategy": "largest_cluster"}),
    ("GaussianMixture", {"covariance_type": "tied"}),
    ("VonMisesFisherMixture", {"concentration": "shared", "init_params": "k-means++"}),
    ("GaussianMixture", {"covariance_type": "diag"}),
    ("GaussianMixture", {"covariance_type": "VEV", "acceleration": "squarem"}),
    ("BayesianGaussianMixture", {"covariance_type": "tied", "max_iter": 20, "tol": 1e9}),
    ("BayesianGaussianMixture", {"weight_concentration_prior_type": "dirichlet_distribution"}),
    ("FuzzyCMeans", {"m": 1.4}),
    ("SelfOrganizingMap", {"n_rows": 4, "n_columns": 5, "layout": "hexagonal"}),
    *(
        ("SpectralBiclustering", {"method": name, "n_clusters": (4, 2)})
        for name in ("bistochastic", "scale", "log")
    ),
    ("SpectralCoclustering", {}),
]
SPECTRAL_WAYS = [
    ("SpectralClustering", {"assign_labels": labels, "affinity": affinity})
    for labels in ("kmeans", "discretize", "cluster_qr")
    for affinity in ("rbf", "nearest_neighbors", "self_tuning")
]
PRODUCT_WAYS = [  # methods that leave products to NumPy, and so to BLAS
    *((name, {}) for name in ("GaussianMixture", "VonMisesFisherMixture", "LatentClasses", "KernelKMeans")),
    *((name, {}) for name in ("BayesianGaussianMixture", "SpectralCoclustering")),
    ("SpectralBiclustering", {"n_clusters": (4, 2)}),
    *((name, {}) for name in ("EmbeddingClustering", "ConstrainedKMeans", "ConsensusClustering")),
]
EMBEDDINGS = [
    ("LaplacianEigenmap", {"laplacian": name}) for name in ("random_walk", "symmetric", "unnormalized")
]


def fitted(name, params, X, is_table=False):
    """Fit a method; return its public numbers, and what it says of rows that it has not seen."""
    model = getattr(cluster, name)(**params)
    takes = model.get_params()
    wanted = {"random_state": 0, "n_clusters": N_GROUPS, "n_components": N_GROUPS}
    if name == "LaplacianEigenmap" or "n_clusters" in takes:
        del wanted["n_components"]
    if takes.get("affinity") == "rbf":
        model.set_params(gamma=1 / (4 * X.shape[1]))
    model.set_params(**{key: wanted[key] for key in wanted if key in takes and key not in params})
    model.fit(X)
    found = {key: getattr(model, key) for key in sorted(vars(model)) if key.endswith("_") and key[0] != "_"}
    if hasattr(model, "predict") and not is_table:
        found["predicted"] = model.predict(X[:50] + X.std(axis=0, dtype=X.dtype) / 8)
    arrays = {
        key: np.asarray(value) for key, value in found.items() if isinstance(value, (np.ndarray, float))
    }
    return {key: value for key, value in arrays.items() if value.dtype.kind in "biuf"}


def of_methods(ways):
    """Answers of methods, each with its parameters."""
    for n_columns in COLUMNS:
        for dtype in DTYPES:
            X, _ = clouds(N_ROWS, n_columns, dtype)
            for name, params in ways:
                if n_columns == 2 and params.get("geometry") in ("correlation", "spearman"):
                    continue  # of two columns, every correlation is 1 or -1
                words = ",".join(f"{key}={getattr(value, 'name', value)}" for key, value in params.items())
                for key, value in fitted(name, params, X).items():
                    yield f"{name}({words})/{n_columns}/{dtype.__name__}/{key}", value


REAL_WAYS = [  # several starts each: which of them wins must not rest on rounding either
    *(("KMeans", {"n_clusters": k, "n_init": 3}) for k in (3, 10, 40)),
    *(("KMeans", {"n_clusters": 40, "n_init": 2, "algorithm": name}) for name in ("hamerly", "exponion")),
    ("KMeans", {"n_clusters": 10, "n_init": 3, "init": "random"}),
    ("KMeans", {"n_clusters": 10, "n_init": 2, "geometry": "cosine"}),
    ("KMeans", {"n_clusters": 10, "improve": "breathing"}),
    ("MiniBatchKMeans", {"n_clusters": 10, "n_init": 3}),
    ("BisectingKMeans", {"n_clusters": 10, "n_init": 2}),
    ("HierarchicalKMeans", {"n_clusters": 10}),
]
TIED_WAYS = [  # what candidates, centres and rows that are equally good but for rounding have decided once
    *(("KMeans", {"n_clusters": k, "n_init": 3}) for k in (20, 40, 60)),
    *(("KMeans", {"n_clusters": k, "improve": "breathing", "n_init": 1}) for k in (50, 60)),
    ("MiniBatchKMeans", {"n_clusters": 20, "batch_size": 64, "n_init": 1}),
    ("MiniBatchKMeans", {"n_clusters": 60, "n_init": 3}),
    *(("ConstrainedKMeans", {"n_clusters": k, "size_min": 3}) for k in (40, 60)),
    *(("KMedoids", {"n_clusters": k}) for k in (5, 40, 60)),
    ("KMedoids", {"n_clusters": 40, "method": "pam", "max_iter": 5}),
    ("KMedoids", {"n_clusters": 40, "init": "random", "n_init": 3}),
]
FEW_ROWS_WAYS = [
    ("GaussianMixture", {"n_components": 3, "n_init": 3}),
    ("GaussianMixture", {"n_components": 5, "n_init": 3, "covariance_type": "diag"}),
    ("VonMisesFisherMixture", {"n_components": 3, "n_init": 3}),
    ("FuzzyCMeans", {"n_clusters": 3, "n_init": 2}),
    *(("KMedoids", {"n_clusters": k, "n_init": 3}) for k in (10, 60)),
    ("KernelKMeans", {"n_clusters": 3, "n_init": 3}),
    ("SpectralClustering", {"n_clusters": 3}),
]


def of_real_data():
    """Labels of measured data: of whole numbers and tenths, many are equally far from two centres."""
    for load in (load_iris, load_wine, load_digits):
        rows = np.ascontiguousarray(load().data)
        for dtype in DTYPES:
            for name, params in REAL_WAYS + (FEW_ROWS_WAYS if len(rows) < 500 else []):
                model = getattr(cluster, name)(**params, random_state=0).fit(rows.astype(dtype))
                words = ",".join(f"{key}={value}" for key, value in params.items())
                found = model.labels_ if hasattr(model, "labels_") else model.predict(rows.astype(dtype))
                yield f"{name}({words}) of {load.__name__[5:]}/{dtype.__name__}/labels", found
        sparse = csr_array(rows)
        yield (
            f"KMeans of sparse {load.__name__[5:]}/labels",
            cluster.KMeans(20, n_init=3, random_state=0).fit(sparse).labels_,
        )


def of_equal_distances():
    """Labels of tenths, which have no exact binary form, and of flags: most distances come many times."""
    for table in (4, 11):
        rng = np.random.default_rng(table)
        tenths, flags = np.round(rng.random((800, 6)), 1), rng.integers(0, 2, (500, 12)).astype(float)
        for kind, rows in (("tenths", tenths), ("flags", flags)):
            for dtype in DTYPES:
                for name, params in TIED_WAYS:
                    data = (rows[:300] if name == "ConstrainedKMeans" else rows).astype(dtype)
                    model = getattr(cluster, name)(**params, random_state=0).fit(data)
                    words = ",".join(f"{key}={value}" for key, value in params.items())
                    yield f"{name}({words}) of {kind} {table}/{dtype.__name__}/labels", model.labels_


def of_many_rows():
    """Methods of several blocks of rows and several panels of centres, dense and sparse."""
    for dtype in DTYPES:
        X, _ = clouds(3000, 19, dtype)
        ways = [
            ("KMeans", {"n_clusters": 50, "algorithm": name}) for name in ("lloyd", "hamerly", "exponion")
        ]
        ways += [("KMeans", {"n_clusters": 50, "n_init": 1}), ("MiniBatchKMeans", {"n_clusters": 50})]
        ways += [("GaussianMixture", {"n_components": 6}), ("KMedoids", {"n_clusters": 30})]
        for name, params in ways:
            for key, value in fitted(name, params, X).items():
                yield f"{name}({params}) of many rows/{dtype.__name__}/{key}", value
        sparse = csr_array(np.where(np.abs(X) > 1, X, 0))
        model = cluster.KMeans(50, random_state=0, n_init=1).fit(sparse)
        yield f"sparse k-means/{dtype.__name__}/labels_", model.labels_
        yield f"sparse k-means/{dtype.__name__}/centers", model.cluster_centers_
        yield f"sparse k-means/{dtype.__name__}/inertia", np.array(model.inertia_)


def of_many_columns():
    """Methods whose sums over the columns are long."""
    for dtype in DTYPES:
        X, _ = clouds(N_ROWS, MANY_COLUMNS, dtype)
        ways = [("KMeans", {"algorithm": name}) for name in ("lloyd", "hamerly", "exponion")]
        ways += [
            ("MiniBatchKMeans", {}),
            ("BisectingKMeans", {}),
            ("KMedoids", {}),
            ("Birch", {"threshold": 9.0}),
        ]
        ways += [("GaussianMixture", {"covariance_type": "diag"}), ("HDBSCAN", {}), ("Genie", {})]
        ways += [("VonMisesFisherMixture", {})]
        for name, params in ways:
            for key, value in fitted(name, params, X).items():
                yield f"{name}({params}) of many columns/{dtype.__name__}/{key}", value


def of_distances():
    """Distances of every kind, and what is nearest by them."""
    for n_columns in (*COLUMNS, MANY_COLUMNS):
        for dtype in DTYPES:
            X, groups = clouds(N_ROWS, n_columns, dtype)
            kinds = {"boolean": (X - X.mean(axis=0) > 0).astype(dtype), "categorical": np.rint(X)}
            kinds["places"] = as_places(X).astype(dtype)
            kinds["boolean"][:, 0] = 1  # a set with nothing in it is at no distance by some
            for name, each in (
                {one.name: one for one in distance.distances()}
                | {"minkowski 1.7": find_distance("minkowski", p=1.7)}
            ).items():
                rows = kinds.get(each.domain, X)
                where = f"{name}/{n_columns}/{dtype.__name__}"
                if n_columns == 2 and name in ("correlation", "spearman"):
                    continue  # of two columns, every correlation is 1 or -1
                yield f"{where}/pairwise", pairwise_distances(rows, rows[:60], each.fit(rows))
                yield f"{where}/among themselves", pairwise_distances(rows, metric=each.fit(rows))
                yield f"{where}/nearest", nearest(rows, rows[:20], each).distance
                yield f"{where}/silhouettes", silhouette(rows, groups, metric=each).values
                near = k_nearest(rows, n_neighbors=3, metric=each).distance
                yield f"{where}/k_nearest", near
                within = neighbours_within(rows, radius=1.003 * float(np.median(near)), metric=each)
                yield f"{where}/within", np.sort(within.distance)


def tables(n_rows, n_columns):
    """Numbers, categories and flags of groups, with gaps: as codes, and what kinds the columns are."""
    X, groups = clouds(n_rows, n_columns, np.float64)
    rng = np.random.default_rng(3)
    names = np.where(rng.random(X.shape) < 0.2, rng.integers(0, 3, X.shape), groups[:, None] % 3)
    flags = (names > 0).astype(float)
    kinds = ["number"] * n_columns + ["category"] * n_columns + ["asymmetric"] * n_columns
    table = np.concatenate([X, names, flags], axis=1)
    gaps = np.where(rng.random(table.shape) < 0.05, np.nan, table)
    return table, gaps, kinds


def of_tables():
    """Distances and methods of tables with categories and gaps."""
    for n_columns in COLUMNS:
        table, gaps, kinds = tables(N_ROWS, n_columns)
        places = tuple(range(n_columns, 3 * n_columns))
        names = table[:, n_columns:]
        for dtype in DTYPES:
            where = f"{n_columns}/{dtype.__name__}"
            rows = gaps.astype(dtype)
            for form in ({}, {"condensed": True}):
                words = "condensed" if form else "square"
                found = pairwise_distances(rows, metric="gower", kinds=kinds, **form)
                yield f"gower of a table/{words}/{where}", found
                found = pairwise_distances(rows, metric="nan_euclidean", **form)
                yield f"nan_euclidean of gaps/{words}/{where}", found
            for name in ("KMedoids", "AgglomerativeClustering", "HDBSCAN", "Genie", "Diana"):
                params = {"metric": find_distance("gower", kinds=kinds)}
                params |= {"linkage": "average"} if name == "AgglomerativeClustering" else {}
                for key, value in fitted(name, params, rows, is_table=True).items():
                    yield f"{name}(gower of a table)/{where}/{key}", value
            model = cluster.KMeans(N_GROUPS, missing="observed", random_state=0).fit(rows[:, :n_columns])
            yield f"KMeans(observed)/{where}/labels_", model.labels_
            yield f"KMeans(observed)/{where}/cluster_centers_", model.cluster_centers_
            for name, params, data in (
                ("KModes", {}, names.astype(dtype)),
                ("LatentClasses", {}, names.astype(dtype)),
                ("KPrototypes", {"categorical": places}, table.astype(dtype)),
            ):
                for key, value in fitted(name, params, data, is_table=True).items():
                    yield f"{name}(of names)/{where}/{key}", value


def of_constraints():
    """K-means with limits of size, with pairs, and with both."""
    pairs = np.arange(20).reshape(-1, 2)
    for n_columns in COLUMNS:
        for dtype in DTYPES:
            X, groups = clouds(N_ROWS, n_columns, dtype)
            is_one = groups[pairs[:, 0]] == groups[pairs[:, 1]]
            told = {"must_link": pairs[~is_one], "cannot_link": pairs[is_one]}
            sizes = {"size_min": N_ROWS // N_GROUPS - 2, "size_max": N_ROWS // N_GROUPS + 2}
            for words, params in (("sizes", sizes), ("pairs", told), ("both", sizes | told)):
                for key, value in fitted("ConstrainedKMeans", params, X).items():
                    yield f"ConstrainedKMeans({words})/{n_columns}/{dtype.__name__}/{key}", value


def of_trees():
    """Merge heights of every linkage."""
    by_differences = replace(
        find_distance(), kernel=_core.Kernel.squared_difference, finish=_core.Finish.root
    )
    for n_columns in (*COLUMNS, MANY_COLUMNS):
        for dtype in DTYPES:
            X, _ = clouds(N_ROWS, n_columns, dtype)
            for method in METHODS:
                yield f"linkage {method}/{n_columns}/{dtype.__name__}/heights", linkage(X, method)[:, 2]
            for method in ("average", "complete", "weighted"):  # as many rows merge, before there is a matrix
                first = _core.first_rounds(X, by_differences.metric, METHODS[method].rule)
                heights = np.asarray(first.link())[:, 2]
                yield f"linkage {method} in rounds/{n_columns}/{dtype.__name__}/heights", heights


def of_phylogeny():
    """Distances between sequences by every model, neighbour joining of them and of tied distances."""
    rows = phylogeny.evolve(phylogeny.random_tree(90, mean_length=0.03), 501)
    for model in ("p", "count", "jc", "k2p"):
        D = phylogeny.sequence_distances(rows, model=model)
        yield f"sequences {model}/float64|distances", D
        tree = phylogeny.neighbour_joining(D)
        yield f"neighbour joining {model}/float64|children", tree.arrays.children
        yield f"neighbour joining {model}/float64|lengths", tree.lengths[:-1]
    support = phylogeny.bootstrap(rows, n_replicates=5).support(tree).support
    yield "bootstrap/float64|counts", np.nan_to_num(support / 20, nan=-1).round().astype(int)


def of_measures():
    """Every measure, and silhouettes by weights, of many rows, and near the least and the largest numbers."""
    for n_columns in COLUMNS:
        for dtype in DTYPES:
            X, groups = clouds(N_ROWS, n_columns, dtype)
            other = cluster.KMeans(3, random_state=0).fit_predict(X)
            shares = np.random.default_rng(1).dirichlet(np.ones(3), size=N_ROWS)
            graph = np.exp(-(pairwise_distances(X) ** 2) / 50)
            np.fill_diagonal(graph, 0)
            centers = [
                np.array([X[labels == k].mean(axis=0) for k in range(3)]) for labels in (groups, other)
            ]
            upper = np.triu_indices(60, 1)
            inputs = {
                "labelings": (groups, other),
                "memberships": (shares, np.eye(3)[other]),
                "centers": centers,
                "data": (X, groups),
                "graph": (graph, groups),
                "tree": (X[:60], pairwise_distances(X[:60], X[:60], "manhattan")[upper]),
            }
            for each in measures():
                yield f"{each.name}/{n_columns}/{dtype.__name__}", each(*inputs[each.needs])
            for scale in (1e-150, 1e150) if dtype is np.float64 else (1e-18, 1e15):
                found = silhouette((X * scale).astype(dtype), groups)
                yield f"silhouette {scale}/{n_columns}/{dtype.__name__}", found.values
            weights = np.random.default_rng(2).random(N_ROWS)
            found = silhouette(X, groups, sample_weight=weights)
            yield f"silhouette weighted/{n_columns}/{dtype.__name__}", found.values
            many, of_many = clouds(2500, n_columns, dtype)
            for k in (4, 40):
                found = silhouette(many, (of_many + 4 * np.arange(2500)) % k)
                yield f"silhouette of {k} groups/{n_columns}/{dtype.__name__}", found.values


def of_lapack():
    """Answers that rest on decompositions: embeddings, whitening, null models, what is called singular."""
    X, _ = clouds(N_ROWS, 5, np.float64)
    flat = np.column_stack([X, X[:, 0] - X[:, 1]])
    for method in ("zca", "pca"):
        yield f"whitening {method}", Whitening(method=method).fit_transform(X)
        yield f"whitening {method} of equal columns", Whitening(method=method).fit_transform(X[:, [0, 0, 1]])
        yield f"whitening {method} rank", np.array(Whitening(method=method).fit(flat).rank_)
    for null in ("gaussian", "elliptical", "pca_box"):
        found = evaluate.significance(
            cluster.KMeans(N_GROUPS, n_init=1, random_state=0), X, null=null, n_draws=9, random_state=0
        )
        yield f"significance {null}", np.array(found.draws)
    for family in FAMILIES:
        try:
            cluster.GaussianMixture(2, covariance_type=family, reg_covar=0, random_state=0).fit(flat)
            said = "fitted"
        except InvalidData as error:
            said = str(error)
        yield f"{family} of a dependent column", np.array(said)
        model = cluster.GaussianMixture(3, covariance_type=family, random_state=0).fit(X)
        yield f"{family}/labels_", model.predict(X)
        yield f"{family}/means_", model.means_
    encoder, counts = encode_texts(topical()[0])
    yield "texts/vectors", encoder.weigh(counts) @ encoder.axes[:, :3]  # the topics: no two are equally long
    yield "texts/labels", fit_texts(topical()[0], believe=False).labels
    yield from of_pictures()
    yield "mahalanobis", pairwise_distances(X, X[:20], find_distance("mahalanobis").fit(X))
    singular = np.diag([1.0, 1, 1, 1, 0])
    yield "mahalanobis, singular", pairwise_distances(X, X[:20], "mahalanobis", VI=singular)
    yield from of_labels()
    yield from of_methods(
        [*SPECTRAL_WAYS, *EMBEDDINGS, *PRODUCT_WAYS, ("KernelKMeans", {"method": "nystroem"})]
    )


def of_neighbour_graphs():
    """Approximate neighbours, graphs of them, their communities, and places for their nodes."""
    approximate.EXACT_SECONDS, approximate.LEAF = 1.0, 100  # few rows would be compared exactly
    for dtype in DTYPES:
        X, _ = clouds(2_500, 40, dtype)
        for metric in ("euclidean", "cosine"):
            where = f"{metric}/{X.dtype}"
            near = k_nearest(X, n_neighbors=10, metric=metric, recall=0.9)
            assert near.algorithm_used == "descent"
            yield f"descent/{where}|found", near.index
            yield f"descent/{where}", near.distance
            graph = neighbour_graph(X, 10, metric, recall=0.9).weights
            yield f"weights/{where}", graph.data
            yield f"leiden/{where}|labels", cluster.leiden(graph, random_state=0).labels
            plain = csr_array((np.ones_like(graph.data), graph.indices, graph.indptr), graph.shape)
            yield f"layout/{where}|places", cluster.lay_out_graph(plain, n_epochs=20)
            exact = neighbour_graph(X[:600], 10, metric).weights
            yield f"weighted layout/{where}|places", cluster.lay_out_graph(exact, n_epochs=20)


def of_pictures():
    """Colours, superpixels and regions of a picture of soft spots and noise."""
    rng = np.random.default_rng(9)
    y, x = np.mgrid[:61, :83]
    places, colours = rng.uniform(0, 80, (9, 2)), rng.uniform(20, 235, (9, 3))
    spots = colours[((y[..., None] - places[:, 0]) ** 2 + (x[..., None] - places[:, 1]) ** 2).argmin(axis=2)]
    picture = np.clip(spots + rng.normal(0, 9, spots.shape), 0, 255).astype(np.uint8)
    for space in ("cielab", "oklab", "rgb"):
        yield f"to_space/{space}/bits", to_space(picture, space).view(np.int64)
        for dither in (False, True):
            found = quantise(picture, 7, space=space, dither=dither)
            yield f"quantise/{space}/{dither}/labels", found.labels
            yield f"quantise/{space}/{dither}/palette", found.palette
        for image, words in ((picture, "colours"), (picture[:, :, 0], "grey")):
            small = slic(image, 60, space=space)
            yield f"slic/{space}/{words}/labels", small.labels
            yield f"slic/{space}/{words}/bits", small.colours.view(np.int64)
    for how in ({"k": 6}, {"share": 0.01}, {"threshold": 12.0}, {"k": 6, "method": "spectral"}):
        yield f"segment/{how}/labels", segment(picture, n_superpixels=90, **how).labels
    for kind in ("layout", "edges"):
        yield f"picture_features/{kind}/float64", picture_features([picture], kind).X


def of_labels():
    """Rows to label, labels that spread, unusual rows, and shapes of series."""
    for n_columns in COLUMNS:
        X, groups = clouds(N_ROWS, n_columns, np.float64)
        where = f"{n_columns} columns"
        for strategy in label.STRATEGIES:
            chosen = label.select_to_label(X, N_GROUPS, strategy=strategy, random_state=0)
            yield f"to label/{strategy}/{where}|found", chosen.rows
        known = np.where(np.arange(N_ROWS) % 9 == 0, groups, -1)
        told = label.propagate_labels(X, known)
        yield f"spread/{where}|labels", told.labels
        yield f"spread/{where}|found", told.contradictions
        for how in ("centre", "local"):
            yield f"unusual/{how}/{where}", evaluate.anomaly_scores(X, groups, how=how).scores
        shapes = series.KShape(N_GROUPS, random_state=0).fit(np.cumsum(X, axis=1))
        yield f"KShape/{where}|labels", shapes.labels_
        yield f"KShape/{where}", shapes.cluster_centers_


def of_series():
    """Distances of series of unequal lengths, the nearest by them, paths, mean series, and groups."""
    for n_columns in (1, 3):
        for dtype in DTYPES:
            rng = np.random.default_rng(4)
            kinds = rng.integers(N_GROUPS, size=40)
            lengths = rng.integers(17, 60, size=40)
            many = [
                np.cumsum(
                    rng.normal(size=(n, n_columns)) + 0.3 * np.sin(np.arange(n) / (1 + kind))[:, None], axis=0
                )
                for n, kind in zip(lengths, kinds, strict=True)
            ]
            many = [one.astype(dtype) for one in many]
            where = f"{n_columns}/{dtype.__name__}"
            told = [
                (one.name, {}) for one in series.series_distances() if one.name != "sbd" or n_columns == 1
            ]
            told += [(name, {"window": 3}) for name in ("dtw", "ddtw", "erp", "msm")]
            told += [("dtw", {"open_begin": 2, "open_end": 5}), ("soft_dtw", {"gamma": 0.01})]
            for name, params in told:
                found = series.pairwise(many, metric=name, **params)
                yield f"series {name}/{params}/{where}/pairwise", found
                yield (
                    f"series {name}/{params}/{where}/k_nearest",
                    np.argsort(found, axis=1, kind="stable")[:, :3],
                )
                if name != "sbd":
                    near = series.nearest(many[:9], many, k=3, metric=name, **params)
                    yield f"series {name}/{params}/{where}/found", near.indices
            yield f"dtw_path/{where}/found", np.asarray(series.dtw_path(many[0], many[1]).pairs)
            yield f"dtw_barycentre/{where}", series.dtw_barycentre(many[:9]).values
            for params in ({}, {"window": 4}, {"metric": "softdtw", "max_iter_barycenter": 5}):
                model = series.TimeSeriesKMeans(N_GROUPS, random_state=0, **params).fit(many)
                yield f"TimeSeriesKMeans({params})/{where}|labels", model.labels_


def of_engine():
    """Answers that the kernels of an instruction set compute, or help to compute."""
    usual = [(method.class_name, dict(method.settings)) for method in cluster.methods()]
    ways = [*usual, ("FeatureAgglomeration", {"n_clusters": 2}), *WAYS, *EMBEDDINGS]
    yield from of_methods(ways)
    yield from of_real_data()
    yield from of_equal_distances()
    yield from of_many_rows()
    yield from of_many_columns()
    yield from of_distances()
    yield from of_tables()
    yield from of_constraints()
    yield from of_trees()
    yield from of_phylogeny()
    yield from of_measures()
    yield from of_neighbour_graphs()
    yield from of_pictures()
    yield from of_labels()
    yield from of_series()


def of_ties():
    """Labels of rows of whole numbers, of which many pairs are equally far: what decides is an order."""
    rng = np.random.default_rng(5)
    X = np.concatenate([rng.integers(0, 12, (400, 2)), rng.integers(0, 12, (400, 2)) + 15]).astype(float)
    X[~X.any(axis=1)] = 1  # zeros have no direction
    different = np.unique(X, axis=0)
    D = pairwise_distances(different)
    for method in cluster.methods():
        found = fitted(method.class_name, dict(method.settings), X)
        yield f"{method.class_name} of ties/labels", found["labels_"]
    ways = [("HDBSCAN", {"min_cluster_size": size}) for size in (3, 5, 12)]
    ways += [("HDBSCAN", {"algorithm": "brute"}), ("HDBSCAN", {"metric": "manhattan"})]
    ways += [("AgglomerativeClustering", {"linkage": name, "n_clusters": 9}) for name in METHODS]
    ways += [("KMedoids", {"n_clusters": 9}), ("Diana", {"n_clusters": 9}), ("OPTICS", {"min_samples": 3})]
    for name, params in ways:
        yield f"{name} {params} of ties/labels", getattr(cluster, name)(**params).fit(X).labels_
    for name in ("HDBSCAN", "OPTICS", "DBSCAN"):
        model = getattr(cluster, name)(metric="precomputed")
        yield f"{name} of tied distances/labels", model.fit(D).labels_
        yield f"{name} of a tied graph/labels", model.fit(csr_array(D)).labels_


# Distances of whole numbers that no rounding touches, from the differences of the columns.
EXACT = {
    "euclidean": lambda gaps: (gaps**2).sum(axis=-1),
    "manhattan": lambda gaps: np.abs(gaps).sum(axis=-1),
    "chebyshev": lambda gaps: np.abs(gaps).max(axis=-1),
    "hamming": lambda gaps: (gaps != 0).sum(axis=-1),
}


def of_neighbours():
    """Nearest rows among many that are equally far, and those that the lower number chooses."""
    rng = np.random.default_rng(7)
    sizes = [(n, d) for n in (5, 17, 129, 700) for d in (1, 2, 7, 17, MANY_COLUMNS)] + [(6000, 2)]
    for n, n_columns in sizes:
        for far in (0, 100_000):  # far from zero the dot kernel's squares are rounded
            Y, X = (rng.integers(0, 3, (size, n_columns)) + far for size in (n, 30))
            for name, measure in EXACT.items():
                order = np.argsort(measure(X[:, None] - Y), axis=1, kind="stable")[:, :9]
                for dtype in DTYPES:
                    where = f"{name}/{n}x{n_columns}/{far}/{dtype.__name__}"
                    queries, rows, m = X.astype(dtype), Y.astype(dtype), order.shape[1]
                    each = find_distance(name)
                    yield f"smallest/{where}/expected", order
                    yield f"smallest/{where}/found", _core.smallest(queries, rows, each.metric, m)[0]
                    yield f"k_nearest/{where}/expected", order
                    yield f"k_nearest/{where}/found", k_nearest(queries, rows, m, each).index
                    yield f"nearest/{where}/expected", order[:, 0]
                    yield f"nearest/{where}/found", nearest(queries, rows, each).index


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answers = {"engine": of_engine, "blas": of_lapack, "ties": of_ties, "neighbours": of_neighbours}[
        sys.argv[2]
    ]
    np.savez(sys.argv[1], **{key.replace("/", "|"): np.asarray(value) for key, value in answers()})
