"""An array that says where the engine reads or writes is refused when it points outside."""

import numpy as np
import pytest

from coterie import _core

EUCLIDEAN = _core.Metric(_core.Kernel.dot, _core.Finish.norm)
N, K = 12, 3
X = np.arange(3.0 * N).reshape(N, 3)
D = np.abs(X[:, :1] - X[:, 0])
ROW_OF_CORE = np.ones(N)
LABELS = (np.arange(N) % K).astype(np.int32)
EDGES = np.column_stack([np.arange(N - 1), np.arange(1, N)])
LENGTHS = np.ones(N - 1)
NEAR = np.column_stack([(np.arange(N) + 1) % N, (np.arange(N) + 2) % N])
CSR = (np.ones(N), LABELS, np.arange(N + 1))  # N x 3, one entry per row
RING = (np.ones(N), ((np.arange(N) + 1) % N).astype(np.int32), np.arange(N + 1))  # N x N
STRIP = (
    np.array([0, *range(1, 2 * N - 2, 2), 2 * N - 2]),
    np.array([1, *np.ravel(EDGES[1:, [0]] + [-1, 1]), N - 2], np.int32),
)
MERGES = (np.array([0, 2, 4]), np.array([1, 3, 5]))  # of four rows
TREE = (np.array([0, 2, 4, 6]), np.array([0, 1, 2, 3, 4, 5]), 4)
CF_TREE = (np.array([0, 1, 2, 4]), np.array([-1, -1, 0, 1]), np.ones(4), np.zeros(4), np.zeros((4, 2)))
SWAPS = _core.SwapOptions(_core.MedoidObjective.distance, _core.SwapRule.first, 3)
KDTREE = _core.KDTree(X)

# name -> (function, arguments that are fine)
CALLS = {
    "silhouette": (_core.silhouette, (X, LABELS, K, EUCLIDEAN)),
    "group_sums": (_core.group_sums, (X, X, LABELS, K, EUCLIDEAN)),
    "group_extremes": (_core.group_extremes, (X, LABELS, X, LABELS, K, EUCLIDEAN)),
    "barycentres": (_core.barycentres, (X, LABELS, K, None, _core.Barycentre.mean)),
    "pairwise_along": (_core.pairwise_along, (X, RING[1], RING[2], EUCLIDEAN)),
    "list_below": (_core.list_below, (X, X, EUCLIDEAN, 1.0, np.arange(N + 1))),
    "kmeans_fit_sparse": (_core.kmeans_fit_sparse, (*CSR, 3, X[:2].copy(), None, _core.KMeansOptions())),
    "kmeans_seed_sparse": (_core.kmeans_seed_sparse, (*CSR, 3, 2, None, 2, 0)),
    "sparse_nearest": (_core.sparse_nearest, (*CSR, X)),
    "sparse_pairwise_squared": (_core.sparse_pairwise_squared, (*CSR, X)),
    "add_rows": (_core.add_rows, (np.zeros((K, N)), D, np.arange(N), LABELS, np.ones(N))),
    "build_medoids": (_core.build_medoids, (D, np.arange(N), None, K)),
    "swap_medoids": (_core.swap_medoids, (D, np.arange(N), None, np.arange(K)[None], SWAPS)),
    "joining_edges": (_core.joining_edges, (EDGES, N)),
    "leiden": (
        _core.leiden,
        (*STRIP, np.ones(2 * N - 2), np.zeros(N), np.ones(N), None, 0.1, 0.01, 2, 0),
    ),
    "exchange_edges": (_core.exchange_edges, (*EDGES.astype(np.int32).T.copy(), False, 10, 0)),
    "genie_merges": (_core.genie_merges, (EDGES, 0.3)),
    "link_edges": (_core.link_edges, (EDGES, LENGTHS)),
    "link_graph": (_core.link_graph, (*RING, _core.LinkageRule.average, True, None, N - 1)),
    "regrow": (_core.regrow, (NEAR, np.ones((N, 2)), ROW_OF_CORE, 1.0, EDGES, LENGTHS)),
    "grow_of_tree": (_core.grow_of_tree, (KDTREE, ROW_OF_CORE, 1.0, EDGES, LENGTHS)),
    "spanning_tree_of_neighbours": (
        _core.spanning_tree_of_neighbours,
        (KDTREE, NEAR, np.ones((N, 2)), ROW_OF_CORE),
    ),
    "merge_components": (_core.merge_components, (EDGES,)),
    "condense": (_core.condense, (*MERGES, np.ones(3), np.array([2, 2, 4]), 2)),
    "cut_below": (_core.cut_below, (*MERGES, np.ones(3), 2.0, 1)),
    "optics_of_graph": (_core.optics_of_graph, (*RING, ROW_OF_CORE, 2.0)),
    "cut_silhouettes": (
        _core.cut_silhouettes,
        (np.ones((N, K)), LABELS.astype(np.int64), np.array([[0, 1, 1], [0, 2, 1]])),
    ),
    "tree_sizes": (_core.tree_sizes, TREE),
    "tree_leaf_order": (_core.tree_leaf_order, (*TREE, np.array([1, 1, 1, 1, 2, 2, 4]))),
    "tree_by_height": (_core.tree_by_height, (*TREE, np.array([1.0, 1.0, 2.0]))),
    "tree_common_nodes": (_core.tree_common_nodes, (*TREE, np.array([[0, 3]]))),
    "tree_class_curves": (_core.tree_class_curves, (*TREE, np.array([0, 0, 1, 1], dtype=np.int32), 2)),
    "tree_overlap_curve": (_core.tree_overlap_curve, (*TREE[:2], *TREE, np.array([3, 2, 1]))),
    "tree_write_newick": (
        _core.tree_write_newick,
        (*TREE, np.ones(7), b"abcd", np.array([1, 2, 3, 4])),
    ),
    "CFTree": (_core.CFTree, CF_TREE),
}


