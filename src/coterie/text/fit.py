"""Groups of texts with names, typical texts, and a test against texts of shuffled words."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array

from coterie._printing import shortened
from coterie._support.declarations import held, saved
from coterie._support.facts import facts_of
from coterie._support.progress import ProgressOption, Tracker, track
from coterie._support.typing import Data, FloatArray, Indices, JsonObject, Labels, MatrixLike, SparseData
from coterie._support.validation import Nothing, Whole, check_data, check_parameter
from coterie._support.validation.schema import Instance, ListOf, Maybe, Real, Sometimes, Tensor, Text
from coterie.cluster import EmbeddingClustering
from coterie.data import Table
from coterie.errors import InvalidData, InvalidParameter
from coterie.pipeline.verdict import LEVEL
from coterie.text.encoder import TextEncoder, embed_texts, encode_texts, read_texts
from coterie.text.stop_words import languages

NAME_TERMS = 3  # in the name of a group
KEPT_TERMS = 10
SHOWN_TERMS = 6
SHOWN_TEXTS = 2
LONGEST_TEXT = 90
DRAWS = 19
DRAW_TEXTS = 1_000  # of a draw: persistence does not need more
INDENT = "  "


@saved(eq=False)
class TextClustering:
    """Groups of texts.

    Parameters
    ----------
    labels : array of int of shape (n_texts,)
        Group of each text, 0..k-1, the largest first; -1: a text without a term that counts.
    names : tuple of str
        What each group is called: its most typical terms, or what it was renamed to.
    terms : tuple of tuple of str
        The most typical terms of each group, best first.
    typical : tuple of arrays of int
        The most typical texts of each group, best first.
    layers : array of int of shape (n_texts, n_layers)
        Lasting partitions from fine to coarse.
    p_value : float or None
        How often texts of shuffled words hold together as well; None: not tested.
    encoder : TextEncoder or None
        How texts become vectors; None: vectors were given.
    counts : CSR array of shape (n_texts, n_terms)
        How often each text has each term.
    column : str
        The column of a table that held them; empty: they came from elsewhere.
    """

    labels: Labels = held(Tensor("texts", kind="i8", low=-1, below="texts"))
    names: tuple[str, ...] = held(ListOf(Text(), "groups", kind=tuple))
    terms: tuple[tuple[str, ...], ...] = held(ListOf(ListOf(Text(), kind=tuple), "groups", kind=tuple))
    typical: tuple[Indices, ...] = held(
        ListOf(Tensor("some", kind="i8", low=0, may_be_empty=True), "groups", kind=tuple)
    )
    layers: Labels = held(Tensor("texts", "layers", kind="i8", low=-1, below="texts", may_be_empty=True))
    persistence: float = held(Real(0.0), "How well the groups hold together, 0 to 1.")
    p_value: float | None = held(Maybe(Real(0.0)))
    model: EmbeddingClustering = held(Instance(EmbeddingClustering), "The groups of the vectors.")
    encoder: TextEncoder | None = held(Maybe(Instance(TextEncoder)))
    counts: SparseData = held(Tensor("texts", "terms", sparse=True, may_be_empty=True))
    known_terms: tuple[str, ...] = held(ListOf(Text(), "terms", kind=tuple), "The terms.")
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "What the reader should know.")
    source: str = held(Text(), "What the texts are called.")
    seconds: float = held(Real(), "Time it took.")
    column: str = held(Sometimes(Text()), default="")

    @property
    def k(self) -> int:
        """Number of groups."""
        return len(self.names)

    @property
    def sizes(self) -> Indices:
        """Texts of each group."""
        return np.bincount(self.labels[self.labels >= 0], minlength=self.k)

    @property
    def convincing(self) -> bool | None:
        """Whether texts of shuffled words do not hold together as well; None: not tested."""
        if self.k < 2:
            return False
        return None if self.p_value is None else self.p_value <= LEVEL

    @property
    def headline(self) -> str:
        """The answer in one sentence."""
        if self.k < 2:
            return "No groups: the texts are about the same, or all about something else"
        if self.convincing is False:
            return f"No convincing groups. Best guess: {self.k} (p = {self.p_value:.2g})"
        return f"{self.k} groups"

    def predict(self, texts: Sequence[str] | MatrixLike) -> Labels:
        """Return the group of new texts, or of their vectors where vectors were given.

        Parameters
        ----------
        texts : sequence of str, or array of vectors
            What `fit_texts` was given.
        """
        rows = texts if self.encoder is None else self.encoder.encode(read_texts(texts))
        found = self.model.predict(rows)
        known = np.append(_merged_from(self.model.labels_, self.labels), -1)
        return np.asarray(known[found])

    def predict_table(self, table: Table) -> Labels:
        """Return the group of each text in the column of a table that has the name of the fitted one."""
        if not self.column or self.encoder is None or self.column not in table.columns:
            what = f'a column "{self.column}" of texts' if self.column else "texts: predict(texts) in Python"
            raise InvalidData(f"{table.source}: these groups need {what}.")
        values = table.content[self.column].to_list()
        return self.predict(["" if value is None else str(value) for value in values])

    def merge(self, groups: Iterable[int], name: str | None = None) -> TextClustering:
        """Return the answer with some groups as one; given names stay, the others are found again.

        Parameters
        ----------
        groups : iterable of int
            Numbers of at least two groups, from 0.
        name : str, default=None
            What to call them; None: by their terms.
        """
        try:
            told = list(groups)
        except TypeError:
            told = []
        if not all(isinstance(group, int | np.integer) for group in told) or not told:
            raise InvalidParameter(f"merge takes numbers of groups, got {shortened(repr(groups))}.")
        some = sorted({int(group) for group in told})
        if len(some) < 2 or some[0] < 0 or some[-1] >= self.k:
            raise InvalidParameter(
                f"merge takes at least two groups, numbers from 0 to {self.k - 1}, got {some}."
            )
        before = np.where(np.isin(self.labels, some[1:]), some[0], self.labels)
        kept = [group for group in range(self.k) if group not in some[1:]]
        sizes = np.bincount(before[before >= 0], minlength=self.k)
        order = sorted(kept, key=lambda group: (-sizes[group], group))
        number = np.full(self.k + 1, -1)
        number[order] = np.arange(len(order))
        labels = number[before]
        found = _described(self, labels)
        given = [
            name if group == some[0] else (self.names[group] if self._is_renamed(group) else None)
            for group in order
        ]
        names = tuple(own or told for own, told in zip(given, found.names, strict=True))
        return replace(found, names=names)

    def rename(self, names: Mapping[int, str]) -> TextClustering:
        """Return the answer with other names of some groups, by number."""
        if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names.values()):
            raise InvalidParameter(
                f"rename takes names by group number, such as {{0: 'fruit'}}, got {shortened(repr(names))}."
            )
        unknown = [group for group in names if group not in range(self.k)]
        if unknown:
            raise InvalidParameter(f"there is no group {unknown[0]!r}: numbers go from 0 to {self.k - 1}.")
        return replace(self, names=tuple(names.get(group, own) for group, own in enumerate(self.names)))

    def _is_renamed(self, group: int) -> bool:
        return self.names[group] != tell_apart(self.terms)[group]

    def to_dict(self) -> JsonObject:
        """Return plain values."""
        return {
            "source": self.source,
            "texts": len(self.labels),
            **facts_of(self, "k", "headline", "convincing", "p_value", "persistence"),
            "layers": [int(layer.max()) + 1 for layer in self.layers.T],
            "groups": [
                {
                    "group": at + 1,
                    "name": self.names[at],
                    "texts": int(self.sizes[at]),
                    "terms": list(self.terms[at]),
                    "typical": self.typical[at].tolist(),
                }
                for at in range(self.k)
            ],
            "notes": list(self.notes),
            "seconds": self.seconds,
        }

    @property
    def tested(self) -> str:
        """What the test against shuffled words says; "" where there was none."""
        if self.p_value is None or self.k < 2:
            return ""
        least = ", the smallest possible" if self.p_value <= 1 / (DRAWS + 1) else ""
        told = "rejected" if self.convincing else "not rejected"
        return f"null of shuffled words {told} (Monte Carlo p = {self.p_value:.2g}{least} with {DRAWS} draws)"

    def summary(self, texts: Sequence[str] | None = None, called: Sequence[str] | None = None) -> str:
        """Return the answer for people; with the texts, the most typical ones are quoted.

        Parameters
        ----------
        texts : sequence of str, default=None
            The documents.
        called : sequence of str, default=None
            What each is called, e.g. its file; None: by number.
        """
        lines = [f"{self.source}   {len(self.labels):,} texts, {len(self.known_terms):,} terms", ""]
        lines.append(INDENT + self.headline)
        lines += [INDENT + self.tested] if self.tested else []
        for at in range(self.k if self.k > 1 else 0):
            share = self.sizes[at] / max(1, len(self.labels))
            lines += ["", f"{INDENT}{at + 1}  {self.names[at]}   {self.sizes[at]:,} texts ({share:.0%})"]
            rest = self.terms[at][NAME_TERMS:SHOWN_TERMS]
            if rest:
                lines.append(f"{INDENT}   also: {', '.join(rest)}")
            if texts is not None:
                quoted = ((int(row), _short(texts[int(row)])) for row in self.typical[at][:SHOWN_TEXTS])
                names = [f"text {row + 1:,}" for row in range(len(texts))] if called is None else called
                lines += [f"{INDENT}   e.g. {names[row]}: {text}" for row, text in quoted]
        others = [int(layer.max()) + 1 for layer in self.layers.T if int(layer.max()) + 1 != self.k]
        lines += [""] if self.k > 1 else []
        lines += [f"{INDENT}also: {size} groups" for size in others]
        lines += [f"{INDENT}note: {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.summary()


def fit_texts(
    texts: Sequence[str],
    vectors: MatrixLike | str | None = None,
    *,
    k: int | None = None,
    language: str | Iterable[str] = "auto",
    believe: bool = True,
    random_state: int = 0,
    source: str = "texts",
    progress: ProgressOption = None,
) -> TextClustering:
    """Find the groups of texts, name them, and test whether they could be chance.

    Parameters
    ----------
    texts : sequence of str
        The documents.
    vectors : array-like of shape (n_texts, d) or str, default=None
        Embeddings of the texts by a model, or the name of a model that sentence-transformers (which must be
        installed) loads; None: TF-IDF, projected to the directions along which the texts differ most. Names
        come from the words in either case.
    k : int, default=None
        About how many groups; None: whatever there is.
    language : str or iterable of str, default="auto"
        Whose stop words to leave out: a name of `coterie.text.languages()`, "auto": told from the texts,
        "none", or the words themselves.
    believe : bool, default=True
        Whether to compare with texts whose words were shuffled.
    random_state : int, default=0
        Same seed, same texts, same groups.
    source : str, default="texts"
        What to call the texts.
    progress : None, bool or callable, default=None
        True shows a line on a terminal.

    Examples
    --------
    >>> fruit = ["ripe apples and sweet pears", "sweet plums, ripe pears", "apples, plums and sweet cherries"]
    >>> cars = ["engine and brakes of the car", "new brakes for an old engine", "the car needs a new engine"]
    >>> found = fit_texts((fruit + cars) * 8, believe=False)
    >>> found.k
    2
    """
    began = time.perf_counter()
    check_parameter(k, Nothing() | Whole(1), name="k", who="fit_texts")
    documents = read_texts(texts)
    if len(documents) < 2:
        raise InvalidData(f"fit_texts needs at least 2 texts, got {len(documents)}.")
    with track(progress, "texts: words", total=2 + (DRAWS if believe else 0)) as tracker:
        encoder, counts = encode_texts(documents, language=language, random_state=random_state)
        given = embed_texts(documents, vectors) if isinstance(vectors, str) else vectors
        rows = _rows_of(given, encoder, counts, len(documents))
        tracker.report(1, stage="texts: groups")
        model = _model(k, random_state).fit(rows)
        tracker.report(2, stage="texts: chance")
        p_value = None
        if believe and int(model.labels_.max()) > 0:
            p_value = _p_value(model, rows, encoder, counts, vectors is None, k, random_state, tracker)
    empty = int((np.diff(counts.indptr) == 0).sum()) if vectors is None else 0
    notes = [f"{empty:,} texts have no term that counts, and no group"] if empty else []
    notes.append(_said(encoder.language))
    bare = TextClustering(
        labels=model.labels_,
        names=(),
        terms=(),
        typical=(),
        layers=model.layers_,
        persistence=float(model.persistence_),
        p_value=p_value,
        model=model,
        encoder=encoder if vectors is None else None,
        counts=counts,
        known_terms=encoder.terms,
        notes=tuple(notes),
        source=source,
        seconds=time.perf_counter() - began,
    )
    return _described(bare, model.labels_)


def _said(language: str) -> str:
    if language in languages():
        return f"{language.capitalize()} stop words were removed"
    return "the given stop words were removed" if language else "no stop words were removed"


def _rows_of(vectors: MatrixLike | None, encoder: TextEncoder, counts: SparseData, n_texts: int) -> Data:
    if vectors is None:
        return np.ascontiguousarray(encoder.weigh(counts) @ encoder.axes)
    rows = check_data(vectors, who="fit_texts", name="vectors")
    if rows.shape[0] != n_texts:
        raise InvalidData(
            f"vectors of fit_texts must have a row for each of the {n_texts:,} texts, got {rows.shape[0]:,}."
        )
    return rows


def _model(k: int | None, seed: int) -> EmbeddingClustering:
    return EmbeddingClustering(granularity="auto" if k is None else k, random_state=seed)


def _p_value(
    model: EmbeddingClustering,
    rows: Data,
    encoder: TextEncoder,
    counts: SparseData,
    is_words: bool,
    k: int | None,
    seed: int,
    tracker: Tracker,
) -> float:
    """Return how often shuffled words, or vectors with shuffled columns, hold together as well."""
    rng = np.random.default_rng(seed)
    some = np.sort(rng.choice(rows.shape[0], min(rows.shape[0], DRAW_TEXTS), replace=False))
    is_all = len(some) == rows.shape[0]
    own = _best(model if is_all else _model(k, seed).fit(rows[some]))
    as_good = 0
    for draw in range(DRAWS):
        if is_words:
            drawn = _shuffled(counts[some], rng)
            null = np.ascontiguousarray(encoder.weigh(drawn) @ encoder.axes)
        else:
            null = rng.permuted(np.asarray(rows[some]), axis=0)
        as_good += _best(_model(k, seed).fit(null)) >= own
        tracker.report(3 + draw)
    return (1 + as_good) / (1 + DRAWS)


def _best(model: EmbeddingClustering) -> float:
    return float(max(model.layer_persistence_.max(initial=0.0), model.persistence_))


def _shuffled(counts: SparseData, rng: np.random.Generator) -> SparseData:
    """Return counts in which every text has as many words as before, drawn from those of all texts."""
    counts = csr_array(counts)
    words = np.repeat(counts.indices, counts.data.astype(np.int64))
    per_text = np.add.reduceat(np.append(counts.data, 0), counts.indptr[:-1]).astype(np.int64)
    per_text[np.diff(counts.indptr) == 0] = 0
    rows = np.repeat(np.arange(counts.shape[0]), per_text)
    drawn = csr_array((np.ones(len(words)), (rows, rng.permutation(words))), shape=counts.shape)
    drawn.sum_duplicates()
    return drawn


def _described(found: TextClustering, labels: Labels) -> TextClustering:
    """Return the answer with names, terms and typical texts of the groups that the labels say."""
    k = int(labels.max()) + 1
    weights = class_weights(found.counts, labels)
    order = np.argsort(-weights, axis=1, kind="stable")[:, :KEPT_TERMS]
    terms = tuple(
        _distinct([found.known_terms[at] for at in order[group] if weights[group, at] > 0])
        for group in range(k)
    )
    typical = replace_labels(found.model, labels).exemplars()
    return replace(
        found,
        labels=np.asarray(labels, dtype=np.int64),
        names=tell_apart(terms),
        terms=terms,
        typical=tuple(np.asarray(each, dtype=np.int64) for each in typical),
    )


def replace_labels(model: EmbeddingClustering, labels: Labels) -> EmbeddingClustering:
    """Return the fitted model with other labels of its rows."""
    found = {name: model.__dict__[name] for name in model._schema if name in model.__dict__}
    found.pop("n_features_in_", None)
    found.pop("feature_names_in_", None)
    found["labels_"] = np.asarray(labels, dtype=np.int64)
    return EmbeddingClustering.from_fitted(
        found, n_columns=model.n_features_in_, **model.get_params(deep=False)
    )


def class_weights(counts: SparseData, labels: Labels) -> FloatArray:
    """Return class-based TF-IDF: how typical each term is of each group.

    The share of a term among the terms of the group, times ``log(1 + A / f)``: A the mean number of terms of
    a group, f how often the term occurs in all.

    Examples
    --------
    >>> counts = csr_array(np.array([[2, 1, 0], [0, 1, 2]]))
    >>> class_weights(counts, np.array([0, 1])).argmax(axis=1).tolist()
    [0, 2]
    """
    k = int(labels.max()) + 1
    inside = np.flatnonzero(labels >= 0)
    belongs = csr_array((np.ones(len(inside)), (labels[inside], inside)), shape=(k, len(labels)))
    per_group = np.asarray((belongs @ counts).toarray(), dtype=np.float64)
    total = per_group.sum(axis=0)
    mean = per_group.sum() / max(k, 1)
    share = per_group / np.maximum(per_group.sum(axis=1, keepdims=True), 1.0)
    return np.asarray(share * np.log1p(mean / np.maximum(total, 1.0)))


def _distinct(terms: list[str]) -> tuple[str, ...]:
    """Return terms without those whose words are all in terms before them."""
    kept: list[str] = []
    seen: set[str] = set()
    for term in terms:
        words = set(term.split())
        if not words <= seen:
            kept.append(term)
            seen |= words
    return tuple(kept)


def tell_apart(terms: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return a name for each group: its best terms, and one more where a larger group is called so already.

    Examples
    --------
    >>> tell_apart([("a", "b", "c", "d"), ("a", "b", "c", "e")])
    ('a, b, c', 'a, b, c, e')
    """
    names: list[str] = []
    for own in terms:
        name = ", ".join(own[:NAME_TERMS]) or "(no terms)"
        n_terms = NAME_TERMS
        while name in names and n_terms < len(own):
            n_terms += 1
            name = ", ".join(own[:n_terms])
        names.append(name)
    return tuple(names)


def _merged_from(before: Labels, after: Labels) -> Labels:
    """Return for each group before the group after that its texts are in."""
    k = int(before.max()) + 1
    found = np.full(k, -1, dtype=np.int64)
    found[before[before >= 0]] = after[before >= 0]
    return found


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT else line[: LONGEST_TEXT - 3] + "..."
