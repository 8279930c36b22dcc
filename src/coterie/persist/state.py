"""From objects to JSON and tensors, and back. The marks are the file format: their meaning never changes."""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from coterie._support.typing import AnyArray, Model, Settings, SparseData, ValuesByName
from coterie._support.validation import check_parameters, schema
from coterie.distance import Distance, Geometry, distances, find_distance, find_geometry
from coterie.errors import ModelFileError
from coterie.persist import registry

TENSOR_KINDS = "biuf"
PLAIN_TYPES = frozenset(np.dtype(kind).str for kind in ("b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"))
FLOAT_TYPES = frozenset(np.dtype(kind).str for kind in ("f2", "f4", "f8"))
LARGEST_INT = 2**64  # beyond all seeds and counts
SPECIAL_FLOATS = ("nan", "inf", "-inf")
TEXT_BYTES = 1 << 20  # of an array of text, beyond which it may not be much larger than its letters
TEXT_GROWTH = 256
# Parameters that only steer `fit`: a function or generator in them is replaced by the default, with a note.
REPLACEABLE = frozenset({"init", "random_state", "progress", "callback", "callbacks"})


def _state_of_distance(distance: Distance) -> ValuesByName:
    if distance.name not in {known.name for known in distances()}:
        raise ModelFileError(
            f"the distance {distance.name} is a function, which cannot be saved: loading must never run "
            f"code. Use a distance of the catalogue."
        )
    return {"name": distance.name, "values": distance.values}


def _restore_distance(state: Settings) -> Distance:
    told = {name: value for name, value in state["values"].items() if value is not None}
    return find_distance(state["name"], **told)


def _state_of_geometry(geometry: Geometry) -> ValuesByName:
    return {"distance": geometry.distance}


def _restore_geometry(state: Settings) -> Geometry:
    return find_geometry(state["distance"])


# class -> how to get its state, how to make it of a state
ADAPTERS: Mapping[type, tuple[Callable[[Any], ValuesByName], Callable[[Settings], Any]]] = {
    Distance: (_state_of_distance, _restore_distance),
    Geometry: (_state_of_geometry, _restore_geometry),
}


class Writer:
    """Turns values into JSON, collecting arrays as tensors and remarks as notes."""

    def __init__(self) -> None:
        self.tensors: ValuesByName = {}
        self.notes: list[str] = []

    def write(self, value: object, place: str) -> object:
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
        if isinstance(value, Mapping) and not registry.is_savable(type(value)):
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

    def _write_scalar(self, value: np.generic, place: str) -> ValuesByName:
        if value.dtype.kind not in TENSOR_KINDS:
            raise ModelFileError(f"{place} is a {value.dtype}, which cannot be saved.")
        plain = value.item()
        return {"$scalar": value.dtype.str, "value": self.write(plain, place)}

    def _write_array(self, value: AnyArray, place: str) -> ValuesByName:
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

    def _write_sparse(self, value: SparseData, place: str) -> ValuesByName:
        rows = value.tocsr()
        return {
            "$csr": [self._write_array(part, f"{place}.{name}") for name, part in _parts(rows)],
            "shape": list(rows.shape),
            "is_array": isinstance(value, sparse.sparray),
        }

    def _write_object(self, value: Model, place: str) -> ValuesByName:
        name = registry.name_of(value)
        if type(value) in ADAPTERS:
            state_of, _ = ADAPTERS[type(value)]
            return {"$value": name, "state": self._write_fields(state_of(value), place)}
        if registry.has_hook(type(value)):
            return {"$value": name, "state": self._write_fields(value.__coterie_state__(), place)}
        if dataclasses.is_dataclass(value):
            fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
            return {"$value": name, "state": self._write_fields(fields, place)}
        parameters = value.get_params(deep=False)
        # scikit-learn's callbacks only watch `fit`
        left_out = {*parameters, "_skl_callbacks", *getattr(type(value), "_not_saved", ())}
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

    def _write_parameter(self, value: object, name: str, place: str, kind: type) -> object:
        if name in REPLACEABLE and callable(value):
            self.notes.append(f"{place} was a function and is stored as the default")
            value = getattr(kind(), name)
        return self.write(os.fspath(value) if isinstance(value, os.PathLike) else value, place)

    def _write_fields(self, fields: ValuesByName, place: str) -> ValuesByName:
        return {key: self.write(item, f"{place}.{key}") for key, item in fields.items()}


