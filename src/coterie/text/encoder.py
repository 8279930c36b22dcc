"""From texts to vectors: weighted words, and the directions along which they vary together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import aslinearoperator
from sklearn.feature_extraction.text import CountVectorizer

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.linear_algebra import FLAT, lanczos, settle_signs
from coterie._support.stoppable import stoppable
from coterie._support.typing import Data, FloatArray, SparseData
from coterie._support.validation import Whole, check_parameter
from coterie._support.validation.schema import ListOf, Tensor, Text
from coterie.errors import InvalidData, InvalidParameter, MissingDependency, UnsupportedInput
from coterie.text.stop_words import find_language, languages, stop_words

WORD = r"(?u)\b[^\W\d_][\w'’-]*[^\W_]\b"  # two characters or more, beginning with a letter
TEXTS_TO_TELL = 200  # from which the language is told
MOST_AXES = 100  # of the vectors
MOST_TERMS = 20_000
MOST_DENSE = 500  # texts or terms whose products LAPACK decomposes whole: quicker than Lanczos' method
COMMON = 0.5  # terms in more than that share of the texts say nothing
FEW_TEXTS = 50  # of fewer, a term of one text counts


@saved(eq=False)
class TextEncoder:
    """How texts become vectors: which terms count, what they weigh, and the axes they are projected to."""

    terms: tuple[str, ...] = held(
        ListOf(Text(), "terms", kind=tuple), "Words, and pairs of words, that count."
    )
    weights: FloatArray = held(
        Tensor("terms", kind="f8", low=0), "Of each term: the fewer texts have it, the more."
    )
    axes: FloatArray = held(
        Tensor("terms", "axes", kind="f8"), "Directions of the weighted terms along which texts differ most."
    )
    language: str = held(Text(), 'Whose stop words were left out; "" for none.')

    def count(self, texts: Sequence[str]) -> SparseData:
        """Return how often each text has each term."""
        counter = CountVectorizer(vocabulary=list(self.terms), token_pattern=WORD, ngram_range=(1, 2))
        return csr_array(counter.transform(_without(texts, self.language)))

    def weigh(self, counts: SparseData) -> SparseData:
        """Return TF-IDF: logarithms of the counts times the weights of the terms, rows of length 1."""
        found = csr_array(counts, dtype=np.float64, copy=True)
        found.sort_indices()  # sums in one order: equal texts have equal vectors
        found.data = 1.0 + np.log(found.data)
        found = csr_array(found @ diags_array(self.weights))
        length = np.sqrt(np.asarray(found.multiply(found).sum(axis=1)).ravel())
        return csr_array(diags_array(1.0 / np.where(length > 0, length, 1.0)) @ found)

    def encode(self, texts: Sequence[str]) -> Data:
        """Return the vectors of texts; zeros for a text without any term that counts."""
        return np.ascontiguousarray(self.weigh(self.count(texts)) @ self.axes)


def encode_texts(
    texts: Sequence[str], *, language: str | Iterable[str] = "auto", random_state: int = 0
) -> tuple[TextEncoder, SparseData]:
    """Learn how texts become vectors.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    language : str or iterable of str, default="auto"
        Whose stop words to leave out: a name of `languages()`, "auto": told from the texts, "none", or the
        words themselves.
    random_state : int, default=0
        Start of the search for axes.

    Returns
    -------
    encoder : TextEncoder
    counts : CSR array of shape (n_texts, n_terms)

    Examples
    --------
    >>> encoder, counts = encode_texts(["red apples and green apples", "green pears", "red cars"] * 9)
    >>> sorted(encoder.terms)[-3:]
    ['pears', 'red apples', 'red cars']
    """
    texts = read_texts(texts)
    check_parameter(random_state, Whole(0), name="random_state", who="encode_texts")
    known, name = _stop_words(texts, language)
    counter = CountVectorizer(
        token_pattern=WORD,
        ngram_range=(1, 2),
        min_df=1 if len(texts) < FEW_TEXTS else 2,
        max_df=COMMON if len(texts) > 2 else 1.0,
        max_features=MOST_TERMS,
    )
    try:
        counts = csr_array(counter.fit_transform(_without(texts, known)), dtype=np.float32)
    except ValueError:
        raise InvalidData(
            f"no term is in several of the {len(texts):,} texts: there is nothing to group them by."
        ) from None
    terms = tuple(str(term) for term in counter.get_feature_names_out())
    having = np.bincount(counts.indices, minlength=len(terms))
    weights = np.log((1 + len(texts)) / (1 + having)) + 1.0
    bare = TextEncoder(terms, weights, np.zeros((len(terms), 0)), name)
    axes = _axes(bare.weigh(counts), random_state)
    return TextEncoder(terms, weights, axes, name), counts


def read_texts(texts: Any) -> list[str]:
    """Return texts as a list; None is an empty text."""
    if isinstance(texts, (str, bytes)) or not hasattr(texts, "__len__"):
        raise UnsupportedInput(f"texts must be a sequence of texts, got {type(texts).__name__}.")
    found = []
    for at, text in enumerate(texts.to_list() if hasattr(texts, "to_list") else texts):
        if text is None or (isinstance(text, float) and np.isnan(text)):
            found.append("")
        elif isinstance(text, str):
            found.append(text)
        else:
            raise UnsupportedInput(f"text {at + 1} must be a string, got {type(text).__name__}.")
    return found


def _axes(weighted: SparseData, seed: int) -> FloatArray:
    """Return the leading right singular vectors, by the products of texts or of terms, the fewer of them."""
    n_axes = min(MOST_AXES, *(side - 1 for side in weighted.shape))
    if n_axes < 1:
        return np.ones((weighted.shape[1], 1))
    has_fewer_texts = weighted.shape[0] < weighted.shape[1]
    narrow = weighted if has_fewer_texts else csr_array(weighted.T)
    squares, vectors = _largest(narrow, n_axes, seed)
    kept = squares > FLAT * max(float(squares[0]), 1e-300)
    squares, vectors = squares[kept], vectors[:, kept]
    axes = narrow.T @ (vectors / np.sqrt(squares)) if has_fewer_texts else vectors
    return settle_signs(np.ascontiguousarray(axes))


def _largest(narrow: SparseData, count: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the largest eigenvalues of the products of all pairs of rows, falling, and their vectors."""
    n_rows = narrow.shape[0]
    if n_rows <= MOST_DENSE:
        squares, vectors = stoppable(np.linalg.eigh, np.asarray((narrow @ narrow.T).toarray()))
    else:
        start = np.random.default_rng(seed).normal(size=n_rows)
        squares, vectors = lanczos(
            aslinearoperator(narrow) @ aslinearoperator(narrow.T), seed, k=count, v0=start
        )
    order = np.argsort(-squares, kind="stable")[:count]
    return squares[order], vectors[:, order]


