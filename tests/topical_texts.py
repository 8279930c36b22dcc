"""Texts about four topics, made of typical, common and holding words."""

from __future__ import annotations

import numpy as np

TOPICS = {
    "space": "rocket orbit satellite moon launch astronaut telescope mars galaxy planet",
    "kitchen": "recipe oven butter flour sugar bake onion garlic sauce dish",
    "soccer": "goal striker match league referee penalty coach stadium team keeper",
    "money": "bank interest loan inflation market stocks bond currency tax credit",
}
COMMON = ["people", "time", "year", "day", "world", "life", "part", "work", "place", "case", "week", "night"]
HOLDING = ["the", "of", "and", "to", "in", "is", "was", "for", "on", "with", "as", "by", "at", "from", "it"]


def topical(n: int = 240, seed: int = 0) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    words = [topic.split() for topic in TOPICS.values()]
    truth = rng.integers(0, len(words), n)
    texts = []
    for topic in truth:
        kinds = rng.choice(3, rng.integers(30, 60), p=(0.4, 0.35, 0.25))
        texts.append(" ".join(str(rng.choice((HOLDING, COMMON, words[topic])[kind])) for kind in kinds))
    return texts, truth.tolist()
