"""Estimators as objects: copies, files, tables, progress, memory."""

import copy
import pickle
import subprocess
import sys
import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coterie
from coterie.cluster import KMeans, MiniBatchKMeans, find_method, methods
from coterie.errors import InvalidParameter

X = np.random.default_rng(0).normal(size=(200, 3))
BOTH = pytest.mark.parametrize("kind", [KMeans, MiniBatchKMeans])


@BOTH
def test_copies_and_files_predict_the_same(kind, tmp_path):
    """Law: pickled, copied and saved models predict as the original; a clone is unfitted."""
    model = kind(4, random_state=0).fit(X)
    coterie.save(model, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), loaded):
        np.testing.assert_array_equal(other.predict(X), model.labels_)
        np.testing.assert_array_equal(other.transform(X), model.transform(X))
        assert other.get_params() == model.get_params()
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert not hasattr(fresh, "cluster_centers_")


def test_a_loaded_stream_goes_on(tmp_path):
    """Law: partial_fit after saving and loading continues as if nothing had happened."""
    batches = np.split(X, 10)
    straight, stopped = (MiniBatchKMeans(3, random_state=1, init="random") for _ in range(2))
    for number, batch in enumerate(batches):
        straight.partial_fit(batch)
        stopped.partial_fit(batch)
        if number == 4:
            coterie.save(stopped, tmp_path / "model.safetensors")
            stopped = coterie.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(stopped.cluster_centers_, straight.cluster_centers_)
    assert stopped.n_steps_ == straight.n_steps_ == 10


@BOTH
def test_tables_keep_their_names(kind):
    """Law: names of columns are kept, distances come back as a table when asked for."""
    frame = pd.DataFrame(X, columns=["age", "income", "spend"])
    model = kind(4, random_state=0).fit(frame)
    assert list(model.feature_names_in_) == ["age", "income", "spend"]
    names = [f"{kind.__name__.lower()}{i}" for i in range(4)]
    assert list(model.get_feature_names_out()) == names
    table = model.set_output(transform="pandas").transform(frame)
    assert isinstance(table, pd.DataFrame)
    assert list(table.columns) == names
    assert isinstance(model.set_output(transform="polars").transform(frame), pl.DataFrame)


def test_pipelines_pass_weights():
    """Law: in a pipeline the estimator clusters scaled rows with the weights it is given."""
    weights = np.linspace(0, 1, 200)
    pipe = make_pipeline(StandardScaler(), KMeans(3, random_state=0))
    labels = pipe.fit_predict(X, kmeans__sample_weight=weights)
    alone = KMeans(3, random_state=0).fit(StandardScaler().fit_transform(X), sample_weight=weights)
    np.testing.assert_array_equal(labels, alone.labels_)


@BOTH
def test_fitted_twice_is_fitted_once(kind):
    """Law: a second fit depends on its own data alone."""
    twice = kind(3, random_state=0).fit(X[:, :2]).fit(X)
    np.testing.assert_array_equal(twice.labels_, kind(3, random_state=0).fit(X).labels_)
    assert twice.n_features_in_ == 3


def test_progress_is_reported():
    """Law: a callable hears of every iteration, and what it raises comes through."""
    heard = []
    model = KMeans(10, random_state=0, progress=heard.append).fit(X)
    assert [report.done for report in heard] == list(range(1, model.n_iter_ + 1))
    assert str(heard[0]).startswith("k-means: iteration 1")
    heard.clear()
    steps = MiniBatchKMeans(10, random_state=0, batch_size=50, progress=heard.append).fit(X).n_steps_
    assert heard[-1].done == steps
    assert heard[-1].total == 100 * 200 // 50

    def stop(report):
        raise RuntimeError("enough")

    for kind in (KMeans, MiniBatchKMeans):
        with pytest.raises(RuntimeError, match="enough"):
            kind(10, progress=stop).fit(X)