def _stop_words(texts: Sequence[str], language: str | Iterable[str]) -> tuple[str | frozenset[str], str]:
    """Return the words to leave out, or the name of their language, and that name."""
    if not isinstance(language, str):
        told: list[object]
        try:
            told = list(language)
        except TypeError:  # a number, for example
            told = [language]
        named = [word for word in told if isinstance(word, str)]
        if len(named) < len(told):
            raise InvalidParameter(
                f'language must be one of {", ".join(languages())}, "auto", "none", or a list of stop words, '
                f"got {shortened(repr(language))}."
            )
        given = frozenset(word.lower() for word in named)
        return given, " ".join(sorted(given))
    if language == "none":
        return "", ""
    if language == "auto":
        words = (word for text in texts[:TEXTS_TO_TELL] for word in re.findall(WORD, text.lower()))
        language = find_language(words) or ""
    elif language:
        stop_words(language)  # refuses unknown ones
    return language, language


def _without(texts: Sequence[str], known: str | frozenset[str]) -> list[str]:
    """Return lower-case texts without the stop words."""
    if isinstance(known, str):
        try:
            words = stop_words(known) if known else frozenset()
        except InvalidParameter:
            words = frozenset(known.split())  # the words themselves
    else:
        words = known
    lower = (text.lower().replace("’", "'") for text in texts)
    if not words:
        return list(lower)
    return [" ".join(word for word in re.findall(WORD, text) if word not in words) for text in lower]


def embed_texts(texts: Sequence[str], model: str) -> FloatArray:
    """Return the vectors that a model of sentence-transformers gives to texts.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    model : str
        Name of the model, or the folder that it is in; sentence-transformers fetches what is not there.
    """
    try:
        library = import_module("sentence_transformers")
    except ModuleNotFoundError as error:
        if error.name != "sentence_transformers":
            raise
        raise MissingDependency(
            f"vectors={model!r} needs the package sentence-transformers, which is not installed: install it, "
            f"or pass the vectors themselves, or leave them out."
        ) from None
    return np.asarray(library.SentenceTransformer(model).encode(list(texts)), dtype=np.float64)
