"""Inputs that once crashed, never ended or were answered wrongly, word for word as they were reported."""

import gzip
import subprocess
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.metrics import silhouette_samples as peer_silhouettes

from coterie.cluster import DBSCAN, HDBSCAN, BisectingKMeans, KMeans, KMedoids, MiniBatchKMeans
from coterie.distance import pairwise_distances, spanning_tree
from coterie.errors import InvalidData
from coterie.evaluate import davies_bouldin_score, silhouette_samples, sse
from coterie.tree import linkage

CSR = {"format": np.array(b"csr"), "shape": [3, 3], "data": np.ones(4)}
CSR |= {"indices": [0, 1, 10**9, 2], "indptr": [0, 1, 3, 4]}
v = 1.79e308
CORNERS = np.array([[v, v], [-v, v], [v, -v], [-v, -v]] * 5)
ROWS = "a,b\n" + "\n".join(f"{value},{value + 1}" for value in (0, 1, 0, 9, 8, 9, 0, 1, 9, 8)) + "\n"


SPOILT = {
    "far": ({}, "entry 2 has column 1000000000, but there are 3 columns"),
    "negative": ({"indices": [0, 1, -1, 2]}, "entry 2 has column -1"),
    "csc": ({"format": np.array(b"csc")}, "entry 2 has row 1000000000"),
    "bsr": ({"format": np.array(b"bsr"), "data": np.ones((4, 1, 1))}, "column 1000000000"),
    "falling": ({"indices": [0, 1, 2, 2], "indptr": [0, 3, 1, 4]}, "indptr falls from 3 to 1"),
    "wide": ({"indices": [0, 1, 2, 2], "shape": [3, 10**9]}, "1,000,000,000 columns"),
}
FIT_EACH = """
import resource, sys
from coterie.cli.app import run
resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
for name in sys.argv[1:]:
    print(name, run(["fit", f"{name}.npz", "-k", "2"]), flush=True)
"""


def test_a_sparse_file_is_not_trusted(tmp_path):
    """Law: `coterie fit s.npz -k 2` of indices that lead elsewhere is one line and code 2."""
    for name, (changes, _) in SPOILT.items():
        np.savez(tmp_path / f"{name}.npz", **CSR | changes)
    command = [sys.executable, "-c", FIT_EACH, *SPOILT]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == [f"{name} 2" for name in SPOILT], done.stderr
    for line, (_, words) in zip(done.stderr.strip().split("\n"), SPOILT.values(), strict=True):
        assert words in line


@pytest.mark.parametrize("model", [KMeans(2), DBSCAN(), MiniBatchKMeans(2)])
def test_a_sparse_matrix_is_not_trusted(model):
    """Law: an index that was overwritten is refused before anything follows it."""
    S = csr_matrix(np.arange(1.0, 13.0).reshape(4, 3))
    S.indices[4] = 10**8
    with pytest.raises(InvalidData, match="entry 4 has column 100000000, but there are 3 columns"):
        model.fit(S)


@pytest.mark.parametrize(
    "act",
    [
        lambda: KMedoids(2, metric="canberra", random_state=0).fit(CORNERS),
        lambda: HDBSCAN(metric="braycurtis").fit(CORNERS),
        lambda: pairwise_distances(CORNERS, metric="canberra"),
        lambda: spanning_tree(CORNERS, metric="canberra"),
        lambda: linkage(CORNERS, "average", "canberra"),
    ],
)
def test_finite_rows_whose_distances_are_not(act):
    """Law: no heap is corrupted and no NaN is given: rows too large for a distance are refused."""
    with pytest.raises(InvalidData, match=r"too large for float64: 1\.79e\+308 .*distances overflow"):
        act()


def test_equal_rows_in_two_groups():
    """Law: where a = b = 0 the silhouette is 0, as scikit-learn has it."""
    X, labels = np.zeros((6, 2)), [0, 0, 0, 1, 1, 1]
    np.testing.assert_array_equal(silhouette_samples(X, labels), peer_silhouettes(X, labels))


def test_bisections_without_different_rows():
    """Law: copies of two rows are two groups, with a warning about the third."""
    with pytest.warns(match="distinct clusters"):
        model = BisectingKMeans(3, random_state=0, bisecting_strategy="largest_cluster").fit(
            [[1.0]] * 3 + [[0.0]] * 6
        )
    assert len(set(model.labels_.tolist())) == 2


@pytest.mark.parametrize(
    "act",
    [
        lambda X, weights: KMeans(2, random_state=0).fit(X, sample_weight=weights),
        lambda X, weights: sse(X, [0, 0, 1, 1], sample_weight=weights),
        lambda X, weights: davies_bouldin_score(X, [0, 0, 1, 1], sample_weight=weights),
    ],
)
def test_weights_whose_sum_overflows(act):
    """Law: no centre and no measure is NaN: such weights are refused with the way out."""
    with pytest.raises(InvalidData, match=r"sample_weight of .* must add up to .*Divide the weights"):
        act(np.array([[0.0], [1.0], [8.0], [9.0]]), np.full(4, 1.7e308))


def test_twelve_megabytes_that_unpack_to_two_and_a_half_thousand(tmp_path, cli, monkeypatch):
    """Law: a gzip file of 12 MB and 2.5 GB is read to the limit; the line says how to raise it."""
    part = gzip.compress(b"1,2\n3,4\n" * 3_125_000, 9, mtime=0)
    with open(tmp_path / "large.csv.gz", "wb") as file:
        for _ in range(100):
            file.write(part)
    assert (tmp_path / "large.csv.gz").stat().st_size < 13e6
    monkeypatch.setenv("COTERIE_READ_LIMIT", "64M")
    code, _, error = cli("fit", tmp_path / "large.csv.gz", "-k", 2)
    assert code == 2
    assert "has more than 64.0 MiB" in error
    assert "COTERIE_READ_LIMIT=" in error


def test_a_cell_of_thirty_megabytes(tmp_path, cli):
    """Law: the message about a cell is no longer than a person reads."""
    (tmp_path / "t.csv").write_text(ROWS + "x" * 30_000_000 + ",3\n")
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2, "--keep", "a")
    assert code == 2
    assert len(error) < 1_000


def test_output_to_a_full_device(tmp_path, cli):
    """Law: `-o /dev/full` is one line in words."""
    (tmp_path / "t.csv").write_text(ROWS)
    code, _, error = cli("fit", tmp_path / "t.csv", "-k", 2, "-o", "/dev/full")
    assert code == 2
    assert error.startswith("coterie: /dev/full: cannot be written: no space is left on the disk")
    assert error.count("\n") == 1
