"""Superpixels and regions: connected, near the borders of made pictures, the same for any threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import ndimage

from benchmarks.scenes import boundary_recall, make_scene, undersegmentation
from coterie import _core
from coterie.errors import InvalidParameter
from coterie.evaluate import adjusted_rand_score
from coterie.image import region_graph, segment, slic, to_space

PICTURE, TRUTH = make_scene(1, 90, 120)


def are_connected(labels):
    return all(ndimage.label(labels == label)[1] == 1 for label in np.unique(labels))


@given(
    arrays(np.uint8, st.tuples(st.integers(1, 14), st.integers(1, 14), st.sampled_from([3, 4]))),
    st.integers(1, 30),
    st.sampled_from([0.01, 1.0, 10.0, 1e9]),
    st.integers(1, 4),
)
@settings(max_examples=60, deadline=None)
def test_laws_of_superpixels(image, n_segments, compactness, max_iter):
    """Law: labels 0..n-1 in the order of first pixels, connected, none too small unless alone."""
    n_pixels = image.shape[0] * image.shape[1]
    n_segments = min(n_segments, n_pixels)
    found = slic(image, n_segments, compactness=compactness, max_iter=max_iter, n_jobs=1)
    labels = found.labels
    present, first = np.unique(labels.ravel(), return_index=True)
    assert present.tolist() == list(range(found.n))
    assert (np.diff(first) > 0).all()
    assert are_connected(labels)
    assert found.n == 1 or found.sizes.min() >= max(1, round(0.25 * n_pixels / n_segments))
    assert np.array_equal(found.sizes, np.bincount(labels.ravel()))
    again = slic(image, n_segments, compactness=compactness, max_iter=max_iter, n_jobs=2)
    assert np.array_equal(again.labels, labels)


@pytest.mark.parametrize("seed", range(3))
def test_borders_are_found_as_well_as_by_scikit_image(seed):
    """Law: no worse boundary recall and undersegmentation than scikit-image's, by no more segments."""
    from skimage.segmentation import slic as peer

    image, truth = make_scene(seed, 180, 240, noise=4.0)
    ours = slic(image, 250, compactness=20.0)
    theirs = peer(image, 320, compactness=20.0, start_label=0, channel_axis=-1)
    assert ours.n <= 1.05 * (theirs.max() + 1)
    assert boundary_recall(ours.labels, truth) >= boundary_recall(theirs, truth) - 0.01
    assert undersegmentation(ours.labels, truth) <= undersegmentation(theirs, truth) + 0.001


