"""What the columns of a table are: numbers, text, dates, keys. One set of rules for every source.

A table in memory is looked at as a whole; of data in blocks, the first rows tell the kinds of the columns.
Keys are told by rows that are drawn alike from both, so that the same rows give the same columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from coterie._support.typing import FloatArray, Indices

HEAD_ROWS = 1000  # first rows, which tell what kind of values a column holds
KEY_ROWS = 1000  # drawn rows, which tell whether whole numbers name the rows
KEY_SHARE = 0.3  # different values per row from which whole numbers called like a key are one
LEAST_ROWS, FEW_ROWS = 3, 100

# Names are compared as words: "Customer No.", "customer-no" and "CustomerNo" are customer_no.
_WORD_END = re.compile(r"(?<=[a-zäöüß]{2})(?=[A-Z])")
_NO_WORD = re.compile(r"[^\w°]+|_+")
# what tables are about, one in each row: alone, such a word names it
_NAMED_THING = (
    r"(customer|client|patient|user|username|login|member|person|participant|respondent|subject|employee|student"
    r"|household|account|contract|policy|invoice|order|transaction|ticket|product|article|item|part|serial|sku|ean|isbn"
    r"|asin|barcode|device|vehicle|vin|iban|e_?mail|specimen|kunde|kundin|mitarbeiter|artikel|konto)"
)
_COUNTED_THING = ("order", "item", "part")  # alone, they may be how many there are
_GERMAN_NUMBER = r"[a-zäöüß](nr|nummer)"
_KEY_NAME = re.compile(
    r"^(id|key|index|row|nr|no|number|uuid|guid|code|name|kennung|identifiant|matricule|unnamed_0)$"
    rf"|_(id|key|uuid|guid|nr|no|number|nummer|identifiant)$|{_GERMAN_NUMBER}$"
    rf"|^id_[a-z]|^(n°|numero|numéro|número)_[a-z]|^{_NAMED_THING}$"
)
_ENDS_IN_ID = re.compile(r"I[dD]$")
_FILE_NAME = re.compile(r"\S(.*[^\s.])?\.[A-Za-z][A-Za-z0-9]{0,5}(\.(gz|zip|bz2|xz|zst))?")

_CODE_NAMES = {
    "a postal code": re.compile(
        r"(^|_)(zip|zip_?code|zip_?5|postal_?code|post_?code|plz|postleitzahl|code_?postal|c[oó]digo_?postal)$"
    ),
    "a phone number": re.compile(
        r"(^|_)(phone|phone_?(no|number|nr)|tel|telephone|mobile|fax|(telephone|mobile|fax)_(no|number|nr)"
        r"|telefon|téléphone|telefonnummer|telefonnr)$"
    ),
    "an id that repeats": re.compile(
        rf"(^|_)(id|uuid|guid|key)$|^id_[a-z]|(^|_){_NAMED_THING}_(no|nr|number|nummer)$"
        r"|^(kunden|rechnungs|auftrags|bestell|artikel|konto|personal|matrikel|vertrags|mitglieds)_?(nr|nummer)$"
    ),
    "a code": re.compile(r"(^|_)(code|sku|ean|isbn)$"),
    "classes": re.compile(
        r"^(class|target|labels?|truth|species|cluster|segment|true_?label|y_?true|ground_?truth)$"
    ),
}
_YEAR_NAME = re.compile(r"(^|_)(year|yr|vintage|année|annee)(_|$)|(^|_|[a-zäöüß])jahr(_|$)")
MOST_CLASSES = 50
FIRST_YEAR, LAST_YEAR = 1500, 2200
# what the ends of the links of a network are called
SOURCES = ("source", "from", "src", "node1", "node_1", "u", "i")
TARGETS = ("target", "to", "dst", "dest", "node2", "node_2", "v", "j")


def _words(name: str) -> str:
    """Return the words of a column's name in small letters, with _ between them.

    Examples
    --------
    >>> _words("Customer No."), _words("ZipCode"), _words("Order #"), _words("USER_ID")
    ('customer_no', 'zip_code', 'order_no', 'user_id')
    """
    parts = _WORD_END.sub("_", name.replace("#", " no "))
    return _NO_WORD.sub("_", parts).strip("_").casefold()


def is_key_name(name: str) -> bool:
    """Return whether a column is called like a key.

    Examples
    --------
    >>> is_key_name("customer_id"), is_key_name("patient"), is_key_name("income")
    (True, True, False)
    """
    words = _words(name)
    if words in _COUNTED_THING:
        return False
    return bool(_KEY_NAME.search(words) or _ENDS_IN_ID.search(name))


def are_file_names(texts: Iterable[str]) -> bool:
    """Return whether all texts are names of files, with folders or without; those name rows, as keys do.

    Examples
    --------
    >>> are_file_names(["photos/001.jpg", "photos/002.jpg"]), are_file_names(["red", "blue"])
    (True, False)
    """
    found = [_FILE_NAME.fullmatch(text.strip()) is not None for text in texts]
    return bool(found) and all(found)


def is_number_of_names(name: str) -> bool:
    """Return whether a column is called as whole numbers are that measure nothing: a key, a code, a year.

    Examples
    --------
    >>> is_number_of_names("customer id"), is_number_of_names("zip"), is_number_of_names("income")
    (True, True, False)
    """
    words, patterns = _words(name), (_YEAR_NAME, *_CODE_NAMES.values())
    return is_key_name(name) or any(pattern.search(words) for pattern in patterns)


def may_name_rows(name: str, first: FloatArray) -> bool:
    """Return whether whole numbers may be a key, a code or row numbers, by their name and first values."""
    if is_key_name(name) or _kind_of_name(name) is not None:
        return True
    steps = np.diff(first)
    return bool(steps.size and abs(steps[0]) == 1 and (steps == steps[0]).all())


def kind_of_key(
    name: str, values: FloatArray, rows: Indices, n_rows: int, *, n_different: int | None = None
) -> str | None:
    """Return what whole numbers are that measure nothing: row numbers, a key, a code, classes; else None.

    Parameters
    ----------
    name : str
        Of the column.
    values : array of shape (n,)
        Its whole numbers in some rows, without missing ones.
    rows : array of shape (n,)
        Which rows these are, counted from 0, ascending.
    n_rows : int
        Rows of the table.
    n_different : int, default=None
        How many of the values differ, where floats cannot tell; None: as these do.

    Examples
    --------
    >>> rows = np.arange(5)
    >>> kind_of_key("x", rows + 1.0, rows, 5), kind_of_key("customer_id", rows * 7.0, rows, 5)
    ('row numbers', 'a key')
    >>> kind_of_key("visits", np.array([1.0, 5.0, 2.0, 9.0, 4.0]), rows, 5) is None
    True
    """
    if n_rows < LEAST_ROWS or not len(values):
        return None
    if any(np.ptp(values - counted) == 0 and values.min() >= 0 for counted in (rows, -rows)):
        least = values[0] - rows[0] if values[-1] >= values[0] else values[-1] - (n_rows - 1 - rows[-1])
        if least in (0, 1):
            return "row numbers"
    different = len(np.unique(values)) if n_different is None else n_different
    share = 1.0 if n_rows < FEW_ROWS else KEY_SHARE  # counts may restart in files, and rows may be copies
    if is_key_name(name) and different >= share * len(values):
        return "a key"
    return kind_of_code(name, different, n_rows)


def kind_of_code(name: str, n_different: int, n_rows: int) -> str | None:
    """Return which code whole numbers are by the name of their column; None for measurements.

    Examples
    --------
    >>> kind_of_code("zip", 80, 100), kind_of_code("target", 3, 150), kind_of_code("age", 40, 100)
    ('a postal code', 'classes', None)
    """
    kind = _kind_of_name(name)
    if kind == "classes" and (n_different > MOST_CLASSES or 2 * n_different > n_rows):
        return None
    return kind


def _kind_of_name(name: str) -> str | None:
    words = _words(name)
    return next((kind for kind, pattern in _CODE_NAMES.items() if pattern.search(words)), None)


def are_years(name: str, least: float, most: float) -> bool:
    """Return whether whole numbers are years, which may be a quantity or a label.

    Examples
    --------
    >>> are_years("year_built", 1950, 2020), are_years("years", 1, 30)
    (True, False)
    """
    return bool(_YEAR_NAME.search(_words(name))) and least >= FIRST_YEAR and most <= LAST_YEAR


def kind_of_type(dtype: Any) -> str | None:
    """Return why a type holds no numbers, in words; None where it does, or where cells must be looked at.

    Parameters
    ----------
    dtype : polars data type
        Of the column.
    """
    if is_text(dtype) or dtype.is_numeric() or dtype.is_temporal() or str(dtype) == "Boolean":
        return None
    return f"{dtype}, not numbers"


def is_text(dtype: object) -> bool:
    """Return whether a polars type holds text or categories."""
    return str(dtype).startswith(("String", "Categorical", "Enum"))
