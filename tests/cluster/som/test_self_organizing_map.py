"""Laws of self-organizing maps, and comparison with their formulas written out and with MiniSom."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from coterie.cluster import SelfOrganizingMap
from coterie.cluster.som import LAYOUTS, Grid
from coterie.errors import InvalidData, InvalidParameter
from mixture_rows import IRIS, clouds

SIZES = [(1, 1), (1, 7), (6, 1), (2, 2), (5, 4), (4, 7)]


def gaussians(grid, sigma):
    """Return how much each node counts for each other, pair by pair."""
    places = grid.places
    return np.exp(-((places[:, None] - places[None]) ** 2).sum(axis=2) / (2 * sigma**2))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_sums_over_nearby_nodes_are_those_of_all_pairs(size, layout):
    """Law: sums along columns and then rows are the sums over all pairs of nodes."""
    grid = Grid(*size, layout)
    values = np.random.default_rng(0).normal(size=(grid.n_nodes, 3))
    for sigma in (0.3, 1.0, 5.0):
        np.testing.assert_allclose(grid.smooth(values, sigma), gaussians(grid, sigma) @ values, atol=1e-12)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("layout", "most"), [("rectangular", 8), ("hexagonal", 6)])
def test_neighbours_are_those_that_touch(size, layout, most):
    """Law: neighbours are the nodes at distance 1, or sqrt(2) between squares; being one is mutual."""
    grid = Grid(*size, layout)
    squared = ((grid.places[:, None] - grid.places[None]) ** 2).sum(axis=2)
    touching = (squared < (1.1 if layout == "hexagonal" else 2.1)) & (squared > 0)
    for node in range(grid.n_nodes):
        np.testing.assert_array_equal(grid.neighbours(node), np.flatnonzero(touching[node]))
    assert touching.sum(axis=1).max(initial=0) <= most
    np.testing.assert_array_equal(touching, touching.T)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("is_weighted", [False, True])
def test_every_epoch_is_the_definition(layout, is_weighted):
    """Law: vectors are the weighted means of all rows by the distance of nodes, epoch after epoch."""
    X, grid = clouds(n=211, d=3), Grid(4, 5, layout)
    weights = np.random.default_rng(0).uniform(0, 3, size=len(X)) if is_weighted else np.ones(len(X))
    start = X[:20]
    som = SelfOrganizingMap(
        4,
        5,
        layout=layout,
        init=start,
        sigma=(2.0, 0.5),
        learning_rate=(1.0, 0.3),
        decay="linear",
        n_epochs=4,
    ).fit(X, sample_weight=weights)
    vectors = start
    for sigma, rate in zip(np.linspace(2.0, 0.5, 4), np.linspace(1.0, 0.3, 4), strict=True):
        nodes = ((X[:, None] - vectors[None]) ** 2).sum(axis=2).argmin(axis=1)
        counts = gaussians(grid, sigma)[:, nodes] * weights
        vectors = vectors + rate * (counts @ X / counts.sum(axis=1, keepdims=True) - vectors)
    np.testing.assert_allclose(som.codebook_, vectors, rtol=1e-10, atol=1e-10)
    distances = np.sqrt(((X[:, None] - vectors[None]) ** 2).sum(axis=2))
    np.testing.assert_array_equal(som.labels_, distances.argmin(axis=1))
    np.testing.assert_allclose(som.transform(X), distances, rtol=1e-7)
    assert som.quantization_error_ == pytest.approx(np.average(distances.min(axis=1), weights=weights))
    first, second = np.argsort(distances, axis=1)[:, :2].T
    apart = np.sqrt(((grid.places[first] - grid.places[second]) ** 2).sum(axis=1)) > 1.42
    if layout == "rectangular":
        assert som.topographic_error_ == pytest.approx(np.average(apart, weights=weights))
    np.testing.assert_allclose(som.hits_.ravel(), np.bincount(first, weights, 20))
    assert som.quantization_error(X, weights) == pytest.approx(som.quantization_error_)
    assert som.topographic_error(X, weights) == pytest.approx(som.topographic_error_)
    np.testing.assert_array_equal(som.places(X), np.column_stack(np.divmod(first, 5)))


def test_errors_and_u_matrix_are_those_of_minisom():
    """Law: for the same vectors, both errors and the mean distances to neighbours are MiniSom's."""
    minisom = pytest.importorskip("minisom", reason="MiniSom is a peer for comparison")
    som = SelfOrganizingMap(6, 7).fit(IRIS)
    theirs = minisom.MiniSom(6, 7, 4)
    theirs._weights = som.codebook_.reshape(6, 7, 4)
    assert som.quantization_error_ == pytest.approx(theirs.quantization_error(IRIS))
    assert som.topographic_error_ == pytest.approx(theirs.topographic_error(IRIS))
    expected = theirs.distance_map(scaling="mean")  # divided by the largest
    np.testing.assert_allclose(som.u_matrix_ / som.u_matrix_.max(), expected, rtol=1e-9)
    assert [tuple(place) for place in som.places(IRIS)] == [theirs.winner(row) for row in IRIS]


