"""How to find groups: a recipe, checked before any data are read, and the estimator that it stands for."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from coterie._support.declarations import held, saved
from coterie._support.progress import ProgressOption
from coterie._support.typing import Model, Settings, ValuesByName
from coterie._support.validation import Choice
from coterie._support.validation.schema import COUNT, DictOf, Maybe, Plain, Sometimes, Text
from coterie.cluster import Method, find_method
from coterie.data import SCALINGS, check_scale
from coterie.distance import find_geometry
from coterie.errors import CoterieError, InvalidParameter, did_you_mean

# How the command line calls what estimators call otherwise; None in a recipe means the estimator's default.
OPTIONS = {"distance": ("geometry", "metric"), "n_init": ("n_init",), "improve": ("improve",)}
PAIRS_OF_ROWS = ("must_link", "cannot_link")  # settings that may be long


@saved()
class Recipe:
    """How to find groups.

    Parameters
    ----------
    n_clusters : int or None
        How many groups, for methods that must be told.
    distance : str or None
        A name of `coterie.distance.distances`; None is the method's own.
    settings : dict or None
        Other parameters of the method's estimator, by name: ``{"eps": 0.4}`` for "dbscan".
    """

    @classmethod
    def _check_state(cls, state: Settings, sizes: Mapping[str, int]) -> None:
        find_method(state.get("method", "kmeans"))

    method: str = held(Sometimes(Text()), "A name of `coterie.cluster.methods`.", default="kmeans")
    n_clusters: int | None = held(Sometimes(Maybe(COUNT)), default=None)
    scale: str = held(Sometimes(Choice(*SCALINGS)), "What to do with the columns first.", default="standard")
    distance: str | None = held(Sometimes(Maybe(Text())), default=None)
    n_init: int | None = held(Sometimes(Maybe(COUNT)), "How many starts.", default=None)
    improve: str | None = held(Sometimes(Maybe(Text())), "How to look for a better optimum.", default=None)
    seed: int = held(Sometimes(COUNT), "Same seed, same table, same groups.", default=0)
    settings: ValuesByName | None = held(Sometimes(Maybe(DictOf(Text(), Plain()))), default=None)

    @property
    def title(self) -> str:
        """The method, with its settings if there are any.

        Examples
        --------
        >>> Recipe("dbscan", settings={"eps": 0.4}).title
        'DBSCAN (eps=0.4)'
        """
        words = ", ".join(
            f"{name}: {len(value):,}" if name in PAIRS_OF_ROWS else f"{name}={value}"
            for name, value in (self.settings or {}).items()
        )
        return find_method(self.method).title + (f" ({words})" if words else "")


def check_recipe(recipe: Recipe) -> None:
    """Refuse names and options that do not exist, before any data are read."""
    method = find_method(recipe.method)
    check_scale(recipe.scale)
    for option, least in (("n_init", 1), ("seed", 0)):
        value = getattr(recipe, option)
        if value is not None and value < least:
            raise InvalidParameter(f"{option} must be at least {least}, got {value}.").in_shell(
                f"--{option.replace('_', '-')} must be at least {least}, got {value}."
            )
    if method.needs_k:
        _check_k_given(method, recipe)
    make_estimator(method, recipe)._check_parameters()  # the base class is ours


def takes_k(method: str) -> bool:
    """Return whether a method can be told the number of groups.

    Examples
    --------
    >>> takes_k("kmeans"), takes_k("hdbscan")
    (True, False)
    """
    parameters = inspect.signature(find_method(method).load()).parameters
    return "n_clusters" in parameters or "n_components" in parameters


def takes_distance(method: str, distance: str) -> bool:
    """Return whether a method can use a distance.

    Examples
    --------
    >>> takes_distance("kmedoids", "manhattan"), takes_distance("mixture", "manhattan")
    (True, False)
    """
    try:
        make_estimator(find_method(method), Recipe(method, 2, distance=distance))._check_parameters()
    except CoterieError:
        return False
    return True


def linkage_for(method: str, distance: str | None) -> str | None:
    """Return the linkage to use where none is named: None is the method's own, which Euclidean rows can have.

    Examples
    --------
    >>> linkage_for("agglomerative", "gower"), linkage_for("agglomerative", None)
    ('average', None)
    """
    parameters = inspect.signature(find_method(method).load()).parameters
    is_wards = "linkage" in parameters and parameters["linkage"].default == "ward"
    return "average" if is_wards and distance is not None else None


def takes_option(method: str, option: str) -> bool:
    """Return whether a method has an option of `OPTIONS`.

    Examples
    --------
    >>> takes_option("kmeans", "n_init"), takes_option("dbscan", "n_init")
    (True, False)
    """
    parameters = inspect.signature(find_method(method).load()).parameters
    return any(name in parameters for name in OPTIONS[option])


def make_estimator(method: Method, recipe: Recipe, progress: ProgressOption = None) -> Model:
    """Return the unfitted estimator of a recipe, refusing options that its method does not have."""
    kind = method.load()
    parameters = inspect.signature(kind).parameters
    chosen: ValuesByName = dict(method.settings)
    for option, names in OPTIONS.items():
        value = getattr(recipe, option)
        if value is None:
            continue
        name = next((name for name in names if name in parameters), None)
        if name is None:
            raise InvalidParameter(f"{method.title} has no {option}, got {value!r}.").in_shell(
                f"{method.title} has no --{option.replace('_', '-')}, got {value!r}."
            )
        chosen[name] = find_geometry(value).name if name == "geometry" else value
    count = "n_clusters" if "n_clusters" in parameters else "n_components"
    for name, value in ((count, recipe.n_clusters), ("random_state", recipe.seed), ("progress", progress)):
        if name in parameters and value is not None:
            chosen[name] = value
    said_otherwise = {count, "random_state", "progress"}.union(*OPTIONS.values())
    return kind(**chosen | _settings(method, recipe, [*parameters], said_otherwise))


def _settings(method: Method, recipe: Recipe, known: list[str], said_otherwise: set[str]) -> ValuesByName:
    """Return the parameters that are set by name; refuse what there is not, or has an option of its own."""
    settings = recipe.settings or {}
    free = [name for name in known if name not in said_otherwise]
    for name in settings:
        if name not in free:
            raise InvalidParameter(
                f'{method.title} has no setting "{name}".{did_you_mean(name, free)} ({", ".join(free)})'
            )
    return settings


def _check_k_given(method: Method, recipe: Recipe) -> int:
    k = recipe.n_clusters
    if k is None:
        raise InvalidParameter(f"{method.title} needs to know the number of groups: n_clusters.").in_shell(
            f"{method.title} needs to know the number of groups: -k N, for example -k 5."
        )
    if k < 1:
        raise InvalidParameter(f"n_clusters must be at least 1, got {k}.").in_shell(
            f"-k must be at least 1, got {k}."
        )
    return k
