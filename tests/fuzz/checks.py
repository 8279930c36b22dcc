"""What every answer must be, whatever made it."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
from scipy import sparse

from tests.fuzz.case import Finding, expect

# no distance that large exists, or none does at all: infinity says so by contract
MAY_BE_INFINITE = (
    "reachability",
    "_merges",  # of distances that are infinite: HDBSCAN warns of them
    "core_distance",
    "distances_",
    "heights",
    "eps",
    "lambda",
    "threshold",
    "condensed_tree_",
    "values.p",  # of minkowski: the largest difference
    "_idle",  # densities of rows of weight 0: infinite for copies of others
)
# scikit-learn's contract: odd rows of HDBSCAN have a probability that is missing, and so a score
MAY_BE_MISSING = ("probabilities_", "outlier_scores_", "centroids_", "medoids_")
LOWEST_LABEL = -3  # HDBSCAN: -1 noise, -2 infinite rows, -3 rows with missing values, as in scikit-learn


def check_labels(labels: Any, n: int, most: int, who: str, lowest: int = -1) -> None:
    """Labels are whole numbers, one per row, -1 or 0..k-1."""
    labels = np.asarray(labels)
    expect(labels.shape == (n,), f"{who}: labels of a wrong shape", f"{labels.shape}, not ({n},)")
    expect(labels.dtype.kind in "iu", f"{who}: labels of a wrong type", str(labels.dtype))
    if n:
        least, greatest = int(labels.min()), int(labels.max())
        expect(least >= lowest, f"{who}: a label below {lowest}", f"{least}")
        expect(greatest < most, f"{who}: a label of a group that is not there", f"{greatest} of {most}")


def check_finite(name: str, value: Any, who: str) -> None:
    """No fitted number is missing, and none infinite that is not so by contract."""
    for place, numbers in arrays_of(name, value):
        if numbers.dtype.kind != "f" or any(word in place for word in MAY_BE_MISSING):
            continue
        expect(not np.isnan(numbers).any(), f"{who}: NaN in {name}", f"{place}: {numbers!r}"[:400])
        if not any(word in place for word in MAY_BE_INFINITE):
            expect(not np.isinf(numbers).any(), f"{who}: infinity in {name}", f"{place}: {numbers!r}"[:400])


def check_shares(shares: Any, n: int, who: str) -> None:
    """Memberships are between 0 and 1, and those of a row at most 1 together where they are probabilities."""
    shares = np.asarray(shares)
    expect(shares.ndim == 2 and shares.shape[0] == n, f"{who}: shares of a wrong shape", f"{shares.shape}")
    expect(np.isfinite(shares).all(), f"{who}: shares that are not finite", f"{shares!r}"[:300])
    if shares.size:
        expect(shares.min() >= 0 and shares.max() <= 1 + 1e-6, f"{who}: a share outside of 0..1")
        is_probability = who != "ConsensusClustering"  # there: mean consensus with each group
        expect(
            not is_probability or shares.sum(axis=1).max() <= 1 + 1e-5,
            f"{who}: shares of a row above 1 together",
        )


def arrays_of(name: str, value: Any, depth: int = 0) -> list[tuple[str, Any]]:
    """Return every array in a value, with its place."""
    if isinstance(value, np.ndarray):
        return [(name, value)]
    if isinstance(value, float | np.floating):
        return [(name, np.asarray(value))]
    if sparse.issparse(value):
        return [(f"{name}.data", value.tocsr().data)]
    if depth > 4:
        return []
    found: list[tuple[str, Any]] = []
    if isinstance(value, dict):
        for key, item in value.items():
            found += arrays_of(f"{name}.{key}", item, depth + 1)
    elif isinstance(value, list | tuple):
        for i, item in enumerate(value[:50]):
            found += arrays_of(f"{name}.{i}", item, depth + 1)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for part in dataclasses.fields(value):
            found += arrays_of(f"{name}.{part.name}", getattr(value, part.name), depth + 1)
    return found


def check_same(first: Any, second: Any, kind: str) -> None:
    """Two answers are the same to the bit."""
    difference = difference_of("", first, second)
    if difference:
        raise Finding(f"{kind} ({difference[0]})", difference[1])


def difference_of(name: str, first: Any, second: Any, depth: int = 0) -> tuple[str, str] | None:
    """Return where two values differ, None where they do not."""
    if type(first) is not type(second):
        return name, f"{type(first).__name__} and {type(second).__name__}"
    if sparse.issparse(first):
        first, second = first.toarray(), second.toarray()
    if hasattr(first, "equals"):  # a frame of pandas or polars
        return None if first.equals(second) else (name, f"{first}\n{second}"[:1500])
    if isinstance(first, np.ndarray):
        is_same = first.shape == second.shape and first.dtype == second.dtype
        is_same = is_same and np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
        return None if is_same else (name, f"{first!r}\n{second!r}"[:1500])
    if isinstance(first, dict) or (depth < 4 and hasattr(first, "__dict__") and not callable(first)):
        mine, other = (value if isinstance(value, dict) else vars(value) for value in (first, second))
        if mine.keys() != other.keys():
            return name, f"{sorted(map(str, mine))} and {sorted(map(str, other))}"
        pairs = [(f"{name}.{key}".strip("."), mine[key], other[key]) for key in mine]
    elif isinstance(first, list | tuple):
        if len(first) != len(second):
            return name, f"{len(first)} and {len(second)} items"
        pairs = [(name, a, b) for a, b in zip(first, second, strict=True)]
    else:
        is_number = isinstance(first, float | np.floating)
        is_same = callable(first) or repr(first) == repr(second) or (is_number and first == second)
        return None if is_same else (name, f"{first!r} and {second!r}"[:600])
    for place, a, b in pairs:
        if "seconds" in place or "progress" in place:  # the clock's
            continue
        difference = difference_of(place, a, b, depth + 1)
        if difference:
            return difference
    return None
