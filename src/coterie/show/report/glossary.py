"""What the words of curves and tables mean, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from coterie.errors import CoterieError
from coterie.select.catalogue import find_criterion

WORDS = {
    "separation": "how clear the borders between groups are, summed: a border is clear where rows are "
    "rarer than anywhere within one cloud of rows; above 0, and the larger the better",
    "weakest border": "the same for the border that is least clear; below 0 it may be chance",
    "crossing": "share of neighbouring rows that a border between groups divides; small is good",
    "noise": "share of rows in no group",
    "silhouette": "how much nearer rows are to their own group than to the next; 1 is far apart",
}


def meaning(word: str) -> str:
    """Return what a word means; nothing where it says so itself.

    Examples
    --------
    >>> meaning("noise")
    'share of rows in no group'
    """
    if word in WORDS:
        return WORDS[word]
    try:
        summary = find_criterion(word).summary
    except CoterieError:
        return ""
    return summary[:1].lower() + summary[1:].rstrip(".")


def glossary(words: Iterable[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return title and meaning of those that have one, from names and titles.

    Examples
    --------
    >>> glossary([("noise", "noise"), ("k", "k")])
    (('noise', 'share of rows in no group'),)
    """
    return tuple((title, meaning(name)) for name, title in words if meaning(name))