def test_quality_at_the_level_of_minisom():
    """Law: the defaults lie closer to the rows than MiniSom's after ten passes, in better order."""
    minisom = pytest.importorskip("minisom", reason="MiniSom is a peer for comparison")
    X = clouds(n=300, d=5, k=6)
    som = SelfOrganizingMap(8, 8).fit(X)
    theirs = minisom.MiniSom(8, 8, 5, random_seed=0)
    theirs.pca_weights_init(X)
    theirs.train(X, 10 * len(X))
    assert som.quantization_error_ <= theirs.quantization_error(X)
    assert som.topographic_error_ <= theirs.topographic_error(X)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 30),
    d=st.integers(1, 4),
    size=st.sampled_from(SIZES),
    layout=st.sampled_from(LAYOUTS),
    init=st.sampled_from(["pca", "random"]),
    decay=st.sampled_from(["exponential", "linear", "inverse"]),
    digits=st.integers(0, 2),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_odd_data(seed, n, d, size, layout, init, decay, digits, dtype):
    """Law: on ties and few rows too, vectors stay in the box of the rows, and labels are predicted."""
    X = np.random.default_rng(seed).normal(size=(n, d)).round(digits).astype(dtype)
    som = SelfOrganizingMap(*size, layout=layout, init=init, decay=decay, n_epochs=5, random_state=seed).fit(
        X
    )
    slack = 1e-5 * np.abs(X).max() + 1e-12
    assert (som.codebook_ >= X.min(axis=0) - slack).all()
    assert (som.codebook_ <= X.max(axis=0) + slack).all()
    np.testing.assert_array_equal(som.predict(X), som.labels_)
    assert som.hits_.sum() == n
    assert som.codebook_.dtype == dtype


def test_the_map_of_a_line_is_in_order():
    """Law: on rows along a line, the nodes of a chain have rising or falling vectors, and no row is torn."""
    X = np.random.default_rng(0).uniform(size=(400, 1))
    som = SelfOrganizingMap(1, 20).fit(X)
    steps = np.diff(som.codebook_.ravel())
    assert (steps > 0).all() or (steps < 0).all()
    assert som.topographic_error_ == 0.0


