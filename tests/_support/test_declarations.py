"""Laws of declared classes: nobody can tell them from those that are written by hand."""

from __future__ import annotations

import ast
import inspect
import pickle
import re
from dataclasses import FrozenInstanceError, field, replace
from typing import ClassVar, get_type_hints

import pytest
from sklearn.base import clone

from coterie._support.declarations import KW_ONLY, estimator, fitted, held, parameter, saved
from coterie._support.documentation import entries_of
from coterie._support.scikit_learn import BaseEstimator
from coterie._support.typing import Distances, Labels, RandomState
from coterie._support.validation import Choice, Flag, Nothing, Whole
from coterie._support.validation.schema import ESTIMATOR, ListOf, Maybe, Tensor, Text
from coterie.cluster import methods


class Written(BaseEstimator):
    def __init__(self, n: int = 2, m: float | None = None, *, fast: bool = True, seed: int = 0) -> None:
        self.n = n
        self.m = m
        self.fast = fast
        self.seed = seed


@estimator
class Declared(BaseEstimator):
    _kind: ClassVar[str] = "none of the parameters"

    n: int = parameter(Whole(1), default=2)
    m: float | None = None
    _: KW_ONLY
    fast: bool = parameter(Flag(), default=True)
    seed: int = parameter(Whole(0), default=0)

    name_: str = fitted(Text())
    place_: str = fitted()
    start_: int = fitted(unset=7)


@estimator
class Inherited(Declared):
    m: float | None = parameter(Nothing(), default=3.0)
    _: KW_ONLY
    slow: bool = False
    seed: int = 5


def test_the_signature_is_that_of_the_lines():
    """Law: signature, hints and defaults are those that a hand would write."""
    written, declared = (inspect.signature(kind.__init__) for kind in (Written, Declared))
    assert str(written) == str(declared)
    assert get_type_hints(Written.__init__) == get_type_hints(Declared.__init__)
    assert Declared.__init__.__qualname__ == "Declared.__init__"
    assert inspect.getfullargspec(Inherited).kwonlyargs == ["slow", "seed", "fast"]
    assert Inherited.__init__.__defaults__ == (2, 3.0)


def test_a_docstring_has_the_entries_of_bases_and_of_all():
    """Law: help describes every parameter once, in the order of the signature, with the default it has."""

    @estimator
    class Base(BaseEstimator):
        """A base.

        Parameters
        ----------
        slow : bool, default=False
            As it says.
        fast : bool, default=True
            Of the base.

        Attributes
        ----------
        name_ : str
            Its name.
        """

        random_state: RandomState = parameter(Whole(0), default=0)
        slow: bool = False
        fast: bool = True
        name_: str = fitted(Text())

    @estimator
    class Child(Base):
        """A child.

        Parameters
        ----------
        m : int, default=3
            Its own.

        Attributes
        ----------
        own_ : str
            Of its own.
        """

        m: int = 3
        random_state: RandomState = 5
        fast: bool = False
        own_: str = fitted(Text())

    text = inspect.getdoc(Child)
    random_state = "random_state : int, RandomState, Generator or None, default=5\n    Same number, same data"
    assert random_state in text
    assert "default=0" not in text
    assert "Of the base." not in text  # where the default is another, so may be the meaning
    entries = [line.partition(" : ")[0] for line in text.splitlines() if " : " in line]
    assert entries == ["random_state", "slow", "m", "own_", "name_", "n_features_in_", "feature_names_in_"]


