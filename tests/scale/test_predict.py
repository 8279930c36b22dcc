"""`predict` of every local model runs over rows of any number."""

import dask.array
import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie.cluster import methods
from coterie.errors import InvalidParameter, UnsupportedInput
from coterie.pipeline import Recipe, make_estimator
from coterie.scale import KMeans, predict


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("method", methods(), ids=lambda method: method.name)
def test_every_local_model_places_lazy_rows(method):
    """Law: labels of lazy rows are those that the model gives to rows in memory."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(size=(60, 2)), rng.normal(size=(60, 2)) + 9])
    model = make_estimator(method, Recipe(method.name, 2 if method.needs_k else None)).fit(X)
    new = rng.normal(size=(50, 2)) * 6
    lazy = predict(model, dask.array.from_array(new, chunks=(17, 2)))
    np.testing.assert_array_equal(lazy.compute(), model.predict(new))


def test_frames_after_a_fit_to_files(tmp_path):
    """Law: frames of pandas and polars, in any order of columns, get the labels that files get."""
    rows = np.random.default_rng(0).normal(size=(500, 3))
    frame = pd.DataFrame(rows, columns=list("abc"))
    frame.to_parquet(tmp_path / "rows.parquet")
    model = KMeans(4, random_state=0).fit(tmp_path)
    expected = model.labels_.compute()
    for one in (frame, pl.from_pandas(frame)):
        for order in ("abc", "cab"):
            np.testing.assert_array_equal(model.predict(one[list(order)]).compute(), expected)
        with pytest.raises(InvalidParameter, match='has no column "b"'):
            model.predict(one[["a", "c"]])
    with pytest.raises(UnsupportedInput, match=r"Read them first: X.collect\(\)"):
        model.predict(pl.from_pandas(frame).lazy())
    again = KMeans(4, random_state=0).fit(pl.from_pandas(frame))
    assert again.inertia_ == model.inertia_
    np.testing.assert_array_equal(again.predict(tmp_path).compute(), expected)
