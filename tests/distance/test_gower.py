"""Gower's distance: R's numbers, any kind of table, missing cells, and every method that takes it."""

import shutil
import subprocess
import warnings

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import coterie
from coterie.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AgglomerativeClustering,
    Diana,
    Genie,
    KMedoids,
    SpectralClustering,
)
from coterie.distance import TableEncoding, find_distance, k_nearest, nearest, pairwise_distances
from coterie.errors import DataNotice, InvalidData, InvalidParameter
from coterie.evaluate import davies_bouldin_score, silhouette_score

SIX = pandas.DataFrame(
    {
        "age": [20, 35, None, 50, 41, 28],
        "income": [1000.5, 2500, 1800, None, 3000, 1200.25],
        "plan": ["free", "pro", "pro", None, "team", "free"],
        "size": pandas.Categorical(
            ["S", "M", "L", "L", None, "S"], categories=["S", "M", "L", "XL"], ordered=True
        ),
        "news": [1, 0, 1, 0, None, 1],
        "churn": [0, 0, 1, 1, 0, None],
    }
)
KINDS = {"news": "symmetric", "churn": "asymmetric"}
WEIGHTS = [1, 2, 0.5, 1, 3, 1.5]
# cluster::daisy(d, metric="gower", type=list(symm="news", asymm="churn")) of R 4.2, cluster 2.1.4
DAISY = """
0.749987496874218507 0.679969992498124620 1.000000000000000000 0.900000000000000022 0.073313328332083011
0.570017504376093997 0.500000000000000000 0.483354171876302363 0.676674168542135468 0.333333333333333315
0.866716679169792337 0.574987496874218573 0.650000000000000022 0.911111111111111094 0.777811119446528365
"""
DAISY_WEIGHTED = """
0.799983329165624757 0.474962490622655664 1.000000000000000000 0.914285714285714368 0.062195548887221806
0.712521880470117552 0.384615384615384637 0.342892866073661262 0.737787780278402971 0.545454545454545414
0.800075018754688672 0.323061534614422885 0.719999999999999973 0.946666666666666656 0.781009538098810352
"""
IN_R = """
suppressMessages(library(cluster))
d <- read.csv(file("stdin"), na.strings="")
d$plan <- factor(d$plan)
d$size <- factor(d$size, levels=c("S", "M", "L"), ordered=TRUE)
x <- daisy(d, metric="gower", type=list(symm="news", asymm="churn"), weights=c(1, 2, 0.5, 1, 3, 1.5))
cat(format(as.vector(x), digits=17), sep="\\n")
"""


def customers(n=240, seed=0):
    """Three kinds of customers, with gaps; the true group of each."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    plan = np.array(["free", "pro", "team"])[np.where(rng.random(n) < 0.9, group, (group + 1) % 3)]
    frame = pandas.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(30 + 15 * group, 3)),
            "plan": np.where(rng.random(n) < 0.1, None, plan),
            "active": rng.random(n) < 0.2 + 0.3 * group,
            "size": pandas.Categorical(
                np.array(["S", "M", "L"])[group], categories=["S", "M", "L"], ordered=True
            ),
        }
    )
    return frame, group


CUSTOMERS, GROUPS = customers()
MODELS = [
    KMedoids(3, metric="gower"),
    AgglomerativeClustering(3, metric="gower", linkage="average"),
    AgglomerativeClustering(3, metric="gower", linkage="complete"),
    AgglomerativeClustering(3, metric="gower", linkage="single"),
    Genie(3, metric="gower"),
    Diana(3, metric="gower"),
    DBSCAN(0.12, metric="gower"),
    HDBSCAN(min_cluster_size=10, metric="gower"),
    OPTICS(min_samples=10, metric="gower"),
]


@pytest.mark.parametrize(("w", "text"), [(None, DAISY), (WEIGHTS, DAISY_WEIGHTED)], ids=["plain", "weighted"])
def test_the_numbers_of_r(w, text):
    """Law: numbers by range, ordinals by level, yes/no, weights and gaps give what R's daisy gives."""
    ours = pairwise_distances(SIX, metric="gower", kinds=KINDS, w=w, condensed=True)
    np.testing.assert_allclose(ours, np.array(text.split(), dtype=float), rtol=1e-15)