def test_a_meaning_becomes_an_entry():
    """Law: what a declaration says is an entry, with its default and the type that its rule tells."""

    @estimator
    class Halves(BaseEstimator):
        """Halves.

        Parameters
        ----------
        long : int, default=1
            What takes
            two lines.
        """

        how: str | None = parameter(Nothing() | Choice("a", "b"), "How.", default=None)
        long: int = parameter(Whole(1), default=1)
        share: float | None = parameter(meaning="Of the rows.", default=0.5)

        halves_: Labels = fitted(Tensor("rows-1", "columns", kind="i4"), "Of each pair.")
        heights_: Distances | None = fitted(Maybe(Tensor("leaf nodes")), "As it says.")

    entries = entries_of(Halves.__doc__, "Parameters") | entries_of(Halves.__doc__, "Attributes")
    assert list(entries)[:5] == ["how", "long", "share", "halves_", "heights_"]
    assert entries["how"] == 'how : {None, "a", "b"}, default=None\n    How.'
    assert entries["share"] == "share : float or None, default=0.5\n    Of the rows."
    shape = "(n_samples - 1, n_features)"
    assert entries["halves_"] == f"halves_ : array of int32 of shape {shape}\n    Of each pair."
    assert entries["heights_"] == "heights_ : array of shape (n_leaf_nodes,) or None\n    As it says."
    assert "names : tuple of str, default=()\n    Of the halves." in inspect.getdoc(Told)


@saved()
class Told:
    """A value."""

    names: tuple[str, ...] = held(ListOf(Text(), kind=tuple), "Of the halves.", default=())


def test_docstrings_tell_the_defaults_that_estimators_have():
    """Law: a default that a docstring of a method tells is the one of its signature."""
    for method in methods():
        told = entries_of(method.load().__doc__, "Parameters")
        for name, known in inspect.signature(method.load()).parameters.items():
            default = re.search(r", default=(None|True|False|[\d.e-]+|\"[^\"]*\")$", told[name], re.MULTILINE)
            if default is not None and "," not in told[name].partition(" : ")[0]:
                assert ast.literal_eval(default[1]) == known.default, (method.name, name)


@pytest.mark.parametrize("wrong", [{"k": 3}, {"n": 1, "args": (4,)}, {"args": (1, 2, 3)}])
def test_wrong_calls_are_refused_in_the_same_words(wrong):
    """Law: unknown, doubled and superfluous arguments are the errors of Python."""
    said = []
    for kind in (Written, Declared):
        with pytest.raises(TypeError) as caught:
            kind(*wrong.get("args", ()), **{name: value for name, value in wrong.items() if name != "args"})
        said.append(str(caught.value).replace(kind.__name__, ""))
    assert said[0] == said[1]


def test_parameters_are_kept_and_nothing_else():
    """Law: an instance holds its parameters; the class keeps neither them nor fitted attributes."""
    model = Declared(4, seed=9)
    assert vars(model) == vars(Written(4, seed=9)) == model.get_params()
    assert vars(clone(model)) == vars(pickle.loads(pickle.dumps(model))) == vars(model)
    assert not any(hasattr(Declared, name) for name in ("n", "fast", "name_", "place_"))
    assert Declared.start_ == 7


def test_rules_are_collected_and_inherited():
    """Law: rules of parameters and of fitted attributes are those of the class and of its bases."""
    assert list(Declared._constraints) == ["n", "fast", "seed"]
    assert list(Inherited._constraints) == ["n", "m", "seed", "fast"]
    assert Inherited._constraints["seed"] is Declared._constraints["seed"]
    assert set(Inherited._schema) == set(Declared._schema) == {*ESTIMATOR, "name_"}


@saved(eq=False)
class Kept:
    name: str = held(Text())
    notes: tuple[str, ...] = held(ListOf(Text(), kind=tuple), default=())
    memory: list[int] = field(default_factory=list)


def test_saved_values_are_frozen_dataclasses_with_rules():
    """Law: a saved value is the dataclass that its lines give; fields with a rule are written to files."""
    assert str(inspect.signature(Kept)).startswith("(name: 'str', notes: 'tuple[str, ...]' = (), memory:")
    assert set(Kept._schema) == {"name", "notes"}
    value = replace(Kept("a"), notes=("b",))
    assert (value.name, value.notes, value.memory) == ("a", ("b",), [])
    assert value != Kept("a", ("b",))
    with pytest.raises(FrozenInstanceError):
        value.name = "c"
