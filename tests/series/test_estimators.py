"""TimeSeriesKMeans and KShape: groups of shapes, laws of k-means, files, and scikit-learn's conventions."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

import coterie
import series_oracles as slow
from coterie.errors import CoterieError, InvalidData, InvalidParameter, ModelFileError
from coterie.series import KShape, TimeSeriesKMeans, normalise, pairwise

WAVES, KINDS = slow.waves(60)
ESTIMATORS = [
    TimeSeriesKMeans(3, metric="dtw", window=4, random_state=0, n_init=3),
    TimeSeriesKMeans(3, metric="softdtw", gamma=0.5, max_iter_barycenter=10, random_state=0),
    TimeSeriesKMeans(3, metric="euclidean", random_state=0, n_init=3),
    KShape(3, random_state=0, n_init=3),
]


def not_tried(estimator):
    """Return the checks of scikit-learn that do not hold, each with its reason."""
    if not isinstance(estimator, KShape):
        return {}
    return dict.fromkeys(
        ["check_clustering"], "its rows have two points: z-normalised, there are two such series in all"
    )


@parametrize_with_checks(
    [TimeSeriesKMeans(2, max_iter=5, max_iter_barycenter=3), KShape(2, max_iter=5)],
    expected_failed_checks=not_tried,
)
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_scikit_learns_checks(estimator, check):
    """Law: the conventions of scikit-learn hold."""
    check(estimator)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_shapes_are_found(model):
    """Law: series of three shapes are grouped by shape; predict, transform and inertia fit together."""
    found = model.fit(WAVES)
    assert adjusted_rand_score(KINDS, found.labels_) > 0.9
    np.testing.assert_array_equal(found.predict(WAVES), found.labels_)
    apart = found.transform(WAVES)
    assert apart.shape == (60, 3)
    power = 1 if isinstance(model, KShape) or model.metric == "softdtw" else 2
    np.testing.assert_allclose((apart.min(axis=1) ** power).sum(), found.inertia_, rtol=1e-9)
    assert found.cluster_centers_.shape == (3, 40, 1)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_seeds_and_threads(model):
    """Law: same seed, same answer, with one thread and with two."""
    with threadpool_limits(1):
        one = model.fit(WAVES[:30])
        centers, labels = one.cluster_centers_.copy(), one.labels_.copy()
    two = model.fit(WAVES[:30])
    assert np.array_equal(two.cluster_centers_, centers)
    assert np.array_equal(two.labels_, labels)


@pytest.mark.parametrize("model", ESTIMATORS, ids=repr)
def test_saved_models_predict_the_same(model, tmp_path):
    """Law: save, load, predict gives the same labels to the bit."""
    model.fit(WAVES)
    coterie.save(model, tmp_path / "m")
    loaded = coterie.load(tmp_path / "m")
    assert type(loaded) is type(model)
    np.testing.assert_array_equal(loaded.predict(WAVES), model.labels_)
    assert vars(loaded).keys() == vars(model).keys()


def test_damaged_models_are_refused(tmp_path):
    """Law: a state whose centres are not series is refused, as it would be on loading."""
    model = TimeSeriesKMeans(2, random_state=0).fit(WAVES[:12])
    for damage in (np.nan, np.inf):
        other = TimeSeriesKMeans(2, random_state=0).fit(WAVES[:12])
        other.cluster_centers_ = model.cluster_centers_.copy()
        other.cluster_centers_[0, 3] = damage
        with pytest.raises(ModelFileError, match="cluster_centers_ of TimeSeriesKMeans must"):
            coterie.save(other, tmp_path / "m")


def test_unequal_lengths_and_columns():
    """Law: series of any lengths and several columns are grouped; centres are padded by NaN."""
    rng = np.random.default_rng(0)
    up = [np.column_stack([np.linspace(0, 5, n), rng.normal(0, 0.1, n)]) for n in rng.integers(8, 16, 12)]
    down = [np.column_stack([np.linspace(5, 0, n), rng.normal(0, 0.1, n)]) for n in rng.integers(8, 16, 12)]
    for metric in ("dtw", "softdtw"):
        model = TimeSeriesKMeans(2, metric=metric, random_state=0, max_iter_barycenter=10).fit(up + down)
        assert adjusted_rand_score([0] * 12 + [1] * 12, model.labels_) == 1
        assert model.cluster_centers_.shape[2] == 2
        assert model.predict([up[0][:3]])[0] == model.labels_[0]
        block = model.cluster_centers_
        assert np.isfinite(block[:, 0]).all()
    with pytest.raises(InvalidData, match=r"one length for metric='euclidean', got .* Take metric='dtw'"):
        TimeSeriesKMeans(2, metric="euclidean").fit(up)
    with pytest.raises(InvalidData, match="must have the 2 columns of fit"):
        model.predict([[1.0, 2.0]])


def test_euclidean_is_kmeans():
    """Law: with metric='euclidean' it is k-means: centres are means, inertia that of scikit-learn's start."""
    from sklearn.cluster import KMeans

    start = WAVES[:3]
    ours = TimeSeriesKMeans(3, metric="euclidean", init=start, max_iter=300, tol=0).fit(WAVES)
    theirs = KMeans(3, init=start, n_init=1, max_iter=300, tol=0).fit(WAVES)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)
    np.testing.assert_allclose(ours.cluster_centers_[:, :, 0], theirs.cluster_centers_)
    np.testing.assert_allclose(ours.inertia_, theirs.inertia_)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