class Recorder:
    """A callback of scikit-learn that writes down what it is told."""

    def __init__(self):
        self.told = []

    def setup(self, estimator, context):
        self.told.append("setup")

    def on_fit_task_begin(self, estimator, context):
        self.told.append(f"begin {context.task_name}")

    def on_fit_task_end(self, estimator, context):
        self.told.append(f"end {context.task_name}")

    def teardown(self, estimator, context):
        self.told.append("teardown")


@BOTH
def test_callbacks_of_scikit_learn_are_called(kind, tmp_path):
    """Law: a callback hears of the fit and of every iteration, and is torn down even when the fit fails."""
    recorder = Recorder()
    model = kind(5, random_state=0).set_callbacks(recorder).fit(X)
    n_tasks = model.n_iter_ if kind is KMeans else model.n_steps_
    assert recorder.told[:2] == ["setup", "begin fit"]
    assert recorder.told[-2:] == ["end fit", "teardown"]
    assert len(recorder.told) == 4 + 2 * n_tasks
    recorder.told.clear()
    with pytest.raises(InvalidParameter, match="n_clusters"):
        model.set_params(n_clusters=1000).fit(X)
    assert recorder.told == ["setup", "begin fit", "teardown"]
    coterie.save(model, tmp_path / "model.safetensors")
    assert coterie.load(tmp_path / "model.safetensors").n_features_in_ == 3


def test_verbose_prints_iterations(capsys):
    """Law: verbose prints the start, each iteration and why the run ended."""
    KMeans(10, random_state=0, verbose=1, tol=0).fit(X)
    strict = capsys.readouterr().out
    assert strict.startswith("Initialization complete\nIteration 0, inertia ")
    assert strict.rstrip().endswith("strict convergence.")
    KMeans(10, random_state=0, verbose=True, tol=0.1).fit(X)
    assert "within tolerance" in capsys.readouterr().out
    KMeans(10, random_state=0).fit(X)
    assert capsys.readouterr().out == ""


INTERRUPTED = """
import os, signal, threading, time
import numpy as np
from coterie.cluster import KMeans
X = np.random.default_rng(0).uniform(size=(400_000, 12)).astype("f4")
model = KMeans(500, init="random", n_init=50, tol=0, max_iter=10_000)
threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
began = time.monotonic()
try:
    model.fit(X)
except KeyboardInterrupt:
    print(time.monotonic() - began, hasattr(model, "labels_"))
"""


def test_ctrl_c_stops_soon():
    """Law: Ctrl-C ends a long fit with KeyboardInterrupt and leaves the model unfitted."""
    answer = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True)
    seconds, is_fitted = answer.stdout.split()
    assert float(seconds) < 20  # one second of work; the rest is for a busy machine
    assert is_fitted == "False"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_beyond_the_input(dtype):
    """Law: C-ordered floats are not copied: NumPy allocates no more than the labels and a little."""
    data = np.random.default_rng(0).normal(size=(200_000, 8)).astype(dtype)
    KMeans(4, max_iter=2).fit(data[:100])
    tracemalloc.start()
    try:
        KMeans(4, max_iter=2, random_state=0).fit(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 * len(data) < data.nbytes


def test_catalogue_offers_the_estimators():
    """Law: every method of the catalogue loads, is public, and is found by its name or the nearest one."""
    for method in methods():
        assert method.load() is getattr(coterie.cluster, method.class_name)
        assert find_method(method.name) is method
    assert find_method("kmeans").needs_k
    with pytest.raises(InvalidParameter, match=r'no such method "kmean"\. Did you mean "kmeans"'):
        find_method("kmean")
    with pytest.raises(AttributeError, match="no attribute 'Kmeans'"):
        coterie.cluster.Kmeans  # noqa: B018


def test_every_public_name_exists():
    """Law: what the room lists it has, and each name says what it is."""
    for name in coterie.cluster.__all__:
        assert getattr(coterie.cluster, name).__doc__
    assert set(coterie.cluster.__all__) <= set(dir(coterie.cluster))
