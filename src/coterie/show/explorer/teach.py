"""Methods step by step, on points that a person draws: what estimators and engine did, told in order."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from coterie._printing import count_of
from coterie._support.typing import FloatArray, JsonObject, Labels, Mask
from coterie.cluster import DBSCAN, GaussianMixture, KMeans, KMeansPick
from coterie.distance import pairwise_distances
from coterie.errors import InvalidParameter
from coterie.tree import METHODS as LINKAGES
from coterie.tree import Dendrogram, linkage

MOST_POINTS = 2_000
MOST_TOLD = 400  # points whose merges or sampling chances are told one by one
MOST_STEPS = 200
MOST_PLACE = 1e9  # of a point on the page
Step: TypeAlias = JsonObject


def teach(asked: JsonObject) -> JsonObject:
    """Return the steps of a method.

    Parameters
    ----------
    asked : dict
        "method": one of `LESSONS`; "points": pairs of numbers; "parameters".
    """
    name, parameters = asked.get("method"), asked.get("parameters", {})
    if not isinstance(name, str) or name not in LESSONS:
        raise InvalidParameter(f"method must be one of {', '.join(LESSONS)}, got {name!r}.")
    if not isinstance(parameters, dict):
        raise InvalidParameter("parameters must be an object.")
    X = _points(asked.get("points"))
    lesson, allowed = LESSONS[name]
    strange = [one for one in parameters if one not in allowed]
    if strange:
        raise InvalidParameter(f"{name} has no parameter {strange[0]!r} here ({', '.join(allowed)}).")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what a method warns about is what the lesson shows
        return {"method": name, "steps": lesson(X, parameters)[:MOST_STEPS]}


def _points(given: object) -> FloatArray:
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_POINTS:
        raise InvalidParameter(f"draw at least two points, at most {MOST_POINTS:,}.")
    is_pair = [isinstance(one, list) and len(one) == 2 for one in given]
    is_plain = all(is_pair) and all(type(end) in (int, float) for one in given for end in one)
    if not is_plain or not all(-MOST_PLACE <= end <= MOST_PLACE for one in given for end in one):  # NaN too
        raise InvalidParameter("points must be pairs of finite numbers.")
    return np.array(given, dtype=np.float64)


def _whole(parameters: JsonObject, name: str, usual: int, least: int, most: int) -> int:
    value = parameters.get(name, usual)
    if type(value) is not int or not least <= value <= most:
        raise InvalidParameter(f"{name} must be a whole number from {least} to {most}, got {value!r}.")
    return value


def _number(parameters: JsonObject, name: str, usual: float) -> float:
    value = parameters.get(name, usual)
    if type(value) not in (int, float) or not 0 < value < 1e9:
        raise InvalidParameter(f"{name} must be a number above 0, got {value!r}.")
    return float(value)


def _kmeans(X: FloatArray, parameters: dict[str, Any]) -> list[Step]:
    k = _whole(parameters, "k", 3, 1, min(20, len(X)))
    init = parameters.get("init", "k-means++")
    if init not in ("k-means++", "random"):
        raise InvalidParameter(f"init must be k-means++ or random, got {init!r}.")
    seed = _whole(parameters, "seed", 0, 0, 2**32 - 1)
    model = KMeans(k, init=init, n_init=1, random_state=seed, history=True, algorithm="lloyd").fit(X)
    history = model.history_
    said = {
        "start": "Begin with {k} centres.",
        "assign": "Every point goes to its nearest centre: SSE {inertia}.",
        "update": "Every centre moves to the mean of its points: SSE {inertia}.",
    }
    assert history is not None
    return [
        *_picked(X, history.picks),
        *(
            {
                "kind": step.kind,
                "text": said.get(step.kind, step.kind).format(k=k, inertia=_short(step.inertia)),
                "labels": None if step.labels is None else step.labels.tolist(),
                "centres": step.centers.tolist(),
                "objective": step.inertia,
            }
            for step in history
        ),
        {
            "kind": "end",
            "text": "Nothing changes any more: k-means has converged.",
            "labels": model.labels_.tolist(),
            "centres": model.cluster_centers_.tolist(),
            "objective": model.inertia_,
        },
    ]


def _picked(X: FloatArray, picks: Sequence[KMeansPick]) -> list[Step]:
    """Tell how the start was drawn: the chance of every point, and the one that was picked."""
    found, chosen = [], []
    for at, pick in enumerate(picks):
        chosen.append(int(pick.row))
        chances = np.asarray(pick.probabilities, dtype=np.float64)
        how = (
            "each point is equally likely"
            if at == 0
            else "far points are more likely (squared distance to the nearest centre)"
        )
        found.append(
            {
                "kind": "pick",
                "text": f"Draw centre {at + 1}: {how}.",
                "labels": None,
                "centres": X[chosen].tolist(),
                "chances": chances.tolist(),
                "picked": chosen[-1],
                "active": chosen[-1],
            }
        )
    return found


def _seeding(X: FloatArray, parameters: dict[str, Any]) -> list[Step]:
    k = _whole(parameters, "k", 3, 1, min(20, len(X)))
    seed = _whole(parameters, "seed", 0, 0, 2**32 - 1)
    model = KMeans(k, n_init=1, max_iter=1, random_state=seed, history=True, algorithm="lloyd").fit(X)
    assert model.history_ is not None
    return _picked(X, model.history_.picks)


def _em(X: FloatArray, parameters: JsonObject) -> list[Step]:
    k = _whole(parameters, "k", 2, 1, min(10, len(X)))
    seed = _whole(parameters, "seed", 0, 0, 2**32 - 1)
    model = GaussianMixture(k, random_state=seed, history=True, reg_covar=1e-6).fit(X)
    assert model.history_ is not None
    found: list[Step] = []
    for at, step in enumerate(one for one in model.history_ if one.kind != "rejected"):
        shares = _responsibilities(X, step)
        text = (
            "Begin with a start: weights, means and covariances."
            if at == 0
            else f"Step {at}: shares of points (E), then weights, means and covariances from them (M)."
        )
        found.append(
            {
                "kind": step.kind,
                "text": f"{text} Mean log-likelihood {step.log_likelihood:.4g}.",
                "labels": shares.argmax(axis=1).tolist(),
                "centres": step.means.tolist(),
                "responsibilities": np.round(shares, 4).tolist(),
                "ellipses": [
                    _ellipse(mean, cov) for mean, cov in zip(step.means, step.covariances, strict=True)
                ],
                "weights": step.weights.tolist(),
                "objective": step.log_likelihood,
            }
        )
    return found


def _responsibilities(X: FloatArray, step: Any) -> FloatArray:
    """Return the shares of points under the parameters of a step, by the mixture itself: no step is made."""
    model = GaussianMixture(
        len(step.means),
        weights_init=step.weights / step.weights.sum(),
        means_init=step.means,
        precisions_init=np.linalg.inv(step.covariances),
        max_iter=0,
        random_state=0,
    ).fit(X)
    return np.asarray(model.predict_proba(X))


def _ellipse(mean: FloatArray, covariance: FloatArray) -> JsonObject:
    """Return the ellipse of one standard deviation: half axes and angle."""
    values, axes = np.linalg.eigh(covariance)
    angle = float(np.arctan2(axes[1, 1], axes[0, 1]))  # radians
    half = np.sqrt(np.maximum(values, 0.0))
    return {
        "x": float(mean[0]),
        "y": float(mean[1]),
        "rx": float(half[1]),
        "ry": float(half[0]),
        "angle": angle,
    }


def _dbscan(X: FloatArray, parameters: dict[str, Any]) -> list[Step]:
    usual = float(np.ptp(X, axis=0).max() or 1.0) / 10
    eps = _number(parameters, "eps", usual)
    least = _whole(parameters, "min_samples", 5, 1, 1_000)
    model = DBSCAN(eps=eps, min_samples=least).fit(X)
    labels, core = model.labels_, np.zeros(len(X), dtype=bool)
    core[model.core_sample_indices_] = True
    near = pairwise_distances(X, X) <= eps
    shown = np.full(len(X), -1)
    found: list[Step] = [
        {
            "kind": "core",
            "text": f"{int(core.sum())} core points: at least {least} points, themselves included, within "
            f"{eps:.3g}.",
            "labels": shown.tolist(),
            "core": core.tolist(),
            "counts": near.sum(axis=1).tolist(),
            "eps": eps,
        }
    ]
    for label in range(int(labels.max(initial=-1)) + 1):
        found += _grown(X, eps, label, labels, core, near, shown)
    found.append(
        {
            "kind": "noise",
            "text": f"{int((labels < 0).sum())} points are near no core point: noise.",
            "labels": labels.tolist(),
            "core": core.tolist(),
            "eps": eps,
        }
    )
    return found


def _grown(
    X: FloatArray, eps: float, label: int, labels: Labels, core: Mask, near: Mask, shown: Labels
) -> list[Step]:
    """Tell how a cluster grows, wave by wave, from its first core point."""
    found = []
    inside = labels == label
    wave = np.zeros(len(labels), dtype=bool)
    wave[np.flatnonzero(inside & core)[0]] = True
    at = 0
    while wave.any():
        shown[wave] = label
        what = "begins at a core point" if at == 0 else f"takes {int(wave.sum())} neighbours of core points"
        found.append(
            {
                "kind": "grow",
                "text": f"Group {label + 1} {what}.",
                "labels": shown.tolist(),
                "core": core.tolist(),
                "front": np.flatnonzero(wave).tolist(),
                "circles": [[*X[row].tolist(), eps] for row in np.flatnonzero(wave & core).tolist()],
            }
        )
        reached = near[wave & core].any(axis=0) if (wave & core).any() else np.zeros(len(labels), dtype=bool)
        wave = reached & inside & (shown != label)
        at += 1
    return found


def _linkage(X: FloatArray, parameters: JsonObject) -> list[Step]:
    rule = parameters.get("linkage", "average")
    if not isinstance(rule, str) or rule not in LINKAGES:
        raise InvalidParameter(f"linkage must be one of {', '.join(LINKAGES)}, got {rule!r}.")
    if len(X) > MOST_TOLD:
        raise InvalidParameter(f"a tree is told step by step for at most {MOST_TOLD} points, got {len(X)}.")
    n = len(X)
    k = _whole(parameters, "k", 2, 1, n)
    merges = np.asarray(linkage(X, rule))
    tree = Dendrogram.from_linkage(merges)
    told, sizes = merges.tolist(), set(tree.cut_sizes().tolist())
    first = max(0, len(told) - MOST_STEPS + 2)
    found: list[Step] = []
    if first == 0:
        text = f"Every point is a group of its own: {n} groups."
        found.append({"kind": "start", "text": text, "labels": list(range(n)), "merges": []})
    for at in range(first, len(told)):
        left = n - at - 1
        found.append(
            {
                "kind": "merge",
                "text": f"Merge the two nearest groups, at distance {told[at][2]:.3g}: {left} left.",
                "labels": np.asarray(tree.cut(n_clusters=left)).tolist() if left in sizes else None,
                "merges": told[: at + 1],
                "height": told[at][2],
            }
        )
    if k in sizes:
        text = f"Cut the tree into {count_of(k, 'group')}."
        labels = np.asarray(tree.cut(n_clusters=k)).tolist()
        found.append({"kind": "cut", "text": text, "labels": labels, "merges": told})
    return found


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"


LESSONS: dict[str, tuple[Callable[[FloatArray, JsonObject], list[Step]], tuple[str, ...]]] = {
    "kmeans": (_kmeans, ("k", "init", "seed")),
    "kmeans++": (_seeding, ("k", "seed")),
    "em": (_em, ("k", "seed")),
    "dbscan": (_dbscan, ("eps", "min_samples")),
    "linkage": (_linkage, ("linkage", "k")),
}
