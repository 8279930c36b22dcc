"""Model files that were tampered with: one value changed, then loaded and asked, in a process of its own.

``python tests/hostile_models.py MODEL [CASE]`` repeats the cases of one model, or one of them.
"""

import copy
import inspect
import json
import random
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy import sparse

import coterie
from coterie.cluster import (
    DBSCAN,
    HDBSCAN,
    OPTICS,
    AgglomerativeClustering,
    BayesianGaussianMixture,
    Birch,
    ConsensusClustering,
    Diana,
    GaussianMixture,
    Genie,
    KernelKMeans,
    KMeans,
    KMedoids,
    LaplacianEigenmap,
    SelfOrganizingMap,
    SpectralClustering,
    methods,
)
from coterie.data import PolarCoordinates, Whitening
from coterie.distance import pairwise_distances
from coterie.errors import CoterieError
from coterie.series import KShape, TimeSeriesKMeans
from memory_limit import limit_memory

SECONDS_PER_CASE = 20  # then the process is ended by a signal, wherever it is
MEMORY = 2 << 30  # more than a process has after its first fits
TENSORS_OFTENER = 6  # than other values, in a sample
KEPT_LEAVES = 3  # of a long list: the others are like these
ROWS = 24

X = np.random.default_rng(0).normal(size=(60, 4)) + np.repeat([[0.0], [6.0], [12.0]], 20, axis=0)
D = pairwise_distances(X)
GIVEN = {"rows": X, "distances": D, "similarities": np.exp(-D), "graph": sparse.csr_array(np.exp(-D))}
GIVEN["sparse"] = sparse.csr_array(np.where(X > 5, X, 0.0))


def _of_methods():
    told = {"n_clusters": 3, "n_components": 3, "random_state": 0, "history": True, "n_resamples": 2}
    for method in methods():
        kind = method.load()
        known = inspect.signature(kind).parameters
        options = dict(method.settings) | {name: value for name, value in told.items() if name in known}
        yield method.name, kind(**options)


def models():
    """Return fitted models and the kind of their input by name, each made when it is asked for."""
    table = {name: (model, "rows") for name, model in _of_methods()}
    table |= {
        "kmeans sparse": (KMeans(2, random_state=0), "sparse"),
        "kmeans seuclidean": (KMeans(2, geometry="seuclidean", random_state=0), "rows"),
        "birch sparse": (Birch(threshold=2.0), "sparse"),
        "dbscan sparse": (DBSCAN(eps=3.0), "sparse"),
        "spectral precomputed": (
            SpectralClustering(2, affinity="precomputed", random_state=0),
            "similarities",
        ),
        "spectral graph": (SpectralClustering(2, affinity="precomputed", random_state=0), "graph"),
        "spectral landmarks": (SpectralClustering(2, landmarks=20, random_state=0), "rows"),
        "kmedoids precomputed": (KMedoids(2, metric="precomputed"), "distances"),
        "kmedoids mahalanobis": (KMedoids(4, metric="mahalanobis"), "rows"),
        "kmedoids similarity": (KMedoids(2, metric="similarity"), "similarities"),
        "series kmeans": (TimeSeriesKMeans(2, max_iter=3, random_state=0), "rows"),
        "series kshape": (KShape(2, max_iter=3, random_state=0), "rows"),
        "kernel precomputed": (KernelKMeans(2, kernel="precomputed", random_state=0), "similarities"),
        "kernel nystroem": (KernelKMeans(4, method="nystroem", n_components=10, random_state=0), "rows"),
        "mixture VEV": (GaussianMixture(4, covariance_type="VEV", random_state=0), "rows"),
        "bayesian tied": (
            BayesianGaussianMixture(3, covariance_type="tied", max_iter=900, random_state=0),
            "rows",
        ),
        "bayesian distribution": (
            BayesianGaussianMixture(
                3,
                covariance_type="spherical",
                weight_concentration_prior_type="dirichlet_distribution",
                max_iter=900,
                random_state=0,
            ),
            "rows",
        ),
        "som groups": (SelfOrganizingMap(3, 4, layout="hexagonal", n_clusters=3), "rows"),
        "mixture EII": (GaussianMixture(2, covariance_type="EII", random_state=0), "rows"),
        "agglomerative median": (AgglomerativeClustering(3, linkage="median"), "rows"),
        "agglomerative minimax": (
            AgglomerativeClustering(3, linkage="minimax", metric="precomputed"),
            "distances",
        ),
        "diana precomputed": (Diana(3, metric="precomputed"), "distances"),
        "genie noise": (Genie(2, min_samples=4, noise=True), "rows"),
        "genie precomputed": (Genie(3, metric="precomputed"), "distances"),
        "dbscan precomputed": (DBSCAN(eps=1.5, metric="precomputed"), "distances"),
        "hdbscan precomputed": (HDBSCAN(metric="precomputed"), "distances"),
        "hdbscan centers": (HDBSCAN(store_centers="both"), "rows"),
        "optics precomputed": (OPTICS(metric="precomputed"), "distances"),
        "optics dbscan": (OPTICS(cluster_method="dbscan", eps=1.5), "rows"),
        "consensus dbscan": (ConsensusClustering(2, estimator=DBSCAN(eps=3.0), n_resamples=2), "rows"),
        "eigenmap": (LaplacianEigenmap(2, n_neighbors=20, random_state=0), "rows"),
        "whitening": (Whitening(), "rows"),
        "polar": (PolarCoordinates(origin="mean"), "rows"),
    }
    return table


