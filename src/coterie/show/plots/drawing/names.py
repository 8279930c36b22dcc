"""Names from the data as letters of a picture."""

from __future__ import annotations

LONGEST_NAME = 32


def plain(name: object, longest: int = LONGEST_NAME) -> str:
    r"""Return a name from the data on one line, not too long, and as text that is not taken for a formula.

    Examples
    --------
    >>> print(plain("cost $ and price $"))
    cost \$ and price \$
    >>> plain("the number of\nvisits of last year", 20)
    'the number of visit…'
    """
    text = " ".join(str(name).split())
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    return text.replace("$", r"\$")
