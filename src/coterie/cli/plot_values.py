"""What ``coterie plot`` computes for pictures of values: evidence, silhouettes, comparisons, belief."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from coterie._support.typing import Indices, Labels
from coterie.cli.plot_subject import PlotSubject
from coterie.errors import InvalidParameter

if TYPE_CHECKING:
    from coterie.cluster import EpsSuggestion
    from coterie.evaluate import ContingencyTable, Significance, Silhouette, Stability
    from coterie.pipeline import Profile
    from coterie.select import Evidence

Fitted = TypeVar("Fitted")  # an estimator

MOST_K = 12  # numbers of clusters compared, unless -k is higher
LEAST_OF_GROUP = 20  # rows of each group in a sample, if it has as many
EIGENVALUES = 12  # shown at least, for a gap beyond the groups asked for is worth seeing


def evidence(subject: PlotSubject, criteria: Sequence[str] | None) -> Evidence:
    """Return the evidence for 1 to 12 groups, or to -k where that is more."""
    from coterie.select import choose_k

    asked, X = subject.request, subject.scaled.to_numpy()
    ks = range(1, min(max(MOST_K, asked.k or 0), len(X) - 1) + 1)
    return choose_k(X, asked.method, k=ks, criteria=criteria, random_state=asked.seed)


def some_rows(subject: PlotSubject, most: int) -> Indices:
    """Return all rows, or a random sample of so many in which every group has some."""
    labels, rng = subject.labels, np.random.default_rng(subject.request.seed)
    if len(labels) <= most:
        return np.arange(len(labels))
    mixed = rng.permutation(len(labels))
    _, codes = np.unique(labels[mixed], return_inverse=True)
    order = np.argsort(codes, kind="stable")
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes))])[:-1]
    rank = np.empty(len(labels), dtype=np.int64)  # of a row within its group, in the mixed order
    rank[order] = np.arange(len(labels)) - starts[codes[order]]
    first = np.lexsort((np.arange(len(labels)), rank >= LEAST_OF_GROUP))[:most]
    return np.sort(mixed[first])


def silhouette(subject: PlotSubject) -> Silhouette:
    """Return the silhouette of the groups, noise left out."""
    from coterie.evaluate import silhouette

    return silhouette(subject.coded, subject.labels, metric=subject.metric, noise="exclude")


def contingency(subject: PlotSubject) -> ContingencyTable:
    """Return the table of the classes of --truth and the groups, under their names."""
    from coterie.evaluate import contingency_table

    names = subject.names or [str(label) for label in range(int(subject.labels.max(initial=0)) + 1)]
    words = np.array([*names, "noise"])
    return contingency_table(subject.truth_words, words[subject.labels])


def profile(subject: PlotSubject) -> Profile:
    """Return the profile of the groups in the units of the table."""
    from coterie.pipeline import profile_groups

    k = int(subject.labels.max(initial=-1)) + 1
    return profile_groups(subject.rows.to_numpy(), subject.labels, subject.columns, k)


def suggestion(subject: PlotSubject) -> EpsSuggestion:
    """Return the radius that the k-distances suggest."""
    from coterie.cluster import suggest_eps

    return suggest_eps(subject.scaled.to_numpy(), metric=subject.request.distance)


def stability(subject: PlotSubject) -> Stability:
    """Return the stability of the model that found the groups, in the order of the groups."""
    from coterie.evaluate import stability

    seed = subject.request.seed
    found = stability(subject.model, subject.coded, random_state=seed)
    groups = _groups_of_clusters(subject)
    if groups is None:
        return found
    own = groups[list(found.clusters)]
    order = np.argsort(own, kind="stable")
    clusters = tuple(own[order].tolist())
    return replace(found, clusters=clusters, sizes=found.sizes[order], scores=found.scores[:, order])


def significance(subject: PlotSubject) -> Significance:
    """Return how the model that found the groups does on null data."""
    from coterie.evaluate import significance

    seed = subject.request.seed
    return significance(subject.model, subject.scaled.to_numpy(), random_state=seed)


def model_of(subject: PlotSubject, kind: type, name: str) -> Any:
    """Return the fitted model, of the kind that the picture is about, with the numbers of the groups."""
    if not isinstance(subject.model, kind):
        raise wrong_model(subject, f"draws {kind.__name__}", name)
    groups = _groups_of_clusters(subject)
    if groups is None:
        return subject.model
    model: Any = copy(subject.model)
    is_in = model.labels_ >= 0
    model.labels_ = model.labels_.copy()
    model.labels_[is_in] = groups[model.labels_[is_in]]
    return model


def wrong_model(subject: PlotSubject, what: str, method: str) -> InvalidParameter:
    """Return the error of a picture that shows something else than this model has."""
    fitting = "coterie fit DATA --save MODEL " if subject.is_of_model else ""
    return InvalidParameter(
        f"this plot {what}, got a {type(subject.model).__name__}. Use {fitting}--method {method}."
    )


def spectral_model(subject: PlotSubject) -> Any:
    """Return the spectral clustering of the rows with some eigenvalues more than it needs.

    A model without rows has those that it needed, one more than groups.
    """
    from sklearn.base import clone

    from coterie.cluster import SpectralClustering

    if not subject.has_rows and isinstance(subject.model, SpectralClustering):
        return subject.model
    X = subject.scaled.to_numpy()
    if subject.request.is_open:  # the gap is what tells the number of groups
        model: Any = SpectralClustering(min(2, len(X)), random_state=subject.request.seed)
    else:
        model = model_of(subject, SpectralClustering, "spectral")
    wanted = min(max(EIGENVALUES, 2 * model.n_clusters), len(X) - 2)
    return clone(model).set_params(n_components=max(wanted, model.n_clusters)).fit(X)


def _groups_of_clusters(subject: PlotSubject) -> Labels | None:
    """Return the group, counted from 0, that each cluster of the model is; None for a model on its own."""
    if subject.request.labels is not None:
        raise InvalidParameter("this plot is about a model and its own groups: leave --labels out.")
    names = subject.model_names
    return None if names is None else np.asarray(subject.groups.numbers)