def _damaged(array: np.ndarray) -> list[np.ndarray]:
    """Copy an index array with one entry far above or below, at either end; and without its last entry."""
    copies = []
    for position in (0, -1):
        for wrong in (10**6, -(10**6)):
            copy = array.copy()
            copy.reshape(-1)[position] = wrong
            copies.append(copy)
    return [*copies, array[:-1].copy()]


@pytest.mark.parametrize("name", CALLS)
def test_an_index_outside_is_refused(name):
    """Law: with one index far outside, or an array too short, a call refuses or answers within its memory."""
    call, arguments = CALLS[name]
    call(*arguments)
    refused = 0
    for place, argument in enumerate(arguments):
        if not isinstance(argument, np.ndarray) or argument.dtype.kind != "i":
            continue
        for damaged in _damaged(argument):
            try:
                call(*arguments[:place], damaged, *arguments[place + 1 :])
            except ValueError:
                refused += 1
    assert refused >= 3


MOMENTS = _core.column_moments(X)
WHOLE = _core.KMeansWhole(N, MOMENTS)
OPTIONS = _core.KMeansOptions()
WEIGHTS = np.ones(N)
CENTRES = X[:K].copy()
BLOCK = _core.KMeansBlock64(X, WEIGHTS, WHOLE, K, _core.KMeansAlgorithm.lloyd)

# name -> (function, arguments that are fine, the argument that is not, the words)
LENGTHS_THAT_DO_NOT_FIT = {
    "kmeans_fit start": (
        _core.kmeans_fit,
        (X, CENTRES, None, OPTIONS),
        1,
        "start must have 3 columns, got 2",
    ),
    "kmeans_fit weights": (
        _core.kmeans_fit,
        (X, CENTRES, WEIGHTS, OPTIONS),
        2,
        "weights must have 12 entries",
    ),
    "kmeans_fit columns": (
        _core.kmeans_fit,
        (X, CENTRES, None, OPTIONS, None, MOMENTS),
        5,
        "columns must have 3 entries, got 2",
    ),
    "kmeans_labels centres": (
        _core.kmeans_labels,
        (X, CENTRES, X[0]),
        1,
        "centres must have 3 columns, got 2",
    ),
    "kmeans_labels origin": (_core.kmeans_labels, (X, CENTRES, X[0]), 2, "origin must have 3 entries, got 2"),
    "kmeans_labels weights": (
        _core.kmeans_labels,
        (X, CENTRES, X[0], WEIGHTS),
        3,
        "weights must have 12 entries, got 11",
    ),
    "kmeans_step X": (_core.kmeans_step, (X, CENTRES, np.ones(K)), 0, "X must have 3 columns, got 2"),
    "kmeans_step counts": (
        _core.kmeans_step,
        (X, CENTRES, np.ones(K)),
        2,
        "counts must have 3 entries, got 2",
    ),
    "kmeans_step weights": (
        _core.kmeans_step,
        (X, CENTRES, np.ones(K), WEIGHTS),
        3,
        "weights must have 12 entries, got 11",
    ),
    "column_moments weights": (_core.column_moments, (X, WEIGHTS), 1, "weights must have 12 entries, got 11"),
    "column_sums origin": (_core.column_sums, (X, X[0]), 1, "origin must have 3 entries, got 2"),
    "column_sums weights": (_core.column_sums, (X, X[0], WEIGHTS), 2, "weights must have 12 entries, got 11"),
    "moments_of_sums": (_core.moments_of_sums, (np.ones(13), X[0]), 0, "total must have 13 entries, got 12"),
    "kmeans_units": (_core.kmeans_units, (WHOLE, X[0]), 1, "columns must have 2 entries, got 3"),
    "KMeansBlock64 X": (
        _core.KMeansBlock64,
        (X, None, WHOLE, K, _core.KMeansAlgorithm.lloyd),
        0,
        "columns must have 2 entries, got 3",
    ),
    "KMeansBlock64 weights": (
        _core.KMeansBlock64,
        (X, WEIGHTS, WHOLE, K, _core.KMeansAlgorithm.lloyd),
        1,
        "weights must have 12 entries, got 11",
    ),
    "KMeansBlock64.assign": (BLOCK.assign, (CENTRES,), 0, "centres must have 3 columns, got 2"),
    "kmeans_seed weights": (
        _core.kmeans_seed,
        (X, K, WEIGHTS, 2, 0),
        2,
        "weights must have 12 entries, got 11",
    ),
    **{
        call.__name__: (call, (X, X, EUCLIDEAN, *more), 1, "Y must have 3 columns, got 2")
        for call, more in (
            (_core.nearest, ()),
            (_core.nearest_exact, ()),
            (_core.nearest_two, ()),
            (_core.smallest, (2,)),
            (_core.count_below, (1.0,)),
            (_core.pairwise, ()),
        )
    },
    "build_medoids": (
        _core.build_medoids,
        (X, X, EUCLIDEAN, np.arange(N), None, K),
        1,
        "points must have 3 columns, got 2",
    ),
}


