"""One case: what it draws from, what it is doing, and what counts as an answer, a refusal or a finding."""

from __future__ import annotations

import dis
import re
import traceback
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import coterie
from coterie.errors import CoterieError, DataNotice, ParameterNotice

LONGEST_MESSAGE = 2_000
PACKAGE = str(Path(coterie.__file__).parent)
RAISE = dis.opmap["RAISE_VARARGS"]
# words of other libraries; what stands in brackets after our own words may quote them
FOREIGN_WORDS = re.compile(
    r"\bufunc\b|broadcast|cannot reshape|dtype\('|<class '|out of bounds for axis|unhashable type"
    r"|object has no attribute|required positional|unexpected keyword|not supported between instances"
    r"|only integer scalar|panicked|std::|nanobind|incompatible function arguments|invalid literal for"
    r"|PyObject|Traceback|truth value of an array|object is not|indices must be integers"
)
# ours speak through DataNotice, scikit-learn's ConvergenceWarning and UserWarning: not in these classes
# (SyntaxWarning is scikit-learn's word for a parameter given twice, and so ours)
FOREIGN_WARNINGS = (RuntimeWarning, DeprecationWarning, FutureWarning, ResourceWarning)


class Refused(Exception):
    """The input was refused in our own words: a good end of a case."""


class Finding(Exception):
    """Something that must not happen.

    Parameters
    ----------
    kind : str
        What and where, without numbers: findings of one kind are reported once.
    text : str
        The details.
    """

    def __init__(self, kind: str, text: str = "") -> None:
        super().__init__(kind, text)
        self.kind, self.text = kind, text


class Draw:
    """Random decisions of a case."""

    def __init__(self, part: str, seed: int) -> None:
        self.random = np.random.default_rng([zlib.crc32(part.encode()), seed])

    def chance(self, probability: float) -> bool:
        """Return True that often."""
        return bool(self.random.random() < probability)

    def whole(self, least: int, greatest: int) -> int:
        """Return a whole number of a closed range."""
        return int(self.random.integers(least, greatest, endpoint=True))

    def seed(self) -> int:
        """Return a small seed."""
        return self.whole(0, 9)

    def choice(self, values: Any) -> Any:
        """Return one of the values."""
        values = list(values)
        return values[self.whole(0, len(values) - 1)]

    def some(self, values: Any, most: int) -> list[Any]:
        """Return up to `most` different ones of the values, in random order."""
        values = list(values)
        order = self.random.permutation(len(values))
        return [values[i] for i in order[: self.whole(0, min(most, len(values)))]]


class Case:
    """What a part gets: random decisions, a folder of its own, and the two ways to end.

    Parameters
    ----------
    part : str
        Its name.
    seed : int
        With the part it makes the case.
    folder : Path
        Empty, and emptied afterwards.
    note : callable
        Is told what will be done next, so that it is known when the process dies of it.
    """

    def __init__(self, part: str, seed: int, folder: Path, note: Callable[[str], None]) -> None:
        self.draw = Draw(part, seed)
        self.seed = seed
        self.folder = folder
        self._note = note
        self.doing = ""

    def attempt(self, doing: str, action: Callable[[], Any]) -> Any:
        """Return what the action returns; our errors become Refused, all others a Finding."""
        self.doing = doing
        self._note(doing)
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                value = action()
            except (Refused, Finding):
                raise
            except BaseException as error:  # polars panics with a BaseException
                refuse(error)
        for warning in heard:
            self._judge_warning(warning)
        return value

    def optional(self, doing: str, action: Callable[[], Any]) -> Any:
        """Return what the action returns, None where it is refused."""
        try:
            return self.attempt(doing, action)
        except Refused:
            return None

    def _judge_warning(self, warning: warnings.WarningMessage) -> None:
        is_ours = issubclass(warning.category, (DataNotice, ParameterNotice))
        if issubclass(warning.category, FOREIGN_WARNINGS) and not is_ours:
            place = Path(warning.filename).name
            message = re.sub(r"[-+]?\d[\d.e+-]*", "#", str(warning.message))[:60]
            raise Finding(
                f"{warning.category.__name__} from {place}: {message}",
                f"{warning.message} ({warning.filename}:{warning.lineno})",
            )
        if len(str(warning.message)) > LONGEST_MESSAGE:
            raise Finding(f"long warning {warning.category.__name__}", str(warning.message)[:300])


def refuse(error: BaseException) -> None:
    """Raise Refused for an error in our own words, a Finding for any other."""
    where = place_of(error)
    kind = f"{type(error).__name__} at {where}"
    text = "".join(traceback.format_exception(error))[-3000:]
    if not _is_ours(error):
        raise Finding(kind, text) from None
    message = str(error)
    if len(message) > LONGEST_MESSAGE:
        raise Finding(f"message of {len(message):,} characters: {kind}", message[:300]) from None
    foreign = FOREIGN_WORDS.search(_without_brackets(message))
    if foreign:
        raise Finding(f"foreign words {foreign.group()!r}: {kind}", message[:500]) from None
    if not message.strip():
        raise Finding(f"empty message: {kind}", text) from None
    raise Refused(message) from None


def _is_ours(error: BaseException) -> bool:
    if isinstance(error, CoterieError):
        return True
    if type(error).__name__ == "NotFittedError":  # scikit-learn's contract
        return True
    return isinstance(error, ValueError | TypeError) and _is_raised_by_us(error)


def _is_raised_by_us(error: BaseException) -> bool:
    """Return whether a `raise` of our own code made the error, rather than a library that it called."""
    at = error.__traceback__
    if at is None:
        return False
    while at.tb_next is not None:
        at = at.tb_next
    code = at.tb_frame.f_code
    return code.co_filename.startswith(PACKAGE) and code.co_code[at.tb_lasti] == RAISE


def place_of(error: BaseException) -> str:
    """Return the innermost place of our package that an error went through: file and function."""
    place = "outside"
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename.startswith(PACKAGE):
            place = f"{frame.f_code.co_filename[len(PACKAGE) + 1 :]}:{frame.f_code.co_name}"
    return place


def _without_brackets(message: str) -> str:
    shorter = re.sub(r"\([^()]*\)", "", message)
    return shorter if shorter == message else _without_brackets(shorter)


def expect(claim: Any, kind: str, text: str = "") -> None:
    """Raise a Finding where a claim does not hold."""
    if not claim:
        raise Finding(kind, text)