@pytest.mark.skipif(
    shutil.which("Rscript") is None, reason="R is not installed: apt-get install r-cran-cluster"
)
def test_r_itself():
    """Law: the same for any table, against R where there is one."""
    frame, _ = customers(60, seed=3)
    rng = np.random.default_rng(4)
    frame = pandas.DataFrame(
        {
            "age": frame["age"],
            "income": rng.lognormal(7, 1, 60),
            "plan": frame["plan"],
            "size": frame["size"],
            "news": np.where(rng.random(60) < 0.1, np.nan, rng.integers(0, 2, 60)),
            "churn": np.where(rng.random(60) < 0.1, np.nan, rng.integers(0, 2, 60)),
        }
    )
    text = frame.to_csv(index=False, float_format="%.17g")
    answer = subprocess.run(
        ["Rscript", "-e", IN_R], input=text, capture_output=True, text=True, check=True
    ).stdout
    ours = pairwise_distances(frame, metric="gower", kinds=KINDS, w=WEIGHTS, condensed=True)
    np.testing.assert_allclose(ours, np.array(answer.split(), dtype=float), rtol=1e-13)


def test_every_kind_of_table():
    """Law: pandas, polars, Arrow, an array of objects and lists are the same table."""
    plain = SIX.astype({"size": object})
    kinds = KINDS | {"size": ["S", "M", "L", "XL"]}
    expected = pairwise_distances(SIX, metric="gower", kinds=KINDS)
    cells = plain.astype(object).where(plain.notna(), None).to_numpy()
    by_number = {4: "symmetric", 5: "asymmetric", 3: ["S", "M", "L", "XL"]}
    for table, told in [
        (polars.from_pandas(plain), kinds),
        (pyarrow.Table.from_pandas(SIX), KINDS),
        (pyarrow.Table.from_pandas(plain), kinds),
        (SIX.convert_dtypes(), kinds),
        (cells, by_number),
        (cells.tolist(), by_number),
    ]:
        np.testing.assert_array_equal(pairwise_distances(table, metric="gower", kinds=told), expected)


def test_types_say_the_kinds():
    """Law: booleans, text and categories are categories, ordered ones ordinals, dates and numbers numbers."""
    frame = pandas.DataFrame(
        {
            "flag": pandas.array([True, None, False], dtype="boolean"),
            "text": pandas.array(["a", None, "b"], dtype="string"),
            "named": pandas.Categorical(["x", "y", "x"]),
            "rank": pandas.Categorical([1, 3, 2], ordered=True),
            "whole": pandas.array([1, None, 3], dtype="Int64"),
            "day": pandas.to_datetime(["2024-01-01", None, "2024-01-03"]),
        }
    )
    table = TableEncoding.learn(frame)
    assert table.kinds == ("category", "category", "category", "ordinal", "number", "number")
    coded = table.encode(frame)
    np.testing.assert_array_equal(np.isnan(coded).sum(axis=0), [1, 1, 0, 0, 1, 1])
    np.testing.assert_array_equal(coded[:, 3], [0, 2, 1])
    days = polars.DataFrame(
        {"day": polars.Series(["2024-01-01", "2024-01-05"]).str.to_date(), "c": ["a", "b"]}
    )
    assert TableEncoding.learn(days).kinds == ("number", "category")


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("threads", [1, 2])
def test_missing_cells_change_nothing_else(gaps, threads):
    """Law: rows without gaps have the same distances to the bit, whoever else has gaps."""
    rng = np.random.default_rng(5)
    X = np.c_[rng.normal(size=(150, 3)), rng.integers(0, 4, (150, 4))]
    kinds = ["number"] * 3 + ["category"] * 4
    full = pairwise_distances(X, metric="gower", kinds=kinds)
    holes = X.copy()
    holes[100:][rng.random((50, 7)) < gaps] = np.nan
    holes[100:, 6] = X[100:, 6]
    told = find_distance("gower", kinds=kinds, low=X.min(axis=0), high=X.max(axis=0))
    ours = pairwise_distances(holes, metric=told, n_jobs=threads)
    np.testing.assert_array_equal(ours[:100, :100], full[:100, :100])
    assert np.isfinite(ours).all()
    assert ours.max() <= 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{type(model).__name__}")
