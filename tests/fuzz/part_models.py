"""Model files: bytes damaged, tensors replaced, their description rewritten; then loaded and used."""

from __future__ import annotations

import copy
import inspect
import json
import re
import tempfile
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy import sparse

import coterie
from coterie import cluster, prepare
from coterie.evaluate import stability
from coterie.tree import Dendrogram, linkage
from tests.fuzz.case import Case, Draw
from tests.fuzz.mutate import mutated_bytes
from tests.fuzz.part_estimators import answers_for, check_fitted
from tests.fuzz.part_trees import use_tree
from tests.fuzz.values import Rows

ROWS = np.random.default_rng(0).normal(size=(36, 3)) + np.repeat([[0.0], [6.0], [12.0]], 12, axis=0)
SQUARE = np.sqrt(((ROWS[:, None] - ROWS[None]) ** 2).sum(axis=2))


def run(case: Case) -> None:
    """Damage a file of a model, load it, and use what was loaded, if anything was."""
    draw = case.draw
    name = draw.choice(list(makers()))
    content, given = saved(name)
    path = case.folder / "model.safetensors"
    path.write_bytes(content)
    how = draw.choice([_bytes, _tensor, _tensor, _tensor, _description, _description])
    words = how(draw, path)
    words = f"{name}: {words}"
    model = case.attempt(f"load {words}", lambda: coterie.load(path))
    use(case, model, given, words)


def use(case: Case, model: Any, given: Any, words: str) -> None:
    """Do with a loaded value what people do with it: whatever it says is to be valid."""
    case.optional(f"repr of {words}", lambda: (repr(model), str(model)))
    if isinstance(model, Dendrogram):
        use_tree(case, model, words)
    elif hasattr(model, "get_params"):
        labels = getattr(model, "labels_", None)
        check_fitted(model, len(ROWS) if labels is None else int(np.size(labels)))
        answers_for(case, model, Rows(given, np.shape(given), "its rows"), words)
        answers_for(case, model, Rows(given[:5], np.shape(given[:5]), "five rows"), words)
        case.optional(f"save again {words}", lambda: coterie.save(model, case.folder / "again"))
    else:
        for name in ("predict", "transform", "apply", "frame", "table"):
            act = getattr(model, name, None)
            if callable(act) and name in ("predict", "transform", "apply"):
                case.optional(f"{words}.{name}", lambda act=act: act(given))


@cache
def makers() -> dict[str, Any]:
    """Return how to make each model to damage, with the rows that it takes."""
    found: dict[str, Any] = {}
    for method in cluster.methods():
        options = dict(method.settings) | {
            "n_clusters": 3,
            "n_components": 3,
            "random_state": 0,
            "history": True,
        }
        known = inspect.signature(method.load()).parameters
        options = {key: value for key, value in options.items() if key in known}
        found[method.name] = (partial(method.load(), **options), ROWS)
    found |= {
        "kmedoids of distances": (lambda: cluster.KMedoids(2, metric="precomputed"), SQUARE),
        "kmedoids mahalanobis": (lambda: cluster.KMedoids(4, metric="mahalanobis"), ROWS),
        "mixture VEV": (lambda: cluster.GaussianMixture(3, covariance_type="VEV", random_state=0), ROWS),
        "bayesian tied": (
            lambda: cluster.BayesianGaussianMixture(3, covariance_type="tied", max_iter=900, random_state=0),
            ROWS,
        ),
        "coclustering": (lambda: cluster.SpectralCoclustering(3, random_state=0), ROWS),
        "biclustering": (lambda: cluster.SpectralBiclustering((3, 2), random_state=0), ROWS),
        "hdbscan of distances": (lambda: cluster.HDBSCAN(metric="precomputed"), SQUARE),
        "hdbscan with centres": (lambda: cluster.HDBSCAN(store_centers="both"), ROWS),
        "spectral landmarks": (lambda: cluster.SpectralClustering(2, landmarks=20, random_state=0), ROWS),
        "kernel nystroem": (
            lambda: cluster.KernelKMeans(3, method="nystroem", n_components=9, random_state=0),
            ROWS,
        ),
        "kmeans manhattan": (lambda: cluster.KMeans(3, geometry="manhattan", random_state=0), ROWS),
        "kmeans of sparse rows": (lambda: cluster.KMeans(3, random_state=0), sparse.csr_array(ROWS)),
        "eigenmap": (lambda: cluster.LaplacianEigenmap(2, n_neighbors=20, random_state=0), ROWS),
        "whitening": (lambda: prepare.Whitening(), ROWS),
        "polar": (lambda: prepare.PolarCoordinates(), ROWS),
    }
    values = {
        "tree": lambda: Dendrogram.from_linkage(linkage(ROWS, "average")),
        "scaling": lambda: prepare.fit_scaling(ROWS, "robust"),
        "clustering": lambda: coterie.fit(ROWS, "kmeans", 3, budget="fast"),
        "stability": lambda: stability(
            cluster.KMeans(3, random_state=0), ROWS, n_resamples=3, random_state=0
        ),
    }
    return found | {name: (make, None) for name, make in values.items()}


