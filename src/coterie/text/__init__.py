"""Groups of texts: documents become vectors, vectors become groups, and groups get names from their words."""

from coterie.text.encoder import TextEncoder, encode_texts
from coterie.text.fit import TextClustering, fit_texts
from coterie.text.stop_words import languages, stop_words

__all__ = ["TextClustering", "TextEncoder", "encode_texts", "fit_texts", "languages", "stop_words"]
