"""Estimators are scikit-learn's, although scikit-learn is loaded when it is first needed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SKLEARN_FIRST = "import sklearn.base, sklearn.pipeline"
# What can be seen of a class: its ancestors, its names, the names that scikit-learn gave to it alone.
LOOK = """
import inspect, json
from coterie.cluster import methods
from coterie.data import PolarCoordinates, Whitening
from coterie.cluster import FeatureAgglomeration, LaplacianEigenmap
classes = [method.load() for method in methods()]
classes += [PolarCoordinates, Whitening, FeatureAgglomeration, LaplacianEigenmap]
MAKE
def seen(cls):
    own = sorted(vars(cls))
    keys = sorted(getattr(cls, "_sklearn_auto_wrap_output_keys", ()))
    requests = [name for name in dir(cls) if name.startswith("set_") and name.endswith("_request")]
    signatures = [str(inspect.signature(getattr(cls, name))) for name in requests]
    ancestors = [str(base) for base in cls.__mro__]
    return [cls.__name__, ancestors, sorted(dir(cls)), own, keys, requests, signatures]
print(json.dumps([seen(cls) for cls in classes]))
"""


def run(code: str) -> str:
    """Return what a fresh interpreter prints."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_the_order_of_imports_cannot_be_seen():
    """Law: classes have the same ancestors, names, requests and outputs whoever was imported first."""
    late = json.loads(run(LOOK.replace("MAKE", "classes[0]()")))
    early = json.loads(run(f"{SKLEARN_FIRST}\n{LOOK.replace('MAKE', '')}"))
    for after, before in zip(late, early, strict=True):
        assert after == before
    assert any("sklearn.base.BaseEstimator" in base for base in early[0][1])
    assert "set_fit_request" in early[0][5]


def test_every_estimator_is_one_of_scikit_learn():
    """Law: an estimator is an instance of scikit-learn's classes, though nobody had loaded them before."""
    code = """
import sys
from coterie.cluster import KMeans
assert "sklearn" not in sys.modules
model = KMeans(2)
from sklearn.base import BaseEstimator, ClusterMixin, TransformerMixin, clone, is_clusterer
assert isinstance(model, BaseEstimator) and isinstance(model, ClusterMixin)
assert isinstance(model, TransformerMixin) and is_clusterer(model)
assert issubclass(KMeans, BaseEstimator)
assert repr(clone(model)) == "KMeans(n_clusters=2)"
assert "_repr_html_" in dir(model) and model.get_params()["n_clusters"] == 2
print(model.set_output(transform="polars").fit_transform([[0.0], [1.0], [9.0]]).shape)
"""
    assert run(code) == "(3, 2)\n"


def test_a_pickled_estimator_needs_no_import_of_scikit_learn():
    """Law: an estimator is read from a pickle in a process that has not loaded anything."""
    code = """
import pickle, sys
from coterie.cluster import KMeans
sys.stdout.write(pickle.dumps(KMeans(2, random_state=0).fit([[0.0], [1.0], [9.0]])).hex())
"""
    read = (
        f"import pickle; print(pickle.loads(bytes.fromhex({run(code)!r})).predict([[8.0], [0.0]]).tolist())"
    )
    assert sorted(json.loads(run(read))) == [0, 1]


def test_classes_of_users_are_told_like_ours():
    """Law: a subclass defined before scikit-learn is loaded gets its requests, and keeps its keywords."""
    code = """
from coterie.cluster import KMeans
calls = []
class Mine(KMeans):
    def __init_subclass__(cls, **named):
        calls.append(cls.__name__)
        super().__init_subclass__(**named)
    def fit(self, X, y=None, mood=None):
        return super().fit(X)
class Bare(Mine, auto_wrap_output_keys=None):
    pass
model = Mine(2)
assert calls == ["Bare"], calls
assert callable(model.set_fit_request) and "mood" in str(model.get_metadata_routing())
assert hasattr(model, "set_output") and not hasattr(Bare(2), "set_output")
class Late(KMeans, auto_wrap_output_keys=None):
    pass
assert not hasattr(Late(2), "set_output")
"""
    assert run(code) == ""