def test_methods_take_tables(model, tmp_path):
    """Law: a method finds in a table what it finds in its matrix of distances, after loading it too."""
    D = pairwise_distances(CUSTOMERS, metric="gower")
    given = type(model)(**(model.get_params() | {"metric": "precomputed"})).fit(D)
    fitted = model.fit(CUSTOMERS)
    np.testing.assert_array_equal(fitted.labels_, given.labels_)
    np.testing.assert_array_equal(fitted.predict(CUSTOMERS), given.predict(D))
    assert list(fitted.feature_names_in_) == list(CUSTOMERS.columns)
    assert fitted.metric == "gower"
    coterie.save(fitted, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict(CUSTOMERS.head(30)), fitted.predict(CUSTOMERS.head(30)))


def test_a_fit_to_numbers_forgets_the_table():
    """Law: fitted again to plain rows, an estimator takes plain rows."""
    model = KMedoids(2, metric="gower").fit(CUSTOMERS)
    X = np.random.default_rng(0).normal(size=(30, 2))
    model.set_params(metric="euclidean").fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_neighbours_and_silhouettes():
    """Law: neighbours and silhouettes of a table are those of its matrix."""
    D = pairwise_distances(CUSTOMERS, metric="gower")
    found = k_nearest(CUSTOMERS, None, 4, "gower")
    np.testing.assert_array_equal(np.sort(D + np.eye(len(D)) * 9, axis=1)[:, :4], found.distance)
    np.testing.assert_array_equal(nearest(CUSTOMERS.head(9), CUSTOMERS, "gower").distance, np.zeros(9))
    ours = silhouette_score(CUSTOMERS, GROUPS, metric="gower")
    assert ours == pytest.approx(silhouette_score(D, GROUPS, metric="precomputed"), abs=1e-12)


def test_spectral_by_similarities():
    """Law: one minus Gower's distance is an affinity."""
    frame, group = customers(120, seed=8)
    model = SpectralClustering(3, affinity="precomputed", random_state=0)
    labels = model.fit_predict(1 - pairwise_distances(frame, metric="gower"))
    assert coterie.evaluate.adjusted_rand_score(group, labels) > 0.6


def test_new_categories_differ_from_all():
    """Law: a category that the fit has not seen is told of and differs from every other."""
    model = KMedoids(3, metric="gower").fit(CUSTOMERS)
    new = CUSTOMERS.head(5).assign(plan="gold")
    with pytest.warns(DataNotice, match=r'not there when it was fitted, in column "plan" \("gold"\)'):
        far = model.transform(new)
    known = model.transform(CUSTOMERS.head(5).assign(plan="free"))
    assert (far >= known - 1e-12).all()


def test_numbers_beyond_the_range_stay_within_one():
    """Law: a new number outside of the range counts as the nearest end of it."""
    model = KMedoids(2, metric="gower").fit(CUSTOMERS)
    assert model.transform(CUSTOMERS.head(3).assign(age=1e9)).max() <= 1


def test_rows_without_a_common_column():
    """Law: rows that cannot be compared are at distance 1, with a notice; a row is 0 from itself."""
    X = [[1.0, None], [None, 2.0], [3.0, 4.0]]
    with pytest.warns(DataNotice, match="no column in which both have a value"):
        D = pairwise_distances(X, metric="gower")
    assert D[0, 1] == 1
    both_absent = pairwise_distances([[0.0], [0.0], [1.0]], [[0.0]], "gower", kinds="asymmetric")
    np.testing.assert_array_equal(both_absent.ravel(), [0, 0, 1])


def test_many_categories():
    """Law: a column of very many categories is one like any other."""
    names = pandas.DataFrame({"id": [f"name {i}" for i in range(100_000)], "x": np.arange(100_000.0)})
    found = nearest(names.tail(3), names, "gower")
    np.testing.assert_array_equal(found.index, [99_997, 99_998, 99_999])


def test_tables_are_not_changed():
    """Law: neither the table nor the parameters change."""
    before, model = CUSTOMERS.copy(), KMedoids(2, metric="gower", metric_params={"kinds": {"age": "number"}})
    model.fit(CUSTOMERS)
    pandas.testing.assert_frame_equal(before, CUSTOMERS)
    assert model.metric_params == {"kinds": {"age": "number"}}


