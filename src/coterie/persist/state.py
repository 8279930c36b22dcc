"""From objects to JSON and tensors, and back. The marks are the file format: their meaning never changes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from coterie.errors import ModelFileError
from coterie.persist import adapters, registry

# others lie in a space of their own
CENTERS_OF_COLUMNS = ("cluster_centers_", "subcluster_centers_", "_prepared_centers")
TENSOR_KINDS = "biuf"
# Parameters that only steer `fit`: a function or generator in them is replaced by the default, with a note.
REPLACEABLE = frozenset({"init", "random_state", "progress", "callback", "callbacks"})


class Writer:
    """Turns values into JSON, collecting arrays as tensors and remarks as notes."""

    def __init__(self) -> None:
        self.tensors: dict[str, Any] = {}
        self.notes: list[str] = []

    def write(self, value: Any, place: str) -> Any:
        """Return the JSON of a value; `place` says where it is, for messages and tensor names."""
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"$float": repr(value)}
        if isinstance(value, np.generic):
            return self._write_scalar(value, place)
        if isinstance(value, list):
            return [self.write(item, f"{place}.{i}") for i, item in enumerate(value)]
        if isinstance(value, tuple):
            return {"$tuple": [self.write(item, f"{place}.{i}") for i, item in enumerate(value)]}
        if isinstance(value, Mapping):
            return {
                "$dict": [[self.write(k, place), self.write(v, f"{place}.{k}")] for k, v in value.items()]
            }
        if isinstance(value, np.ndarray):
            return self._write_array(value, place)
        if sparse.issparse(value):
            return self._write_sparse(value, place)
        if isinstance(value, np.dtype):
            return {"$dtype": value.str}
        if isinstance(value, np.random.RandomState | np.random.Generator):
            self.notes.append(f"{place} was a {type(value).__name__} and is stored as None")
            return None
        if callable(value) and not registry.is_savable(type(value)):
            raise ModelFileError(
                f"{place} is a function, which cannot be saved: loading must never run code. Use a name."
            )
        return self._write_object(value, place)

    def _write_scalar(self, value: np.generic, place: str) -> Any:
        if value.dtype.kind not in TENSOR_KINDS:
            raise ModelFileError(f"{place} is a {value.dtype}, which cannot be saved.")
        plain = value.item()
        return {"$scalar": value.dtype.str, "value": self.write(plain, place)}

    def _write_array(self, value: Any, place: str) -> Any:
        if value.dtype.kind in TENSOR_KINDS and value.dtype.itemsize <= 8:
            name = place
            while name in self.tensors:
                name += "'"
            self.tensors[name] = np.ascontiguousarray(value).reshape(value.shape)
            return {"$array": name}
        if value.dtype.kind in "UO" and all(isinstance(item, str) for item in value.ravel()):
            kind = "object" if value.dtype.kind == "O" else "text"
            return {
                "$strings": [str(item) for item in value.ravel()],
                "shape": list(value.shape),
                "kind": kind,
            }
        raise ModelFileError(f"{place} is an array of {value.dtype}, which cannot be saved.")

    def _write_sparse(self, value: Any, place: str) -> Any:
        rows = value.tocsr()
        return {
            "$csr": [self._write_array(part, f"{place}.{name}") for name, part in _parts(rows)],
            "shape": list(rows.shape),
            "is_array": isinstance(value, sparse.sparray),
        }

    def _write_object(self, value: Any, place: str) -> Any:
        name = registry.name_of(value)
        if type(value) in adapters.ADAPTERS:
            state_of, _ = adapters.ADAPTERS[type(value)]
            return {"$value": name, "state": self._write_fields(state_of(value), place)}
        if registry.has_hook(type(value)):
            return {"$value": name, "state": self._write_fields(value.__coterie_state__(), place)}
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"$value": name, "state": self._write_fields(fields, place)}
        parameters = value.get_params(deep=False)
        left_out = {*parameters, "_skl_callbacks"}  # scikit-learn's callbacks only watch `fit`
        attributes = {key: item for key, item in vars(value).items() if key not in left_out}
        written = {
            key: self._write_parameter(item, key, f"{place}.{key}", type(value))
            for key, item in parameters.items()
        }
        return {
            "$estimator": name,
            "parameters": written,
            "attributes": self._write_fields(attributes, place),
        }

    def _write_parameter(self, value: Any, name: str, place: str, kind: type) -> Any:
        if name in REPLACEABLE and callable(value):
            self.notes.append(f"{place} was a function and is stored as the default")
            value = getattr(kind(), name)
        return self.write(value, place)

    def _write_fields(self, fields: dict[str, Any], place: str) -> dict[str, Any]:
        return {key: self.write(item, f"{place}.{key}") for key, item in fields.items()}


class Reader:
    """Turns JSON and tensors back into values; knows no class but the registered ones."""

    def __init__(self, tensors: Any) -> None:
        self._tensors = tensors

    def read(self, written: Any) -> Any:
        """Return the value of one piece of JSON."""
        if written is None or isinstance(written, bool | int | float | str):
            return written
        if isinstance(written, list):
            return [self.read(item) for item in written]
        marks = [key for key in written if key.startswith("$")]
        if len(marks) != 1 or marks[0] not in _READERS:
            raise ModelFileError(f"it holds a value of an unknown kind ({', '.join(sorted(written))[:60]})")
        return _READERS[marks[0]](self, written)

    def _read_float(self, written: Any) -> float:
        return float(written["$float"])

    def _read_scalar(self, written: Any) -> Any:
        return _plain_dtype(written["$scalar"]).type(self.read(written["value"]))

    def _read_tuple(self, written: Any) -> tuple[Any, ...]:
        return tuple(self.read(item) for item in written["$tuple"])

    def _read_dict(self, written: Any) -> dict[Any, Any]:
        return {self.read(key): self.read(item) for key, item in written["$dict"]}

    def _read_array(self, written: Any) -> Any:
        return self._tensors[written["$array"]]

    def _read_strings(self, written: Any) -> Any:
        dtype = object if written["kind"] == "object" else str
        return np.array(written["$strings"], dtype=dtype).reshape(written["shape"])

    def _read_sparse(self, written: Any) -> Any:
        data, indices, indptr = (self.read(part) for part in written["$csr"])
        kind = sparse.csr_array if written["is_array"] else sparse.csr_matrix
        matrix = kind((data, indices, indptr), shape=tuple(written["shape"]))
        matrix.check_format(full_check=True)
        return matrix

    def _read_dtype(self, written: Any) -> Any:
        return _plain_dtype(written["$dtype"])

    def _read_value(self, written: Any) -> Any:
        kind: Any = registry.class_named(written["$value"])
        state = {key: self.read(item) for key, item in written["state"].items()}
        if kind in adapters.ADAPTERS:
            _, restore = adapters.ADAPTERS[kind]
            return restore(state)
        return kind.__coterie_restore__(state) if registry.has_hook(kind) else kind(**state)

    def _read_estimator(self, written: Any) -> Any:
        kind: Any = registry.class_named(written["$estimator"])
        if not registry.is_estimator(kind):
            raise ModelFileError(f"it takes {kind.__name__} for an estimator")
        parameters = {key: self.read(item) for key, item in written["parameters"].items()}
        unknown = set(parameters) - set(kind().get_params(deep=False))
        if unknown:
            raise ModelFileError(
                f"{kind.__name__} of this version has no parameter {', '.join(sorted(unknown))}"
            )
        estimator = kind(**parameters)
        attributes = {key: self.read(item) for key, item in written["attributes"].items()}
        for key, item in attributes.items():
            if key.startswith("__") or not key.isidentifier() or callable(getattr(kind, key, None)):
                raise ModelFileError(f"{kind.__name__} has no attribute {key!r} to restore")
            vars(estimator)[key] = item
        _check_shapes(estimator)
        return estimator


_READERS = {
    "$float": Reader._read_float,
    "$scalar": Reader._read_scalar,
    "$tuple": Reader._read_tuple,
    "$dict": Reader._read_dict,
    "$array": Reader._read_array,
    "$strings": Reader._read_strings,
    "$csr": Reader._read_sparse,
    "$dtype": Reader._read_dtype,
    "$value": Reader._read_value,
    "$estimator": Reader._read_estimator,
}


def _plain_dtype(name: str) -> Any:
    dtype = np.dtype(name)
    if dtype.kind not in TENSOR_KINDS:
        raise ModelFileError(f"it holds values of type {name}")
    return dtype


def _parts(rows: Any) -> list[tuple[str, Any]]:
    return [("data", rows.data), ("indices", rows.indices), ("indptr", rows.indptr)]


def _check_shapes(estimator: Any) -> None:
    """Refuse centres that do not fit the number of columns: native code relies on it."""
    n_features = getattr(estimator, "n_features_in_", None)
    for name, value in vars(estimator).items():
        if n_features is None or name not in CENTERS_OF_COLUMNS or value is None:
            continue
        if np.ndim(value) != 2 or np.shape(value)[1] != n_features or value.dtype.kind != "f":
            raise ModelFileError(
                f"{name} of {type(estimator).__name__} has shape {np.shape(value)}, which does not fit "
                f"{n_features} columns"
            )
