"""Fixtures that scikit-learn's own tests ask for."""

import numpy as np
import pytest


@pytest.fixture
def global_random_seed():
    return 42


@pytest.fixture(params=[np.float32, np.float64])
def global_dtype(request):
    return request.param
