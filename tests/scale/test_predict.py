"""`predict` of every local model runs over rows of any number."""

import dask.array
import numpy as np
import pytest

from coterie.cluster import methods
from coterie.pipeline import Recipe, make_estimator
from coterie.scale import predict


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
