"""What the words of curves and tables mean, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterable

from coterie.errors import CoterieError
from coterie.pipeline.judge.density_valleys import ENOUGH
from coterie.select.catalogue import find_criterion

WORDS = {
    "separation": "how much lower the density is at the borders between groups than null data would show, "
    f"in standard errors, summed over the borders (at most {ENOUGH:g} each); larger is better, 0 and below "
    "is not significant",
    "weakest border": "the same for the least clear border, not limited; 0 and below is not significant",
    "crossing": "share of nearest-neighbour pairs that cross a border between groups; small is good",
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