def test_groups_are_as_good_as_tslearns():
    """Law: the inertia of DBA k-means and of k-Shape is at most a few percent above tslearn's best."""
    clustering = slow.tslearn("clustering")
    peer = clustering.TimeSeriesKMeans(3, metric="dtw", n_init=2, random_state=0, max_iter=10).fit(WAVES[:30])
    ours = TimeSeriesKMeans(3, n_init=2, random_state=0, max_iter=10).fit(WAVES[:30])
    centers = [one[:, 0] for one in peer.cluster_centers_]
    theirs = (pairwise(WAVES[:30], centers).min(axis=1) ** 2).sum()
    assert ours.inertia_ <= 1.05 * theirs
    shapes = clustering.KShape(3, n_init=2, random_state=0).fit(normalise(WAVES[:30]).to_array())
    found = KShape(3, n_init=2, random_state=0).fit(WAVES[:30])
    theirs = pairwise(normalise(WAVES[:30]), list(shapes.cluster_centers_), metric="sbd").min(axis=1).sum()
    assert found.inertia_ <= 1.05 * theirs


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("start", [(0, 1, 2), (3, 7, 11), (5, 25, 49)], ids=str)
def test_shapes_are_as_good_as_tslearns_from_one_start(start):
    """Law: from the same first shapes, the inertia of k-Shape is tslearn's or less, but for a 10,000th."""
    clustering = slow.tslearn("clustering")
    X = normalise(WAVES).to_array()
    peer = clustering.KShape(3, init=X[list(start)]).fit(X)
    theirs = pairwise(X, list(peer.cluster_centers_), metric="sbd").min(axis=1).sum()
    assert KShape(3, init=X[list(start)]).fit(X).inertia_ <= (1 + 1e-4) * theirs


def test_shapes_of_unequal_lengths():
    """Law: shorter series join the shape they are part of; distances are those of `pairwise`."""
    rng = np.random.default_rng(0)
    cuts = rng.integers(30, 41, len(WAVES))
    X = [wave[:cut] for wave, cut in zip(WAVES, cuts, strict=True)]
    model = KShape(3, random_state=0, n_init=3).fit(X)
    assert model.cluster_centers_.shape == (3, 40, 1)
    assert adjusted_rand_score(KINDS, model.labels_) > 0.9
    apart = pairwise(normalise(X), list(model.cluster_centers_), metric="sbd")
    np.testing.assert_allclose(model.transform(X), apart, atol=1e-12)
    np.testing.assert_allclose(model.inertia_, apart.min(axis=1).sum())
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.predict([np.tile(WAVES[0], 2)]).shape == (1,)  # longer than any shape
    padded = np.full((len(X), 40), np.nan)
    for row, one in zip(padded, X, strict=True):
        row[: len(one)] = one
    again = KShape(3, random_state=0, n_init=3).fit(padded)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_a_point_and_long_series_make_shapes_without_nan():
    """Law: series of one point have no shape; they are grouped without NaN, whatever stands beside them."""
    X = [[1.0], [0.0, 1.0, 0.0, -1.0], [5.0, 1.0, 5.0, 1.0, 5.0], [0.0, 2.0, 0.0, -2.0]]
    found = KShape(2, init=[X[1], X[2]]).fit(X)
    assert np.isfinite(found.cluster_centers_).all()
    assert found.labels_[1] == found.labels_[3] != found.labels_[2]