class Reader:
    """Turns JSON and tensors back into values; knows the registered classes only, and trusts no value."""

    def __init__(self, tensors: Settings) -> None:
        self._tensors = tensors
        self._used: set[str] = set()

    def read_all(self, written: object) -> Any:
        """Return the value of the whole JSON, which must use every tensor."""
        value = self.read(written)
        unused = set(self._tensors) - self._used
        if unused:
            raise ModelFileError(f"nothing refers to its tensor {schema.shown(min(unused))}")
        return value

    def read(self, written: Any) -> Any:
        """Return the value of one piece of JSON."""
        if isinstance(written, int) and abs(written) > LARGEST_INT:
            raise ModelFileError(f"it holds the number {schema.shown(written)}")
        if written is None or isinstance(written, bool | int | float | str):
            return written
        if isinstance(written, list):
            return [self.read(item) for item in written]
        marks = [key for key in written if key.startswith("$")]
        if len(marks) != 1 or marks[0] not in _READERS:
            raise ModelFileError(f"it holds a value of an unknown kind ({', '.join(sorted(written))[:60]})")
        return _READERS[marks[0]](self, written)

    def _read_float(self, written: Settings) -> float:
        if written["$float"] not in SPECIAL_FLOATS:
            raise ModelFileError(f"it holds the number {schema.shown(written['$float'])}")
        return float(written["$float"])

    def _read_scalar(self, written: Settings) -> np.generic:
        dtype, value = _plain_dtype(written["$scalar"]), self.read(written["value"])
        if not isinstance(value, bool | int | float):
            raise ModelFileError(f"it holds {schema.shown(value)} for a number")
        with np.errstate(over="ignore"):
            return dtype.type(value)

    def _read_tuple(self, written: Settings) -> tuple[object, ...]:
        return tuple(self.read(item) for item in _list_in(written["$tuple"]))

    def _read_dict(self, written: Settings) -> dict[Hashable, object]:
        pairs = [(self.read(key), self.read(item)) for key, item in _list_in(written["$dict"])]
        read = dict(pairs)
        if len(read) < len(pairs):
            raise ModelFileError("a dict in it has the same key twice")
        return read

    def _read_array(self, written: Settings) -> AnyArray:
        name = written["$array"]
        if not isinstance(name, str) or name not in self._tensors:
            raise ModelFileError(f"it lacks the tensor {schema.shown(name)}")
        if name in self._used:
            raise ModelFileError(f"two of its values share the tensor {schema.shown(name)}")
        self._used.add(name)
        found: AnyArray = self._tensors[name]
        return found

    def _read_strings(self, written: Settings) -> AnyArray:
        texts, is_object = _list_in(written["$strings"]), written["kind"] == "object"
        if not all(isinstance(text, str) for text in texts):
            raise ModelFileError("a text in it is none")
        longest = max(map(len, texts), default=0)
        n_bytes = 4 * longest * len(texts)
        if not is_object and n_bytes > max(TEXT_BYTES, TEXT_GROWTH * sum(map(len, texts))):
            raise ModelFileError(f"an array of text in it would take {n_bytes:,} bytes")
        return np.array(texts, dtype=object if is_object else str).reshape(_shape_in(written["shape"]))

    def _read_sparse(self, written: Settings) -> SparseData:
        data, indices, indptr = (self.read(part) for part in _list_in(written["$csr"]))
        shape = _shape_in(written["shape"])
        is_sound = all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (data, indices, indptr))
        if not is_sound or len(shape) != 2 or len(indptr) != shape[0] + 1 or len(data) != len(indices):
            raise ModelFileError("the parts of a sparse matrix in it do not fit together")
        if any(part.dtype.name not in ("int32", "int64") for part in (indices, indptr)):
            raise ModelFileError(f"a sparse matrix in it has indices of type {indices.dtype}")
        kind = sparse.csr_array if written["is_array"] else sparse.csr_matrix
        matrix = kind((data, indices, indptr), shape=shape)
        matrix.check_format(full_check=True)
        return matrix

    def _read_dtype(self, written: Settings) -> np.dtype[np.generic]:
        return _plain_dtype(written["$dtype"])

    def _read_value(self, written: Settings) -> object:
        kind: Any = registry.class_named(written["$value"])
        if registry.is_estimator(kind):
            raise ModelFileError(f"it takes the estimator {kind.__name__} for a value")
        state = {key: self.read(item) for key, item in written["state"].items()}
        _check(kind, state, {})
        if kind in ADAPTERS:
            _, restore = ADAPTERS[kind]
            return restore(state)
        return kind.__coterie_restore__(state) if registry.has_hook(kind) else kind(**state)

    def _read_estimator(self, written: Settings) -> Model:
        kind: Any = registry.class_named(written["$estimator"])
        if not registry.is_estimator(kind):
            raise ModelFileError(f"it takes {kind.__name__} for an estimator")
        parameters = {key: self.read(item) for key, item in written["parameters"].items()}
        attributes = {key: self.read(item) for key, item in written["attributes"].items()}
        known = kind().get_params(deep=False)
        unknown = set(parameters) - set(known)
        if unknown:
            raise ModelFileError(
                f"{kind.__name__} of this version has no parameter {', '.join(sorted(unknown))}"
            )
        check_parameters(known | parameters, kind._constraints, who=kind.__name__)
        if attributes:  # without any it is not fitted: another estimator's parameter
            _check(kind, attributes, known | parameters)
        estimator = kind(**parameters)
        vars(estimator).update(attributes)
        if hasattr(estimator, "__coterie_loaded__"):
            estimator.__coterie_loaded__()  # what a file holds otherwise than the object does
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


def _check(kind: Any, state: ValuesByName, parameters: ValuesByName) -> None:
    """Refuse a state that the schema of its class does not describe, or whose parts do not fit together."""
    sizes = schema.check_state(state, kind._schema, who=kind.__name__)
    if hasattr(kind, "_check_state"):
        kind._check_state({**parameters, **state}, sizes)


def _plain_dtype(name: object) -> np.dtype[np.generic]:
    if not isinstance(name, str) or name not in PLAIN_TYPES | FLOAT_TYPES:
        raise ModelFileError(f"it holds values of type {schema.shown(name)}")
    return np.dtype(name)


def _list_in(written: object) -> list[Any]:
    if not isinstance(written, list):
        raise ModelFileError(f"it holds {schema.shown(written)} for a list")
    return written


def _shape_in(written: object) -> tuple[int, ...]:
    shape = tuple(_list_in(written))
    if not all(type(size) is int and 0 <= size <= schema.LARGEST_WHOLE for size in shape):
        raise ModelFileError(f"it holds the shape {schema.shown(str(shape))}")
    return shape


def _parts(rows: SparseData) -> list[tuple[str, AnyArray]]:
    return [("data", rows.data), ("indices", rows.indices), ("indptr", rows.indptr)]
