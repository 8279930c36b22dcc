"""Step by step: the recorded steps are those of the run, and each lowers the objective."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import coterie
from coterie.cluster import KMeans

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(size=(300, 2))
INITS = ["k-means++", "random", "random partition", X[:8] * 100, lambda X, k, random_state: X[:k]]
IDS = ["k-means++", "random", "random partition", "far array", "callable"]


@pytest.mark.parametrize("improve", [None, "breathing"])
@pytest.mark.parametrize("init", INITS, ids=IDS)
@pytest.mark.parametrize(
    "data", [X, X.astype(np.float32), sparse.csr_array(X)], ids=["float64", "float32", "csr"]
)
def test_history_ends_at_the_result(data, init, improve):
    """Law: with and without history the result is the same to the bit, and the last step has it."""
    how = {"n_clusters": 8, "init": init, "n_init": 1, "improve": improve, "random_state": 0}
    plain, recorded = KMeans(**how).fit(data), KMeans(**how, history=True).fit(data)
    assert plain.history_ is None
    np.testing.assert_array_equal(plain.labels_, recorded.labels_)
    np.testing.assert_array_equal(plain.cluster_centers_, recorded.cluster_centers_)
    last = recorded.history_[-1]
    np.testing.assert_array_equal(last.labels, recorded.labels_)
    np.testing.assert_array_equal(last.centers, recorded.cluster_centers_)
    assert last.inertia == pytest.approx(recorded.inertia_, rel=1e-5)
    n_updates = sum(step.kind == "update" for step in recorded.history_)
    assert n_updates == recorded.n_iter_


@given(seed=st.integers(0, 2**32), k=st.integers(1, 15), scale=st.sampled_from([0.1, 1.0, 100.0]))
@settings(max_examples=40)
def test_no_step_raises_the_objective(seed, k, scale):
    """Law: within a run the inertia never rises from half-step to half-step, refilled clusters included."""
    random = np.random.default_rng(seed)
    rows = random.normal(size=(80, 2))
    weights = random.uniform(size=80)
    start = random.normal(size=(k, 2)) * scale
    model = KMeans(k, init=start, history=True, tol=0).fit(rows, sample_weight=weights)
    inertias = model.history_.inertias
    assert (np.diff(inertias) <= 1e-12 * inertias[:-1]).all()


def test_half_steps_are_what_they_say():
    """Law: assign gives each row its nearest centre and keeps the centres, update moves them to the means."""
    history = KMeans(6, init="random", n_init=1, random_state=1, history=True).fit(X).history_
    assert [step.kind for step in history][:3] == ["start", "assign", "update"]
    assert history[0].labels is None
    assert history[0].inertia is None
    for before, step in zip(history.steps, history.steps[1:], strict=False):
        squared = ((X[:, None] - step.centers) ** 2).sum(axis=2)
        if step.kind == "assign":
            np.testing.assert_array_equal(step.centers, before.centers)
            np.testing.assert_array_equal(step.labels, squared.argmin(axis=1))
        else:
            means = np.array([X[before.labels == label].mean(axis=0) for label in range(6)])
            np.testing.assert_allclose(step.centers, means)
        assert step.inertia == pytest.approx(squared[np.arange(300), step.labels].sum())


def test_picks_have_the_chances_of_kmeans_plusplus():
    """Law: P(j) at a pick is w_j D_j^2 / sum w D^2 for the picks before it; the first one is by weight."""
    weights = RANDOM.uniform(size=300)
    model = KMeans(5, random_state=2, history=True).fit(X, sample_weight=weights)
    picks = model.history_.picks
    np.testing.assert_array_equal(X[[pick.row for pick in picks]], model.history_[0].centers)
    np.testing.assert_allclose(picks[0].probabilities, weights / weights.sum(), rtol=1e-6)
    for number in range(1, 5):
        before = X[[pick.row for pick in picks[:number]]]
        squared = weights * ((X[:, None] - before) ** 2).sum(axis=2).min(axis=1)
        np.testing.assert_allclose(
            picks[number].probabilities, squared / squared.sum(), rtol=1e-6, atol=1e-12
        )
        assert picks[number].probabilities[picks[number].row] > 0


def test_random_picks_are_without_replacement():
    """Law: at each random pick the rows left share the chances."""
    picks = KMeans(3, init="random", n_init=1, history=True).fit(X).history_.picks
    for number, pick in enumerate(picks):
        assert np.count_nonzero(pick.probabilities) == 300 - number
        assert pick.probabilities.sum() == pytest.approx(1)
    assert KMeans(3, init=X[:3], history=True).fit(X).history_.picks == ()


def test_the_kept_restart_is_recorded():
    """Law: of several restarts the history is the best one's."""
    model = KMeans(12, init="random", n_init=5, random_state=0, history=True).fit(X)
    assert model.history_[-1].inertia == pytest.approx(model.inertia_)


def test_breaths_grow_and_shrink():
    """Law: every breath adds centres and removes as many."""
    model = KMeans(8, improve="breathing", random_state=0, history=True).fit(X)
    sizes = {step.kind: len(step.centers) for step in model.history_ if step.kind in ("grow", "shrink")}
    assert sizes["grow"] > 8
    assert sizes["shrink"] == 8
    kinds = [step.kind for step in model.history_]
    assert kinds.count("grow") == kinds.count("shrink") >= 1


def test_history_reads_well_and_cannot_be_changed():
    """Law: a history prints as a short table, has a length, iterates, and its parts are fixed."""
    history = KMeans(8, improve="breathing", random_state=0, history=True).fit(X).history_
    text = repr(history)
    assert text.startswith(f"KMeansHistory: 8 picks, {len(history)} steps\n  start     8 centres\n  assign ")
    assert "more" in text
    assert len(text.splitlines()) == 14
    assert len(list(history)) == len(history)
    assert repr(history.picks[0]) == f"KMeansPick(row={history.picks[0].row}, P={1 / 300:.4g})"
    assert repr(history[1]).startswith("KMeansStep(assign, 8 centres, inertia ")
    with pytest.raises(AttributeError, match="cannot assign"):
        history.steps = ()


def test_history_can_be_saved(tmp_path):
    """Law: a model with a history survives saving."""
    model = KMeans(3, random_state=0, history=True).fit(X)
    coterie.save(model, tmp_path / "model.safetensors")
    loaded = coterie.load(tmp_path / "model.safetensors")
    assert repr(loaded.history_) == repr(model.history_)
    np.testing.assert_array_equal(loaded.history_[-1].labels, model.labels_)