def test_many_threads_make_the_first_estimator():
    """Law: whichever thread comes first, none gets an estimator without its ancestors."""
    code = """
import threading
from coterie.cluster import KMeans
gate, found = threading.Barrier(8), []
def make():
    gate.wait()
    model = KMeans(3)
    found.append((model.get_params()["n_clusters"], "set_fit_request" in dir(model)))
threads = [threading.Thread(target=make) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(found == [(3, True)] * 8)
"""
    assert run(code) == "True\n"


def test_what_is_interrupted_is_finished_later():
    """Law: Ctrl-C while scikit-learn is told of the classes leaves nothing half done for later."""
    code = """
import sklearn.base
from coterie._support import scikit_learn
real, calls = scikit_learn._ancestors, []
assert scikit_learn._is_done  # scikit-learn was there first
scikit_learn._is_done = scikit_learn._have_ancestors = False
class Late(scikit_learn.BaseEstimator):
    def fit(self, X, y=None, mood=None):
        return self
scikit_learn._waiting.append((Late, {}))
def interrupted():
    calls.append(1)
    raise KeyboardInterrupt
scikit_learn._ancestors = interrupted
try:
    Late()
except KeyboardInterrupt:
    scikit_learn._ancestors = real
assert not scikit_learn._is_done and calls
assert callable(Late().set_fit_request) and not scikit_learn._waiting
"""
    assert run(code) == ""


def test_a_name_that_is_not_there():
    """Law: names are found when asked for; another name is an AttributeError."""
    from coterie._support import scikit_learn

    with pytest.raises(AttributeError, match="has no attribute 'check_everything'"):
        scikit_learn.check_everything  # noqa: B018
    assert all(getattr(scikit_learn, name) is not None for name in scikit_learn.__all__)


def test_what_scikit_learn_waits_for_is_there_when_asked_for():
    """Law: pandas and SciPy's statistics are loaded later than scikit-learn, and are whole for everybody."""
    code = """
import sys
from coterie.cluster import KMeans
model = KMeans(2)
assert "sklearn.base" in sys.modules and not {"pandas", "scipy.stats"} & set(sys.modules)
from sklearn.utils import fixes
assert fixes._mode([1, 1, 2]).mode == 1
import pandas, scipy.stats
from types import ModuleType
assert type(sys.modules["pandas"]) is type(sys.modules["scipy.stats"]) is ModuleType
frame = pandas.DataFrame({"a": [0.0, 0.1, 9.0], "b": [0.0, 0.2, 9.0]})
assert model.fit(frame).feature_names_in_.tolist() == ["a", "b"]
assert scipy.stats.norm.cdf(0.0) == 0.5
"""
    run(code)


def test_other_threads_get_the_modules_themselves():
    """Law: while scikit-learn is loaded, no other thread's ``import pandas`` gives a stand-in."""
    code = """
import sys, threading
from types import ModuleType
seen, threads = [], []
def use():
    import pandas, scipy.stats
    seen.extend([type(pandas), type(scipy.stats), type(sys.modules["pandas"]), pandas.Series([1]).sum() == 1])
def watch(event, told):  # hears of every module that is imported meanwhile
    if event != "import":
        return
    held = [sys.modules.get(waiting) for waiting in ("pandas", "scipy.stats")]
    assert all(module is None or type(module) is ModuleType for module in held), held
    if told[0] == "sklearn.utils.parallel" and not threads:  # next to pandas where scikit-learn wants it
        threads.append(threading.Thread(target=use))
        threads[0].start()
        threads[0].join()
sys.addaudithook(watch)
from coterie.cluster import KMeans
KMeans(2)
assert seen == [ModuleType] * 3 + [True], seen
"""
    run(code)
