"""Segmentation: superpixels, joined to regions by their colours or by the cuts of their graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from coterie import _core
from coterie._support.typing import AnyArray, FloatArray, JsonObject, Labels, MatrixLike, SparseData
from coterie._support.validation import (
    Choice,
    Nothing,
    Number,
    Seed,
    Whole,
    check_n_clusters,
    check_parameter,
)
from coterie.cluster import SpectralClustering
from coterie.errors import InvalidParameter
from coterie.image.boundaries import draw_boundaries
from coterie.image.pictures import MAX_PIXELS, Picture, read_picture
from coterie.image.superpixels import COMPACTNESS, N_SEGMENTS, Superpixels, shown_colours, slic

METHODS = ("merge", "spectral", "slic")
SHARE = 0.01  # of the colour variance: a merge that loses more is not made when no number is given
LEAST_PIXELS = 16  # of a superpixel, on average: smaller pictures get fewer
LEAST_AFFINITY = 1e-6  # of two neighbours: a graph without such edges would fall apart


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Regions of a picture.

    Parameters
    ----------
    labels : array of int32 of shape (height, width)
        The region of each pixel, 0 .. k - 1, the largest first; superpixels alone in the order of their first
        pixels.
    k : int
        How many regions there are.
    colours : array of uint8 of shape (k, 3)
        Mean colour of each.
    shares : array of shape (k,)
        The share of the picture that each has.
    n_parts : int
        Connected parts of all regions; more than k if a spectral region lies in several places.
    method : str
        How regions were made.
    rule : str
        How merging went, in words; empty without merging.
    superpixels : Superpixels
        What they were made of.
    notes : tuple of str
        What the reader should know.
    """

    labels: Labels
    k: int
    colours: AnyArray
    shares: FloatArray
    n_parts: int
    method: str
    rule: str
    superpixels: Superpixels
    notes: tuple[str, ...]

    @property
    def picture(self) -> Picture:
        """The picture."""
        return self.superpixels.picture

    def draw(self, *, width: int | None = None) -> AnyArray:
        """Return the picture with lines between its regions, as bytes of shape (height, width, 3).

        Parameters
        ----------
        width : int, default=None
            Of the lines; None: by the size of the picture.
        """
        return draw_boundaries(self.picture, self.labels, width=width)

    def to_dict(self) -> JsonObject:
        """Return the facts as plain values."""
        height, width = self.picture.shape
        return {
            "source": self.picture.source,
            "width": width,
            "height": height,
            "k": self.k,
            "parts": self.n_parts,
            "method": self.method,
            "rule": self.rule or None,
            "superpixels": self.superpixels.n,
            "regions": [
                {"label": label, "share": share, "colour": "#" + bytes(colour).hex()}
                for label, (share, colour) in enumerate(
                    zip(self.shares.tolist(), self.colours.tolist(), strict=True)
                )
            ],
            "notes": list(self.notes),
        }


