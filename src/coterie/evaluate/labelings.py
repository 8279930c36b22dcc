"""Labels of any kind as integers that the native table counts."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from coterie import _core
from coterie._support.caller import warn_caller
from coterie._support.typing import AnyArray, VectorLike
from coterie._support.validation import Choice, check_parameter
from coterie.errors import DataNotice, InvalidData

Noise: TypeAlias = Literal["cluster", "exclude", "singletons"]
NOISE_POLICIES = Choice("cluster", "exclude", "singletons")
NOISE_LABEL = -1


@dataclass(frozen=True, eq=False)
class Labeling:
    """One label per sample, as integers, and the way back to the labels as they were given."""

    integers: AnyArray  # C-ordered, any integer type
    dtype: np.dtype[np.generic]
    names: AnyArray | None = None  # what the integers 0..k-1 stand for, sorted; None: they are the labels

    def __len__(self) -> int:
        return int(self.integers.size)

    def restore(self, patterns: npt.NDArray[np.uint64]) -> AnyArray:
        """Return the labels that 64-bit patterns of `integers` stand for."""
        if self.names is not None:
            return self.names[patterns.astype(np.intp)]
        signed = patterns.view(np.int64)
        if self.dtype.kind in "mM":
            return signed.view(self.dtype)
        return (patterns if self.integers.dtype.kind == "u" else signed).astype(self.dtype)


def read_labeling(labels: VectorLike, name: str = "labels") -> Labeling:
    """Return labels of any kind as a `Labeling`, or say what is wrong with them.

    Labels are integers, booleans, text, dates, whole floats or sortable objects; messages call them `name`.

    Examples
    --------
    >>> read_labeling(["b", "a", "b"]).integers.tolist()
    [1, 0, 1]
    """
    array = _as_vector(labels, name)
    kind = array.dtype.kind
    if kind in "iu":
        native = _native(array)
        return Labeling(native, native.dtype)
    if kind == "b":
        return Labeling(np.ascontiguousarray(array).view(np.uint8), array.dtype)
    if kind in "US":
        return _from_text(array)
    if kind == "f":
        return _from_floats(array, name)
    if kind in "mM":
        return _from_dates(array, name)
    if kind in "OT":
        return _from_objects(array.astype(object, copy=False), name)
    raise InvalidData(f"{name} must be integers, text or sortable objects, got {array.dtype}.")


def check_noise(noise: str) -> Noise:
    """Return the policy for samples labelled -1, or say which ones there are.

    Examples
    --------
    >>> check_noise("exclude")
    'exclude'
    """
    check_parameter(noise, NOISE_POLICIES, name="noise", who="an external measure")
    return cast(Noise, noise)


def read_labelings(labels_true: VectorLike, labels_pred: VectorLike) -> tuple[Labeling, Labeling]:
    """Return two labelings of the same samples.

    Examples
    --------
    >>> first, second = read_labelings([0, 1], ["x", "y"])
    >>> len(first), len(second)
    (2, 2)
    """
    first = read_labeling(labels_true, "labels_true")
    second = read_labeling(labels_pred, "labels_pred")
    if len(first) != len(second):
        raise InvalidData(
            f"Found input variables with inconsistent numbers of samples: [{len(first)}, {len(second)}]. "
            f"labels_true and labels_pred must label the same samples."
        )
    return first, second


def _as_vector(labels: VectorLike, name: str) -> AnyArray:
    try:
        array = np.asarray(labels)
    except ValueError as error:
        raise InvalidData(f"{name} must be 1D: one label per sample, got rows of unequal length.") from error
    if array.ndim != 1:
        raise InvalidData(f"{name} must be 1D: shape is {array.shape}. Give one label per sample.")
    return np.empty(0, dtype=np.int64) if array.size == 0 else array


def _native(array: AnyArray) -> AnyArray:
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    return np.require(native, requirements=["C_CONTIGUOUS", "ALIGNED"])


def _from_text(array: AnyArray) -> Labeling:
    native = _native(array)
    rows = native.view(np.uint8).reshape(native.size, native.dtype.itemsize)
    codes, examples = _core.encode_text(rows, 4 if native.dtype.kind == "U" else 1)
    return Labeling(codes, native.dtype, native[examples])


def _from_floats(array: AnyArray, name: str) -> Labeling:
    is_wrong = ~np.isfinite(array)
    if is_wrong.any():
        raise _missing(name, "NaN or infinity", is_wrong)
    if np.abs(array).max() < 2.0**63:
        whole = array.astype(np.int64)
        if np.array_equal(whole, array):
            return Labeling(whole, array.dtype)
    warn_caller(
        f"{name} holds continuous values such as {float(array[0]):g}: measures of clusterings expect "
        f"discrete labels. Each distinct value is taken as a label.",
        DataNotice,
    )
    names, codes = np.unique(array, return_inverse=True)
    return Labeling(codes.astype(np.int32, copy=False), array.dtype, names)


def _from_dates(array: AnyArray, name: str) -> Labeling:
    is_missing = np.isnat(array)
    if is_missing.any():
        raise _missing(name, "NaT", is_missing)
    native = _native(array)
    return Labeling(native.view(np.int64), native.dtype)


def _from_objects(array: AnyArray, name: str) -> Labeling:
    numbers: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(numbers.__getitem__, array.tolist()), dtype=np.int32, count=array.size)
    except TypeError:
        raise InvalidData(f"{name} must be 1D: one hashable label per sample, got nested objects.") from None
    missing = [number for label, number in numbers.items() if _is_missing(label)]
    if missing:
        raise _missing(name, "missing values (None or NaN)", np.isin(codes, missing))
    try:
        ordered = sorted(numbers)
    except TypeError:
        kinds = " and ".join(sorted({type(label).__name__ for label in numbers}))
        raise InvalidData(
            f"{name} mixes labels of types {kinds}, which have no order. Use one type."
        ) from None
    code_of = np.empty(len(ordered), dtype=np.int32)
    code_of[[numbers[label] for label in ordered]] = np.arange(len(ordered), dtype=np.int32)
    return Labeling(code_of[codes], array.dtype, np.fromiter(ordered, dtype=object, count=len(ordered)))


def _is_missing(label: object) -> bool:
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA has no truth
        return True


def _missing(name: str, what: str, is_missing: npt.NDArray[np.bool_]) -> InvalidData:
    first = int(np.argmax(is_missing))
    return InvalidData(
        f"{name} contains {what}: {int(is_missing.sum()):,} of {is_missing.size:,} labels, the first at row "
        f"{first}. Leave those samples out, or give them a label of their own (-1 is noise)."
    )