@pytest.mark.parametrize(
    ("table", "params", "message"),
    [
        (CUSTOMERS.assign(x=np.nan), {}, 'column "x" of X of pairwise_distances has no values at all'),
        ([[None, None], [1.0, 2.0], [2.0, "a"]], {}, "row 0 of X has no value in any column that counts"),
        ([[np.inf, 1.0]], {}, r"contains infinity: 1 infinite value in X\[:, 0\]"),
        ([[1.0, "a"]], {"kinds": "number"}, "column 1 of X of pairwise_distances is text"),
        (CUSTOMERS, {"kinds": {"plan": "asymmetric"}}, 'column "plan" .* must have two values'),
        ([[-1.7e308], [1.7e308]], {}, "ranges from -1.7e.308 to 1.7e.308, too far for gower"),
        (np.empty((0, 2)), {}, r"0 sample\(s\)"),
    ],
)
def test_bad_tables_are_told(table, params, message):
    """Law: what is wrong with a table is said by column or row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataNotice)
        with pytest.raises(InvalidData, match=message):
            pairwise_distances(table, metric="gower", **params)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"kinds": {"plann": "category"}},
            'names the column "plann", which is not there. Did you mean "plan"',
        ),
        ({"kinds": {"plan": "ordinal"}}, "is text without an order: .* give its levels"),
        ({"kinds": {"plan": ["free", "pro"]}}, 'must name all its values, "team" is not there'),
        ({"kinds": {"plan": "sort"}}, "must be \"number\", .* got 'sort'"),
        ({"kinds": ["number"]}, "must be one per column, 4, or a dict of some, got 1"),
        ({"w": [1, 2]}, r"w of gower must have one number per column, shape \(4,\)"),
        ({"w": [0, 0, 0, 0]}, "w of gower must be at least 0 in every column and more in some"),
        ({"w": {"plans": 2}}, 'w of gower names the column "plans", which is not there'),
    ],
)
def test_bad_parameters_are_told(params, message):
    """Law: a kind or weight that does not fit is refused by name."""
    with pytest.raises(InvalidParameter, match=message):
        pairwise_distances(CUSTOMERS, metric="gower", **params)


def test_other_columns_are_told():
    """Law: new rows need the columns of the fit; text in a column of numbers is refused."""
    model = KMedoids(2, metric="gower").fit(CUSTOMERS)
    with pytest.raises(InvalidData, match="feature names should match"):
        model.predict(CUSTOMERS[["age"]])
    with pytest.raises(InvalidData, match='column "age" of X of KMedoids must be numbers'):
        model.predict(CUSTOMERS.assign(age="old"))


def test_measures_of_centroids_are_refused():
    """Law: a measure that needs means of rows says so."""
    with pytest.raises(InvalidParameter, match="needs centroids, which tables with categories"):
        davies_bouldin_score(CUSTOMERS, GROUPS, metric="gower")


def test_hamming_and_jaccard_take_categories():
    """Law: text and categories are compared as they are, by methods too; numbers are those of before."""
    frame = pandas.DataFrame(
        {"a": list("xyxx"), "b": pandas.Categorical(list("uuvv")), "c": [1.0, 2.0, 1.0, 1.0]}
    )
    D = pairwise_distances(frame, metric="hamming")
    np.testing.assert_allclose(D[0], [0, 2 / 3, 1 / 3, 1 / 3])
    model = KMedoids(2, metric="hamming").fit(frame)
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    flags = pandas.DataFrame({"p": ["no", "yes", "yes"], "q": [True, True, False], "r": [0, 0, 1]})
    np.testing.assert_allclose(pairwise_distances(flags, metric="jaccard")[0], [0, 0.5, 1])
    with pytest.raises(InvalidData, match=r'column "a" .* must be yes or no for matching, got 3 .* hamming'):
        pairwise_distances(frame.assign(a=list("xyzx")), metric="matching")
    with pytest.raises(InvalidData, match='needs every cell; metric="gower" leaves missing ones out'):
        pairwise_distances(frame.assign(a=["x", None, "y", "x"]), metric="hamming")
    with pytest.raises(InvalidData, match='needs every cell; metric="gower" leaves missing ones out'):
        model.predict(frame.assign(a=["x", None, "y", "x"]))
    assert silhouette_score(frame, [0, 1, 0, 0], metric="hamming") > 0


def set_of(row):
    """Return what a row has: each category as a pair, and the columns that are yes."""
    pairs = {(name, row[name]) for name in ("plan", "region")}
    return pairs | {name for name in ("active", "news", "calls") if row[name] not in (False, "nein", 0)}


@pytest.mark.parametrize("name", ["jaccard", "dice"])
def test_rows_of_categories_are_sets(name, tmp_path):
    """Law: jaccard and dice compare sets of column=value and of what is yes, in methods and files too."""
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(
        {
            "plan": rng.choice(list("abcd"), 40),
            "region": pandas.Categorical(rng.choice(["north", "south"], 40)),
            "active": rng.random(40) < 0.4,
            "news": rng.choice(["ja", "nein"], 40),
            "calls": rng.integers(0, 3, 40),
        }
    )
    sets = [set_of(row) for _, row in frame.iterrows()]
    union = {"jaccard": lambda a, b: len(a | b), "dice": lambda a, b: (len(a) + len(b)) / 2}[name]
    expected = np.array([[1 - len(a & b) / union(a, b) for b in sets] for a in sets])
    np.testing.assert_allclose(pairwise_distances(frame, metric=name), expected, atol=1e-12)
    np.testing.assert_allclose(
        pairwise_distances(frame[:9], frame[9:], metric=name), expected[:9, 9:], atol=1e-12
    )
    for model in (KMedoids(3), HDBSCAN(min_cluster_size=5), AgglomerativeClustering(3, linkage="average")):
        ours = model.set_params(metric=name).fit(frame).labels_
        if hasattr(model, "predict") and not isinstance(model, HDBSCAN):  # which calls borders noise
            np.testing.assert_array_equal(model.predict(frame), ours)
        np.testing.assert_array_equal(ours, model.set_params(metric="precomputed").fit(expected).labels_)
    model = KMedoids(3, metric=name).fit(frame)
    coterie.save(model, tmp_path / "model.safetensors")
    new = frame.assign(plan=["e", *frame["plan"][1:]])
    with pytest.warns(DataNotice, match='column "plan" \\("e"\\). New categories differ from all others'):
        labels = coterie.load(tmp_path / "model.safetensors").predict(new)
    medoids = [sets[at] for at in model.medoid_indices_]
    new_sets = [set_of(row) for _, row in new.iterrows()]
    to_medoids = np.array([[1 - len(a & b) / union(a, b) for b in medoids] for a in new_sets])
    np.testing.assert_allclose(
        to_medoids[np.arange(40), labels], to_medoids.min(axis=1), atol=1e-12, err_msg="not the nearest"
    )
    with pytest.raises(InvalidParameter, match=f"levels of {name} must be whole numbers of at least 0"):
        pairwise_distances(np.zeros((2, 2)), metric=name, levels=[-1, 2])


def test_a_word_for_no_is_absence():
    """Law: in an asymmetric column "nein" is the absence, although "ja" sorts before it."""
    table = pandas.DataFrame({"news": ["ja", "ja", "nein", "nein"], "x": [0.0, 1.0, 0.0, 1.0]})
    D = pairwise_distances(table, metric="gower", kinds={"news": "asymmetric"})
    assert (D[0, 1], D[2, 3]) == (0.5, 1.0)  # both have it: counted; neither has: not


@pytest.mark.parametrize("dtype", ["object", "string"])
def test_text_columns_have_the_same_codes_for_every_type(dtype):
    """Law: text of pandas in any type is coded as lists of cells are, missing ones too; no cell: refused."""
    cells = ["b", "a", None, "", "b"]
    numbers = [1.0, 2.0, 3.0, 4.0, 5.0]
    frame = pandas.DataFrame({"n": numbers, "t": pandas.Series(cells, dtype=dtype)})
    expected = pairwise_distances([list(row) for row in zip(numbers, cells, strict=True)], metric="gower")
    np.testing.assert_array_equal(pairwise_distances(frame, metric="gower"), expected)
    with pytest.raises(InvalidData, match='column "t" of X of pairwise_distances has no values at all'):
        pairwise_distances(frame.assign(t=pandas.Series([None] * 5, dtype=dtype)), metric="gower")
