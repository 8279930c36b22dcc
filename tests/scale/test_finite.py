"""New rows that are not measurements are refused by every method, wherever they lie."""

import numpy as np
import pandas as pd
import pytest

from coterie.cluster import KMeans as LocalKMeans
from coterie.errors import InvalidData
from coterie.scale import GaussianMixture, KMeans, KMedoids, MiniBatchKMeans, Summaries, predict

N_ROWS, BAD_ROW = 20_000, 17_003
METHODS = {
    "KMeans": ("predict", "transform", "score"),
    "MiniBatchKMeans": ("predict", "transform", "score"),
    "GaussianMixture": ("predict", "predict_proba", "score"),
    "KMedoids": ("predict", "transform"),
    "Summaries": ("predict",),
}
MODELS = {
    "KMeans": KMeans(2, random_state=0),
    "MiniBatchKMeans": MiniBatchKMeans(2, random_state=0),
    "GaussianMixture": GaussianMixture(2, random_state=0),
    "KMedoids": KMedoids(2, random_state=0),
    "Summaries": Summaries(50, random_state=0),
}


@pytest.fixture(scope="module")
def rows():
    return np.random.default_rng(0).normal(size=(N_ROWS, 3))


@pytest.fixture(scope="module")
def folder(rows, tmp_path_factory):
    """Write two files, the second with a value that is missing and one that is infinite."""
    folder = tmp_path_factory.mktemp("finite")
    frame = pd.DataFrame(rows, columns=["x", "y", "z"])
    frame[:15_000].to_parquet(folder / "a.parquet")
    frame.loc[BAD_ROW, "y"] = np.nan
    frame.loc[BAD_ROW + 1, "z"] = np.inf
    frame[15_000:].to_parquet(folder / "b.parquet")
    return folder


@pytest.mark.parametrize(
    ("name", "method"), [(name, method) for name, methods in METHODS.items() for method in methods]
)
def test_new_rows_that_are_not_finite(name, method, rows, folder):
    """Law: the error names the file, the row in it and the column; no label, distance or score comes out."""
    model = MODELS[name].fit(pd.DataFrame(rows, columns=["x", "y", "z"]))
    place = rf'b\.parquet \(row group 0\): Input X contains NaN: row {BAD_ROW - 15_000} of it, column "y"'
    with pytest.raises(InvalidData, match=place):
        np.asarray(getattr(model, method)(folder))


def test_a_local_model(rows, folder):
    """Law: rows that a local model refuses are named by their file."""
    model = LocalKMeans(2, random_state=0).fit(pd.DataFrame(rows[:500], columns=["x", "y", "z"]))
    with pytest.raises(InvalidData, match=r'b\.parquet \(row group 0\): .* row 2003 of it, column "y"'):
        predict(model, folder).compute()


def test_a_model_that_takes_missing_values(rows, folder):
    """Law: another library's model that takes missing values is given them."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(max_iter=2).fit(rows[:200], rows[:200, 0] > 0)
    assert predict(model, folder).compute().shape == (N_ROWS,)


def test_sums_that_overflow():
    """Law: large numbers whose sum is infinite are rows as any other."""
    X = np.full((100, 2), 1e150)
    X[:50] *= -1
    model = KMeans(2, init=X[[0, -1]], max_iter=1).fit(X)
    assert set(np.asarray(model.predict(X * 1.0))) == {0, 1}
    large = np.full((10, 1), 3e38, dtype=np.float32)
    few = KMeans(1).fit(np.zeros((4, 1), dtype=np.float32))
    assert (np.asarray(few.predict(large)) == 0).all()
