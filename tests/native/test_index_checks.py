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
    "swap_medoids": (_core.swap_medoids, (D, np.arange(N), None, np.arange(K), SWAPS)),
    "joining_edges": (_core.joining_edges, (EDGES, N)),
    "link_edges": (_core.link_edges, (EDGES, LENGTHS)),
    "link_graph": (_core.link_graph, (*RING, _core.LinkageRule.average, True, None, N - 1)),
    "regrow": (_core.regrow, (NEAR, np.ones((N, 2)), ROW_OF_CORE, 1.0, EDGES, LENGTHS)),
    "grow_of_tree": (_core.grow_of_tree, (KDTREE, ROW_OF_CORE, 1.0, EDGES, LENGTHS)),
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
        (*TREE, np.array([1.0, 1.0, 2.0]), b"abcd", np.array([1, 2, 3, 4])),
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