def test_groups_of_nodes():
    """Law: with n_clusters, nodes are merged to groups; distant clouds are found; ridges divide them."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 80)
    X = rng.normal(size=(240, 2)) + np.array([[0, 0], [15, 0], [0, 15]])[truth]
    som = SelfOrganizingMap(6, 6, n_clusters=3).fit(X)
    assert len({(a, b) for a, b in zip(truth, som.labels_, strict=True)}) == 3
    np.testing.assert_array_equal(som.node_labels_[som.nodes_], som.labels_)
    assert som.u_matrix_.max() > 2 * np.median(som.u_matrix_)
    with pytest.warns(ConvergenceWarning, match="Number of distinct clusters"):
        few = SelfOrganizingMap(2, 2, n_clusters=3).fit([[0.0], [0.0], [0.0], [9.0]])
    assert len(set(few.labels_)) == 2


def test_weights_count_rows():
    """Law: a row of weight 3 is three rows, and one of weight 0 is none."""
    X = clouds(n=120)
    counts = np.random.default_rng(1).integers(0, 4, size=len(X))
    weighted = SelfOrganizingMap(4, 4).fit(X, sample_weight=counts)
    repeated = SelfOrganizingMap(4, 4).fit(np.repeat(X, counts, axis=0))
    np.testing.assert_allclose(weighted.codebook_, repeated.codebook_, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(weighted.hits_, repeated.hits_)
    assert weighted.quantization_error_ == pytest.approx(repeated.quantization_error_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_number_of_threads_gives_the_same_bits(dtype):
    """Law: threads change nothing."""
    X, fits = clouds(n=9000).astype(dtype), []
    for threads in (1, 2, 5):
        with threadpool_limits(threads):
            fits.append(SelfOrganizingMap(7, 9, layout="hexagonal", n_epochs=5).fit(X))
    for other in fits[1:]:
        np.testing.assert_array_equal(other.codebook_, fits[0].codebook_)
        assert other.topographic_error_ == fits[0].topographic_error_


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_rows": 0}, "n_rows of SelfOrganizingMap must be a whole number of at least 1, got 0"),
        ({"layout": "hex"}, 'layout of SelfOrganizingMap must be one of "rectangular", "hexagonal"'),
        ({"n_clusters": 26}, "n_clusters of SelfOrganizingMap must be at most"),
        ({"sigma": 0}, "sigma of SelfOrganizingMap must be"),
        ({"sigma": (1.0, 0.0)}, "sigma of SelfOrganizingMap must be a number greater than 0, or two of them"),
        ({"sigma": [1.0]}, "or two of them for the first and the last epoch"),
        ({"learning_rate": 1.5}, "learning_rate of SelfOrganizingMap must be"),
        ({"learning_rate": (0.5, "a")}, "learning_rate of SelfOrganizingMap must be a number"),
        ({"decay": "cosine"}, "decay of SelfOrganizingMap must be"),
        ({"n_epochs": 0}, "n_epochs of SelfOrganizingMap must be a whole number of at least 1"),
    ],
)
def test_wrong_parameters_are_explained(options, words):
    """Law: a wrong parameter is named, with what is allowed."""
    with pytest.raises(InvalidParameter, match=words):
        SelfOrganizingMap(**{"n_rows": 5, "n_columns": 5} | options).fit(IRIS)


def test_odd_rows_and_starts():
    """Law: one row and equal rows have a map; a start of another shape is refused; a huge grid too."""
    assert SelfOrganizingMap(2, 2).fit([[3.0, 4.0]]).quantization_error_ == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        equal = SelfOrganizingMap(3, 3, init="random", random_state=0).fit(np.ones((9, 2)))
    assert equal.quantization_error_ == 0.0
    with pytest.raises(InvalidData, match="does not match the number of features"):
        SelfOrganizingMap(2, 2, init=np.ones((4, 3))).fit(IRIS)
    with pytest.raises(
        MemoryError, match=r"a map of .* nodes needs .*Use fewer rows and columns of the grid"
    ):
        SelfOrganizingMap(10**7, 10**7).fit(IRIS)


@pytest.mark.parametrize("decay", ["linear", "exponential", "inverse"])
@pytest.mark.parametrize("sigma", [1e150, (1e150, 0.5), (3.0, 5e-324)])
def test_the_reach_of_a_node_ends_at_its_last_value(decay, sigma):
    """Law: between values as far apart as these, rounding does not make the reach 0."""
    X = np.random.default_rng(0).normal(size=(20, 2))
    som = SelfOrganizingMap(2, 3, sigma=sigma, decay=decay, n_epochs=4, random_state=0).fit(X)
    assert np.isfinite(som.codebook_).all()
