"""scikit-learn's own tests of its measures of data and one labeling, run on ours."""

import sklearn.metrics.cluster

from coterie import evaluate
from measure_suites import UNSUPERVISED
from scikit_learn_suites import borrowed, load_suite, named

LEFT_OUT = {"test_silhouette_reduce": "tests a private helper of scikit-learn"}
OURS = named(evaluate, *UNSUPERVISED, "silhouette_samples")
globals().update(borrowed(load_suite(sklearn.metrics.cluster, "test_unsupervised", OURS), left_out=LEFT_OUT))
