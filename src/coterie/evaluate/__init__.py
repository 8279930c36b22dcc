"""Is this clustering good? Against the truth, and by itself."""

from coterie.evaluate import external
from coterie.evaluate.catalogue import Measure, find_measure, measure, measures
from coterie.evaluate.external import *  # noqa: F403  (external.__all__ is the list of external measures)

__all__ = ["Measure", "find_measure", "measure", "measures"]
__all__ += external.__all__