@cache
def saved(name: str) -> tuple[bytes, Any]:
    """Return the bytes of a saved model, and rows for it."""
    make, rows = makers()[name]
    model = make() if rows is None else make().fit(rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        coterie.save(model, path)
        return canonical(path.read_bytes()), ROWS if rows is None else rows


def canonical(content: bytes) -> bytes:
    """Return a safetensors file with its keys in order and without times: the same bytes every time."""
    length = int.from_bytes(content[:8], "little")
    head = json.loads(content[8 : 8 + length])
    state = head["__metadata__"]["state"]
    head["__metadata__"]["state"] = re.sub(r'("\w*seconds\w*": )[-+.\deE]+', r"\g<1>0.5", state)
    text = json.dumps(head, sort_keys=True).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _bytes(draw: Draw, path: Path) -> str:
    path.write_bytes(mutated_bytes(draw, path.read_bytes()))
    return "damaged bytes"


def _tensor(draw: Draw, path: Path) -> str:
    metadata, tensors = _parts(path)
    if not tensors:
        return _bytes(draw, path)
    name = draw.choice(tensors)
    tensors[name], words = mutated_array(draw, tensors[name])
    save_file(tensors, path, metadata=metadata)
    return f"tensor {name} {words}"


def _parts(path: Path) -> tuple[dict[str, str], dict[str, Any]]:
    with safe_open(path, framework="numpy") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # no dict


def mutated_array(draw: Draw, array: Any) -> tuple[Any, str]:
    """Return an array like this one, and what is wrong with it."""
    array = np.array(array)
    how = draw.choice(
        ["value", "value", "value", "all", "fewer", "more", "turned", "flat", "empty", "type", "order"]
    )
    if how in ("value", "all") and array.size:
        limits = [-1, 0, 1, len(ROWS), 10**9, 2**31 - 1, -(2**31), -2, 7]
        if array.dtype.kind == "f":
            limits += [np.nan, np.inf, -np.inf, 1e308, -1.0, 1e-310, 0.0]
        value = draw.choice(limits)
        with np.errstate(all="ignore"):
            value = np.array(value).astype(array.dtype)
        if how == "all":
            array[...] = value
        else:
            array.flat[draw.whole(0, array.size - 1)] = value
        return array, f"{how} = {value}"
    if how == "fewer" and array.ndim and len(array):
        array = array[:-1]
    elif how == "more" and array.ndim and len(array):
        array = np.concatenate([array, array])
    elif how == "turned":
        array = array.T
    elif how == "flat":
        array = array.reshape(-1)
    elif how == "empty":
        array = array[:0] if array.ndim else array.reshape(-1)[:0]
    elif how == "type":
        kinds = [np.float32, np.float64, np.int64, np.int32, np.bool_, np.uint8, np.float16]
        with np.errstate(all="ignore"):
            array = array.astype(draw.choice(kinds))
    elif array.ndim:
        array = array[draw.random.permutation(len(array))]
    return np.ascontiguousarray(array), f"{how}: {array.dtype} {array.shape}"


def _description(draw: Draw, path: Path) -> str:
    metadata, tensors = _parts(path)
    state = json.loads(metadata["state"])
    words = "; ".join(mutate_json(draw, state) for _ in range(draw.choice([1, 1, 2])))
    metadata["state"] = json.dumps(state)
    if draw.chance(0.1):
        key = draw.choice(list(metadata))
        metadata[key] = draw.choice(["", "x", "99", "-1", "1e3", "٣", "[]", "null", '{"$array": 3}'])
        words += f"; {key} = {metadata[key]}"
    save_file(tensors, path, metadata=metadata)
    return words


ODD_JSON: tuple[Any, ...] = (
    *(None, True, 0, -1, 3, 10**9, 2**63, 10**400, 1.5, 1e308, "", "x", "kmeans", "precomputed", [], {}),
    *({"$array": "nothing"}, {"$float": "nan"}, {"$float": "x"}, {"$dtype": "O"}, {"$tuple": 3}, [[[[]]]]),
    {"$estimator": "coterie.cluster.KMeans", "parameters": {}, "attributes": {}},
    {"$dict": [[[], 1]]},
)


def mutate_json(draw: Draw, state: Any) -> str:
    """Change one place of nested JSON; return what was done."""
    places = list(_places(state, "state"))
    holder, key, where = places[draw.whole(0, len(places) - 1)]
    how = draw.choice(["value", "value", "value", "drop", "swap", "rename"])
    other = places[draw.whole(0, len(places) - 1)]
    if how == "drop":
        del holder[key]
        return f"{where} dropped"
    if how == "swap":
        holder[key] = json.loads(json.dumps(other[0][other[1]])) if other[1] in _keys(other[0]) else None
        return f"{where} replaced by {other[2]}"
    if how == "rename" and isinstance(holder, dict):
        new = draw.choice(
            ["__class__", "fit", "$array", "$estimator", "labels_", "", "x", "$nothing", "n_features_in_"]
        )
        holder[new] = holder.pop(key)
        return f"{where} renamed {new}"
    holder[key] = copy.deepcopy(draw.choice(ODD_JSON))
    return f"{where} = {json.dumps(holder[key])[:80]}"


def _keys(holder: Any) -> Any:
    return holder if isinstance(holder, dict) else range(len(holder))


def _places(value: Any, where: str) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield value, key, f"{where}.{key}"
        if isinstance(item, dict | list):
            yield from _places(item, f"{where}.{key}")
