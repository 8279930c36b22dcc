"""Errors are ours and the built-in at once; near names are offered."""

import pytest

from coterie import errors


@pytest.mark.parametrize(
    ("error", "built_in"),
    [
        (errors.InvalidParameter, ValueError),
        (errors.InvalidParameter, TypeError),
        (errors.InvalidData, ValueError),
        (errors.UnsupportedInput, TypeError),
        (errors.NotEnoughMemory, MemoryError),
        (errors.FileProblem, OSError),
        (errors.MissingFile, FileNotFoundError),
        (errors.ExistingFile, FileExistsError),
        (errors.InvalidFile, ValueError),
        (errors.ModelFileError, ValueError),
        (errors.MissingDependency, ImportError),
    ],
)
def test_every_error_is_ours_and_the_built_in(error, built_in):
    """Law: code that catches the built-in or CoterieError catches ours, and the message is what was said."""
    with pytest.raises(built_in, match=r"^what, where$"):
        raise error("what, where")
    assert issubclass(error, errors.CoterieError)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("kmean", "kmeans"), ("K-Means", "kmeans"), ("k_medoid", "kmedoids"), ("zzz", None), ("", None)],
)
def test_nearest_name(name, expected):
    """Law: case, hyphens and small slips do not matter; what is far from everything gets no offer."""
    assert errors.nearest_name(name, ["kmeans", "kmedoids", "dbscan"]) == expected


def test_did_you_mean_is_silent_for_what_is_no_name():
    """Law: numbers and far names add nothing to a message."""
    assert errors.did_you_mean(3, ["kmeans"]) == ""
    assert errors.did_you_mean("qqqq", ["kmeans"]) == ""
