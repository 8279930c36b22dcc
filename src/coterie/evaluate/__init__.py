"""Is this clustering good? Against the truth, and by itself."""

from coterie.evaluate import external, internal
from coterie.evaluate.catalogue import Measure, find_measure, measure, measures
from coterie.evaluate.cut_curves import CutCurve, cut_curve
from coterie.evaluate.external import *  # noqa: F403  (external.__all__ is the list of external measures)
from coterie.evaluate.internal import *  # noqa: F403  (internal.__all__ is the list of internal measures)

__all__ = ["CutCurve", "Measure", "cut_curve", "find_measure", "measure", "measures"]
__all__ += external.__all__
__all__ += internal.__all__