def fitted(name):
    """Return a model of the table, or what `coterie.fit` answers."""
    if name == "answer":
        return coterie.fit(X, budget="fast", random_state=0), "rows"
    model, kind = models()[name]
    return model.fit(GIVEN[kind]), kind


def names():
    """Return the names of all models."""
    return [*models(), "answer"]


# --- what is changed ---------------------------------------------------------------------------------------


def _filled(value):
    def change(array):
        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.full_like(array, np.asarray(value).astype(array.dtype))

    return change


def _one(value):
    def change(array):
        array = array.copy()
        if array.size:
            with np.errstate(invalid="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                array.flat[array.size // 2] = np.asarray(value).astype(array.dtype)
        return array

    return change


OTHER_TYPES = {"f8": "f4", "f4": "f8", "i8": "i4", "i4": "i8"}
TENSOR_CHANGES = {
    "empty": lambda a: a[:0] if a.ndim else a.reshape(1)[:0],
    "no columns": lambda a: a[..., :0],
    "one row fewer": lambda a: a[:-1] if a.ndim else a,
    "one row more": lambda a: np.concatenate([a, a[-1:]]) if a.ndim else a,
    "transposed": lambda a: np.ascontiguousarray(a.T),
    "flat": lambda a: a.reshape(-1),
    "other width": lambda a: a.astype(OTHER_TYPES.get(a.dtype.str[1:], "f4")),
    "other kind": lambda a: a.astype("i8" if a.dtype.kind == "f" else "f8"),
    "bytes": lambda a: a.astype("u1"),
    "zeros": np.zeros_like,
    "reversed": lambda a: np.ascontiguousarray(a[::-1]),
    **{f"all {value}": _filled(value) for value in (np.nan, np.inf, -1, 10**9, 2**31 - 1)},
    **{f"one {value}": _one(value) for value in (np.nan, -np.inf, -1, 10**9, 2**31 - 1, -(2**31), 1e300)},
}
VALUES = [
    None, True, -1, 0, 1, 3, 0.5, -1e300, 10**12, 10**400, "", "x", "precomputed", [], {}, [[]],
    {"$float": "nan"}, {"$float": "inf"}, {"$float": "1e9"}, {"$tuple": []}, {"$dict": []},
    {"$dict": [[[], 1]]}, {"$dtype": "<f2"}, {"$dtype": "V1000000000"}, {"$scalar": "<i4", "value": 10**12},
    {"$scalar": "<f8", "value": [1, 2]}, {"$strings": ["a"], "shape": [10**12, 0], "kind": "text"},
    {"$strings": ["a" * 9999, *["b"] * 99999], "shape": [100000], "kind": "text"},
    {"$csr": [], "shape": [10**12, 10**12], "is_array": True},
    {"$value": "coterie.data.Scaling", "state": {}},
    {"$estimator": "coterie.cluster.KMeans", "parameters": {}, "attributes": {}},
]  # fmt: skip


def leaves(state, path=()):
    """Yield the paths of all pieces of JSON; of long lists only the first few."""
    yield path
    if isinstance(state, dict):
        for key, item in state.items():
            yield from leaves(item, (*path, key))
    elif isinstance(state, list):
        for at, item in enumerate(state[:KEPT_LEAVES]):
            yield from leaves(item, (*path, at))


def cases(tensors, state):
    """Yield (words, tensors, state) of every change."""
    for name in tensors:
        for words, change in TENSOR_CHANGES.items():
            yield f"{name} {words}", lambda n=name, c=change: ({**tensors, n: c(tensors[n])}, state)
        yield f"{name} gone", lambda n=name: ({k: v for k, v in tensors.items() if k != n}, state)
    for path in leaves(state):
        for at, value in enumerate(VALUES):
            yield f"{path} value {at}", lambda p=path, v=value: (tensors, _changed(state, p, v))
        for other in [*tensors][:2]:
            yield f"{path} is {other}", lambda p=path, o=other: (tensors, _changed(state, p, {"$array": o}))
        if path:
            yield f"{path} gone", lambda p=path: (tensors, _without(state, p))


def _changed(state, path, value):
    if not path:
        return value
    new = copy.deepcopy(state)
    inner = new
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return new


def _without(state, path):
    new = copy.deepcopy(state)
    inner = new
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return new


# --- what is asked -----------------------------------------------------------------------------------------


def ask(path, rows):
    """Load a file and ask all that a model can be asked; return what is wrong with an answer, or None."""
    model = coterie.load(path)
    repr(model), str(model)
    for name in ("predict", "transform", "membership", "predict_proba", "score_samples"):
        if not hasattr(model, name):
            continue
        answer = np.asarray(getattr(model, name)(rows))
        if len(answer) != rows.shape[0]:
            return f"{name} gives {len(answer)} rows"
        if name == "predict" and (answer.dtype.kind != "i" or answer.min() < -3 or answer.max() > len(X)):
            return f"predict gives {answer[:5]}"
        if name != "predict" and np.isnan(answer.astype(float)).any():
            return f"{name} gives NaN"
    if hasattr(model, "dendrogram_"):
        str(model.dendrogram_), model.dendrogram_.cut(n_clusters=2)
    if hasattr(model, "to_dict"):
        json.dumps(model.to_dict(), default=str)
    return None


def run(name, only=None, share=1.0):
    """Try the cases of one model; yield lines that tell what went wrong."""
    model, kind = fitted(name)
    rows = GIVEN[kind][:ROWS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m"
        coterie.save(model, path)
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata()
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118  # no dict
        assert _problem(path, rows) is None
        chosen = random.Random(name)
        for at, (words, make) in enumerate(cases(tensors, json.loads(metadata["state"]))):
            often = TENSORS_OFTENER if at < (len(TENSOR_CHANGES) + 1) * len(tensors) else 1
            if (only is not None and at != only) or chosen.random() >= share * often:
                continue
            print(f"{name}#{at}", file=sys.stderr, flush=True)
            signal.alarm(SECONDS_PER_CASE)
            changed, state = make()
            save_file(changed, path, metadata | {"state": json.dumps(state)})
            problem = _problem(path, rows)
            signal.alarm(0)
            if problem is not None:
                yield f"{name}#{at} {words[:120]}: {problem}"
            elif only is not None:
                yield f"{name}#{at} {words[:120]}: refused or sound"


def _problem(path, rows):
    try:
        return ask(path, rows)
    except CoterieError as error:
        if "\n" in str(error) or len(str(error)) > 600:
            return f"the message is not a line: {str(error)[:200]!r}"
        return None
    except Exception as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {str(error)[:120]} at {Path(where.filename).name}:{where.lineno}"


def main():
    """Try the models that are named; the last one may be followed by the number of a case, or a share."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    *chosen, last = sys.argv[1:]
    only = int(last) if last.isdecimal() else None
    share = 1.0 if only is not None or last in names() else float(last)
    chosen = [*chosen, last] if last in names() else chosen
    is_limited = False
    failed = 0
    for name in chosen:
        fitted(name)
        if not is_limited:
            limit_memory(MEMORY)
            is_limited = True
        for line in run(name, only, share):
            print(line, flush=True)
            failed += 1
    return 1 if failed and only is None else 0


if __name__ == "__main__":
    sys.exit(main())
