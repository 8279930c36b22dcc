"""The words for yes and no."""

from __future__ import annotations

YES_NO_WORDS = (
    ("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("j", "n"), ("oui", "non"),
    ("si", "no"), ("sí", "no"), ("on", "off"), ("wahr", "falsch"), ("vrai", "faux"),
)  # fmt: skip
ABSENT = frozenset(no for _, no in YES_NO_WORDS) | {"", "0", "absent"}