def _shorter(value):
    """Return an array with a row or column less, or the moments of a column less."""
    if not isinstance(value, np.ndarray):
        return _core.column_moments(X[:, :2].copy())
    return (value[:, :2] if value.ndim == 2 else value[:-1]).copy()


@pytest.mark.parametrize("name", LENGTHS_THAT_DO_NOT_FIT)
def test_lengths_that_do_not_fit_are_refused(name):
    """Law: an array with an entry or a column too few is refused by its name; nothing is read beyond it."""
    call, arguments, place, words = LENGTHS_THAT_DO_NOT_FIT[name]
    call(*arguments)
    with pytest.raises(ValueError, match=words):
        call(*arguments[:place], _shorter(arguments[place]), *arguments[place + 1 :])


def test_what_is_not_there_yet_is_refused():
    """A block has labels after assign only, for as many centres as it was made for; no list has 0 places."""
    block = _core.KMeansBlock64(X, None, WHOLE, K, _core.KMeansAlgorithm.lloyd)
    with pytest.raises(ValueError, match="labels are there after assign"):
        block.labels()
    with pytest.raises(ValueError, match="distances are there after assign"):
        block.own_distances()
    with pytest.raises(ValueError, match="centres must have n_clusters rows"):
        block.assign(X)
    with pytest.raises(ValueError, match="m must be at least 1"):
        _core.smallest(X, X, EUCLIDEAN, 0)


def test_memory_of_other_rows_is_refused():
    """Runs hand on a tree to runs on the same rows alone."""
    memory = _core.KMeansMemory()
    _core.kmeans_fit(X, CENTRES, None, OPTIONS, None, None, memory)
    with pytest.raises(ValueError, match="memory must be of runs on the same rows"):
        _core.kmeans_fit(X[:-1].copy(), CENTRES, None, OPTIONS, None, None, memory)


def test_the_refusal_names_the_argument_and_the_index():
    """The message says which argument, what is allowed, and what was found where."""
    labels = LABELS.copy()
    labels[4] = K
    with pytest.raises(ValueError, match=r"^groups must be at least 0 and below 3, got 3 at position 4\.$"):
        _core.group_sums(X, X, labels, K, EUCLIDEAN)
    with pytest.raises(ValueError, match=r"^groups must have 12 entries, got 11\.$"):
        _core.group_sums(X, X, LABELS[:-1], K, EUCLIDEAN)


def test_a_tree_that_shares_a_node_is_refused():
    """Merges and nodes that are used twice would be walked again and again."""
    with pytest.raises(ValueError, match="tree of merges"):
        _core.condense(np.array([0, 4, 4]), np.array([1, 3, 5]), np.ones(3), np.array([2, 2, 4]), 2)
    with pytest.raises(ValueError, match="must be a tree"):
        _core.tree_sizes(TREE[0], np.array([0, 1, 0, 3, 4, 5]), 4)
    with pytest.raises(ValueError, match="tree of nodes"):
        _core.CFTree(CF_TREE[0], np.array([-1, -1, 0, 0]), *CF_TREE[2:])


def test_lists_end_where_their_room_ends():
    """With starts that were counted with another threshold, nothing is written beyond a row's room."""
    starts = np.arange(N + 1)
    index, value = _core.list_below(X, X, EUCLIDEAN, 1e9, starts)
    assert index.tolist() == [0] * N
    assert len(value) == N
