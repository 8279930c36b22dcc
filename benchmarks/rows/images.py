"""Pictures: few colours and superpixels; quality beside time."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.agreement import Rule
from benchmarks.problem import OURS, Answer, Contestant, Row, Verdict
from benchmarks.scenes import boundary_recall, make_scene, undersegmentation

Pixels = NDArray[Any]
K = 16
SEGMENTS = 1_000
COMPACTNESS = 20.0
SAMPLE = 10_000  # pixels that scikit-learn's centres are fitted to, as its own example does


class Problem(NamedTuple):
    """A picture and its true segments."""

    pixels: Pixels
    truth: Pixels


def make(height: int, width: int) -> Problem:
    """Make a picture with known segments."""
    return Problem(*make_scene(25, height, width, noise=4.0, regions=60))


def quantise_coterie(p: Problem) -> Callable[[], Pixels]:
    from coterie.image import quantise

    return lambda: quantise(p.pixels, K, space="rgb").image


def quantise_scikit_learn(p: Problem, *, sample: int | None) -> Callable[[], Pixels]:
    """Fit to all pixels, or to a sample as in scikit-learn's example of colour quantisation; predict all."""
    from sklearn.cluster import KMeans
    from sklearn.utils import shuffle

    def solve() -> Pixels:
        rows = p.pixels.reshape(-1, 3).astype(np.float32)
        some = rows if sample is None else shuffle(rows, random_state=0, n_samples=sample)
        model = KMeans(K, n_init=1, random_state=0).fit(some)
        colours = np.rint(model.cluster_centers_).astype(np.uint8)
        return colours[model.predict(rows)].reshape(p.pixels.shape)

    return solve


def quantise_pillow(p: Problem, *, kmeans: int) -> Callable[[], Pixels]:
    """Cut the box of colours at medians, without or with its k-means after it."""
    from PIL import Image

    image = Image.fromarray(p.pixels)
    return lambda: np.asarray(image.quantize(K, kmeans=kmeans, dither=Image.Dither.NONE).convert("RGB"))


def digest_error(problem: Problem, found: Pixels) -> Answer:
    """Take the mean squared error of the picture."""
    apart = problem.pixels.astype(np.int32) - np.asarray(found).astype(np.int32)
    return {"error": np.array([(apart**2).mean()])}


def smaller_error(ours: Answer, theirs: Answer) -> Verdict:
    """Agree if our error is at most 2 % larger; a peer whose error is 10 % larger does not count."""
    a, b = float(ours["error"][0]), float(theirs["error"][0])
    return Verdict(a <= 1.02 * b, f"mean squared error {a:.1f} and {b:.1f}", counts=b <= 1.1 * a)


def slic_coterie(p: Problem) -> Callable[[], Pixels]:
    from coterie.image import slic

    return lambda: slic(p.pixels, SEGMENTS, compactness=COMPACTNESS).labels


def slic_scikit_image(p: Problem) -> Callable[[], Pixels]:
    """Ask for a seventh more: it joins more of them afterwards."""
    from skimage.segmentation import slic

    wanted = SEGMENTS * 8 // 7
    return lambda: slic(p.pixels, wanted, compactness=COMPACTNESS, start_label=0, channel_axis=-1)


def digest_segments(problem: Problem, labels: Pixels) -> Answer:
    """Compare segments with the true ones."""
    figures = {
        "recall": boundary_recall(labels, problem.truth),
        "leak": undersegmentation(labels, problem.truth),
        "n": int(labels.max()) + 1,
    }
    return {name: np.array([value]) for name, value in figures.items()}


def as_good_segments(ours: Answer, theirs: Answer) -> Verdict:
    """Agree if borders are found as well, by at most a tenth more segments."""
    recall, leak, n = ((float(ours[name][0]), float(theirs[name][0])) for name in ("recall", "leak", "n"))
    agrees = recall[0] >= recall[1] - 0.01 and leak[0] <= leak[1] + 0.001 and n[0] <= 1.1 * n[1]
    note = (
        f"boundary recall {recall[0]:.3f} and {recall[1]:.3f}, undersegmentation {leak[0]:.4f} and "
        f"{leak[1]:.4f}, {n[0]:.0f} and {n[1]:.0f} segments"
    )
    return Verdict(agrees, note)


def row(name: str, work: str, peer: str, enter: Any, rule: Rule, bar: float | None, **how: Any) -> Row:
    is_slic = name.startswith("slic")
    return Row(
        name=name,
        work=work,
        make=partial(make, 1_500, 2_000),
        contestants=(
            Contestant(OURS, slic_coterie if is_slic else quantise_coterie),
            Contestant(peer, enter),
        ),
        digest=digest_segments if is_slic else digest_error,
        agree=rule,
        bar=bar,
        **how,
    )


ROWS = (
    row(
        "quantise",
        "16 colours of a picture of 3 megapixels (RGB)",
        "scikit-learn",
        partial(quantise_scikit_learn, sample=None),
        smaller_error,
        5,
        most_rounds=3,
    ),
    row(
        "quantise-sample",
        "the same beside scikit-learn's centres of 10,000 pixels",
        "scikit-learn",
        partial(quantise_scikit_learn, sample=SAMPLE),
        smaller_error,
        None,
    ),
    row(
        "quantise-pillow",
        "the same beside Pillow's median cut",
        "pillow",
        partial(quantise_pillow, kmeans=0),
        smaller_error,
        None,
    ),
    row(
        "quantise-pillow-kmeans",
        "the same beside Pillow's median cut and k-means",
        "pillow",
        partial(quantise_pillow, kmeans=K),
        smaller_error,
        None,
    ),
    row(
        "slic",
        "1,000 superpixels of a picture of 3 megapixels",
        "scikit-image",
        slic_scikit_image,
        as_good_segments,
        3,
        most_rounds=5,
    ),
)