def test_connected_parts():
    """Law: without a least size the parts are SciPy's; small ones join the neighbour of nearest colour."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (17, 23)).astype(np.int32)
    planes = np.zeros((1, 17, 23), np.int16)
    found, sizes, _ = map(np.asarray, _core.connect_labels(planes, labels, 1, 2))
    parts = sum(ndimage.label(labels == label)[1] for label in range(3))
    assert len(sizes) == parts
    assert are_connected(found)
    assert all(len(np.unique(labels[found == part])) == 1 for part in range(parts))
    row = np.array([[0, 0, 0, 1, 2, 2, 2]], np.int32)
    near = np.array([[[0, 0, 0, 60, 100, 100, 100]]], np.int16)
    assert np.asarray(_core.connect_labels(near, row, 2, 1)[0]).tolist() == [[0, 0, 0, 1, 1, 1, 1]]


def test_superpixels_of_flat_pictures():
    """Law: of one colour, superpixels are the cells of a grid of about the wanted number."""
    found = slic(np.full((60, 90), 0.5), 24)
    assert found.n == 24
    assert found.sizes.tolist() == [225] * 24
    assert found.rgb.tolist() == [[128, 128, 128]] * 24
    assert slic(np.zeros((1, 1)), 1).labels.tolist() == [[0]]


def test_region_graph():
    """Law: the graph counts the sides that two regions share."""
    labels = slic(PICTURE, 30).labels
    slow = np.zeros((labels.max() + 1,) * 2, int)
    for y in range(labels.shape[0]):
        for x in range(labels.shape[1]):
            for other in [(y, x + 1), (y + 1, x)]:
                if (
                    other[0] < labels.shape[0]
                    and other[1] < labels.shape[1]
                    and labels[y, x] != labels[other]
                ):
                    slow[labels[y, x], labels[other]] += 1
    assert np.array_equal(region_graph(labels).toarray(), slow + slow.T)


def test_merges_are_those_of_a_slow_loop():
    """Law: Ward's merges along the graph are those of brute force, with pixels as weights."""
    small = slic(PICTURE, 40)
    found = segment(PICTURE, 6, n_superpixels=40)
    edges = region_graph(small.labels).toarray() > 0
    groups = {at: [at] for at in range(small.n)}

    def cost(a, b):
        sizes = [small.sizes[groups[g]].sum() for g in (a, b)]
        means = [np.average(small.colours[groups[g]], axis=0, weights=small.sizes[groups[g]]) for g in (a, b)]
        return sizes[0] * sizes[1] / sum(sizes) * ((means[0] - means[1]) ** 2).sum()

    while len(groups) > 6:
        near = [
            (cost(a, b), a, b)
            for a in groups
            for b in groups
            if a < b and edges[np.ix_(groups[a], groups[b])].any()
        ]
        _, a, b = min(near)
        groups[a] += groups.pop(b)
    labels = np.empty(small.n, int)
    for at, members in enumerate(groups.values()):
        labels[members] = at
    assert adjusted_rand_score(labels[small.labels].ravel(), found.labels.ravel()) == 1
    assert found.n_parts == found.k == 6
    assert (np.diff(found.shares) <= 0).all()


def test_regions_of_a_made_picture():
    """Law: merging and cuts find most of the true segments; every rule for their number is one."""
    k = len(np.unique(TRUTH))
    for how in ({"k": k}, {"share": 0.004}, {"threshold": 12.0}):
        found = segment(PICTURE, n_superpixels=200, **how)
        assert adjusted_rand_score(TRUTH.ravel(), found.labels.ravel()) > 0.85
        assert are_connected(found.labels)
        assert found.draw().shape == PICTURE.shape
    cut = segment(PICTURE, k, method="spectral", n_superpixels=200)
    assert cut.k == k
    assert adjusted_rand_score(TRUTH.ravel(), cut.labels.ravel()) > 0.6
    assert cut.n_parts >= k
    assert segment(PICTURE, method="slic").k == segment(PICTURE, method="slic").superpixels.n


def test_colours_are_means():
    """Law: the colour of a region is the mean of its pixels in CIELAB; a flat picture is one region."""
    found = segment(PICTURE, 8)
    for label in range(8):
        own = to_space(PICTURE[found.labels == label], "cielab").mean(axis=0)
        assert np.abs(own - to_space(found.colours[label], "cielab")).max() < 1
    assert segment(np.full((20, 20), 0.3)).k == 1
    facts = found.to_dict()
    assert facts["k"] == len(facts["regions"]) == 8
    assert sum(region["share"] for region in facts["regions"]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"k": 0}, "k of segment must be"),
        ({"k": 10**6}, "at most the number of superpixels"),
        ({"method": "watershed"}, "method of segment must be one of"),
        ({"method": "spectral"}, "k of segment must be given"),
        ({"method": "slic", "share": 0.1}, 'share of segment is for method="merge"'),
        ({"k": 3, "threshold": 5.0}, "k and threshold of segment exclude each other"),
        ({"share": 0.0}, "share of segment must be"),
        ({"share": 1.5}, "share of segment must be"),
        ({"threshold": np.nan}, "threshold of segment must be"),
        ({"compactness": 0}, "compactness of slic must be"),
        ({"n_superpixels": 10**9}, "n_segments of slic must be at most the number of pixels"),
        ({"space": "hsv"}, "space of slic must be one of"),
    ],
)
def test_wrong_parameters(wrong, words):
    """Law: each parameter says what it takes and what it got."""
    with pytest.raises(InvalidParameter, match=words):
        segment(PICTURE, **wrong)
