"""What Coterie raises: each error is a `CoterieError` and the built-in that callers already catch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from coterie._printing import LONGEST_MESSAGE, shortened


class CoterieError(Exception):
    """Base of everything that Coterie raises on purpose."""

    shell_text: str | None = None  # the same in the words of the command line, where those differ
    page_text: str | None = None  # and in those of the explorer's page

    def __init__(self, *facts: object) -> None:
        # whatever a message quotes, it stays one that can be read: what is wrong, and at its end what to do
        super().__init__(
            *(shortened(fact, LONGEST_MESSAGE) if isinstance(fact, str) else fact for fact in facts)
        )

    def in_shell(self, text: str, *, in_page: str | None = None) -> Self:
        """Set the words for the command line, and for the explorer's page; return the error itself."""
        self.shell_text = shortened(text, LONGEST_MESSAGE)
        self.page_text = None if in_page is None else shortened(in_page, LONGEST_MESSAGE)
        return self


class InvalidParameter(CoterieError, ValueError, TypeError):
    """A parameter has a value or a type that its estimator or function does not take."""


class UnmetConstraints(InvalidParameter):
    """No groups keep the sizes, or the pairs, that were given."""

    option: str | None = None  # the pairs that it is about: "together" or "apart"; None: the sizes
    rows: tuple[int, ...] = ()  # that cannot be as the pairs say, by number from 0
    reason: str = ""  # what stands in the way, after their names, and the way out

    def of_pairs(self, option: str, rows: Iterable[int], reason: str) -> Self:
        """Set which rows and pairs it is about, for whoever knows other names of them; return the error."""
        self.option, self.rows, self.reason = option, tuple(rows), reason
        return self


class InvalidData(CoterieError, ValueError):
    """The data have a shape or values that cannot be clustered."""


class UnsupportedInput(CoterieError, TypeError):
    """The data are of a kind that is not taken here: text, objects, dates, sparse where dense is needed."""


class NotEnoughMemory(CoterieError, MemoryError):
    """The work would need more memory than is free."""


class FileProblem(CoterieError, OSError):
    """A file cannot be opened, read or written."""


class MissingFile(FileProblem, FileNotFoundError):
    """A file to read does not exist."""


class ExistingFile(FileProblem, FileExistsError):
    """A file to write exists already."""


class InvalidFile(CoterieError, ValueError):
    """A file was read, but its content is not the table it should be."""


class EmptyFile(InvalidFile):
    """A file is a table without rows; among several files it is skipped."""


class ModelFileError(CoterieError, ValueError):
    """A file is not a model that this version can load, or a model cannot be saved."""


class MissingDependency(CoterieError, ImportError):
    """An optional package is not installed."""


class DataNotice(UserWarning):
    """The data were taken, but something about them deserves a look."""


class ParameterNotice(UserWarning, RuntimeWarning):
    """A parameter was replaced by a value that fits; a RuntimeWarning too, as scikit-learn's for the same."""


def nearest_name(name: str, choices: Iterable[str]) -> str | None:
    """Return the choice most like `name`, or None when nothing is close.

    Examples
    --------
    >>> nearest_name("kmean", ["kmeans", "kmedoids"]), nearest_name("Kmeans", ["k_means", "KMeans"])
    ('kmeans', 'KMeans')
    """
    from difflib import SequenceMatcher, get_close_matches

    by_key: dict[str, list[str]] = {}
    for choice in choices:
        by_key.setdefault(_key_of(choice), []).append(choice)
    close = get_close_matches(_key_of(name), by_key, n=1, cutoff=0.6)
    if not close:
        return None
    return max(by_key[close[0]], key=lambda choice: SequenceMatcher(None, name, choice).ratio())


def _key_of(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def did_you_mean(name: object, choices: Iterable[str]) -> str:
    """Return the sentence that offers the nearest name, with a blank in front, or nothing.

    Examples
    --------
    >>> did_you_mean("kmean", ["kmeans", "kmedoids"])
    ' Did you mean "kmeans"?'
    """
    near = nearest_name(name, choices) if isinstance(name, str) else None
    return f' Did you mean "{near}"?' if near is not None else ""


def in_page(error: BaseException) -> str:
    """Return what an error says in the words of the explorer's page."""
    return getattr(error, "page_text", None) or str(error)


def shown_in_shell(value: object) -> str:
    """Return a value as it was typed; with quotes where nothing would be seen.

    Examples
    --------
    >>> shown_in_shell("2..x"), shown_in_shell(" ")
    ('2..x', "' '")
    """
    return str(value) if str(value).strip() else repr(str(value))