def segment(
    image: MatrixLike,
    k: int | None = None,
    *,
    method: str = "merge",
    share: float | None = None,
    threshold: float | None = None,
    n_superpixels: int | None = None,
    compactness: float = COMPACTNESS,
    space: str = "cielab",
    random_state: int | None = 0,
    n_jobs: int | None = None,
    max_pixels: int = MAX_PIXELS,
) -> Segmentation:
    """Segment a picture into regions.

    The picture becomes superpixels (`slic`), which are the nodes of a graph of neighbours. Regions are made
    of them, so that borders follow the edges of the picture.

    Parameters
    ----------
    image : str, path, array-like or PIL.Image.Image
        A picture, see `read_picture`. What is transparent is seen on white.
    k : int or None, default=None
        How many regions. None, for "merge": as many as `share` or `threshold` leaves.
    method : {"merge", "spectral", "slic"}, default="merge"
        "merge": neighbouring regions are joined, the most similar first; every region is connected.
        "spectral": normalised cut of the graph of superpixels, whose edges weigh exp(-d^2 / 2s^2), d the
        difference of the colours and s its root mean square. "slic": the superpixels themselves.
    share : float or None, default=None
        Of "merge" without k: merging stops before a merge that loses this share of the variance of the
        colours, between 0 and 1; None is 0.01. As with a given k, the two neighbours whose merge adds least
        to the sum of squared differences are joined first (Ward).
    threshold : float or None, default=None
        Of "merge", another rule: the two neighbours whose mean colours differ least are joined first, until
        all differ by this much. Black and white are 100 apart, and 2 is hardly seen; try 10 to 25. Small
        regions of a colour of their own stay, which Ward's rule joins.
    n_superpixels : int or None, default=None
        About how many superpixels; None: 500, less for pictures of fewer than 8,000 pixels.
    compactness : float, default=10.0
        Of the superpixels, see `slic`.
    space : {"cielab", "oklab", "rgb"}, default="cielab"
        Where colours are compared.
    random_state : int or None, default=0
        Seed of "spectral".
    n_jobs : int or None, default=None
        Threads; the answer is the same for any number.
    max_pixels : int, default=100_000_000
        Larger pictures are refused.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np
    >>> flag = np.zeros((30, 60, 3)); flag[:, 20:40] = 1; flag[:, 40:, 0] = 1
    >>> found = segment(flag)
    >>> found.k, found.shares.round(2).tolist()
    (3, [0.33, 0.33, 0.33])
    """
    _check(k, method, share, threshold, random_state)
    picture = read_picture(image, max_pixels=max_pixels, who="segment")
    n_pixels = picture.shape[0] * picture.shape[1]
    wanted = N_SEGMENTS if n_superpixels is None else n_superpixels
    if n_superpixels is None:
        wanted = max(1, min(N_SEGMENTS, n_pixels // LEAST_PIXELS)) if method != "slic" or k is None else k
    small = slic(
        picture, wanted, compactness=compactness, space=space, n_jobs=n_jobs, max_pixels=max(n_pixels, 1)
    )
    if method == "slic":
        return _answer(small, np.arange(small.n), method, "", is_ordered=True)
    if k is not None and k > small.n:
        text = f"must be at most the number of superpixels, {small.n:,}, got {k:,}. Use a larger"
        raise InvalidParameter(f"k of segment {text} n_superpixels.").in_shell(f"-k {text} --superpixels.")
    if method == "spectral":
        assert k is not None
        return _answer(small, _cut(small, k, random_state, n_jobs), method, "")
    if threshold is not None:
        found, rule = (
            _merge(small, 1, "centroid", float(threshold)),
            f"until mean colours differ by {threshold:g}",
        )
    elif k is not None:
        found, rule = _merge(small, k, "ward", np.inf), f"Ward, until {k} regions are left"
    else:
        lost = SHARE if share is None else float(share)
        found = _merge(small, 1, "ward", _ward_height(small, lost))
        rule = f"Ward, until a merge would lose {lost:.2g} of the colour variance"
    return _answer(small, found, method, rule)


def _ward_height(small: Superpixels, share: float) -> float:
    """Return the height of a merge that adds a share of the sum of squared colour differences."""
    mean = (small.colours * small.sizes[:, None]).sum(axis=0) / small.sizes.sum()
    total = (((small.colours - mean) ** 2).sum(axis=1) * small.sizes).sum()
    return float(np.sqrt(2 * share * total)) or np.inf  # of one colour: all is joined


def _check(
    k: int | None, method: str, share: float | None, threshold: float | None, random_state: int | None
) -> None:
    for name, value, rule in (
        ("k", k, Nothing() | Whole(1)),
        ("method", method, Choice(*METHODS)),
        ("share", share, Nothing() | Number(0.0, 1.0, open_below=True)),
        ("threshold", threshold, Nothing() | Number(0.0, open_below=True)),
        ("random_state", random_state, Seed()),
    ):
        check_parameter(value, rule, name=name, who="segment")
    if method == "spectral" and k is None:
        raise InvalidParameter('k of segment must be given for method="spectral".').in_shell(
            "--method spectral needs -k N: how many regions."
        )
    stops = {"k": k, "share": share, "threshold": threshold}
    given = [name for name, value in stops.items() if value is not None]
    if method != "merge" and (share is not None or threshold is not None):
        raise InvalidParameter(
            f'{given[-1]} of segment is for method="merge", got method="{method}".'
        ).in_shell(f"--{given[-1]} is for --method merge, got --method {method}.")
    if len(given) > 1:
        shell = " and ".join("-k" if name == "k" else f"--{name}" for name in given)
        raise InvalidParameter(
            f"{' and '.join(given)} of segment exclude each other. Leave one out."
        ).in_shell(f"{shell} exclude each other. Leave one out.")


def region_graph(labels: MatrixLike) -> SparseData:
    """Return the graph of neighbouring regions: how many sides of pixels each two share.

    Parameters
    ----------
    labels : array of shape (height, width)
        The region of each pixel, 0 .. n - 1.

    Returns
    -------
    CSR array of shape (n, n)
        Symmetric, without a diagonal.

    Examples
    --------
    >>> region_graph([[0, 1], [0, 2]]).toarray().tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    given = np.asarray(labels)
    if given.ndim != 2 or given.size == 0 or given.dtype.kind not in "iu" or given.min() < 0:
        raise InvalidParameter(
            f"labels of region_graph must be whole numbers from 0, of shape (height, width), got "
            f"{given.dtype} of shape {given.shape}."
        )
    n = int(given.max()) + 1
    codes = []
    for one, other in ((given[:, 1:], given[:, :-1]), (given[1:], given[:-1])):
        at = one != other
        a, b = one[at].astype(np.int64), other[at].astype(np.int64)
        codes.append(np.minimum(a, b) * n + np.maximum(a, b))
    pairs, counts = np.unique(np.concatenate(codes), return_counts=True)
    a, b = pairs // n, pairs % n
    both = (np.concatenate([a, b]), np.concatenate([b, a]))
    graph = csr_array((np.concatenate([counts, counts]), both), shape=(n, n))
    graph.sort_indices()
    return graph


def _merge(small: Superpixels, k: int, linkage: str, limit: float) -> Labels:
    """Return the region of each superpixel: merges along the graph until k are left, or at a height."""
    if small.n == 1:
        return np.zeros(1, dtype=np.int64)
    graph = region_graph(small.labels)
    merges = np.asarray(
        _core.link_graph(
            np.ones(graph.nnz), graph.indices.astype(np.int32), graph.indptr.astype(np.int64),
            getattr(_core.LinkageRule, linkage), False, np.ascontiguousarray(small.colours),
            small.n - k, small.sizes.astype(np.float64),
        )
    )  # fmt: skip
    beyond = np.flatnonzero(merges[:, 2] >= limit)
    merges = merges[: beyond[0]] if len(beyond) else merges
    parents = np.arange(small.n + len(merges))
    for at in range(len(merges) - 1, -1, -1):  # from the last merge: parents are known before their parts
        own = small.n + at
        parents[merges[at, :2].astype(np.int64)] = parents[own]
    labels: Labels = np.unique(parents[: small.n], return_inverse=True)[1]
    return labels


def _cut(small: Superpixels, k: int, random_state: int | None, n_jobs: int | None) -> Labels:
    """Return the region of each superpixel by the normalised cut of the graph of colours."""
    if k == 1 or small.n == 1:
        return np.zeros(small.n, dtype=np.int64)
    check_n_clusters(k, small.n, who="segment", name="k")
    if k == small.n:
        return np.arange(small.n)
    graph = region_graph(small.labels).tocoo()
    apart = ((small.colours[graph.row] - small.colours[graph.col]) ** 2).sum(axis=1)
    width = apart.mean() or 1.0
    weights = np.maximum(np.exp(-apart / (2 * width)), LEAST_AFFINITY)
    affinity = csr_array((weights, (graph.row, graph.col)), shape=graph.shape)
    model = SpectralClustering(k, affinity="precomputed", random_state=random_state, n_jobs=n_jobs)
    labels: Labels = model.fit(affinity).labels_
    return labels


def _answer(
    small: Superpixels,
    regions: Labels,
    method: str,
    rule: str,
    *,
    is_ordered: bool = False,
) -> Segmentation:
    present, regions = np.unique(regions, return_inverse=True)
    k = len(present)
    sizes = np.bincount(regions, weights=small.sizes, minlength=k)
    order = np.arange(k) if is_ordered else np.argsort(-sizes, kind="stable")
    regions = np.argsort(order)[regions].astype(np.int32)
    labels = regions[small.labels]
    weights = csr_array((small.sizes, (regions, np.arange(small.n))), shape=(k, small.n))
    colours = shown_colours(weights @ small.colours / sizes[order][:, None], small.space)
    n_parts = _count_parts(small, regions)
    return Segmentation(
        labels, k, colours, sizes[order] / sizes.sum(), n_parts, method, rule, small, small.picture.notes
    )


def _count_parts(small: Superpixels, regions: Labels) -> int:
    """Return how many connected parts the regions have."""
    graph = region_graph(small.labels).tocoo()
    within = regions[graph.row] == regions[graph.col]
    inner = csr_array((np.ones(int(within.sum())), (graph.row[within], graph.col[within])), shape=graph.shape)
    return int(connected_components(inner, directed=False, return_labels=False))