def test_shapes_do_not_depend_on_level_or_amplitude():
    """Law: k-Shape gives the same labels for series that are shifted and stretched in value."""
    rng = np.random.default_rng(1)
    moved = WAVES * rng.uniform(0.5, 20, (60, 1)) + rng.normal(0, 100, (60, 1))
    one, other = (KShape(3, random_state=0).fit(X) for X in (WAVES, moved))
    np.testing.assert_array_equal(one.labels_, other.labels_)


def test_more_iterations_lower_the_inertia():
    """Law: no iteration of k-means raises J, and every label is that of the nearest centre."""
    for metric in ("dtw", "euclidean"):
        runs = [
            TimeSeriesKMeans(4, metric=metric, init=WAVES[:4], max_iter=n, tol=0).fit(WAVES).inertia_
            for n in range(1, 6)
        ]
        assert (np.diff(runs) <= 1e-9).all()


def test_duplicates_give_fewer_groups():
    """Law: fewer different series than groups give fewer groups, with a warning."""
    X = np.repeat(WAVES[:2], 5, axis=0)
    for model in (TimeSeriesKMeans(3, random_state=0), KShape(3, random_state=0)):
        with pytest.warns(ConvergenceWarning, match="distinct clusters"):
            found = model.fit(X)
        assert len(found.cluster_centers_) == 2
        assert found.predict(X).tolist() == found.labels_.tolist()


def test_one_series_and_constant_ones():
    """Law: one series is one group; constant series have no shape, and no NaN."""
    assert TimeSeriesKMeans(1).fit([[1.0, 2.0]]).labels_.tolist() == [0]
    assert KShape(1).fit([[1.0, 2.0, 1.0]]).inertia_ == pytest.approx(0)
    flat = KShape(1).fit(np.ones((4, 6)))
    assert np.isfinite(flat.cluster_centers_).all()
    assert flat.labels_.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (TimeSeriesKMeans(70), "n_clusters of TimeSeriesKMeans must be at most n_samples=60, got 70"),
        (TimeSeriesKMeans(0), "n_clusters of TimeSeriesKMeans must be"),
        (TimeSeriesKMeans(2, metric="dwt"), "metric of TimeSeriesKMeans must be"),
        (TimeSeriesKMeans(2, window=-2), "window of TimeSeriesKMeans must be"),
        (TimeSeriesKMeans(2, gamma=0), "gamma of TimeSeriesKMeans must be"),
        (TimeSeriesKMeans(2, gamma=1e308), "gamma of TimeSeriesKMeans must be"),
        (TimeSeriesKMeans(2, init=[[1.0, 2.0]]), "init of TimeSeriesKMeans must hold n_clusters=2 series"),
        (TimeSeriesKMeans(2, metric="euclidean", init=[[1.0], [2.0]]), "series of 40 points"),
        (KShape(61), "n_clusters of KShape must be at most"),
        (KShape(2, init="dba"), "init of KShape must be"),
        (KShape(2, init=[[1.0, 2.0]]), "init of KShape must hold n_clusters=2 series of at most 40 points"),
    ],
    ids=str,
)
def test_wrong_parameters_are_refused(model, words):
    """Law: an error says what, where, allowed and got."""
    with pytest.raises(InvalidParameter, match=words):
        model.fit(WAVES)


def test_wrong_series_are_refused():
    """Law: NaN inside, infinite and empty series are refused by both."""
    for model in (TimeSeriesKMeans(1), KShape(1)):
        for X in ([[1.0, np.nan, 2.0]], [[np.inf, 1.0]], [[]], [["a", "b"]], np.empty((0, 4))):
            with pytest.raises(CoterieError):
                model.fit(X)
